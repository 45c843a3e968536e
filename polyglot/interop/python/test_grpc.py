"""grpcio, its errors read by grpcio-status."""

import unittest

import grpc
from a2a.types import a2a_pb2, a2a_pb2_grpc
from google.protobuf import json_format
from google.rpc import code_pb2
from grpc_status import rpc_status

from table import ROWS, check_details, headers, url

SERVICE = a2a_pb2.DESCRIPTOR.services_by_name["A2AService"]


class GRPCTest(unittest.TestCase):
    def test_nine_errors(self):
        for row in ROWS:
            with self.subTest(row["name"]), grpc.insecure_channel(url(row).removeprefix("http://")) as channel:
                self.check(row, a2a_pb2_grpc.A2AServiceStub(channel))

    def check(self, row, stub):
        method = SERVICE.methods_by_name[row["method"]]
        request = json_format.ParseDict(row["request"], getattr(a2a_pb2, method.input_type.name)())
        metadata = [(name.lower(), value) for name, value in headers(row).items()]
        answers = 0
        with self.assertRaises(grpc.RpcError) as raised:
            answer = getattr(stub, row["method"])(request, metadata=metadata, timeout=10)
            if method.server_streaming:
                for _ in answer:
                    answers += 1
        self.assertEqual(answers, row.get("after", 0))
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
