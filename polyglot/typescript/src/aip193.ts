// The JSON body of an error on HTTP+JSON: docs/wire.md section 6.

import { plainItems, restore } from "./carried.js";
import { type Catalog, noErrors } from "./catalog.js";
import { clip } from "./utf8.js";
import { codeByName, codeFromHttp, isCanonical, rowOf } from "./code.js";
import { readNumber } from "./decimal.js";
import { finish, foreign, reasonFor } from "./decode.js";
import type { Definition } from "./definition.js";
import { addMember, Hub, mergeReceived, Notes, nothing, take, Wire } from "./hub.js";
import { arrayElements, compactJson, type JsonText, type Member, newMember, objectMembers, quote, stringValue } from "./json.js";
import type { DecodeSettings, EncodeSettings } from "./options.js";
import { identityOf, parseElement } from "./render.js";
import { type Candidate, readable, settle } from "./settle.js";
import { detailsMember } from "./status.js";

/** HttpAnswer is an error on HTTP: its status and its body. */
export interface HttpAnswer {
  readonly status: number;
  readonly body: JsonText;
}

/** encodeHttp writes the status and the body of an error after AIP-193. */
export function encodeHttp(given: Hub, o: EncodeSettings): HttpAnswer {
  const e = readable(given, o.catalog);
  return settle<HttpAnswer>(e, o, {
    wire: Wire.HTTP,
    shape: "objects",
    marker: false,
    writesNumber: false,
    own: noErrors,
    candidates: candidatesOf(e, o),
    items: () => plainItems(o.catalog, e.details, "objects"),
    write: (c, items, _marker, carried) => {
      const name = c.codeText === "" ? rowOf(e.number).name : c.codeText;
      const details = detailsMember(o.catalog, items, carried);
      return { status: c.status, body: `{"error":{"code":${c.status},"message":${quote(e.message)},"status":${quote(name)}${details}}}` };
    },
    read: (answer, settings) => decodeHttp(answer.body, { ...settings, httpStatus: answer.status }),
  });
}

// candidatesOf returns the ways to say what was received on HTTP+JSON once more,
// before the way that an error made here has.
function candidatesOf(e: Hub, o: EncodeSettings): Candidate[] {
  const got = e.receivedOn(Wire.HTTP);
  const c = statusCandidate(e, o, Wire.HTTP);
  return got.codeText === "" ? [c] : [{ ...c, codeText: got.codeText, said: { ...c.said, codeText: got.codeText } }, c];
}

/** statusCandidate is the way with the received HTTP status of a wire, else the error's own. */
export function statusCandidate(e: Hub, o: EncodeSettings, wire: Wire): Candidate {
  const got = e.receivedOn(wire).httpStatus;
  const own = ownHttpStatus(e, o.catalog, o.catalog);
  const base = { number: 0, codeText: "", alone: false };
  return isStandable(got)
    ? { ...base, status: got, said: { ...nothing(wire), httpStatus: got }, made: nothing(wire) }
    : { ...base, status: own, said: nothing(wire), made: { ...nothing(wire), httpStatus: own } };
}

// isStandable tells whether an HTTP status is one of an error.
function isStandable(status: number): boolean {
  return status >= 400 && status <= 599;
}

/** ownHttpStatus returns the HTTP status of an error: that of its definition, else that of its code. */
export function ownHttpStatus(e: Hub, errors: Catalog, types: Catalog): number {
  const d = definitionOfError(e, errors, types);
  const row = rowOf(e.number);
  return d?.httpStatus !== undefined && d.code === row.code ? d.httpStatus : row.http;
}

/** definitionOfError returns the definition of the error's identity; undefined where there is none. */
export function definitionOfError(e: Hub, errors: Catalog, types: Catalog): Definition | undefined {
  const info = identityOf(e.details, errors, types);
  return info === undefined ? undefined : errors.find(info.domain, info.reason);
}

/** decodeHttp reads the JSON body of an error on HTTP+JSON, in the form of AIP-193 and in those that stand for it. */
export function decodeHttp(body: string | Uint8Array, o: DecodeSettings): Hub {
  let text: JsonText;
  try {
    text = compactJson(body, o.limits);
  } catch (cause) {
    return foreign(Wire.HTTP, body, o, codeFromHttp, reasonFor(cause));
  }
  const e = new Hub();
  e.decoded = true;
  const members = membersOf(e, text);
  if (members === undefined) {
    return foreign(Wire.HTTP, body, o, codeFromHttp, "no error object");
  }
  const [ours, others] = take(members, e.notes, "code", "message", "status", "details");
  if (ours.size === 0) {
    return foreign(Wire.HTTP, body, o, codeFromHttp, "no code, message, status or details");
  }
  e.message = e.text(Wire.HTTP, ours, "message");
  const rest = readCode(e, ours, others, o);
  e.details = e.elements(o, Wire.HTTP, ours, "details").map((element) => parseElement(o.catalog, element));
  e.keep(Wire.HTTP, rest);
  restoreHttp(e, o, Wire.HTTP);
  return e;
}

/**
 * restoreHttp finishes an error of a form whose HTTP status may be its own, and so
 * need not be kept.
 */
export function restoreHttp(e: Hub, o: DecodeSettings, wire: Wire): void {
  const { httpStatus } = e.receivedOn(wire);
  e.setReceived({ ...e.receivedOn(wire), httpStatus: 0 });
  restore(o.catalog, e, "objects");
  const r = e.receivedOn(wire);
  if (httpStatus !== r.httpStatus && httpStatus !== ownHttpStatus(e, o.errors, o.catalog)) {
    e.setReceived(mergeReceived(r, { ...nothing(wire), httpStatus }, e.notes));
  }
  finish(e, o);
}

// membersOf finds the members of the error object.
function membersOf(e: Hub, text: JsonText): Member[] | undefined {
  const elements = arrayElements(text);
  const outer = objectMembers(elements?.length === 1 ? elements[0] : text);
  if (outer === undefined) {
    return undefined;
  }
  const lost = new Notes();
  const [ours, rest] = take(outer, lost, "error");
  const raw = ours.get("error");
  const message = stringValue(raw);
  const inner = message !== undefined ? [newMember("message", quote(message))] : objectMembers(raw);
  if (inner === undefined) {
    return outer;
  }
  e.notes.addAll(lost);
  return withOuter(inner, rest);
}

/**
 * withOuter returns the members of an error object with those beside the object, which
 * ride along: one whose name is taken becomes name_2.
 */
export function withOuter(inner: readonly Member[], outer: readonly Member[], ...names: string[]): Member[] {
  const members = [...inner];
  const taken = new Set([...names, ...inner.map((m) => m.name)]);
  for (const m of outer) {
    const name = freeKey(m.name, (key) => taken.has(key));
    taken.add(name);
    members.push(newMember(name, m.value));
  }
  return members;
}

/** freeKey returns a key that is not taken: key, key_2, key_3 and so on. */
export function freeKey(key: string, isTaken: (key: string) => boolean): string {
  let free = key;
  for (let n = 2; isTaken(free); n++) {
    free = `${key}_${n}`;
  }
  return free;
}

// readCode sets the number: that of a known status name, else of a canonical number,
// else of the body's HTTP status, else of the transport's. It returns rest with what
// of code and status could not be read.
function readCode(e: Hub, ours: ReadonlyMap<string, JsonText>, others: Member[], o: DecodeSettings): Member[] {
  let rest = others;
  const name = e.text(Wire.HTTP, ours, "status");
  const raw = ours.get("code");
  let number = readNumber(raw);
  if (raw !== undefined && raw !== "null" && number === undefined) {
    e.notes.add(`member "code" is no number: ${raw}`);
    rest = addMember(rest, newMember("code", raw), e.notes);
  }
  const known = codeByName(name);
  let status = 0;
  if (number !== undefined && number >= 100 && number <= 599) {
    status = number;
  } else if (number !== undefined && raw !== undefined && (name !== "" || !isCanonical(number))) {
    e.notes.add(`code ${number} is ${name !== "" ? "no HTTP status" : "neither an HTTP status nor a canonical code"}`);
    rest = addMember(rest, newMember("code", raw), e.notes);
    number = undefined;
  }
  if (known !== undefined) {
    e.number = known;
  } else if (number !== undefined && status === 0) {
    e.number = number;
  } else {
    e.number = codeFromHttp(status === 0 ? o.httpStatus : status);
  }
  if (name !== "" && known === undefined) {
    e.notes.add(`status ${JSON.stringify(clip(name, 64))} names no code: ${rowOf(e.number).name}`);
    e.setReceived({ ...e.receivedOn(Wire.HTTP), codeText: name });
  }
  if (status !== 0 && o.httpStatus !== 0 && status !== o.httpStatus) {
    e.notes.add(`the response has HTTP status ${o.httpStatus}, its body says ${status}, which stands`);
  }
  const said = status === 0 ? o.httpStatus : status;
  if (said !== 0) {
    e.setReceived({ ...e.receivedOn(Wire.HTTP), httpStatus: said });
  }
  return rest;
}
