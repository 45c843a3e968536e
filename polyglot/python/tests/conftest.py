"""The Go server that the tests of clients run against."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
BINARY = Path(os.environ.get("ERRMAP_TESTSERVER", ROOT / ".build" / "testserver"))


def serve(*arguments: str) -> Iterator[str]:
    """Run the server, and yield its URL; it ends when its standard input does."""
    if not BINARY.exists():
        pytest.fail(f"{BINARY} is not there: build it with make test-python")
    with subprocess.Popen([BINARY, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.stdin.close()
            process.wait(10)


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    yield from serve()
