// google.rpc.Status, as a message and in ProtoJSON.

import { WireType, BinaryReader, BinaryWriter } from "@bufbuild/protobuf/wire";
import { type Item, plainItems, restore } from "./carried.js";
import { type Catalog, noErrors } from "./catalog.js";
import { Code, codeByName, codeFromHttp, isInt32 } from "./code.js";
import { safeIntegerOf } from "./decimal.js";
import { finish, foreign, OkError, reasonFor } from "./decode.js";
import { addMember, Hub, nothing, RawDetail, take, Wire } from "./hub.js";
import { compactJson, isJsonNumber, type JsonText, newMember, objectMembers, quote, stringValue } from "./json.js";
import type { DecodeSettings, EncodeSettings } from "./options.js";
import { parseElement, render } from "./render.js";
import { plainCandidate, readable, settle } from "./settle.js";
import { concat, decodeUtf8 } from "./utf8.js";

/** Status is a google.rpc.Status whose details are as they travelled. */
export interface Status {
  readonly code: number;
  readonly message: string;
  readonly details: readonly RawDetail[];
  /** The fields that the schema does not know. */
  readonly unknown: Uint8Array;
}

/** encodeStatus makes the status of an error for one of the two wires that have one. */
export function encodeStatus(given: Hub, o: EncodeSettings, wire: Wire.GRPC | Wire.STATUS): Status {
  const e = readable(given, o.catalog);
  const unknown = e.receivedOn(wire).unknownFields;
  return settle<Status>(e, o, {
    wire,
    shape: "binary",
    marker: false,
    writesNumber: wire === Wire.STATUS || e.number > 0,
    own: noErrors,
    candidates: [plainCandidate(wire, { ...nothing(wire), unknownFields: unknown })],
    items: () => plainItems(o.catalog, e.details, "binary"),
    write: (_, items, _marker, carried) => ({
      code: wire === Wire.GRPC && e.number < 0 ? Code.UNKNOWN : e.number,
      message: e.message,
      details: [...items.flatMap((it) => (it.plain === undefined ? [] : [it.plain.read])), ...(carried === undefined ? [] : [carried])],
      unknown,
    }),
    read: (s, settings) => readStatus(s, settings, wire),
  });
}

/** readStatus reads a status; it throws OkError where its code is 0. */
export function readStatus(s: Status, o: DecodeSettings, wire: Wire.GRPC | Wire.STATUS): Hub {
  if (s.code === 0) {
    throw new OkError();
  }
  const e = new Hub();
  e.decoded = true;
  e.number = s.code;
  e.message = s.message;
  e.details = s.details;
  e.setReceived({ ...nothing(wire), unknownFields: s.unknown });
  restore(o.catalog, e, "binary");
  finish(e, o);
  return e;
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
    const start = r.pos;
    const [number, type] = r.tag();
    if (number === 1 && type === WireType.Varint) {
      code = r.int32();
    } else if (number === 2 && type === WireType.LengthDelimited) {
      message = decodeUtf8(r.bytes());
    } else if (number === 3 && type === WireType.LengthDelimited) {
      const detail = parseAny(r.bytes());
      strict &&= detail.name !== "" && detail.name.length < detail.typeUrl.length;
      if (details.length <= most) {
        details.push(detail);
      }
    } else {
      r.skip(type, number);
      strict &&= number > 3;
      unknown.push(bytes.slice(start, r.pos));
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

/** encodeStatusJson writes the ProtoJSON of a google.rpc.Status. */
export function encodeStatusJson(given: Hub, o: EncodeSettings): JsonText {
  const e = readable(given, o.catalog);
  return settle<JsonText>(e, o, {
    wire: Wire.STATUS,
    shape: "objects",
    marker: false,
    writesNumber: true,
    own: noErrors,
    candidates: [plainCandidate(Wire.STATUS)],
    items: () => plainItems(o.catalog, e.details, "objects"),
    write: (_, items, _marker, carried) => {
      const message = e.message === "" ? "" : `,"message":${quote(e.message)}`;
      return `{"code":${e.number}${message}${detailsMember(o.catalog, items, carried)}}`;
    },
    read: decodeStatusJson,
  });
}

/** detailsMember writes the details member of a JSON form with a comma before it; nothing without any. */
export function detailsMember(c: Catalog, items: readonly Item[], carried: RawDetail | undefined): JsonText {
  const texts = items.flatMap((it) => (it.plain === undefined ? [] : [it.plain.json]));
  if (carried !== undefined) {
    texts.push(render(c, carried).text);
  }
  return texts.length === 0 ? "" : `,"details":[${texts.join(",")}]`;
}

/** decodeStatusJson reads the ProtoJSON of a google.rpc.Status; it throws OkError where the code is 0 or missing. */
export function decodeStatusJson(body: string | Uint8Array, o: DecodeSettings): Hub {
  let text: JsonText;
  try {
    text = compactJson(body, o.limits);
  } catch (cause) {
    return foreign(Wire.STATUS, body, o, codeFromHttp, reasonFor(cause));
  }
  const members = objectMembers(text);
  if (members === undefined) {
    return foreign(Wire.STATUS, body, o, codeFromHttp, "not a JSON object");
  }
  const e = new Hub();
  e.decoded = true;
  const [ours, others] = take(members, e.notes, "code", "message", "details");
  if (ours.size === 0 && members.length > 0) {
    return foreign(Wire.STATUS, body, o, codeFromHttp, "no code, message or details");
  }
  const raw = ours.get("code");
  const number = statusCode(raw);
  let rest = others;
  if (number === undefined && raw !== undefined) {
    e.notes.add(`code ${raw} is no number: UNKNOWN`);
    rest = addMember(rest, newMember("code", raw), e.notes);
  }
  e.number = number ?? Code.UNKNOWN;
  if (e.number === 0) {
    throw new OkError();
  }
  e.message = e.text(Wire.STATUS, ours, "message");
  e.details = e.elements(o, Wire.STATUS, ours, "details").map((element) => parseElement(o.catalog, element));
  e.keep(Wire.STATUS, rest);
  restore(o.catalog, e, "objects");
  finish(e, o);
  return e;
}

// statusCode reads a number, the text of one, or the name of a code.
function statusCode(raw: JsonText | undefined): number | undefined {
  if (raw === undefined || raw === "null") {
    return 0;
  }
  const name = stringValue(raw);
  if (name === "OK") {
    return 0;
  }
  const known = name === undefined ? undefined : codeByName(name);
  const token = name ?? raw;
  const n = known ?? (isJsonNumber(token) ? safeIntegerOf(token) : undefined);
  return n !== undefined && isInt32(n) ? n : undefined;
}
