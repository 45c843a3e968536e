"""Clients whose calls raise typed errors: connectrpc's with both of its message libraries,
grpcio's with and without asyncio, and connectrpc's over JSON-RPC."""

from __future__ import annotations

import asyncio
import importlib
import socket
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc
import grpc.aio
import pytest
from connectrpc.client import ConnectClientSync
from connectrpc.compat import google_protobuf_binary_codec, google_protobuf_codecs
from connectrpc.errors import ConnectError
from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from connectrpc.server import ConnectWSGIApplication, EndpointSync
from google.protobuf.struct_pb2 import Struct
from jsonrpclib.jsonrpc import Fault  # type: ignore[import-untyped]
from jsonrpclib.SimpleJSONRPCServer import SimpleJSONRPCServer  # type: ignore[import-untyped]
from pyqwest import SyncClient
from pyqwest.testing import WSGITransport
from shop.v1 import cart_pb2
from shop.v1.cart_errmap import InvalidCartError, StockEmptyError

import errmap_rpc
import errmap_rpc.connect
import errmap_rpc.grpc
import errmap_rpc.grpcclient
from conftest import ROOT
from errmap.a2a.v1.errors_errmap import TaskNotFoundError, UnsupportedOperationError
from errmap_rpc.jsonrpc import JSONRPCInterceptor, bare_name
from errmap_rpc.sse import EventReader
from test_live import GET, WATCH

BIN = Path(sys.executable).parent
Request = cart_pb2.GetRequest


def generate(out: Path, *arguments: str) -> None:
    includes = [f"-I{ROOT / path}" for path in ("internal/testproto", "proto", "third_party/googleapis")]
    command = [sys.executable, "-m", "grpc_tools.protoc", *includes, *arguments]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


@pytest.fixture(scope="session")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """The client that connectrpc's generator writes for each message library, where the
    README says that it is to be: that of protobuf-py is a package of its own."""
    path = tmp_path_factory.mktemp("generated")
    connect = f"--plugin=protoc-gen-connectrpc={BIN / 'protoc-gen-connectrpc'}"
    for directory in ("google", "pb"):
        (path / directory).mkdir()
    generate(
        path, connect, f"--connectrpc_out={path / 'google'}", "--connectrpc_opt=protobuf=google", "shop/v1/cart.proto"
    )
    generate(
        path,
        *(connect, f"--connectrpc_out={path / 'pb'}"),
        *(f"--plugin=protoc-gen-py={BIN / 'protoc-gen-py'}", f"--py_out={path / 'pb'}"),
        *("shop/v1/cart.proto", "errmap/v1/error.proto", "google/rpc/error_details.proto", "google/rpc/code.proto"),
    )
    import shop.v1

    shop.v1.__path__.append(str(path / "google" / "shop" / "v1"))
    sys.path.insert(0, str(path))
    try:
        google = importlib.import_module("shop.v1.cart_connect")
        pb = importlib.import_module("pb.shop.v1.cart_connect")
        messages = importlib.import_module("pb.shop.v1.cart_pb")
        yield {"google": (google, cart_pb2), "protobuf-py": (pb, messages)}
    finally:
        sys.path.remove(str(path))


LIBRARIES = ("google", "protobuf-py")


def interceptors(server: str, wire: str) -> list[Any]:
    if wire == "connect":
        return [errmap_rpc.connect.ClientErrorInterceptor()]
    return [JSONRPCInterceptor(server + "/")]


@pytest.mark.parametrize("wire", ["connect", "jsonrpc"])
@pytest.mark.parametrize("library", LIBRARIES)
class TestFinding_N19:
    """Generated clients of both message libraries."""

    def test_raises(self, server: str, libraries: dict[str, Any], library: str, wire: str) -> None:
        module, messages = libraries[library]
        with module.CartClientSync(server, interceptors=interceptors(server, wire)) as client:
            with pytest.raises(StockEmptyError) as caught:
                client.get(messages.GetRequest(sku="stock"))
            assert caught.value.sku == "A1 é" and caught.value.remote
            with pytest.raises(errmap_rpc.Error, match="line1") as plain:
                client.get(messages.GetRequest(sku="plain"))
            assert type(plain.value) is errmap_rpc.Error and plain.value.code == errmap_rpc.Code.ABORTED
            assert client.get(messages.GetRequest(sku="A1", qty=2)).qty == 2
            quantities = []
            with pytest.raises(StockEmptyError) as streamed:
                for each in client.watch(messages.GetRequest(sku="A1", qty=2)):
                    quantities.append(each.qty)
            assert quantities == [2, 1] and streamed.value.sku == "A1"

    def test_raises_async(self, server: str, libraries: dict[str, Any], library: str, wire: str) -> None:
        module, messages = libraries[library]

        async def calls() -> None:
            async with module.CartClient(server, interceptors=interceptors(server, wire)) as client:
                with pytest.raises(InvalidCartError) as caught:
                    await client.get(messages.GetRequest(sku="invalid"))
                assert caught.value.fields_ is not None
                assert (await client.get(messages.GetRequest(sku="A1", qty=3))).qty == 3
                quantities = []
                with pytest.raises(StockEmptyError):
                    async for each in client.watch(messages.GetRequest(sku="A1", qty=2)):
                        quantities.append(each.qty)
                assert quantities == [2, 1]

        asyncio.run(calls())

    def test_streams_of_requests(self, server: str, libraries: dict[str, Any], library: str, wire: str) -> None:
        module, messages = libraries[library]
        with module.CartClientSync(server, interceptors=interceptors(server, wire)) as client:
            with pytest.raises(errmap_rpc.Error) as caught:
                client.fill(iter([messages.GetRequest(sku="A1")]))
            assert caught.value.code == errmap_rpc.Code.UNIMPLEMENTED
            assert caught.value.local == (wire == "jsonrpc")
            with pytest.raises(errmap_rpc.Error):
                list(client.haggle(iter([messages.GetRequest(sku="A1")])))

    def test_reaches_nobody(self, libraries: dict[str, Any], library: str, wire: str) -> None:
        module, messages = libraries[library]
        with module.CartClientSync(
            "http://127.0.0.1:1", interceptors=interceptors("http://127.0.0.1:1", wire)
        ) as client:
            with pytest.raises(errmap_rpc.Error) as caught:
                client.get(messages.GetRequest())
            assert caught.value.code == errmap_rpc.Code.UNAVAILABLE and caught.value.local
            assert "127.0.0.1" not in caught.value.message or wire == "connect"

    def test_deadline(self, server: str, libraries: dict[str, Any], library: str, wire: str) -> None:
        module, messages = libraries[library]
        with module.CartClientSync(server, interceptors=interceptors(server, wire)) as client:
            with pytest.raises(errmap_rpc.Error) as caught:
                client.get(messages.GetRequest(sku="slow"), timeout_ms=300)
            assert caught.value.code == errmap_rpc.Code.DEADLINE_EXCEEDED

        async def call() -> None:
            async with module.CartClient(server, interceptors=interceptors(server, wire)) as client:
                with pytest.raises(errmap_rpc.Error) as caught:
                    await client.get(messages.GetRequest(sku="slow"), timeout_ms=300)
                assert caught.value.code == errmap_rpc.Code.DEADLINE_EXCEEDED

        asyncio.run(call())


class TestFinding_N03:
    """An interceptor on the side that it is not for is refused at once, by name."""

    def test_servers_on_a_client(self) -> None:
        interceptor = errmap_rpc.connect.ErrorInterceptor()
        client = ConnectClientSync(
            "http://127.0.0.1:1", codec=google_protobuf_binary_codec(), interceptors=[interceptor]
        )
        with pytest.raises(TypeError, match="ClientErrorInterceptor"):
            client.execute_unary(request=Request(), method=GET)
        with pytest.raises(TypeError, match="ClientErrorInterceptor"):
            list(client.execute_server_stream(request=Request(), method=WATCH))

    def test_clients_on_a_server(self) -> None:
        class App(ConnectWSGIApplication):
            path = "/shop.v1.Cart"

        app = App(
            endpoints={"/shop.v1.Cart/Get": EndpointSync.unary(method=GET, function=lambda request, _: request)},
            interceptors=[errmap_rpc.connect.ClientErrorInterceptor()],
            codecs=google_protobuf_codecs(),
        )
        http = SyncClient(WSGITransport(app))
        client = ConnectClientSync("http://test", codec=google_protobuf_binary_codec(), http_client=http)
        with pytest.raises(ConnectError, match="is for clients"):
            client.execute_unary(request=Request(), method=GET)

    def test_grpcio(self) -> None:
        with grpc.insecure_channel("127.0.0.1:1") as channel:
            with pytest.raises(TypeError, match="interceptor must be"):
                grpc.intercept_channel(channel, errmap_rpc.grpc.ErrorInterceptor())  # type: ignore[arg-type]

        async def aio() -> None:
            with pytest.raises(ValueError, match="AsyncErrorInterceptor"):
                grpc.aio.insecure_channel("127.0.0.1:1", interceptors=[errmap_rpc.grpc.AsyncErrorInterceptor()])  # type: ignore[list-item]

        asyncio.run(aio())


class Handlers(grpc.GenericRpcHandler[Any, Any] if TYPE_CHECKING else grpc.GenericRpcHandler):  # type: ignore[misc]
    """All kinds of methods, each of which fails as its article says."""

    def service(self, handler_call_details: Any) -> Any:
        def single(request: Any, _: Any) -> cart_pb2.GetResponse:
            request = request if isinstance(request, Request) else list(request)[-1]
            if request.sku == "stock":
                raise StockEmptyError(sku="A1")
            return cart_pb2.GetResponse(sku=request.sku, qty=1)

        def stream(request: Any, context: Any) -> Iterator[cart_pb2.GetResponse]:
            yield cart_pb2.GetResponse(qty=7)
            yield single(request, context)

        kinds: dict[str, tuple[Callable[..., Any], Any]] = {
            "Get": (grpc.unary_unary_rpc_method_handler, single),
            "Watch": (grpc.unary_stream_rpc_method_handler, stream),
            "Fill": (grpc.stream_unary_rpc_method_handler, single),
            "Haggle": (grpc.stream_stream_rpc_method_handler, stream),
        }
        make, behavior = kinds[handler_call_details.method.rpartition("/")[2]]
        return make(behavior, Request.FromString, cart_pb2.GetResponse.SerializeToString)


@pytest.fixture(scope="module")
def grpc_server() -> Iterator[str]:
    server = grpc.server(ThreadPoolExecutor(4), interceptors=[errmap_rpc.grpc.ErrorInterceptor()])
    server.add_generic_rpc_handlers([Handlers()])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield f"127.0.0.1:{port}"
    server.stop(0)


def methods(channel: Any) -> dict[str, Any]:
    write, read = Request.SerializeToString, cart_pb2.GetResponse.FromString
    return {
        "Get": channel.unary_unary("/shop.v1.Cart/Get", write, read),
        "Watch": channel.unary_stream("/shop.v1.Cart/Watch", write, read),
        "Fill": channel.stream_unary("/shop.v1.Cart/Fill", write, read),
        "Haggle": channel.stream_stream("/shop.v1.Cart/Haggle", write, read),
    }


class TestGRPC:
    def test_raises(self, grpc_server: str) -> None:
        interceptor = errmap_rpc.grpcclient.ClientErrorInterceptor()
        with grpc.insecure_channel(grpc_server) as plain:
            call = methods(grpc.intercept_channel(plain, interceptor))
            for ask in (
                lambda: call["Get"](Request(sku="stock")),
                lambda: call["Get"].with_call(Request(sku="stock")),
                lambda: call["Get"].future(Request(sku="stock")).result(),
                lambda: call["Fill"](iter([Request(sku="stock")])),
                lambda: call["Fill"].future(iter([Request(sku="stock")])).result(5),
                lambda: list(call["Watch"](Request(sku="stock"))),
                lambda: list(call["Haggle"](iter([Request(sku="stock")]))),
            ):
                with pytest.raises(StockEmptyError) as caught:
                    ask()
                assert caught.value.sku == "A1" and isinstance(caught.value.__cause__, grpc.RpcError)
            assert isinstance(call["Get"].future(Request(sku="stock")).exception(), StockEmptyError)
            assert call["Get"](Request(sku="A1")).qty == 1
            response, details = call["Get"].with_call(Request(sku="A1"))
            assert response.qty == 1 and details.code() == grpc.StatusCode.OK
            assert call["Get"].future(Request(sku="A1")).exception() is None
            assert [each.qty for each in call["Watch"](Request(sku="A1"))] == [7, 1]
            assert call["Watch"](Request(sku="A1")).initial_metadata() is not None
            ended = threading.Event()
            call["Get"].future(Request(sku="stock")).add_done_callback(lambda _: ended.set())
            assert ended.wait(5)

    def test_reaches_nobody(self) -> None:
        with grpc.insecure_channel("127.0.0.1:1") as plain:
            call = methods(grpc.intercept_channel(plain, errmap_rpc.grpcclient.ClientErrorInterceptor()))
            with pytest.raises(errmap_rpc.Error) as caught:
                call["Get"](Request(), timeout=5)
            assert caught.value.code == errmap_rpc.Code.UNAVAILABLE and caught.value.local

    def test_raises_async(self, grpc_server: str) -> None:
        async def calls() -> None:
            interceptors = errmap_rpc.grpcclient.async_client_interceptors()
            async with grpc.aio.insecure_channel(grpc_server, interceptors=interceptors) as channel:
                call = methods(channel)
                with pytest.raises(StockEmptyError) as caught:
                    await call["Get"](Request(sku="stock"))
                assert caught.value.sku == "A1" and isinstance(caught.value.__cause__, grpc.aio.AioRpcError)
                with pytest.raises(StockEmptyError):
                    await call["Fill"](iter([Request(sku="stock")]))
                with pytest.raises(StockEmptyError):
                    async for _ in call["Watch"](Request(sku="stock")):
                        pass
                with pytest.raises(StockEmptyError):
                    async for _ in call["Haggle"](requests()):
                        pass
                good = call["Get"](Request(sku="A1"))
                assert (await good).qty == 1 and await good.code() == grpc.StatusCode.OK and good.done()
                assert [each.qty async for each in call["Watch"](Request(sku="A1"))] == [7, 1]
                failing = call["Get"](Request(sku="stock"))
                assert await failing.code() == grpc.StatusCode.FAILED_PRECONDITION

        async def requests() -> AsyncIterator[Request]:
            yield Request(sku="stock")

        asyncio.run(calls())


def a2a(name: str, kind: StreamType) -> MethodInfo[Struct, Struct]:
    return MethodInfo(
        name=name,
        service_name="lf.a2a.v1.A2AService",
        input=Struct,
        output=Struct,
        stream_type=kind,
        idempotency_level=IdempotencyLevel.UNKNOWN,
    )


def struct(**members: Any) -> Struct:
    made = Struct()
    made.update(members)
    return made


class TestAgent:
    """errmap serve, over JSON-RPC and over Connect."""

    def client(self, agent: str) -> ConnectClientSync:
        interceptor = JSONRPCInterceptor(agent + "/", errmap_rpc.A2A, method_name=bare_name)
        return ConnectClientSync("http://unused", codec=google_protobuf_binary_codec(), interceptors=[interceptor])

    def test_typed(self, agent: str) -> None:
        headers = {"A2A-Version": "1.0"}
        with pytest.raises(TaskNotFoundError) as caught:
            self.client(agent).execute_unary(
                request=struct(id="nope"), method=a2a("GetTask", StreamType.UNARY), headers=headers
            )
        assert caught.value.remote and not caught.value.received

    def test_streams(self, agent: str) -> None:
        message = struct(message={"messageId": "1", "role": "ROLE_USER", "parts": [{"text": "hello"}]})
        method = a2a("SendStreamingMessage", StreamType.SERVER_STREAM)
        headers = {"A2A-Version": "1.0"}
        answers = list(self.client(agent).execute_server_stream(request=message, method=method, headers=headers))
        assert answers and all(isinstance(each, Struct) for each in answers)
        message.update(
            {"message": {"messageId": "2", "role": "ROLE_USER", "parts": [{"text": "fail UNSUPPORTED_OPERATION"}]}}
        )
        with pytest.raises(UnsupportedOperationError):
            list(self.client(agent).execute_server_stream(request=message, method=method, headers=headers))


@pytest.fixture(scope="module")
def foreign() -> Iterator[str]:
    """A JSON-RPC server that knows nothing of errmap."""

    def divide(a: float, b: float) -> object:
        if b == 0:
            return Fault(-32000, "division by zero", data={"a": a})
        return {"quotient": a / b}

    server = SimpleJSONRPCServer(("127.0.0.1", 0), logRequests=False)
    server.register_function(divide, "divide")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


class TestForeignServer:
    def call(self, url: str, name: str, **params: Any) -> Struct:
        interceptor = JSONRPCInterceptor(url, method_name=bare_name)
        client = ConnectClientSync("http://unused", codec=google_protobuf_binary_codec(), interceptors=[interceptor])
        return client.execute_unary(request=struct(**params), method=a2a(name, StreamType.UNARY))

    def test_result(self, foreign: str) -> None:
        assert self.call(foreign, "divide", a=6, b=3)["quotient"] == 2

    def test_errors(self, foreign: str) -> None:
        with pytest.raises(errmap_rpc.Error) as caught:
            self.call(foreign, "divide", a=6, b=0)
        error = caught.value
        assert (error.code, error.message, error.remote) == (errmap_rpc.Code.UNKNOWN, "division by zero", True)
        assert errmap_rpc.encode_jsonrpc(error, errmap_rpc.GENERIC).number == -32000
        assert [detail.json for detail in error.raw_details] == ['{"a":6.0}']
        with pytest.raises(errmap_rpc.Error) as missing:
            self.call(foreign, "nope")
        assert missing.value.code == errmap_rpc.Code.UNIMPLEMENTED

    @pytest.mark.parametrize(
        ("status", "body", "code", "local"),
        [
            ("200 OK", b"<html>", errmap_rpc.Code.INTERNAL, True),
            ("200 OK", b'{"jsonrpc":"2.0","id":99,"result":{}}', errmap_rpc.Code.INTERNAL, True),
            ("200 OK", b'{"jsonrpc":"2.0","id":1,"result":7}', errmap_rpc.Code.INTERNAL, True),
            ("502 Bad Gateway", b"<html>", errmap_rpc.Code.UNAVAILABLE, False),
            (
                "200 OK",
                b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}',
                errmap_rpc.Code.INVALID_ARGUMENT,
                False,
            ),
            ("200 OK", b"x" * (5 << 20), errmap_rpc.Code.RESOURCE_EXHAUSTED, True),
        ],
    )
    def test_answers_of_others(self, status: str, body: bytes, code: errmap_rpc.Code, local: bool) -> None:
        def app(_: object, start: Any) -> list[bytes]:
            start(status, [("content-type", "application/json")])
            return [body]

        interceptor = JSONRPCInterceptor("http://test/", sync_client=SyncClient(WSGITransport(app)))
        client = ConnectClientSync("http://unused", codec=google_protobuf_binary_codec(), interceptors=[interceptor])
        with pytest.raises(errmap_rpc.Error) as caught:
            client.execute_unary(request=struct(), method=a2a("Get", StreamType.UNARY))
        assert (caught.value.code, caught.value.local) == (code, local)

    def test_a_server_that_breaks_off(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:

            def answer() -> None:
                connection, _ = listener.accept()
                connection.recv(65536)
                head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 999\r\n\r\n"
                connection.sendall(head + b'data: {"jsonrpc":"2.0","id":1,"result":{"n":1}}\n\n')
                connection.close()

            threading.Thread(target=answer, daemon=True).start()
            url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
            client = ConnectClientSync(
                "http://unused", codec=google_protobuf_binary_codec(), interceptors=[JSONRPCInterceptor(url)]
            )
            received = []
            with pytest.raises(errmap_rpc.Error) as caught:
                for each in client.execute_server_stream(
                    request=struct(), method=a2a("Watch", StreamType.SERVER_STREAM)
                ):
                    received.append(each["n"])
        assert received == [1]
        assert caught.value.code == errmap_rpc.Code.UNAVAILABLE and caught.value.local and caught.value.retryable


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_events(size: int) -> None:
    text = b"\xef\xbb\xbf: hi\r\ndata: a\r\ndata:b\r\n\r\nid: 1\ndata: c\n\nevent: x\n\ndata\n\r"
    text += b"data: d\r\r\ndata: left out"
    reader = EventReader(100)
    found: list[bytes] = []
    for at in range(0, len(text), size):
        found += reader.feed(text[at : at + size])
    assert found == [b"a\nb", b"c", b"", b"d"]


def test_events_are_bounded() -> None:
    reader = EventReader(100)
    with pytest.raises(errmap_rpc.Error, match="larger"):
        for _ in range(100):
            list(reader.feed(b"data: xxxxxxxxxxxx\n"))
    with pytest.raises(errmap_rpc.Error, match="larger"):
        list(EventReader(100).feed(b"x" * 101))
