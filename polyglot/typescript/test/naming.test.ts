// Names that are somebody else's already, and what classes do.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { create, toBinary } from "@bufbuild/protobuf";
import {
  a2a,
  asError,
  Code,
  createCatalog,
  DefinitionError,
  profileA2a,
  profileMcp,
  ErrmapError,
  decodeConnect,
  decodeGrpc,
  decodeHttp,
  decodeJsonRpc,
  decodeProblem,
  decodeStatus,
  decodeStatusJson,
  isErrorOf,
  mcp,
  encodeConnect,
  encodeGrpc,
  encodeHttp,
  encodeJsonRpc,
  encodeProblem,
  encodeStatus,
  encodeStatusJson,
} from "../src/index.js";
import { HelpSchema, LocalizedMessageSchema } from "../src/gen/google/rpc/error_details_pb.js";
import * as naming from "./gen/naming/v1/naming_errmap.js";
import { EverythingSchema, Kind } from "./gen/naming/v1/naming_pb.js";

const all = naming.errors_naming_v1_naming$;
const catalog = createCatalog(all);

/** everyWire sends an error over every wire and back. */
function everyWire(e: ErrmapError): Record<string, ErrmapError> {
  const o = { catalog };
  return {
    connect: decodeConnect(encodeConnect(e, o), o),
    grpc: decodeGrpc(encodeGrpc(e, o), o),
    status: decodeStatus(encodeStatus(e, o), o),
    statusJson: decodeStatusJson(encodeStatusJson(e, o), o),
    http: decodeHttp(encodeHttp(e, o).body, o),
    problem: decodeProblem(encodeProblem(e, o).body, o),
    generic: decodeJsonRpc(encodeJsonRpc(e, o), o),
    a2a: decodeJsonRpc(encodeJsonRpc(e, { ...o, profile: profileA2a }), { ...o, profile: profileA2a }),
    mcp: decodeJsonRpc(encodeJsonRpc(e, { ...o, profile: profileMcp }), { ...o, profile: profileMcp }),
  };
}

describe("every class", () => {
  for (const one of all) {
    it(`${one.schema.typeName} comes back over every wire`, () => {
      const made = new (one as new () => ErrmapError)();
      assert.ok(made instanceof Error);
      assert.equal(made.name, one.schema.name);
      for (const [wire, back] of Object.entries(everyWire(made))) {
        assert.ok(back instanceof one, wire);
        assert.deepEqual([wire, back.reason, back.domain, back.code, back.message], [wire, one.reason, one.domain, made.code, made.message]);
        assert.deepEqual([back.notes, back.remote], [[], true]);
      }
      assert.ok(isErrorOf(made, all));
      assert.equal(isErrorOf(made, [a2a.TaskNotFoundError]), false);
    });
  }
});

it("a field with the name of a member of every error gets a $", () => {
  const members = [ErrmapError.prototype, Error.prototype, Object.prototype].flatMap((proto) => Object.getOwnPropertyNames(proto));
  const own = ["fields", "stack", "cause", "toJSON"];
  for (const name of new Set([...members, ...own].filter((n) => !n.startsWith("_") && n !== "toJSON"))) {
    assert.ok(name + "$" in naming.Fields.prototype || name + "$" in naming.Inherited.prototype, `a field ${name} hides a member: name it in esMembers and in naming.proto`);
  }
});

it("fields of such names hold what they were given", () => {
  const made = new naming.Fields({
    name: "n",
    stack: "s",
    code: 7,
    details: ["a", "b"],
    constructor$: "c",
    toString$: "t",
    messageText: "hello",
    message: { case: "right", value: 9007199254740993n },
    retryDelay: { retryDelay: { seconds: 2n } },
    "1": { owner: "o" },
  });
  assert.equal(made.message, "hello of n");
  assert.equal(made.code, Code.FAILED_PRECONDITION);
  for (const back of Object.values(everyWire(made))) {
    assert.ok(back instanceof naming.Fields);
    assert.deepEqual(
      [back.name$, back.stack$, back.code$, back.details$, back.constructor$, back.toString$, back.message$],
      ["n", "s", 7, ["a", "b"], "c", "t", { case: "right", value: 9007199254740993n }],
    );
    assert.equal(back.retryDelay, 2000);
    assert.equal(back.retryDelay$?.retryDelay?.seconds, 2n);
    assert.equal(back["1"]?.owner, "o");
    assert.deepEqual(back.fields, made.fields);
  }
});

it("nested messages keep apart", () => {
  const nested = new naming.Outer_Inner({ deepValue: "x" });
  const flat = new naming.Outer_Inner$({ deepValue: "y" });
  assert.equal(nested.message, "Inner x of {braces}");
  assert.equal(new naming.Outer_Inner().message, "NESTED_INNER");
  assert.ok(!(nested instanceof naming.Outer_Inner$) && !((flat as Error) instanceof naming.Outer_Inner));
  assert.deepEqual([nested.reason, flat.reason], ["NESTED_INNER", "OUTER_INNER"]);
});

it("fields of every kind come back over every wire", () => {
  const init = {
    flag: true,
    i32: -5,
    u32: 4294967295,
    i64: -9007199254740993n,
    u64: 18446744073709551615n,
    f32: 0.1,
    f64: 1e21,
    text: "é \u0000 \u{1f600}",
    data: new Uint8Array([0, 255, 16]),
    kind: Kind.ONE,
    many: [1n, -2n],
    byName: { "": 1, b: 2 },
    perhaps: "",
    lasts: { seconds: 1n, nanos: 500_000_000 },
    object: { a: [1, null, "x"] },
    bad: { fieldViolations: [{ field: "f", description: "d" }] },
    help: { links: [{ url: "https://example.com", description: "read" }] },
    s64: -1n,
    x64: 5n,
    other: 77 as Kind,
  };
  const made = new naming.Everything(init);
  assert.equal(made.metadata.get("i64"), "-9007199254740993");
  assert.equal(made.metadata.get("f32"), "0.1");
  assert.equal(made.metadata.get("f64"), "1e+21");
  assert.equal(made.metadata.get("data"), "AP8Q");
  assert.equal(made.metadata.get("kind"), "KIND_ONE");
  assert.equal(made.metadata.get("other"), "77");
  assert.equal(made.metadata.get("lasts"), "1.500s");
  assert.equal(made.metadata.get("many"), '["1","-2"]');
  assert.equal(made.metadata.has("bad"), false);
  for (const [wire, back] of Object.entries(everyWire(made))) {
    assert.ok(back instanceof naming.Everything, wire);
    assert.deepEqual(toBinary(EverythingSchema, back.fields), toBinary(EverythingSchema, made.fields), wire);
  }
});

it("a value without ProtoJSON is left out with a note", () => {
  const made = new naming.Everything({ lasts: { seconds: 1n << 50n } });
  assert.equal(made.metadata.has("lasts"), false);
  assert.match(made.notes.join(), /lasts left out/);
});

it("text that is no Unicode is repaired", () => {
  assert.equal(new naming.Error({ text: "a\ud800b" }).metadata.get("text"), "a\ufffdb");
  assert.equal(new ErrmapError(Code.ABORTED, "a\ud800b").message, "a\ufffdb");
});

it("an error is not changed", () => {
  const made = new naming.Everything({ text: "a" }, { cause: new Error("because"), retryDelay: 1500 });
  assert.throws(() => {
    (made.fields as { text: string }).text = "b";
  }, TypeError);
  const more = made.withDetail(LocalizedMessageSchema, { locale: "de", message: "Halt" }).withMessage("other");
  assert.ok(more instanceof naming.Everything);
  assert.deepEqual([made.message, more.message, more.text, more.retryDelay, more.retryable], ["EVERYTHING", "other", "a", 1500, true]);
  assert.deepEqual([made.details.length, more.details.length], [2, 3]);
  assert.equal(more.detail(LocalizedMessageSchema)?.message, "Halt");
  assert.equal(more.withDetail(LocalizedMessageSchema, { locale: "fr" }).details.length, 3);
  assert.equal((more.cause as Error).message, "because");
  assert.deepEqual(Object.keys(new naming.Everything()), []);
});

it("a message that is given is not frozen", () => {
  const fields = create(EverythingSchema, { text: "a" });
  const made = new naming.Everything(fields);
  fields.text = "b";
  assert.equal(made.text, "a");
});

it("asError finds the class in a chain and behind another identity", () => {
  const made = new naming.Outer();
  assert.equal(asError(new Error("outside", { cause: made }), naming.Outer), made);
  assert.equal(asError(made, naming.Fields), undefined);
  assert.equal(asError("nothing", naming.Fields), undefined);
  assert.ok(made.is(naming.Outer) && !made.is(naming.Fields));
});

it("the errors of A2A and MCP are known", () => {
  const task = decodeJsonRpc('{"code":-32001,"message":"Task not found"}', { profile: profileA2a });
  assert.ok(task instanceof a2a.TaskNotFoundError);
  const resource = decodeJsonRpc('{"code":-32602,"message":"m","data":{"uri":"shop://a"}}', { profile: profileMcp });
  assert.ok(resource instanceof mcp.ResourceNotFoundError);
  assert.equal(resource.uri, "shop://a");
  assert.deepEqual(encodeJsonRpc(new mcp.ResourceNotFoundError({ uri: "shop://a" }), { profile: profileMcp }), {
    code: -32602,
    message: "Resource not found",
    data: { uri: "shop://a" },
  });
  assert.deepEqual(encodeJsonRpc(new a2a.TaskNotFoundError(), { profile: profileA2a }).code, -32001);
});

it("OK is no error", () => {
  assert.throws(() => new ErrmapError(Code.OK, "m"), RangeError);
  assert.throws(() => decodeGrpc({ "grpc-status": "0" }), { name: "OkError" });
});

it("a catalogue names its mistakes", () => {
  const twin = { ...naming.Outer.schema.file, name: "twin.proto", messages: [{ ...naming.Outer.schema, typeName: "twin.Outer" }] };
  assert.throws(() => createCatalog(all, twin as (typeof naming.Outer.schema)["file"]), (e) => e instanceof DefinitionError && /naming\.v1\.Outer and twin\.Outer are both reason OUTER/.test(e.message));
});

it("details are read by their type", () => {
  assert.equal(new naming.Outer().detail(HelpSchema), undefined);
});
