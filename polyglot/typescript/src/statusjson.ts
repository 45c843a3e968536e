// google.rpc.Status in ProtoJSON: docs/wire.md section 6.

import { memberCarried, Writing } from "./carried.js";
import { Code, codeFromHttp } from "./code.js";
import { isForeign, OkError, type RawBody, readBody } from "./decode.js";
import { type Hub, Wire } from "./hub.js";
import type { Value } from "./jsontree.js";
import { type Member, take } from "./member.js";
import type { Decoding, Encoding } from "./options.js";
import { isCarried, statusNames } from "./received.js";
import { restore } from "./restore.js";
import { statusCode } from "./rpccode.js";

/** encodeStatusJson writes an error as the ProtoJSON of a google.rpc.Status. */
export function encodeStatusJson(e: Hub, o: Encoding): string {
  const w = new Writing(e, o, "objects");
  const message = e.message === "" ? "" : `,"message":${JSON.stringify(e.message)}`;
  const details = w.detailsText();
  return `{"code":${e.number}${message}${details === "" ? "" : `,"details":[${details}]`}${w.restText(Wire.STATUS, true, (m) => statusNames.placeIn(m))}}`;
}

/** decodeStatusJson reads the ProtoJSON of a google.rpc.Status; it throws an OkError where the code is 0. */
export function decodeStatusJson(body: RawBody, o: Decoding): Hub {
  return readBody(Wire.STATUS, body, o, codeFromHttp, (r, root) => {
    if (!root.isObject) {
      isForeign("not a JSON object");
    }
    const { own, rest } = take(root, statusNames, r.e.notes);
    const [code, message, details, carried] = own as [Value, Value, Value, Value];
    if (!code.exists && !message.exists && !details.exists && root.length > 0) {
      isForeign("no code, message or details");
    }
    const number = statusCode(code);
    if (number === undefined) {
      r.note("code is no number: UNKNOWN");
      rest.push({ name: "code", value: code });
    }
    r.e.number = number ?? Code.UNKNOWN;
    if (r.e.number === 0) {
      throw new OkError();
    }
    r.e.message = r.text(message, rest) ?? "";
    r.list(details, rest);
    const member = carriedMember(carried, rest);
    r.keep(Wire.STATUS, rest);
    restore(r, "objects", member);
    r.finish();
  });
}

/** carriedMember returns the member that Carried is; another's of that name is kept. */
export function carriedMember(v: Value, rest: Member[]): Value | undefined {
  if (v.exists && isCarried(v)) {
    return v;
  }
  if (v.exists) {
    rest.push({ name: memberCarried, value: v });
  }
  return undefined;
}

