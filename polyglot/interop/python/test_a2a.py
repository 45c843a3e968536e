"""a2a-sdk over its three transports. What it loses is in docs/interop.md; what
is checked here is all that it shows.
"""

import unittest

import grpc
import httpx
from a2a.client import ClientConfig, ClientFactory
from a2a.client.client import ClientCallContext
from a2a.types import a2a_pb2
from a2a.utils import errors
from google.protobuf import json_format
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from table import ROWS, URL, check_info, headers

SERVICE = a2a_pb2.DESCRIPTOR.services_by_name["A2AService"]
METHODS = {
    "GetTask": "get_task",
    "SubscribeToTask": "subscribe",
    "CancelTask": "cancel_task",
    "SendMessage": "send_message",
    "SendStreamingMessage": "send_message",
    "CreateTaskPushNotificationConfig": "create_task_push_notification_config",
    "GetExtendedAgentCard": "get_extended_agent_card",
}


class OneVersion:
    """Sends the caller's version alone: over gRPC the SDK sends its own beside it,
    and first.
    """

    @staticmethod
    def keep_last(details):
        versions = [value for name, value in details.metadata if name == "a2a-version"]
        rest = [(name, value) for name, value in details.metadata if name != "a2a-version"]
        return details._replace(metadata=grpc.aio.Metadata(*rest, ("a2a-version", versions[-1])))


class OneVersionUnary(OneVersion, grpc.aio.UnaryUnaryClientInterceptor):
    async def intercept_unary_unary(self, continuation, details, request):
        return await continuation(self.keep_last(details), request)


class OneVersionStream(OneVersion, grpc.aio.UnaryStreamClientInterceptor):
    async def intercept_unary_stream(self, continuation, details, request):
        return await continuation(self.keep_last(details), request)


def channel(url):
    return grpc.aio.insecure_channel(url, interceptors=[OneVersionUnary(), OneVersionStream()])


class A2ATest(unittest.IsolatedAsyncioTestCase):
    async def test_jsonrpc(self):
        await self.check_all("JSONRPC", lambda row: row.get("metadata"))

    async def test_rest(self):
        await self.check_all("HTTP+JSON", lambda row: row.get("metadata"))

    async def test_grpc(self):
        # The metadata does not reach the caller, but the cause has all of it.
        await self.check_all("GRPC", lambda row: None)

    async def check_all(self, binding, data):
        for row in ROWS:
            with self.subTest(f"{row['name']} over {binding}"):
                config = ClientConfig(
                    streaming=row["method"] != "SendMessage",
                    supported_protocol_bindings=[binding],
                    grpc_channel_factory=channel,
                    httpx_client=httpx.AsyncClient(timeout=10),
                )
                async with config.httpx_client:
                    client = await ClientFactory(config).create_from_url(URL)
                    try:
                        await self.check(row, client, data(row))
                    finally:
                        await client.close()

    async def check(self, row, client, data):
        method = SERVICE.methods_by_name[row["method"]]
        request = json_format.ParseDict(row["request"], getattr(a2a_pb2, method.input_type.name)())
        context = ClientCallContext(service_parameters=headers(row), timeout=10)
        with self.assertRaises(errors.A2AError) as raised:
            answer = getattr(client, METHODS[row["method"]])(request, context=context)
            if hasattr(answer, "__aiter__"):
                async for _ in answer:
                    pass
            else:
                await answer
        error = raised.exception
        mapping = errors.A2A_ERROR_MAPPING[type(error)]
        self.assertEqual(mapping.reason, row["reason"])
        self.assertEqual(mapping.grpc_status, row["code"])
        self.assertEqual(mapping.http_code, row["status"])
        self.assertEqual(errors.JSON_RPC_ERROR_CODE_MAP[type(error)], row["number"])
        self.assertEqual(error.message, row["message"])
        self.assertEqual(error.data, data)
        cause = error.__cause__
        if isinstance(cause, grpc.RpcError):
            self.assertEqual(cause.code(), grpc.StatusCode[row["code"]])
            (detail,) = rpc_status.from_call(cause).details
            info = error_details_pb2.ErrorInfo()
            self.assertTrue(detail.Unpack(info), detail.type_url)
            check_info(self, row, info)
        elif isinstance(cause, httpx.HTTPStatusError):
            self.assertEqual(cause.response.status_code, row["status"])


if __name__ == "__main__":
    unittest.main()
