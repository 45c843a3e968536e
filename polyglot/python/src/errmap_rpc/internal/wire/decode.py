"""What the readers of all forms share."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence

from google.rpc.error_details_pb2 import RetryInfo

from .. import hub, jsontree
from ..code import Code, row, status_text
from ..hub import Detail, Origin, Received, Wire
from ..jsontree import JSONError, Node, clean, decode_utf8
from ..schema import detail_of
from .detail import element, node_of, retry_info
from .member import MemberReading
from .options import ENVELOPE_DEPTH, Decoding, FormError, article
from .retry import duration_of, parse_retry_after, whole_seconds

Body = bytes | str


class Reading(MemberReading):
    """One error that is read."""

    __slots__ = ()

    def __init__(self, options: Decoding) -> None:
        super().__init__(hub.Error(0, "", Origin.READ), options)

    def parse(self, body: Body) -> Node:
        """Read a body of JSON. Raises JSONError where it is none."""
        limits = self.options.limits
        if isinstance(body, bytes):
            if len(body) > limits.body:
                raise JSONError("larger than the limit")
            body = decode_utf8(body)
        else:
            body = clean(body)
            if len(body) * 4 > limits.body and hub.byte_length(body) > limits.body:
                raise JSONError("larger than the limit")
        return jsontree.parse(body, limits.depth)

    def list(self, own: dict[str, Node], name: str) -> None:
        """Read an array of details. One of another type is kept; null is none."""
        value = own.get(name)
        if value is None:
            return
        if type(value) is not list:
            self.refuse(own, name)
            return
        error = self.error
        for each in value[: self.at_most(len(value))]:
            error.details.append(element(self.codec, each, error.notes))

    def at_most(self, count: int) -> int:
        """Return how many elements of a list are read: what is dropped is not read. Two more
        than the limit may be the code marker and a Carried."""
        most = self.options.limits.details
        if count - 2 <= most:
            return count
        self.note(f"{count - most} details after the first {most} dropped")
        return most

    def finish(self) -> hub.Error:
        """Bound what was read and add what the HTTP header says."""
        error, limits = self.error, self.options.limits
        for detail in error.details:
            if detail.json is not None:
                self._drop_deep()
                break
        if len(error.details) > limits.details:
            self.note(f"{len(error.details) - limits.details} details after the first {limits.details} dropped")
            del error.details[limits.details :]
        if len(error.message) * 4 > limits.message:
            size = hub.byte_length(error.message)
            if size > limits.message:
                self.note(f"message of {size} bytes cut to {limits.message}")
                error.message = hub.cut(error.message, limits.message)
        header = self.options.retry_after
        if header and header[0]:
            self._add_retry_after(header[0])
            self.note_others("Retry-After", header, header[0])
        return error

    def _drop_deep(self) -> None:
        room, kept = self.options.limits.depth - ENVELOPE_DEPTH, []
        for detail in self.error.details:
            if detail.json is not None and jsontree.height(node_of(detail)) > room:
                self.note("a JSON detail dropped: nested deeper than the limit")
            else:
                kept.append(detail)
        self.error.details = kept

    def note_others(self, name: str, values: Sequence[str], counts: str) -> None:
        """Tell of the values of a header that says several things."""
        for value in values:
            if value is not counts and clean(value) != clean(counts):
                said = hub.quoted(clean(value), 128)
                self.note(f"{name}: {said} stands beside the value that counts, and is dropped")

    def _add_retry_after(self, value: str) -> None:
        """Append what a Retry-After header says as a RetryInfo, unless the error has one
        with a delay."""
        delay = parse_retry_after(value, self.options.received)
        if delay is None:
            self.note(f"Retry-After {hub.quoted(value)} is neither seconds nor a date")
            return
        info = retry_info(self.codec, self.error.details)
        if info is None:
            self.error.details.append(detail_of(RetryInfo(retry_delay=duration_of(delay))))
        elif whole_seconds(info) != -(-delay // datetime.timedelta(seconds=1)):
            self.note(f"Retry-After {hub.quoted(value)} is not the delay of the RetryInfo, which stands")

    def foreign(self, wire: Wire, body: Body, to_code: Callable[[int], Code], why: str) -> hub.Error:
        """Read a body of another kind: the error is what the HTTP status says, the first
        bytes are in a note. The body never becomes the message."""
        status = self.options.http_status
        if status == 0 or 200 <= status < 300 or self.options.stream:
            raise FormError(wire, why)
        error = self.error
        error.details, error.received = [], ()
        error.number, error.message = int(to_code(status)), status_text(status)
        keep_http_status(error, Wire.HTTP if wire == Wire.PROBLEM else wire, status)
        data = body if isinstance(body, bytes) else body[:200].encode("utf-8", "replace")
        begins = decode_utf8(data[:200])
        self.note(f"body is not {article(wire)} error ({why}); it begins {hub.quoted(begins, 400)}")
        return self.finish()


def keep_http_status(error: hub.Error, wire: Wire, status: int) -> None:
    """Keep a status that the code does not stand for."""
    if status != row(error.number).http:
        said = error.on(wire)
        error.set_received(Received(wire, said.number, said.code_text, status, said.members, said.unknown_fields))


def reread(reading: Reading, text: str) -> Detail:
    """Read a text that was written here as an element of a list of details."""
    node = jsontree.parse_or_missing(text)
    if node is jsontree.MISSING:
        return Detail(json=text)
    return element(reading.codec, node, reading.error.notes)
