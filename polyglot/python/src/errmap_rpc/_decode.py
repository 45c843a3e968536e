"""What the decoders share."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from . import _json
from ._http import status_text
from ._render import DEFAULT_MAX_DEPTH, ENVELOPE_DEPTH
from ._text import byte_length, cut, decode_utf8, quote
from .code import Code, row
from .detail import RETRY_INFO, RawDetail
from .error import Draft, Error
from .received import Received, Wire

if TYPE_CHECKING:
    from .catalog import Catalog

__all__ = ["FormError", "Limits", "NotAnError"]

_NO_LIMIT = 2**63


class NotAnError(ValueError):
    """What was to be read is no error: its code is OK, or it is of another form."""


class FormError(NotAnError):
    """A body is not of the expected kind, and no HTTP status says what it was."""

    def __init__(self, wire: Wire, why: str) -> None:
        super().__init__(f"not {_article(wire)} error: {why}")
        self.wire = wire
        """The form that was expected."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a decoder takes from foreign bytes."""

    body: int = 4 << 20
    """The most bytes of a body; a larger one is a body of another kind."""
    details: int = 1024
    """The most details; those after it are dropped with a note."""
    depth: int = DEFAULT_MAX_DEPTH
    """How deep JSON may nest; a deeper body is one of another kind."""
    message: int = 1 << 20
    """The most bytes of the message; it is cut there, with a note."""


UNLIMITED = Limits(_NO_LIMIT, _NO_LIMIT, _NO_LIMIT, _NO_LIMIT)


@dataclass(frozen=True, slots=True)
class DecodeOptions:
    """How an error is read."""

    types: Catalog
    errors: Catalog
    """Where errors are looked up: types, but in the check of an encoder."""
    limits: Limits = Limits()
    http_status: int = 0
    in_stream: bool = False
    retry_after: str = ""
    received_at: datetime.datetime | None = None

    @classmethod
    def unlimited(cls, types: Catalog, errors: Catalog) -> DecodeOptions:
        """A writer is not bound by the limits of a reader."""
        return cls(types, errors, UNLIMITED)

    def parse(self, body: bytes | str) -> _json.Value:
        return _json.parse(body, self.limits.body, self.limits.depth)

    def foreign(self, wire: Wire, body: bytes | str, to_code: Callable[[int], Code], why: str) -> Error:
        """Return the error of a body of another kind: what the HTTP status says, its
        first bytes in a note. The body never becomes the message."""
        if self.http_status == 0 or 200 <= self.http_status < 300 or self.in_stream:
            raise FormError(wire, why)
        error = Draft()
        error.number, error.message = int(to_code(self.http_status)), status_text(self.http_status)
        data = body if isinstance(body, bytes) else body.encode("utf-8", "replace")
        begins = decode_utf8(data[:200])
        error.notes.add(f"body is not {_article(wire)} error ({why}); it begins {quote(begins, 400)}")
        keep_http_status(error, wire, self.http_status)
        return self.finish(error)

    def elements(
        self, error: Draft, wire: Wire, ours: dict[str, _json.Value], name: str
    ) -> tuple[_json.Value, ...]:
        """Take an array member out of ours; one of another type is kept."""
        value = ours.get(name)
        if value is None or value.is_null:
            return ()
        if value.elements is None:
            error.notes.add(f'member "{name}" is no array')
            keep(error, wire, [_json.member_of(name, value)])
            return ()
        return self.at_most(error, value.elements)

    def at_most(self, error: Draft, elements: tuple[_json.Value, ...]) -> tuple[_json.Value, ...]:
        """Cut a list of details that is longer than any error may have. Two more may
        be the code marker and a Carried."""
        most = self.limits.details
        if len(elements) - 2 <= most:
            return elements
        error.notes.add(f"{len(elements) - most} details after the first {most} dropped")
        return elements[:most]

    def finish(self, error: Draft) -> Error:
        """Bound what was read and add what the HTTP header says."""
        details = []
        for detail in error.details:
            if detail.element is not None and detail.element.depth > self.limits.depth - ENVELOPE_DEPTH:
                error.notes.add("a JSON detail dropped: nested deeper than the limit")
            else:
                details.append(detail)
        most = self.limits.details
        if len(details) > most:
            error.notes.add(f"{len(details) - most} details after the first {most} dropped")
        error.details = details[:most]
        if byte_length(error.message) > self.limits.message:
            error.notes.add(f"message of {byte_length(error.message)} bytes cut to {self.limits.message}")
            error.message = cut(error.message, self.limits.message)
        if self.retry_after:
            _add_retry_after(self.types, error, self.retry_after, self.received_at)
        return error.finish()


def _article(wire: Wire) -> str:
    return f"an {wire}" if wire == Wire.HTTP else f"a {wire}"


def keep(error: Draft, wire: Wire, members: list[_json.Member]) -> None:
    """Put members into what was received on a wire."""
    if members:
        own = Received(wire).with_members(members)
        error.set_received(error.received_on(wire).merge(own, error.notes))


def keep_http_status(error: Draft, wire: Wire, status: int) -> None:
    """Keep a status that the code does not stand for."""
    if status != row(error.number).http:
        error.set_received(replace(error.received_on(wire), http_status=status))


def take_text(error: Draft, wire: Wire, ours: dict[str, _json.Value], name: str) -> str:
    """Take a string member out of ours. One that is no string is kept as received;
    null and a missing one are ""."""
    value = ours.get(name)
    if value is None or value.is_null:
        return ""
    text = value.string()
    if text is None:
        error.notes.add(f'member "{name}" is no string')
        keep(error, wire, [_json.member_of(name, value)])
        return ""
    return text


def _whole_seconds(types: Catalog, detail: RawDetail) -> int | None:
    """Return the delay of a RetryInfo in whole seconds, rounded up; None where it says
    none that can be read."""
    from google.rpc.error_details_pb2 import RetryInfo

    from ._protojson import parse
    from ._render import known_part

    known = detail if detail.element is None else known_part(types, detail)
    info = parse(RetryInfo, known.value) if known is not None else None
    if not isinstance(info, RetryInfo):
        return None
    return max(info.retry_delay.seconds + (1 if info.retry_delay.nanos > 0 else 0), 0)


def _add_retry_after(types: Catalog, error: Draft, value: str, received_at: datetime.datetime | None) -> None:
    """Append what a Retry-After header says as a RetryInfo, unless there is one."""
    from google.rpc.error_details_pb2 import RetryInfo

    from .retry import duration_of, parse_retry_after

    delay = parse_retry_after(value, received_at)
    if delay is None:
        error.notes.add(f"Retry-After {quote(value)} is neither seconds nor a date")
        return
    for detail in error.details:
        if detail.name == RETRY_INFO:
            if _whole_seconds(types, detail) != -(-delay // datetime.timedelta(seconds=1)):
                error.notes.add(f"Retry-After {quote(value)} is not the delay of the RetryInfo, which stands")
            return
    error.details.append(RawDetail.of(RetryInfo(retry_delay=duration_of(delay))))
