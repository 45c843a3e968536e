"""Inputs of the vectors, random errors and broken ones made of both, in every form and
profile, against what the Go program makes of them; then its answers again, in another form,
some of them tampered with."""

from __future__ import annotations

import base64
import json
import os
import random
import re
import subprocess
from pathlib import Path

import pytest
from google.protobuf.any_pb2 import Any
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.protobuf.struct_pb2 import NullValue, Struct, Value
from google.protobuf.timestamp_pb2 import Timestamp
from google.protobuf.wrappers_pb2 import DoubleValue, FloatValue, Int64Value
from google.rpc import error_details_pb2 as rpc
from google.rpc.status_pb2 import Status

import errmap_rpc
import vectors
from errmap_rpc.internal import jsontree
from errmap_rpc.internal.jsontree import MISSING

BINARY = Path(os.environ.get("ERRMAP", Path(__file__).parents[3] / ".build" / "errmap"))
COUNT = int(os.environ.get("ERRMAP_DIFFERENCES", "2000"))
"""How many errors; make test-python takes few, and ERRMAP_DIFFERENCES=30000 has them all."""
SEED = int(os.environ.get("ERRMAP_SEED", "1"))

FORMS = ("connect", "grpc", "status", "http", "problem")
PROFILES = tuple(profile.name for profile in errmap_rpc.PROFILES)
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
    '{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"3s","retry_delay":"3s"}',
    '{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"R","reason":"S","new":1}',
    '{"a":1,"a":2,"b\\u0063":[1.50]}',
    '{"uri":"x"}',
)
VALUE = re.compile(r'"(?:[^"\\]|\\.)*"(?!\s*:)|-?\d[\d.eE+-]*|true|false|null|\{\}|\[\]')
TEXTS = (
    "",
    "x",
    "Order 1",
    "é\U0001f600",
    " a ",
    "100%\r\n",
    "a" * 900,
    '"\\',
    "TASK_NOT_FOUND",
    "instance",
    "code",
)
DOMAINS = ("a2a-protocol.org", "modelcontextprotocol.io", "store.example.com", "")
REASONS = ("TASK_NOT_FOUND", "UNSUPPORTED_OPERATION", "RESOURCE_NOT_FOUND", "HEADER_MISMATCH", "GONE", "")


class Maker:
    """Makes random errors."""

    def __init__(self, roll: random.Random) -> None:
        self.roll = roll

    def text(self) -> str:
        return self.roll.choice(TEXTS) * self.roll.choice([1, 1, 1, 1, 3])

    def message(self) -> Message:
        roll, text = self.roll, self.text
        match roll.randrange(14):
            case 0 | 1 | 2:
                keys = {roll.choice(["uri", "a", "details", text() or "k"]): text() for _ in range(roll.randrange(4))}
                return rpc.ErrorInfo(reason=roll.choice(REASONS), domain=roll.choice(DOMAINS), metadata=keys)
            case 3:
                return rpc.RetryInfo(
                    retry_delay=Duration(seconds=roll.choice([0, 1, 1 << 40]), nanos=roll.choice([0, 5]))
                )
            case 4:
                violations = [
                    rpc.BadRequest.FieldViolation(field=text(), description=text()) for _ in range(roll.randrange(9))
                ]
                return rpc.BadRequest(field_violations=violations)
            case 5:
                return rpc.DebugInfo(stack_entries=[text(), text()], detail=text())
            case 6:
                return rpc.Help(links=[rpc.Help.Link(url=text()) for _ in range(roll.randrange(5))])
            case 7:
                return rpc.LocalizedMessage(locale="en", message=text())
            case 8:
                struct = Struct()
                struct.update({"@type": "x", "n": roll.choice([1.5, -0.0, 1e300, 3]), "l": [None, True, text()]})
                return struct
            case 9:
                return roll.choice(
                    [
                        Value(number_value=float("nan")),
                        Value(null_value=NullValue.NULL_VALUE),
                        Value(),
                        Value(string_value=text()),
                    ]
                )
            case 10:
                return roll.choice([FloatValue(value=0.1), DoubleValue(value=-1e-7), Int64Value(value=1 << 60)])
            case 11:
                return Timestamp(seconds=roll.choice([0, 1 << 40, -5]), nanos=roll.choice([0, 120_000_000]))
            case 12:
                return Status(code=roll.choice([0, 5, 77]), message=text(), details=[self.any()])
            case _:
                return rpc.QuotaFailure(violations=[rpc.QuotaFailure.Violation(subject=text(), description="d")])

    def any(self) -> Any:
        roll = self.roll
        match roll.randrange(12):
            case 0:
                return Any(type_url="type.googleapis.com/acme.v9.Mystery", value=roll.randbytes(roll.randrange(40)))
            case 1:
                return Any()
            case 2:  # with a field of a later schema
                message = self.message()
                name = message.DESCRIPTOR.full_name
                return Any(
                    type_url=f"type.googleapis.com/{name}",
                    value=message.SerializeToString() + b"\xfa\x3e\x01x",
                )
            case 3:
                inner = Any(type_url="type.googleapis.com/google.protobuf.Any", value=self.any().SerializeToString())
                return inner
            case _:
                message = self.message()
                prefix = roll.choice(["type.googleapis.com", "type.googleapis.com", "types.example.com/x"])
                return Any(type_url=f"{prefix}/{message.DESCRIPTOR.full_name}", value=message.SerializeToString())

    def headers(self) -> str:
        """A Status in the headers of gRPC, which every detail in bytes fits into."""
        roll = self.roll
        code = roll.choice([*range(1, 17), 42, 2**31 - 1])
        status = Status(
            code=code,
            message=self.text(),
            details=[self.any() for _ in range(roll.choice([0, 1, 1, 2, 3, 7]))],
        )
        data = status.SerializeToString() + roll.choice([b"", b"", b"", b"\xfa\x3e\x02xy"])
        return f"grpc-status: {code}\ngrpc-status-details-bin: {base64.b64encode(data).decode()}\n"

    def element(self) -> object:
        roll = self.roll
        name = roll.choice(["google.rpc.ErrorInfo", "google.rpc.Help", "acme.v9.Mystery", "google.protobuf.Value"])
        typed = {
            "@type": f"type.googleapis.com/{name}",
            "reason": roll.choice(REASONS),
            "domain": roll.choice(DOMAINS),
        }
        more: dict[str, object] = roll.choice(
            [{}, {}, {"metadata": {"a": "b", "n": 1}}, {"n": 9007199254740993}, {"value": [1.5]}]
        )
        return roll.choice([typed | more, typed | more, {"a": [1, 2.5]}, self.text(), 7, None, [], {}, [typed]])

    def body(self, form: str) -> str:
        """An error object with members that no Status has."""
        roll = self.roll
        names = {
            "connect": roll.choice(["not_found", "unavailable", "code_42", "nope"]),
            "status": roll.choice([5, 14, 42, "NOT_FOUND"]),
            "http": roll.choice([404, 410, 418, 5, 500, "x"]),
            "problem": roll.choice(["NOT_FOUND", "x", None]),
            "jsonrpc": roll.choice([-32001, -32002, -32020, -32042, -32602, -32603, -31404, 4711, 1.5, 1e3, "-32001"]),
        }
        object_: dict[str, object] = {"code": names[form]}
        if roll.random() < 0.8:
            object_["detail" if form == "problem" else "message"] = self.text()
        elements = [self.element() for _ in range(roll.choice([0, 1, 1, 2, 4]))]
        if form == "connect":
            any_details = [self.any() for _ in elements]
            object_["details"] = [
                {"type": a.type_url.rpartition("/")[2], "value": base64.b64encode(a.value).decode()}
                | roll.choice([{}, {}, {"x": 1}])
                for a in any_details
            ]
        elif form == "jsonrpc":
            object_["data"] = roll.choice(
                [elements, elements, self.element(), {"uri": self.text()}, {"details": elements, "uri": ""}]
            )
        elif elements:
            object_["details"] = elements
        for name in roll.sample(
            [
                "trace",
                "instance",
                "Code",
                "status",
                "error",
                "title",
                "type",
                "errors",
                "reason",
                "domain",
                "metadata",
            ],
            roll.choice([0, 0, 0, 1, 2]),
        ):
            object_[name] = roll.choice([self.text(), 404, None, {"a": "b"}, [self.text()], roll.choice(REASONS)])
        text = json.dumps(object_, ensure_ascii=roll.random() < 0.5)
        return '{"error":' + text + "}" if form == "http" and roll.random() < 0.8 else text


def case(form: str, to: str, text: str, from_profile: str, to_profile: str, status: int) -> dict[str, object]:
    made: dict[str, object] = {
        "from": form,
        "to": to,
        "from_profile": from_profile,
        "to_profile": to_profile,
        "input": text,
    }
    return made | ({"http_status": status} if status else {})


def tamper(roll: random.Random, form: str, text: str) -> str:
    """Change one value of an input, or of the headers one byte."""
    found = list(VALUE.finditer(text))
    if found and form != "grpc":
        one = roll.choice(found)
        return text[: one.start()] + roll.choice(TOKENS) + text[one.end() :]
    # Inside the bytes of a message, implementations of Protobuf differ: one drops what a map
    # entry has too much, another does so with the whole entry.
    at = roll.randrange(len(text.partition("-details-bin:")[0]) + 1)
    return text[:at] + roll.choice(["", "A", "%", "=", "\n", "0"]) + text[at + 1 :]


def cases(roll: random.Random) -> list[dict[str, object]]:
    all_vectors = [v for v in vectors.load() if len(v.body("input")) < 4000]
    maker, made = Maker(roll), []
    for _ in range(COUNT):
        status, profile = roll.choice([0, 0, 404, 503]), roll.choice(PROFILES)
        match roll.randrange(3):
            case 0:
                vector = roll.choice(all_vectors)
                form, text = vector.text("from"), vector.body("input")
                if roll.random() < 0.7:
                    profile = vector.text("from_profile") or vector.text("profile") or "generic"
                status = roll.choice([vector.number("http_status"), status])
            case 1:
                form, text = "grpc", maker.headers()
            case _:
                form = roll.choice(["connect", "status", "http", "problem", "jsonrpc", "jsonrpc"])
                text = maker.body(form)
        if roll.random() < 0.3:
            text = tamper(roll, form, text)
        made.append(case(form, *_to(roll, text, profile), status))
    return made


def _to(roll: random.Random, text: str, profile: str) -> tuple[str, str, str, str]:
    to, to_profile = roll.choice(TARGETS)
    return to, text, profile, to_profile


def convert(made: list[dict[str, object]]) -> list[jsontree.Node]:
    """Return what the Go program makes of each."""
    lines = "".join(json.dumps(each, ensure_ascii=True) + "\n" for each in made)
    command = [str(BINARY), "convert", "--lines"]
    run = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    answers = [jsontree.parse(line) for line in run.stdout.splitlines()]
    assert len(answers) == len(made)
    return answers


def again(roll: random.Random, made: list[dict[str, object]], answers: list[jsontree.Node]) -> list[dict[str, object]]:
    """Return the answers as inputs, half of them tampered with."""
    out = []
    for each, answer in zip(made, answers, strict=True):
        output = jsontree.get(answer, "output")
        if output is MISSING:
            continue
        form, profile = str(each["to"]), str(each["to_profile"])
        text = jsontree.text_of(output) if type(output) is str else jsontree.compact(output)
        if roll.random() < 0.5:
            text = tamper(roll, form, text)
        out.append(case(form, *_to(roll, text, profile), jsontree.integer(jsontree.get(answer, "http_status")) or 0))
    return out


@pytest.mark.skipif(not BINARY.exists(), reason=f"{BINARY} is not built")
def test_python_makes_of_errors_what_go_makes_of_them() -> None:
    roll = random.Random(SEED)
    made = cases(roll)
    wrong: list[str] = []
    total = 0
    for _ in range(3):
        answers = convert(made)
        total += len(made)
        for each, answer in zip(made, answers, strict=True):
            problem = difference(each, answer)
            if problem:
                wrong.append(f"{json.dumps(each, ensure_ascii=False)}\n{problem}")
        made = again(roll, made, answers)
    assert not wrong, f"{len(wrong)} of {total} differ:\n" + "\n\n".join(wrong[:8])
    assert total > 2 * COUNT


def difference(each: dict[str, object], want: jsontree.Node) -> str:
    vector = vectors.Vector("made", jsontree.parse(json.dumps(each, ensure_ascii=True)))
    refused = "error" in want
    try:
        got = vectors.run(vector)
    except errmap_rpc.NotAnError as why:
        return "" if refused else f"refused: {why}, want {jsontree.compact(want)}"
    if refused:
        return f"got {got.output}, want a failure: {jsontree.compact(want)}"
    wanted = {
        **vector.value,
        "output": want["output"],
        "output_http_status": want.get("http_status", jsontree.Number("0")),
    }
    problem = vectors.difference(vectors.Vector("made", wanted), got)
    if not problem and ("notes" in want) != bool(got.notes):
        problem = f"notes {got.notes}, want {jsontree.compact(want.get('notes'))}"
    return problem
