"""connectrpc over its three protocols, with the messages of a2a-sdk."""

import unittest

from a2a.types import a2a_pb2
from connectrpc.client import ConnectClientSync
from connectrpc.code import Code
from connectrpc.compat import google_protobuf_binary_codec, google_protobuf_json_codec
from connectrpc.errors import ConnectError
from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from connectrpc.protocol import ProtocolType
from google.protobuf import json_format
from pyqwest import HTTPVersion, SyncClient, SyncHTTPTransport

from table import ROWS, check_details, headers, url

SERVICE = a2a_pb2.DESCRIPTOR.services_by_name["A2AService"]
WIRES = {
    "Connect, HTTP/1.1": (ProtocolType.CONNECT, google_protobuf_binary_codec(), HTTPVersion.HTTP1),
    "Connect, JSON, HTTP/2": (ProtocolType.CONNECT, google_protobuf_json_codec(), HTTPVersion.HTTP2),
    "gRPC": (ProtocolType.GRPC, google_protobuf_binary_codec(), HTTPVersion.HTTP2),
    "gRPC-Web": (ProtocolType.GRPC_WEB, google_protobuf_binary_codec(), HTTPVersion.HTTP1),
}


class ConnectTest(unittest.TestCase):
    def test_nine_errors(self):
        for wire, (protocol, codec, version) in WIRES.items():
            http = SyncClient(SyncHTTPTransport(http_version=version))
            for row in ROWS:
                with (
                    self.subTest(f"{row['name']} over {wire}"),
                    ConnectClientSync(url(row), protocol=protocol, codec=codec, http_client=http, timeout_ms=10_000) as client,
                ):
                    self.check(row, client)

    def check(self, row, client):
        method = SERVICE.methods_by_name[row["method"]]
        info = MethodInfo(
            name=method.name,
            service_name=SERVICE.full_name,
            input=getattr(a2a_pb2, method.input_type.name),
            output=getattr(a2a_pb2, method.output_type.name),
            idempotency_level=IdempotencyLevel.UNKNOWN,
            stream_type=StreamType.SERVER_STREAM if method.server_streaming else StreamType.UNARY,
        )
        request = json_format.ParseDict(row["request"], info.input())
        answers = 0
        with self.assertRaises(ConnectError) as raised:
            if method.server_streaming:
                for _ in client.execute_server_stream(request=request, method=info, headers=headers(row)):
                    answers += 1
            else:
                client.execute_unary(request=request, method=info, headers=headers(row))
        self.assertEqual(answers, row.get("after", 0))
        error = raised.exception
        self.assertEqual(error.code, Code[row["code"]])
        self.assertEqual(error.message, row["message"])
        check_details(self, row, [(d.type_name, d.message_bytes) for d in error.details])


if __name__ == "__main__":
    unittest.main()
