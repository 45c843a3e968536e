"""The generator as a program, and what mypy and Python make of its output."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from shop.v1.cart_errmap import PaymentRequiredError, StockEmptyError, as_cart_get_error

import errmap_rpc
from errmap_rpc import generated

ROOT = Path(__file__).parents[3]
PLUGIN = Path(os.environ.get("ERRMAP_PLUGIN", ROOT / ".build" / "protoc-gen-errmap-python"))
PROTO = Path(__file__).parent / "proto"

USE = """
from __future__ import annotations

import importlib
import typing

import errmap_rpc
from errmap_rpc import generated

{imports}

def use() -> None:
    tricky = names.TrickyError(
        from_="a", self_="b", args_="c", code_="d", message_="e", property_="f", int_="g",
        str_="h", field_private_="i", field_private="j", None_="k", typing="l", with_detail_="m",
    )
    assert tricky.message == tricky.from_ == "a"
    assert (tricky.code_, tricky.code) == ("d", errmap_rpc.Code.ABORTED)
    assert tricky.metadata["private"] == tricky.field_private_ == "i"
    assert tricky.metadata["none"] == tricky.None_ == "k"
    assert tricky.args == ("a",)
    every = names.EverythingError(
        wide=2**60, data=b"\\x00\\xff", color=1, many=["x", "y"], left=0, colors=[1, 0],
        by_number={{3: True}},
    )
    assert every.metadata["wide"] == "1152921504606846976"
    assert every.metadata["color"] == "COLOR_RED"
    assert every.metadata["constant"] == "c"
    assert every.metadata["data"] == "AP8="
    assert every.metadata["many"] == '["x","y"]'
    assert every.metadata["byNumber"] == '{{"3":true}}'
    assert every.metadata["colors"] == '["COLOR_RED","COLOR_UNSPECIFIED"]'
    for value, spelled in (
        (1e21, "1e+21"), (1e20, "100000000000000000000"), (0.1, "0.1"), (1e-7, "1e-7"),
        (-0.0, "-0"), (float("inf"), "Infinity"), (float("nan"), "NaN"),
    ):
        assert names.EverythingError(number_=value).metadata["number"] == spelled
    assert every.perhaps is None and every.right is None and every.left == 0
    assert every.which_oneof("choice") == "left"
    text = errmap_rpc.encode_jsonrpc(every, errmap_rpc.GENERIC)
    assert text.number == 77
    back = errmap_rpc.decode_jsonrpc(text.text, errmap_rpc.GENERIC)
    assert isinstance(back, names.EverythingError)
    assert back.fields == every.fields and list(back.many) == ["x", "y"]
    assert dict(back.by_number) == {{3: True}}
    {reveal}
    assert [cls.__name__ for cls in names.ERRORS] == [
        "TrickyError", "EverythingError", "Outer_InnerError", "Outer_InnerError_", "None_", "ERRORS_"
    ]
    assert errmap_rpc.Catalog(names.ERRORS).find_class("names.example.com", "INNER") is names.Outer_InnerError
    assert names.None_().reason == "NONE"
    total: int = every.wide
    any_error: names.AnyError = every
    match any_error:
        case names.TrickyError() | names.Outer_InnerError() | names.Outer_InnerError_():
            raise AssertionError
        case names.None_() | names.ERRORS_():
            raise AssertionError
        case names.EverythingError():
            pass
        case _:
            typing.assert_never(any_error)
    seen: typing.Sequence[str] = every.many
    try:
        raise names.None_().with_message("x") from ValueError("cause")
    except names.TrickyError:
        raise AssertionError
    except names.None_ as caught:
        assert isinstance(caught.__cause__, ValueError) and total and seen


use()
"""


def protoc(out: Path, *files: str, plugin: bool = True) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "grpc_tools.protoc", f"-I{PROTO}", f"-I{ROOT / 'proto'}"]
    command += [f"-I{ROOT / 'third_party' / 'googleapis'}", f"--python_out={out}", f"--mypy_out=quiet:{out}"]
    if plugin:
        command += [f"--plugin={PLUGIN}", f"--errmap-python_out={out}"]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    return subprocess.run(
        [*command, *files], capture_output=True, text=True, check=False, env={**os.environ, "PATH": path}
    )


def test_generated_code_runs(tmp_path: Path) -> None:
    run = protoc(tmp_path, "class/in-valid.proto", "other.proto")
    assert run.returncode == 0, run.stderr
    module = tmp_path / "class" / "in_valid_errmap.py"
    assert module.exists() and not (tmp_path / "other_errmap.py").exists()
    # A directory that is a keyword can be imported only by name.
    script = tmp_path / "use.py"
    imports = 'names = importlib.import_module("class.in_valid_errmap")'
    script.write_text(USE.format(imports=imports, reveal="assert generated"))
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT / 'polyglot/python/src'}"}
    run = subprocess.run(
        [sys.executable, "-W", "error", str(script)],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert run.returncode == 0, run.stderr


def test_generated_code_is_typed(tmp_path: Path) -> None:
    proto = tmp_path / "proto"
    proto.mkdir()
    (proto / "names.proto").write_text((PROTO / "class" / "in-valid.proto").read_text())
    run = protoc(tmp_path, f"-I{proto}", "names.proto", "other.proto")
    assert run.returncode == 0, run.stderr
    script = tmp_path / "use.py"
    reveal = "every.wide = 1  # type: ignore[misc]"
    script.write_text(USE.format(imports="import names_errmap as names", reveal=reveal))
    environment = {**os.environ, "MYPYPATH": f"{tmp_path}{os.pathsep}{ROOT / 'polyglot/python/src'}"}
    run = subprocess.run(
        [
            *(sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache")),
            *("--explicit-package-bases", str(script), str(tmp_path / "names_errmap.py")),
        ],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        cwd=tmp_path,
    )
    assert run.returncode == 0, run.stdout


def test_twice_the_same(tmp_path: Path) -> None:
    texts = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        assert protoc(tmp_path / name, "class/in-valid.proto", "other.proto").returncode == 0
        texts.append((tmp_path / name / "class" / "in_valid_errmap.py").read_bytes())
    assert texts[0] == texts[1]


def test_mistakes(tmp_path: Path) -> None:
    (tmp_path / "bad.proto").write_text(
        'syntax = "proto3";\npackage bad;\nimport "errmap/v1/error.proto";\n'
        "message GoneError {\n"
        '  option (errmap.v1.error) = {code: NOT_FOUND message: "{what}"};\n'
        "}\n"
    )
    run = protoc(tmp_path, f"-I{tmp_path}", "bad.proto")
    assert run.returncode != 0
    assert "bad.proto:5:" in run.stderr and "{what}" in run.stderr and "domain" in run.stderr


@pytest.mark.parametrize("argument", ["--version", "--help"])
def test_arguments(argument: str) -> None:
    run = subprocess.run([PLUGIN, argument], capture_output=True, text=True, check=True)
    assert "protoc-gen-errmap-python" in run.stdout
    assert subprocess.run([PLUGIN, "--no"], capture_output=True, check=False).returncode == 2


def test_names_of_the_runtime() -> None:
    """The generator escapes each public attribute of an error."""
    source = (ROOT / "internal" / "plugin" / "pythonname.go").read_text()
    for cls in (generated.TypedError, errmap_rpc.Error):
        for name in [*dir(cls), "DOMAIN", "REASON", "MESSAGE"]:
            assert name.startswith("_") or f'"{name}"' in source, name


UNUSUAL = r"""
syntax = "proto3";
import "errmap/v1/error.proto";
import "c/d.proto";
import "c_d.proto";
option (errmap.v1.domain) = "x.example.com";
// Ends with triple quotes QQQ
message OneError {
  option (errmap.v1.error) = {code: NOT_FOUND};
  // Ends with triple quotes QQQ
  string first = 1;
  // A backslash \ at the end \
  string second = 2;
  // QQQQ
  string third = 3;
  //Q
  string fourth = 4;
  // \N{SNOWMAN} \u12 \x
  string fifth = 5;
  c.D nested = 6;
  top.D flat = 7;
}
message __Private {
  option (errmap.v1.error) = {code: NOT_FOUND info {reason: "PRIVATE"}};
  message __Inner { string text = 1; }
  __Inner inner = 1;
  repeated __Inner inners = 2;
}
""".replace("Q", '"')

USE_UNUSUAL = r"""
import importlib
import sys

module = importlib.import_module(sys.argv[1])
fields = ("first", "second", "third", "fourth", "fifth")
assert [getattr(module.OneError, field).__doc__.replace('"', "Q") for field in fields] == [
    "Ends with triple quotes QQQ",
    "A backslash \\ at the end \\",
    "QQQQ",
    "Q",
    "\\N{SNOWMAN} \\u12 \\x",
]
assert module.OneError.__doc__.startswith("Ends with triple quotes " + '"' * 3)
assert module.OneError(first="a").metadata["first"] == "a"
inner = module.Error__Private().fields.inners.add(text="x")
assert module.Error__Private(inner=inner).inner.text == "x"
"""


@pytest.mark.parametrize("path", ["2024/4xx.proto", "shop.errors/v1.cart-x.proto", "_x.proto", "a b.proto"])
def test_unusual_files_and_comments(tmp_path: Path, path: str) -> None:
    """The module lies where protoc puts its own, can be imported, and mypy reads it."""
    proto, out = tmp_path / "proto", tmp_path / "out"
    (proto / path).parent.mkdir(parents=True)
    (proto / "c").mkdir()
    out.mkdir()
    (proto / path).write_text(UNUSUAL)
    (proto / "c" / "d.proto").write_text('syntax = "proto3"; package c; message D { string a = 1; }')
    (proto / "c_d.proto").write_text('syntax = "proto3"; package top; message D { string b = 1; }')
    run = protoc(out, f"-I{proto}", path, "c/d.proto", "c_d.proto")
    assert run.returncode == 0, run.stderr
    module = next(out.rglob("*_errmap.py"))
    beside = module.with_name(module.name.replace("_errmap.py", "_pb2.py"))
    assert beside.exists()
    text = module.read_text()
    assert "import d_pb2 as _c_d_pb2\n" in text and "import c_d_pb2 as _c_d_pb2_\n" in text
    name = ".".join(module.relative_to(out).with_suffix("").parts)
    environment = {**os.environ, "PYTHONPATH": f"{out}{os.pathsep}{ROOT / 'polyglot/python/src'}"}
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", USE_UNUSUAL, name],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert run.returncode == 0, run.stderr


def test_declared_errors() -> None:
    """The function of a method finds what it declares, as a union that a match exhausts."""

    def told(error: BaseException | None) -> str:
        match as_cart_get_error(error):
            case StockEmptyError(sku=sku):
                return sku
            case None:
                return "other"

    received = errmap_rpc.decode_status_json(errmap_rpc.encode_status_json(StockEmptyError(sku="A1")))
    wrapped = RuntimeError("get")
    wrapped.__cause__ = received
    around = RuntimeError("in a circle")
    around.__cause__ = around
    assert [told(e) for e in (received, wrapped)] == ["A1", "A1"]
    assert [told(e) for e in (None, around, ValueError(), PaymentRequiredError())] == ["other"] * 4
