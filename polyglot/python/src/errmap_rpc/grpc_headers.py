"""Errors in gRPC headers (section 5 of the wire contract)."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Unpack

from ._budget import fit
from ._carried import Shape, restore
from ._decode import DecodeOptions, NotAnError
from ._protojson import ProtoJSONError
from ._scalar import decode_base64
from ._settle import EncodeOptions, readable
from ._text import decode_utf8, quote, repair
from .code import Code, code_from_connect_http
from .error import Draft, Error
from .generated import specialize
from .options import DecodeArguments, EncodeArguments, decode_options, encode_options
from .received import Received, Wire
from .status import RawStatus, encode_status, parse_status

__all__ = ["GRPCHeaders", "from_grpc_headers", "to_grpc_headers"]

STATUS = "grpc-status"
MESSAGE = "grpc-message"
DETAILS = "grpc-status-details-bin"


@dataclass(frozen=True, slots=True)
class GRPCHeaders:
    """The values of the headers, or trailers, that hold an error in gRPC and gRPC-Web,
    as they stand on the wire. An empty value is a header that is not sent."""

    status: str = ""
    message: str = ""
    """Percent-encoded."""
    details_bin: str = ""
    """Unpadded base64 of google.rpc.Status."""

    def items(self) -> list[tuple[str, str]]:
        """Return the headers that are sent."""
        pairs = [(STATUS, self.status), (MESSAGE, self.message), (DETAILS, self.details_bin)]
        return [(name, value) for name, value in pairs if value]

    def __str__(self) -> str:
        return "".join(f"{name}: {value}\n" for name, value in self.items())

    @property
    def size(self) -> int:
        """What counts against the budget: names and values."""
        return sum(len(name) + len(value) for name, value in self.items())


def to_grpc_headers(error: Error, **arguments: Unpack[EncodeArguments]) -> GRPCHeaders:
    """Return the headers of an error. They stay within the budget: the wire contract
    says what goes first where they would not, and on_note what went."""
    options = encode_options(arguments)
    error = readable(error, options.catalog)
    return fit(error, options, encode_grpc, lambda headers: headers.size)


def from_grpc_headers(
    headers: Mapping[str, str | Sequence[str]], **arguments: Unpack[DecodeArguments]
) -> Error:
    """Read an error from headers or trailers, whose names may be of any case. Without a
    grpc-status the error is what http_status says. Raises NotAnError for a status of
    0."""
    options = decode_options(arguments)
    statuses = _values(headers, STATUS)
    messages, details = _values(headers, MESSAGE), _values(headers, DETAILS)
    if not statuses:
        said = str(GRPCHeaders("", "".join(messages[:1]), "".join(details[:1])))
        body = said.encode(errors="replace")
        foreign = options.foreign(Wire.GRPC, body, code_from_connect_http, "no grpc-status")
        return specialize(foreign, options.errors)
    number, counts = _grpc_status(statuses)
    message = decode_utf8(percent_decode(messages[0])) if messages else ""
    dropped = _others(STATUS, statuses, counts) + _others(MESSAGE, messages, "".join(messages[:1]))
    text = counts if number is None else None
    code = int(Code.UNKNOWN) if number is None else number
    error = decode_grpc(code, text, message, details, options, dropped)
    return specialize(error, options.errors)


def decode_grpc(
    number: int,
    text: str | None,
    message: str,
    details: Sequence[str | bytes],
    options: DecodeOptions,
    dropped: Sequence[str] = (),
) -> Error:
    """Read an error whose status was read as a number, or kept as text; dropped says what
    of its headers does not count."""
    error = Draft()
    error.number, error.message = number, repair(message)
    if error.number == 0:
        raise NotAnError("the code is OK, which is no error")
    if text is not None:
        error.notes.add(f"grpc-status {quote(text)} is no number: UNKNOWN")
        error.set_received(Received(Wire.GRPC, code_text=text))
    for what in dropped:
        error.notes.add(what)
    _read_details(error, details, options)
    restore(options.types, error, Shape.BINARY)
    return options.finish(error)


def _read_details(error: Draft, values: Sequence[str | bytes], options: DecodeOptions) -> None:
    """Add what grpc-status-details-bin says to what the other two headers said, which
    decide."""
    if not values:
        return
    value = values[0]
    for other in values:
        if other != value:
            shown = other if isinstance(other, str) else base64.b64encode(other).decode()
            error.notes.add(
                f"{DETAILS}: {quote(shown, 128)} stands beside the value that counts, and is dropped"
            )
    if len(value) > options.limits.body:
        error.notes.add(f"{DETAILS} dropped: larger than the limit")
        return
    try:
        data = decode_base64(value) if isinstance(value, str) else value
    except ProtoJSONError:
        error.notes.add(f"{DETAILS} dropped: it is not base64")
        return
    try:
        status = parse_status(data, options.limits.details)
    except ValueError as why:
        error.notes.add(f"{DETAILS} dropped: {why}")
        return
    for note in status.notes:
        error.notes.add(note)
    if status.code != error.number:
        error.notes.add(f"{DETAILS} says code {status.code}: the header's {error.number} stands")
        if not status.strict:
            error.notes.add(f"{DETAILS}: details dropped, since its code is another and it is malformed")
            status.details, status.unknown = [], b""
        if error.message and status.message and error.message != status.message:
            error.notes.add(
                f"{DETAILS} says message {quote(status.message, 128)}: that of grpc-message stands"
            )
        error.message = error.message or status.message
    elif status.message:
        if error.message and error.message != status.message:
            error.notes.add(
                f"grpc-message {quote(error.message, 128)} is not the message of {DETAILS}, which stands"
            )
        error.message = status.message
    error.details.extend(status.details)
    if status.unknown:
        received = error.received_on(Wire.GRPC)
        error.set_received(replace(received, unknown_fields=status.unknown))


def encode_grpc(error: Error, options: EncodeOptions) -> GRPCHeaders:
    """Return the headers whatever their size."""
    return headers_of(encode_status(error, options, Wire.GRPC))


def headers_of(status: RawStatus) -> GRPCHeaders:
    details = ""
    if status.details or status.unknown:
        details = base64.b64encode(status.serialize()).decode().rstrip("=")
    return GRPCHeaders(str(status.code), percent_encode(status.message), details)


def _grpc_status(values: Sequence[str]) -> tuple[int | None, str]:
    """Read the values of grpc-status and return that which counts: any that is not zero
    wins. The number is None of one that is none, where no other says more."""
    unreadable = None
    for value in values:
        number = int(value) if value.isascii() and value.isdigit() and len(value) < 4300 else -1
        if 0 < number < 2**31:
            return number, value
        if number != 0 and unreadable is None:
            unreadable = repair(value)
    return (0, values[0]) if unreadable is None else (None, unreadable)


def _others(name: str, values: Sequence[str], counts: str) -> list[str]:
    """Tell of the values of a header that says several things."""
    return [
        f"{name}: {quote(value, 128)} stands beside the value that counts, and is dropped"
        for value in values
        if repair(value) != repair(counts)
    ]


def _values(headers: Mapping[str, str | Sequence[str]], name: str) -> list[str]:
    keys = sorted(key for key in headers if key.lower() == name)
    found: list[str] = []
    for key in keys:
        value = headers[key]
        found.extend([value] if isinstance(value, str) else value)
    return found


_ESCAPED = re.compile(r"[^ -~]|%|\A | \Z")


def percent_encode(text: str) -> str:
    """Encode a grpc-message: bytes outside 0x20 to 0x7E, the percent sign, and a space
    at either end, which HTTP would trim."""
    return _ESCAPED.sub(lambda match: f"%{ord(match.group()):02X}", text.encode().decode("latin-1"))


def percent_decode(text: str) -> bytes:
    """Decode a grpc-message; an invalid escape is text."""
    data = re.sub("[\ud800-\udc7f\udd00-\udfff]", "\ufffd", text).encode("utf-8", "surrogateescape")
    out, at = bytearray(), 0
    while at < len(data):
        digits = data[at + 1 : at + 3]
        if data[at] == 0x25 and len(digits) == 2 and all(d in b"0123456789abcdefABCDEF" for d in digits):
            out.append(int(digits, 16))
            at += 3
        else:
            out.append(data[at])
            at += 1
    return bytes(out)
