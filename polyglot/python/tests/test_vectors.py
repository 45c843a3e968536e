"""The vectors that every implementation of errmap passes."""

from __future__ import annotations

import pytest

import errmap_rpc
import vectors

VECTORS = list(vectors.load())


def test_there_are_many() -> None:
    assert len(VECTORS) >= 300


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: str(vector.name))
def test_vector(vector: vectors.Vector) -> None:
    if not vector.differs:
        check(vector)
        return
    try:
        check(vector)
    except (AssertionError, ValueError, errmap_rpc.NotAnError):
        return
    pytest.fail("it is answered as wanted: take it out of differs.json")


def check(vector: vectors.Vector) -> None:
    if vector.wants_failure:
        with pytest.raises(errmap_rpc.NotAnError):
            vectors.run(vector)
        return
    assert vectors.difference(vector, vectors.run(vector)) == ""


def test_what_is_listed_as_one_that_differs_is_a_vector() -> None:
    there = {(vector.file, vector.text("name")) for vector in VECTORS}
    listed = [(file, name) for file, names in vectors.DIFFERS["vectors"].items() for name in names]
    assert len(listed) == len(set(listed)) and there.issuperset(listed)


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
    from errmap_rpc import _json

    vector = vectors.Vector("made", _json.parse(text))
    found = vectors.difference(vector, vectors.Answer(output, status, notes))
    assert want in found and bool(want) == bool(found)
