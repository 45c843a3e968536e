"""Clients that connectrpc generates, over JSON-RPC 2.0. It needs the extra "connect".

connectrpc's clients take no transport: an interceptor answers in the call's place, and
what the client itself would have sent is never sent.

    client = CartClientSync("http://unused", interceptors=[JSONRPCInterceptor(url)])
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, NoReturn, TypeVar, Unpack

from connectrpc.codec import Codec, proto_json_codec
from connectrpc.compat import google_protobuf_json_codec
from connectrpc.method import MethodInfo
from connectrpc.request import RequestContext
from google.protobuf.message import Message
from pyqwest import Client, Headers, SyncClient

from .codec import decode_jsonrpc
from .error import Error
from .internal.code import Code
from .internal.jsontree import MISSING, JSONError, Node, compact, decode_utf8, get, parse, quote
from .internal.wire.options import FormError, Limits
from .internal.wire.profile import Profile
from .internal.wire.profiles import GENERIC
from .options import DecodeArguments
from .sse import EventReader

__all__ = ["JSONRPCInterceptor", "bare_name", "full_name"]

REQ = TypeVar("REQ")
RES = TypeVar("RES")

_OWN_HEADERS = frozenset(
    ("accept", "accept-encoding", "connect-protocol-version", "content-encoding", "content-length", "content-type")
)
_EVENTS = "text/event-stream"


def full_name(method: MethodInfo[Any, Any]) -> str:
    """Return the name that servers of errmap have for a method: "shop.v1.Cart/Get"."""
    return f"{method.service_name}/{method.name}"


def bare_name(method: MethodInfo[Any, Any]) -> str:
    """Return the name alone, as A2A has it: "Get"."""
    return method.name


class JSONRPCInterceptor:
    """Makes the calls of a connectrpc client, synchronous or not, calls of a JSON-RPC server:
    a unary call is one POST, a server stream one that is answered with server-sent events.
    Streams of requests have no form in JSON-RPC and fail before anything is sent. It stands
    last among the interceptors.

    Errors are raised as generated classes, and as errmap_rpc.Error for the rest. Where an
    answer is no JSON-RPC, its HTTP status says the code; what fails here is local."""

    def __init__(
        self,
        url: str,
        profile: Profile = GENERIC,
        *,
        method_name: Callable[[MethodInfo[Any, Any]], str] = full_name,
        sync_client: SyncClient | None = None,
        async_client: Client | None = None,
        **arguments: Unpack[DecodeArguments],
    ) -> None:
        """url is that of the server's one endpoint; method_name returns what a method is
        called there; sync_client and async_client are to be used for the requests."""
        self._url = url
        self._profile = profile
        self._method_name = method_name
        self._sync_client = sync_client
        self._async_client = async_client
        self._arguments = arguments
        self._limit = arguments.get("limits", Limits()).body
        self._ids = itertools.count(1)

    def intercept_unary_sync(self, call_next: Any, request: REQ, ctx: RequestContext[REQ, RES], /) -> RES:
        """Answer a unary call."""
        call = _Call(self, request, ctx, "application/json")
        try:
            client = self._sync_client or SyncClient()
            with client.stream("POST", self._url, call.headers, call.body, timeout=call.timeout) as response:
                call.answered(response)
                for chunk in response.content:
                    call.add(bytes(chunk))
        except Exception as error:
            call.failed(error)
        answer: RES = call.response()
        return answer

    async def intercept_unary(self, call_next: Any, request: REQ, ctx: RequestContext[REQ, RES], /) -> RES:
        """Answer a unary call."""
        call = _Call(self, request, ctx, "application/json")
        try:
            client = self._async_client or Client()
            async with (
                asyncio.timeout(call.timeout),
                client.stream("POST", self._url, call.headers, call.body) as response,
            ):
                call.answered(response)
                async for chunk in response.content:
                    call.add(bytes(chunk))
        except Exception as error:
            call.failed(error)
        answer: RES = call.response()
        return answer

    def intercept_server_stream_sync(
        self, call_next: Any, request: REQ, ctx: RequestContext[REQ, RES], /
    ) -> Iterator[RES]:
        """Answer a call with the events of a stream."""
        call = _Call(self, request, ctx, f"application/json, {_EVENTS}")
        try:
            client = self._sync_client or SyncClient()
            with client.stream("POST", self._url, call.headers, call.body, timeout=call.timeout) as response:
                call.answered(response)
                for chunk in response.content:
                    yield from call.events(bytes(chunk))
        except Exception as error:
            call.failed(error)
        if not call.streams:
            yield call.response()

    async def intercept_server_stream(
        self, call_next: Any, request: REQ, ctx: RequestContext[REQ, RES], /
    ) -> AsyncIterator[RES]:
        """Answer a call with the events of a stream."""
        call = _Call(self, request, ctx, f"application/json, {_EVENTS}")
        try:
            client = self._async_client or Client()
            async with (
                asyncio.timeout(call.timeout),
                client.stream("POST", self._url, call.headers, call.body) as response,
            ):
                call.answered(response)
                async for chunk in response.content:
                    for message in call.events(bytes(chunk)):
                        yield message
        except Exception as error:
            call.failed(error)
        if not call.streams:
            yield call.response()

    def intercept_client_stream_sync(self, call_next: Any, request: Any, ctx: Any, /) -> Any:
        """Refuse a stream of requests."""
        raise _no_form(ctx)

    def intercept_bidi_stream_sync(self, call_next: Any, request: Any, ctx: Any, /) -> Any:
        """Refuse a stream of requests."""
        raise _no_form(ctx)

    async def intercept_client_stream(self, call_next: Any, request: Any, ctx: Any, /) -> Any:
        """Refuse a stream of requests."""
        raise _no_form(ctx)

    async def intercept_bidi_stream(self, call_next: Any, request: Any, ctx: Any, /) -> AsyncIterator[Any]:
        """Refuse a stream of requests."""
        raise _no_form(ctx)
        yield


def _no_form(ctx: RequestContext[Any, Any]) -> Error:
    name = full_name(ctx.method)
    return Error(Code.UNIMPLEMENTED, f"JSON-RPC has no form for the client streaming of {name}").with_local()


def _local(code: Code, message: str) -> Error:
    return Error(code, message).with_local()


class _Call:
    """One call: what is sent, and what was received so far."""

    def __init__(self, of: JSONRPCInterceptor, request: Any, ctx: RequestContext[Any, Any], accept: str) -> None:
        self.of = of
        self.id = str(next(of._ids))
        self.output: type[Any] = ctx.method.output
        self.codec: Codec[Any, Any] = (
            google_protobuf_json_codec() if isinstance(request, Message) else proto_json_codec()
        )
        name = of._method_name(ctx.method)
        params = bytes(self.codec.encode(request)).decode()
        self.body = f'{{"jsonrpc":"2.0","id":{self.id},"method":{quote(name)},"params":{params}}}'.encode()
        kept = [(key, value) for key, value in ctx.request_headers.allitems() if key.lower() not in _OWN_HEADERS]
        self.headers = Headers([*kept, ("content-type", "application/json"), ("accept", accept)])
        self.timeout: float | None = None
        if ctx.timeout_ms is not None:
            self.timeout = ctx.timeout_ms / 1000
            if self.timeout <= 0:
                raise _local(Code.DEADLINE_EXCEEDED, "deadline exceeded")
        self.status = 0
        self.retry_after: list[str] = []
        self.streams = False
        """Whether the answer is a stream of events."""
        self.reader = EventReader(of._limit)
        self.received = bytearray()

    def answered(self, response: Any) -> None:
        """Take the head of the response."""
        self.status = response.status
        self.retry_after = [value for key, value in response.headers.items() if key.lower() == "retry-after"]
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        self.streams = kind == _EVENTS and 200 <= self.status < 300

    def add(self, chunk: bytes) -> None:
        self.received += chunk
        if len(self.received) > self.of._limit:
            raise _local(Code.RESOURCE_EXHAUSTED, f"the answer is larger than {self.of._limit} bytes")

    def events(self, chunk: bytes) -> Iterator[Any]:
        """Yield the messages that end in a part of a stream."""
        if not self.streams:
            self.add(chunk)
            return
        for event in self.reader.feed(chunk):
            yield self.outcome(event)

    def response(self) -> Any:
        """Return the one message of an answer, or raise its error."""
        return self.outcome(bytes(self.received))

    def outcome(self, body: bytes) -> Any:
        """Return the message of a response, or raise its error."""
        text = decode_utf8(body)
        try:
            root: Node = parse(text)
        except JSONError:
            root = MISSING
        error = get(root, "error")
        if error is not MISSING and error is not None:
            known = get(root, "id")
            if known is None or known is MISSING or compact(known) in (self.id, f'"{self.id}"'):
                self._raise(text)
        result = get(root, "result")
        if result is MISSING or not 200 <= self.status < 300:
            self._raise("")
        known = get(root, "id")
        if known is MISSING or compact(known) != self.id:
            raise _local(Code.INTERNAL, "the answer bears the id of another call")
        try:
            return self.codec.decode(compact(result).encode(), self.output)
        except Exception as why:
            raise _local(Code.INTERNAL, "the result cannot be read") from why

    def _raise(self, text: str) -> NoReturn:
        arguments: DecodeArguments = {
            "http_status": self.status,
            "retry_after": self.retry_after,
            **self.of._arguments,
        }
        try:
            raise decode_jsonrpc(text, self.of._profile, **arguments)
        except FormError as why:
            raise _local(Code.INTERNAL, "the answer is no JSON-RPC response") from why

    def failed(self, error: Exception) -> NoReturn:
        """Raise what an exception of the transport means."""
        if isinstance(error, Error):
            raise error
        if isinstance(error, TimeoutError):
            raise _local(Code.DEADLINE_EXCEEDED, "deadline exceeded") from error
        raise _local(Code.UNAVAILABLE, "the server cannot be reached, or broke off") from error
