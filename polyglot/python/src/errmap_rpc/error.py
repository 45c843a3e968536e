"""The error in the model of google.rpc.Status."""

from __future__ import annotations

import copy
import datetime
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar, cast

from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.rpc import error_details_pb2 as rpc

from ._text import Notes, repair
from .code import Code, code_of, row
from .detail import ERROR_INFO, RawDetail
from .received import Received, Wire

if TYPE_CHECKING:
    from typing import Self

    from .catalog import Catalog
    from .generated import TypedError

__all__ = ["Error"]

M = TypeVar("M", bound=Message)
T = TypeVar("T", bound="TypedError")


class Error(Exception):
    """A code, a message and details, and what else a peer said.

    It is immutable but for what raising sets; the methods that begin with
    with_ return a changed copy. What it holds reaches the caller of a handler
    that raises it, on every wire, but for its cause and its notes.
    """

    def __init__(self, code: Code, message: str = "") -> None:
        """Make an error of a code and a developer-facing text, without identity.
        A number that is no code is kept and reads as UNKNOWN; OK is no error, so
        it raises ValueError."""
        if int(code) == 0:
            raise ValueError("OK is no error")
        self._start(int(code), repair(message))

    def _start(self, number: int, message: str) -> None:
        Exception.__init__(self, message)
        self._number = number
        self._message = message
        self._details: tuple[RawDetail, ...] = ()
        self._received: tuple[Received, ...] = ()  # in the order of Wire, none empty
        self._notes: tuple[str, ...] = ()
        self._decoded = False  # read from a wire, so things may ride along
        self._remote = False
        self._local = False  # a call failed here, and its peer said nothing of it
        self._forwarded = False

    def __str__(self) -> str:
        """The code, the identity where there is one, and the message, for logs."""
        text = self.code.name
        if self.reason:
            text += f" {self.domain}/{self.reason}"
        return f"{text}: {self._message}" if self._message else text

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"

    def __copy__(self) -> Self:
        clone = type(self).__new__(type(self))
        clone.__dict__.update(self.__dict__)
        clone.args = self.args
        return clone

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self),), {**self.__dict__, "args": self.args}

    @property
    def code(self) -> Code:
        """The code: UNKNOWN for a private number."""
        return code_of(self._number)

    @property
    def number(self) -> int:
        """The number of the code as it was received or given: a private one too."""
        return self._number

    @property
    def message(self) -> str:
        """The developer-facing text."""
        return self._message

    @property
    def raw_details(self) -> tuple[RawDetail, ...]:
        """The details in order, each as it travelled."""
        return self._details

    @property
    def received(self) -> tuple[Received, ...]:
        """What each wire said that a google.rpc.Status cannot."""
        return self._received

    @property
    def notes(self) -> tuple[str, ...]:
        """What was dropped or repaired when the error was read or made, in words
        for people. They never leave the program."""
        return self._notes

    @property
    def remote(self) -> bool:
        """Whether a peer sent the error. Raised from a handler such an error is
        for the caller only where the handler says so."""
        return self._remote

    @property
    def local(self) -> bool:
        """Whether the error is of a call that failed here, without a word of its peer: it
        was canceled, it timed out, the peer was not reached, or what answered was no
        peer. It is never remote."""
        return self._local

    @property
    def http_status(self) -> int:
        """The HTTP status that came with the error where it is not the one that
        the code stands for, else the latter."""
        for received in self._received:
            if received.http_status:
                return received.http_status
        return row(self._number).http

    @property
    def error_info(self) -> rpc.ErrorInfo | None:
        """The google.rpc.ErrorInfo that identifies the error: the first whose
        domain is known, else the first; None where there is none."""
        return identity(self, _linked(), _linked())

    @property
    def reason(self) -> str:
        """The reason of the ErrorInfo, "" where there is none."""
        info = self.error_info
        return info.reason if info is not None else ""

    @property
    def domain(self) -> str:
        """The domain of the ErrorInfo, "" where there is none."""
        info = self.error_info
        return info.domain if info is not None else ""

    @property
    def metadata(self) -> Mapping[str, str]:
        """The metadata of the ErrorInfo."""
        info = self.error_info
        return MappingProxyType(dict(info.metadata) if info is not None else {})

    @property
    def retry_delay(self) -> datetime.timedelta | None:
        """The delay of the first RetryInfo detail, not below 0; None without one."""
        info = self.detail(rpc.RetryInfo)
        if info is None:
            return None
        seconds = info.retry_delay.seconds + info.retry_delay.nanos / 1e9
        most = datetime.timedelta.max.total_seconds() - 1
        return datetime.timedelta(seconds=min(max(seconds, 0.0), most))

    @property
    def retry_after(self) -> str:
        """The value of the Retry-After header that an HTTP response with this error
        has: whole seconds, rounded up; "" without RetryInfo."""
        info = self.detail(rpc.RetryInfo)
        if info is None:
            return ""
        delay = info.retry_delay
        return str(max(delay.seconds + (1 if delay.nanos > 0 else 0), 0))

    @property
    def retryable(self) -> bool:
        """Whether the same call may succeed when it is made again: what the
        definition of the error says, else whether a RetryInfo is there, else
        whether the code is UNAVAILABLE."""
        info = self.error_info
        if info is not None:
            definition = _linked().find(info.domain, info.reason)
            if definition is not None and definition.retryable is not None:
                return definition.retryable
        return self.detail(rpc.RetryInfo) is not None or self.code == Code.UNAVAILABLE

    def detail(self, cls: type[M]) -> M | None:
        """Return the first detail of a type that can be read; None without one. A
        detail that is JSON is read as far as its type goes."""
        return cast("M | None", find_detail(self, cls, _linked()))

    def details(self) -> list[Message]:
        """Return the details whose types this program knows and can read, in order."""
        found = []
        for raw in self._details:
            message = _read(raw, _linked())
            if message is not None:
                found.append(message)
        return found

    def as_error(self, cls: type[T]) -> T | None:
        """Return the error as one of a generated class, with its fields; None where
        it is another."""
        from .generated import as_error

        return as_error(self, cls)

    def identifies(self, cls: type[TypedError]) -> bool:
        """Tell whether any ErrorInfo of the error is that of a generated class."""
        return self.as_error(cls) is not None

    def with_message(self, message: str) -> Self:
        """Return the error with another text."""
        return changed(self, _message=repair(message), args=(repair(message),))

    def with_detail(self, message: Message) -> Self:
        """Return the error with one more detail. One of that type that is already
        there is replaced, since AIP-193 attaches each type once."""
        detail, details = RawDetail.of(message), list(self._details)
        for i, have in enumerate(details):
            if have.name == detail.name:
                details[i] = detail
                break
        else:
            details.append(detail)
        return changed(self, _details=tuple(details))

    def with_retry_delay(self, delay: datetime.timedelta) -> Self:
        """Return the error with a RetryInfo: the caller may try again after that
        time."""
        duration = Duration()
        duration.FromTimedelta(max(delay, datetime.timedelta()))
        return self.with_detail(rpc.RetryInfo(retry_delay=duration))

    def with_remote(self) -> Self:
        """Return the error as one that a peer sent: for adapters and tests."""
        return changed(self, _remote=True, _decoded=True, _local=False)

    def with_local(self) -> Self:
        """Return the error as one of a call that failed here: for adapters and tests."""
        return changed(self, _local=True, _remote=False)


def _restore(cls: type[Error]) -> Error:
    return cls.__new__(cls)


E = TypeVar("E", bound=Error)


def changed(error: E, **attributes: object) -> E:
    """Return a copy with other attributes, its cause included."""
    clone = copy.copy(error)
    for name, value in attributes.items():
        setattr(clone, name, value)
    clone.__cause__, clone.__context__ = error.__cause__, error.__context__
    clone.__suppress_context__ = error.__suppress_context__
    return clone


class Draft:
    """An error that a decoder is about to make."""

    def __init__(self) -> None:
        self.number = 0
        self.message = ""
        self.details: list[RawDetail] = []
        self.notes = Notes()
        self._received: dict[Wire, Received] = {}

    def received_on(self, wire: Wire) -> Received:
        return self._received.get(wire, Received(wire))

    def set_received(self, received: Received) -> None:
        if received.empty:
            self._received.pop(received.wire, None)
        else:
            self._received[received.wire] = received

    @property
    def received(self) -> tuple[Received, ...]:
        return tuple(self._received[wire] for wire in sorted(self._received))

    def finish(self) -> Error:
        error = Error.__new__(Error)
        error._start(self.number, self.message)
        error._details = tuple(self.details)
        error._received = self.received
        error._notes = tuple(self.notes.items)
        error._decoded = error._remote = True
        return error


Readable = Error | Draft
"""What has details."""


def details_of(error: Readable) -> tuple[RawDetail, ...] | list[RawDetail]:
    return error._details if isinstance(error, Error) else error.details


def received_on(error: Error, wire: Wire) -> Received:
    for received in error._received:
        if received.wire == wire:
            return received
    return Received(wire)


def error_info(types: Catalog, detail: RawDetail) -> rpc.ErrorInfo | None:
    """Read a detail as an ErrorInfo, None where it is none."""
    if detail.name != ERROR_INFO:
        return None
    return cast("rpc.ErrorInfo | None", _read(detail, types))


def identity(error: Readable, errors: Catalog, types: Catalog) -> rpc.ErrorInfo | None:
    """Return the first ErrorInfo whose domain is known, else the first."""
    first: rpc.ErrorInfo | None = None
    for detail in details_of(error):
        info = error_info(types, detail)
        if info is None:
            continue
        if errors.knows_domain(info.domain):
            return info
        first = first if first is not None else info
    return first


def find_detail(error: Readable, cls: type[Message], types: Catalog) -> Message | None:
    from . import _protojson

    for detail in details_of(error):
        if detail.name == cls.DESCRIPTOR.full_name:
            data = readable_bytes(types, detail)
            message = _protojson.parse(cls, data) if data is not None else None
            if message is not None:
                return message
    return None


def readable_bytes(types: Catalog, detail: RawDetail) -> bytes | None:
    """Return the bytes of a detail, of JSON those of the part that is known."""
    from ._render import known_part

    if detail.element is None:
        return detail.value
    known = known_part(types, detail)
    return None if known is None else known.value


def _read(detail: RawDetail, types: Catalog) -> Message | None:
    from . import _protojson

    cls = types.find_message(detail.name)
    data = readable_bytes(types, detail) if cls is not None else None
    return None if cls is None or data is None else _protojson.parse(cls, data)


def _linked() -> Catalog:
    from .catalog import linked

    return linked()
