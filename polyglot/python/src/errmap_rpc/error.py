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

from .internal import hub
from .internal.code import Code, code_of, row
from .internal.hub import Detail, Origin, Received
from .internal.jsontree import clean
from .internal.protojson import parse
from .internal.schema import detail_of, linked
from .internal.wire import detail as details
from .internal.wire.retry import whole_seconds

if TYPE_CHECKING:
    from typing import Self

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

    _data: hub.Error

    def __init__(self, code: Code, message: str = "") -> None:
        """Make an error of a code and a developer-facing text, without identity.
        A number that is no code is kept and reads as UNKNOWN; OK is no error, so
        it raises ValueError."""
        if int(code) == 0:
            raise ValueError("OK is no error")
        self._start(hub.Error(int(code), clean(message)))

    def _start(self, data: hub.Error) -> None:
        Exception.__init__(self, data.message)
        self._data = data

    def __str__(self) -> str:
        """The code, the identity where there is one, and the message, for logs."""
        text = self.code.name
        if self.reason:
            text += f" {self.domain}/{self.reason}"
        return f"{text}: {self.message}" if self.message else text

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
        return code_of(self._data.number)

    @property
    def number(self) -> int:
        """The number of the code as it was received or given: a private one too."""
        return self._data.number

    @property
    def message(self) -> str:
        """The developer-facing text."""
        return self._data.message

    @property
    def raw_details(self) -> tuple[Detail, ...]:
        """The details in order, each as it travelled."""
        return tuple(self._data.details)

    @property
    def received(self) -> tuple[Received, ...]:
        """What each wire said that a google.rpc.Status cannot."""
        return self._data.received

    @property
    def notes(self) -> tuple[str, ...]:
        """What was dropped or repaired when the error was read or made, in words
        for people. They never leave the program."""
        return tuple(self._data.notes)

    @property
    def remote(self) -> bool:
        """Whether a peer sent the error. Raised from a handler such an error is
        for the caller only where the handler says so."""
        return self._data.origin == Origin.REMOTE

    @property
    def local(self) -> bool:
        """Whether the error is of a call that failed here, without a word of its peer: it
        was canceled, it timed out, the peer was not reached, or what answered was no
        peer. It is never remote."""
        return self._data.origin == Origin.LOCAL

    @property
    def http_status(self) -> int:
        """The HTTP status that came with the error where it is not the one that
        the code stands for, else the latter."""
        for received in self._data.received:
            if received.http_status:
                return received.http_status
        return row(self._data.number).http

    @property
    def error_info(self) -> rpc.ErrorInfo | None:
        """The google.rpc.ErrorInfo that identifies the error: the first whose
        domain is known, else the first; None where there is none."""
        info = self._info()
        if info is None:
            return None
        clone = rpc.ErrorInfo()
        clone.CopyFrom(info)
        return clone

    def _info(self) -> rpc.ErrorInfo | None:
        catalog = linked()
        return details.identity(catalog.codec, catalog, self._data.details)

    @property
    def reason(self) -> str:
        """The reason of the ErrorInfo, "" where there is none."""
        info = self._info()
        return info.reason if info is not None else ""

    @property
    def domain(self) -> str:
        """The domain of the ErrorInfo, "" where there is none."""
        info = self._info()
        return info.domain if info is not None else ""

    @property
    def metadata(self) -> Mapping[str, str]:
        """The metadata of the ErrorInfo."""
        info = self._info()
        return MappingProxyType(dict(info.metadata) if info is not None else {})

    @property
    def retry_delay(self) -> datetime.timedelta | None:
        """The delay of the first RetryInfo that has one, not below 0; None without one."""
        info = details.retry_info(linked().codec, self._data.details)
        if info is None:
            return None
        seconds = info.retry_delay.seconds + info.retry_delay.nanos / 1e9
        most = datetime.timedelta.max.total_seconds() - 1
        return datetime.timedelta(seconds=min(max(seconds, 0.0), most))

    @property
    def retry_after(self) -> str:
        """The value of the Retry-After header that an HTTP response with this error
        has: whole seconds, rounded up; "" without a delay."""
        info = details.retry_info(linked().codec, self._data.details)
        return "" if info is None else str(whole_seconds(info))

    @property
    def retryable(self) -> bool:
        """Whether the same call may succeed when it is made again: what the
        definition of the error says, else whether a RetryInfo is there, else
        whether the code is UNAVAILABLE."""
        info = self._info()
        if info is not None:
            definition = linked().find(info.domain, info.reason)
            if definition is not None and definition.retryable is not None:
                return definition.retryable
        return self.retry_delay is not None or self.code == Code.UNAVAILABLE

    def detail(self, cls: type[M]) -> M | None:
        """Return the first detail of a type that can be read; None without one. A
        detail that is JSON is read as far as its type goes."""
        return cast("M | None", details.find_detail(linked().codec, self._data.details, cls))

    def details(self) -> list[Message]:
        """Return the details whose types this program knows and can read, in order."""
        codec = linked().codec
        found = []
        for raw in self._data.details:
            link = codec.link(raw.type_url)
            value = details.known_part(codec, raw) if link is not None else None
            message = parse(link.cls, value) if link is not None and value is not None else None
            if message is not None:
                found.append(message)
        return found

    def as_error(self, cls: type[T]) -> T | None:
        """Return the error as one of a generated class, with its fields; None where
        it is another. Any ErrorInfo of the error may be that of the class."""
        return cls._of(self)

    def identifies(self, cls: type[TypedError]) -> bool:
        """Tell whether any ErrorInfo of the error is that of a generated class."""
        return self.as_error(cls) is not None

    def with_message(self, message: str) -> Self:
        """Return the error with another text."""
        data = self._data.copy()
        data.message = clean(message)
        return changed(self, data)

    def with_detail(self, message: Message) -> Self:
        """Return the error with one more detail. One of that type that is already
        there is replaced, since AIP-193 attaches each type once."""
        detail, data = detail_of(message), self._data.copy()
        data.details = list(data.details)
        for i, have in enumerate(data.details):
            if have.name == detail.name:
                data.details[i] = detail
                break
        else:
            data.details.append(detail)
        return changed(self, data)

    def with_retry_delay(self, delay: datetime.timedelta) -> Self:
        """Return the error with a RetryInfo: the caller may try again after that
        time."""
        duration = Duration()
        duration.FromTimedelta(max(delay, datetime.timedelta()))
        return self.with_detail(rpc.RetryInfo(retry_delay=duration))

    def with_remote(self) -> Self:
        """Return the error as one that a peer sent: for adapters and tests."""
        return self._with_origin(Origin.REMOTE)

    def with_local(self) -> Self:
        """Return the error as one of a call that failed here: for adapters and tests."""
        return self._with_origin(Origin.LOCAL)

    def _with_origin(self, origin: Origin) -> Self:
        data = self._data.copy()
        data.origin = origin
        return changed(self, data)


def _restore(cls: type[Error]) -> Error:
    return cls.__new__(cls)


E = TypeVar("E", bound=Error)


def changed(error: E, data: hub.Error) -> E:
    """Return a copy with other data, its cause included."""
    clone = copy.copy(error)
    clone._data, clone.args = data, (data.message,)
    clone.__cause__, clone.__context__ = error.__cause__, error.__context__
    clone.__suppress_context__ = error.__suppress_context__
    return clone


def error_of(data: hub.Error) -> Error:
    """Return the error that data is."""
    error = Error.__new__(Error)
    error._start(data)
    return error
