"""a2a-sdk over its three transports. What it loses is in docs/interop.md; what
is checked here is all that it shows.
"""

import unittest

import grpc
import httpx
from a2a.client import ClientConfig, ClientFactory, minimal_agent_card
from a2a.client.client import ClientCallContext
from a2a.client.errors import A2AClientError
from a2a.types import a2a_pb2
from a2a.utils import errors
from google.protobuf import json_format
from grpc_status import rpc_status

from table import MIDDLE_URL, ROWS, URL, check_details, headers, url

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


def say(text, task=""):
    message = a2a_pb2.Message(message_id=f"m-{task}{text}", task_id=task, role=a2a_pb2.Role.ROLE_USER)
    message.parts.add(text=text)
    return a2a_pb2.SendMessageRequest(message=message)


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


def channel(host):
    return grpc.aio.insecure_channel(host, interceptors=[OneVersionUnary(), OneVersionStream()])


class A2ATest(unittest.IsolatedAsyncioTestCase):
    async def test_jsonrpc(self):
        await self.check_all("JSONRPC", self.check_jsonrpc)

    def check_jsonrpc(self, row, error):
        if "reason" in row:
            self.check_nine(row, error, row.get("metadata"))
            return
        # A number that it does not know is text, and details are gone.
        known = {number: kind for kind, number in errors.JSON_RPC_ERROR_CODE_MAP.items()}.get(row["number"])
        self.assertIs(type(error), known or A2AClientError)
        message = row["message"] if known else f"JSON-RPC Error {row['number']}: {row['message']}"
        self.assertEqual(error.message.lower(), message.lower())
        self.assertIsNone(error.data)

    async def test_rest(self):
        await self.check_all("HTTP+JSON", self.check_rest)

    def check_rest(self, row, error):
        if "after" not in row:
            self.assertEqual(error.__cause__.response.status_code, row["status"])
        if "reason" in row:
            self.check_nine(row, error, row.get("metadata"))
            return
        # Without a reason that it knows, it does not look at the body.
        self.assertIs(type(error), A2AClientError)
        self.assertTrue(error.message.startswith(f"HTTP Error {row['status']}: "), error.message)
        self.assertNotIn(row["message"], error.message)
        self.assertIsNone(error.data)

    async def test_grpc(self):
        await self.check_all("GRPC", self.check_grpc)

    def check_grpc(self, row, error):
        # What the error lacks is in its cause.
        self.assertEqual(error.__cause__.code(), grpc.StatusCode[row["code"]])
        status = rpc_status.from_call(error.__cause__)
        check_details(self, row, [(d.TypeName(), d.value) for d in status.details] if status else [])
        if "reason" in row:
            self.check_nine(row, error, None)
            return
        self.assertIs(type(error), A2AClientError)
        self.assertEqual(error.message, f"gRPC Error {row['code']}: {row['message']}")
        self.assertIsNone(error.data)

    async def test_watch(self):
        """A task that waits for input is watched until it ends."""
        for binding in ("JSONRPC", "HTTP+JSON", "GRPC"):
            config = ClientConfig(
                streaming=True, supported_protocol_bindings=[binding], grpc_channel_factory=grpc.aio.insecure_channel
            )
            async with await ClientFactory(config).create_from_url(URL) as client:
                task = ""
                async for event in client.send_message(say("ask")):
                    task = task or event.task.id
                states = []
                async for event in client.subscribe(a2a_pb2.SubscribeToTaskRequest(id=task)):
                    if event.HasField("task"):
                        states.append(event.task.status.state)
                        async for _ in client.send_message(say("7", task)):
                            pass
                    elif event.HasField("status_update"):
                        states.append(event.status_update.status.state)
            want = [a2a_pb2.TaskState.TASK_STATE_INPUT_REQUIRED, a2a_pb2.TaskState.TASK_STATE_COMPLETED]
            with self.subTest(binding):
                self.assertEqual(states, want)

    async def test_version(self):
        """Over gRPC the SDK's own version comes first, and counts."""
        for binding, want in {
            "JSONRPC": errors.VersionNotSupportedError,
            "HTTP+JSON": errors.VersionNotSupportedError,
            "GRPC": errors.TaskNotFoundError,
        }.items():
            config = ClientConfig(supported_protocol_bindings=[binding], grpc_channel_factory=grpc.aio.insecure_channel)
            async with await ClientFactory(config).create_from_url(URL) as client:
                context = ClientCallContext(service_parameters={"A2A-Version": "0.3"}, timeout=10)
                with self.subTest(binding), self.assertRaises(want):
                    await client.get_task(a2a_pb2.GetTaskRequest(id="nope"), context=context)

    async def test_other_answers(self):
        """A JSON-RPC error at another status than 200 is not read, HTTP+JSON of any
        content type is.
        """
        for binding, want, text in (
            ("JSONRPC", A2AClientError, "HTTP Error 400: "),
            ("HTTP+JSON", errors.TaskNotFoundError, "Task not found"),
        ):
            card = minimal_agent_card(f"{MIDDLE_URL}/other", [binding])
            async with ClientFactory(ClientConfig(supported_protocol_bindings=[binding])).create(card) as client:
                with self.subTest(binding), self.assertRaises(want) as raised:
                    await client.get_task(a2a_pb2.GetTaskRequest(id="nope"))
            self.assertTrue(raised.exception.message.startswith(text), raised.exception.message)
            self.assertIsNone(raised.exception.data)

    async def test_plain_error(self):
        """A JSON-RPC error in JSON is read where a stream was asked for."""
        card = minimal_agent_card(f"{MIDDLE_URL}/plain", ["JSONRPC"])
        card.capabilities.streaming = True
        config = ClientConfig(streaming=True, supported_protocol_bindings=["JSONRPC"])
        async with ClientFactory(config).create(card) as client:
            with self.assertRaises(errors.TaskNotFoundError):
                async for _ in client.subscribe(a2a_pb2.SubscribeToTaskRequest(id="nope")):
                    pass

    def check_nine(self, row, error, data):
        mapping = errors.A2A_ERROR_MAPPING[type(error)]
        self.assertEqual(mapping.reason, row["reason"])
        self.assertEqual(mapping.grpc_status, row["code"])
        self.assertEqual(mapping.http_code, row["status"])
        self.assertEqual(errors.JSON_RPC_ERROR_CODE_MAP[type(error)], row["number"])
        self.assertEqual(error.message, row["message"])
        self.assertEqual(error.data, data)

    async def check_all(self, binding, check):
        for row in ROWS:
            with self.subTest(f"{row['name']} over {binding}"):
                config = ClientConfig(
                    streaming=row["method"] != "SendMessage",
                    supported_protocol_bindings=[binding],
                    grpc_channel_factory=channel,
                    httpx_client=httpx.AsyncClient(timeout=10),
                )
                async with config.httpx_client:
                    client = await ClientFactory(config).create_from_url(url(row))
                    try:
                        check(row, await self.failure(row, client))
                    finally:
                        await client.close()

    async def failure(self, row, client):
        method = SERVICE.methods_by_name[row["method"]]
        request = json_format.ParseDict(row["request"], getattr(a2a_pb2, method.input_type.name)())
        context = ClientCallContext(service_parameters=headers(row), timeout=10)
        answers = 0
        with self.assertRaises(errors.A2AError) as raised:
            answer = getattr(client, METHODS[row["method"]])(request, context=context)
            if hasattr(answer, "__aiter__"):
                async for _ in answer:
                    answers += 1
            else:
                await answer
        self.assertEqual(answers, row.get("after", 0))
        return raised.exception


if __name__ == "__main__":
    unittest.main()
