// Server-sent events, read (HTML Living Standard section 9.2).

import { concat, decodeUtf8 } from "./text.js";

/** EventError says why a stream of events cannot be read. */
export class EventError extends Error {
  override readonly name = "EventError";

  constructor(
    /** A stream that ended inside an event; an event that is too large; a body that is something else, which is then in rest. */
    readonly what: "cut" | "notEvents" | "tooLarge",
    readonly rest: Uint8Array = new Uint8Array(),
  ) {
    super(what === "cut" ? "the stream ended inside an event" : what === "tooLarge" ? "an event is larger than the limit" : "the body is no stream of events");
  }
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * eventsOf yields the data of each event, of at most so many bytes. Comments, names, ids
 * and retry times are passed over, and so is an event without data. It throws an
 * EventError, or what the source throws.
 */
export async function* eventsOf(source: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<string, void, undefined> {
  let data: string[] = [];
  let size = 0;
  let pending = false;
  for await (const line of linesOf(source, limit)) {
    if (line === "") {
      if (data.length > 0) {
        yield data.join("\n");
      }
      data = [];
      size = 0;
      pending = false;
      continue;
    }
    const at = line.indexOf(":");
    const name = at < 0 ? line : line.slice(0, at);
    const value = at < 0 ? "" : line.slice(at + 1).replace(/^ /, "");
    if (name === "data") {
      data.push(value);
      size += value.length + 1;
      pending = true;
    } else if (name === "event") {
      pending = true;
    }
    if (size > limit) {
      throw new EventError("tooLarge");
    }
  }
  if (pending) {
    throw new EventError("cut");
  }
}

// linesOf yields lines without their ends, which are a carriage return, a line feed or
// both; the last only where it has one.
async function* linesOf(source: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<string, void, undefined> {
  let parts: Uint8Array[] = []; // of the line that is read
  let size = 0;
  let skipLineFeed = false;
  let first = true;
  let foreign: Uint8Array[] | undefined; // a body that is something else
  for await (const given of source) {
    let chunk = given;
    if (foreign !== undefined) {
      foreign.push(chunk);
      size += chunk.length;
      if (size > limit) {
        throw new EventError("tooLarge");
      }
      continue;
    }
    if (first && chunk.length > 0) {
      if (parts.length > 0) {
        chunk = concat([...parts, chunk]);
        parts = [];
        size = 0;
      }
      if (chunk.length < 3 && isMark(chunk)) {
        parts = [chunk]; // it may be a byte order mark
        continue;
      }
      first = false;
      const begin = isMark(chunk) ? chunk.subarray(3) : chunk;
      if (begin.length > 0 && '{["<'.includes(String.fromCharCode(begin[0] as number))) {
        foreign = [begin];
        size = begin.length;
        continue;
      }
      chunk = begin;
    }
    let from = 0;
    for (let i = 0; i < chunk.length; i++) {
      const c = chunk[i];
      if (skipLineFeed) {
        skipLineFeed = false;
        if (c === lineFeed) {
          from = i + 1;
          continue;
        }
      }
      if (c === lineFeed || c === carriageReturn) {
        skipLineFeed = c === carriageReturn;
        parts.push(chunk.subarray(from, i));
        yield decodeUtf8(parts.length === 1 ? (parts[0] as Uint8Array) : concat(parts));
        parts = [];
        size = 0;
        from = i + 1;
      }
    }
    if (from < chunk.length) {
      parts.push(chunk.subarray(from));
      size += chunk.length - from;
    }
    if (size > limit + "event: ".length) {
      throw new EventError("tooLarge");
    }
  }
  if (foreign !== undefined) {
    throw new EventError("notEvents", concat(foreign));
  }
  if (parts.some((part) => part.length > 0)) {
    throw new EventError("cut");
  }
}

function isMark(b: Uint8Array): boolean {
  return [0xef, 0xbb, 0xbf].every((byte, i) => i >= b.length || b[i] === byte);
}
