// Faults that users of other libraries met, by the number that their kind has.

import assert from "node:assert/strict";
import { createServer as createHttpServer, type Server as HttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { after, before, describe, it } from "node:test";
import { create, fromBinary } from "@bufbuild/protobuf";
import { DurationSchema } from "@bufbuild/protobuf/wkt";
import { createConnectTransport as createNodeTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { createConnectTransport as createWebTransport } from "@connectrpc/connect-web";
import { Code, createCatalog, fromConnectError, decodeConnect, decodeGrpc, decodeStatus } from "../src/index.js";
import { fromBase64 } from "../src/text.js";
import { ErrorInfoSchema } from "../src/gen/google/rpc/error_details_pb.js";
import { errors_shop_v1_cart, StockEmptyError } from "./gen/shop/v1/cart_errmap.js";
import { cart, caught, type Server, startServer, transports } from "./server.js";

const catalog = createCatalog(errors_shop_v1_cart);

describe("field 007: debug of a Connect detail is any JSON", () => {
  for (const debug of ['"1s"', "null", "[1]", "{}", "1.0"]) {
    it(debug, () => {
      const err = decodeConnect(`{"code":"unavailable","details":[{"type":"google.protobuf.Duration","value":"CAE","debug":${debug}}]}`);
      assert.equal(err.code, Code.UNAVAILABLE);
      assert.deepEqual(err.detail(DurationSchema), create(DurationSchema, { seconds: 1n }));
      assert.deepEqual(err.notes, []);
    });
  }
});

describe("field 013: one call from a header to a typed error", () => {
  const ST5 =
    "CAUSBGdvbmUaVgoodHlwZS5nb29nbGVhcGlzLmNvbS9nb29nbGUucnBjLkVycm9ySW5mbxIqCgtTVE9DS19FTVBUWRIQc2hvcC5leGFtcGxlLmNvbRoJCgNza3USAkEx";

  it("header lines", () => {
    const err = decodeGrpc({ "grpc-status": "5", "grpc-message": "gone", "grpc-status-details-bin": ST5 }, { catalog });
    assert.ok(err instanceof StockEmptyError);
    assert.deepEqual([err.sku, err.message, err.code, err.metadata.get("sku")], ["A1", "gone", Code.NOT_FOUND, "A1"]);
  });

  it("Headers of fetch", () => {
    const err = decodeGrpc(new Headers({ "Grpc-Status": "5", "Grpc-Status-Details-Bin": ST5 }), { catalog });
    assert.ok(err instanceof StockEmptyError);
  });

  it("the bytes of the status", () => {
    const bytes = fromBase64(ST5);
    assert.ok(bytes !== undefined);
    const err = decodeStatus(bytes, { catalog });
    assert.ok(err instanceof StockEmptyError);
    assert.equal(fromBinary(ErrorInfoSchema, err.details[0]?.value ?? new Uint8Array()).reason, "STOCK_EMPTY");
  });
});

describe("field 052: a call that failed here looks local", () => {
  let server: Server;
  before(async () => {
    server = await startServer();
  });
  after(() => server.close());

  const names = ["Connect with JSON", "Connect over HTTP/2", "gRPC", "gRPC-Web"];

  for (const name of names) {
    it(`aborted in the middle of a call over ${name}`, async () => {
      const controller = new AbortController();
      const client = cart(transports(server.url)[name] ?? assert.fail());
      setTimeout(() => controller.abort(), 50);
      const reason = await caught(client.get({ sku: "slow" }, { signal: controller.signal }));
      const err = fromConnectError(reason, { signal: controller.signal });
      assert.deepEqual([err.code, err.local, err.remote], [Code.CANCELLED, true, false]);
      assert.equal(err.cause, reason);
      assert.deepEqual([fromConnectError(reason).code, fromConnectError(reason).local], [Code.CANCELLED, true]);
    });

    it(`out of time over ${name}`, async () => {
      const client = cart(transports(server.url)[name] ?? assert.fail());
      const reason = await caught(client.get({ sku: "slow" }, { timeoutMs: 50 }));
      assert.equal(fromConnectError(reason).code, Code.DEADLINE_EXCEEDED);
    });
  }

  it("out of time by the signal", async () => {
    const signal = AbortSignal.timeout(50);
    const client = cart(transports(server.url)["gRPC"] ?? assert.fail());
    const err = fromConnectError(await caught(client.get({ sku: "slow" }, { signal })), { signal });
    assert.deepEqual([err.code, err.local], [Code.DEADLINE_EXCEEDED, true]);
  });

  it("nobody listens", async () => {
    const baseUrl = await freeUrl();
    const all = {
      node: createNodeTransport({ baseUrl, httpVersion: "1.1" }),
      http2: createNodeTransport({ baseUrl, httpVersion: "2" }),
      gRPC: createGrpcTransport({ baseUrl }),
      fetch: createWebTransport({ baseUrl }),
    };
    for (const [name, transport] of Object.entries(all)) {
      const reason = await caught(cart(transport).get({ sku: "A1" }));
      const err = fromConnectError(reason);
      assert.deepEqual([name, err.code, err.local, err.remote], [name, Code.UNAVAILABLE, true, false]);
      assert.equal(err.cause, reason);
      assert.ok(err.cause instanceof Error && err.cause.cause instanceof Error, "the chain ends early");
    }
  });

  it("no such host", async () => {
    const transport = createNodeTransport({ baseUrl: "http://nobody.invalid", httpVersion: "1.1" });
    const err = fromConnectError(await caught(cart(transport).get({ sku: "A1" })));
    assert.deepEqual([err.code, err.local], [Code.UNAVAILABLE, true]);
  });

  it("fetch itself", async () => {
    const controller = new AbortController();
    const call = caught(fetch(`${server.url}/shop.v1.Cart/Get`, { method: "POST", headers: { "content-type": "application/json" }, body: '{"sku":"slow"}', signal: controller.signal }));
    setTimeout(() => controller.abort(), 50);
    assert.deepEqual(local(await call), [Code.CANCELLED, true]);
    assert.deepEqual(local(await caught(fetch(await freeUrl()))), [Code.UNAVAILABLE, true]);
    assert.deepEqual(local(await caught(fetch("http://nobody.invalid/"))), [Code.UNAVAILABLE, true]);
  });

  it("a mistake of the program is no failed connection", () => {
    assert.deepEqual(local(new TypeError("x is not a function")), [Code.UNKNOWN, true]);
  });
});

describe("field 042: what answers is no peer", () => {
  const answers: Record<string, { status: number; headers: Record<string, string>; body: string }> = {
    quota: { status: 429, headers: { "content-type": "text/plain", "retry-after": "7" }, body: "slow down" },
    page: { status: 502, headers: { "content-type": "text/html" }, body: "<html><h1>bad gateway</h1>upstream 10.0.0.7</html>" },
  };
  let http: HttpServer;
  let url: string;
  before(async () => {
    http = createHttpServer((request, response) => {
      const answer = answers[(request.url ?? "").split("/")[1] ?? ""] ?? assert.fail();
      request.resume().on("end", () => response.writeHead(answer.status, answer.headers).end(answer.body));
    });
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  });
  after(() => {
    http.close();
    http.closeAllConnections();
  });

  for (const name of ["Connect with JSON", "Connect with binary", "gRPC-Web"]) {
    it(name, async () => {
      const failed = async (path: string) => fromConnectError(await caught(cart(transports(`${url}/${path}`)[name] ?? assert.fail()).get({})));
      const quota = await failed("quota");
      assert.deepEqual([quota.code, quota.local, quota.remote, quota.retryDelay, quota.httpStatus], [Code.UNAVAILABLE, true, false, 7000, 429]);
      const page = await failed("page");
      assert.deepEqual([page.code, page.local, page.httpStatus], [Code.UNAVAILABLE, true, 502]);
      assert.doesNotMatch(page.message, /10\.0\.0\.7|html/);
    });
  }
});

function local(reason: unknown): [Code, boolean] {
  const err = fromConnectError(reason);
  assert.equal(err.cause, reason);
  return [err.code, err.local];
}

// freeUrl is the URL of a port on which nobody listens.
async function freeUrl(): Promise<string> {
  const listener = createServer();
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const address = listener.address();
  await new Promise((resolve) => listener.close(resolve));
  return typeof address === "object" && address !== null ? `http://127.0.0.1:${address.port}` : assert.fail();
}
