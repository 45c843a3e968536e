// What an error is in memory, whatever wire it came on or goes to: docs/wire.md
// section 1.

import { arrayElements, depth, findMember, joinMembers, type JsonText, type Member, objectMembers, stringValue } from "./json.js";
import { byCodeUnit } from "./decimal.js";
import { Wire } from "./gen/errmap/v1/carried_pb.js";
import { type DecodeSettings, envelopeDepth } from "./options.js";
import { bareName } from "./protojson.js";
import { rowOf } from "./code.js";
import { byteLength, clip, cutText, sameBytes } from "./utf8.js";

export { Wire };

/** The beginning of a type URL that stands for the bare type name. */
export const typeUrlPrefix = "type.googleapis.com/";

/** The names of the details that translation itself looks at. */
export const typeName = {
  errorInfo: "google.rpc.ErrorInfo",
  retryInfo: "google.rpc.RetryInfo",
  badRequest: "google.rpc.BadRequest",
  debugInfo: "google.rpc.DebugInfo",
  help: "google.rpc.Help",
  localizedMessage: "google.rpc.LocalizedMessage",
  requestInfo: "google.rpc.RequestInfo",
  status: "google.rpc.Status",
  carried: "errmap.v1.Carried",
} as const;

/**
 * RawDetail is one detail of an error as it travels: a type URL with its bytes,
 * or a JSON element that has no binary form here. It is immutable.
 */
export class RawDetail {
  constructor(
    /** The type URL: of a JSON element its "@type", which may be missing. */
    readonly typeUrl: string,
    /** The bytes; empty where json is there. */
    readonly value: Uint8Array,
    /** The JSON element; undefined for a detail that is bytes. */
    readonly json?: JsonText,
  ) {}

  /** The bare type name: what follows the last slash of the type URL. */
  get name(): string {
    return bareName(this.typeUrl);
  }
}

/** jsonDetail makes a detail of a compact JSON element. */
export function jsonDetail(typeUrl: string, json: JsonText): RawDetail {
  return new RawDetail(typeUrl, new Uint8Array(), json);
}

/** bytesDetail makes a detail of a type name and its bytes. */
export function bytesDetail(name: string, value: Uint8Array): RawDetail {
  return new RawDetail(typeUrlPrefix + name, value);
}

/** withUsualUrl returns a detail whose type URL has the usual prefix. */
export function withUsualUrl(d: RawDetail): RawDetail {
  return d.typeUrl === typeUrlPrefix + d.name ? d : new RawDetail(typeUrlPrefix + d.name, d.value);
}

/** completeUrl makes a bare type name a type URL. */
export function completeUrl(name: string): string {
  return name === "" || name.includes("/") ? name : typeUrlPrefix + name;
}

/**
 * Received is what one wire said of an error and a google.rpc.Status cannot say.
 * It is immutable.
 */
export interface Received {
  /** The wire that said it. */
  readonly wire: Wire;
  /** The token of a JSON-RPC code; "" for none. */
  readonly number: string;
  /** What stood in the place of the code and names none; "" for none. */
  readonly codeText: string;
  /** The status of the response; 0 for none. */
  readonly httpStatus: number;
  /** A JSON object of the members that are said nowhere else; "" for none. */
  readonly members: JsonText;
  /** The fields of a google.rpc.Status that the schema does not know. */
  readonly unknownFields: Uint8Array;
}

const none = new Uint8Array();

/** nothing is what a wire said that said nothing. */
export function nothing(wire: Wire): Received {
  return { wire, number: "", codeText: "", httpStatus: 0, members: "", unknownFields: none };
}

/** isNothing tells whether a wire said nothing. */
export function isNothing(r: Received): boolean {
  return r.number === "" && r.codeText === "" && r.httpStatus === 0 && r.members === "" && r.unknownFields.length === 0;
}

/** sameSaid tells whether two wires said the same. */
export function sameSaid(a: Received, b: Received): boolean {
  return (
    a.wire === b.wire &&
    a.number === b.number &&
    a.codeText === b.codeText &&
    a.httpStatus === b.httpStatus &&
    a.members === b.members &&
    sameBytes(a.unknownFields, b.unknownFields)
  );
}

/** memberOf returns one of the members that a wire said. */
export function memberOf(r: Received, name: string): JsonText | undefined {
  return findMember(objectMembers(r.members), name);
}

/** withMembers sets the members, sorted by name: their order says nothing. */
export function withMembers(r: Received, members: readonly Member[]): Received {
  const sorted = [...members].sort((a, b) => byCodeUnit(a.name, b.name));
  return { ...r, members: sorted.length > 0 ? joinMembers(sorted) : "" };
}

/** withoutMembers takes away the members that an object has. */
export function withoutMembers(r: Received, object: JsonText): Received {
  const gone = new Set((objectMembers(object) ?? []).map((m) => m.name));
  return withMembers(r, (objectMembers(r.members) ?? []).filter((m) => !gone.has(m.name)));
}

/**
 * mergeReceived adds to what rode along what its own wire says newly. What rode along
 * stays; what is said against it is in a note.
 */
export function mergeReceived(carried: Received, own: Received, notes: Notes): Received {
  const text = (what: string, have: string, news: string): string => {
    if (have !== "" && news !== "" && have !== news) {
      notes.add(`${what} ${JSON.stringify(clip(news, 128))} dropped: ${JSON.stringify(clip(have, 128))}, which rode along, stays`);
    }
    return have || news;
  };
  if (carried.httpStatus !== 0 && own.httpStatus !== 0 && carried.httpStatus !== own.httpStatus) {
    notes.add(`HTTP status ${own.httpStatus} dropped: ${carried.httpStatus}, which rode along, stays`);
  }
  if (carried.unknownFields.length > 0 && own.unknownFields.length > 0 && !sameBytes(carried.unknownFields, own.unknownFields)) {
    notes.add("unknown fields of a Status dropped: those that rode along stay");
  }
  const merged: Received = {
    ...carried,
    number: text("number", carried.number, own.number),
    codeText: text("code", carried.codeText, own.codeText),
    httpStatus: carried.httpStatus || own.httpStatus,
    unknownFields: carried.unknownFields.length > 0 ? carried.unknownFields : own.unknownFields,
  };
  if (own.members === "") {
    return merged;
  }
  const all = [...(objectMembers(carried.members) ?? [])];
  for (const m of objectMembers(own.members) ?? []) {
    const have = memberOf(carried, m.name);
    if (have === undefined) {
      all.push(m);
    } else if (have !== m.value) {
      notes.add(`member ${JSON.stringify(m.name)} with ${clip(m.value, 128)} dropped: the one that rode along stays`);
    }
  }
  return withMembers(merged, all);
}

const maxNotes = 64;

/** Notes collects what a reader or a writer dropped or repaired. */
export class Notes {
  readonly texts: string[] = [];

  /** add adds a note, unless there are too many. */
  add(text: string): void {
    if (this.texts.length < maxNotes) {
      this.texts.push(clip(text, 512));
    } else if (this.texts.length === maxNotes) {
      this.texts.push("further notes left out");
    }
  }

  /** addAll adds what others hold. */
  addAll(others: Notes): void {
    others.texts.forEach((text) => this.add(text));
  }
}

/** Hub is an error while it is read or written. What it holds is not changed in place. */
export class Hub {
  /** The number of the code; outside 1 to 16 it is private. */
  number = 0;
  message = "";
  details: readonly RawDetail[] = [];
  /** In the order of Wire, none empty. */
  received: readonly Received[] = [];
  /** Read from a wire, so that things may ride along. */
  decoded = false;
  remote = false;
  local = false;
  readonly notes = new Notes();

  /** clone returns a copy without the notes. */
  clone(): Hub {
    const c = new Hub();
    c.number = this.number;
    c.message = this.message;
    c.details = this.details;
    c.received = this.received;
    c.decoded = this.decoded;
    c.remote = this.remote;
    c.local = this.local;
    return c;
  }

  /** receivedOn returns what a wire said. */
  receivedOn(wire: Wire): Received {
    return this.received.find((r) => r.wire === wire) ?? nothing(wire);
  }

  /** setReceived puts r in its place, or takes it away where it is empty. */
  setReceived(r: Received): void {
    const others = this.received.filter((have) => have.wire !== r.wire);
    this.received = isNothing(r) ? others : [...others, r].sort((a, b) => a.wire - b.wire);
  }

  /** setHttpStatus keeps a status that the code does not stand for. */
  setHttpStatus(wire: Wire, status: number): void {
    if (status !== rowOf(this.number).http) {
      this.setReceived({ ...this.receivedOn(wire), httpStatus: status });
    }
  }

  /** keep puts members into what was received on a wire. */
  keep(wire: Wire, members: readonly Member[]): void {
    if (members.length > 0) {
      this.setReceived(mergeReceived(this.receivedOn(wire), withMembers(nothing(wire), members), this.notes));
    }
  }

  /** text takes a string member; one that is no string is kept as received. */
  text(wire: Wire, ours: ReadonlyMap<string, JsonText>, name: string): string {
    const raw = ours.get(name);
    if (raw === undefined || raw === "null") {
      return "";
    }
    const s = stringValue(raw);
    if (s === undefined) {
      this.notes.add(`member ${JSON.stringify(name)} is no string: ${raw}`);
      this.keep(wire, [{ name, rawName: JSON.stringify(name), value: raw }]);
      return "";
    }
    return s;
  }

  /** elements takes an array member; one of another type is kept. */
  elements(o: DecodeSettings, wire: Wire, ours: ReadonlyMap<string, JsonText>, name: string): readonly JsonText[] {
    const raw = ours.get(name);
    if (raw === undefined || raw === "null") {
      return [];
    }
    const elements = arrayElements(raw);
    if (elements === undefined) {
      this.notes.add(`member ${JSON.stringify(name)} is no array: ${raw}`);
      this.keep(wire, [{ name, rawName: JSON.stringify(name), value: raw }]);
      return [];
    }
    return this.atMost(o, elements);
  }

  /**
   * atMost cuts a list of details that is longer than any error may have. Two
   * more may be the code marker and a Carried.
   */
  atMost(o: DecodeSettings, elements: readonly JsonText[]): readonly JsonText[] {
    if (elements.length - 2 <= o.limits.details) {
      return elements;
    }
    this.notes.add(`${elements.length - o.limits.details} details after the first ${o.limits.details} dropped`);
    return elements.slice(0, o.limits.details);
  }

  /** bound cuts what was read to the limits. */
  bound(o: DecodeSettings): void {
    this.details = this.details.filter((d) => {
      const deep = d.json !== undefined && depth(d.json) > o.limits.depth - envelopeDepth;
      if (deep) {
        this.notes.add("a JSON detail dropped: nested deeper than the limit");
      }
      return !deep;
    });
    if (this.details.length > o.limits.details) {
      this.notes.add(`${this.details.length - o.limits.details} details after the first ${o.limits.details} dropped`);
      this.details = this.details.slice(0, o.limits.details);
    }
    if (this.message.length * 3 > o.limits.message && byteLength(this.message) > o.limits.message) {
      this.notes.add(`message of ${byteLength(this.message)} bytes cut to ${o.limits.message}`);
      this.message = cutText(this.message, o.limits.message);
    }
  }
}

/**
 * take splits members into those that are named and the rest. The first of
 * duplicates wins; a name that differs from one of ours only in case is dropped,
 * since some readers fold case.
 */
export function take(members: readonly Member[], notes: Notes, ...names: string[]): [Map<string, JsonText>, Member[]] {
  const ours = new Map<string, JsonText>();
  const rest: Member[] = [];
  for (const m of members) {
    if (names.includes(m.name)) {
      if (ours.has(m.name)) {
        notes.add(`member ${JSON.stringify(m.name)} stands twice: the first counts`);
      } else {
        ours.set(m.name, m.value);
      }
      continue;
    }
    const folded = names.find((name) => foldsTo(m.name, name));
    if (folded !== undefined) {
      notes.add(`member ${JSON.stringify(m.name)} differs from ${JSON.stringify(folded)} only in case: dropped`);
    } else {
      rest.push(m);
    }
  }
  return [ours, firstOfEach(rest, notes)];
}

// foldsTo compares as Unicode case folding does: the long s and the Kelvin sign
// fold to letters of ASCII.
function foldsTo(a: string, b: string): boolean {
  const fold = (s: string): string => s.toLowerCase().replaceAll("\u017f", "s").replaceAll("\u212a", "k");
  return a.length === b.length && fold(a) === fold(b);
}

/** firstOfEach returns members without those whose name stood before. */
export function firstOfEach(members: readonly Member[], notes: Notes): Member[] {
  const seen = new Set<string>();
  return members.filter((m) => {
    if (seen.has(m.name)) {
      notes.add(`member ${JSON.stringify(m.name)} stands twice: the first counts`);
      return false;
    }
    seen.add(m.name);
    return true;
  });
}

/** addMember appends m unless a member of its name is there. */
export function addMember(members: readonly Member[], m: Member, notes: Notes): Member[] {
  if (members.some((have) => have.name === m.name)) {
    notes.add(`member ${JSON.stringify(m.name)} stands twice: the first counts`);
    return [...members];
  }
  return [...members, m];
}
