// google.rpc.Status in its wire form, with details that are not looked at.

import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { RawDetail } from "./hub.js";
import { clip, concat, decodeUtf8, sameBytes } from "./utf8.js";

/** Status is a google.rpc.Status whose details are as they travelled. */
export interface Status {
  readonly code: number;
  readonly message: string;
  readonly details: readonly RawDetail[];
  /** The fields that the schema does not know. */
  readonly unknown: Uint8Array;
}

/** ParsedStatus is a Status as it was read, with what is to be told of it. */
export interface ParsedStatus extends Status {
  /** False where a field of Status has a wrong wire type or a type URL has no slash. */
  readonly strict: boolean;
  readonly notes: readonly string[];
}

/** serializeStatus writes the wire form. */
export function serializeStatus(s: Status): Uint8Array {
  const w = new BinaryWriter();
  if (s.code !== 0) {
    w.tag(1, WireType.Varint).int32(s.code);
  }
  if (s.message !== "") {
    w.tag(2, WireType.LengthDelimited).string(s.message);
  }
  for (const d of s.details) {
    w.tag(3, WireType.LengthDelimited).fork();
    if (d.typeUrl !== "") {
      w.tag(1, WireType.LengthDelimited).string(d.typeUrl);
    }
    if (d.value.length > 0) {
      w.tag(2, WireType.LengthDelimited).bytes(d.value);
    }
    w.join();
  }
  return w.raw(s.unknown).finish();
}

/**
 * parseStatus reads the wire form field by field, so that text that is not UTF-8
 * costs no detail; details after so many are not kept. Of a field that stands twice the
 * last counts, as everywhere in Protobuf. It throws where the bytes are no fields.
 */
export function parseStatus(bytes: Uint8Array, most: number): ParsedStatus {
  let code = 0;
  let message = "";
  let strict = true;
  let count = 0;
  const details: RawDetail[] = [];
  const unknown: Uint8Array[] = [];
  const notes: string[] = [];
  const r = new BinaryReader(bytes);
  while (r.pos < r.len) {
    const [number, type] = r.tag();
    if (number === 1 && type === WireType.Varint) {
      const n = r.int32();
      if (code !== 0 && code !== n) {
        notes.push(`a google.rpc.Status says code ${code} and then ${n}, which counts`);
      }
      code = n;
    } else if (number === 2 && type === WireType.LengthDelimited) {
      const text = decodeUtf8(r.bytes());
      if (message !== "" && message !== text) {
        notes.push(`a google.rpc.Status says message ${JSON.stringify(clip(message, 128))} and then another one, which counts`);
      }
      message = text;
    } else if (number === 3 && type === WireType.LengthDelimited) {
      const detail = parseAny(r.bytes(), count, notes);
      strict &&= detail.typeUrl.includes("/");
      count++;
      if (details.length <= most) {
        details.push(detail);
      }
    } else {
      const start = r.pos;
      r.skip(type, number);
      strict &&= number > 3;
      unknown.push(new BinaryWriter().tag(number, type).raw(bytes.slice(start, r.pos)).finish());
    }
  }
  if (count > details.length) {
    notes.push(`${count - details.length} details after the first ${details.length} dropped`);
  }
  return { code, message, details, unknown: concat(unknown), strict, notes };
}

function parseAny(bytes: Uint8Array, place: number, notes: string[]): RawDetail {
  let typeUrl = "";
  let value = new Uint8Array();
  let isAny = true;
  const r = new BinaryReader(bytes);
  while (r.pos < r.len) {
    const [number, type] = r.tag();
    if (number === 1 && type === WireType.LengthDelimited) {
      const text = decodeUtf8(r.bytes());
      if (typeUrl !== "" && typeUrl !== text) {
        notes.push(`detail ${place} says type ${JSON.stringify(clip(typeUrl, 128))} and then another one, which counts`);
      }
      typeUrl = text;
    } else if (number === 2 && type === WireType.LengthDelimited) {
      const content = r.bytes().slice();
      if (value.length > 0 && !sameBytes(value, content)) {
        notes.push(`detail ${place} says two values: the last counts`);
      }
      value = content;
    } else {
      r.skip(type, number);
      isAny = false;
    }
  }
  if (!isAny) {
    notes.push(`detail ${place}: fields that google.protobuf.Any does not have dropped`);
  }
  return new RawDetail(typeUrl, value);
}
