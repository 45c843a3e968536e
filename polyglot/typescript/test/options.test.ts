// What callers choose: limits, budgets, notes, catalogues; and bytes that are no text.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { create, createRegistry, toBinary, toJson } from "@bufbuild/protobuf";
import {
  AnySchema,
  anyPack,
  DurationSchema,
  FieldMaskSchema,
  file_google_protobuf_struct,
  StructSchema,
  TimestampSchema,
} from "@bufbuild/protobuf/wkt";
import {
  Code,
  createCatalog,
  ErrmapError,
  decodeConnect,
  decodeGrpc,
  decodeHttp,
  decodeJsonRpc,
  decodeProblem,
  decodeStatus,
  parseRetryAfter,
  profileA2a,
  encodeConnect,
  encodeGrpc,
  encodeHttp,
  encodeJsonRpcText,
  encodeProblem,
  encodeStatus,
} from "../src/index.js";
import { noErrors } from "../src/catalog.js";
import { DebugInfoSchema, LocalizedMessageSchema } from "../src/gen/google/rpc/error_details_pb.js";
import { StatusSchema } from "../src/gen/google/rpc/status_pb.js";
import { parse, tryParse } from "../src/jsontree.js";
import { same } from "../src/same.js";
import { decodeUtf8 } from "../src/text.js";
import { EverythingSchema, Kind } from "./gen/naming/v1/naming_pb.js";
import { errors_shop_v1_cart, StockEmptyError } from "./gen/shop/v1/cart_errmap.js";

const catalog = createCatalog(errors_shop_v1_cart);
const mystery = '{"code":-32000,"message":"m","data":[{"@type":"type.googleapis.com/acme.v9.Mystery","n":1.0}]}';

describe("what rides along", () => {
  it("comes back over every binary wire", () => {
    const err = decodeJsonRpc(mystery);
    assert.equal(encodeJsonRpcText(decodeConnect(encodeConnect(err))).text, mystery);
    assert.equal(encodeJsonRpcText(decodeGrpc(encodeGrpc(err))).text, mystery);
    assert.equal(encodeJsonRpcText(decodeStatus(encodeStatus(err))).text, mystery);
  });

  it("stays out where it is not wanted, with a note", () => {
    const notes: string[] = [];
    const text = encodeConnect(decodeJsonRpc(mystery), { withoutCarried: true, onNote: (note) => notes.push(note) });
    assert.equal(text, '{"code":"unknown","message":"m"}');
    assert.equal(notes.length, 1);
  });

  it("is not believed of another message", () => {
    const forged = encodeConnect(decodeJsonRpc(mystery)).replace('"message":"m"', '"message":"n"');
    const err = decodeConnect(forged);
    assert.deepEqual([err.message, err.details.length], ["n", 0]);
    assert.match(err.notes.join(), /Carried dropped/);
  });
});

describe("a catalogue", () => {
  it("lets a reader without it read the same error", () => {
    const made = new StockEmptyError({ sku: "A1" });
    const { text } = encodeJsonRpcText(made, { catalog });
    const err = decodeJsonRpc(text);
    assert.deepEqual([err.code, err.reason, err.metadata.get("sku")], [Code.FAILED_PRECONDITION, "STOCK_EMPTY", "A1"]);
    assert.equal(encodeJsonRpcText(err).text, text);
    assert.ok(decodeJsonRpc(encodeJsonRpcText(err).text, { catalog }) instanceof StockEmptyError);
  });

  it("reads a type of a problem", () => {
    const err = decodeProblem({ type: "https://shop.example.com/errors/stock-empty", status: 400 }, { catalog });
    assert.ok(err instanceof StockEmptyError);
    assert.equal(err.code, Code.FAILED_PRECONDITION);
  });
});

describe("the budget of gRPC", () => {
  const big = new StockEmptyError({ sku: "A1" }, { retryDelay: 1000 })
    .withDetail(DebugInfoSchema, { detail: "d".repeat(10_000) })
    .withDetail(LocalizedMessageSchema, { locale: "de", message: "l".repeat(3000) });
  const names = (headers: [string, string][]): string[] => decodeGrpc(headers).details.map((d) => d.name.replace("google.rpc.", ""));

  for (const [budget, left] of [
    [Infinity, ["ErrorInfo", "RetryInfo", "DebugInfo", "LocalizedMessage"]],
    [8192, ["ErrorInfo", "RetryInfo", "LocalizedMessage"]],
    [2000, ["ErrorInfo", "RetryInfo"]],
    [250, ["ErrorInfo"]],
    [1, []],
  ] as const) {
    it(String(budget), () => {
      const notes: string[] = [];
      const headers = encodeGrpc(big, { budget, onNote: (note) => notes.push(note) });
      assert.deepEqual(names(headers), left);
      assert.equal(headers[0]?.join(), "grpc-status,9");
      assert.equal(notes.length > 0, budget !== Infinity);
      const size = headers.reduce((n, [name, value]) => n + name.length + value.length + 32, 0);
      assert.ok(size <= Math.max(budget, "grpc-status9".length + 32), `${size} bytes`);
    });
  }

  it("cuts the message on a character", () => {
    const headers = encodeGrpc(new ErrmapError(Code.ABORTED, "é".repeat(100)), { budget: 100, onNote: () => undefined });
    assert.match(headers[1]?.[1] ?? "", /^(?:%C3%A9)+$/);
  });
});

describe("limits", () => {
  it("a body", () => {
    assert.equal(decodeHttp(" ".repeat(101), { limits: { body: 100 }, httpStatus: 503 }).code, Code.UNAVAILABLE);
    assert.throws(() => decodeHttp(" ".repeat(101), { limits: { body: 100 } }), { name: "FormError" });
  });
  it("the depth", () => {
    const deep = `{"error":{"code":404,"message":"m","x":${"[".repeat(50_000)}${"]".repeat(50_000)}}}`;
    assert.equal(decodeHttp(deep, { httpStatus: 404 }).message, "HTTP status 404 Not Found");
  });
  it("the details", () => {
    const err = decodeHttp({ error: { code: 404, details: Array.from({ length: 20 }, () => ({})) } }, { limits: { details: 5 } });
    assert.equal(err.details.length, 5);
    assert.match(err.notes.join(), /15 details/);
  });
  it("the message", () => {
    const err = decodeConnect({ code: "aborted", message: "é".repeat(10) }, { limits: { message: 5 } });
    assert.equal(err.message, "éé");
  });
});

describe("bytes that are no text", () => {
  it("are repaired byte by byte", () => {
    assert.equal(decodeUtf8(Uint8Array.of(0x63, 0x61, 0x66, 0xe9)), "caf\ufffd");
    assert.equal(decodeUtf8(Uint8Array.of(0xe2, 0x82, 0x41, 0xf0, 0x9f, 0x98, 0x80, 0xff)), "\ufffd\ufffdA\u{1f600}\ufffd");
    const body = Uint8Array.from([...new TextEncoder().encode('{"code":"aborted","message":"'), 0xe9, ...new TextEncoder().encode('"}')]);
    assert.equal(decodeConnect(body).message, "\ufffd");
  });
  it("a byte order mark is no JSON", () => {
    assert.throws(() => decodeConnect('\ufeff{"code":"aborted"}'), { name: "FormError" });
    assert.throws(() => decodeConnect(Uint8Array.of(0xef, 0xbb, 0xbf, 0x7b, 0x7d)), { name: "FormError" });
  });
  it("what is no JSON is refused", () => {
    for (const text of ["", "{", '{"a":1,}', "[1 2]", "01", "1.", "tru", '"\\x"', '"\n"', "{} x", '{"a" 1}', "nul", "+1", ".5", "NaN", '{"a":1]']) {
      assert.throws(() => parse(text, 100), { name: "JsonError" }, text);
    }
  });
});

it("__proto__ is a key like any other", () => {
  const text =
    '{"error":{"code":404,"message":"m","status":"NOT_FOUND","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"REASON","domain":"x.example.com","metadata":{"__proto__":"a","constructor":"b"}}],"__proto__":{"toString":1}}}';
  const err = decodeHttp(text);
  assert.deepEqual([...err.metadata].sort(), [["__proto__", "a"], ["constructor", "b"]]);
  const again = decodeHttp(encodeHttp(decodeConnect(encodeConnect(err))).body);
  assert.deepEqual([...again.metadata].sort(), [...err.metadata].sort());
  assert.match(again.received.map((r) => r.members).join(), /"__proto__":\{"toString":1\}/);
});

describe("Retry-After", () => {
  const at = new Date("2026-01-01T00:00:00Z");
  it("becomes a RetryInfo", () => {
    const err = decodeHttp("no JSON", { httpStatus: 429, headers: new Headers({ "retry-after": "7" }), receivedAt: at });
    assert.deepEqual([err.code, err.retryDelay, err.retryable], [Code.RESOURCE_EXHAUSTED, 7000, true]);
    assert.equal(encodeHttp(err).headers["retry-after"], "7");
  });
  for (const [value, want] of [
    ["0", 0],
    ["-5", 0],
    ["1.5", undefined],
    ["Thu, 01 Jan 2026 00:00:10 GMT", 10_000],
    ["Wed, 31 Dec 2025 00:00:00 GMT", 0],
    ["Thursday, 01-Jan-26 00:00:10 GMT", 10_000],
    ["Thu Jan  1 00:00:10 2026", 10_000],
    ["Sunday, 06-Nov-94 08:49:37 GMT", 0],
    ["Thu, 01 Jan 2026 00:00:10 +0100", undefined],
    ["Thu, 01 Jan 2026 00:00:10", undefined],
    ["Thu, 31 Feb 2026 00:00:10 GMT", undefined],
    ["Thu, 01 Jan 2026", undefined],
    ["Monkey 1", undefined],
    ["9".repeat(5000), 250 * 365 * 86_400_000],
    ["soon", undefined],
    ["", undefined],
  ] as const) {
    it(JSON.stringify(value), () => assert.equal(parseRetryAfter(value, at.getTime()), want));
  }
  it("is rounded up", () => {
    assert.equal(encodeProblem(new ErrmapError(Code.UNAVAILABLE, "m", { retryDelay: 1500 })).headers["retry-after"], "2");
  });
});

// The same ProtoJSON as that of the library, for what both can say.
describe("ProtoJSON", () => {
  const registry = createRegistry(EverythingSchema, DurationSchema, TimestampSchema, FieldMaskSchema, file_google_protobuf_struct, AnySchema);
  const types = createCatalog(EverythingSchema.file);
  const everything = create(EverythingSchema, {
    flag: true,
    i64: -9007199254740993n,
    u64: 2n ** 64n - 1n,
    f32: 0.5,
    f64: -1e-7,
    text: "\u2028\"\\\u0001",
    data: new Uint8Array([251, 255]),
    kind: Kind.ONE,
    many: [0n, 5n],
    byName: { a: 0, z: 1 },
    perhaps: "",
    lasts: { seconds: -1n, nanos: -1 },
    object: { a: { b: [1.5, null, true, "x", {}] } },
    other: 9 as Kind,
  });
  for (const [name, any] of Object.entries({
    everything: anyPack(EverythingSchema, everything),
    empty: anyPack(EverythingSchema, create(EverythingSchema)),
    duration: anyPack(DurationSchema, create(DurationSchema, { nanos: 1_000_000 })),
    timestamp: anyPack(TimestampSchema, create(TimestampSchema, { seconds: -62_135_596_800n, nanos: 999_999_999 })),
    mask: anyPack(FieldMaskSchema, create(FieldMaskSchema, { paths: ["a.b_c", "d"] })),
    struct: anyPack(StructSchema, create(StructSchema, { fields: {} })),
    "any in any": anyPack(AnySchema, anyPack(DurationSchema, create(DurationSchema, { seconds: 5n }))),
  })) {
    it(name, () => {
      const { text } = types.codec.anyText(any.typeUrl, any.value, 100) ?? assert.fail();
      const theirs = JSON.stringify(toJson(AnySchema, any, { registry }));
      assert.ok(same(parse(text, 100), parse(theirs, 100)), `${text}\n${theirs}`);
      assert.deepEqual(types.codec.readAny(tryParse(text)), any.value);
    });
  }

  for (const refused of [
    '{"@type":"x/google.protobuf.Duration","value":"1"}',
    '{"@type":"x/google.protobuf.Duration","value":"315576000001s"}',
    '{"@type":"x/google.protobuf.Duration"}',
    '{"@type":"x/google.protobuf.Timestamp","value":"2026-02-30T00:00:00Z"}',
    '{"@type":"x/google.protobuf.Timestamp","value":"2026-01-01T00:00:00"}',
    '{"@type":"x/google.protobuf.FieldMask","value":"a_b"}',
    '{"@type":"x/naming.v1.Everything","i32":2147483648}',
    '{"@type":"x/naming.v1.Everything","i32":1.5}',
    '{"@type":"x/naming.v1.Everything","u64":-1}',
    '{"@type":"x/naming.v1.Everything","flag":"true"}',
    '{"@type":"x/naming.v1.Everything","kind":"KIND_TWO"}',
    '{"@type":"x/naming.v1.Everything","data":"A"}',
    '{"@type":"x/naming.v1.Everything","text":"\\ud800"}',
    '{"@type":"x/naming.v1.Everything","by_name":{},"byName":{}}',
    '{"@type":"x/naming.v1.Everything","f64":1e400}',
    '{"@type":"x/naming.v1.Everything","nothing":1}',
    '{"@type":"x/acme.v9.Mystery"}',
    '{"@type":""}',
    '{"a":1}',
  ]) {
    it(`refuses ${refused}`, () => assert.equal(types.codec.readAny(parse(refused, 100)), undefined));
  }
});

it("base types are known without any file", () => {
  assert.equal(noErrors.message("google.rpc.ErrorInfo")?.typeName, "google.rpc.ErrorInfo");
  assert.equal(noErrors.message("acme.v9.Mystery"), undefined);
});

// Each took minutes where work grew with the square of the input.
describe("hostile bodies are read in proportionate time", () => {
  const infos = Array.from({ length: 100 }, (_, i) => `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"R${i}","metadata":{"a":${i}}}`);
  for (const [name, data] of Object.entries({
    "a long text": `[{"@type":"type.googleapis.com/acme.v9.Mystery","s":"${"a\\\\".repeat(200_000)}","n":1}]`,
    "many details": `[${infos.join()}]`,
    "many members": `{${Array.from({ length: 5000 }, (_, i) => `"k${i}":${i}`).join()}}`,
    "many brackets": `${"[".repeat(80)}1${"]".repeat(80)}`,
  })) {
    it(name, { timeout: 20_000 }, () => {
      const err = decodeJsonRpc(`{"code":-32001,"message":"m","data":${data}}`, { profile: profileA2a });
      assert.equal(err.code, Code.NOT_FOUND);
      assert.equal(encodeGrpc(err, { onNote: () => undefined })[0]?.[1], "5");
      assert.equal(decodeConnect(encodeConnect(err)).details.length, err.details.length);
    });
  }
});

describe("what a header says beside a RetryInfo", () => {
  const body = `{"error":{"code":503,"message":"m","status":"UNAVAILABLE","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"1.5s"}]}}`;
  for (const [value, noted] of [
    ["2", false],
    ["7", true],
    ["soon", true],
  ] as const) {
    it(`is in a note if it is another delay: ${value}`, () => {
      const e = decodeHttp(body, { httpStatus: 503, headers: new Headers({ "retry-after": value }) });
      assert.equal(e.retryDelay, 1500);
      assert.equal(e.notes.length > 0, noted);
    });
  }
});

it("an Any inside an Any is rendered no deeper than it may be read again", { timeout: 20_000 }, () => {
  let inner = anyPack(DurationSchema, create(DurationSchema, { seconds: 5n }));
  for (let i = 0; i < 20_000; i++) {
    inner = create(AnySchema, { typeUrl: "type.googleapis.com/google.protobuf.Any", value: toBinary(AnySchema, inner) });
  }
  const err = decodeStatus(create(StatusSchema, { code: 5, details: [inner] }));
  assert.doesNotMatch(encodeConnect(err), /"debug"/);
  const back = decodeHttp(encodeHttp(err).body);
  assert.deepEqual([back.notes, back.details[0]?.value], [[], inner.value]);
});

it("the values that Headers joins are read one by one", () => {
  const headers = new Headers();
  for (const [name, value] of encodeGrpc(new ErrmapError(Code.ABORTED, "a, b").withDetail(DurationSchema, { seconds: 5n }))) {
    headers.append(name, value);
  }
  headers.append("grpc-status", "0");
  headers.append("grpc-status-details-bin", "AAAA");
  const err = decodeGrpc(headers);
  assert.deepEqual([err.code, err.message, err.details.length], [Code.ABORTED, "a, b", 1]);
  assert.match(err.notes.join(), /grpc-status-details-bin/);
  assert.equal(decodeGrpc(new Headers([["grpc-status", "0"], ["grpc-status", "5"]])).code, Code.NOT_FOUND);
});

describe("bytes that are no UTF-8", () => {
  for (const [name, bytes, want] of [
    ["a short character", [0x61, 0xe2, 0x82], "a\ufffd\ufffd"],
    ["an overlong one", [0xe0, 0x80, 0x80, 0xc0, 0xaf], "\ufffd".repeat(5)],
    ["half of a pair", [0xed, 0xa0, 0x80, 0xed, 0x9f, 0xbf], "\ufffd\ufffd\ufffd\ud7ff"],
    ["beyond Unicode", [0xf4, 0x90, 0x80, 0x80, 0xf4, 0x8f, 0xbf, 0xbf], "\ufffd\ufffd\ufffd\ufffd\u{10ffff}"],
    ["four bytes", [0xf0, 0x8f, 0xbf, 0xbf, 0xf0, 0x90, 0x80, 0x80, 0xff], "\ufffd\ufffd\ufffd\ufffd\u{10000}\ufffd"],
  ] as const) {
    it(name, () => assert.equal(decodeUtf8(new Uint8Array(bytes)), want));
  }
  it("are read in proportionate time", { timeout: 20_000 }, () => {
    const bytes = new Uint8Array(4 << 20).map((_, i) => (i % 2 === 0 ? 0xe2 : 0x28));
    assert.equal(decodeUtf8(bytes).length, bytes.length);
  });
});

it("does not believe a Carried over bytes that are no message", () => {
  // The Any inside was one character longer when the Carried was written.
  const body =
    '{"code":"unauthenticated","message":"line\\nline","details":[{"type":"google.protobuf.Any","value":"Cih0eXBlLmdv2dsZWFwaXMuY29tL2dvb2dsZS5ycGMuUmV0cnlJbmZv","debug":{"@type":"type.googleapis.com/google.rpc.RetryInfo"}},{"type":"errmap.v1.Carried","value":"EkMqQXsiQHR5cGUiOiJ0eXBlLmdvb2dsZWFwaXMuY29tL2FjbWUudjkuTXlzdGVyeSIsIm4iOjFlNDAwLCJmIjoxLjB9Eo8BCAEQASqIAXsiQHR5cGUiOiJ0eXBlLmdvb2dsZWFwaXMuY29tL2dvb2dsZS5wcm90b2J1Zi5BbnkiLCJ2YWx1ZSI6eyJAdHlwZSI6InR5cGUuZ29vZ2xlYXBpcy5jb20vZ29vZ2xlLnJwYy5SZXRyeUluZm8iLCJAdmFsdWUiOiJDZ0ZCb2dZQmVBPT0ifX0aDOKS7xVpNgniP1Cmwg"}]}';
  const err = decodeConnect(body);
  assert.deepEqual(err.notes, ["errmap.v1.Carried dropped: a detail in it says something else than the plain one"]);
  assert.equal(err.details.length, 1);
});
