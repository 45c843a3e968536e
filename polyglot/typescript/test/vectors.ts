// The vectors of errmap/errmaptest, and how an answer is compared with one.

import {
  type ErrmapError,
  fromConnectJson,
  fromGrpc,
  fromHttp,
  fromJsonRpc,
  fromProblem,
  fromStatusJson,
  httpStatusOf,
  type Profile,
  toConnectJson,
  toGrpc,
  toHttp,
  toJsonRpcText,
  toProblem,
  toStatusJson,
} from "../src/index.js";
import { defaultCatalog } from "../src/builtin.js";
import { arrayElements, compactJson, type JsonText, type Member, objectMembers, stringValue } from "../src/json.js";
import { sameMessage } from "../src/fields.js";
import { RawDetail } from "../src/hub.js";
import { message } from "../src/render.js";
import { parseStatus } from "../src/wire.js";
import { fromBase64, sameBytes } from "../src/utf8.js";

export interface Vector {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly fromProfile: Profile;
  readonly toProfile: Profile;
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
export function vectorsOf(file: string, content: Uint8Array | string): Vector[] {
  const text = compactJson(content, { body: Infinity, depth: Infinity });
  const list = arrayElements(objectMembers(text)?.find((m) => m.name === "vectors")?.value) ?? [];
  return list.map((raw) => vectorOf(file, objectMembers(raw) ?? []));
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

/** Differs lists what this package does otherwise than the contract says: see differs.json. */
export interface Differs {
  readonly vectors: Readonly<Record<string, readonly string[]>>;
  /** How many cases of the differential test may differ; undefined: none. */
  readonly differential?: number;
}

/** verdict is failure, but that a vector which is listed must fail: one that does not is to be taken off the list. */
export function verdict(v: Vector, list: Differs): string | undefined {
  const wrong = failure(v);
  if (list.vectors[v.file]?.includes(v.name) !== true) {
    return wrong;
  }
  return wrong === undefined ? "it is answered as wanted: take it out of differs.json" : undefined;
}

function vectorOf(file: string, members: readonly Member[]): Vector {
  const raw = (name: string): JsonText | undefined => members.find((m) => m.name === name)?.value;
  const text = (name: string): string => stringValue(raw(name)) ?? raw(name) ?? "";
  for (const m of members) {
    if (!known.has(m.name)) {
      throw new Error(`${file}: unknown member ${m.name}`);
    }
  }
  const notes = raw("notes");
  const profile = (name: string): Profile => (text(name) || text("profile") || "generic") as Profile;
  return {
    name: text("name"),
    file,
    from: text("from"),
    to: text("to"),
    fromProfile: profile("from_profile"),
    toProfile: profile("to_profile"),
    httpStatus: Number(raw("http_status") ?? 0),
    input: text("input"),
    output: raw("error") === "true" ? undefined : text("output"),
    outputHttpStatus: Number(raw("output_http_status") ?? 0),
    notes: notes === undefined ? undefined : (JSON.parse(notes) as boolean | string[]),
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
  const o = { httpStatus: v.httpStatus, profile: v.fromProfile };
  switch (v.from) {
    case "connect":
      return fromConnectJson(v.input, o);
    case "grpc":
      return fromGrpc(headerLines(v.input), o);
    case "status":
      return fromStatusJson(v.input, o);
    case "http":
      return fromHttp(v.input, o);
    case "problem":
      return fromProblem(v.input, o);
    case "jsonrpc":
      return fromJsonRpc(v.input, o);
  }
  throw new Error(`unknown form ${v.from}`);
}

function encode(e: ErrmapError, v: Vector, onNote: (note: string) => void): { output: string; httpStatus: number } {
  const o = { onNote, profile: v.toProfile };
  switch (v.to) {
    case "connect":
      return { output: toConnectJson(e, o), httpStatus: httpStatusOf(e.number) };
    case "grpc": {
      const headers = toGrpc(e, o);
      return { output: headers.map(([name, value]) => `${name}: ${value}`).join("\n"), httpStatus: 200 };
    }
    case "status":
      return { output: toStatusJson(e, o), httpStatus: 0 };
    case "http": {
      const { status, body } = toHttp(e, o);
      return { output: body, httpStatus: status };
    }
    case "problem": {
      const { status, body } = toProblem(e, o);
      return { output: body, httpStatus: status };
    }
    case "jsonrpc": {
      const { text, httpStatus } = toJsonRpcText(e, o);
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
  const same = v.to === "grpc" ? sameHeaders(want, got.output) : sameJson(compact(want), compact(got.output), v.to === "connect");
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

function compact(text: string): JsonText {
  return compactJson(text, { body: Infinity, depth: Infinity });
}

// sameJson compares values, numbers by their tokens; base64 in the details of Connect as
// the message that it is.
function sameJson(a: JsonText, b: JsonText, connect: boolean): boolean {
  const x = objectMembers(a);
  const y = objectMembers(b);
  if (x !== undefined && y !== undefined) {
    const type = stringValue(x.find((m) => m.name === "type")?.value);
    return (
      x.length === y.length &&
      x.every((m) => {
        const named = (n: Member): boolean => n.name === m.name;
        const other = y.filter(named)[x.filter(named).indexOf(m)]?.value; // one that stands twice is two
        if (other === undefined) {
          return false;
        }
        return connect && m.name === "value" && type !== undefined
          ? sameValue(type, stringValue(m.value) ?? "", stringValue(other) ?? "")
          : sameJson(m.value, other, connect);
      })
    );
  }
  const p = arrayElements(a);
  const q = arrayElements(b);
  if (p !== undefined && q !== undefined) {
    return p.length === q.length && p.every((element, i) => sameJson(element, q[i] as JsonText, connect));
  }
  return a === b || (a.startsWith('"') && b.startsWith('"') && stringValue(a) === stringValue(b));
}

function sameValue(type: string, a: string, b: string): boolean {
  const x = fromBase64(a);
  const y = fromBase64(b);
  return x !== undefined && y !== undefined && !/=/.test(a + b) && sameDetail(type, x, y);
}

function sameDetail(type: string, a: Uint8Array, b: Uint8Array): boolean {
  const p = message(defaultCatalog(), new RawDetail(type, a));
  const q = message(defaultCatalog(), new RawDetail(type, b));
  return p !== undefined && q !== undefined ? sameMessage(p, q) : sameBytes(a, b);
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
  const x = parseStatus(fromBase64(a) as Uint8Array, Infinity);
  const y = parseStatus(fromBase64(b) as Uint8Array, Infinity);
  return (
    x.code === y.code &&
    x.message === y.message &&
    sameBytes(x.unknown, y.unknown) &&
    x.details.length === y.details.length &&
    x.details.every((d, i) => d.typeUrl === y.details[i]?.typeUrl && sameDetail(d.typeUrl, d.value, (y.details[i] as RawDetail).value))
  );
}
