"""Every input of the vectors, and broken ones made of them, in every form, against what
the Go program makes of it."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
from pathlib import Path

import pytest

import errmap_rpc
import vectors
from errmap_rpc import _json

BINARY = Path(os.environ.get("ERRMAP", Path(__file__).parents[3] / ".build" / "errmap"))
COUNT = int(os.environ.get("ERRMAP_DIFFERENCES", "2000"))
SEED = int(os.environ.get("ERRMAP_SEED", "1"))

FORMS = ("connect", "grpc", "status", "http", "problem")
PROFILES = ("generic", "a2a", "mcp")
TARGETS = [(form, "generic") for form in FORMS] + [("jsonrpc", profile) for profile in PROFILES]

TOKENS = (
    "null",
    "0",
    "1.0",
    "-0.0",
    "-32001",
    "9007199254740993",
    "1e400",
    '""',
    '"x"',
    "[]",
    "{}",
    "true",
    '"\\ud800"',
    '"\\u0041é\U0001f600"',
    '{"@type":"a"}',
    '{"@type":"type.googleapis.com/google.protobuf.Empty"}',
    '{"@type":"type.googleapis.com/google.protobuf.Duration","value":"1.50s"}',
    '{"@type":"type.googleapis.com/google.protobuf.Struct","value":{"b":1e2,"a":[null,-1.5]}}',
)
VALUE = re.compile(r'"(?:[^"\\]|\\.)*"(?!\s*:)|-?\d[\d.eE+-]*|true|false|null|\{\}|\[\]')


def cases() -> list[tuple[str, vectors.Vector]]:
    """Cross inputs with forms, and break some inputs."""
    roll = random.Random(SEED)  # noqa: S311: a failure is to come again
    all_vectors = [v for v in vectors.load() if len(v.body("input")) < 4000]
    out = []
    for i in range(COUNT):
        vector = roll.choice(all_vectors)
        form, text = vector.text("from"), vector.body("input")
        if roll.random() < 0.5:
            found = list(VALUE.finditer(text))
            if found and form != "grpc":
                one = roll.choice(found)
                text = text[: one.start()] + roll.choice(TOKENS) + text[one.end() :]
            else:
                # Inside the bytes of a message, implementations of Protobuf differ: one drops
                # what a map entry has too much, another does so with the whole entry.
                at = roll.randrange(len(text.partition("-details-bin:")[0]) + 1)
                text = text[:at] + roll.choice(["", "A", "%", "=", "\n", "0"]) + text[at + 1 :]
        profile = vector.text("from_profile") or vector.text("profile") or "generic"
        if roll.random() < 0.3:
            profile = roll.choice(PROFILES)
        to, to_profile = roll.choice(TARGETS)
        status = roll.choice([0, vector.number("http_status"), vector.number("http_status"), 404, 503])
        case = {
            "from": form,
            "to": to,
            "from_profile": profile,
            "to_profile": to_profile,
            "input": text,
        } | ({"http_status": status} if status else {})
        made = _json.parse(json.dumps(case | {"name": f"{i} {vector.name}"}, ensure_ascii=True))
        out.append((json.dumps(case, ensure_ascii=True), vectors.Vector("made", made)))
    return out


@pytest.mark.skipif(not BINARY.exists(), reason=f"{BINARY} is not built")
def test_python_makes_of_errors_what_go_makes_of_them() -> None:
    made = cases()
    lines = "".join(line + "\n" for line, _ in made)
    command = [str(BINARY), "convert", "--lines"]
    run = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    answers = run.stdout.splitlines()
    assert len(answers) == len(made)
    wrong = []
    for (line, vector), answer in zip(made, answers, strict=True):
        problem = difference(vector, _json.parse(answer))
        if problem:
            wrong.append(f"{line}\n{problem}")
    allowed = vectors.DIFFERS.get("differential", 0) * len(made) / 2000
    text = f"{len(wrong)} of {len(made)} differ, and {allowed} may:\n" + "\n\n".join(wrong[:8])
    assert len(wrong) <= allowed, text
    assert wrong or not allowed, "none differs: take differential out of differs.json"


def difference(vector: vectors.Vector, want: _json.Value) -> str:
    refused = want.member("error") is not None
    try:
        got = vectors.run(vector)
    except errmap_rpc.NotAnError as why:
        return "" if refused else f"refused: {why}, want {want.text}"
    except ValueError as why:  # a profile that this package does not have yet
        return f"failed: {why}, want {want.text}"
    if refused:
        return f"got {got.output}, want a failure: {want.text}"
    output, status = want.member("output"), want.member("http_status")
    assert output is not None
    members = [
        *(vector.value.members or ()),
        _json.member_of("output", output),
        _json.member_of("output_http_status", status or _json.integer_of(0)),
    ]
    wanted = vectors.Vector("made", _json.object_of(members))
    problem = vectors.difference(wanted, got)
    notes = want.member("notes")
    if not problem and (notes is not None) != bool(got.notes):
        problem = f"notes {got.notes}, want {notes.text if notes else 'none'}"
    return problem
