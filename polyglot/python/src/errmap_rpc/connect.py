"""Errors of the connectrpc package. It needs the extra "connect".

connectrpc knows messages of protobuf-py, which is another implementation of
Protobuf than google.protobuf; details pass between the two as bytes. Of a
response it keeps code, message and details, not the HTTP status, nor a code that
it does not know.
"""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any as Anything
from typing import ClassVar, NoReturn, TypeVar, Unpack

from connectrpc.client import ConnectClient, ConnectClientSync
from connectrpc.code import Code as ConnectCode
from connectrpc.errors import ConnectError, ErrorDetail
from connectrpc.request import RequestContext
from protobuf.wkt import Any

from .error import Error
from .generated import specialize
from .guard import Guard
from .internal.code import Code, code_by_connect_name
from .internal.hub import Detail, Notes, Wire, complete_url
from .internal.wire.status import RawStatus, read_raw_status, status_on
from .options import DecodeArguments, EncodeArguments, decode_options, encode_options

__all__ = ["ClientErrorInterceptor", "ErrorInterceptor", "from_connect_error", "to_connect_error"]

REQ = TypeVar("REQ")
RES = TypeVar("RES")


def from_connect_error(error: ConnectError, **arguments: Unpack[DecodeArguments]) -> Error:
    """Read an error that a client of connectrpc raised. The result is of the generated
    class for its identity, where the catalogue has one, and error is its cause."""
    options = decode_options(arguments)
    details = [Detail(complete_url(d.type_name), d.message_bytes) for d in error.details]
    number = code_by_connect_name(error.code.value) or int(Code.UNKNOWN)
    read = read_raw_status(RawStatus(number, error.message, details), options, Wire.CONNECT, Notes())
    typed = specialize(read, options.catalog)
    typed.__cause__ = error
    # connectrpc has a cause for what it says itself of a call, and for nothing else.
    return typed if error.__cause__ is None else typed.with_local()


def to_connect_error(error: Error, **arguments: Unpack[EncodeArguments]) -> ConnectError:
    """Return an error for a handler of connectrpc to raise; error is its cause."""
    options = encode_options(arguments)
    status = status_on(error._data, options, Wire.CONNECT)
    details = [ErrorDetail(Any(type_url=d.type_url, value=d.value)) for d in status.details]
    out = ConnectError(ConnectCode(error.code.connect_name), status.message, details)
    out.__cause__ = error
    return out


def _of_a_call(error: ConnectError) -> bool:
    """Tell whether a client of connectrpc raised an error: nothing else says so."""
    trace = error.__traceback__
    while trace is not None:
        if str(trace.tb_frame.f_globals.get("__name__", "")).startswith("connectrpc._client"):
            return True
        trace = trace.tb_next
    return False


class _Interceptor:
    """What the interceptors of the two sides share: each kind of call, and on which side they stand."""

    _client: ClassVar[bool]

    def _raise(self, error: Exception) -> NoReturn:
        """Raise what an exception of a call becomes."""
        raise NotImplementedError

    def _check(self, call_next: Callable[..., Anything]) -> None:
        """Refuse the side that the interceptor is not for: a server's would make an INTERNAL
        of every error that a client's calls met."""
        inner = call_next
        while isinstance(inner, functools.partial):
            inner = inner.args[0]
        if isinstance(getattr(inner, "__self__", None), (ConnectClient, ConnectClientSync)) is self._client:
            return
        if self._client:
            raise TypeError(
                "errmap_rpc.connect.ClientErrorInterceptor is for clients: "
                "a server takes errmap_rpc.connect.ErrorInterceptor"
            )
        raise TypeError(
            "errmap_rpc.connect.ErrorInterceptor is for servers: "
            "a client takes errmap_rpc.connect.ClientErrorInterceptor"
        )

    def intercept_unary_sync(
        self,
        call_next: Callable[[REQ, RequestContext[REQ, RES]], RES],
        request: REQ,
        ctx: RequestContext[REQ, RES],
        /,
    ) -> RES:
        self._check(call_next)
        try:
            return call_next(request, ctx)
        except Exception as error:
            self._raise(error)

    def intercept_client_stream_sync(
        self,
        call_next: Callable[[Iterator[REQ], RequestContext[REQ, RES]], RES],
        request: Iterator[REQ],
        ctx: RequestContext[REQ, RES],
        /,
    ) -> RES:
        self._check(call_next)
        try:
            return call_next(request, ctx)
        except Exception as error:
            self._raise(error)

    def intercept_server_stream_sync(
        self,
        call_next: Callable[[REQ, RequestContext[REQ, RES]], Iterator[RES]],
        request: REQ,
        ctx: RequestContext[REQ, RES],
        /,
    ) -> Iterator[RES]:
        self._check(call_next)
        try:
            yield from call_next(request, ctx)
        except Exception as error:
            self._raise(error)

    def intercept_bidi_stream_sync(
        self,
        call_next: Callable[[Iterator[REQ], RequestContext[REQ, RES]], Iterator[RES]],
        request: Iterator[REQ],
        ctx: RequestContext[REQ, RES],
        /,
    ) -> Iterator[RES]:
        self._check(call_next)
        try:
            yield from call_next(request, ctx)
        except Exception as error:
            self._raise(error)

    async def intercept_unary(
        self,
        call_next: Callable[[REQ, RequestContext[REQ, RES]], Awaitable[RES]],
        request: REQ,
        ctx: RequestContext[REQ, RES],
        /,
    ) -> RES:
        self._check(call_next)
        try:
            return await call_next(request, ctx)
        except Exception as error:
            self._raise(error)

    async def intercept_client_stream(
        self,
        call_next: Callable[[AsyncIterator[REQ], RequestContext[REQ, RES]], Awaitable[RES]],
        request: AsyncIterator[REQ],
        ctx: RequestContext[REQ, RES],
        /,
    ) -> RES:
        self._check(call_next)
        try:
            return await call_next(request, ctx)
        except Exception as error:
            self._raise(error)

    async def intercept_server_stream(
        self,
        call_next: Callable[[REQ, RequestContext[REQ, RES]], AsyncIterator[RES]],
        request: REQ,
        ctx: RequestContext[REQ, RES],
        /,
    ) -> AsyncIterator[RES]:
        self._check(call_next)
        try:
            async for response in call_next(request, ctx):
                yield response
        except Exception as error:
            self._raise(error)

    async def intercept_bidi_stream(
        self,
        call_next: Callable[[AsyncIterator[REQ], RequestContext[REQ, RES]], AsyncIterator[RES]],
        request: AsyncIterator[REQ],
        ctx: RequestContext[REQ, RES],
        /,
    ) -> AsyncIterator[RES]:
        self._check(call_next)
        try:
            async for response in call_next(request, ctx):
                yield response
        except Exception as error:
            self._raise(error)


class ErrorInterceptor(_Interceptor):
    """Has handlers of a connectrpc server raise errmap errors, whether they are
    asynchronous or not. It stands first among the interceptors, so that it sees what the
    others raise. A ConnectError that a handler raises itself speaks, as it does without;
    one that a call of the handler met is an error of a peer like any other."""

    _client = False

    def __init__(self, guard: Guard | None = None, **arguments: Unpack[EncodeArguments]) -> None:
        self._guard = guard if guard is not None else Guard()
        self._arguments = arguments

    def _raise(self, error: Exception) -> NoReturn:
        if isinstance(error, ConnectError) and not _of_a_call(error):
            raise error
        raise to_connect_error(self._guard.outgoing(error), **self._arguments) from error


class ClientErrorInterceptor(_Interceptor):
    """Has the calls of a connectrpc client, synchronous or not, raise what
    from_connect_error makes of their errors: generated classes, and errmap_rpc.Error for the
    rest. It stands first among the interceptors, so that the others see the ConnectError,
    which is the cause of what is raised."""

    _client = True

    def __init__(self, **arguments: Unpack[DecodeArguments]) -> None:
        self._arguments = arguments

    def _raise(self, error: Exception) -> NoReturn:
        if not isinstance(error, ConnectError):
            raise error
        raise from_connect_error(error, **self._arguments) from error
