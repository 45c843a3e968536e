// What wires said of an error beside a google.rpc.Status: put back out of a Carried,
// believed as far as a wire could have said it, and merged.

import { codeByConnectName, codeByName, isCanonical, isHttpStatus, isInt32, rowOf } from "./code.js";
import { memberCarried } from "./carried.js";
import { type Reading, readNumber } from "./decode.js";
import { fromBase64, quoted, clip, compareText, sameBytes } from "./text.js";
import { isKnownWire, isNothing, nothing, type Notes, type Received, Wire, wireName } from "./hub.js";
import { isNumber, safeIntegerOf } from "./jsonnumber.js";
import { Kind, memberText, tryParse, type Value } from "./jsontree.js";
import { same } from "./same.js";
import { type Member, membersText, Names } from "./member.js";
import { Cursor, WireType } from "./protowire.js";
import { statusCode } from "./rpccode.js";

/** The members of each form, and those of a detail of Connect. */
export const connectNames = new Names(["code", "message", "details"]);
export const connectDetailNames = new Names(["type", "value", "debug"]);
export const statusNames = new Names(["code", "message", "details", memberCarried]);
export const httpNames = new Names(["code", "message", "status", "details", memberCarried]);
export const problemNames = new Names(["type", "title", "status", "detail", "code", "reason", "domain", "metadata", "details", "errors", memberCarried]);
export const rpcNames = new Names(["code", "message", "data"]);

const formNames: Readonly<Record<number, Names>> = {
  [Wire.CONNECT]: connectNames,
  [Wire.GRPC]: new Names([]),
  [Wire.STATUS]: statusNames,
  [Wire.HTTP]: httpNames,
  [Wire.PROBLEM]: problemNames,
  [Wire.JSONRPC]: rpcNames,
};

/**
 * isCarried tells whether the member of that name is a Carried: one with a check of four
 * bytes and eight for each detail that it is about.
 */
export function isCarried(v: Value): boolean {
  const check = v.get("check");
  const sums = v.isObject && check.isString ? fromBase64(check.text) : undefined;
  return sums !== undefined && sums.length >= 4 && (sums.length - 4) % 8 === 0;
}

/**
 * restoreReceived puts back what other wires said, beside what this one did; what is said
 * of wires that are to come stays. A private code comes back into its place where the
 * plain form says UNKNOWN.
 */
export function restoreReceived(r: Reading, carried: readonly Received[]): void {
  if (carried.length === 0) {
    return;
  }
  const all = new Map<number, Received>();
  for (const p of carried) {
    if ((p.wire as number) === 0 || all.has(p.wire)) {
      r.note("errmap.v1.Carried: what a wire said dropped: it has no wire, or one that stands before it");
      continue;
    }
    all.set(p.wire, believable(r, p));
  }
  // The two forms of HTTP share one status, which is kept under HTTP.
  const problem = all.get(Wire.PROBLEM);
  if (problem !== undefined && problem.httpStatus !== 0) {
    const http = all.get(Wire.HTTP) ?? nothing(Wire.HTTP);
    all.set(Wire.HTTP, { ...http, httpStatus: http.httpStatus || problem.httpStatus });
    all.set(Wire.PROBLEM, { ...problem, httpStatus: 0 });
  }
  const grpc = all.get(Wire.GRPC);
  if (grpc !== undefined && grpc.number !== "") {
    const { name } = rowOf(r.e.number);
    if (name === "UNKNOWN") {
      r.e.number = Number(grpc.number);
    } else {
      r.note(`errmap.v1.Carried: number ${grpc.number} dropped: the code is ${name}`);
    }
    all.set(Wire.GRPC, { ...grpc, number: "" });
  }
  for (const own of r.e.received) {
    const have = all.get(own.wire);
    all.set(own.wire, have === undefined ? own : mergeReceived(have, own, r.e.notes));
  }
  r.e.received = [...all.values()].filter((said) => !isNothing(said)).sort((a, b) => a.wire - b.wire);
}

// believable returns what one wire said, as far as it could have said it.
function believable(r: Reading, p: Received): Received {
  let { number, codeText, httpStatus, unknownFields } = p;
  const drop = (what: string): void => r.note(`errmap.v1.Carried: ${what} dropped: the ${wireName(p.wire)} wire has none such`);
  if (number !== "" && !couldBeNumber(p.wire, number)) {
    drop("number " + quoted(number, 64));
    number = "";
  }
  if (codeText !== "" && !couldBeCode(p.wire, codeText)) {
    drop("code " + quoted(codeText, 64));
    codeText = "";
  }
  if (httpStatus !== 0 && !isHttpStatus(httpStatus)) {
    drop(`HTTP status ${httpStatus}`);
    httpStatus = 0;
  }
  if (unknownFields.length > 0 && !areLaterFields(unknownFields)) {
    drop("unknown fields");
    unknownFields = new Uint8Array();
  }
  let members = "";
  if (p.members !== "") {
    const root = tryParse(p.members, 100);
    if (root.isObject) {
      const kept: Member[] = [];
      for (let m = root.first; m.exists; m = m.next) {
        const { name } = m;
        if (m.repeats) {
          r.note(`member ${quoted(name)} stands twice: the first counts`);
        } else if (!couldBeMember(p.wire, m)) {
          drop("member " + quoted(name, 64));
        } else {
          kept.push({ name, value: m });
        }
      }
      members = membersText(kept);
    } else {
      drop("members that are no JSON object");
    }
  }
  return { wire: p.wire, number, codeText, httpStatus, members, unknownFields };
}

// areLaterFields tells whether bytes are fields of a google.rpc.Status that its schema
// does not know, and nothing else.
function areLaterFields(bytes: Uint8Array): boolean {
  const c = new Cursor(bytes);
  while (c.more) {
    if (!c.tag()) {
      return false;
    }
    const { number, type } = c;
    if (!c.skip() || (number === 1 && type === WireType.Varint) || ((number === 2 || number === 3) && type === WireType.LengthDelimited)) {
      return false;
    }
  }
  return true;
}

// couldBeNumber tells whether a wire can have said a number that has no place in the
// error: a JSON-RPC code, or a private code of gRPC.
function couldBeNumber(wire: Wire, token: string): boolean {
  if (!isKnownWire(wire)) {
    return true;
  }
  const n = safeIntegerOf(token);
  switch (wire) {
    case Wire.JSONRPC:
      return isNumber(token) && (n === undefined || String(n) === token);
    case Wire.GRPC:
      return n !== undefined && isInt32(n) && n !== 0 && !isCanonical(n) && String(n) === token;
    default:
      return false;
  }
}

// couldBeCode tells whether a text can have stood in the place of a wire's code and
// named none.
function couldBeCode(wire: Wire, text: string): boolean {
  if (!isKnownWire(wire)) {
    return true;
  }
  switch (wire) {
    case Wire.CONNECT:
      return codeByConnectName(text) === undefined;
    case Wire.GRPC:
      return !/^[0-9]+$/.test(text) || Number(text) >= 2 ** 31;
    case Wire.HTTP:
      return codeByName(text) === undefined;
    default:
      return false;
  }
}

// couldBeMember tells whether a wire's reader would have kept a member: it has not a name
// of the form's and the type that the reader takes, nor one that differs from such a name
// in case alone.
function couldBeMember(wire: Wire, m: Value): boolean {
  const form = formNames[wire];
  if (form === undefined) {
    return true;
  }
  const { name } = m;
  if (form.folds(name)) {
    return false;
  }
  return form.find(name) < 0 || keptThere(wire, name, m);
}

// keptThere tells whether the reader of a form keeps a member of the form's own name
// because of what it holds.
function keptThere(wire: Wire, name: string, m: Value): boolean {
  switch (name) {
    case memberCarried:
      return !isCarried(m);
    case "code":
      switch (wire) {
        case Wire.CONNECT:
          return !m.isString;
        case Wire.STATUS:
          return statusCode(m) === undefined;
        case Wire.HTTP: {
          const n = readNumber(m);
          return n === undefined || n < 1 || (n > 16 && n < 100) || n > 599;
        }
        case Wire.PROBLEM:
          return codeByName(m.text) === undefined;
        default:
          return readNumber(m) === undefined && !m.isNumber;
      }
    case "details":
      return wire === Wire.CONNECT && m.isArray ? isDetailMembers(m) : !m.isArray && !m.isNull;
    case "data":
      return false;
    case "metadata":
      return !m.isObject && !m.isNull;
    case "type":
    case "title":
      return !m.isNull;
    case "errors":
      return true;
    case "status":
      if (wire === Wire.PROBLEM) {
        const n = m.int;
        return !m.isNull && (n === undefined || n < 100 || n > 999);
      }
  }
  return !m.isString && !m.isNull;
}

/**
 * isDetailMembers tells whether an array holds, for each detail of a Connect error, the
 * members that it has beside its own, or null.
 */
export function isDetailMembers(v: Value): boolean {
  for (let el = v.first; el.exists; el = el.next) {
    if (el.kind !== Kind.Null && el.kind !== Kind.Object) {
      return false;
    }
    for (let m = el.first; m.exists; m = m.next) {
      if (connectDetailNames.placeIn(m) === "rides" || m.repeats) {
        return false;
      }
    }
  }
  return true;
}

/**
 * mergeReceived adds to what rode along what its own wire says newly. What rode along
 * stays; what is said against it is in a note.
 */
export function mergeReceived(carried: Received, own: Received, notes: Notes): Received {
  const text = (what: string, have: string, news: string): string => {
    if (have !== "" && news !== "" && have !== news) {
      notes.add(`${what} ${quoted(news)} dropped: ${quoted(have)}, which rode along, stays`);
    }
    return have || news;
  };
  if (carried.httpStatus !== 0 && own.httpStatus !== 0 && carried.httpStatus !== own.httpStatus) {
    notes.add(`HTTP status ${own.httpStatus} dropped: ${carried.httpStatus}, which rode along, stays`);
  }
  if (carried.unknownFields.length > 0 && own.unknownFields.length > 0 && !sameBytes(carried.unknownFields, own.unknownFields)) {
    notes.add("unknown fields of a Status dropped: those that rode along stay");
  }
  return {
    wire: carried.wire,
    number: text("number", carried.number, own.number),
    codeText: text("code", carried.codeText, own.codeText),
    httpStatus: carried.httpStatus || own.httpStatus,
    members: mergeMembers(carried.members, own.members, notes),
    unknownFields: carried.unknownFields.length > 0 ? carried.unknownFields : own.unknownFields,
  };
}

// mergeMembers merges two objects whose members are sorted by name.
function mergeMembers(carried: string, own: string, notes: Notes): string {
  if (carried === "" || own === "") {
    return carried || own;
  }
  let a = tryParse(carried).first;
  let b = tryParse(own).first;
  const parts: string[] = [];
  while (a.exists || b.exists) {
    const order = !a.exists ? 1 : !b.exists ? -1 : compareText(a.name, b.name);
    if (order === 0 && !same(a, b)) {
      notes.add(`member ${quoted(b.name)} with ${clip(b.raw, 128)} dropped: the one that rode along stays`);
    }
    if (order > 0) {
      parts.push(memberText(b));
      b = b.next;
      continue;
    }
    parts.push(memberText(a));
    a = a.next;
    if (order === 0) {
      b = b.next;
    }
  }
  return "{" + parts.join(",") + "}";
}
