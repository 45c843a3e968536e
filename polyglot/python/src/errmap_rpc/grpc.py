"""Errors of grpcio. It needs the extra "grpc"."""

from __future__ import annotations

import collections
import inspect
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, Unpack

import grpc
import grpc.aio

from .error import Error
from .generated import specialize
from .guard import Guard
from .internal.hub import Wire
from .internal.wire.budget import fit
from .internal.wire.grpc import DETAILS, read_call
from .internal.wire.options import NotAnError
from .internal.wire.status import status_on
from .options import DecodeArguments, EncodeArguments, decode_options, encode_options

__all__ = [
    "AsyncErrorInterceptor",
    "ErrorInterceptor",
    "Failed",
    "from_grpc_error",
    "to_grpc_status",
]

if TYPE_CHECKING:
    _ServerInterceptor = grpc.ServerInterceptor[Any, Any]
    _AsyncServerInterceptor = grpc.aio.ServerInterceptor[Any, Any]
else:
    _ServerInterceptor = grpc.ServerInterceptor
    _AsyncServerInterceptor = grpc.aio.ServerInterceptor

_CODES = {int(code.value[0]): code for code in grpc.StatusCode}
_NUMBERS: dict[grpc.StatusCode | None, int] = {code: number for number, code in _CODES.items()}


class Failed(Protocol):
    """What the errors of calls have, those of grpc.aio too."""

    def code(self) -> grpc.StatusCode | None:
        """Return the code."""

    def details(self) -> str | None:
        """Return the message."""

    def trailing_metadata(self) -> object:
        """Return pairs of names and values, None where nothing was received."""


class _Status(
    collections.namedtuple("_Status", ("code", "details", "trailing_metadata")),
    grpc.Status,
):
    """What a handler of grpcio may abort with."""


def from_grpc_error(error: Failed, **arguments: Unpack[DecodeArguments]) -> Error:
    """Read the error of a call. The result is of the generated class for its identity,
    where the catalogue has one; error is its cause where it is an exception. It is local
    where the call failed without a word of the server. Raises NotAnError where its code is
    OK."""
    options = decode_options(arguments)
    code = error.code()
    number = _NUMBERS.get(code, 2)
    if number == 0:
        raise NotAnError("the code is OK, which is no error")
    details: list[bytes | str] = []
    metadata = error.trailing_metadata()
    for name, value in metadata if metadata is not None else ():  # type: ignore[attr-defined]
        if name == DETAILS and isinstance(value, (bytes, str)):
            details.append(value)
    read = read_call(number, error.details() or "", details, options)
    typed = specialize(read, options.catalog)
    if isinstance(error, BaseException):
        typed.__cause__ = error
    return typed.with_local() if code in _LOCAL and _is_local(error) else typed


_LOCAL = frozenset((grpc.StatusCode.CANCELLED, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.UNAVAILABLE))


def _is_local(error: Failed) -> bool:
    """Tell whether a call failed here. grpcio does not say so: of an error that was
    received it names the peer, or has metadata, or the code is another."""
    if error.trailing_metadata():
        return False
    text = getattr(error, "debug_error_string", None)
    said = text() if callable(text) else None
    if not isinstance(said, str):
        return False
    return not re.search(r"received from peer [^ {]", said)


def to_grpc_status(error: Error, **arguments: Unpack[EncodeArguments]) -> grpc.Status:
    """Return an error for a handler of grpcio: context.abort_with_status takes it, and
    context.abort of grpc.aio its code, details and trailing_metadata. It stays within the
    budget."""
    options = encode_options(arguments)

    status = status_on(fit(error._data, options, None), options, Wire.GRPC)
    metadata: tuple[tuple[str, bytes], ...] = ()
    if status.details:
        metadata = ((DETAILS, status.serialize()),)
    code = _CODES.get(status.code, grpc.StatusCode.UNKNOWN)
    return _Status(code, status.message, metadata)


class ErrorInterceptor(_ServerInterceptor):
    """Has handlers of a grpcio server raise errmap errors. What they abort by themselves
    goes out as it is; of any other exception the caller sees no more than the guard
    lets through."""

    def __init__(self, guard: Guard | None = None, **arguments: Unpack[EncodeArguments]) -> None:
        self._guard = guard if guard is not None else Guard()
        self._arguments = arguments

    def intercept_service(
        self,
        continuation: Callable[[Any], Any],
        handler_call_details: Any,
    ) -> Any:
        """Wrap the handler of a call."""
        return _wrapped(continuation(handler_call_details), self._single, self._stream)

    def _single(self, behavior: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        def single(request: Any, context: grpc.ServicerContext) -> Any:
            try:
                return behavior(request, context)
            except Exception as error:
                self._abort(error, context)

        return single

    def _stream(self, behavior: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Iterator[Any]]:
        def stream(request: Any, context: grpc.ServicerContext) -> Iterator[Any]:
            try:
                yield from behavior(request, context)
            except Exception as error:
                self._abort(error, context)

        return stream

    def _abort(self, error: Exception, context: grpc.ServicerContext) -> NoReturn:
        if type(error) is Exception and not error.args and _has_status(context):
            raise error  # what abort raises: the handler has aborted already
        context.abort_with_status(to_grpc_status(self._guard.outgoing(error), **self._arguments))


def _has_status(context: grpc.ServicerContext) -> bool:
    """Tell whether a handler has set a code that is an error's."""
    return context.code() not in (None, grpc.StatusCode.OK)  # type: ignore[attr-defined]


class AsyncErrorInterceptor(_AsyncServerInterceptor):
    """Is ErrorInterceptor for a server of grpc.aio, whose handlers are coroutines and
    asynchronous generators, or functions that it runs in threads."""

    def __init__(self, guard: Guard | None = None, **arguments: Unpack[EncodeArguments]) -> None:
        self._guard = guard if guard is not None else Guard()
        self._arguments = arguments

    async def intercept_service(self, continuation: Callable[[Any], Awaitable[Any]], handler_call_details: Any) -> Any:
        """Wrap the handler of a call."""
        return _wrapped(await continuation(handler_call_details), self._single, self._stream)

    def _single(self, behavior: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        def single(request: Any, context: Any) -> Any:
            try:
                return behavior(request, context)
            except Exception as error:
                context.abort(*self._outgoing(error))

        return self._wrap(behavior, single)

    def _stream(self, behavior: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        def stream(request: Any, context: Any) -> Iterator[Any]:
            try:
                yield from behavior(request, context)
            except Exception as error:
                # An abort would leave the thread waiting for a reader of the stream.
                code, details, metadata = self._outgoing(error)
                context.set_code(code)
                context.set_details(details)
                context.set_trailing_metadata(metadata)

        return self._wrap(behavior, stream)

    def _wrap(
        self, behavior: Callable[[Any, Any], Any], in_thread: Callable[[Any, Any], Any]
    ) -> Callable[[Any, Any], Any]:
        """Return what grpc.aio takes for the same kind of function as behavior."""

        async def stream(request: Any, context: Any) -> AsyncIterator[Any]:
            try:
                async for response in behavior(request, context):
                    yield response
            except Exception as error:
                await self._abort(error, context)

        async def single(request: Any, context: Any) -> Any:
            try:
                return await behavior(request, context)
            except Exception as error:
                await self._abort(error, context)

        if inspect.isasyncgenfunction(behavior):
            return stream
        return single if inspect.iscoroutinefunction(behavior) else in_thread

    async def _abort(self, error: Exception, context: Any) -> NoReturn:
        await context.abort(*self._outgoing(error))
        raise error

    def _outgoing(self, error: Exception) -> tuple[Any, Any, Any]:
        """Return what to abort with."""
        if isinstance(error, grpc.aio.AbortError):
            raise error  # the handler has aborted already
        status = to_grpc_status(self._guard.outgoing(error), **self._arguments)
        return status.code, status.details, status.trailing_metadata


def _wrapped(
    handler: Any,
    single: Callable[[Callable[[Any, Any], Any]], Callable[[Any, Any], Any]],
    stream: Callable[[Callable[[Any, Any], Any]], Callable[[Any, Any], Any]],
) -> Any:
    """Return a handler whose behavior is another; None where there is none."""
    if handler is None:
        return None
    streams = handler.response_streaming
    if handler.request_streaming:
        behavior = handler.stream_stream if streams else handler.stream_unary
        make = grpc.stream_stream_rpc_method_handler if streams else grpc.stream_unary_rpc_method_handler
    else:
        behavior = handler.unary_stream if streams else handler.unary_unary
        make = grpc.unary_stream_rpc_method_handler if streams else grpc.unary_unary_rpc_method_handler
    return make(
        stream(behavior) if streams else single(behavior),
        request_deserializer=handler.request_deserializer,
        response_serializer=handler.response_serializer,
    )
