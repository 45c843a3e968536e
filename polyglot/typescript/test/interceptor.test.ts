// A server in TypeScript: what leaves it, and what does not.

import assert from "node:assert/strict";
import { type AddressInfo } from "node:net";
import { createServer, type Http2Server, type ServerHttp2Session } from "node:http2";
import { after, before, describe, it } from "node:test";
import { Code as ConnectCode, ConnectError, type ConnectRouter } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import {
  Code,
  serverInterceptor,
  createCatalog,
  ErrmapError,
  forward,
  fromConnectError,
  decodeConnect,
  decodeJsonRpc,
  type Report,
  toConnectError,
  encodeJsonRpcText,
} from "../src/index.js";
import { DebugInfoSchema, RequestInfoSchema, RetryInfoSchema } from "../src/gen/google/rpc/error_details_pb.js";
import { errors_shop_v1_cart, InvalidCartError, StockEmptyError } from "./gen/shop/v1/cart_errmap.js";
import { Cart } from "./gen/shop/v1/cart_pb.js";
import { cart, caught, transports } from "./server.js";

const catalog = createCatalog(errors_shop_v1_cart);
const secret = "dial tcp 10.0.0.7:5432: user=app";
const foreign = '{"code":4711,"message":"from afar","data":[{"@type":"type.googleapis.com/acme.v9.Mystery","n":9007199254740993}]}';

function fail(sku: string): never {
  switch (sku) {
    case "typed":
      throw new StockEmptyError({ sku: "A1 é" }, { retryDelay: 1500, cause: new Error(secret) });
    case "code":
      throw new ErrmapError(Code.ABORTED, "100% é");
    case "connect":
      throw new ConnectError("mine", ConnectCode.NotFound, undefined, [{ desc: RequestInfoSchema, value: { requestId: "r" } }]);
    case "converted":
      throw toConnectError(new StockEmptyError({ sku: "A1" }));
    case "failed call":
      throw new ConnectError(secret, ConnectCode.Unavailable, undefined, undefined, new Error("connect ECONNREFUSED"));
    case "debug":
      throw new InvalidCartError({ debug: { detail: secret } });
    case "received":
      throw decodeConnect({ code: "not_found", message: secret });
    case "received by Connect":
      throw new ConnectError(secret, ConnectCode.NotFound, { "content-type": "application/json" });
    case "local":
      throw fromConnectError(new TypeError(`fetch failed: ${secret}`));
    case "forwarded":
      throw forward(decodeJsonRpc(foreign));
    case "forwarded local":
      throw forward(fromConnectError(new TypeError(`fetch failed: ${secret}`)));
    case "forwarded answer of an intermediary": {
      const details = [{ desc: RequestInfoSchema, value: { servingData: secret } }];
      const headers = { "content-type": "text/html", "retry-after": "7" };
      throw forward(fromConnectError(new ConnectError(secret, ConnectCode.Unavailable, headers, details)));
    }
    case "bad detail":
      throw new ConnectError("mine", ConnectCode.NotFound, undefined, [{ desc: RetryInfoSchema, value: { retryDelay: { nanos: 1.5 } } }]);
    case "string":
      throw secret;
    default:
      throw new Error(secret);
  }
}

const reports: Report[] = [];
let throwing = false;
const onHidden = (report: Report): void => {
  if (throwing) {
    throw new Error(secret);
  }
  reports.push(report);
};
const sessions = new Set<ServerHttp2Session>();
let http: Http2Server;
let url: string;

before(async () => {
  const routes = (router: ConnectRouter): void => {
    router.service(Cart, {
      get: (request) => fail(request.sku),
      async *watch(request) {
        yield { sku: request.sku, qty: 1n };
        fail(request.sku);
      },
    });
  };
  const interceptors = [serverInterceptor({ catalog, onHidden })];
  http = createServer(connectNodeAdapter({ routes, interceptors }));
  http.on("session", (session) => sessions.add(session));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
});
after(() => {
  http.close();
  sessions.forEach((session) => session.destroy());
});

for (const name of ["Connect over HTTP/2", "gRPC"]) {
  describe(name, () => {
    const client = () => cart(transports(url)[name] ?? assert.fail());
    const failed = async (sku: string): Promise<ErrmapError> => fromConnectError(await caught(client().get({ sku })), { catalog });

    it("an error made for the caller speaks", async () => {
      const typed = await failed("typed");
      assert.ok(typed instanceof StockEmptyError);
      assert.deepEqual([typed.sku, typed.retryDelay, typed.message], ["A1 é", 1500, "No A1 é left"]);
      const code = await failed("code");
      assert.deepEqual([code.code, code.message], [Code.ABORTED, "100% é"]);
      assert.ok((await failed("converted")) instanceof StockEmptyError);
      const own = await failed("connect");
      assert.deepEqual([own.code, own.message, own.detail(RequestInfoSchema)?.requestId], [Code.NOT_FOUND, "mine", "r"]);
    });

    it("an error in a stream speaks", async () => {
      const reason = await caught(
        (async () => {
          for await (const message of client().watch({ sku: "typed", qty: 1 })) {
            assert.equal(message.qty, 1n);
          }
        })(),
      );
      assert.ok(fromConnectError(reason, { catalog }) instanceof StockEmptyError);
    });

    for (const sku of ["error", "string", "received", "received by Connect", "failed call", "local"]) {
      it(`hides: ${sku}`, async () => {
        reports.length = 0;
        const err = await failed(sku);
        assert.deepEqual([err.code, err.message], [Code.INTERNAL, "internal error"]);
        assert.equal(err.detail(RequestInfoSchema)?.requestId, reports[0]?.id);
        assert.equal(reports.length, 1);
        assert.match(reports[0]?.error instanceof Error ? reports[0].error.message : String(reports[0]?.error), /10\.0\.0\.7/);
      });
    }

    it("a forwarded error is sent on whole", async () => {
      const err = await failed("forwarded");
      assert.equal(encodeJsonRpcText(err).text, foreign);
      const local = await failed("forwarded local");
      assert.deepEqual([local.code, local.message], [Code.UNAVAILABLE, "unavailable"]);
      const answer = await failed("forwarded answer of an intermediary");
      assert.deepEqual([answer.code, answer.message, answer.retryDelay], [Code.UNAVAILABLE, "unavailable", 7000]);
      assert.deepEqual(answer.details.map((d) => d.name), ["google.rpc.RetryInfo"]);
    });

    it("a detail that cannot be written costs itself alone", async () => {
      const err = await failed("bad detail");
      assert.deepEqual([err.code, err.message, err.details], [Code.NOT_FOUND, "mine", []]);
    });

    it("a hook that throws does not take the answer with it", async () => {
      const logged: unknown[] = [];
      const { error } = console;
      console.error = (...args: unknown[]) => logged.push(args);
      try {
        throwing = true;
        const err = await failed("error");
        assert.deepEqual([err.code, err.message], [Code.INTERNAL, "internal error"]);
      } finally {
        throwing = false;
        console.error = error;
      }
      assert.equal(logged.length, 2);
    });

    it("DebugInfo stays here", async () => {
      const err = await failed("debug");
      assert.ok(err instanceof InvalidCartError);
      assert.equal(err.detail(DebugInfoSchema), undefined);
    });
  });
}

it("toConnectError keeps the code, the details and the cause", () => {
  const made = new StockEmptyError({ sku: "A1" });
  const error = toConnectError(made);
  assert.deepEqual([error.code, error.rawMessage, error.details.length, error.cause], [ConnectCode.FailedPrecondition, "No A1 left", 1, made]);
  assert.equal(fromConnectError(error), made);
});
