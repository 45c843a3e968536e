// The headers of gRPC and gRPC-Web: docs/wire.md section 5.

import { fit } from "./budget.js";
import { Code, codeFromConnectHttp } from "./code.js";
import { foreign, OkError, Reading } from "./decode.js";
import { type Hub, Wire } from "./hub.js";
import type { Decoding, Encoding } from "./options.js";
import { percentDecode, percentEncode } from "./percent.js";
import { restore } from "./restore.js";
import { parseStatus, plainStatus, serializeStatus } from "./status.js";
import { base64, fromBase64, quoted, repair } from "./text.js";

/** The names of the headers that hold an error. */
export const grpcHeader = { status: "grpc-status", message: "grpc-message", details: "grpc-status-details-bin" } as const;

/** HeaderValues are the values of headers by name; Headers serves too. */
export type HeaderValues = Iterable<readonly [string, string]> | Readonly<Record<string, readonly string[] | string>>;

/** encodeGrpc returns the headers of an error, within the budget. */
export function encodeGrpc(given: Hub, o: Encoding): [string, string][] {
  const e = fit(given, o, Wire.GRPC);
  const s = plainStatus(e, o, Wire.GRPC);
  const headers: [string, string][] = [[grpcHeader.status, String(s.code)]];
  if (s.message !== "") {
    headers.push([grpcHeader.message, percentEncode(s.message)]);
  }
  if (s.details.length > 0 || s.unknown.length > 0) {
    headers.push([grpcHeader.details, base64(serializeStatus(s), "raw")]);
  }
  return headers;
}

/** decodeGrpc reads an error from headers or trailers; it throws an OkError for a status of 0. */
export function decodeGrpc(headers: HeaderValues, o: Decoding): Hub {
  const values = valuesOf(headers);
  const statuses = values.get(grpcHeader.status) ?? [];
  const messages = values.get(grpcHeader.message) ?? [];
  const joined = values.get(grpcHeader.details) ?? [];
  const details = splitBinary(joined);
  if (statuses.length === 0) {
    const line = (name: string, value: string | undefined): string => (value === undefined || value === "" ? "" : `${name}: ${value}\n`);
    return foreign(Wire.GRPC, line(grpcHeader.message, messages[0]) + line(grpcHeader.details, details[0]), o, codeFromConnectHttp, "no grpc-status");
  }
  const r = new Reading(o);
  const { e } = r;
  const status = readStatuses(statuses);
  if (status.number === 0) {
    throw new OkError();
  }
  e.number = status.number ?? Code.UNKNOWN;
  if (status.number === undefined) {
    r.note(`grpc-status ${quoted(status.text, 64)} is no number: UNKNOWN`);
    r.said({ wire: Wire.GRPC, codeText: status.text });
  }
  r.noteOthers(grpcHeader.status, statuses, status.text);
  if (messages[0] !== undefined) {
    e.message = percentDecode(messages[0]);
    r.noteOthers(grpcHeader.message, messages, messages[0]);
  }
  if (details.length > joined.length) {
    r.note(`${grpcHeader.details} holds ${details.length} values, joined by commas: the first counts`);
  }
  readDetails(r, details);
  restore(r, "binary");
  r.finish();
  return e;
}

function valuesOf(headers: HeaderValues): Map<string, string[]> {
  const entries = Symbol.iterator in headers ? headers : Object.entries(headers);
  const joined = headers instanceof Headers;
  const values = new Map<string, string[]>();
  for (const [given, value] of entries as Iterable<readonly [string, readonly string[] | string]>) {
    const name = given.toLowerCase();
    const more = typeof value !== "string" ? value : joined && name === grpcHeader.status ? value.split(", ") : [value];
    const have = values.get(name);
    if (have === undefined) {
      values.set(name, [...more]);
    } else {
      have.push(...more);
    }
  }
  return values;
}

// splitBinary splits the values of a binary header at commas, by which proxies join several.
function splitBinary(values: readonly string[]): readonly string[] {
  return values.some((value) => value.includes(",")) ? values.flatMap((value) => value.split(",").map((part) => part.trim())) : values;
}

// readStatuses reads the values of grpc-status and returns that which counts: any
// number that is not zero wins, and then the text of one that is no number.
function readStatuses(values: readonly string[]): { readonly number: number | undefined; readonly text: string } {
  let found: { number: number | undefined; text: string } = { number: 0, text: "" };
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

// readDetails adds what grpc-status-details-bin says to what the other two headers
// said, which decide.
function readDetails(r: Reading, values: readonly string[]): void {
  const value = values[0];
  if (value === undefined) {
    return;
  }
  const { e, o } = r;
  r.noteOthers(grpcHeader.details, values, value);
  if (value.length > o.limits.body) {
    r.note(`${grpcHeader.details} dropped: larger than the limit`);
    return;
  }
  const bytes = fromBase64(value);
  const s = bytes === undefined ? "it is not base64" : parseStatus(bytes, o.limits.details, (note) => r.note(note));
  if (typeof s === "string") {
    r.note(`${grpcHeader.details} dropped: ${s}`);
    return;
  }
  let { details, unknown } = s;
  if (s.code !== e.number) {
    r.note(`${grpcHeader.details} says code ${s.code}: the header's ${e.number} stands`);
    if (!s.strict) {
      r.note(`${grpcHeader.details}: details dropped, since its code is another and it is malformed`);
      details = [];
      unknown = new Uint8Array();
    }
    if (e.message === "") {
      e.message = s.message;
    } else if (s.message !== "" && s.message !== e.message) {
      r.note(`${grpcHeader.details} says message ${quoted(s.message)}: that of grpc-message stands`);
    }
  } else if (s.message !== "") {
    if (e.message !== "" && e.message !== s.message) {
      r.note(`grpc-message ${quoted(e.message)} is not the message of ${grpcHeader.details}, which stands`);
    }
    e.message = s.message;
  }
  e.details = details;
  if (unknown.length > 0) {
    e.setReceived({ ...e.on(Wire.GRPC), unknownFields: unknown });
  }
}
