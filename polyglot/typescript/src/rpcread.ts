// The error object of JSON-RPC 2.0, read: docs/wire.md section 7.

import { codeFromConnectHttp, rowOf } from "./code.js";
import { isForeign, numberToken, type RawBody, readBody, readNumber, type Reading, shortly } from "./decode.js";
import { type Hub, nothing, type RawDetail, Wire } from "./hub.js";
import { type Info, infoDetail, infoOf, unknownOf } from "./info.js";
import { Value } from "./jsontree.js";
import { containsTyped, markerCode, typedElement } from "./jsonrpc.js";
import { Keys, type Member, membersText, Names, take } from "./member.js";
import type { Decoding } from "./options.js";
import { memberValue, type OwnError, type Profile } from "./profile.js";
import { mergeReceived, rpcNames } from "./received.js";
import { restore } from "./restore.js";
import { impliedCode, impliedNumber, type Standing, standingOf } from "./rpcnumber.js";
import { clip, quoted } from "./text.js";

/** decodeJsonRpc reads the error object of JSON-RPC 2.0 under a profile, or the response that holds one. */
export function decodeJsonRpc(body: RawBody, p: Profile, o: Decoding): Hub {
  return readBody(Wire.JSONRPC, body, o, codeFromConnectHttp, (r, root) => {
    if (!root.isObject) {
      isForeign("not a JSON object");
    }
    const { e } = r;
    const { own, rest } = membersOf(r, root);
    const [code, message, data] = own as [Value, Value, Value];
    if (!code.exists && !message.exists && !data.exists) {
      isForeign("no code, message or data");
    }
    e.message = r.text(message, rest) ?? "";
    const { number, token, numbered } = readCode(r, code, rest);
    const d = new DataReader(r, p, p.means(number, data));
    d.read(data);
    let kept = numbered && p.codeOf(number) === undefined;
    if (d.own !== undefined) {
      kept = d.supply(d.own) && kept;
    }
    let s = standingOf(e.details, p, o.catalog);
    e.number = d.marker === 0 ? impliedCode(p, s, number) : d.marker;
    r.keep(Wire.JSONRPC, rest);
    if (restore(r, "elements")) {
      s = standingOf(e.details, p, o.catalog);
    }
    if (kept) {
      keepNumber(r, token, number, p, s);
    }
    r.finish();
  });
}

// keepNumber keeps the number that stood there, unless a writer chooses it itself. The
// token is that of one that is no integer, else "".
function keepNumber(r: Reading, given: string, number: number, p: Profile, s: Standing): void {
  const { e } = r;
  let token = given;
  if (token === "") {
    if (number === impliedNumber(p, e.number, s)) {
      return;
    }
    token = String(number);
    if (e.on(Wire.JSONRPC).number !== "" && number === rowOf(e.number).jsonrpc) {
      return;
    }
  }
  e.setReceived(mergeReceived(e.on(Wire.JSONRPC), { ...nothing(Wire.JSONRPC), number: token }, e.notes));
}

const envelope = new Names(["jsonrpc", "id", "result", "error"]);

// membersOf finds the members of the error object, in a response too: what stands beside
// the object there rides along. The version and the id are the call's; a result beside an
// error is dropped.
function membersOf(r: Reading, root: Value): { own: Value[]; rest: Member[] } {
  const { notes } = r.e;
  const inner = root.get("error");
  if (!inner.isObject || !root.get("jsonrpc").exists || root.get("code").exists) {
    return take(root, rpcNames, notes);
  }
  const { own, rest } = take(inner, rpcNames, notes);
  const taken = new Keys();
  rpcNames.list.forEach((name) => taken.free(name));
  rest.forEach((m) => taken.free(m.name));
  for (let m = root.first; m.exists; m = m.next) {
    const { name } = m;
    if (m.repeats) {
      r.note(`member ${quoted(name)} stands twice: the first counts`);
    } else if (envelope.folds(name)) {
      r.note(`member ${quoted(name)} differs from one of the form's only in case: dropped`);
    } else if (envelope.find(name) < 0) {
      rest.push({ name: taken.free(name), value: m });
    } else if (name === "result" && !m.isNull) {
      r.note(`result ${clip(m.compact, 128)} dropped: an error stands beside it`);
    }
  }
  return { own, rest };
}

// readCode reads the code, and tells whether it is a number. One that is no integer
// within ±(2^53-1) is number 0, kept as the token that it was.
function readCode(r: Reading, v: Value, rest: Member[]): { number: number; token: string; numbered: boolean } {
  const n = readNumber(v);
  if (n !== undefined) {
    return { number: n, token: "", numbered: true };
  }
  if (!v.exists) {
    r.note("code is missing: UNKNOWN");
    return { number: 0, token: "", numbered: false };
  }
  const token = numberToken(v);
  if (token !== undefined) {
    r.note(`code ${shortly(token)} is no integer that JSON-RPC can say: UNKNOWN`);
    return { number: 0, token, numbered: true };
  }
  r.note("code is no number: UNKNOWN");
  rest.push({ name: "code", value: v });
  return { number: 0, token: "", numbered: false };
}

// DataReader reads the data member.
class DataReader {
  marker = 0;
  private free: Member[] | undefined; // free-form data of an own error, as members
  private freeText = ""; // and as it stood
  private beside: Member[] = []; // the members that an object has beside details

  constructor(
    private readonly r: Reading,
    private readonly p: Profile,
    /** The own error that the number means. */
    readonly own: OwnError | undefined,
  ) {}

  read(data: Value): void {
    const { r } = this;
    if (!data.exists || (data.isArray && data.length === 0)) {
      return;
    }
    if (data.isArray && containsTyped(data)) {
      this.list(data);
    } else if (typedElement(data)) {
      this.elements([data]);
    } else if (this.own === undefined) {
      r.e.details = [r.element(data)];
    } else {
      const details = this.p.objectData && data.isObject ? data.get("details") : Value.missing;
      if (details.isArray && details.length > 0) {
        this.beside = this.membersOf(data, true);
        this.list(details);
      } else if (details.isArray) {
        // As data itself it says nothing, least of all that the rest is not read.
        this.free = this.membersOf(data, true);
        this.freeText = membersText(this.free) || "{}";
      } else {
        this.freeText = data.compact;
        this.free = data.isObject ? this.membersOf(data, false) : [{ name: "data", value: data }];
      }
    }
  }

  // membersOf returns the members of an object, without its first details where that is read.
  private membersOf(object: Value, withoutDetails: boolean): Member[] {
    const out: Member[] = [];
    for (let m = object.first; m.exists; m = m.next) {
      const { name } = m;
      if (withoutDetails && name === "details" && !m.repeats) {
        continue;
      }
      if (m.repeats) {
        this.r.note(`member ${quoted(name)} stands twice: the first counts`);
      } else {
        out.push({ name, value: m });
      }
    }
    return out;
  }

  private list(list: Value): void {
    let n = this.r.atMost(list.length);
    const elements: Value[] = [];
    for (let el = list.first; el.exists && n > 0; el = el.next, n--) {
      elements.push(el);
    }
    this.elements(elements);
  }

  private elements(elements: readonly Value[]): void {
    const { r } = this;
    let marked = -1;
    elements.forEach((el, i) => {
      const code = markerCode(el);
      if (code !== 0) {
        marked = i;
        this.marker = code;
      }
    });
    const details: RawDetail[] = [];
    const untyped: string[] = [];
    elements.forEach((el, i) => {
      if (i === marked) {
        if (el.doubled) {
          r.note("the code marker has a member twice: the first counts");
        }
      } else if (this.own !== undefined && !typedElement(el)) {
        untyped.push(el.compact);
      } else {
        details.push(r.element(el));
      }
    });
    r.e.details = details;
    if (untyped.length > 0) {
      this.freeText = "[" + untyped.join(",") + "]";
      this.free = [{ name: "data", value: Value.missing, text: this.freeText }];
    }
  }

  /**
   * supply gives an own error its ErrorInfo, first, where it came without one of the
   * profile's domain, and puts free-form data into its metadata. It is false where the
   * ErrorInfo contradicts the number.
   */
  supply(given: OwnError): boolean {
    const { r, p } = this;
    const { e, codec } = r;
    let own = given;
    let place = -1;
    let info: Info | undefined;
    for (const [i, d] of e.details.entries()) {
      const found = infoOf(codec, d);
      if (found !== undefined && found.domain === p.domain) {
        info = found;
        place = i;
        break;
      }
    }
    if (info === undefined) {
      const metadata = new Map<string, string>();
      addFree(metadata, own, this.beside);
      addFree(metadata, own, this.free ?? []);
      e.details = [infoDetail(own.definition.reason, own.definition.domain, metadata), ...e.details];
      return true;
    }
    let agree = true;
    const known = p.find(info.reason);
    if (known !== undefined && known.definition.reason !== own.definition.reason) {
      r.note(`the number is that of ${own.definition.reason}, the ErrorInfo says ${info.reason}, which stands`);
      own = known;
      agree = false;
    }
    this.noteUnsaid(info, own);
    if (this.free === undefined) {
      return agree;
    }
    if (e.details[place]?.json !== undefined) {
      e.details = [...e.details, r.reread(this.freeText)]; // JSON stays the JSON that it is
      return agree;
    }
    const metadata = new Map(info.metadata);
    addFree(metadata, own, this.free);
    const detail = infoDetail(info.reason, info.domain, metadata, unknownOf(info));
    e.details = e.details.map((d, i) => (i === place ? detail : d));
    return agree;
  }

  // noteUnsaid notes the members beside details that the ErrorInfo in them, which is what
  // is read, does not say.
  private noteUnsaid(info: Info, own: OwnError): void {
    for (const m of this.beside) {
      const text = saysOf(m, own);
      if (text === undefined) {
        continue;
      }
      let said = info.metadata.get(m.name);
      const required = own.members.find((one) => one.name === m.name);
      if (said !== undefined && required !== undefined && !required.isString) {
        said = memberValue(required, said);
      }
      if (said !== text) {
        this.r.note(`member ${quoted(m.name)} beside details dropped: the ErrorInfo in them does not say it`);
      }
    }
  }
}

// addFree puts free-form members into metadata: strings as they are, other values as
// compact JSON, null not at all. A key that is taken stays.
function addFree(metadata: Map<string, string>, own: OwnError, free: readonly Member[]): void {
  if (free.length === 0) {
    return;
  }
  const taken = new Keys();
  for (const key of metadata.keys()) {
    taken.free(key);
  }
  for (const m of free) {
    const text = saysOf(m, own);
    if (text !== undefined) {
      metadata.set(taken.free(m.name), text);
    }
  }
}

// saysOf returns the metadata text of a member; undefined where it says nothing: null, or
// the empty value of one that the error requires.
function saysOf(m: Member, own: OwnError): string | undefined {
  if (m.text === undefined && m.value.isNull) {
    return undefined;
  }
  const text = m.text ?? (m.value.isString ? m.value.text : m.value.compact);
  const required = own.members.find((one) => one.name === m.name);
  return required !== undefined && text === required.emptyText ? undefined : text;
}
