// What errors cost beside their peers, in the same run and in turns: npm run bench.

import { create, toBinary } from "@bufbuild/protobuf";
import { Code as ConnectCode, ConnectError } from "@connectrpc/connect";
import { errorFromJsonBytes, errorToJsonBytes } from "@connectrpc/connect/protocol-connect";
import {
  createCatalog,
  decodeConnect,
  decodeGrpc,
  decodeHttp,
  decodeJsonRpc,
  decodeProblem,
  encodeConnect,
  encodeGrpc,
  encodeHttp,
  encodeJsonRpcText,
  encodeProblem,
  profileA2a,
} from "../src/index.js";
import { ErrorInfoSchema } from "../src/gen/google/rpc/error_details_pb.js";
import { errors_shop_v1_cart, StockEmptyError } from "../test/gen/shop/v1/cart_errmap.js";

const catalog = createCatalog(errors_shop_v1_cart);
const made = new StockEmptyError({ sku: "A1" }, { retryDelay: 1500 });
const info = { reason: "STOCK_EMPTY", domain: "shop.example.com", metadata: { sku: "A1" } };
const theirs = new ConnectError("No A1 left", ConnectCode.FailedPrecondition, undefined, [{ desc: ErrorInfoSchema, value: info }]);
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const one = decodeConnect(JSON.stringify({ code: "failed_precondition", message: "No A1 left", details: [{ type: "google.rpc.ErrorInfo", value: b64(toBinary(ErrorInfoSchema, create(ErrorInfoSchema, info))) }] }), { catalog });
const connectBody = bytes(encodeConnect(one, { catalog }));
const twoBody = bytes(encodeConnect(made, { catalog }));
const rpc = encodeJsonRpcText(one, { catalog }).text;
const a2a = '{"code":-32001,"message":"Task not found","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org","metadata":{"taskId":"t-1"}}]}';
const free = '{"code":-32603,"message":"Internal error","data":{"exception":"ValueError","at":["a","b"],"n":1}}';
const http = encodeHttp(one, { catalog }).body;
const problem = encodeProblem(one, { catalog }).body;
const grpc = encodeGrpc(one, { catalog });
const fallback = new ConnectError("HTTP 400", ConnectCode.Internal);
const headers = new Headers({ "content-type": "application/json", date: "Tue, 01 Dec 2026 00:00:00 GMT", "content-length": "249" });

function b64(b: Uint8Array): string {
  return btoa(String.fromCharCode(...b));
}

interface Row {
  readonly name: string;
  readonly ours: () => unknown;
  readonly peer?: () => unknown;
}

const rows: readonly Row[] = [
  {
    name: "Connect decode, a response / what connect-es does of one",
    ours: () => decodeConnect(connectBody, { catalog, headers, httpStatus: 400 }),
    peer: () => errorFromJsonBytes(connectBody, headers, new ConnectError("HTTP 400", ConnectCode.Internal)),
  },
  { name: "Connect decode, an ErrorInfo / connect-es errorFromJsonBytes", ours: () => decodeConnect(connectBody, { catalog }), peer: () => errorFromJsonBytes(connectBody, undefined, fallback) },
  { name: "Connect decode, and the field / connect-es, and findDetails", ours: () => (decodeConnect(connectBody, { catalog }) as StockEmptyError).sku, peer: () => errorFromJsonBytes(connectBody, undefined, fallback).findDetails(ErrorInfoSchema)[0]?.metadata["sku"] },
  { name: "Connect decode, two details / connect-es errorFromJsonBytes", ours: () => decodeConnect(twoBody, { catalog }), peer: () => errorFromJsonBytes(twoBody, undefined, fallback) },
  { name: "Connect encode, an ErrorInfo / connect-es errorToJsonBytes", ours: () => bytes(encodeConnect(one, { catalog })), peer: () => errorToJsonBytes(theirs, undefined) },
  { name: "JSON-RPC decode, an ErrorInfo / JSON.parse and new Error", ours: () => decodeJsonRpc(rpc, { catalog }), peer: () => [JSON.parse(rpc), new Error("m")] },
  { name: "JSON-RPC decode, A2A / JSON.parse and new Error", ours: () => decodeJsonRpc(a2a, { profile: profileA2a }), peer: () => [JSON.parse(a2a), new Error("m")] },
  { name: "JSON-RPC decode, free-form data / JSON.parse and new Error", ours: () => decodeJsonRpc(free), peer: () => [JSON.parse(free), new Error("m")] },
  { name: "JSON-RPC encode, an ErrorInfo", ours: () => encodeJsonRpcText(one, { catalog }).text },
  { name: "AIP-193 decode", ours: () => decodeHttp(http, { catalog }) },
  { name: "AIP-193 encode", ours: () => encodeHttp(one, { catalog }).body },
  { name: "problem decode", ours: () => decodeProblem(problem, { catalog }) },
  { name: "problem encode", ours: () => encodeProblem(one, { catalog }).body },
  { name: "gRPC decode", ours: () => decodeGrpc(grpc, { catalog }) },
  { name: "gRPC encode", ours: () => encodeGrpc(one, { catalog }) },
  { name: "new StockEmptyError / new ConnectError with a detail", ours: () => new StockEmptyError({ sku: "A1" }), peer: () => new ConnectError("m", ConnectCode.FailedPrecondition, undefined, [{ desc: ErrorInfoSchema, value: info }]) },
];

let kept: unknown;

// time returns the microseconds of the processor that one call takes.
function time(f: () => unknown, calls: number): number {
  const start = process.cpuUsage();
  for (let i = 0; i < calls; i++) {
    kept = f();
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / calls;
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1] as number;
}

const calls = Number(process.env["CALLS"] ?? 2000);
const turns = 25;
for (const row of rows) {
  time(row.ours, calls);
  if (row.peer !== undefined) {
    time(row.peer, calls);
  }
}
for (const { name, ours, peer } of rows) {
  const a: number[] = [];
  const b: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    a.push(time(ours, calls));
    if (peer !== undefined) {
      b.push(time(peer, calls));
    }
  }
  const own = median(a);
  const other = peer === undefined ? "" : `   peer ${median(b).toFixed(2)} µs   ratio ${(own / median(b)).toFixed(2)}`;
  console.log(`${name.padEnd(62)} ${own.toFixed(2).padStart(8)} µs${other}`);
}
void kept;
