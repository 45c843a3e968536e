// What runs in a browser: every vector, and calls to the Go server over what a
// browser speaks. It reports what failed to whom its query names.

import { createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-web";
import { Code, createCatalog, fromConnectError, decodeJsonRpc, decodeResponse } from "../../src/index.js";
import { BookNotFoundError, errors_library_v1_library } from "../gen/library/v1/library_errmap.js";
import { errors_shop_v1_cart, PaymentRequiredError, StockEmptyError } from "../gen/shop/v1/cart_errmap.js";
import { Cart } from "../gen/shop/v1/cart_pb.js";
import { failure, vectorsOf } from "../vectors.js";

const catalog = createCatalog(errors_shop_v1_cart, errors_library_v1_library);

interface Result {
  readonly passed: number;
  readonly failures: string[];
}

let passed = 0;
const failures: string[] = [];

function check(name: string, holds: boolean): void {
  if (holds) {
    passed++;
  } else {
    failures.push(name);
  }
}

async function caught(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (reason) {
    return reason;
  }
  return undefined;
}

async function checkTransport(name: string, transport: Transport): Promise<void> {
  const client = createClient(Cart, transport);
  const stock = fromConnectError(await caught(client.get({ sku: "stock" })), { catalog });
  check(`${name}: a typed error`, stock instanceof StockEmptyError && stock.sku === "A1 é" && stock.retryDelay === 1500 && stock.remote);
  const payment = fromConnectError(await caught(client.get({ sku: "payment" })), { catalog });
  check(`${name}: fields by their types`, payment instanceof PaymentRequiredError && payment.amount === 9007199254740993n);
  const watched: string[] = [];
  const ended = await caught(
    (async () => {
      for await (const message of client.watch({ sku: "A1", qty: 2 })) {
        watched.push(String(message.qty));
      }
    })(),
  );
  check(`${name}: a stream`, watched.join() === "2,1" && fromConnectError(ended, { catalog }) instanceof StockEmptyError);
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 50);
  const aborted = fromConnectError(await caught(client.get({ sku: "slow" }, { signal: controller.signal })), { signal: controller.signal });
  check(`${name}: aborted`, aborted.code === Code.CANCELLED && aborted.local && !aborted.remote);
}

async function run(): Promise<void> {
  const baseUrl = location.origin;
  await checkTransport("Connect", createConnectTransport({ baseUrl }));
  await checkTransport("Connect with binary", createConnectTransport({ baseUrl, useBinaryFormat: true }));
  await checkTransport("gRPC-Web", createGrpcWebTransport({ baseUrl }));
  const nobody = createClient(Cart, createConnectTransport({ baseUrl: "http://127.0.0.1:1" }));
  const reason = await caught(nobody.get({ sku: "x" }));
  const unreachable = fromConnectError(reason);
  check(`nobody listens: ${Code[unreachable.code] ?? ""}`, unreachable.code === Code.UNAVAILABLE && unreachable.local && unreachable.cause === reason);
  const headers = { "content-type": "application/json" };
  const body = '{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Get","params":{"sku":"stock"}}';
  const rpc = await fetch(baseUrl, { method: "POST", headers, body });
  check("JSON-RPC", decodeJsonRpc(await rpc.text(), { catalog }) instanceof StockEmptyError);
  const http = await decodeResponse(await fetch(`${baseUrl}/v1/shelves/1/books/2`), { catalog });
  check("HTTP+JSON", http instanceof BookNotFoundError && http.name$ === "shelves/1/books/2");
  const files = (await (await fetch("vectors.json")).json()) as Record<string, string>;
  for (const [file, content] of Object.entries(files)) {
    for (const v of vectorsOf(file, content)) {
      const wrong = failure(v);
      check(`${file}: ${v.name}: ${wrong ?? ""}`, wrong === undefined);
    }
  }
}

const report = new URL(location.href).searchParams.get("report") ?? "";
void run()
  .catch((cause: unknown) => failures.push(`the page failed: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}`))
  .then(() => fetch(report, { method: "POST", mode: "no-cors", body: JSON.stringify({ passed, failures } satisfies Result) }));
