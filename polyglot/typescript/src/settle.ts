// The principle of docs/wire.md section 8: what is written is read back.

import { carry, type Item, type Shape } from "./carried.js";
import type { Catalog } from "./catalog.js";
import { isCanonical, rowOf } from "./code.js";
import { sameDetails } from "./compare.js";
import { type Hub, memberOf, nothing, type RawDetail, type Received, sameSaid, typeName, type Wire, withoutMembers } from "./hub.js";
import { joinMembers, objectMembers } from "./json.js";
import type { DecodeSettings, EncodeSettings } from "./options.js";
import { readAgain } from "./render.js";

/** Candidate is one way to write an error on a wire. */
export interface Candidate {
  /** The number of JSON-RPC; 0 elsewhere. */
  readonly number: number;
  /** The HTTP status; 0 where the wire has none. */
  readonly status: number;
  /** AIP-193: a received name in the place of the code's; "" for the code's. */
  readonly codeText: string;
  /** MCP: the object of its schema and nothing else. */
  readonly alone: boolean;
  /** What it says of what was received on this wire. */
  readonly said: Received;
  /** What the writer chose itself: it does not count as received. */
  readonly made: Received;
}

/** plainCandidate is the one way of a wire that has no choice. */
export function plainCandidate(wire: Wire, said: Received = nothing(wire)): Candidate {
  return { number: 0, status: 0, codeText: "", alone: false, said, made: nothing(wire) };
}

/** Form is one wire as settle needs it. T is what an error becomes there. */
export interface Form<T> {
  readonly wire: Wire;
  readonly shape: Shape;
  /** Whether the wire has the code marker of JSON-RPC. */
  readonly marker: boolean;
  /** Whether the wire writes a private code. */
  readonly writesNumber: boolean;
  /** The errors that every reader of the wire knows. */
  readonly own: Catalog;
  readonly candidates: readonly Candidate[];
  items(c: Candidate): Item[];
  write(c: Candidate, items: readonly Item[], marker: boolean, carried: RawDetail | undefined): T;
  /** read throws where the text is no error of the wire. */
  read(written: T, o: DecodeSettings): Hub;
  /**
   * direct tells, for an error that needs no check, whether the plain form with
   * or without the marker says it. Without it the plain form always does.
   */
  direct?(c: Candidate, items: readonly Item[]): "plain" | "marker" | "check";
}

// A writer is not bound by the limits of a reader.
const unlimited = { body: Infinity, details: Infinity, depth: Infinity, message: Infinity } as const;

/**
 * settle writes the first of plain, plain with marker and plain with Carried that
 * a reader, with or without the catalogue of errors, reads back as the same error.
 * Where a wire cannot say everything without Carried, and Carried is not wanted or
 * the error was made here, it writes the first form whose code, message and plain
 * details come back.
 */
export function settle<T>(e: Hub, o: EncodeSettings, f: Form<T>): T {
  const simple = isSimple(e);
  let fallback: { written: T } | undefined;
  for (const c of f.candidates) {
    const items = f.items(c);
    if (simple && items.every((it) => it.carried === undefined && it.plain !== undefined)) {
      const way = f.direct === undefined ? "plain" : f.direct(c, items);
      if (way !== "check") {
        return f.write(c, items, way === "marker", undefined);
      }
    }
    for (const carries of [false, true]) {
      for (const marker of [false, true]) {
        if ((c.alone && (carries || marker)) || (marker && !f.marker) || (carries && (o.withoutCarried || !e.decoded))) {
          continue;
        }
        const written = f.write(c, items, marker, carries ? carry(o.catalog, e, items, c.said, f.writesNumber) : undefined);
        const back = comesBack(e, o, f, c, items, written);
        if (back === "all" || (back === "core" && !e.decoded)) {
          return written;
        }
        if (back === "core") {
          fallback ??= { written };
        }
      }
    }
  }
  const last = f.candidates.at(-1) as Candidate;
  fallback ??= { written: f.write(last, f.items(last), f.marker, undefined) };
  o.note?.("what rides along is left out");
  return fallback.written;
}

/**
 * readable returns e with its details as a reader with the catalogue has them: one
 * without it may have kept as JSON what is a message here.
 */
export function readable(e: Hub, c: Catalog): Hub {
  const details = e.details.map((d) => readAgain(c, d));
  if (details.every((d, i) => d.json === e.details[i]?.json)) {
    return e;
  }
  const changed = e.clone();
  changed.details = details;
  return changed;
}

// isSimple tells whether e says nothing but what every wire can say.
function isSimple(e: Hub): boolean {
  return (
    isCanonical(e.number) &&
    e.received.length === 0 &&
    e.details.every((d) => d.json === undefined && d.name !== typeName.carried && d.name !== typeName.status)
  );
}

// comesBack reads what was written, with and without the catalogue of errors, and
// tells whether all of e comes back, or its core: the code, the message and the
// plain details.
function comesBack<T>(e: Hub, o: EncodeSettings, f: Form<T>, c: Candidate, items: readonly Item[], written: T): "all" | "core" | "less" {
  const plain = items.flatMap((it) => (it.plain === undefined ? [] : [it.plain.read]));
  let all = true;
  let core = true;
  for (const errors of [o.catalog, f.own]) {
    let back: Hub;
    try {
      back = f.read(written, { catalog: o.catalog, errors, limits: unlimited, httpStatus: 0, stream: false, retryAfter: "", receivedAt: 0 });
    } catch {
      return "less";
    }
    const same = back.message === e.message;
    all &&= same && back.number === e.number && sameDetails(o.catalog, back.details, e.details) && sameReceived(back, e, f.wire, c.made);
    core &&= same && rowOf(back.number) === rowOf(e.number) && sameDetails(o.catalog, back.details, plain);
  }
  return all ? "all" : core ? "core" : "less";
}

// sameReceived compares what was received, apart from what the writer of this wire
// chose itself.
function sameReceived(back: Hub, e: Hub, wire: Wire, made: Received): boolean {
  let got = back.receivedOn(wire);
  const want = e.receivedOn(wire);
  if (want.number === "" && got.number === made.number) {
    got = { ...got, number: "" };
  }
  if (want.httpStatus === 0 && got.httpStatus === made.httpStatus) {
    got = { ...got, httpStatus: 0 };
  }
  for (const m of objectMembers(withoutMembers(made, want.members).members) ?? []) {
    if (memberOf(got, m.name) === m.value) {
      got = withoutMembers(got, joinMembers([m]));
    }
  }
  const masked = back.clone();
  masked.setReceived(got);
  return masked.received.length === e.received.length && masked.received.every((r, i) => sameSaid(r, e.received[i] as Received));
}

