"""The cart of ../gateway/upstreams_test.go with connectrpc, over the WSGI server of
Python's library, which speaks HTTP/1.0. It is made of the descriptors that the driver
writes, and prints its port."""

import os
import time
from socketserver import ThreadingMixIn
from wsgiref import simple_server

from connectrpc.code import Code
from connectrpc.compat import google_protobuf_binary_codec
from connectrpc.errors import ConnectError, ErrorDetail
from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from connectrpc.server import ConnectWSGIApplication, EndpointSync
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.rpc import code_pb2, error_details_pb2
from protobuf.wkt import Any

NAME = "shop.v1.Cart"

with open(os.environ["UPSTREAM_DESCRIPTORS"], "rb") as file:
    files = descriptor_pb2.FileDescriptorSet.FromString(file.read()).file
pool = descriptor_pool.DescriptorPool()
for file in files:
    pool.Add(file)
Request = message_factory.GetMessageClass(pool.FindMessageTypeByName("shop.v1.GetRequest"))
Response = message_factory.GetMessageClass(pool.FindMessageTypeByName("shop.v1.GetResponse"))


def failure(request):
    info = error_details_pb2.ErrorInfo(reason="STOCK_EMPTY", domain="shop.example.com", metadata={"sku": request.sku})
    detail = Any(type_url="type.googleapis.com/google.rpc.ErrorInfo", value=info.SerializeToString())
    message = f'No {request.sku} left: 5 % ünder, "✓"\n'
    name = code_pb2.Code.Name(request.qty)
    return ConnectError(Code["CANCELED" if name == "CANCELLED" else name], message, details=[ErrorDetail(detail)])


def get(request, _):
    if request.sku == "die":
        os._exit(0)
    if request.qty > 0:
        raise failure(request)
    return Response(sku=request.sku, qty=1)


def watch(request, _):
    for qty in range(2):
        yield Response(sku=request.sku, qty=qty)
        if request.sku == "die":
            time.sleep(0.2)
            os._exit(0)
    raise failure(request)


def method(name, stream_type):
    return MethodInfo(
        name=name, service_name=NAME, input=Request, output=Response,
        idempotency_level=IdempotencyLevel.UNKNOWN, stream_type=stream_type,
    )


class Cart(ConnectWSGIApplication):
    path = f"/{NAME}"

    def __init__(self):
        super().__init__(
            codecs=[google_protobuf_binary_codec()],
            endpoints={
                f"/{NAME}/Get": EndpointSync.unary(method=method("Get", StreamType.UNARY), function=get),
                f"/{NAME}/Watch": EndpointSync.server_stream(
                    method=method("Watch", StreamType.SERVER_STREAM), function=watch
                ),
            },
        )


class Server(ThreadingMixIn, simple_server.WSGIServer):
    daemon_threads = True


server = simple_server.make_server("127.0.0.1", 0, Cart(), server_class=Server)
print(server.server_port, flush=True)
server.serve_forever()
