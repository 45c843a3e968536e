// @connectrpc/connect-node over its three protocols. The service is made of the
// descriptors that the driver writes, so that no generated code stands between.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createFileRegistry, fromBinary, fromJson } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { codes, descriptors, domain, failure, rows, urls } from "./table.js";

const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, descriptors));
const service = registry.getService("lf.a2a.v1.A2AService");
const errorInfo = registry.getMessage("google.rpc.ErrorInfo");

const transports = {
  "Connect, HTTP/1.1": (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "1.1" }),
  "Connect, JSON, HTTP/2": (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "2", useBinaryFormat: false }),
  gRPC: (baseUrl) => createGrpcTransport({ baseUrl }),
  "gRPC-Web": (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" }),
};

for (const [name, transport] of Object.entries(transports)) {
  test(`@connectrpc/connect-node over ${name}`, async (t) => {
    const clients = urls.map((url) => createClient(service, transport(url)));
    for (const row of rows) {
      await t.test(row.name, async () => {
        const { localName, input } = service.methods.find((method) => method.name === row.method);
        const headers = { "A2A-Version": "1.0", ...row.headers };
        const client = clients[row.after ? 1 : 0];
        const error = await failure(row, () => client[localName](fromJson(input, row.request), { headers }));
        assert.ok(error instanceof ConnectError, error);
        assert.equal(error.code, codes[row.code]);
        assert.equal(error.rawMessage, row.message);
        assert.deepEqual(error.details.map((detail) => detail.type), row.details);
        if (!row.reason) {
          return;
        }
        const [info] = error.findDetails(errorInfo);
        assert.equal(info.reason, row.reason);
        assert.equal(info.domain, domain);
        assert.deepEqual(info.metadata, row.metadata ?? {});
      });
    }
  });
}
