// The JSON body of an error on HTTP+JSON, in the form of AIP-193 and in those that stand
// for it: docs/wire.md section 6.

import { memberCarried, Writing } from "./carried.js";
import { codeByName, codeFromHttp, isErrorStatus, rowOf, targetOf } from "./code.js";
import { isForeign, type RawBody, readBody, type Reading, readNumber } from "./decode.js";
import { type Hub, nothing, type RawDetail, Wire } from "./hub.js";
import { definitionIn } from "./identity.js";
import type { Catalog } from "./catalog.js";
import { Value } from "./jsontree.js";
import { Keys, type Member, type Names, take } from "./member.js";
import type { Decoding, Encoding } from "./options.js";
import { httpNames, isCarried, mergeReceived } from "./received.js";
import { restore } from "./restore.js";
import { carriedMember } from "./statusjson.js";
import { quoted } from "./text.js";

/** HttpAnswer is an error on HTTP. */
export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

/** encodeHttp writes an error in the form of AIP-193. */
export function encodeHttp(e: Hub, o: Encoding): HttpAnswer {
  const w = new Writing(e, o, "objects");
  const { status, stands } = writtenStatus(w);
  const { codeText } = e.on(Wire.HTTP);
  // A text in the code's place stands where readers arrive at the code without it.
  const named = codeText !== "" && codeFromHttp(status) === targetOf(e.number);
  const name = named ? codeText : rowOf(e.number).name;
  const details = w.detailsText();
  const head = `{"error":{"code":${status},"message":${JSON.stringify(e.message)},"status":${JSON.stringify(name)}`;
  const rest = w.restText(
    Wire.HTTP,
    false,
    (m) => httpNames.placeIn(m),
    (r) => (r.wire !== Wire.HTTP ? r : { ...r, httpStatus: stands ? 0 : r.httpStatus, codeText: named ? "" : r.codeText }),
  );
  return { status, body: `${head}${details === "" ? "" : `,"details":[${details}]`}${rest}}}` };
}

/**
 * writtenStatus returns the HTTP status that is written, and whether it says what was
 * received: that is so where no reader takes it for the error's own.
 */
export function writtenStatus(w: Writing): { readonly status: number; readonly stands: boolean } {
  const own = ownHttpStatus(w.e, w.details, w.o.catalog);
  const got = w.e.on(Wire.HTTP).httpStatus;
  return isErrorStatus(got) ? { status: got, stands: got !== own && got !== rowOf(w.e.number).http } : { status: own, stands: false };
}

/** ownHttpStatus returns the HTTP status that an error has by its definition, else by its code. */
export function ownHttpStatus(e: Hub, details: readonly RawDetail[], catalog: Catalog): number {
  const d = definitionIn(details, catalog);
  return d !== undefined && d.code === targetOf(e.number) && d.httpStatus !== undefined ? d.httpStatus : rowOf(e.number).http;
}

/** decodeHttp reads the JSON body of an error on HTTP+JSON. */
export function decodeHttp(body: RawBody, o: Decoding): Hub {
  return readBody(Wire.HTTP, body, o, codeFromHttp, (r, given) => {
    const root = given.isArray && given.length === 1 ? given.first : given;
    if (!root.isObject) {
      isForeign("no error object");
    }
    const m = membersOf(r, root);
    if (m === undefined) {
      return isForeign("no code, message, status or details");
    }
    if (m.message !== undefined) {
      r.e.message = m.message;
    }
    if (m.own.message.exists) {
      r.e.message = r.text(m.own.message, m.rest) ?? "";
    }
    const status = readCode(r, m.own.code, m.own.status, m.rest);
    r.list(m.own.details, m.rest);
    const carried = carriedMember(m.own.carried, m.rest);
    r.keep(Wire.HTTP, m.rest);
    restore(r, "objects", carried);
    keepHttpStatus(r, status);
    r.finish();
  });
}

/** keepHttpStatus keeps the status of a response, unless it is the error's own. */
export function keepHttpStatus(r: Reading, status: number): void {
  const said = r.e.on(Wire.HTTP);
  if (status === 0 || status === said.httpStatus || status === ownHttpStatus(r.e, r.e.details, r.o.catalog)) {
    return;
  }
  r.e.setReceived(mergeReceived(said, { ...nothing(Wire.HTTP), httpStatus: status }, r.e.notes));
}

interface Own {
  code: Value;
  message: Value;
  status: Value;
  details: Value;
  carried: Value;
}

interface Members {
  readonly own: Own;
  readonly rest: Member[];
  /** The message, where it is not own's. */
  readonly message?: string;
}

function ownOf(list: readonly Value[]): Own {
  const [code, message, status, details, carried] = list as [Value, Value, Value, Value, Value];
  return { code, message, status, details, carried };
}

// membersOf finds the members of the error object, and those that ride along; undefined
// where there is none.
function membersOf(r: Reading, root: Value): Members | undefined {
  const inner = root.get("error");
  const { notes } = r.e;
  if (inner.isObject && httpNames.list.some((name) => name !== memberCarried && inner.get(name).exists)) {
    const { own: list, rest } = take(inner, httpNames, notes);
    const own = ownOf(list);
    // Beside an error object nothing counts: it rides along.
    own.carried = besides(r, root, inner, httpNames, own.carried, rest);
    return { own, rest };
  }
  const { own: list, rest } = take(root, httpNames, notes);
  const own = ownOf(list);
  if (inner.isString) {
    return errorText(
      r,
      inner,
      own,
      rest.filter((m) => {
        const folded = m.name.length === 5 && m.name !== "error" && m.name.toLowerCase() === "error";
        if (folded) {
          r.note(`member ${quoted(m.name)} differs from one of the form's only in case: dropped`);
        }
        return !folded;
      }),
    );
  }
  return own.code.exists || own.message.exists || own.status.exists || own.details.exists ? { own, rest } : undefined;
}

// besides appends what stands beside an error object to what rides along: one whose name
// is the form's or taken becomes name_2. A Carried there is read; it returns the one that counts.
function besides(r: Reading, root: Value, inner: Value, form: Names, given: Value, rest: Member[]): Value {
  let carried = given;
  if (root.length === 1) {
    return carried;
  }
  const taken = new Keys();
  form.list.forEach((name) => taken.free(name));
  for (let m = inner.first; m.exists; m = m.next) {
    const { name } = m;
    if (form.find(name) < 0 && !m.repeats) {
      taken.free(name);
    }
  }
  for (let m = root.first; m.exists; m = m.next) {
    const { name } = m;
    if (name === "error" && !m.repeats) {
      continue;
    }
    if (name !== "error" && name.length === 5 && name.toLowerCase() === "error") {
      r.note(`member ${quoted(name)} differs from one of the form's only in case: dropped`);
    } else if (m.repeats) {
      r.note(`member ${quoted(name)} stands twice: the first counts`);
    } else if (name === memberCarried && isCarried(m) && !(carried.exists && isCarried(carried))) {
      if (carried.exists) {
        rest.push({ name: memberCarried + "_2", value: carried });
      }
      carried = m;
    } else {
      rest.push({ name: taken.free(name), value: m });
    }
  }
  return carried;
}

// errorText reads an error that is a string: it is the message, unless a member says more.
function errorText(r: Reading, text: Value, own: Own, rest: readonly Member[]): Members {
  const { message } = own;
  const at = (name: string): number => rest.findIndex((m) => m.name === name && m.text === undefined);
  const without = (i: number): Member[] => rest.filter((_, k) => k !== i);
  const described = at("error_description");
  if (described >= 0 && (rest[described] as Member).value.isString && /^[a-z0-9_]+$/.test(text.text)) {
    // OAuth 2.0 (RFC 6749 section 5.2): a name of the error, and its text.
    const said = (rest[described] as Member).value.text;
    const left = without(described);
    if (!message.isAbsent && !message.textIs(said)) {
      const taken = new Keys();
      taken.free("message");
      left.forEach((m) => taken.free(m.name));
      left.push({ name: taken.free("message"), value: message });
    }
    return { own: { ...own, message: Value.missing }, rest: left, message: said };
  }
  if (message.isString) {
    return { own, rest: message.text === text.text ? without(at("error")) : [...rest] };
  }
  const left = without(at("error"));
  if (!message.isAbsent) {
    r.refuse(message, left);
  }
  return { own: { ...own, message: Value.missing }, rest: left, message: text.text };
}

// readCode sets the code: that of a known status name, else of a canonical number, else
// of the body's HTTP status, else of the transport's. It returns the HTTP status that
// counts, and keeps what of code and status could not be read.
function readCode(r: Reading, code: Value, statusName: Value, rest: Member[]): number {
  const { e, o } = r;
  const name = r.text(statusName, rest) ?? "";
  const known = codeByName(name);
  const number = readNumber(code);
  let status = 0;
  if (!code.isAbsent && number === undefined) {
    r.note('member "code" is no number');
    rest.push({ name: "code", value: code });
  }
  const canonical = number !== undefined && number >= 1 && number <= 16;
  if (number !== undefined) {
    if (number >= 100 && number <= 599) {
      status = number;
    } else if (canonical && known !== undefined) {
      if (number !== (known as number)) {
        r.note(`code ${number} dropped: status ${name} stands`);
      }
    } else if (!canonical) {
      r.note(`code ${number} is neither an HTTP status nor a canonical code`);
      rest.push({ name: "code", value: code });
    }
  }
  if (known !== undefined) {
    e.number = known;
  } else if (canonical) {
    e.number = number;
  } else {
    e.number = codeFromHttp(status === 0 ? o.httpStatus : status);
  }
  if (name !== "" && known === undefined) {
    r.note(`status ${quoted(name, 64)} names no code: ${rowOf(e.number).name}`);
    r.said({ wire: Wire.HTTP, codeText: name });
  }
  if (status !== 0 && o.httpStatus !== 0 && status !== o.httpStatus) {
    r.note(`the response has HTTP status ${o.httpStatus}, its body says ${status}, which stands`);
  }
  return status === 0 ? o.httpStatus : status;
}
