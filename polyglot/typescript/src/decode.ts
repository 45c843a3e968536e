// What the readers of all wires share.

import { type Code, rowOf, statusText } from "./code.js";
import { readElement } from "./detail.js";
import { bytesDetail, Hub, isNothing, nothing, Origin, type RawDetail, type Received, typeName, Wire, wireName } from "./hub.js";
import { delayIn } from "./info.js";
import { isNumber, safeIntegerOf } from "./jsonnumber.js";
import { parse, release, tryParse, type Value } from "./jsontree.js";
import { type Member, membersText } from "./member.js";
import { type Decoding, envelopeDepth } from "./options.js";
import type { Codec } from "./protojson.js";
import { delayMs, parseRetryAfter, retryDetail, wholeSeconds } from "./retry.js";
import { byteLength, clip, cutText, decodeUtf8, quoted, repair } from "./text.js";

/** OkError is thrown by a reader of a status whose code is OK: that is no error. */
export class OkError extends Error {
  override readonly name = "OkError";

  constructor() {
    super("the code is OK, which is no error");
  }
}

/**
 * FormError is thrown by a reader of a body that is not of the expected kind, where
 * no HTTP status says what it was.
 */
export class FormError extends Error {
  override readonly name = "FormError";
}

/** ForeignError is how a reader of this package says that a body is of another kind. */
class ForeignError extends Error {}

/** isForeign is thrown for a body of another kind. */
export function isForeign(why: string): never {
  throw new ForeignError(why);
}

/** RawBody is a body as it came. */
export type RawBody = Uint8Array | string;

/**
 * readBody reads a JSON body. One of another kind is what the HTTP status says, its first
 * bytes in a note; it never becomes the message. Without such a status it throws a FormError.
 */
export function readBody(wire: Wire, body: RawBody, o: Decoding, toCode: (status: number) => Code, read: (r: Reading, root: Value) => void): Hub {
  const r = new Reading(o);
  try {
    const root = parse(textOf(body, o.limits.body), o.limits.depth);
    read(r, root);
    release(root); // what is kept of it was copied
  } catch (cause) {
    if (cause instanceof ForeignError || (cause instanceof Error && cause.name === "JsonError")) {
      return foreign(wire, body, o, toCode, cause.message);
    }
    throw cause;
  }
  return r.e;
}

function textOf(body: RawBody, limit: number): string {
  if (typeof body === "string") {
    if (body.length > limit || (body.length * 3 > limit && byteLength(body) > limit)) {
      isForeign("larger than the limit");
    }
    return repair(body);
  }
  return body.length > limit ? isForeign("larger than the limit") : decodeUtf8(body);
}

/** foreign returns the error of a body of another kind. */
export function foreign(wire: Wire, body: RawBody, o: Decoding, toCode: (status: number) => Code, why: string): Hub {
  if (o.httpStatus === 0 || Math.floor(o.httpStatus / 100) === 2 || o.stream) {
    throw new FormError(`not ${article(wire)} error: ${why}`);
  }
  const r = new Reading(o);
  r.e.number = toCode(o.httpStatus);
  r.e.message = statusText(o.httpStatus);
  const first = typeof body === "string" ? body.slice(0, 200) : decodeUtf8(body.subarray(0, 200));
  r.e.notes.add(`body is not ${article(wire)} error (${why}); it begins ${JSON.stringify(first)}`);
  setHttpStatus(r.e, wire === Wire.PROBLEM ? Wire.HTTP : wire, o.httpStatus);
  r.finish();
  return r.e;
}

function article(wire: Wire): string {
  return (wire === Wire.HTTP ? "an " : "a ") + wireName(wire);
}

/** setHttpStatus keeps a status that the code does not stand for. */
export function setHttpStatus(e: Hub, wire: Wire, status: number): void {
  if (status !== rowOf(e.number).http) {
    e.setReceived({ ...e.on(wire), httpStatus: status });
  }
}

/** Reading is one error that is read. */
export class Reading {
  readonly e = new Hub();
  readonly codec: Codec;

  constructor(readonly o: Decoding) {
    this.codec = o.catalog.codec;
    this.e.origin = Origin.Read;
  }

  note(text: string): void {
    this.e.notes.add(text);
  }

  /** text takes a string. One of another type is kept; null and a missing one are undefined. */
  text(v: Value, rest: Member[]): string | undefined {
    if (v.isString) {
      return v.text;
    }
    if (!v.isAbsent) {
      this.refuse(v, rest);
    }
    return undefined;
  }

  /** refuse keeps a member of the form's that is of another type. */
  refuse(v: Value, rest: Member[]): void {
    const { name } = v;
    this.note(`member ${quoted(name)} is of another type: counts as absent`);
    rest.push({ name, value: v });
  }

  /** keep puts members into what was received on a wire. */
  keep(wire: Wire, rest: readonly Member[]): void {
    if (rest.length > 0) {
      this.e.setReceived({ ...this.e.on(wire), members: membersText(rest) });
    }
  }

  /** list reads an array of details. One of another type is kept; null is none. */
  list(v: Value, rest: Member[]): void {
    if (v.isArray) {
      let n = this.atMost(v.length);
      const details: RawDetail[] = [...this.e.details];
      for (let el = v.first; el.exists && n > 0; el = el.next, n--) {
        details.push(this.element(el));
      }
      this.e.details = details;
    } else if (!v.isAbsent) {
      this.refuse(v, rest);
    }
  }

  /** element reads an element of a list of details. */
  element(v: Value): RawDetail {
    return readElement(this.codec, v, this.e.notes);
  }

  /** reread reads JSON of a detail as it would have been read where it stood. */
  reread(text: string): RawDetail {
    return this.element(tryParse(text));
  }

  /**
   * atMost returns how many elements of a list are read: what is dropped is not read.
   * Two more than the limit may be the code marker and a Carried.
   */
  atMost(n: number): number {
    const most = this.o.limits.details;
    if (n - 2 <= most) {
      return n;
    }
    this.note(`${n - most} details after the first ${most} dropped`);
    return most;
  }

  /** finish bounds what was read and adds what the HTTP header says. */
  finish(): void {
    const { e, o } = this;
    const room = o.limits.depth - envelopeDepth;
    if (e.details.some((d) => d.json !== undefined)) {
      e.details = e.details.filter((d) => {
        const deep = d.json !== undefined && tryParse(d.json).height > room;
        if (deep) {
          this.note("a JSON detail dropped: nested deeper than the limit");
        }
        return !deep;
      });
    }
    const most = o.limits.details;
    if (e.details.length > most) {
      this.note(`${e.details.length - most} details after the first ${most} dropped`);
      e.details = e.details.slice(0, most);
    }
    if (e.message.length * 3 > o.limits.message && byteLength(e.message) > o.limits.message) {
      this.note(`message of ${byteLength(e.message)} bytes cut to ${o.limits.message}`);
      e.message = cutText(e.message, o.limits.message);
    }
    if (o.retryAfter !== "") {
      this.addRetryAfter(o.retryAfter);
    }
  }

  // addRetryAfter appends what a Retry-After header says as a RetryInfo, unless the error
  // has one with a delay.
  private addRetryAfter(value: string): void {
    const { e, o } = this;
    const delay = parseRetryAfter(value, o.receivedAt);
    if (delay === undefined) {
      this.note(`Retry-After ${quoted(value, 64)} is neither seconds nor a date`);
      return;
    }
    const said = delayIn(e.details, this.codec);
    if (said === undefined) {
      e.details = [...e.details, bytesDetail(typeName.retryInfo, retryDetail(delay))];
    } else if (wholeSeconds(delayMs(said)) !== wholeSeconds(delay)) {
      this.note(`Retry-After ${quoted(value, 64)} is not the delay of the RetryInfo, which stands`);
    }
  }

  /** noteOthers tells of the values of a header that says several things. */
  noteOthers(name: string, values: readonly string[], counts: string): void {
    for (const value of values) {
      if (repair(value) !== repair(counts)) {
        this.note(`${name}: ${quoted(value)} stands beside the value that counts, and is dropped`);
      }
    }
  }

  /** said sets what a wire said. */
  said(r: Partial<Received> & { readonly wire: Wire }): void {
    const whole = { ...nothing(r.wire), ...r };
    if (!isNothing(whole)) {
      this.e.setReceived(whole);
    }
  }
}

/** readNumber reads an integral number, or a string that holds one. */
export function readNumber(v: Value): number | undefined {
  if (v.isString) {
    return safeIntegerOf(v.text);
  }
  return v.int;
}

/** numberToken returns the token of a number, or of a string that is one. */
export function numberToken(v: Value): string | undefined {
  if (v.isNumber) {
    return v.raw;
  }
  return v.isString && isNumber(v.text) ? v.text : undefined;
}

/** shortly shows a token in a note. */
export function shortly(token: string): string {
  return clip(token, 64);
}
