// google.rpc.Status, as a message and in ProtoJSON.

import { type Item, plainItems, restore } from "./carried.js";
import { type Catalog, noErrors } from "./catalog.js";
import { Code, codeByName, codeFromHttp, isInt32 } from "./code.js";
import { safeIntegerOf } from "./decimal.js";
import { finish, foreign, OkError, reasonFor } from "./decode.js";
import { addMember, Hub, nothing, type RawDetail, take, Wire } from "./hub.js";
import { compactJson, isJsonNumber, type JsonText, newMember, objectMembers, quote, stringValue } from "./json.js";
import type { DecodeSettings, EncodeSettings } from "./options.js";
import { parseElement, render } from "./render.js";
import { plainCandidate, readable, settle } from "./settle.js";
import type { Status } from "./wire.js";

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
export function readStatus(s: Status & { readonly notes?: readonly string[] }, o: DecodeSettings, wire: Wire.GRPC | Wire.STATUS): Hub {
  if (s.code === 0) {
    throw new OkError();
  }
  const e = new Hub();
  e.decoded = true;
  s.notes?.forEach((note) => e.notes.add(note));
  e.number = s.code;
  e.message = s.message;
  e.details = s.details;
  e.setReceived({ ...nothing(wire), unknownFields: s.unknown });
  restore(o.catalog, e, "binary");
  finish(e, o);
  return e;
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
