// Random errors in every form, for the tests that compare this package with others.

import { decodeHttp, decodeJsonRpc, decodeStatusJson, encodeConnect, encodeGrpc, encodeHttp, encodeJsonRpcText, encodeProblem, encodeStatusJson, type ErrmapError, parseProfile } from "../src/index.js";
import { base64 } from "../src/text.js";

/** Random is a small generator of its own, so that a failure comes again. */
export class Random {
  #x: number;

  constructor(seed: number) {
    this.#x = seed >>> 0;
  }

  /** roll returns a whole number below n. */
  roll(n: number): number {
    this.#x = (Math.imul(this.#x, 1664525) + 1013904223) >>> 0;
    return Math.floor((this.#x / 2 ** 32) * n);
  }

  /** pick returns one of a list. */
  pick<T>(list: readonly T[]): T {
    return list[this.roll(list.length)] as T;
  }
}

export const profileNames = ["generic", "a2a", "mcp", "mcp-2025-11-25"] as const;

const texts = ["", "m", "no stock", "é", " a ", "100%", "line\nline", '"quoted"\\', "\u{1f600}", "\u2028", "x".repeat(300)];
const numbers = ["0", "1", "-1", "1.0", "1e3", "9007199254740993", "-0", "0.1", "1e400", "3.4028235e38", "123456789012345678901234567890"];
const codes = [...Array.from({ length: 16 }, (_, i) => i + 1), 42, -7, 2147483647];
const rpcCodes = [-32700, -32600, -32601, -32602, -32603, -32001, -32002, -32003, -32007, -32009, -32020, -32021, -32022, -32042, -31404, -31409, -31429, -32050, 4711, 7];
const identities: readonly (readonly [string, string])[] = [
  ["a2a-protocol.org", "TASK_NOT_FOUND"],
  ["a2a-protocol.org", "AUTHENTICATED_EXTENDED_CARD_NOT_CONFIGURED"],
  ["a2a-protocol.org", "NOT_ONE_OF_THEM"],
  ["modelcontextprotocol.io", "RESOURCE_NOT_FOUND"],
  ["modelcontextprotocol.io", "HEADER_MISMATCH"],
  ["modelcontextprotocol.io", "UNSUPPORTED_PROTOCOL_VERSION"],
  ["modelcontextprotocol.io", "URL_ELICITATION_REQUIRED"],
  ["store.example.com", "STOCK_EMPTY"],
  ["store.example.com", ""],
  ["", "LONELY"],
];
const keys = ["sku", "uri", "requested", "supported", "elicitations", "taskId", "data", "__proto__", "é"];
const names = ["trace", "instance", "retryable", "errors", "type", "title", "Code", "status", "detail", "errmap", "message_2", "x"];

/** json returns random JSON without a type. */
export function json(r: Random, depth = 3): string {
  switch (r.roll(depth > 0 ? 8 : 6)) {
    case 0:
      return "null";
    case 1:
      return r.pick(["true", "false"]);
    case 2:
    case 3:
      return r.pick(numbers);
    case 6:
      return "[" + Array.from({ length: r.roll(3) }, () => json(r, depth - 1)).join() + "]";
    case 7:
      return "{" + Array.from({ length: r.roll(3) }, (_, i) => `${JSON.stringify(r.pick(keys) + i)}:${json(r, depth - 1)}`).join() + "}";
    default:
      return JSON.stringify(r.pick(texts));
  }
}

function map(r: Random): string {
  const own = keys.filter(() => r.roll(4) === 0);
  return "{" + own.map((key) => `${JSON.stringify(key)}:${JSON.stringify(r.pick([...texts, "[]", '["a"]', "{}", '{"a":1}']))}`).join() + "}";
}

function typed(name: string, members: readonly string[]): string {
  return `{${[`"@type":"type.googleapis.com/${name}"`, ...members].join()}}`;
}

/** detail returns a random detail as JSON. */
export function detail(r: Random, depth = 2): string {
  const text = (): string => JSON.stringify(r.pick(texts));
  switch (r.roll(depth > 0 ? 17 : 15)) {
    case 0:
    case 1:
    case 2: {
      const [domain, reason] = r.pick(identities);
      const members = [...(reason === "" ? [] : [`"reason":"${reason}"`]), ...(domain === "" ? [] : [`"domain":"${domain}"`])];
      return typed("google.rpc.ErrorInfo", r.roll(2) === 0 ? members : [...members, `"metadata":${map(r)}`]);
    }
    case 3:
      return typed("google.rpc.RetryInfo", r.pick([[], ['"retryDelay":"1.5s"'], ['"retryDelay":"0s"'], ['"retryDelay":30'], ['"retry_delay":"2s"']]));
    case 4:
      return typed("google.rpc.BadRequest", [`"fieldViolations":[${Array.from({ length: r.roll(3) }, () => `{"field":${text()},"description":${text()}}`).join()}]`]);
    case 5:
      return typed("google.rpc.QuotaFailure", [`"violations":[{"subject":${text()},"apiService":"s","quotaDimensions":${map(r)},"quotaValue":"${r.roll(100)}","futureQuotaValue":"7"}]`]);
    case 6:
      return typed("google.rpc.Help", [`"links":[{"description":${text()},"url":"https://x.example.com"}]`]);
    case 7:
      return typed("google.rpc.DebugInfo", [`"detail":${text()},"stackEntries":[${text()}]`]);
    case 8:
      return typed("google.rpc.Status", [`"code":${r.pick([5, 13, 0, 99])}`, ...(r.roll(2) === 0 ? [`"message":${text()}`] : [])]);
    case 9:
      return typed("acme.v9.Mystery", [`"n":${json(r)}`, `"f":1.0`]);
    case 10:
      return typed("acme.v9.Mystery", [`"@value":"CJYBEgF4"`]);
    case 11:
      // An ErrorInfo, RetryInfo or Help with a field that the schema does not know.
      return typed(r.pick(["google.rpc.ErrorInfo", "google.rpc.RetryInfo", "google.rpc.Help"]), [`"@value":"${base64(Uint8Array.of(10, r.roll(2), 65, 0xa2, 6, 1, 120).slice(0, 7), "padded")}"`]);
    case 12:
      return typed("google.protobuf.Struct", [`"value":{"a":${json(r)}}`]);
    case 13:
      return typed(r.pick(["google.protobuf.Value", "google.protobuf.Duration", "google.protobuf.Timestamp"]), [`"value":${r.pick([json(r), '"1.5s"', '"2026-01-01T00:00:00Z"'])}`]);
    case 14:
      return json(r);
    case 15:
      return typed("google.protobuf.Any", [`"value":${detail(r, depth - 1)}`]);
    default:
      return typed("google.rpc.Status", [`"code":5,"details":[${detail(r, depth - 1)}]`]);
  }
}

function details(r: Random): string[] {
  return Array.from({ length: r.pick([0, 0, 1, 1, 1, 2, 2, 3, 5]) }, () => detail(r));
}

function members(r: Random): string[] {
  return names.filter(() => r.roll(12) === 0).map((name) => `${JSON.stringify(name)}:${json(r)}`);
}

/** Random error: the form and the profile that it is read in, and its text. */
export interface Sample {
  readonly from: string;
  readonly fromProfile: string;
  readonly input: string;
}

const forms = ["connect", "grpc", "status", "http", "problem", "jsonrpc"] as const;

/** sample returns a random error as a peer would write it, or after it went over another wire. */
export function sample(r: Random): Sample {
  const message = `"message":${JSON.stringify(r.pick(texts))}`;
  const fromProfile = r.pick(profileNames);
  const object = (parts: readonly string[]): string => "{" + parts.join() + "}";
  let given: Sample;
  switch (r.roll(4)) {
    case 0:
      given = { from: "status", fromProfile, input: object([`"code":${r.pick(codes)}`, message, `"details":[${details(r).join()}]`, ...members(r)]) };
      break;
    case 1: {
      const status = r.roll(3) === 0 ? [] : [`"status":"${r.pick(["NOT_FOUND", "ABORTED", "GONE", "INTERNAL", "UNKNOWN"])}"`];
      given = { from: "http", fromProfile, input: `{"error":${object([`"code":${r.pick([400, 404, 409, 410, 422, 499, 500, 503, 5])}`, message, ...status, `"details":[${details(r).join()}]`, ...members(r)])}${r.pick(["", ',"trace":1', ',"code":7'])}}` };
      break;
    }
    case 2: {
      const list = details(r);
      const data = r.pick([[], [`"data":${json(r)}`], [`"data":[${list.join()}]`], [`"data":[${list.join()}]`], [`"data":{"uri":"u","details":[${list.join()}]}`], [`"data":{"supported":["a"],"requested":"b","x":null}`]]);
      given = { from: "jsonrpc", fromProfile, input: object([`"code":${r.pick(rpcCodes)}`, message, ...data, ...members(r)]) };
      break;
    }
    default:
      given = {
        from: "problem",
        fromProfile,
        input: object([
          ...r.pick([[], ['"type":"about:blank"'], ['"type":"https://a2a-protocol.org/errors/task-not-found"'], ['"type":"https://x.example.com/e"']]),
          `"title":${JSON.stringify(r.pick(["Not Found", "TASK_NOT_FOUND", "Out of stock", "Unprocessable Entity"]))}`,
          `"status":${r.pick([404, 422, 503, 418])}`,
          ...r.pick([[], ['"detail":"d"']]),
          ...r.pick([[], ['"code":"NOT_FOUND"'], ['"code":"X"']]),
          ...r.pick([[], ['"reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"'], [`"reason":"R","metadata":${map(r)}`], ['"metadata":{"a":5}']]),
          ...r.pick([[], [`"details":[${details(r).join()}]`], ['"errors":[{"field":"a","detail":"b"}]']]),
          '"trace":"t"',
        ]),
      };
  }
  return r.roll(2) === 0 ? given : (crossed(r, given) ?? given);
}

// crossed returns a sample as this package writes it in another form.
function crossed(r: Random, s: Sample): Sample | undefined {
  const profile = parseProfile(s.fromProfile);
  let e: ErrmapError;
  try {
    e = s.from === "status" ? decodeStatusJson(s.input) : s.from === "http" ? decodeHttp(s.input) : s.from === "jsonrpc" ? decodeJsonRpc(s.input, { profile }) : decodeHttp(s.input);
  } catch {
    return undefined;
  }
  const from = r.pick(forms);
  const o = { onNote: () => undefined, profile };
  const texts: Record<(typeof forms)[number], () => string> = {
    connect: () => encodeConnect(e, o),
    grpc: () =>
      encodeGrpc(e, o)
        .map(([name, value]) => `${name}: ${value}`)
        .join("\n"),
    status: () => encodeStatusJson(e, o),
    http: () => encodeHttp(e, o).body,
    problem: () => encodeProblem(e, o).body,
    jsonrpc: () => encodeJsonRpcText(e, o).text,
  };
  return { from, fromProfile: s.fromProfile, input: texts[from]() };
}

const tokens = ["null", "0", "1.0", "-32001", "9007199254740993", "1e400", '""', '"x"', "[]", "{}", "true", '"\\ud800"', '{"@type":"a"}', '{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"1s"}'];

/** tampered returns a text of which somebody altered a value or a character. */
export function tampered(r: Random, s: Sample): Sample {
  const { input } = s;
  const values = s.from === "grpc" ? [] : [...input.matchAll(/"(?:[^"\\]|\\.)*"(?!\s*:)|-?\d[\d.eE+-]*|true|false|null|\{\}|\[\]/g)];
  const one = values.length > 0 && r.roll(4) > 0 ? r.pick(values) : undefined;
  if (one !== undefined) {
    return { ...s, input: input.slice(0, one.index) + r.pick(tokens) + input.slice(one.index + one[0].length) };
  }
  const at = r.roll(input.length);
  return { ...s, input: input.slice(0, at) + r.pick(["", "A", "%", "=", "\n", "0", ",", "}"]) + input.slice(at + 1) };
}
