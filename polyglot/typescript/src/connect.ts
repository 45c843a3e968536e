// The JSON error of the Connect protocol: docs/wire.md section 4.

import { Writing } from "./carried.js";
import { Code, codeByConnectName, codeFromConnectHttp, rowOf } from "./code.js";
import { isForeign, type RawBody, readBody, type Reading, setHttpStatus } from "./decode.js";
import { completeUrl, type Hub, RawDetail, typeName, urlPrefix, Wire } from "./hub.js";
import { memberText, tryParse, Value } from "./jsontree.js";
import { type Member, membersText, splitMembers, take } from "./member.js";
import { type Decoding, detailDepth, type Encoding } from "./options.js";
import { connectDetailNames, connectNames, isDetailMembers } from "./received.js";
import { restore } from "./restore.js";
import { base64, fromBase64 } from "./text.js";

/** encodeConnect writes an error as the JSON error of the Connect protocol. */
export function encodeConnect(e: Hub, o: Encoding): string {
  const { shown, standing, extras, w } = connectParts(e, o);
  const message = e.message === "" ? "" : `,"message":${JSON.stringify(e.message)}`;
  let details = "";
  let extra = extras;
  for (const d of shown) {
    details += `${details === "" ? "" : ","}{"type":${JSON.stringify(d.name)},"value":"${base64(d.value, "raw")}"${debugOf(w, d)}`;
    for (let m = extra.first; m.exists; m = m.next) {
      details += "," + memberText(m);
    }
    extra = extra.next;
    details += "}";
  }
  return `{"code":"${rowOf(e.number).connect}"${message}${details === "" ? "" : `,"details":[${details}]`}${standing}}`;
}

/** ConnectParts are what a Connect error shows beside its code and message. */
export interface ConnectParts {
  readonly shown: readonly RawDetail[];
  /** The members that stand again, each after a comma. */
  readonly standing: string;
  /** The first of the members that details had beside their own. */
  readonly extras: Value;
  readonly w: Writing;
}

function connectParts(e: Hub, o: Encoding): ConnectParts {
  const w = new Writing(e, o, "binary");
  const shown = w.binary();
  const { standing, riding: left } = splitMembers(e.on(Wire.CONNECT).members, (m) => connectNames.placeIn(m));
  const { extras, riding } = detailExtras(left, shown.length);
  w.receive(false, (r) => (r.wire === Wire.CONNECT ? { ...r, members: riding } : r));
  return { shown: w.withCarried(shown, Wire.CONNECT), standing, extras, w };
}

/**
 * connectDetails returns the details of a Connect error for a library that writes the
 * rest itself, and so has no place for members: they ride along.
 */
export function connectDetails(e: Hub, o: Encoding): readonly RawDetail[] {
  const w = new Writing(e, o, "binary");
  const shown = w.binary();
  w.receive(false, (r) => r);
  return w.withCarried(shown, Wire.CONNECT);
}

// detailExtras takes the members of details out of those that ride, where there is an
// element for each of so many details.
function detailExtras(riding: string, details: number): { extras: Value; riding: string } {
  const v = riding === "" ? Value.missing : tryParse(riding).get("details");
  if (!v.isArray || !isDetailMembers(v) || v.length !== details) {
    return { extras: Value.missing, riding };
  }
  return { extras: v.first, riding: splitMembers(riding, (m) => (m.nameIs("details") ? "said" : "rides")).riding };
}

// debugOf returns the debug member of a detail, where its type is linked. What Carried
// holds is for programs alone.
function debugOf(w: Writing, d: RawDetail): string {
  const { name } = d;
  if (name === "" || name === typeName.carried) {
    return "";
  }
  const written = w.codec.messageText(urlPrefix + name, d.value, detailDepth);
  return written === undefined ? "" : `,"debug":${written.text}`;
}

/** decodeConnect reads the JSON error of the Connect protocol. */
export function decodeConnect(body: RawBody, o: Decoding): Hub {
  return readBody(Wire.CONNECT, body, o, codeFromConnectHttp, (r, root) => {
    if (!root.isObject) {
      isForeign("not a JSON object");
    }
    const { own, rest } = take(root, connectNames, r.e.notes);
    const [code, message, details] = own as [Value, Value, Value];
    if (!code.exists && !message.exists && !details.exists) {
      isForeign("no code, message or details");
    }
    r.e.message = r.text(message, rest) ?? "";
    readCode(r, code, rest);
    if (details.isArray) {
      readDetails(r, details, rest);
    } else if (!details.isAbsent) {
      r.refuse(details, rest);
    }
    r.keep(Wire.CONNECT, rest);
    restore(r, "binary");
    r.finish();
  });
}

// readCode reads the code. One that is none gives way to the HTTP status.
function readCode(r: Reading, v: Value, rest: Member[]): void {
  const { e, o } = r;
  if (v.isString) {
    const text = v.text;
    const number = codeByConnectName(text);
    if (number !== undefined) {
      e.number = number;
      return;
    }
    r.said({ wire: Wire.CONNECT, codeText: text });
  } else if (v.exists) {
    rest.push({ name: "code", value: v });
  }
  e.number = Code.UNKNOWN;
  if (o.httpStatus !== 0 && !o.stream) {
    e.number = codeFromConnectHttp(o.httpStatus);
    setHttpStatus(e, Wire.CONNECT, o.httpStatus);
  }
  r.note(`no code that Connect knows: ${rowOf(e.number).name}`);
}

// readDetails reads the details, each on its own.
function readDetails(r: Reading, list: Value, rest: Member[]): void {
  const n = r.atMost(list.length);
  const details: RawDetail[] = [];
  const extras: string[] = [];
  let some = false;
  let el = list.first;
  for (let i = 0; el.exists && i < n; i++, el = el.next) {
    const read = readDetail(r, el);
    if (typeof read === "string") {
      r.note(`detail ${i} dropped: ${read}`);
      continue;
    }
    const { detail, extra } = read;
    details.push(detail);
    if (detail.is(typeName.carried)) {
      if (extra !== "") {
        r.note(`detail ${i}: members beside a Carried dropped`);
      }
      continue;
    }
    extras.push(extra === "" ? "null" : extra);
    some ||= extra !== "";
  }
  r.e.details = details;
  if (some) {
    rest.push({ name: "details", value: Value.missing, text: "[" + extras.join(",") + "]" });
  }
}

// readDetail reads one element of details; extra are the members that it has beside type,
// value and debug. A string says what is wrong with it.
function readDetail(r: Reading, v: Value): { detail: RawDetail; extra: string } | string {
  if (!v.isObject) {
    return "it is no object";
  }
  const { own, rest } = take(v, connectDetailNames, r.e.notes);
  const [type, value] = own as [Value, Value];
  if (!type.isString) {
    return "its type is no string";
  }
  if (!value.isString) {
    return "its value is no string";
  }
  const bytes = fromBase64(value.text);
  return bytes === undefined ? "its value is not base64" : { detail: new RawDetail(completeUrl(type.text), bytes), extra: membersText(rest) };
}
