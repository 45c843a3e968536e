"""google.rpc.Status, as a message and as its bytes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from google.protobuf.any_pb2 import Any
from google.protobuf.message import DecodeError
from google.protobuf.unknown_fields import UnknownFieldSet
from google.rpc.status_pb2 import Status

from .. import hub
from ..code import Code, target
from ..hub import Detail, Notes, Received, Wire
from ..jsontree import clean, decode_utf8
from ..protobytes import fields_of
from .carried import Shape, Writing
from .decode import Reading
from .options import Decoding, Encoding, NotAnError
from .restore import restore
from .write import binary_details, with_carried

OK = "the code is OK, which is no error"


class RawStatus:
    """A google.rpc.Status with its unknown fields as they stood."""

    __slots__ = ("_strict", "code", "details", "message", "unknown")

    def __init__(
        self, code: int, message: str, details: list[Detail], unknown: bytes = b"", strict: bool = True
    ) -> None:
        self.code = code
        self.message = message
        self.details = details
        self.unknown = unknown
        self._strict = strict

    @property
    def strict(self) -> bool:
        """False where a field has a wrong wire type or a type URL has no slash."""
        return self._strict and all("/" in detail.type_url for detail in self.details)

    def serialize(self) -> bytes:
        status = Status(
            code=self.code,
            message=self.message,
            details=[Any(type_url=d.type_url, value=d.value) for d in self.details],
        )
        return status.SerializeToString() + self.unknown


def plain_status(error: hub.Error, options: Encoding, wire: Wire) -> RawStatus:
    """Return what a Status says of an error on a wire."""
    w = Writing(error, options, Shape.BINARY)
    unknown = b""
    if error.received or not hub.canonical(error.number):
        unknown = error.on(wire).unknown_fields
        w.receive(wire == Wire.STATUS or error.number > 0, _without_unknown(wire))
    number = error.number
    if wire == Wire.GRPC and number < 0:
        number = int(Code.UNKNOWN)
    return RawStatus(number, error.message, with_carried(w, binary_details(w), wire), unknown)


def _without_unknown(wire: Wire) -> Callable[[Received], Received]:
    def rest(r: Received) -> Received:
        return replace(r, unknown_fields=b"") if r.wire == wire and r.unknown_fields else r

    return rest


def status_on(error: hub.Error, options: Encoding, wire: Wire) -> RawStatus:
    """Return the Status of which a library makes what the encoder of a wire would have
    written. It has no unknown fields, for which libraries have no place: they ride."""
    w = Writing(error, options, Shape.BINARY)
    w.receive(wire == Wire.STATUS or (wire == Wire.GRPC and error.number > 0))
    number = error.number
    if wire == Wire.CONNECT or (number < 0 and wire == Wire.GRPC):
        number = target(number)
    return RawStatus(number, error.message, with_carried(w, binary_details(w), wire))


def read_raw_status(raw: RawStatus, options: Decoding, wire: Wire, notes: Notes) -> hub.Error:
    if raw.code == 0:
        raise NotAnError(OK)
    r = Reading(options)
    error = r.error
    error.number, error.message, error.details = raw.code, clean(raw.message), raw.details
    error.notes += notes
    if raw.unknown:
        error.set_received(Received(wire, unknown_fields=raw.unknown))
    restore(r, Shape.BINARY)
    return r.finish()


def parse_status(data: bytes, most: int, notes: Notes) -> RawStatus:
    """Read the bytes of a google.rpc.Status. Details after so many are not kept. Of a field
    that stands twice the last counts, as everywhere in Protobuf. Raises ValueError for what
    is none."""
    found = _parse_usual(data, most)
    return found if found is not None else _parse_fields(data, most, notes)


def _parse_usual(data: bytes, most: int) -> RawStatus | None:
    """Read bytes of which protobuf sees all, as it does of nearly all; None for others.
    Whatever else they held, or held twice, would make them longer than what is seen."""
    try:
        status = Status.FromString(data)
    except (DecodeError, ValueError):
        return None
    listed = status.details
    if status.ByteSize() != len(data) or len(UnknownFieldSet(status)) or len(listed) > most:
        return None
    details = []
    for each in listed:
        if len(UnknownFieldSet(each)):
            return None
        details.append(Detail(each.type_url, each.value))
    return RawStatus(status.code, status.message, details)


def _parse_fields(data: bytes, most: int, notes: Notes) -> RawStatus:
    """Read field by field, so that text that is not UTF-8 costs no detail."""
    status, count = RawStatus(0, "", []), 0
    unknown: list[bytes] = []
    slashes = True
    for number, kind, content, raw in fields_of(data):
        if number == 1 and kind == 0 and isinstance(content, int):
            code = ((content & 0xFFFFFFFF) ^ 0x80000000) - 0x80000000
            if status.code and status.code != code:
                notes.add(f"a google.rpc.Status says code {status.code} and then {code}, which counts")
            status.code = code
        elif number == 2 and isinstance(content, bytes) and kind == 2:
            message = decode_utf8(content)
            if status.message and status.message != message:
                said = hub.quoted(status.message, 128)
                notes.add(f"a google.rpc.Status says message {said} and then another one, which counts")
            status.message = message
        elif number == 3 and isinstance(content, bytes) and kind == 2:
            detail = _parse_any(content, count, notes)
            slashes = slashes and "/" in detail.type_url
            count += 1
            if count - 1 <= most:
                status.details.append(detail)
        else:
            slashes = slashes and number > 3
            unknown.append(raw)
    status.unknown, status._strict = b"".join(unknown), slashes
    if count > len(status.details):
        notes.add(f"{count - len(status.details)} details after the first {len(status.details)} dropped")
    return status


def _parse_any(data: bytes, place: int, notes: Notes) -> Detail:
    type_url, value, more = "", b"", False
    for number, kind, content, _ in fields_of(data):
        if number == 1 and kind == 2 and isinstance(content, bytes):
            text = decode_utf8(content)
            if type_url and type_url != text:
                said = hub.quoted(type_url, 128)
                notes.add(f"detail {place} says type {said} and then another one, which counts")
            type_url = text
        elif number == 2 and kind == 2 and isinstance(content, bytes):
            if value and value != content:
                notes.add(f"detail {place} says two values: the last counts")
            value = content
        else:
            more = True
    if more:
        notes.add(f"detail {place}: fields that google.protobuf.Any does not have dropped")
    return Detail(type_url, value)
