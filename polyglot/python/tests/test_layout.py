"""Which module imports which: no circle, and the rooms inside know only what is below."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"


BELOW = {
    "hub": set[str](),
    "number": set[str](),
    "protobytes": set[str](),
    "jsontree": {"number"},
    "code": {"hub"},
    "protojson": {"hub", "number", "protobytes", "jsontree"},
    "schema": {"hub", "number", "jsontree", "code", "protojson"},
    "wire": {"hub", "number", "protobytes", "jsontree", "code", "protojson", "schema"},
}


def modules() -> dict[str, Path]:
    """The modules that are written by hand, and what the generators write for them."""
    found = {}
    for path in [*SOURCE.rglob("*.py")]:
        parts = path.relative_to(SOURCE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def statements(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """The imports that run, inside functions too: not those for types alone."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node
        yield from statements(node)


def imports(name: str, path: Path, known: dict[str, Path]) -> set[str]:
    """The modules of ours that a module imports."""
    out: set[str] = set()
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for statement in statements(ast.parse(path.read_text("utf-8"))):
        if isinstance(statement, ast.Import):
            out |= {alias.name for alias in statement.names if alias.name in known}
            continue
        base = statement.module or ""
        if statement.level:
            parts = package.split(".")
            parts = parts[: len(parts) - statement.level + 1]
            base = ".".join([*parts, base] if base else parts)
        for alias in statement.names:
            inner = f"{base}.{alias.name}"
            out |= {each for each in (inner if inner in known else base,) if each in known}
    return out - {name}


def graph() -> dict[str, set[str]]:
    known = modules()
    return {name: imports(name, path, known) for name, path in known.items()}


def circle(edges: dict[str, set[str]]) -> list[str]:
    """A way from a module back to itself; empty where there is none."""
    done: set[str] = set()

    def visit(name: str, way: list[str]) -> list[str]:
        if name in way:
            return [*way[way.index(name) :], name]
        if name in done:
            return []
        for other in sorted(edges.get(name, ())):
            found = visit(other, [*way, name])
            if found:
                return found
        done.add(name)
        return []

    for name in sorted(edges):
        found = visit(name, [])
        if found:
            return found
    return []


def test_no_module_imports_itself_by_way_of_others() -> None:
    edges = graph()
    assert len(edges) > 50
    assert circle(edges) == []


def test_a_circle_is_found() -> None:
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]


def test_rooms_import_what_is_below_them() -> None:
    inside = "errmap_rpc.internal."
    for name, found in graph().items():
        if not name.startswith(inside):
            continue
        room = name.removeprefix(inside).partition(".")[0]
        for other in found:
            assert other.startswith(("errmap.", inside)), f"{name} imports {other}"
            there = other.removeprefix(inside).partition(".")[0]
            if not other.startswith("errmap."):
                assert there == room or there in BELOW[room], f"{name} imports {other}"


def test_files_are_short() -> None:
    for path in (SOURCE / "errmap_rpc").rglob("*.py"):
        lines = len(path.read_text("utf-8").splitlines())
        assert lines <= 420, f"{path} has {lines} lines"
