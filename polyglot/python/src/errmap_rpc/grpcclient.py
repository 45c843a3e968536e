"""Interceptors for the channels of grpcio, which have calls raise typed errors. It needs
the extra "grpc"."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Generator, Iterator
from typing import TYPE_CHECKING, Any, NoReturn, Unpack

import grpc
import grpc.aio

from .error import Error
from .grpc import from_grpc_error
from .options import DecodeArguments

__all__ = ["ClientErrorInterceptor", "async_client_interceptors"]

if TYPE_CHECKING:
    _UnaryUnary = grpc.UnaryUnaryClientInterceptor[Any, Any]
    _UnaryStream = grpc.UnaryStreamClientInterceptor[Any, Any]
    _StreamUnary = grpc.StreamUnaryClientInterceptor[Any, Any]
    _StreamStream = grpc.StreamStreamClientInterceptor[Any, Any]
    _AsyncUnaryUnary = grpc.aio.UnaryUnaryClientInterceptor[Any, Any]
    _AsyncUnaryStream = grpc.aio.UnaryStreamClientInterceptor[Any, Any]
    _AsyncStreamUnary = grpc.aio.StreamUnaryClientInterceptor[Any, Any]
    _AsyncStreamStream = grpc.aio.StreamStreamClientInterceptor[Any, Any]
    _UnaryUnaryCall = grpc.aio.UnaryUnaryCall[Any, Any]
    _UnaryStreamCall = grpc.aio.UnaryStreamCall[Any, Any]
    _StreamUnaryCall = grpc.aio.StreamUnaryCall[Any, Any]
    _StreamStreamCall = grpc.aio.StreamStreamCall[Any, Any]
else:
    _UnaryUnary, _UnaryStream = grpc.UnaryUnaryClientInterceptor, grpc.UnaryStreamClientInterceptor
    _StreamUnary, _StreamStream = grpc.StreamUnaryClientInterceptor, grpc.StreamStreamClientInterceptor
    _AsyncUnaryUnary = grpc.aio.UnaryUnaryClientInterceptor
    _AsyncUnaryStream = grpc.aio.UnaryStreamClientInterceptor
    _AsyncStreamUnary = grpc.aio.StreamUnaryClientInterceptor
    _AsyncStreamStream = grpc.aio.StreamStreamClientInterceptor
    _UnaryUnaryCall, _UnaryStreamCall = grpc.aio.UnaryUnaryCall, grpc.aio.UnaryStreamCall
    _StreamUnaryCall, _StreamStreamCall = grpc.aio.StreamUnaryCall, grpc.aio.StreamStreamCall


class _Call:
    """A call of grpcio whose errors are typed. What it does not have the call has."""

    def __init__(self, call: Any, arguments: DecodeArguments) -> None:
        self._call = call
        self._arguments = arguments

    def __getattr__(self, name: str) -> Any:
        return getattr(self._call, name)

    def _raise(self, error: Any) -> NoReturn:
        raise from_grpc_error(error, **self._arguments) from error

    def result(self, timeout: float | None = None) -> Any:
        """Return the response, or raise its error."""
        try:
            return self._call.result(timeout)
        except grpc.RpcError as error:
            self._raise(error)

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """Return the error of the call, None without one."""
        error = self._call.exception(timeout)
        return from_grpc_error(error, **self._arguments) if isinstance(error, grpc.RpcError) else error

    def add_done_callback(self, callback: Callable[[Any], Any]) -> None:
        """Call back, with this call, when it ended."""
        self._call.add_done_callback(lambda _: callback(self))

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        try:
            return next(self._call)
        except grpc.RpcError as error:
            self._raise(error)


class ClientErrorInterceptor(_UnaryUnary, _UnaryStream, _StreamUnary, _StreamStream):
    """Has the calls of a channel raise what errmap_rpc.grpc.from_grpc_error makes of their
    errors: generated classes, and errmap_rpc.Error for the rest, with the grpc.RpcError as
    the cause. grpc.intercept_channel takes it: first, so that other interceptors see the
    grpc.RpcError."""

    def __init__(self, **arguments: Unpack[DecodeArguments]) -> None:
        self._arguments = arguments

    def _typed(self, continuation: Callable[[Any, Any], Any], details: Any, request: Any) -> Any:
        return _Call(continuation(details, request), self._arguments)

    def intercept_unary_unary(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        """Intercept a unary call."""
        return self._typed(continuation, client_call_details, request)

    def intercept_unary_stream(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        """Intercept a call that is answered with a stream."""
        return self._typed(continuation, client_call_details, request)

    def intercept_stream_unary(self, continuation: Any, client_call_details: Any, request_iterator: Any) -> Any:
        """Intercept a call of a stream of requests."""
        return self._typed(continuation, client_call_details, request_iterator)

    def intercept_stream_stream(self, continuation: Any, client_call_details: Any, request_iterator: Any) -> Any:
        """Intercept a call of two streams."""
        return self._typed(continuation, client_call_details, request_iterator)


class _AsyncCall:
    """A call of grpc.aio whose errors are typed."""

    def __init__(self, call: Any, arguments: DecodeArguments) -> None:
        self._call = call
        self._arguments = arguments

    def _typed(self, error: Any) -> Error:
        return from_grpc_error(error, **self._arguments)

    def __del__(self) -> None:
        pass  # the call itself sees to its end

    def cancelled(self) -> bool:
        return bool(self._call.cancelled())

    def done(self) -> bool:
        return bool(self._call.done())

    def time_remaining(self) -> float | None:
        remaining: float | None = self._call.time_remaining()
        return remaining

    def cancel(self) -> bool:
        return bool(self._call.cancel())

    def add_done_callback(self, callback: Callable[[Any], Any]) -> None:
        self._call.add_done_callback(lambda _: callback(self))

    async def initial_metadata(self) -> Any:
        return await self._call.initial_metadata()

    async def trailing_metadata(self) -> Any:
        return await self._call.trailing_metadata()

    async def code(self) -> grpc.StatusCode:
        code: grpc.StatusCode = await self._call.code()
        return code

    async def details(self) -> str:
        details: str = await self._call.details()
        return details

    async def wait_for_connection(self) -> None:
        try:
            await self._call.wait_for_connection()
        except grpc.aio.AioRpcError as error:
            raise self._typed(error) from error

    async def _response(self) -> Any:
        try:
            return await self._call
        except grpc.aio.AioRpcError as error:
            raise self._typed(error) from error

    async def _responses(self) -> AsyncIterator[Any]:
        try:
            async for response in self._call:
                yield response
        except grpc.aio.AioRpcError as error:
            raise self._typed(error) from error

    async def read(self) -> Any:
        try:
            return await self._call.read()
        except grpc.aio.AioRpcError as error:
            raise self._typed(error) from error

    async def write(self, request: Any) -> None:
        await self._call.write(request)

    async def done_writing(self) -> None:
        await self._call.done_writing()


class _AsyncOne(_AsyncCall):
    def __await__(self) -> Generator[Any, None, Any]:
        return self._response().__await__()


class _AsyncMany(_AsyncCall):
    def __aiter__(self) -> AsyncIterator[Any]:
        return self._responses()


class _AsyncUnaryUnaryCall(_AsyncOne, _UnaryUnaryCall):
    pass


class _AsyncStreamUnaryCall(_AsyncOne, _StreamUnaryCall):
    pass


class _AsyncUnaryStreamCall(_AsyncMany, _UnaryStreamCall):
    pass


class _AsyncStreamStreamCall(_AsyncMany, _StreamStreamCall):
    pass


class _WithArguments:
    def __init__(self, arguments: DecodeArguments) -> None:
        self._arguments = arguments


class _OfUnaryUnary(_WithArguments, _AsyncUnaryUnary):
    async def intercept_unary_unary(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        return _AsyncUnaryUnaryCall(await continuation(client_call_details, request), self._arguments)


class _OfUnaryStream(_WithArguments, _AsyncUnaryStream):
    async def intercept_unary_stream(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        return _AsyncUnaryStreamCall(await continuation(client_call_details, request), self._arguments)


class _OfStreamUnary(_WithArguments, _AsyncStreamUnary):
    async def intercept_stream_unary(self, continuation: Any, client_call_details: Any, request_iterator: Any) -> Any:
        return _AsyncStreamUnaryCall(await continuation(client_call_details, request_iterator), self._arguments)


class _OfStreamStream(_WithArguments, _AsyncStreamStream):
    async def intercept_stream_stream(self, continuation: Any, client_call_details: Any, request_iterator: Any) -> Any:
        return _AsyncStreamStreamCall(await continuation(client_call_details, request_iterator), self._arguments)


def async_client_interceptors(**arguments: Unpack[DecodeArguments]) -> list[Any]:
    """Return interceptors for a channel of grpc.aio, which takes one of each kind of call:
    they do what ClientErrorInterceptor does. They stand before a program's own."""
    return [
        _OfUnaryUnary(arguments),
        _OfUnaryStream(arguments),
        _OfStreamUnary(arguments),
        _OfStreamStream(arguments),
    ]
