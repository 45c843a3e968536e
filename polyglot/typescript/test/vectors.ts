// The vectors of errmap/errmaptest, and how an answer is compared with one.

import {
  decodeConnect,
  decodeGrpc,
  decodeHttp,
  decodeJsonRpc,
  decodeProblem,
  decodeStatusJson,
  encodeConnect,
  encodeGrpc,
  encodeHttp,
  encodeJsonRpcText,
  encodeProblem,
  encodeStatusJson,
  type ErrmapError,
  httpStatusOf,
  parseProfile,
} from "../src/index.js";
import { defaultCatalog } from "../src/builtin.js";
import type { RawDetail } from "../src/hub.js";
import { parse, tryParse, type Value } from "../src/jsontree.js";
import { type ParsedStatus, parseStatus } from "../src/status.js";
import { fromBase64, sameBytes } from "../src/text.js";

export interface Vector {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly fromProfile: string;
  readonly toProfile: string;
  readonly httpStatus: number;
  readonly input: string;
  readonly output: string | undefined;
  readonly outputHttpStatus: number;
  /** true: some; false: none; texts: each in one of them; undefined: any. */
  readonly notes: boolean | readonly string[] | undefined;
}

const known = new Set(
  "name section report rule from to profile from_profile to_profile http_status input error output output_http_status notes".split(" "),
);

/** vectorsOf reads the vectors of a file with the tokens of their numbers. */
export function vectorsOf(file: string, content: string): Vector[] {
  const out: Vector[] = [];
  for (let v = parse(content, Infinity).get("vectors").first; v.exists; v = v.next) {
    out.push(vectorOf(file, v));
  }
  return out;
}

/** failure says what is wrong with the answer to a vector; undefined where nothing is. */
export function failure(v: Vector): string | undefined {
  try {
    const got = translate(v);
    return v.output === undefined ? `got ${got.output}, want a refusal` : difference(v, got);
  } catch (cause) {
    const name = cause instanceof Error ? cause.name : "";
    return v.output === undefined && (name === "FormError" || name === "OkError") ? undefined : `threw ${String(cause)}`;
  }
}

function vectorOf(file: string, v: Value): Vector {
  const text = (name: string): string => v.get(name).text || v.get(name).compact.replace(/^""$/, "");
  for (let m = v.first; m.exists; m = m.next) {
    if (!known.has(m.name)) {
      throw new Error(`${file}: unknown member ${m.name}`);
    }
  }
  const notes = v.get("notes");
  const profile = (name: string): string => text(name) || text("profile") || "generic";
  return {
    name: text("name"),
    file,
    from: text("from"),
    to: text("to"),
    fromProfile: profile("from_profile"),
    toProfile: profile("to_profile"),
    httpStatus: v.get("http_status").int ?? 0,
    input: text("input"),
    output: v.get("error").isTrue ? undefined : text("output"),
    outputHttpStatus: v.get("output_http_status").int ?? 0,
    notes: notes.exists ? (JSON.parse(notes.raw) as boolean | string[]) : undefined,
  };
}

export interface Answer {
  readonly output: string;
  readonly httpStatus: number;
  readonly notes: readonly string[];
}

/** translate answers a vector; it throws where the input is refused. */
export function translate(v: Vector): Answer {
  const e = decode(v);
  const notes = [...e.notes];
  const { output, httpStatus } = encode(e, v, (note) => notes.push(note));
  return { output, httpStatus, notes };
}

function decode(v: Vector): ErrmapError {
  const o = { httpStatus: v.httpStatus, profile: parseProfile(v.fromProfile) };
  switch (v.from) {
    case "connect":
      return decodeConnect(v.input, o);
    case "grpc":
      return decodeGrpc(headerLines(v.input), o);
    case "status":
      return decodeStatusJson(v.input, o);
    case "http":
      return decodeHttp(v.input, o);
    case "problem":
      return decodeProblem(v.input, o);
    case "jsonrpc":
      return decodeJsonRpc(v.input, o);
  }
  throw new Error(`unknown form ${v.from}`);
}

function encode(e: ErrmapError, v: Vector, onNote: (note: string) => void): { output: string; httpStatus: number } {
  const o = { onNote, profile: parseProfile(v.toProfile) };
  switch (v.to) {
    case "connect":
      return { output: encodeConnect(e, o), httpStatus: httpStatusOf(e.number) };
    case "grpc": {
      const headers = encodeGrpc(e, o);
      return { output: headers.map(([name, value]) => `${name}: ${value}`).join("\n"), httpStatus: 200 };
    }
    case "status":
      return { output: encodeStatusJson(e, o), httpStatus: 0 };
    case "http": {
      const { status, body } = encodeHttp(e, o);
      return { output: body, httpStatus: status };
    }
    case "problem": {
      const { status, body } = encodeProblem(e, o);
      return { output: body, httpStatus: status };
    }
    case "jsonrpc": {
      const { text, httpStatus } = encodeJsonRpcText(e, o);
      return { output: text, httpStatus };
    }
  }
  throw new Error(`unknown form ${v.to}`);
}

function headerLines(text: string): Record<string, string[]> {
  const headers: Record<string, string[]> = {};
  for (const line of text.split("\n")) {
    const at = line.indexOf(":");
    if (at >= 0) {
      (headers[line.slice(0, at).trim().toLowerCase()] ??= []).push(line.slice(at + 1).replace(/^[ \t]+|[ \t\r]+$/g, ""));
    }
  }
  return headers;
}

/** difference says how an answer differs from what a vector wants; undefined where it does not. */
export function difference(v: Vector, got: Answer): string | undefined {
  const want = v.output ?? "";
  const same = v.to === "grpc" ? sameHeaders(want, got.output) : sameJson(tryParse(want), tryParse(got.output), v.to === "connect");
  const wrong: string[] = [];
  if (!same) {
    wrong.push(`got  ${got.output}\nwant ${want}`);
  }
  if (got.httpStatus !== v.outputHttpStatus) {
    wrong.push(`HTTP status ${got.httpStatus}, want ${v.outputHttpStatus}`);
  }
  if (v.notes === true && got.notes.length === 0) {
    wrong.push("no note, want some");
  } else if (v.notes === false && got.notes.length > 0) {
    wrong.push(`notes ${JSON.stringify(got.notes)}, want none`);
  } else if (Array.isArray(v.notes)) {
    for (const part of v.notes as string[]) {
      if (!got.notes.join("\n").includes(part)) {
        wrong.push(`no note with ${JSON.stringify(part)} in ${JSON.stringify(got.notes)}`);
      }
    }
  }
  return wrong.length === 0 ? undefined : wrong.join("\n");
}

// sameJson compares values, numbers by their tokens; base64 in the details of Connect as
// the message that it is. What is no JSON is nothing's like.
function sameJson(a: Value, b: Value, connect: boolean): boolean {
  if (!a.exists || a.kind !== b.kind) {
    return false;
  }
  if (a.isObject) {
    const x = membersOf(a);
    const y = membersOf(b);
    const type = a.get("type");
    return (
      x.length === y.length &&
      x.every((m) => {
        const named = (n: Value): boolean => n.name === m.name;
        const other = y.filter(named)[x.filter(named).indexOf(m)]; // one that stands twice is two
        if (other === undefined) {
          return false;
        }
        return connect && m.name === "value" && type.isString && m.isString && other.isString ? sameValue(type.text, m.text, other.text) : sameJson(m, other, connect);
      })
    );
  }
  if (a.isArray) {
    const x = membersOf(a);
    const y = membersOf(b);
    return x.length === y.length && x.every((element, i) => sameJson(element, y[i] as Value, connect));
  }
  return a.raw === b.raw || (a.isString && a.text === b.text);
}

function membersOf(v: Value): Value[] {
  const out: Value[] = [];
  for (let m = v.first; m.exists; m = m.next) {
    out.push(m);
  }
  return out;
}

function sameValue(type: string, a: string, b: string): boolean {
  const x = fromBase64(a);
  const y = fromBase64(b);
  return x !== undefined && y !== undefined && !/=/.test(a + b) && sameDetail(type, x, y);
}

function sameDetail(type: string, a: Uint8Array, b: Uint8Array): boolean {
  return defaultCatalog().codec.equal(type, a, b);
}

function sameHeaders(a: string, b: string): boolean {
  const x = headerLines(a);
  const y = headerLines(b);
  const names = Object.keys(x).sort();
  if (names.join() !== Object.keys(y).sort().join()) {
    return false;
  }
  return names.every((name) => (name === "grpc-status-details-bin" ? sameStatus(x[name]?.[0] ?? "", y[name]?.[0] ?? "") : x[name]?.join() === y[name]?.join()));
}

function sameStatus(a: string, b: string): boolean {
  if (/=/.test(b)) {
    return false;
  }
  const x = parseStatus(fromBase64(a) as Uint8Array, Infinity, () => undefined) as ParsedStatus;
  const y = parseStatus(fromBase64(b) as Uint8Array, Infinity, () => undefined) as ParsedStatus;
  return (
    x.code === y.code &&
    x.message === y.message &&
    sameBytes(x.unknown, y.unknown) &&
    x.details.length === y.details.length &&
    x.details.every((d, i) => d.typeUrl === y.details[i]?.typeUrl && sameDetail(d.typeUrl, d.value, (y.details[i] as RawDetail).value))
  );
}
