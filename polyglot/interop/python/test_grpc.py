"""grpcio, its errors read by grpcio-status."""

import unittest

import grpc
from a2a.types import a2a_pb2, a2a_pb2_grpc
from google.protobuf import json_format
from google.rpc import code_pb2
from grpc_status import rpc_status

from table import HOST, ROWS, check_details, headers

SERVICE = a2a_pb2.DESCRIPTOR.services_by_name["A2AService"]


class GRPCTest(unittest.TestCase):
    def test_nine_errors(self):
        with grpc.insecure_channel(HOST) as channel:
            stub = a2a_pb2_grpc.A2AServiceStub(channel)
            for row in ROWS:
                with self.subTest(row["name"]):
                    self.check(row, stub)

    def check(self, row, stub):
        method = SERVICE.methods_by_name[row["method"]]
        request = json_format.ParseDict(row["request"], getattr(a2a_pb2, method.input_type.name)())
        metadata = [(name.lower(), value) for name, value in headers(row).items()]
        with self.assertRaises(grpc.RpcError) as raised:
            answer = getattr(stub, row["method"])(request, metadata=metadata, timeout=10)
            if method.server_streaming:
                list(answer)
        self.assertEqual(raised.exception.code(), grpc.StatusCode[row["code"]])
        self.assertEqual(raised.exception.details(), row["message"])
        status = rpc_status.from_call(raised.exception)
        if status is None:  # where there are no details, there is no Status either
            self.assertEqual(row["details"], [])
            return
        self.assertEqual(status.code, code_pb2.Code.Value(row["code"]))
        self.assertEqual(status.message, row["message"])
        check_details(self, row, [(d.TypeName(), d.value) for d in status.details])


if __name__ == "__main__":
    unittest.main()
