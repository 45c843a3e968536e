"""Asks the server for orders that it does not give, over each wire, and prints the
errors."""

from __future__ import annotations

import sys

import errmap_rpc
import errmap_rpc.connect
import errmap_rpc.grpc
import errmap_rpc.http
import grpc
import httpx
from connectrpc.client import ConnectClientSync
from connectrpc.compat import google_protobuf_binary_codec
from connectrpc.errors import ConnectError
from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from orders.v1 import orders_pb2
from orders.v1.orders_errmap import OrderLockedError, OrderNotFoundError

GET_ORDER = MethodInfo(
    name="GetOrder",
    service_name="orders.v1.OrderService",
    input=orders_pb2.GetOrderRequest,
    output=orders_pb2.GetOrderResponse,
    stream_type=StreamType.UNARY,
    idempotency_level=IdempotencyLevel.UNKNOWN,
)


def over_connect(url: str, order_id: str) -> errmap_rpc.Error | None:
    with ConnectClientSync(url, codec=google_protobuf_binary_codec()) as client:
        try:
            request = orders_pb2.GetOrderRequest(order_id=order_id)
            client.execute_unary(request=request, method=GET_ORDER)
        except ConnectError as err:
            return errmap_rpc.connect.from_connect_error(err)
    return None


def over_grpc(url: str, order_id: str) -> errmap_rpc.Error | None:
    with grpc.insecure_channel(url.removeprefix("http://")) as channel:
        get_order = channel.unary_unary(
            "/orders.v1.OrderService/GetOrder",
            request_serializer=orders_pb2.GetOrderRequest.SerializeToString,
            response_deserializer=orders_pb2.GetOrderResponse.FromString,
        )
        try:
            get_order(orders_pb2.GetOrderRequest(order_id=order_id))
        except grpc.RpcError as err:
            assert isinstance(err, grpc.Call)
            return errmap_rpc.grpc.from_grpc_error(err)
    return None


def over_jsonrpc(url: str, order_id: str) -> errmap_rpc.Error | None:
    method = "orders.v1.OrderService/GetOrder"
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"orderId": order_id}}
    response = httpx.post(url + "/", json=request)
    return errmap_rpc.http.from_jsonrpc_response(response, errmap_rpc.GENERIC)


def over_http(url: str, order_id: str) -> errmap_rpc.Error | None:
    return errmap_rpc.http.from_response(httpx.get(f"{url}/v1/orders/{order_id}"))


def tell(error: errmap_rpc.Error | None) -> str:
    match error:
        case OrderLockedError(retry_delay=delay) if delay is not None:
            return (
                f"order {error.order_id} is locked by {error.holder} at version {error.version}, "
                f"retry in {delay.total_seconds() * 1000:.0f} ms ({error.code.name}: {error.message})"
            )
        case OrderNotFoundError():
            return f"order {error.order_id} is not there ({error.code.name}: {error.message})"
    return f"unexpected: {error}"


def main(url: str) -> None:
    for order_id in ("8", "9"):
        print("connect:", tell(over_connect(url, order_id)))
        print("grpc:   ", tell(over_grpc(url, order_id)))
        print("jsonrpc:", tell(over_jsonrpc(url, order_id)))
        print("http:   ", tell(over_http(url, order_id)))


if __name__ == "__main__":
    main(sys.argv[1])
