"""Servers in Python: what handlers raise, and what callers see of it."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import grpc.aio
import pytest
from connectrpc.client import ConnectClient, ConnectClientSync
from connectrpc.code import Code as ConnectCode
from connectrpc.compat import google_protobuf_binary_codec, google_protobuf_codecs
from connectrpc.errors import ConnectError
from connectrpc.request import RequestContext
from connectrpc.server import (
    ConnectASGIApplication,
    ConnectWSGIApplication,
    Endpoint,
    EndpointSync,
)
from google.rpc import error_details_pb2 as rpc
from pyqwest import Client, SyncClient
from pyqwest.testing import ASGITransport, WSGITransport
from shop.v1 import cart_pb2
from shop.v1.cart_errmap import InvalidCartError, StockEmptyError

import errmap_rpc
import errmap_rpc.connect
import errmap_rpc.grpc
from test_live import GET, WATCH

Request = cart_pb2.GetRequest
Response = cart_pb2.GetResponse


def gone() -> errmap_rpc.Error:
    """Return the error of a call that failed here, with the answer of an intermediary."""
    page = '{"error":{"code":503,"message":"dial 10.0.0.7","details":[{"@type":"x/y","n":1}],"via":"10.0.0.7"}}'
    read = errmap_rpc.decode_http(page, retry_after="7")
    return read.with_detail(rpc.RequestInfo(serving_data="10.0.0.7")).with_local()


def fail(sku: str) -> Response:
    """Raise what an article says."""
    match sku:
        case "stock":
            raise StockEmptyError(sku="A1").with_detail(rpc.DebugInfo(detail="stack"))
        case "remote":
            raise StockEmptyError(sku="A1").with_remote()
        case "forward":
            raise errmap_rpc.forward(StockEmptyError(sku="A1").with_remote())
        case "local":
            raise errmap_rpc.forward(gone())
        case "hidden":
            raise RuntimeError("password=hunter2")
    return Response(sku=sku, qty=1)


class Reports:
    def __init__(self) -> None:
        self.all: list[tuple[BaseException, str]] = []
        self.guard = errmap_rpc.Guard(log=lambda error, request_id: self.all.append((error, request_id)))


def check(call: object, reports: Reports) -> None:
    """Check what a caller gets, whatever the library."""
    assert callable(call)
    error = call("stock")
    assert isinstance(error, StockEmptyError) and error.sku == "A1" and error.remote
    assert error.detail(rpc.DebugInfo) is None
    assert isinstance(call("forward"), StockEmptyError)
    local = call("local")
    assert (local.code, local.message) == (errmap_rpc.Code.UNAVAILABLE, "unavailable")
    assert [detail.name for detail in local.raw_details] == ["google.rpc.RetryInfo"] and not local.received
    assert not reports.all
    for sku in ("remote", "hidden"):
        error = call(sku)
        assert (error.code, error.message) == (errmap_rpc.Code.INTERNAL, "internal error")
        info = error.detail(rpc.RequestInfo)
        kept, request_id = reports.all.pop()
        assert info is not None and info.request_id == request_id
        assert isinstance(kept, StockEmptyError if sku == "remote" else RuntimeError)


class Handlers(grpc.GenericRpcHandler):  # type: ignore[type-arg]
    def service(self, details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[Request, Response]:
        read, write = Request.FromString, Response.SerializeToString
        if details.method.endswith("Watch"):
            return grpc.unary_stream_rpc_method_handler(self.watch, read, write)
        if details.method.endswith("Fill"):
            return grpc.stream_unary_rpc_method_handler(self.fill, read, write)
        if details.method.endswith("Haggle"):
            return grpc.stream_stream_rpc_method_handler(self.haggle, read, write)
        return grpc.unary_unary_rpc_method_handler(self.get, read, write)

    def get(self, request: Request, context: grpc.ServicerContext) -> Response:
        if request.sku == "aborted":
            context.abort(grpc.StatusCode.DATA_LOSS, "by hand")
        if request.sku == "code set":
            context.set_code(grpc.StatusCode.NOT_FOUND)
            raise RuntimeError("password=hunter2")
        return fail(request.sku)

    def watch(self, request: Request, context: grpc.ServicerContext) -> Iterator[Response]:
        yield Response(sku="A1")
        yield fail(request.sku)

    def fill(self, requests: Iterator[Request], context: grpc.ServicerContext) -> Response:
        return fail(next(requests).sku)

    def haggle(self, requests: Iterator[Request], context: grpc.ServicerContext) -> Iterator[Response]:
        for request in requests:
            yield fail(request.sku)


class TestGRPC:
    @pytest.fixture
    def reports(self) -> Reports:
        return Reports()

    @pytest.fixture
    def channel(self, reports: Reports) -> Iterator[grpc.Channel]:
        interceptor = errmap_rpc.grpc.ErrorInterceptor(reports.guard)
        server = grpc.server(ThreadPoolExecutor(4), interceptors=[interceptor])
        server.add_generic_rpc_handlers([Handlers()])
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        try:
            with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
                yield channel
        finally:
            server.stop(0)

    @pytest.mark.parametrize("method", ["Get", "Watch", "Fill", "Haggle"])
    def test_raises(self, channel: grpc.Channel, reports: Reports, method: str) -> None:
        path, write, read = f"/shop.v1.Cart/{method}", Request.SerializeToString, Response.FromString

        def call(sku: str) -> errmap_rpc.Error:
            request = Request(sku=sku)
            with pytest.raises(grpc.RpcError) as caught:
                match method:
                    case "Get":
                        channel.unary_unary(path, write, read)(request)
                    case "Watch":
                        list(channel.unary_stream(path, write, read)(request))
                    case "Fill":
                        channel.stream_unary(path, write, read)(iter([request]))
                    case "Haggle":
                        list(channel.stream_stream(path, write, read)(iter([request])))
            assert isinstance(caught.value, grpc.Call)
            return errmap_rpc.grpc.from_grpc_error(caught.value)

        check(call, reports)

    def test_aborts_by_hand(self, channel: grpc.Channel, reports: Reports) -> None:
        get = channel.unary_unary("/shop.v1.Cart/Get", Request.SerializeToString, Response.FromString)
        with pytest.raises(grpc.RpcError) as caught:
            get(Request(sku="aborted"))
        assert isinstance(caught.value, grpc.Call)
        error = errmap_rpc.grpc.from_grpc_error(caught.value)
        assert (error.code, error.message) == (errmap_rpc.Code.DATA_LOSS, "by hand")
        assert not reports.all
        assert get(Request(sku="A1")).qty == 1

    def test_hides_what_is_raised_after_a_code_was_set(self, channel: grpc.Channel, reports: Reports) -> None:
        get = channel.unary_unary("/shop.v1.Cart/Get", Request.SerializeToString, Response.FromString)
        with pytest.raises(grpc.RpcError) as caught:
            get(Request(sku="code set"))
        assert isinstance(caught.value, grpc.Call)
        error = errmap_rpc.grpc.from_grpc_error(caught.value)
        assert (error.code, error.message) == (errmap_rpc.Code.INTERNAL, "internal error")
        assert "hunter2" in str(reports.all[0][0])


class AsyncHandlers(Handlers):
    """The same for grpc.aio."""

    async def get(self, request: Request, context: Any) -> Response:  # type: ignore[override]
        if request.sku == "aborted":
            await context.abort(grpc.StatusCode.DATA_LOSS, "by hand")
        return fail(request.sku)

    async def watch(self, request: Request, context: Any) -> AsyncIterator[Response]:  # type: ignore[override]
        yield Response(sku="A1")
        yield fail(request.sku)

    async def fill(self, requests: Any, context: Any) -> Response:  # type: ignore[override]
        return fail((await anext(aiter(requests))).sku)

    async def haggle(self, requests: Any, context: Any) -> AsyncIterator[Response]:  # type: ignore[override]
        async for request in requests:
            yield fail(request.sku)


class TestAsyncGRPC:
    @pytest.mark.parametrize("method", ["Get", "Watch", "Fill", "Haggle"])
    @pytest.mark.parametrize("handlers", [AsyncHandlers, Handlers])
    def test_raises(self, method: str, handlers: type[Handlers]) -> None:
        asyncio.run(self.run(method, handlers()))

    async def run(self, method: str, handlers: Handlers) -> None:
        reports, threads = Reports(), ThreadPoolExecutor(4)
        interceptors = [errmap_rpc.grpc.AsyncErrorInterceptor(reports.guard)]
        server = grpc.aio.server(threads, interceptors=interceptors)
        server.add_generic_rpc_handlers([handlers])
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        path, write, read = f"/shop.v1.Cart/{method}", Request.SerializeToString, Response.FromString
        errors = {}
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            for sku in ("stock", "forward", "local", "aborted", "remote", "hidden"):
                if sku == "aborted" and method != "Get":
                    continue
                request = Request(sku=sku)
                with pytest.raises(grpc.aio.AioRpcError) as caught:
                    match method:
                        case "Get":
                            await channel.unary_unary(path, write, read)(request)
                        case "Watch":
                            async for _ in channel.unary_stream(path, write, read)(request):
                                pass
                        case "Fill":
                            await channel.stream_unary(path, write, read)(iter([request]))
                        case "Haggle":
                            async for _ in channel.stream_stream(path, write, read)(iter([request])):
                                pass
                errors[sku] = errmap_rpc.grpc.from_grpc_error(caught.value)
                if sku == "aborted":
                    assert errors[sku].message == "by hand"
        await server.stop(0)
        kept = iter(list(reports.all))
        reports.all.clear()

        def call(sku: str) -> errmap_rpc.Error:
            if sku in ("remote", "hidden"):
                reports.all.append(next(kept))
            return errors[sku]

        check(call, reports)


def failing_app(kind: str) -> Any:
    """Return an upstream that answers with an error of its own, or with no answer of Connect."""

    def answer(_: object, start: Any) -> list[bytes]:
        content = "application/json" if kind == "error" else "text/html"
        start("404 Not Found", [("content-type", content)])
        return [b'{"code":"not_found","message":"password=hunter2"}']

    return answer


class Service:
    """Both kinds of handlers of connectrpc."""

    def get(self, request: Request, _: RequestContext[Request, Response]) -> Response:
        if request.sku == "connect":
            raise errmap_rpc.connect.to_connect_error(InvalidCartError())
        if request.sku == "own":
            raise ConnectError(ConnectCode.NOT_FOUND, "mine")
        if request.sku.startswith("call "):
            http = SyncClient(WSGITransport(failing_app(request.sku.removeprefix("call "))))
            client = ConnectClientSync("http://upstream", codec=google_protobuf_binary_codec(), http_client=http)
            client.execute_unary(request=Request(), method=GET)
        return fail(request.sku)

    def watch(self, request: Request, _: RequestContext[Request, Response]) -> Iterator[Response]:
        yield Response(sku="A1")
        yield fail(request.sku)

    async def get_async(self, request: Request, _: RequestContext[Request, Response]) -> Response:
        return fail(request.sku)

    async def watch_async(self, request: Request, _: RequestContext[Request, Response]) -> AsyncIterator[Response]:
        yield Response(sku="A1")
        yield fail(request.sku)


class WSGI(ConnectWSGIApplication):
    path = "/shop.v1.Cart"


class ASGI(ConnectASGIApplication[Service]):
    path = "/shop.v1.Cart"


class TestConnect:
    @pytest.mark.parametrize("stream", [False, True])
    def test_raises(self, stream: bool) -> None:
        reports, service = Reports(), Service()
        app = WSGI(
            endpoints={
                "/shop.v1.Cart/Get": EndpointSync.unary(method=GET, function=service.get),
                "/shop.v1.Cart/Watch": EndpointSync.server_stream(method=WATCH, function=service.watch),
            },
            interceptors=[errmap_rpc.connect.ErrorInterceptor(reports.guard)],
            codecs=google_protobuf_codecs(),
        )
        http = SyncClient(WSGITransport(app))
        client = ConnectClientSync("http://test", codec=google_protobuf_binary_codec(), http_client=http)

        def call(sku: str) -> errmap_rpc.Error:
            with pytest.raises(ConnectError) as caught:
                if stream:
                    list(client.execute_server_stream(request=Request(sku=sku), method=WATCH))
                else:
                    client.execute_unary(request=Request(sku=sku), method=GET)
            return errmap_rpc.connect.from_connect_error(caught.value)

        check(call, reports)
        if not stream:
            assert isinstance(call("connect"), InvalidCartError)
            assert call("own").message == "mine"
            for sku in ("call error", "call page"):
                error = call(sku)
                assert (error.code, error.message) == (errmap_rpc.Code.INTERNAL, "internal error")
                assert isinstance(reports.all.pop()[0], ConnectError)
            assert client.execute_unary(request=Request(sku="A1"), method=GET).qty == 1

    @pytest.mark.parametrize("stream", [False, True])
    def test_raises_async(self, stream: bool) -> None:
        reports, service = Reports(), Service()
        app = ASGI(
            service=service,
            endpoints=lambda service: {
                "/shop.v1.Cart/Get": Endpoint.unary(method=GET, function=service.get_async),
                "/shop.v1.Cart/Watch": Endpoint.server_stream(method=WATCH, function=service.watch_async),
            },
            interceptors=[errmap_rpc.connect.ErrorInterceptor(reports.guard)],
            codecs=google_protobuf_codecs(),
        )

        async def call_async(sku: str) -> errmap_rpc.Error:
            client = ConnectClient(
                "http://test",
                codec=google_protobuf_binary_codec(),
                http_client=Client(ASGITransport(app)),
            )
            with pytest.raises(ConnectError) as caught:
                if stream:
                    async for _ in client.execute_server_stream(request=Request(sku=sku), method=WATCH):
                        pass
                else:
                    await client.execute_unary(request=Request(sku=sku), method=GET)
            return errmap_rpc.connect.from_connect_error(caught.value)

        check(lambda sku: asyncio.run(call_async(sku)), reports)


def test_guard_may_let_debug_info_out() -> None:
    error = errmap_rpc.Error(errmap_rpc.Code.ABORTED).with_detail(rpc.DebugInfo(detail="x"))
    assert errmap_rpc.Guard().outgoing(error).detail(rpc.DebugInfo) is None
    assert errmap_rpc.Guard(debug_info=True).outgoing(error) is error
    assert copy.copy(errmap_rpc.forward(error.with_remote())).remote


def test_guard_logs(caplog: pytest.LogCaptureFixture) -> None:
    hidden = errmap_rpc.Guard(hidden_message="sorry").outgoing(ValueError("secret"))
    info = hidden.detail(rpc.RequestInfo)
    assert hidden.message == "sorry" and info is not None and info.request_id in caplog.text
    assert "secret" in caplog.text and "secret" not in str(hidden)


def test_guard_survives_its_log(caplog: pytest.LogCaptureFixture) -> None:
    def log(error: BaseException, request_id: str) -> None:
        raise OSError("no space left on 10.0.0.7")

    hidden = errmap_rpc.Guard(log=log).outgoing(ValueError("secret"))
    assert hidden.message == "internal error"
    assert "no space left" in caplog.text and "secret" in caplog.text
