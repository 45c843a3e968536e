"""The headers that hold an error in gRPC and gRPC-Web."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import replace

from .. import hub
from ..code import Code, code_from_connect_http
from ..hub import Received, Wire
from ..jsontree import clean
from ..protojson import decode_base64
from .budget import fit
from .carried import Shape
from .decode import Reading
from .options import Decoding, Encoding, NotAnError
from .percent import percent_decode, percent_encode
from .restore import restore
from .status import OK, parse_status, plain_status

STATUS = "grpc-status"
MESSAGE = "grpc-message"
DETAILS = "grpc-status-details-bin"


def write_grpc(error: hub.Error, options: Encoding) -> tuple[str, str, str]:
    """Return the values of the three headers, within the budget; "" for one that is not
    sent."""
    error = fit(error, options, Wire.GRPC)
    status = plain_status(error, options, Wire.GRPC)
    details = ""
    if status.details or status.unknown:
        details = base64.b64encode(status.serialize()).decode().rstrip("=")
    return str(status.code), percent_encode(status.message), details


def read_grpc(headers: Mapping[str, str | Sequence[str]], options: Decoding) -> hub.Error:
    """Read an error from headers or trailers, whose names may be of any case."""
    r = Reading(options)
    status, messages, joined = _values(headers, STATUS), _values(headers, MESSAGE), _values(headers, DETAILS)
    details = split_binary(joined)
    if not status:
        said = "".join(
            f"{name}: {values[0]}\n"
            for name, values in ((MESSAGE, messages), (DETAILS, details))
            if values and values[0]
        )
        return r.foreign(Wire.GRPC, said, code_from_connect_http, "no grpc-status")
    number, text, is_number = grpc_status(status)
    if number == 0:
        raise NotAnError(OK)
    r.error.number = number
    if not is_number:
        r.note(f"grpc-status {hub.quoted(text)} is no number: UNKNOWN")
        r.error.set_received(Received(Wire.GRPC, code_text=text))
    r.note_others(STATUS, status, text)
    if messages:
        r.error.message = percent_decode(messages[0])
        r.note_others(MESSAGE, messages, messages[0])
    if len(details) > len(joined):
        r.note(f"{DETAILS} holds {len(details)} values, joined by commas: the first counts")
    if details:
        r.note_others(DETAILS, details, details[0])
        if len(details[0]) > options.limits.body:
            r.note(f"{DETAILS} dropped: larger than the limit")
        else:
            read_details(r, decode_base64(details[0]))
    restore(r, Shape.BINARY)
    return r.finish()


def read_call(number: int, message: str, details: Sequence[bytes | str], options: Decoding) -> hub.Error:
    """Read what a library of gRPC has of the headers: the code, the message decoded, and the
    values of the third header as bytes, or in base64 still."""
    r = Reading(options)
    r.error.number, r.error.message = number, clean(message)
    if len(details) > 1 and len(set(details)) > 1:
        r.note(f"{DETAILS} has {len(details)} values: the first counts")
    if details:
        first = details[0]
        read_details(r, first if isinstance(first, bytes) else decode_base64(split_binary([first])[0]))
    restore(r, Shape.BINARY)
    return r.finish()


def grpc_status(values: Sequence[str]) -> tuple[int, str, bool]:
    """Read the values of grpc-status: the number that counts, its text, and whether it is a
    number. Any that is not zero wins; one that is no number is UNKNOWN where no other says
    more."""
    number, text, is_number = 0, "", True
    for value in values:
        digits = value.isascii() and value.isdigit() and len(value) < 4000
        read = int(value) if digits else -1
        if not 0 <= read < 2**31:
            if number == 0:
                number, text, is_number = int(Code.UNKNOWN), clean(value), False
        elif read:
            return read, value, True
    return number, text, is_number


def split_binary(values: Sequence[str]) -> Sequence[str]:
    """Split the values of a binary header at commas, by which proxies join several."""
    if not any("," in value for value in values):
        return values
    return [part.strip() for value in values for part in value.split(",")]


def read_details(r: Reading, data: bytes | None) -> None:
    """Add what grpc-status-details-bin says to what the other two headers said, which
    decide."""
    error = r.error
    if data is None:
        r.note(f"{DETAILS} dropped: it is not base64")
        return
    try:
        status = parse_status(data, r.options.limits.details, error.notes)
    except ValueError as why:
        r.note(f"{DETAILS} dropped: not a google.rpc.Status: {why}")
        return
    if status.code != error.number:
        r.note(f"{DETAILS} says code {status.code}: the header's {error.number} stands")
        if not status.strict:
            r.note(f"{DETAILS}: details dropped, since its code is another and it is malformed")
            status.details, status.unknown = [], b""
        if not error.message:
            error.message = status.message
        elif status.message and status.message != error.message:
            r.note(f"{DETAILS} says message {hub.quoted(status.message, 128)}: that of grpc-message stands")
    elif status.message:
        if error.message and error.message != status.message:
            r.note(f"grpc-message {hub.quoted(error.message, 128)} is not the message of {DETAILS}, which stands")
        error.message = status.message
    error.details += status.details
    if status.unknown:
        error.set_received(replace(error.on(Wire.GRPC), unknown_fields=status.unknown))


def _values(headers: Mapping[str, str | Sequence[str]], name: str) -> list[str]:
    keys = sorted(key for key in headers if len(key) == len(name) and key.lower() == name)
    found: list[str] = []
    for key in keys:
        value = headers[key]
        found.extend([value] if isinstance(value, str) else value)
    return found
