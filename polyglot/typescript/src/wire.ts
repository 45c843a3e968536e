// google.rpc.Status in its wire form, with details that are not looked at.

import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { RawDetail } from "./hub.js";
import { concat, decodeUtf8 } from "./utf8.js";

/** Status is a google.rpc.Status whose details are as they travelled. */
export interface Status {
  readonly code: number;
  readonly message: string;
  readonly details: readonly RawDetail[];
  /** The fields that the schema does not know. */
  readonly unknown: Uint8Array;
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
 * costs no detail; details after so many are not kept. It is not strict where a field
 * of Status has a wrong wire type or a type URL has no slash. It throws where the
 * bytes are no fields.
 */
export function parseStatus(bytes: Uint8Array, most: number): Status & { readonly strict: boolean } {
  let code = 0;
  let message = "";
  let strict = true;
  const details: RawDetail[] = [];
  const unknown: Uint8Array[] = [];
  const r = new BinaryReader(bytes);
  while (r.pos < r.len) {
    const [number, type] = r.tag();
    if (number === 1 && type === WireType.Varint) {
      code = r.int32();
    } else if (number === 2 && type === WireType.LengthDelimited) {
      message = decodeUtf8(r.bytes());
    } else if (number === 3 && type === WireType.LengthDelimited) {
      const detail = parseAny(r.bytes());
      strict &&= detail.typeUrl.includes("/");
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
  return { code, message, details, unknown: concat(unknown), strict };
}

function parseAny(bytes: Uint8Array): RawDetail {
  let typeUrl = "";
  let value = new Uint8Array();
  const r = new BinaryReader(bytes);
  while (r.pos < r.len) {
    const [number, type] = r.tag();
    if (number === 1 && type === WireType.LengthDelimited) {
      typeUrl = decodeUtf8(r.bytes());
    } else if (number === 2 && type === WireType.LengthDelimited) {
      value = r.bytes().slice();
    } else {
      r.skip(type, number);
    }
  }
  return new RawDetail(typeUrl, value);
}
