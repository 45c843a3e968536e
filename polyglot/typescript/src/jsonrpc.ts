// The error object of JSON-RPC 2.0 section 5.1: docs/wire.md section 7.

import { definitionOfError, withOuter } from "./aip193.js";
import { type Item, plainItems, restore, wrapped } from "./carried.js";
import type { Catalog } from "./catalog.js";
import { Code, codeByRpcNumber, codeFromConnectHttp, rowOf, rpcNumber } from "./code.js";
import { untypedText } from "./compare.js";
import { readNumber, safeIntegerOf } from "./decimal.js";
import { finish, foreign, reasonFor } from "./decode.js";
import type { Definition } from "./definition.js";
import { addMember, Hub, mergeReceived, Notes, nothing, type RawDetail, take, Wire } from "./hub.js";
import { compactJson, isJsonNumber, joinMembers, type JsonText, type Member, newMember, objectMembers, quote, stringValue } from "./json.js";
import type { DecodeSettings, EncodeSettings } from "./options.js";
import { mayRepeat, mayWrite, mcpNumber, numbered, ownErrors, type Profile, resourceNotFound } from "./profile.js";
import { isTyped, render } from "./render.js";
import { markerType, readData, schemaObject, supply } from "./rpcdata.js";
import { type Candidate, readable, settle } from "./settle.js";
import { clip } from "./utf8.js";

/** RpcAnswer is an error object and the number in it. */
export interface RpcAnswer {
  readonly number: number;
  readonly text: JsonText;
}

/** encodeJsonRpc writes the error object under a profile. */
export function encodeJsonRpc(given: Hub, p: Profile, o: EncodeSettings): RpcAnswer {
  const e = readable(given, o.catalog);
  return settle<RpcAnswer>(e, o, {
    wire: Wire.JSONRPC,
    shape: "elements",
    marker: true,
    writesNumber: false,
    own: ownErrors(p),
    candidates: candidatesOf(e, p, o),
    items: (c) => {
      const items = plainItems(o.catalog, e.details, "elements");
      if (ownNumber(e, p, c.number) === undefined) {
        return items;
      }
      return items.map((it, place) => {
        const d = e.details[place] as RawDetail;
        const text = untypedText(d);
        return text === undefined ? it : wrapped(o.catalog, d, place, text);
      });
    },
    write: (c, items, marker, carried) => {
      const data = writeData(e, p, o.catalog, c, items, marker, carried);
      const member = data === undefined ? "" : `,"data":${data}`;
      return { number: c.number, text: `{"code":${c.number},"message":${quote(e.message)}${member}}` };
    },
    read: (answer, settings) => decodeJsonRpc(answer.text, p, settings),
    direct: (c, items) => {
      if ((p === "mcp" && ownNumber(e, p, c.number) !== undefined) || items.some((it) => it.plain?.read.typeUrl === "")) {
        return "check";
      }
      const readers = [o.catalog, ownErrors(p)];
      return readers.some((errors) => readCode(e, p, errors, o.catalog, c.number) !== e.number) ? "marker" : "plain";
    },
  });
}

// candidatesOf returns the numbers that e may have, the best first.
function candidatesOf(e: Hub, p: Profile, o: EncodeSettings): Candidate[] {
  const out: Candidate[] = [];
  const add = (number: number, received: boolean): void => {
    // A received number that a reader takes for the error's own is not said by it:
    // then it rides along, so it is tried both ways.
    if (out.some((c) => c.number === number && c.said.number === "")) {
      return;
    }
    const plain = nothing(Wire.JSONRPC);
    const named = { ...plain, number: String(number) };
    const c: Candidate = { number, status: 0, codeText: "", alone: false, said: received ? named : plain, made: received ? plain : named };
    if (p === "mcp" && ownNumber(e, p, number) !== undefined) {
      out.push({ ...c, alone: true });
    }
    out.push(c);
  };
  const token = e.receivedOn(Wire.JSONRPC).number;
  const received = isJsonNumber(token) ? safeIntegerOf(token) : undefined;
  if (received !== undefined && mayRepeat(p, received)) {
    add(received, true);
  }
  add(impliedNumber(e, p, o.catalog, o.catalog), false);
  add(rowOf(e.number).jsonrpc, false);
  return out;
}

// impliedNumber is the number that an error has of its own: the catalogue's for its
// identity if the profile may write it, else the table's.
function impliedNumber(e: Hub, p: Profile, errors: Catalog, types: Catalog): number {
  const d = definitionOfError(e, errors, types) ?? definitionOfError(e, ownErrors(p), types);
  const n = d?.jsonrpcCode;
  return d !== undefined && n !== undefined && mayWrite(p, n, d.domain) ? n : rowOf(e.number).jsonrpc;
}

// ownNumber returns the profile's own error that a number stands for beside the
// identity of e; undefined where it is none.
function ownNumber(e: Hub, p: Profile, number: number): Definition | undefined {
  const d = numbered(p, number);
  if (d !== undefined || p !== "mcp" || number !== rpcNumber.invalidParams) {
    return d;
  }
  const said = definitionOfError(e, ownErrors(p), ownErrors(p));
  return said?.reason === resourceNotFound ? said : undefined;
}

// readCode returns the code that a reader arrives at without a marker.
function readCode(e: Hub, p: Profile, errors: Catalog, types: Catalog, number: number): Code {
  const d = definitionOfError(e, errors, types) ?? definitionOfError(e, ownErrors(p), types) ?? numbered(p, number);
  if (d !== undefined) {
    return d.code;
  }
  return p === "mcp" && number === mcpNumber.urlElicitation ? Code.FAILED_PRECONDITION : (codeByRpcNumber(number) ?? Code.UNKNOWN);
}

// writeData writes the data member; undefined where there is nothing to say.
function writeData(
  e: Hub,
  p: Profile,
  c: Catalog,
  candidate: Candidate,
  items: readonly Item[],
  marker: boolean,
  carried: RawDetail | undefined,
): JsonText | undefined {
  const own = p === "mcp" ? ownNumber(e, p, candidate.number) : undefined;
  const object = own === undefined ? [] : schemaObject(e, own, c);
  if (candidate.alone) {
    return object.length > 0 ? joinMembers(object) : undefined;
  }
  const shown = items.flatMap((it) => (it.plain === undefined ? [] : [it.plain]));
  const list = shown.map((plain) => plain.json);
  if (marker) {
    list.push(`{"@type":"${markerType}","code":${rowOf(e.number).code}}`);
  }
  if (carried !== undefined) {
    list.push(render(c, carried).text);
  }
  if (own !== undefined) {
    return joinMembers([...object, newMember("details", `[${list.join(",")}]`)]);
  }
  const typed = marker || carried !== undefined || shown.some((plain) => plain.json.startsWith("{") && (plain.read.typeUrl !== "" || isTyped(plain.json)));
  return list.length === 0 ? undefined : list.length === 1 && !typed ? list[0] : `[${list.join(",")}]`;
}

/** decodeJsonRpc reads the error object under a profile, or the response that holds one. */
export function decodeJsonRpc(body: string | Uint8Array, p: Profile, o: DecodeSettings): Hub {
  let text: JsonText;
  try {
    text = compactJson(body, o.limits);
  } catch (cause) {
    return foreign(Wire.JSONRPC, body, o, codeFromConnectHttp, reasonFor(cause));
  }
  const members = objectMembers(text);
  if (members === undefined) {
    return foreign(Wire.JSONRPC, body, o, codeFromConnectHttp, "not a JSON object");
  }
  const e = new Hub();
  e.decoded = true;
  const [ours, others] = take(insideResponse(members, e.notes), e.notes, "code", "message", "data");
  if (ours.size === 0) {
    return foreign(Wire.JSONRPC, body, o, codeFromConnectHttp, "no code, message or data");
  }
  e.message = e.text(Wire.JSONRPC, ours, "message");
  const { number, token, rest } = readRpcNumber(e, ours.get("code"), others);
  const data = readData(e, o, ours.get("data"), p, number);
  e.details = data.details;
  let keepNumber = token !== "";
  if (data.own !== undefined) {
    keepNumber = supply(e, data.own, data, p, o.catalog) && keepNumber;
  }
  if (p === "mcp" && (number === mcpNumber.resourceNotFound || number === mcpNumber.urlElicitation)) {
    keepNumber = false;
  }
  e.number = data.marker || readCode(e, p, o.errors, o.catalog, number);
  e.keep(Wire.JSONRPC, rest);
  restore(o.catalog, e, "elements");
  const r = e.receivedOn(Wire.JSONRPC);
  const isOwn = token === String(impliedNumber(e, p, o.errors, o.catalog)) || (r.number !== "" && token === String(rowOf(e.number).jsonrpc));
  if (keepNumber && !isOwn) {
    e.setReceived(mergeReceived(r, { ...nothing(Wire.JSONRPC), number: token }, e.notes));
  }
  finish(e, o);
  return e;
}

// insideResponse returns the members of the error object inside a response, with those
// that the response has beside it. The version and the id are the call's; a result
// beside an error is dropped.
function insideResponse(members: Member[], notes: Notes): Member[] {
  const lost = new Notes();
  const [ours, rest] = take(members, lost, "jsonrpc", "id", "result", "error", "code");
  const inner = objectMembers(ours.get("error"));
  if (inner === undefined || !ours.has("jsonrpc") || ours.has("code")) {
    return members;
  }
  notes.addAll(lost);
  const result = ours.get("result") ?? "null";
  if (result !== "null") {
    notes.add(`result ${clip(result, 128)} dropped: an error stands beside it`);
  }
  return withOuter(inner, rest, "code", "message", "data");
}

// readRpcNumber reads the code: the number, and its token, "" for none. One that is no
// integer within ±(2^53-1) is number 0, kept as it was received.
function readRpcNumber(e: Hub, raw: JsonText | undefined, rest: Member[]): { number: number; token: string; rest: Member[] } {
  const number = readNumber(raw);
  if (number !== undefined) {
    return { number, token: Object.is(number, -0) ? "0" : String(number), rest };
  }
  if (raw === undefined) {
    e.notes.add("code is missing: UNKNOWN");
    return { number: 0, token: "", rest };
  }
  const token = stringValue(raw) ?? raw;
  if (isJsonNumber(token)) {
    e.notes.add(`code ${clip(token, 64)} is no integer that JSON-RPC can say: UNKNOWN`);
    return { number: 0, token, rest };
  }
  e.notes.add(`code is no number, but ${clip(raw, 128)}: UNKNOWN`);
  return { number: 0, token: "", rest: addMember(rest, newMember("code", raw), e.notes) };
}

