// What the readers of all wires share.

import type { Code } from "./code.js";
import { phraseOf } from "./code.js";
import { Hub, type Wire } from "./hub.js";
import type { DecodeSettings } from "./options.js";
import { addRetryAfter } from "./retry.js";
import { decodeUtf8 } from "./utf8.js";

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

/**
 * foreign returns the error of a body of another kind: what the HTTP status says,
 * its first bytes in a note. The body never becomes the message.
 */
export function foreign(wire: Wire, body: string | Uint8Array, o: DecodeSettings, toCode: (status: number) => Code, why: string): Hub {
  if (o.httpStatus === 0 || Math.floor(o.httpStatus / 100) === 2 || o.stream) {
    throw new FormError(`the text is no error of its form: ${why}`);
  }
  const e = new Hub();
  e.number = toCode(o.httpStatus);
  e.message = statusText(o.httpStatus);
  e.decoded = true;
  e.notes.add(`the body is of another kind (${why}); it begins ${beginning(body)}`);
  e.setHttpStatus(wire, o.httpStatus);
  finish(e, o);
  return e;
}

function beginning(body: string | Uint8Array): string {
  return typeof body === "string" ? body.slice(0, 200) : decodeUtf8(body.subarray(0, 200));
}

/** statusText is the message of an error that only its HTTP status tells. */
function statusText(status: number): string {
  const phrase = phraseOf(status);
  return phrase === undefined ? `HTTP status ${status}` : `HTTP status ${status} ${phrase}`;
}

/** finish bounds what was read and adds what the HTTP header says. */
export function finish(e: Hub, o: DecodeSettings): void {
  e.bound(o);
  if (o.retryAfter !== "") {
    addRetryAfter(e, o.catalog, o.retryAfter, o.receivedAt);
  }
}

/** reasonFor says in words what an exception of a JSON reader says. */
export function reasonFor(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
