// The JSON error of the Connect protocol: docs/wire.md section 4.

import { type Item, plainItems, restore } from "./carried.js";
import { type Catalog, noErrors } from "./catalog.js";
import { Code, codeByConnectName, codeFromConnectHttp, rowOf } from "./code.js";
import { finish, foreign, reasonFor } from "./decode.js";
import { addMember, completeUrl, Hub, type Notes, RawDetail, take, Wire, withUsualUrl } from "./hub.js";
import { compactJson, joinMembers, type JsonText, type Member, newMember, objectMembers, quote, stringValue } from "./json.js";
import type { DecodeSettings, EncodeSettings } from "./options.js";
import { wellKnown } from "./wellknown.js";
import { plainCandidate, readable, settle } from "./settle.js";
import { renderMessage } from "./render.js";
import { base64, fromBase64 } from "./utf8.js";

/** encodeConnect writes the body of a failed unary call, or the error of an end-of-stream message. */
export function encodeConnect(given: Hub, o: EncodeSettings): JsonText {
  const e = readable(given, o.catalog);
  return settle<JsonText>(e, o, {
    wire: Wire.CONNECT,
    shape: "binary",
    marker: false,
    writesNumber: false,
    own: noErrors,
    candidates: [plainCandidate(Wire.CONNECT)],
    items: () => plainItems(o.catalog, e.details, "binary"),
    write: (_, items, _marker, carried) => write(o.catalog, e, items, carried),
    read: decodeConnect,
  });
}

function write(c: Catalog, e: Hub, items: readonly Item[], carried: RawDetail | undefined): JsonText {
  const details = [...items.flatMap((it) => (it.plain === undefined ? [] : [it.plain.read])), ...(carried === undefined ? [] : [carried])];
  const parts = [`"code":"${rowOf(e.number).connect}"`];
  if (e.message !== "") {
    parts.push(`"message":${quote(e.message)}`);
  }
  if (details.length > 0) {
    parts.push(`"details":[${details.map((d) => writeDetail(c, d)).join(",")}]`);
  }
  return `{${parts.join(",")}}`;
}

function writeDetail(c: Catalog, d: RawDetail): JsonText {
  const debug = d.typeUrl === "" ? undefined : renderMessage(c, withUsualUrl(d));
  const shown = debug === undefined ? "" : `,"debug":${withoutType(debug.text, d.name)}`;
  return `{"type":${quote(d.name)},"value":"${base64(d.value, "raw")}"${shown}}`;
}

// withoutType takes the "@type" out of the ProtoJSON of an Any: what is left is that
// of the message, or the "value" of a well-known type.
function withoutType(text: JsonText, name: string): JsonText {
  const members = (objectMembers(text) ?? []).slice(1);
  return wellKnown(name) ? (members[0]?.value ?? "{}") : joinMembers(members);
}

/** decodeConnect reads the JSON error of the Connect protocol. */
export function decodeConnect(body: string | Uint8Array, o: DecodeSettings): Hub {
  let text: JsonText;
  try {
    text = compactJson(body, o.limits);
  } catch (cause) {
    return foreign(Wire.CONNECT, body, o, codeFromConnectHttp, reasonFor(cause));
  }
  const members = objectMembers(text);
  if (members === undefined) {
    return foreign(Wire.CONNECT, body, o, codeFromConnectHttp, "not a JSON object");
  }
  const e = new Hub();
  e.decoded = true;
  const [ours, others] = take(members, e.notes, "code", "message", "details");
  if (ours.size === 0) {
    return foreign(Wire.CONNECT, body, o, codeFromConnectHttp, "no code, message or details");
  }
  e.message = e.text(Wire.CONNECT, ours, "message");
  let rest = readCode(e, ours.get("code"), others, o);
  const extras: JsonText[] = [];
  const details: RawDetail[] = [];
  for (const [i, raw] of e.elements(o, Wire.CONNECT, ours, "details").entries()) {
    const read = readDetail(raw, e.notes);
    if (typeof read === "string") {
      e.notes.add(`detail ${i} dropped: ${read}: ${raw}`);
      continue;
    }
    details.push(read.detail);
    extras.push(read.extra.length === 0 ? "null" : joinMembers(read.extra));
  }
  e.details = details;
  if (extras.some((extra) => extra !== "null")) {
    rest = addMember(rest, newMember("details", `[${extras.join(",")}]`), e.notes);
  }
  e.keep(Wire.CONNECT, rest);
  restore(o.catalog, e, "binary");
  finish(e, o);
  return e;
}

// readCode sets the number, and returns rest with what of code could not be read.
function readCode(e: Hub, raw: JsonText | undefined, rest: Member[], o: DecodeSettings): Member[] {
  const name = stringValue(raw);
  const known = name === undefined ? undefined : codeByConnectName(name);
  if (known !== undefined) {
    e.number = known;
    return rest;
  }
  if (name !== undefined) {
    e.setReceived({ ...e.receivedOn(Wire.CONNECT), codeText: name });
  }
  e.number = Code.UNKNOWN;
  if (o.httpStatus !== 0 && !o.stream) {
    e.number = codeFromConnectHttp(o.httpStatus);
    e.setHttpStatus(Wire.CONNECT, o.httpStatus);
  }
  e.notes.add(`no code that Connect knows${raw === undefined ? "" : `, but ${raw}`}: ${rowOf(e.number).name}`);
  return name === undefined && raw !== undefined ? addMember(rest, newMember("code", raw), e.notes) : rest;
}

// readDetail reads one element of details, and the members that it has beside type,
// value and debug; a string says why it is none.
function readDetail(raw: JsonText, notes: Notes): { detail: RawDetail; extra: Member[] } | string {
  const members = objectMembers(raw);
  if (members === undefined) {
    return "it is no object";
  }
  const [ours, extra] = take(members, notes, "type", "value", "debug");
  const name = stringValue(ours.get("type"));
  const text = stringValue(ours.get("value"));
  if (name === undefined || text === undefined) {
    return "its type or its value is no string";
  }
  const value = fromBase64(text);
  return value === undefined ? "its value is not base64" : { detail: new RawDetail(completeUrl(name), value), extra };
}
