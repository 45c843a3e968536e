"""google.rpc.Status, as a message, as its bytes and as ProtoJSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Unpack

from google.protobuf.any_pb2 import Any
from google.rpc.status_pb2 import Status

from . import _json, _number
from ._carried import Item, Shape, plain_items, restore
from ._decode import DecodeOptions, NotAnError, keep, take_text
from ._render import parse_element
from ._settle import Candidate, EncodeOptions, Form, readable, settle
from ._text import decode_utf8, quote, repair
from ._write import details_member
from .code import Code, code_from_http
from .detail import RawDetail
from .error import Draft, Error, received_on
from .generated import specialize
from .options import DecodeArguments, EncodeArguments, decode_options, encode_options
from .received import Received, Wire

__all__ = ["from_status", "from_status_json", "to_status", "to_status_json"]


@dataclass(slots=True)
class RawStatus:
    """A google.rpc.Status with its unknown fields as they stood."""

    code: int
    message: str
    details: list[RawDetail]
    unknown: bytes = b""
    strict: bool = True
    """False where a field has a wrong wire type or a type URL has no slash."""
    notes: list[str] = field(default_factory=list)
    """What is to be told of how it was read."""

    def serialize(self) -> bytes:
        status = Status(code=self.code, message=self.message)
        status.details.extend(Any(type_url=d.type_url, value=d.value) for d in self.details)
        return status.SerializeToString(deterministic=True) + self.unknown


def to_status(error: Error, **arguments: Unpack[EncodeArguments]) -> Status:
    """Return an error as a google.rpc.Status. Details that are JSON ride along in an
    errmap.v1.Carried."""
    options = encode_options(arguments)
    raw = encode_status(readable(error, options.catalog), options, Wire.STATUS)
    return Status.FromString(raw.serialize())


def from_status(status: Status, **arguments: Unpack[DecodeArguments]) -> Error:
    """Read a google.rpc.Status. Raises NotAnError where its code is OK."""
    if status.code == 0:
        raise NotAnError("the code is OK, which is no error")
    options = decode_options(arguments)
    raw = parse_status(status.SerializeToString(), options.limits.details)
    return specialize(read_status(raw, options, Wire.STATUS), options.errors)


def to_status_json(error: Error, **arguments: Unpack[EncodeArguments]) -> str:
    """Return an error as the ProtoJSON of a google.rpc.Status."""
    options = encode_options(arguments)
    error = readable(error, options.catalog)

    def write(_c: Candidate, items: list[Item], _m: bool, carried: RawDetail | None) -> str:
        parts = [f'"code":{error.number}']
        if error.message:
            parts.append('"message":' + _json.quote(error.message))
        return "{" + ",".join(parts + details_member(options.catalog, items, carried)) + "}"

    nothing = Received(Wire.STATUS)
    return settle(
        error,
        options,
        Form(
            wire=Wire.STATUS,
            candidates=[Candidate(nothing, nothing)],
            items=lambda _: plain_items(options.catalog, error, Shape.OBJECTS),
            write=write,
            read=decode_status_json,
            writes_number=True,
        ),
    )


def from_status_json(body: bytes | str, **arguments: Unpack[DecodeArguments]) -> Error:
    """Read the ProtoJSON of a google.rpc.Status. Raises NotAnError where the code is
    0 or missing, and FormError for a body of another kind."""
    options = decode_options(arguments)
    return specialize(decode_status_json(body, options), options.errors)


def encode_status(
    error: Error, options: EncodeOptions, wire: Wire, *, writes_private: bool = True
) -> RawStatus:
    said = Received(wire, unknown_fields=received_on(error, wire).unknown_fields)
    shown = writes_private and (wire == Wire.STATUS or error.number > 0)

    def write(_c: Candidate, items: list[Item], _m: bool, carried: RawDetail | None) -> RawStatus:
        details = [item.raw for item in items if item.plain]
        if carried is not None:
            details.append(carried)
        number = error.number if shown else int(error.code)
        return RawStatus(number, error.message, details, said.unknown_fields)

    return settle(
        error,
        options,
        Form(
            wire=wire,
            candidates=[Candidate(said, Received(wire))],
            items=lambda _: plain_items(options.catalog, error, Shape.BINARY),
            write=write,
            read=lambda status, decode: read_status(status, decode, wire),
            writes_number=shown,
        ),
    )


def read_status(status: RawStatus, options: DecodeOptions, wire: Wire) -> Error:
    error = Draft()
    error.number, error.message = status.code, repair(status.message)
    for note in status.notes:
        error.notes.add(note)
    error.details = list(status.details)
    error.set_received(Received(wire, unknown_fields=status.unknown))
    restore(options.types, error, Shape.BINARY)
    return options.finish(error)


def decode_status_json(body: bytes | str, options: DecodeOptions) -> Error:
    try:
        value = options.parse(body)
    except _json.JSONError as why:
        return options.foreign(Wire.STATUS, body, code_from_http, str(why))
    if value.members is None:
        return options.foreign(Wire.STATUS, body, code_from_http, "not a JSON object")
    error = Draft()
    ours, rest = _json.take(value.members, error.notes, "code", "message", "details")
    if not ours and value.members:
        return options.foreign(Wire.STATUS, body, code_from_http, "no code, message or details")
    number = _status_code(ours.get("code"))
    if number is None:
        error.notes.add("code is no number: UNKNOWN")
        _json.add_member(rest, _json.member_of("code", ours["code"]), error.notes)
    error.number = int(Code.UNKNOWN) if number is None else number
    if error.number == 0:
        raise NotAnError("the code is OK, which is no error")
    error.message = take_text(error, Wire.STATUS, ours, "message")
    for element in options.elements(error, Wire.STATUS, ours, "details"):
        error.details.append(parse_element(options.types, element))
    keep(error, Wire.STATUS, rest)
    restore(options.types, error, Shape.OBJECTS)
    return options.finish(error)


def _status_code(value: _json.Value | None) -> int | None:
    """Read the code of a Status: a number, the text of one, or the name of a code.
    None for anything else."""
    if value is None or value.is_null:
        return 0
    token = value.string()
    if token is not None and token in Code.__members__:
        return int(Code[token])
    token = value.text if token is None else token
    number = _number.integer_token(token) if _number.is_number_token(token) else None
    return number if number is not None and -(2**31) <= number < 2**31 else None


def parse_status(data: bytes, most: int) -> RawStatus:
    """Read the bytes of a google.rpc.Status field by field, so that text that is not
    UTF-8 costs no detail. Details after so many are not kept. Of a field that stands
    twice the last counts, as everywhere in Protobuf. Raises ValueError for what is
    none."""
    status, count = RawStatus(0, "", []), 0
    for number, kind, content, raw in fields_of(data):
        if number == 1 and kind == 0 and isinstance(content, int):
            code = ((content & 0xFFFFFFFF) ^ 0x80000000) - 0x80000000
            if status.code and status.code != code:
                status.notes.append(
                    f"a google.rpc.Status says code {status.code} and then {code}, which counts"
                )
            status.code = code
        elif number == 2 and isinstance(content, bytes):
            message = decode_utf8(content)
            if status.message and status.message != message:
                said = quote(status.message, 128)
                status.notes.append(
                    f"a google.rpc.Status says message {said} and then another one, which counts"
                )
            status.message = message
        elif number == 3 and isinstance(content, bytes):
            detail = _parse_any(content, count, status.notes)
            status.strict = status.strict and "/" in detail.type_url
            count += 1
            if len(status.details) <= most:
                status.details.append(detail)
        else:
            status.strict = status.strict and number > 3
            status.unknown += raw
    if count > len(status.details):
        kept = len(status.details)
        status.notes.append(f"{count - kept} details after the first {kept} dropped")
    return status


def _parse_any(data: bytes, place: int, notes: list[str]) -> RawDetail:
    type_url, value, is_any = "", b"", True
    try:
        fields = fields_of(data)
    except ValueError:
        raise ValueError(f"not a google.rpc.Status: detail {place} is malformed") from None
    for number, _, content, _ in fields:
        if number == 1 and isinstance(content, bytes):
            text = decode_utf8(content)
            if type_url and type_url != text:
                notes.append(
                    f"detail {place} says type {quote(type_url, 128)} and then another one, which counts"
                )
            type_url = text
        elif number == 2 and isinstance(content, bytes):
            if value and value != content:
                notes.append(f"detail {place} says two values: the last counts")
            value = content
        else:
            is_any = False
    if not is_any:
        notes.append(f"detail {place}: fields that google.protobuf.Any does not have dropped")
    return RawDetail(type_url, value)


def fields_of(data: bytes) -> list[tuple[int, int, int | bytes, bytes]]:
    """Return the fields of a message: number, wire type, content and the whole field.
    Raises ValueError for what is no message."""
    fields: list[tuple[int, int, int | bytes, bytes]] = []
    at = 0
    while at < len(data):
        start = at
        tag, at = _varint(data, at)
        number, kind = tag >> 3, tag & 7
        content: int | bytes
        if number == 0 or number >= 1 << 29:
            raise ValueError("not a google.rpc.Status: a field without a number")
        if kind == 0:
            content, at = _varint(data, at)
        elif kind == 2:
            size, at = _varint(data, at)
            content, at = data[at : at + size], at + size
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
            content, at = 0, at + size
        elif kind == 3:
            content, at = 0, _group_end(data, at, number)
        else:
            raise ValueError("not a google.rpc.Status: a wrong wire type")
        if at > len(data):
            raise ValueError("not a google.rpc.Status: it ends too early")
        fields.append((number, kind, content, data[start:at]))
    return fields


def _group_end(data: bytes, at: int, group: int) -> int:
    """Return where a group ends that began before."""
    open_groups = [group]
    while open_groups:
        tag, at = _varint(data, at)
        number, kind = tag >> 3, tag & 7
        if kind == 0:
            _, at = _varint(data, at)
        elif kind == 2:
            size, at = _varint(data, at)
            at += size
        elif kind in (1, 5):
            at += 8 if kind == 1 else 4
        elif kind == 3:
            open_groups.append(number)
        elif kind == 4 and open_groups[-1] == number:
            open_groups.pop()
        else:
            raise ValueError("not a google.rpc.Status: a malformed group")
    return at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    number = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            raise ValueError("not a google.rpc.Status: it ends too early")
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number & (2**64 - 1), at
    raise ValueError("not a google.rpc.Status: a number without end")
