// @a2a-js/sdk over its three transports. What it loses is in docs/interop.md;
// what is checked here is all that it shows.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as a2a from "@a2a-js/sdk";
import { ClientFactory, ClientFactoryOptions } from "@a2a-js/sdk/client";
import { GrpcTransportFactory } from "@a2a-js/sdk/client/grpc";
import * as errors from "@a2a-js/sdk/errors";
import { decodeErrorInfo, decodeStatus, isGrpcError } from "@a2a-js/sdk/errors/grpc";
import { codes, domain, errorInfo, failure, isStream, rows, urls } from "./table.js";

// The client's own version is 1.0 whatever a caller sets, but for interceptors.
const versions = {
  before: async ({ options }) => {
    const version = options?.serviceParameters?.["X-Interop-Version"];
    if (version) {
      delete options.serviceParameters["X-Interop-Version"];
      options.serviceParameters["A2A-Version"] = version;
    }
  },
  after: async () => {},
};

async function connect(transport, url, card) {
  const factory = new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new GrpcTransportFactory()],
      preferredTransports: [transport],
      clientConfig: { interceptors: [versions] },
    }),
  );
  return card ? factory.createFromAgentCard(card) : factory.createFromUrl(url);
}

const methods = {
  GetTask: (client, request, options) => client.getTask(a2a.GetTaskRequest.fromJSON(request), options),
  SubscribeToTask: (client, request, options) => client.resubscribeTask(a2a.SubscribeToTaskRequest.fromJSON(request), options),
  CancelTask: (client, request, options) => client.cancelTask(a2a.CancelTaskRequest.fromJSON(request), options),
  SendMessage: (client, request, options) => client.sendMessage(a2a.SendMessageRequest.fromJSON(request), options),
  SendStreamingMessage: (client, request, options) => client.sendMessageStream(a2a.SendMessageRequest.fromJSON(request), options),
  CreateTaskPushNotificationConfig: (client, request, options) =>
    client.createTaskPushNotificationConfig(a2a.TaskPushNotificationConfig.fromJSON(request), options),
  GetExtendedAgentCard: (client, _, options) => client.getAgentCard(options),
};

function call(client, row) {
  const { "A2A-Version": version, ...serviceParameters } = row.headers ?? {};
  if (version) {
    serviceParameters["X-Interop-Version"] = version;
  }
  return failure(row, () => methods[row.method](client, row.request, { serviceParameters }));
}

// Each check returns the error itself, or, of an error that is none of the
// nine, nothing.
const checks = {
  JSONRPC(error, row) {
    if (isStream(row)) {
      // An error of an event is the cause of another, which has none of it but text.
      assert.equal(error.constructor, Error);
      assert.match(error.message, new RegExp(`: ${row.message} \\(Code: ${row.number}\\)`));
      error = error.cause;
    }
    assert.ok(errors.isJsonRpcError(error), error);
    assert.equal(error.envelopeCode, row.number);
    assert.equal(error.metadata, undefined, "metadata is in data alone");
    if (row.reason) {
      assert.deepEqual(error.data, [errorInfo(row)]);
      return error;
    }
    assert.equal(error.message.toLowerCase(), row.message.toLowerCase());
    assert.equal(error.name, row.code === "INVALID_ARGUMENT" ? "RequestMalformedError" : "JsonRpcTransportError");
    assert.deepEqual((error.data ?? []).map((detail) => detail["@type"]), row.details.map((type) => `type.googleapis.com/${type}`));
  },
  "HTTP+JSON"(error, row) {
    assert.ok(errors.isRestError(error), error);
    // In the middle of a stream the status was that of the stream.
    assert.equal(error.statusCode, row.after ? 200 : row.status);
    assert.deepEqual(error.metadata, row.metadata);
    assert.equal(error.message, row.message);
    if (row.reason) {
      return error;
    }
    // Neither the status of the body nor its details are kept.
    assert.equal(error.name, "A2AError");
    assert.equal(error.reason, "INTERNAL_ERROR");
    assert.deepEqual(Object.keys(error).sort(), ["headers", "metadata", "name", "reason", "statusCode", "transport"]);
  },
  GRPC(error, row) {
    assert.ok(isGrpcError(error), error);
    assert.equal(error.status, codes[row.code]);
    assert.deepEqual(error.metadata, row.metadata);
    const status = error.statusDetailsBin && decodeStatus(error.statusDetailsBin);
    assert.deepEqual((status?.details ?? []).map((detail) => detail.typeUrl), row.details.map((type) => `type.googleapis.com/${type}`));
    if (status) {
      assert.equal(status.code, codes[row.code]);
      assert.equal(status.message, row.message);
    }
    if (row.reason) {
      const info = decodeErrorInfo(status.details[0].value);
      assert.deepEqual({ ...info }, { reason: row.reason, domain, metadata: row.metadata ?? {} });
      return error;
    }
    assert.equal(error.name, "A2AError");
    assert.equal(error.reason, "INTERNAL_ERROR");
    assert.equal(error.message, `gRPC error for sendMessage: ${codes[row.code]} ${row.message}`);
  },
};

for (const [transport, check] of Object.entries(checks)) {
  test(`@a2a-js/sdk over ${transport}`, async (t) => {
    const client = await connect(transport, urls[0]);
    assert.equal(client.transport.protocolName, transport);
    // It asks for no push notifications where the card does not promise them.
    const card = { ...client.agentCard, capabilities: { ...client.agentCard.capabilities, pushNotifications: true } };
    const clients = [await connect(transport, urls[0], card), await connect(transport, urls[1])];
    for (const row of rows) {
      await t.test(row.name, async () => {
        const error = check(await call(clients[row.after ? 1 : 0], row), row);
        if (!error) {
          assert.equal(row.reason, undefined);
          return;
        }
        assert.equal(error.constructor.name.replace(/^(JsonRpc|Rest|Grpc)/, ""), error.name);
        assert.ok(error instanceof errors[row.reason.toLowerCase().replace(/(^|_)(.)/g, (_, __, c) => c.toUpperCase()) + "Error"], error);
        assert.equal(error.reason, row.reason);
        assert.equal(error.message, row.message);
      });
    }
    await t.test("PushNotificationNotSupported, refused by the client", async () => {
      const row = rows.find((row) => row.reason === "PUSH_NOTIFICATION_NOT_SUPPORTED");
      const error = await call(client, row);
      assert.ok(error instanceof errors.PushNotificationNotSupportedError, error);
      assert.equal(error.transport, undefined, "no transport was asked");
    });
  });
}

const say = (text, taskId = "") =>
  a2a.SendMessageRequest.fromJSON({ message: { messageId: `m-${taskId}${text}`, taskId, role: "ROLE_USER", parts: [{ text }] } });

for (const transport of Object.keys(checks)) {
  test(`@a2a-js/sdk watches a task that waits for input over ${transport}`, { timeout: 20_000 }, async () => {
    const client = await connect(transport, urls[0]);
    const task = await client.sendMessage(say("ask"));
    const states = [];
    for await (const { payload } of client.resubscribeTask(a2a.SubscribeToTaskRequest.fromJSON({ id: task.id }))) {
      if (payload.$case === "task") {
        states.push(payload.value.status.state);
        await client.sendMessage(say("7", task.id));
      } else if (payload.$case === "statusUpdate") {
        states.push(payload.value.status.state);
      }
    }
    assert.deepEqual(states, [a2a.TaskState.TASK_STATE_INPUT_REQUIRED, a2a.TaskState.TASK_STATE_COMPLETED]);
  });
}

test("@a2a-js/sdk sends its own version", async () => {
  const client = await connect("JSONRPC", urls[0]);
  const request = a2a.GetTaskRequest.fromJSON({ id: "nope" });
  await assert.rejects(client.getTask(request, { serviceParameters: { "A2A-Version": "0.3" } }), { reason: "TASK_NOT_FOUND" });
});

test("@a2a-js/sdk reads a JSON-RPC error at any status", async () => {
  const card = { name: "other", supportedInterfaces: [{ url: `${urls[1]}/other`, protocolBinding: "JSONRPC", protocolVersion: "1.0" }] };
  const client = await connect("JSONRPC", urls[1], a2a.AgentCard.fromJSON(card));
  await assert.rejects(client.getTask(a2a.GetTaskRequest.fromJSON({ id: "nope" })), { reason: "TASK_NOT_FOUND", envelopeCode: -32001 });
});

test("@a2a-js/sdk reads a JSON-RPC error in JSON where it asked for a stream", async () => {
  const card = { name: "plain", supportedInterfaces: [{ url: `${urls[1]}/plain`, protocolBinding: "JSONRPC", protocolVersion: "1.0" }] };
  const client = await connect("JSONRPC", urls[1], a2a.AgentCard.fromJSON(card));
  const events = client.resubscribeTask(a2a.SubscribeToTaskRequest.fromJSON({ id: "nope" }));
  await assert.rejects(events.next(), { reason: "TASK_NOT_FOUND", envelopeCode: -32001 });
});
