"""The vectors that every implementation of errmap passes."""

from __future__ import annotations

import pytest

import errmap_rpc
import vectors
from errmap_rpc.internal import jsontree

VECTORS = list(vectors.load())


def test_there_are_many() -> None:
    assert len(VECTORS) >= 800


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: str(vector.name))
def test_vector(vector: vectors.Vector) -> None:
    check(vector)


def check(vector: vectors.Vector) -> None:
    if vector.wants_failure:
        with pytest.raises(errmap_rpc.NotAnError):
            vectors.run(vector)
        return
    assert vectors.difference(vector, vectors.run(vector)) == ""


@pytest.mark.parametrize(
    ("output", "status", "notes", "want"),
    [
        ('{"b":[1.0],"a":1}', 404, [], ""),
        ('{"a":1.0,"b":[1.0]}', 404, [], "got"),
        ('{"a":1,"b":[1]}', 404, [], "got"),
        ('{"a":1}', 404, [], "got"),
        ('{"a":1,"b":[1.0]}', 400, [], "HTTP status 400"),
        ('{"a":1,"b":[1.0]}', 404, ["x"], "notes"),
    ],
)
def test_difference(output: str, status: int, notes: list[str], want: str) -> None:
    """A comparison that finds everything equal would pass every vector."""
    text = '{"to":"http","output":{"a":1,"b":[1.0]},"output_http_status":404,"notes":false}'
    vector = vectors.Vector("made", jsontree.parse(text))
    found = vectors.difference(vector, vectors.Answer(output, status, notes))
    assert want in found and bool(want) == bool(found)
