"""The Go server that the tests of clients run against."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
AGENT = Path(os.environ.get("ERRMAP", ROOT / ".build" / "errmap"))
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


@pytest.fixture(scope="session")
def agent() -> Iterator[str]:
    """The example agent of errmap serve, which is an A2A server."""
    if not AGENT.exists():
        pytest.fail(f"{AGENT} is not there: build it with make test-python")
    command = [str(AGENT), "serve", "--listen", "127.0.0.1:0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        try:
            yield next(word for word in line.split() if word.startswith("http://"))
        finally:
            process.terminate()
            process.wait(10)
