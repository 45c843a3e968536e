"""The cart of ../gateway/upstreams_test.go with grpcio, and with its reflection. It is made
of the descriptors that the driver writes, and prints its port."""

import os
import sys
import time
from concurrent import futures

import grpc
from google.protobuf import any_pb2, descriptor_pb2, descriptor_pool, message_factory
from google.rpc import error_details_pb2, status_pb2
from grpc_reflection.v1alpha import reflection
from grpc_status import rpc_status

NAME = "shop.v1.Cart"

with open(os.environ["UPSTREAM_DESCRIPTORS"], "rb") as file:
    files = descriptor_pb2.FileDescriptorSet.FromString(file.read()).file
pool = descriptor_pool.DescriptorPool()
for file in files:
    pool.Add(file)
Request = message_factory.GetMessageClass(pool.FindMessageTypeByName("shop.v1.GetRequest"))
Response = message_factory.GetMessageClass(pool.FindMessageTypeByName("shop.v1.GetResponse"))


def fail(request, context):
    detail = any_pb2.Any()
    detail.Pack(error_details_pb2.ErrorInfo(reason="STOCK_EMPTY", domain="shop.example.com", metadata={"sku": request.sku}))
    message = f'No {request.sku} left: 5 % ünder, "✓"\n'
    context.abort_with_status(rpc_status.to_status(status_pb2.Status(code=request.qty, message=message, details=[detail])))


def get(request, context):
    if request.sku == "die":
        os._exit(0)
    if request.qty > 0:
        fail(request, context)
    return Response(sku=request.sku, qty=1)


def watch(request, context):
    for qty in range(2):
        yield Response(sku=request.sku, qty=qty)
        if request.sku == "die":
            time.sleep(0.2)
            os._exit(0)
    fail(request, context)


def handler(kind, function):
    return kind(function, request_deserializer=Request.FromString, response_serializer=Response.SerializeToString)


server = grpc.server(futures.ThreadPoolExecutor(8))
server.add_generic_rpc_handlers(
    [
        grpc.method_handlers_generic_handler(
            NAME,
            {
                "Get": handler(grpc.unary_unary_rpc_method_handler, get),
                "Watch": handler(grpc.unary_stream_rpc_method_handler, watch),
            },
        )
    ]
)
reflection.enable_server_reflection([NAME, *sys.argv[1:], reflection.SERVICE_NAME], server, pool=pool)
print(server.add_insecure_port("127.0.0.1:0"), flush=True)
server.start()
server.wait_for_termination()
