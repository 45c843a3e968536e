// The JSON-RPC transport: against the Go server, "errmap serve", a JSON-RPC server of
// somebody else, and answers that no server should give.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { createClient, ConnectError, Code as ConnectCode, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import jayson from "jayson";
import { a2a, Code, createCatalog, createJsonRpcTransport, ErrmapError, fromConnectError, type JsonRpcTransportOptions, profileA2a, serverInterceptor, typedErrors, Wire } from "../src/index.js";
import { Agent } from "./gen/agent/v1/agent_pb.js";
import { errors_shop_v1_cart, PaymentRequiredError, StockEmptyError } from "./gen/shop/v1/cart_errmap.js";
import { Cart } from "./gen/shop/v1/cart_pb.js";
import { caught, type Server, startServer, transports } from "./server.js";

const catalog = createCatalog(errors_shop_v1_cart);

function client(baseUrl: string, o: Partial<JsonRpcTransportOptions> = {}) {
  return createClient(Cart, typedErrors(createJsonRpcTransport({ baseUrl, catalog, ...o }), { catalog }));
}

async function failed(promise: Promise<unknown>): Promise<ErrmapError> {
  const e = await caught(promise);
  assert.ok(e instanceof ErrmapError, String(e));
  return e;
}

async function all<T>(messages: AsyncIterable<T>): Promise<T[]> {
  const out: T[] = [];
  for await (const message of messages) {
    out.push(message);
  }
  return out;
}

describe("against the Go server", () => {
  let server: Server;
  before(async () => {
    server = await startServer();
  });
  after(() => server.close());

  it("returns a result", async () => {
    assert.equal((await client(server.url).get({ sku: "A1", qty: 2 })).sku, "A1");
  });

  it("throws typed errors, and what the transport threw is the cause", async () => {
    const stock = await failed(client(server.url).get({ sku: "stock" }));
    assert.ok(stock instanceof StockEmptyError);
    assert.deepEqual([stock.sku, stock.code, stock.retryDelay, stock.remote, stock.local], ["A1 é", Code.FAILED_PRECONDITION, 1500, true, false]);
    const payment = await failed(client(server.url).get({ sku: "payment" }));
    assert.ok(payment instanceof PaymentRequiredError);
    assert.equal(payment.amount, 9007199254740993n);
  });

  it("throws a ConnectError like any transport without the wrapper", async () => {
    const reason = await caught(createClient(Cart, createJsonRpcTransport({ baseUrl: server.url, catalog })).get({ sku: "stock" }));
    assert.ok(reason instanceof ConnectError);
    assert.equal(reason.code, ConnectCode.FailedPrecondition);
    assert.ok(reason.cause instanceof StockEmptyError);
    assert.equal(reason.metadata.get("content-type"), "application/json");
    assert.equal(fromConnectError(reason), reason.cause);
  });

  it("keeps what a number and foreign details say", async () => {
    const foreign = await failed(client(server.url).get({ sku: "foreign" }));
    assert.deepEqual([foreign.code, foreign.received[0]?.wire, foreign.received[0]?.number], [Code.UNKNOWN, Wire.JSONRPC, "4711"]);
    assert.match(foreign.details[0]?.json ?? "", /"n":9007199254740993,"f":1\.0/);
  });

  it("streams, and throws between the messages", async () => {
    const quantities: bigint[] = [];
    const reason = await failed(
      (async () => {
        for await (const message of client(server.url).watch({ sku: "A1", qty: 2 })) {
          quantities.push(message.qty);
        }
      })(),
    );
    assert.deepEqual(quantities, [2n, 1n]);
    assert.ok(reason instanceof StockEmptyError);
    assert.equal(reason.remote, true);
  });

  it("calls interceptors, and takes the names of methods", async () => {
    const seen: string[] = [];
    const interceptor: Interceptor = (next) => async (req) => {
      seen.push(`${req.method.name} ${req.requestMethod}`);
      req.header.set("x-call", "1");
      return next(req);
    };
    assert.equal((await client(server.url, { interceptors: [interceptor] }).get({ sku: "A1" })).sku, "A1");
    assert.deepEqual(seen, ["Get POST"]);
    const dotted = await failed(client(server.url, { methodNames: "dotted" }).get({ sku: "A1" }));
    assert.equal(dotted.code, Code.UNIMPLEMENTED);
    assert.equal((await client(server.url, { methodNames: () => "shop.v1.Cart/Get" }).get({ sku: "B2" })).sku, "B2");
  });

  it("is aborted, and ends in time", async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 50);
    const aborted = await failed(client(server.url).get({ sku: "slow" }, { signal: controller.signal }));
    assert.deepEqual([aborted.code, aborted.local, aborted.remote], [Code.CANCELLED, true, false]);
    for (const late of [client(server.url).get({ sku: "slow" }, { timeoutMs: 50 }), client(server.url, { defaultTimeoutMs: 50 }).get({ sku: "slow" })]) {
      assert.equal((await failed(late)).code, Code.DEADLINE_EXCEEDED);
    }
  });

  it("has no form for streams of a client", async () => {
    const reason = await failed(client(server.url).fill((async function* () {})()));
    assert.deepEqual([reason.code, reason.local], [Code.UNIMPLEMENTED, true]);
  });
});

for (const name of ["Connect with JSON", "Connect with binary", "gRPC", "gRPC-Web"]) {
  it(`typedErrors wraps any transport: ${name}`, async () => {
    const server = await startServer();
    try {
      const cart = createClient(Cart, typedErrors(transports(server.url)[name] ?? assert.fail(name), { catalog }));
      const stock = await failed(cart.get({ sku: "stock" }));
      assert.ok(stock instanceof StockEmptyError && stock.cause instanceof ConnectError);
      assert.ok((await failed(all(cart.watch({ sku: "A1", qty: 1 })))) instanceof StockEmptyError);
      assert.equal((await failed(cart.get({ sku: "slow" }, { timeoutMs: 50 }))).code, Code.DEADLINE_EXCEEDED);
    } finally {
      server.close();
    }
  });
}

// TestFinding_N03
it("N03: the server's interceptor on a transport is refused by its name, at the first call", async () => {
  for (const transport of [
    createConnectTransport({ baseUrl: "http://127.0.0.1:1", httpVersion: "1.1", interceptors: [serverInterceptor()] }),
    createJsonRpcTransport({ baseUrl: "http://127.0.0.1:1", interceptors: [serverInterceptor()] }),
  ]) {
    const cart = createClient(Cart, transport);
    for (const call of [() => cart.get({}), () => all(cart.watch({})), () => cart.get({})]) {
      await assert.rejects(call(), (e) => e instanceof Error && /serverInterceptor stands among the interceptors of a transport/.test(e.message));
    }
  }
});

describe("against errmap serve", () => {
  const binary = process.env["ERRMAP"] ?? fileURLToPath(new URL("../../../../.build/errmap", import.meta.url));
  let child: ChildProcess;
  let baseUrl: string;
  before(async () => {
    child = spawn(binary, ["serve", "--addr", "127.0.0.1:0"], { stdio: ["ignore", "pipe", "inherit"] });
    baseUrl = await new Promise<string>((resolve, reject) => {
      child.once("exit", (code) => reject(new Error(`errmap serve ended with ${code ?? "a signal"}`)));
      createInterface({ input: child.stdout ?? assert.fail() }).on("line", (line) => {
        const found = /http:\/\/localhost:\d+/.exec(line);
        if (found !== null) {
          resolve(found[0]);
        }
      });
    });
  });
  after(() => child.kill());

  const headers = { "a2a-version": "1.0" };
  const agent = () => createClient(Agent, typedErrors(createJsonRpcTransport({ baseUrl, profile: profileA2a })));
  const said = (text: string) => ({ message: { messageId: "m", role: "ROLE_USER", parts: [{ text }] } });

  for (const one of a2a.errors_errmap_a2a_v1_errors) {
    it(one.reason, async () => {
      assert.ok((await failed(agent().sendMessage(said(`fail ${one.reason}`), { headers }))) instanceof one);
    });
  }

  it("a task, and its stream", async () => {
    const answer = await agent().sendMessage(said("hello"), { headers });
    assert.ok(answer.payload.case !== undefined);
    const updates = await all(agent().sendStreamingMessage(said("hello"), { headers }));
    assert.ok(updates.length > 0 && updates.every((u) => u.payload.case !== undefined));
    const lost = await failed(agent().getTask({ id: "nope" }, { headers }));
    assert.ok(lost instanceof a2a.TaskNotFoundError);
    assert.equal(lost.code, Code.NOT_FOUND);
  });
});

describe("against jayson", () => {
  let http: HttpServer;
  before(async () => {
    const server = new jayson.Server({
      "shop.v1.Cart/Get": (params: { sku?: string }, done: (error: unknown, result?: unknown) => void) => {
        if (params.sku === "gone") {
          done({ code: -32001, message: "gone", data: { sku: "gone", n: 1 } });
        } else if (params.sku === "broken") {
          done({ code: "x", message: 5 });
        } else {
          done(null, { sku: params.sku, qty: "7" });
        }
      },
    });
    http = server.http();
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  });
  after(() => http.close());
  const cart = () => client(`http://127.0.0.1:${(http.address() as AddressInfo).port}`);

  it("results and errors", async () => {
    const got = await cart().get({ sku: "A1" });
    assert.deepEqual([got.sku, got.qty], ["A1", 7n]);
    const gone = await failed(cart().get({ sku: "gone" }));
    assert.deepEqual([gone.code, gone.message, gone.details[0]?.json, gone.received[0]?.number], [Code.UNKNOWN, "gone", '{"sku":"gone","n":1}', "-32001"]);
    assert.equal((await failed(cart().ping({}))).code, Code.UNIMPLEMENTED);
    assert.equal((await failed(cart().get({ sku: "broken" }))).code, Code.INTERNAL);
  });
});

describe("answers that no server should give", () => {
  let http: HttpServer;
  let answer: (req: IncomingMessage, res: ServerResponse, body: string) => void;
  const requests: string[] = [];
  before(async () => {
    http = createServer((req, res) => {
      let body = "";
      req.setEncoding("utf8").on("data", (part: string) => (body += part));
      req.on("end", () => {
        requests.push(`${req.method ?? ""} ${req.url ?? ""}`);
        answer(req, res, body);
      });
    });
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  });
  after(() => {
    http.closeAllConnections();
    http.close();
  });
  const url = () => `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const text = (status: number, type: string, body: string, headers: Record<string, string> = {}) => (_: IncomingMessage, res: ServerResponse) => {
    res.writeHead(status, { "content-type": type, ...headers }).end(body);
  };
  const error = '{"jsonrpc":"2.0","id":null,"error":{"code":-31404,"message":"none"}}';

  const rows: readonly (readonly [name: string, answer: typeof answer, code: Code, message: string, local: boolean])[] = [
    ["a page of a proxy", text(502, "text/html", "<html>10.0.0.9"), Code.UNAVAILABLE, "HTTP status 502 Bad Gateway", false],
    ["an error of an edge in Connect's form", text(403, "application/json", '{"code":"permission_denied","message":"no"}'), Code.PERMISSION_DENIED, "no", false],
    ["an error object at a bad status", text(400, "application/json", error), Code.NOT_FOUND, "none", false],
    ["a page at 200", text(200, "text/html", "<html>"), Code.INTERNAL, "the answer is not JSON-RPC", true],
    ["an array", text(200, "application/json", `[${error}]`), Code.INTERNAL, "the answer is not JSON-RPC", true],
    ["neither result nor error", text(200, "application/json", '{"jsonrpc":"2.0","id":1}'), Code.INTERNAL, "the answer is not JSON-RPC", true],
    ["an id twice", text(200, "application/json", '{"jsonrpc":"2.0","id":2,"id":1,"result":{}}'), Code.INTERNAL, "the answer is not JSON-RPC", true],
    ["the id of another call", text(200, "application/json", '{"jsonrpc":"2.0","id":99,"result":{}}'), Code.INTERNAL, "the answer bears the id of another call", true],
    ["a result of another type", text(200, "application/json", '{"jsonrpc":"2.0","id":1,"result":{"sku":5}}'), Code.INTERNAL, "the result is not of the method's type", true],
    ["JSON that ends early", text(200, "application/json", '{"jsonrpc":"2.0","id":1,"res'), Code.UNAVAILABLE, "the connection broke off", true],
    ["a body that is cut", (_, res) => void res.writeHead(200, { "content-type": "application/json", "content-length": "100" }).write('{"jsonrpc"', () => res.destroy()), Code.UNAVAILABLE, "the connection broke off", true],
    ["too large an answer", text(200, "application/json", `{"jsonrpc":"2.0","id":1,"result":{"sku":"${"x".repeat(5000)}"}}`), Code.RESOURCE_EXHAUSTED, "the answer is larger than 1000 bytes", true],
    ["a redirect", text(307, "text/plain", "", { location: "/elsewhere" }), Code.UNKNOWN, "HTTP status 307 Temporary Redirect", false],
    ["no connection", (req) => req.socket.destroy(), Code.UNAVAILABLE, "the server cannot be reached", true],
    ["JSON that is labelled as events", text(200, "text/event-stream", error), Code.NOT_FOUND, "none", false],
    ["an error as an event", text(200, "text/event-stream", `: hello\r\n\r\nevent: x\ndata: ${error}\n\n`), Code.NOT_FOUND, "none", false],
  ];
  for (const [name, give, code, message, local] of rows) {
    it(name, async () => {
      answer = give;
      const e = await failed(client(url(), { readMaxBytes: 1000 }).get({ sku: "A1" }));
      assert.deepEqual([e.code, e.message, e.local], [code, message, local]);
      assert.doesNotMatch(e.message, /10\.0\.0\.9|127\.0\.0\.1/);
    });
  }

  it("every call is one POST, and none is repeated", () => {
    assert.deepEqual(requests, rows.map(() => "POST /"));
  });

  it("Retry-After", async () => {
    answer = text(429, "text/plain", "slow down", { "retry-after": "7" });
    assert.equal((await failed(client(url()).get({}))).retryDelay, 7000);
  });

  const event = (qty: number): string => `data: {"jsonrpc":"2.0","id":1,\ndata: "result":{"qty":"${qty}"}}\n\n`;
  const streams: readonly (readonly [name: string, body: string, quantities: bigint[], code: Code | undefined, message: string])[] = [
    ["lines of data, comments and a byte order mark", `\ufeff: c\n\n${event(1)}id: 5\nretry: 1\n\n${event(2)}`, [1n, 2n], undefined, ""],
    ["carriage returns", event(3).replaceAll("\n", "\r"), [3n], undefined, ""],
    ["an event that is cut", event(1) + "data: {", [1n], Code.UNAVAILABLE, "the connection broke off"],
    ["an event that is too large", event(1) + `data: ${"x".repeat(5000)}\n\n`, [1n], Code.RESOURCE_EXHAUSTED, "an event is larger than 1000 bytes"],
    ["JSON that is labelled as events", '{"jsonrpc":"2.0","id":1,"result":{}}', [], Code.INTERNAL, "a stream of events is one plain answer"],
  ];
  for (const [name, body, quantities, code, message] of streams) {
    it(`a stream: ${name}`, async () => {
      // In pieces, so that characters and line ends are apart.
      answer = (_, res) => {
        const bytes = Buffer.from(body);
        res.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
        const step = Math.max(3, Math.ceil(bytes.length / 50));
        const send = (at: number): void => void (at >= bytes.length ? res.end() : res.write(bytes.subarray(at, at + step), () => setImmediate(send, at + step)));
        send(0);
      };
      const got: bigint[] = [];
      const watch = (async () => {
        for await (const message of client(url(), { readMaxBytes: 1000 }).watch({})) {
          got.push(message.qty);
        }
      })();
      if (code === undefined) {
        await watch;
      } else {
        const e = await failed(watch);
        assert.deepEqual([e.code, e.message], [code, message]);
      }
      assert.deepEqual(got, quantities);
    });
  }

  it("a stream that is answered with JSON", async () => {
    answer = text(200, "application/json", error);
    assert.equal((await failed(all(client(url()).watch({})))).code, Code.NOT_FOUND);
    answer = text(200, "application/json", '{"jsonrpc":"2.0","id":1,"result":{}}');
    assert.equal((await failed(all(client(url()).watch({})))).message, "a streaming call was answered with one message that is no stream");
  });

  it("a stream that is aborted ends", async () => {
    let closed: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (closed = resolve));
    answer = (_, res) => {
      res.writeHead(200, { "content-type": "text/event-stream" }).write(event(1));
      res.on("close", closed);
    };
    const controller = new AbortController();
    const watch = (async () => {
      for await (const message of client(url()).watch({}, { signal: controller.signal })) {
        assert.equal(message.qty, 1n);
        controller.abort();
      }
    })();
    assert.equal((await failed(watch)).code, Code.CANCELLED);
    await ended;
  });
});
