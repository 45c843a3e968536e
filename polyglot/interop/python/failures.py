"""grpcio, which makes every call that ../grpc/calls_test.go asks for, and prints
what its caller sees, a line of JSON each.

Of headers above 8,192 bytes grpcio refuses some by chance, the larger the more
often, and all above 16,384. Here it refuses all above 8,192, so that the test is
not one of luck: what arrives here arrives always."""

import json
import os

import grpc
from google.protobuf import wrappers_pb2
from google.rpc import error_details_pb2
from grpc_status import rpc_status

SERVICE = "errmap.interop.v1.Failures"


def call(channel, method, error):
    path = f"/{SERVICE}/{method}"
    kind = channel.unary_unary if method == "Fail" else channel.unary_stream
    function = kind(path, wrappers_pb2.StringValue.SerializeToString, wrappers_pb2.StringValue.FromString)
    answers = 0
    line = {}
    try:
        answer = function(wrappers_pb2.StringValue(value=str(error)), timeout=20)
        if method != "Fail":
            for _ in answer:
                answers += 1
        line["code"] = 0
    except grpc.RpcError as failure:
        line["code"] = failure.code().value[0]
        line["message"] = failure.details()
        try:
            status = rpc_status.from_call(failure)
        except ValueError as broken:
            status, line["broken"] = None, str(broken)
        line["details"] = len(status.details) if status else 0
        for detail in status.details if status else []:
            if detail.Is(error_details_pb2.ErrorInfo.DESCRIPTOR):
                info = error_details_pb2.ErrorInfo()
                detail.Unpack(info)
                line["reason"], line["domain"] = info.reason, info.domain
                break
    line["answers"] = answers
    return line


for server in os.environ["PEER_SERVERS"].split(","):
    name, target = server.split("=", 1)
    with grpc.insecure_channel(target, [("grpc.absolute_max_metadata_size", 8192)]) as channel:
        for error in range(int(os.environ["PEER_ERRORS"])):
            for method in ("Fail", "FailInTheMiddle"):
                print(json.dumps({"server": name, "error": error, "method": method, **call(channel, method, error)}))
