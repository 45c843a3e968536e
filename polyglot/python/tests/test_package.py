"""The package as it is built and installed, beside PyPI's other errmap too."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Sequence
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PROJECT = HERE.parent
OTHER = Path(sys.prefix) / "other"
"""Where make has the wheel of the other project of that name."""

OURS_WORKS = """
from library.v1 import library_pb2  # which imports errmap.v1 by its path, before anything of ours
from library.v1.library_errmap import ERRORS
import errmap_rpc
from errmap.a2a.v1.errors_errmap import TaskNotFoundError
from errmap.mcp.v1 import client_errmap

error = TaskNotFoundError()
text = errmap_rpc.encode_connect(error)
assert isinstance(errmap_rpc.decode_connect(text), TaskNotFoundError), text
print(errmap_rpc.__file__)
"""

OTHER_WORKS = """
import errmap
assert errmap.ErrMap().active and errmap.__version__ == "1.0.0"
"""


def run(*command: str | Path, **environment: str) -> str:
    ran = subprocess.run(
        list(map(str, command)),
        capture_output=True,
        text=True,
        cwd=PROJECT.root,
        env={**os.environ, "PYTHONPATH": "", "PIP_DISABLE_PIP_VERSION_CHECK": "1", **environment},
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout.strip()


def pip(*arguments: str | Path) -> None:
    run(sys.executable, "-m", "pip", "--quiet", *arguments)


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is built from a copy, so that nothing built is left in the source."""
    to = tmp_path_factory.mktemp("wheel")
    source = to / "source"
    files = run("git", "-C", PROJECT, "ls-files", "--cached", "--others", "--exclude-standard").splitlines()
    for file in files:
        if (PROJECT / file).exists():
            (source / file).parent.mkdir(parents=True, exist_ok=True)
            (source / file).write_bytes((PROJECT / file).read_bytes())
    pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", to, source)
    (built,) = to.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def other() -> Path:
    found = list(OTHER.glob("errmap-*.whl"))
    if not found:
        pytest.fail(f"{OTHER} has no wheel of the other errmap: make test-python fetches it")
    return found[0]


class Environment:
    """A clean environment that has what ours depends on, and no errmap of anybody."""

    def __init__(self, path: Path) -> None:
        venv.create(path, with_pip=False, symlinks=True)
        self.python = path / "bin" / "python"
        purelib = Path(sysconfig.get_path("purelib", vars={"base": str(path)}))
        (purelib / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")

    def install(self, what: Sequence[str | Path]) -> None:
        pip("--python", self.python, "install", "--no-index", "--no-deps", "--no-build-isolation", *what)

    def uninstall(self, name: str) -> None:
        pip("--python", self.python, "uninstall", "--yes", name)

    def check(self, *, ours: bool, other: bool) -> None:
        works = [(OURS_WORKS, ours), (OTHER_WORKS, other)]
        for program in [text for text, wanted in works if wanted]:
            run(self.python, "-c", program, PYTHONPATH=str(HERE / "gen"))
        if ours and other:  # in one program, either first
            run(self.python, "-c", OURS_WORKS + OTHER_WORKS, PYTHONPATH=str(HERE / "gen"))
            run(self.python, "-c", OTHER_WORKS + OURS_WORKS, PYTHONPATH=str(HERE / "gen"))


@pytest.mark.parametrize("removed", ["errmap-rpc", "errmap"])
@pytest.mark.parametrize("order", ["ours first", "other first"])
@pytest.mark.parametrize("editable", [False, True], ids=["wheel", "editable"])
def test_finding_n01_beside_the_other_errmap(
    wheel: Path, other: Path, tmp_path: Path, order: str, editable: bool, removed: str
) -> None:
    """PyPI's errmap is another project, with a package of that name: both work."""
    environment = Environment(tmp_path / "env")
    source = wheel.parent / "source"
    ours: list[str | Path] = ["--editable", source] if editable else [wheel]
    both: list[list[str | Path]] = [ours, [other]]
    for what in both if order == "ours first" else reversed(both):
        environment.install(what)
    environment.check(ours=True, other=True)
    environment.uninstall(removed)
    environment.check(ours=removed != "errmap-rpc", other=removed != "errmap")


def test_has_no_package_of_the_others_name() -> None:
    assert not (PROJECT / "src" / "errmap" / "__init__.py").exists()
