"""Reads the vectors and compares answers, as their README says."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from google.rpc.status_pb2 import Status

import errmap_rpc
from errmap_rpc.internal import jsontree
from errmap_rpc.internal.jsontree import MISSING, Node
from errmap_rpc.internal.protojson import parse as parse_message
from errmap_rpc.internal.schema import builtin_errors

DIRECTORY = Path(__file__).parents[3] / "errmap" / "errmaptest" / "testdata" / "vectors"

CATALOG = errmap_rpc.Catalog(builtin_errors())


@dataclass(frozen=True)
class Vector:
    file: str
    value: Node

    def text(self, name: str) -> str:
        return jsontree.text_of(jsontree.get(self.value, name))

    def number(self, name: str) -> int:
        return jsontree.integer(jsontree.get(self.value, name)) or 0

    def body(self, name: str) -> str:
        """JSON as it stands, or the text that a string holds."""
        member = jsontree.get(self.value, name)
        if member is MISSING:
            return ""
        return jsontree.text_of(member) if type(member) is str else jsontree.compact(member)

    def profile(self, name: str) -> errmap_rpc.Profile:
        return errmap_rpc.parse_profile(self.text(name) or self.text("profile") or "generic")

    @property
    def name(self) -> str:
        return f"{self.file}: {self.text('name')}"

    @property
    def wants_failure(self) -> bool:
        return "error" in self.value


@dataclass
class Answer:
    output: str
    http_status: int = 0
    notes: list[str] = field(default_factory=list)


def load() -> Iterator[Vector]:
    for path in sorted(DIRECTORY.glob("*.json")):
        for value in jsontree.parse(path.read_text("utf-8"))["vectors"]:
            yield Vector(path.name, value)


def run(vector: Vector, catalog: errmap_rpc.Catalog = CATALOG) -> Answer:
    error = decode(vector, catalog)
    answer = encode(error, vector.text("to"), vector.profile("to_profile"), catalog)
    answer.notes = [*error.notes, *answer.notes]
    return answer


def decode(vector: Vector, catalog: errmap_rpc.Catalog) -> errmap_rpc.Error:
    body, form, status = vector.body("input"), vector.text("from"), vector.number("http_status")
    match form:
        case "connect":
            return errmap_rpc.decode_connect(body, http_status=status, catalog=catalog)
        case "grpc":
            return errmap_rpc.decode_grpc(headers_of(body), http_status=status, catalog=catalog)
        case "status":
            return errmap_rpc.decode_status_json(body, http_status=status, catalog=catalog)
        case "http":
            return errmap_rpc.decode_http(body, http_status=status, catalog=catalog)
        case "problem":
            return errmap_rpc.decode_problem(body, http_status=status, catalog=catalog)
        case "jsonrpc":
            profile = vector.profile("from_profile")
            return errmap_rpc.decode_jsonrpc(body, profile, http_status=status, catalog=catalog)
    raise AssertionError(form)


def encode(error: errmap_rpc.Error, form: str, profile: errmap_rpc.Profile, catalog: errmap_rpc.Catalog) -> Answer:
    notes: list[str] = []
    match form:
        case "connect":
            text = errmap_rpc.encode_connect(error, catalog=catalog, on_note=notes.append)
            return Answer(text, error.code.http_status, notes)
        case "grpc":
            headers = errmap_rpc.encode_grpc(error, catalog=catalog, on_note=notes.append)
            return Answer(str(headers).removesuffix("\n"), 200, notes)
        case "status":
            return Answer(errmap_rpc.encode_status_json(error, catalog=catalog, on_note=notes.append), 0, notes)
        case "http":
            http = errmap_rpc.encode_http(error, catalog=catalog, on_note=notes.append)
            return Answer(http.body, http.status, notes)
        case "problem":
            http = errmap_rpc.encode_problem(error, catalog=catalog, on_note=notes.append)
            return Answer(http.body, http.status, notes)
        case "jsonrpc":
            rpc = errmap_rpc.encode_jsonrpc(error, profile, catalog=catalog, on_note=notes.append)
            return Answer(rpc.text, profile.http_status(rpc.number), notes)
    raise AssertionError(form)


def headers_of(text: str) -> dict[str, list[str]]:
    headers: dict[str, list[str]] = {}
    for line in text.split("\n"):
        name, colon, value = line.rstrip("\r").partition(":")
        if colon:
            headers.setdefault(name.strip().lower(), []).append(value.strip(" \t"))
    return headers


def difference(vector: Vector, answer: Answer) -> str:
    """Tell how an answer differs from what the vector wants, "" where it does not."""
    problems = []
    want, got = vector.body("output"), answer.output
    if comparable(vector.text("to"), want) != comparable(vector.text("to"), got):
        problems.append(f"got  {got}\nwant {want}")
    if vector.number("output_http_status") != answer.http_status:
        problems.append(f"HTTP status {answer.http_status}, want {vector.number('output_http_status')}")
    notes = jsontree.get(vector.value, "notes")
    if notes is not MISSING:
        if (notes is not False) != bool(answer.notes):
            problems.append(f"notes {answer.notes}, want {jsontree.compact(notes)}")
        for part in notes if type(notes) is list else ():
            if jsontree.text_of(part) not in "\n".join(answer.notes):
                problems.append(f"no note with {part} in {answer.notes}")
    return "\n".join(problems)


def comparable(form: str, text: str) -> object:
    """Return a value that is equal for outputs that say the same."""
    if form == "grpc":
        return _grpc(text)
    value = jsontree.parse(text)
    return _connect(value) if form == "connect" else plain(value)


def plain(value: Node) -> object:
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    if type(value) is list:
        return [plain(element) for element in value]
    return jsontree.text_of(value) if type(value) is str else ("token", jsontree.compact(value))


def _connect(value: Node) -> object:
    out = plain(value)
    details = out.get("details") if isinstance(out, dict) else None
    for detail in details if isinstance(details, list) else ():
        if isinstance(detail, dict) and isinstance(detail.get("value"), str):
            data = base64.b64decode(detail["value"] + "=" * (-len(detail["value"]) % 4), validate=True)
            detail["value"] = _message(str(detail.get("type")), data)
    return out


def _message(name: str, data: bytes) -> object:
    cls = CATALOG.find_message(name.rpartition("/")[2])
    message = parse_message(cls, data) if cls is not None else None
    return data if message is None else message.SerializePartialToString(deterministic=True)


def _grpc(text: str) -> object:
    out: list[object] = []
    for line in text.split("\n"):
        name, _, value = line.rstrip("\r").partition(": ")
        assert name in ("grpc-status", "grpc-message", "grpc-status-details-bin"), line
        if name != "grpc-status-details-bin":
            out.append(line)
            continue
        assert "=" not in value, "padded"
        status = Status.FromString(base64.b64decode(value + "=" * (-len(value) % 4), validate=True))
        details = [(d.type_url, _message(d.type_url, d.value)) for d in status.details]
        del status.details[:]
        out.append((status.SerializeToString(deterministic=True), details))
    return out
