// The A2A agent of "errmap serve": every error of A2A over JSON-RPC and HTTP+JSON.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { a2a, Code, decodeJsonRpc, decodeResponse, ErrmapError, profileA2a } from "../src/index.js";

const binary = process.env["ERRMAP"] ?? fileURLToPath(new URL("../../../../.build/errmap", import.meta.url));

let child: ChildProcess;
let url: string;
before(async () => {
  child = spawn(binary, ["serve", "--addr", "127.0.0.1:0"], { stdio: ["ignore", "pipe", "inherit"] });
  url = await new Promise<string>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`errmap serve ended with ${code ?? "a signal"}`)));
    if (child.stdout !== null) {
      createInterface({ input: child.stdout }).on("line", (line) => {
        const found = /http:\/\/localhost:\d+/.exec(line);
        if (found !== null) {
          resolve(found[0]);
        }
      });
    }
  });
});
after(() => child.kill());

const headers = { "content-type": "application/json", "a2a-version": "1.0" };

async function call(method: string, params: unknown): Promise<string> {
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }) });
  return response.text();
}

function said(reason: string): unknown {
  return { message: { messageId: "m", role: "ROLE_USER", parts: [{ text: `fail ${reason}` }] } };
}

describe("every error of A2A", () => {
  for (const one of a2a.errors_errmap_a2a_v1_errors) {
    it(one.reason, async () => {
      const rpc = decodeJsonRpc(await call("SendMessage", said(one.reason)), { profile: profileA2a });
      assert.ok(rpc instanceof one, `${rpc.name}: ${rpc.message}`);
      const http = await decodeResponse(await fetch(`${url}/message:send`, { method: "POST", headers, body: JSON.stringify(said(one.reason)) }));
      assert.ok(http instanceof one, `${http?.name ?? "nothing"}: ${http?.message ?? ""}`);
      assert.deepEqual([http.code, http.message, http.metadata], [rpc.code, rpc.message, rpc.metadata]);
    });
  }
});

it("a task that is not there", async () => {
  const err: ErrmapError = decodeJsonRpc(await call("GetTask", { id: "nope" }), { profile: profileA2a });
  assert.ok(err instanceof a2a.TaskNotFoundError);
  assert.equal(err.code, Code.NOT_FOUND);
});

it("a request without a version", async () => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "GetTask", params: { id: "nope" } });
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  assert.ok(decodeJsonRpc(await response.text(), { profile: profileA2a }) instanceof a2a.VersionNotSupportedError);
});
