// google.rpc.Status as bytes: docs/wire.md sections 5 and 8.

import { Writing } from "./carried.js";
import { Code } from "./code.js";
import { OkError, Reading } from "./decode.js";
import { Hub, RawDetail, Wire } from "./hub.js";
import type { Decoding, Encoding } from "./options.js";
import { Cursor, Out, sizeBytes, WireType } from "./protowire.js";
import { restore } from "./restore.js";
import { decodeUtf8, quoted, sameBytes } from "./text.js";

/** Status is a google.rpc.Status, its details as they travel. */
export interface Status {
  readonly code: number;
  readonly message: string;
  readonly details: readonly RawDetail[];
  /** The fields that the schema does not know. */
  readonly unknown: Uint8Array;
}

/** plainStatus returns what a Status says of an error on one of the two wires that have one. */
export function plainStatus(e: Hub, o: Encoding, wire: Wire.GRPC | Wire.STATUS): Status {
  const w = new Writing(e, o, "binary");
  let unknown = new Uint8Array();
  w.receive(wire === Wire.STATUS || e.number > 0, (r) => {
    if (r.wire !== wire) {
      return r;
    }
    unknown = r.unknownFields as Uint8Array<ArrayBuffer>;
    return { ...r, unknownFields: new Uint8Array() };
  });
  const code = wire === Wire.GRPC && e.number < 0 ? Code.UNKNOWN : e.number;
  return { code, message: e.message, details: w.withCarried(w.binary(), wire), unknown };
}

/** decodeStatus reads the bytes of a google.rpc.Status; it throws an OkError where the code is 0. */
export function decodeStatus(bytes: Uint8Array, o: Decoding): Hub {
  const r = new Reading(o);
  const s = parseStatus(bytes, o.limits.details, (note) => r.note(note));
  if (typeof s === "string") {
    throw new TypeError(s);
  }
  return finishStatus(r, s);
}

function finishStatus(r: Reading, s: Status): Hub {
  if (s.code === 0) {
    throw new OkError();
  }
  const { e } = r;
  e.number = s.code;
  e.message = s.message;
  e.details = s.details;
  r.said({ wire: Wire.STATUS, unknownFields: s.unknown });
  restore(r, "binary");
  r.finish();
  return e;
}

/** ParsedStatus is a Status as it was read. */
export interface ParsedStatus extends Status {
  /** False where a field has a wrong wire type or a type URL no slash. */
  readonly strict: boolean;
}

/**
 * parseStatus reads the wire form field by field, so that text that is not UTF-8 costs no
 * detail. Details after so many are not kept. Of a field that stands twice the last
 * counts, as everywhere in Protobuf. A string says what is wrong with the bytes.
 */
export function parseStatus(bytes: Uint8Array, most: number, note: (text: string) => void): ParsedStatus | string {
  let code = 0;
  let message = "";
  let strict = true;
  let count = 0;
  const details: RawDetail[] = [];
  const unknown = new Out();
  const c = new Cursor(bytes);
  while (c.more) {
    const start = c.at;
    if (!c.tag()) {
      return "not a google.rpc.Status";
    }
    const { number, type } = c;
    if (!c.skip()) {
      return "not a google.rpc.Status";
    }
    if (number === 1 && type === WireType.Varint) {
      const n = c.low | 0;
      if (code !== 0 && code !== n) {
        note(`a google.rpc.Status says code ${code} and then ${n}, which counts`);
      }
      code = n;
    } else if (number === 2 && type === WireType.LengthDelimited) {
      const text = decodeUtf8(bytes.subarray(c.from, c.to));
      if (message !== "" && message !== text) {
        note(`a google.rpc.Status says message ${quoted(message)} and then another one, which counts`);
      }
      message = text;
    } else if (number === 3 && type === WireType.LengthDelimited) {
      const d = parseAny(bytes, c.from, c.to, count, note);
      if (d === undefined) {
        return `not a google.rpc.Status: detail ${count} is malformed`;
      }
      strict &&= d.typeUrl.includes("/");
      count++;
      if (count - 1 <= most) {
        details.push(d);
      }
    } else {
      strict &&= number > 3;
      unknown.raw(bytes.subarray(start, c.at));
    }
  }
  if (count > details.length) {
    note(`${count - details.length} details after the first ${details.length} dropped`);
  }
  return { code, message, details, unknown: unknown.done(), strict };
}

function parseAny(bytes: Uint8Array, from: number, to: number, place: number, note: (text: string) => void): RawDetail | undefined {
  let typeUrl = "";
  let value = new Uint8Array();
  let unknown = false;
  const c = new Cursor(bytes, from, to);
  while (c.more) {
    if (!c.tag()) {
      return undefined;
    }
    const { number, type } = c;
    if (!c.skip()) {
      return undefined;
    }
    if (number === 1 && type === WireType.LengthDelimited) {
      const text = decodeUtf8(bytes.subarray(c.from, c.to));
      if (typeUrl !== "" && typeUrl !== text) {
        note(`detail ${place} says type ${quoted(typeUrl)} and then another one, which counts`);
      }
      typeUrl = text;
    } else if (number === 2 && type === WireType.LengthDelimited) {
      const content = bytes.slice(c.from, c.to);
      if (value.length > 0 && !sameBytes(value, content)) {
        note(`detail ${place} says two values: the last counts`);
      }
      value = content;
    } else {
      unknown = true;
    }
  }
  if (unknown) {
    note(`detail ${place}: fields that google.protobuf.Any does not have dropped`);
  }
  return new RawDetail(typeUrl, value);
}

/** serializeStatus writes the wire form. */
export function serializeStatus(s: Status): Uint8Array {
  const out = new Out();
  if (s.code !== 0) {
    out.tag(1, WireType.Varint);
    out.int(s.code);
  }
  if (s.message !== "") {
    out.textField(2, s.message);
  }
  for (const d of s.details) {
    out.tag(3, WireType.LengthDelimited);
    const start = out.begin();
    if (d.typeUrl !== "") {
      out.textField(1, d.typeUrl);
    }
    if (d.value.length > 0) {
      out.room(sizeBytes(d.value.length) + 1);
      out.bytesField(2, d.value);
    }
    out.frame(start);
  }
  out.raw(s.unknown);
  return out.done();
}
