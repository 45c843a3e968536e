// The headers of gRPC and gRPC-Web: docs/wire.md section 5.

import { restore } from "./carried.js";
import { Code, codeFromConnectHttp } from "./code.js";
import { finish, foreign, OkError, reasonFor } from "./decode.js";
import { fitGrpc } from "./budget.js";
import { Hub, nothing, Wire } from "./hub.js";
import type { DecodeSettings, EncodeSettings } from "./options.js";
import { encodeStatus } from "./status.js";
import { parseStatus, serializeStatus } from "./wire.js";
import { base64, clip, decodeUtf8, encodeUtf8, fromBase64, repair } from "./utf8.js";

/** The names of the headers that hold an error. */
export const grpcHeader = { status: "grpc-status", message: "grpc-message", details: "grpc-status-details-bin" } as const;

/** HeaderValues are the values of headers by name; Headers serves too. */
export type HeaderValues = Iterable<readonly [string, string]> | Readonly<Record<string, readonly string[] | string>>;

/** encodeGrpc returns the headers of an error, within the budget. */
export function encodeGrpc(e: Hub, o: EncodeSettings): [string, string][] {
  const headers = headersOf(e, o);
  return sizeOf(headers) <= o.budget ? headers : fitGrpc(e, o, headersOf);
}

/** sizeOf is what counts against the budget: names and values. */
export function sizeOf(headers: readonly (readonly [string, string])[]): number {
  return headers.reduce((n, [name, value]) => n + name.length + value.length, 0);
}

// headersOf returns the headers whatever their size.
function headersOf(e: Hub, o: EncodeSettings): [string, string][] {
  const s = encodeStatus(e, o, Wire.GRPC);
  const headers: [string, string][] = [[grpcHeader.status, String(s.code)]];
  if (s.message !== "") {
    headers.push([grpcHeader.message, percentEncode(s.message)]);
  }
  if (s.details.length > 0 || s.unknown.length > 0) {
    headers.push([grpcHeader.details, base64(serializeStatus(s), "raw")]);
  }
  return headers;
}

/** decodeGrpc reads an error from headers or trailers; it throws OkError for a status of 0. */
export function decodeGrpc(headers: HeaderValues, o: DecodeSettings): Hub {
  const values = valuesOf(headers);
  const statuses = values.get(grpcHeader.status) ?? [];
  const messages = values.get(grpcHeader.message) ?? [];
  const details = values.get(grpcHeader.details) ?? [];
  if (statuses.length === 0) {
    const said = [...messages.slice(0, 1).map((m) => `${grpcHeader.message}: ${m}\n`), ...details.slice(0, 1).map((d) => `${grpcHeader.details}: ${d}\n`)];
    return foreign(Wire.GRPC, said.join(""), o, codeFromConnectHttp, "no grpc-status");
  }
  const e = new Hub();
  e.decoded = true;
  const status = readStatuses(statuses);
  if (status.number === 0) {
    throw new OkError();
  }
  e.number = status.number ?? Code.UNKNOWN;
  if (status.number === undefined) {
    e.notes.add(`grpc-status ${JSON.stringify(clip(status.text, 64))} is no number: UNKNOWN`);
    e.setReceived({ ...nothing(Wire.GRPC), codeText: status.text });
  }
  noteOthers(e, grpcHeader.status, statuses, status.text);
  e.message = percentDecode(messages[0] ?? "");
  noteOthers(e, grpcHeader.message, messages, messages[0] ?? "");
  readDetails(e, details, o);
  restore(o.catalog, e, "binary");
  finish(e, o);
  return e;
}

function valuesOf(headers: HeaderValues): Map<string, string[]> {
  const entries = Symbol.iterator in headers ? [...headers] : Object.entries(headers);
  const joined = headers instanceof Headers;
  const values = new Map<string, string[]>();
  for (const [name, value] of entries as Iterable<readonly [string, readonly string[] | string]>) {
    const have = values.get(name.toLowerCase()) ?? [];
    values.set(name.toLowerCase(), [...have, ...(typeof value !== "string" ? value : joined ? apart(name, value) : [value])]);
  }
  return values;
}

// apart undoes what Headers makes of several values. Neither of the two headers has a
// comma in it; a message may.
function apart(name: string, value: string): string[] {
  return name === grpcHeader.status || name === grpcHeader.details ? value.split(", ") : [value];
}

// readStatuses reads the values of grpc-status and returns that which counts: any
// number that is not zero wins, and then the text of one that is no number.
function readStatuses(values: readonly string[]): { readonly number: number | undefined; readonly text: string } {
  let found: { number: number | undefined; text: string } = { number: 0, text: values[0] ?? "" };
  for (const value of values) {
    const n = /^[0-9]+$/.test(value) ? Number(value) : NaN;
    if (n < 2 ** 31 && n !== 0) {
      return { number: n, text: value };
    }
    if (n !== 0 && found.number === 0) {
      found = { number: undefined, text: repair(value) };
    }
  }
  return found;
}

// noteOthers tells of the values of a header that says several things.
function noteOthers(e: Hub, name: string, values: readonly string[], counts: string): void {
  for (const value of values) {
    if (repair(value) !== repair(counts)) {
      e.notes.add(`${name}: ${JSON.stringify(clip(value, 128))} stands beside the value that counts, and is dropped`);
    }
  }
}

// readDetails adds what grpc-status-details-bin says to what the other two headers
// said, which decide.
function readDetails(e: Hub, values: readonly string[], o: DecodeSettings): void {
  const value = values[0];
  if (value === undefined) {
    return;
  }
  noteOthers(e, grpcHeader.details, values, value);
  const bytes = value.length > o.limits.body ? undefined : fromBase64(value);
  if (bytes === undefined) {
    e.notes.add(`${grpcHeader.details} dropped: it is not base64 of a size within the limit: ${clip(value, 128)}`);
    return;
  }
  let s: ReturnType<typeof parseStatus>;
  try {
    s = parseStatus(bytes, o.limits.details);
  } catch (cause) {
    e.notes.add(`${grpcHeader.details} dropped: it is no google.rpc.Status: ${reasonFor(cause)}`);
    return;
  }
  s.notes.forEach((note) => e.notes.add(note));
  let { details, unknown } = s;
  if (s.code !== e.number) {
    e.notes.add(`${grpcHeader.details} says code ${s.code}: the header's ${e.number} stands`);
    if (!s.strict) {
      e.notes.add(`${grpcHeader.details}: details dropped, since its code is another and it is malformed`);
      details = [];
      unknown = new Uint8Array();
    }
    if (e.message !== "" && s.message !== "" && s.message !== e.message) {
      e.notes.add(`${grpcHeader.details} says message ${JSON.stringify(clip(s.message, 128))}: that of grpc-message stands`);
    }
    e.message ||= s.message;
  } else if (s.message !== "") {
    if (e.message !== "" && e.message !== s.message) {
      e.notes.add(`grpc-message ${JSON.stringify(clip(e.message, 128))} is not the message of ${grpcHeader.details}, which stands`);
    }
    e.message = s.message;
  }
  e.details = details;
  e.setReceived({ ...e.receivedOn(Wire.GRPC), unknownFields: unknown });
}

/**
 * percentEncode encodes a grpc-message: bytes outside 0x20 to 0x7E, the percent sign,
 * and a space at either end, which HTTP would trim.
 */
export function percentEncode(s: string): string {
  const bytes = encodeUtf8(s);
  let out = "";
  bytes.forEach((c, i) => {
    const escaped = c < 0x20 || c > 0x7e || c === 0x25 || (c === 0x20 && (i === 0 || i === bytes.length - 1));
    out += escaped ? "%" + c.toString(16).toUpperCase().padStart(2, "0") : String.fromCharCode(c);
  });
  return out;
}

/** percentDecode decodes a grpc-message; an invalid escape is text. */
export function percentDecode(s: string): string {
  if (!s.includes("%")) {
    return repair(s);
  }
  const bytes = encodeUtf8(s);
  const out: number[] = [];
  for (let i = 0; i < bytes.length; i++) {
    const hex = bytes[i] === 0x25 ? String.fromCharCode(...bytes.subarray(i + 1, i + 3)) : "";
    if (/^[0-9a-fA-F]{2}$/.test(hex)) {
      out.push(parseInt(hex, 16));
      i += 2;
    } else {
      out.push(bytes[i] as number);
    }
  }
  return decodeUtf8(Uint8Array.from(out));
}
