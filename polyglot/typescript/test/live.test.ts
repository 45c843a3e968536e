// Clients against the real Go server, over every wire that it has.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  asError,
  Code,
  createCatalog,
  ErrmapError,
  type ErrorOf,
  fromConnectError,
  decodeJsonRpc,
  decodeResponse,
  isErrorOf,
  encodeConnect,
  encodeJsonRpcText,
  Wire,
} from "../src/index.js";
import { BadRequestSchema, RequestInfoSchema } from "../src/gen/google/rpc/error_details_pb.js";
import { BookNotFoundError, errors_library_v1_library } from "./gen/library/v1/library_errmap.js";
import { errors_shop_v1_cart, InvalidCartError, PaymentRequiredError, StockEmptyError } from "./gen/shop/v1/cart_errmap.js";
import { cart, caught, type Server, startServer, transports } from "./server.js";

const catalog = createCatalog(errors_shop_v1_cart, errors_library_v1_library);

let server: Server;
before(async () => {
  server = await startServer();
});
after(() => server.close());

for (const name of ["Connect with JSON", "Connect with binary", "Connect over HTTP/2", "gRPC", "gRPC-Web"]) {
  describe(name, () => {
    const client = () => cart(transports(server.url)[name] ?? assert.fail(name));
    const failed = async (sku: string): Promise<ErrmapError> => fromConnectError(await caught(client().get({ sku })), { catalog });

    it("makes an annotated message a typed error", async () => {
      const err = await failed("stock");
      assert.ok(err instanceof StockEmptyError);
      assert.equal(err.sku, "A1 é");
      assert.equal(err.reason, "STOCK_EMPTY");
      assert.equal(err.domain, "shop.example.com");
      assert.equal(err.code, Code.FAILED_PRECONDITION);
      assert.equal(err.message, "No A1 é left");
      assert.equal(err.retry?.retryDelay?.nanos, 500_000_000);
      assert.equal(err.retryDelay, 1500);
      assert.equal(err.remote, true);
      assert.equal(err.local, false);
    });

    it("reads fields by their types", async () => {
      const err = await failed("payment");
      assert.ok(err instanceof PaymentRequiredError);
      assert.equal(err.amount, 9007199254740993n);
      assert.deepEqual([err.due?.seconds, err.due?.nanos], [1_700_000_000n, 500_000_000]);
    });

    it("reads details", async () => {
      const err = await failed("invalid");
      assert.ok(err instanceof InvalidCartError);
      assert.deepEqual(
        err.fields.fields?.fieldViolations.map((v) => [v.field, v.description]),
        [["qty", "is negative"]],
      );
      assert.equal(err.fields$?.fieldViolations[0]?.field, "qty");
      assert.equal(err.detail(BadRequestSchema)?.fieldViolations.length, 1);
      assert.equal(err.debug, undefined);
    });

    it("keeps the text of a plain code", async () => {
      const err = await failed("plain");
      assert.deepEqual([err.code, err.message, err.reason, err.details.length], [Code.ABORTED, "line1\r\nline2 é 100%", "", 0]);
    });

    it("brings what rides along to the next wire", async () => {
      const err = await failed("foreign");
      const { text } = encodeJsonRpcText(err, { catalog });
      assert.equal(
        text,
        '{"code":4711,"message":"from afar","data":[{"@type":"type.googleapis.com/acme.v9.Mystery","n":9007199254740993,"f":1.0}]}',
      );
    });

    it("learns nothing of what is hidden", async () => {
      const err = await failed("hidden");
      assert.deepEqual([err.code, err.message], [Code.INTERNAL, "internal error"]);
      assert.match(err.detail(RequestInfoSchema)?.requestId ?? "", /^[A-Z0-9]+$/);
      assert.doesNotMatch(encodeConnect(err), /10\.0\.0\.7/);
    });

    it("fails a stream after its messages", async () => {
      const quantities: bigint[] = [];
      const reason = await caught(
        (async () => {
          for await (const message of client().watch({ sku: "A1", qty: 2 })) {
            quantities.push(message.qty);
          }
        })(),
      );
      assert.deepEqual(quantities, [2n, 1n]);
      const err = fromConnectError(reason, { catalog });
      assert.ok(err instanceof StockEmptyError);
      assert.equal(err.sku, "A1");
      assert.equal(err.remote, true);
    });

    it("does not know what is in no catalogue, and loses nothing of it", async () => {
      const err = fromConnectError(await caught(client().get({ sku: "stock" })));
      assert.ok(!(err instanceof StockEmptyError));
      assert.equal(err.reason, "STOCK_EMPTY");
      assert.equal(asError(err, StockEmptyError)?.sku, "A1 é");
      assert.equal(asError(err, InvalidCartError), undefined);
    });
  });
}

it("keeps a private code of gRPC", async () => {
  const client = cart(transports(server.url)["gRPC"] ?? assert.fail());
  const err = fromConnectError(await caught(client.get({ sku: "private" })));
  assert.deepEqual([err.number, err.code, err.message], [42, Code.UNKNOWN, "private"]);
});

describe("JSON-RPC", () => {
  const call = async (sku: string): Promise<string> => {
    const response = await fetch(server.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "shop.v1.Cart/Get", params: { sku } }),
    });
    return response.text();
  };

  it("makes a typed error of a response", async () => {
    const err = decodeJsonRpc(await call("stock"), { catalog });
    assert.ok(err instanceof StockEmptyError);
    assert.equal(err.sku, "A1 é");
    assert.equal(err.code, Code.FAILED_PRECONDITION);
    assert.equal(err.retryDelay, 1500);
  });

  it("makes a typed error of a parsed object", async () => {
    const response = JSON.parse(await call("payment")) as { error: Record<string, unknown> };
    const err = decodeJsonRpc(response.error, { catalog });
    assert.ok(err instanceof PaymentRequiredError);
    assert.equal(err.amount, 9007199254740993n);
  });

  it("keeps numbers of a foreign detail", async () => {
    const err = decodeJsonRpc(await call("foreign"), { catalog });
    assert.deepEqual([err.code, err.received[0]?.number, err.received[0]?.wire], [Code.UNKNOWN, "4711", Wire.JSONRPC]);
    assert.match(err.details[0]?.json ?? "", /"n":9007199254740993,"f":1\.0/);
  });

  it("reads a method that is not there", async () => {
    const response = await fetch(server.url, { method: "POST", headers: { "content-type": "application/json" }, body: '{"jsonrpc":"2.0","id":1,"method":"nope"}' });
    assert.equal(decodeJsonRpc(await response.text()).code, Code.UNIMPLEMENTED);
  });
});

describe("HTTP+JSON", () => {
  for (const accept of ["application/json", "application/problem+json"]) {
    it(`makes a typed error of ${accept}`, async () => {
      const response = await fetch(`${server.url}/v1/shelves/1/books/2`, { headers: { accept } });
      assert.match(response.headers.get("content-type") ?? "", new RegExp("^" + accept.replace("+", "\\+")));
      const err = await decodeResponse(response, { catalog });
      assert.ok(err instanceof BookNotFoundError);
      assert.equal(err.name$, "shelves/1/books/2");
      assert.equal(err.name, "BookNotFoundError");
      assert.equal(err.code, Code.NOT_FOUND);
      assert.equal(response.status, 410);
    });
  }

  it("reads a path that is not there", async () => {
    const err = await decodeResponse(await fetch(`${server.url}/v1/nope`), { catalog });
    assert.equal(err?.code, Code.NOT_FOUND);
  });
});

// It does not compile where a case is missing: there is no return behind the switch.
function advice(err: ErrorOf<typeof errors_shop_v1_cart>): string {
  switch (err.reason) {
    case "STOCK_EMPTY":
      return `wait for ${err.sku}`;
    case "PAYMENT_REQUIRED":
      return `pay ${err.amount}`;
    case "INVALID_CART":
      return `mend ${err.fields$?.fieldViolations.map((v) => v.field).join() ?? "it"}`;
  }
}

it("switches on the reason exhaustively", async () => {
  const client = cart(transports(server.url)["Connect with JSON"] ?? assert.fail());
  const got: string[] = [];
  for (const sku of ["stock", "payment", "invalid", "plain"]) {
    const err: unknown = fromConnectError(await caught(client.get({ sku })), { catalog });
    got.push(isErrorOf(err, errors_shop_v1_cart) ? advice(err) : "none of the shop");
  }
  assert.deepEqual(got, ["wait for A1 é", "pay 9007199254740993", "mend qty", "none of the shop"]);
});
