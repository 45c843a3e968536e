"""Clients of three libraries against the Go server: the same error on every wire."""

from __future__ import annotations

import datetime
import socket
from collections.abc import Callable, Iterator

import grpc
import httpx
import pytest
from connectrpc.client import ConnectClientSync
from connectrpc.compat import google_protobuf_binary_codec, google_protobuf_json_codec
from connectrpc.errors import ConnectError
from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from connectrpc.protocol import ProtocolType
from google.rpc import error_details_pb2 as rpc
from library.v1 import library_errmap
from pyqwest import HTTPVersion, SyncClient, SyncHTTPTransport
from shop.v1 import cart_errmap, cart_pb2

import errmap_rpc
import errmap_rpc.connect
import errmap_rpc.grpc
import errmap_rpc.http

Call = Callable[[str], errmap_rpc.Error]

GET = MethodInfo(
    name="Get",
    service_name="shop.v1.Cart",
    input=cart_pb2.GetRequest,
    output=cart_pb2.GetResponse,
    stream_type=StreamType.UNARY,
    idempotency_level=IdempotencyLevel.UNKNOWN,
)
WATCH = MethodInfo(
    name="Watch",
    service_name="shop.v1.Cart",
    input=cart_pb2.GetRequest,
    output=cart_pb2.GetResponse,
    stream_type=StreamType.SERVER_STREAM,
    idempotency_level=IdempotencyLevel.UNKNOWN,
)

CONNECT = {
    "connect with JSON": (ProtocolType.CONNECT, google_protobuf_json_codec, HTTPVersion.HTTP1),
    "connect": (ProtocolType.CONNECT, google_protobuf_binary_codec, HTTPVersion.HTTP1),
    "connect over HTTP/2": (ProtocolType.CONNECT, google_protobuf_binary_codec, HTTPVersion.HTTP2),
    "connectrpc's gRPC": (ProtocolType.GRPC, google_protobuf_binary_codec, HTTPVersion.HTTP2),
    "connectrpc's gRPC-Web": (ProtocolType.GRPC_WEB, google_protobuf_binary_codec, HTTPVersion.HTTP1),
}


def connect_client(server: str, name: str) -> ConnectClientSync:
    protocol, codec, version = CONNECT[name]
    transport = SyncHTTPTransport(http_version=version)
    return ConnectClientSync(server, protocol=protocol, codec=codec(), http_client=SyncClient(transport))


def connect_call(server: str, name: str) -> Call:
    def call(sku: str) -> errmap_rpc.Error:
        with connect_client(server, name) as client, pytest.raises(ConnectError) as caught:
            client.execute_unary(request=cart_pb2.GetRequest(sku=sku), method=GET)
        return errmap_rpc.connect.from_connect_error(caught.value)

    return call


def grpc_call(server: str) -> Call:
    def call(sku: str) -> errmap_rpc.Error:
        with grpc.insecure_channel(server.removeprefix("http://")) as channel:
            method = channel.unary_unary(
                "/shop.v1.Cart/Get",
                request_serializer=cart_pb2.GetRequest.SerializeToString,
                response_deserializer=cart_pb2.GetResponse.FromString,
            )
            with pytest.raises(grpc.RpcError) as caught:
                method(cart_pb2.GetRequest(sku=sku), timeout=20)
        assert isinstance(caught.value, grpc.Call)
        return errmap_rpc.grpc.from_grpc_error(caught.value)

    return call


def jsonrpc_call(server: str) -> Call:
    def call(sku: str) -> errmap_rpc.Error:
        request = {"jsonrpc": "2.0", "id": 1, "method": "shop.v1.Cart/Get", "params": {"sku": sku}}
        response = httpx.post(server + "/", json=request)
        error = errmap_rpc.http.from_jsonrpc_response(response, errmap_rpc.GENERIC)
        assert error is not None
        return error

    return call


WIRES = [*CONNECT, "grpc", "jsonrpc"]


@pytest.fixture(params=WIRES)
def call(server: str, request: pytest.FixtureRequest) -> Iterator[Call]:
    if request.param == "grpc":
        yield grpc_call(server)
    elif request.param == "jsonrpc":
        yield jsonrpc_call(server)
    else:
        yield connect_call(server, request.param)


def test_typed_error(call: Call) -> None:
    with pytest.raises(cart_errmap.StockEmptyError) as caught:
        raise call("stock")
    error = caught.value
    assert error.sku == "A1 é"
    assert error.retry is not None and error.retry.retry_delay.nanos == 500_000_000
    assert error.retry_delay == datetime.timedelta(seconds=1.5)
    assert (error.code, error.message) == (errmap_rpc.Code.FAILED_PRECONDITION, "No A1 é left")
    assert (error.domain, error.reason) == ("shop.example.com", "STOCK_EMPTY")
    assert error.remote and error.retryable and not error.received


def test_scalars_beyond_double(call: Call) -> None:
    error = call("payment").as_error(cart_errmap.PaymentRequiredError)
    assert error is not None
    assert error.amount == 9007199254740993
    assert error.due is not None and error.due.ToJsonString() == "2023-11-14T22:13:20.500Z"


def test_bad_request(call: Call) -> None:
    error = call("invalid")
    assert isinstance(error, cart_errmap.InvalidCartError)
    assert error.fields_ is not None
    assert error.fields_.field_violations[0].field == "qty"
    bad = error.detail(rpc.BadRequest)
    assert bad is not None and bad.field_violations[0].description == "is negative"


def test_text(call: Call) -> None:
    error = call("plain")
    assert type(error) is errmap_rpc.Error
    assert (error.code, error.message) == (errmap_rpc.Code.ABORTED, "line1\r\nline2 é 100%")


def test_hidden(call: Call) -> None:
    error = call("hidden")
    assert error.code == errmap_rpc.Code.INTERNAL
    assert error.message.lower() == "internal error"
    assert "10.0.0.7" not in str(error.raw_details)


def test_foreign_rides_along(call: Call) -> None:
    """What no wire but JSON-RPC can say comes back on the next JSON-RPC wire."""
    error = call("foreign")
    out = errmap_rpc.encode_jsonrpc(error, errmap_rpc.GENERIC).text
    assert out.startswith('{"code":4711,"message":"from afar","data":[')
    mystery = '{"@type":"type.googleapis.com/acme.v9.Mystery","n":9007199254740993,"f":1.0}'
    assert out.endswith(f"[{mystery}]}}")


@pytest.mark.parametrize("name", CONNECT)
def test_stream(server: str, name: str) -> None:
    quantities = []
    with connect_client(server, name) as client, pytest.raises(ConnectError) as caught:
        request = cart_pb2.GetRequest(sku="A1", qty=2)
        for response in client.execute_server_stream(request=request, method=WATCH):
            quantities.append(response.qty)
    error = errmap_rpc.connect.from_connect_error(caught.value)
    assert quantities == [2, 1]
    assert isinstance(error, cart_errmap.StockEmptyError) and error.sku == "A1"


def test_grpc_private_number(server: str) -> None:
    """grpcio shows UNKNOWN for a code of ours: the number is in the details."""
    assert grpc_call(server)("private").code == errmap_rpc.Code.UNKNOWN
    assert jsonrpc_call(server)("private").code == errmap_rpc.Code.UNKNOWN


@pytest.mark.parametrize("accept", ["application/json", "application/problem+json"])
def test_http(server: str, accept: str) -> None:
    response = httpx.get(server + "/v1/shelves/1/books/2", headers={"accept": accept})
    assert response.headers["content-type"].startswith(accept)
    with pytest.raises(library_errmap.BookNotFoundError) as caught:
        errmap_rpc.http.raise_for_error(response)
    assert caught.value.name == "shelves/1/books/2"
    assert (caught.value.code, caught.value.http_status) == (errmap_rpc.Code.NOT_FOUND, 404)
    assert response.status_code == 410


def test_http_results(server: str) -> None:
    assert errmap_rpc.http.from_response(httpx.Response(200, text="fine")) is None
    request = {"jsonrpc": "2.0", "id": 1, "method": "shop.v1.Cart/Get", "params": {"sku": "A1"}}
    response = httpx.post(server + "/", json=request)
    assert response.json()["result"]["sku"] == "A1"
    assert errmap_rpc.http.from_jsonrpc_response(response, errmap_rpc.GENERIC) is None
    proxy = httpx.Response(503, text="<html>", headers={"retry-after": "7"})
    error = errmap_rpc.http.from_response(proxy)
    assert error is not None and error.code == errmap_rpc.Code.UNAVAILABLE
    assert error.retry_delay == datetime.timedelta(seconds=7)


class TestField052:
    """A call that failed here looks local."""

    def test_grpc_reaches_nobody(self) -> None:
        with grpc.insecure_channel("127.0.0.1:1") as channel:
            with pytest.raises(grpc.RpcError) as caught:
                channel.unary_unary("/shop.v1.Cart/Get", None, None)(b"", timeout=5)
        assert isinstance(caught.value, grpc.Call)
        error = errmap_rpc.grpc.from_grpc_error(caught.value)
        assert error.code == errmap_rpc.Code.UNAVAILABLE
        assert error.local and not error.remote

    def test_grpc_deadline(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            with grpc.insecure_channel(f"127.0.0.1:{silent.getsockname()[1]}") as channel:
                with pytest.raises(grpc.RpcError) as caught:
                    channel.unary_unary("/shop.v1.Cart/Get", None, None)(b"", timeout=0.3)
        assert isinstance(caught.value, grpc.Call)
        error = errmap_rpc.grpc.from_grpc_error(caught.value)
        assert error.code == errmap_rpc.Code.DEADLINE_EXCEEDED and error.local

    @pytest.mark.parametrize("name", CONNECT)
    def test_connect_reaches_nobody(self, name: str) -> None:
        error = connect_call("http://127.0.0.1:1", name)("stock")
        assert error.code == errmap_rpc.Code.UNAVAILABLE
        assert error.local and not error.remote

    @pytest.mark.parametrize("name", CONNECT)
    def test_connect_deadline(self, server: str, name: str) -> None:
        with connect_client(server, name) as client, pytest.raises(ConnectError) as caught:
            request = cart_pb2.GetRequest(sku="slow")
            client.execute_unary(request=request, method=GET, timeout_ms=200)
        error = errmap_rpc.connect.from_connect_error(caught.value)
        assert error.code == errmap_rpc.Code.DEADLINE_EXCEEDED

    def test_answers_are_remote(self, call: Call) -> None:
        assert not call("stock").local
