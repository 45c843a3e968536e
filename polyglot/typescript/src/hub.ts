// What an error is in memory, whatever wire it came on or goes to: docs/wire.md
// section 1. It decides nothing and knows no wire.

import { Wire } from "./gen/errmap/v1/carried_pb.js";
import { clip, sameBytes } from "./text.js";

export { Wire };

/** The beginning of a type URL that stands for the bare type name. */
export const urlPrefix = "type.googleapis.com/";

/** The names of the details that translation itself looks at. */
export const typeName = {
  errorInfo: "google.rpc.ErrorInfo",
  retryInfo: "google.rpc.RetryInfo",
  debugInfo: "google.rpc.DebugInfo",
  badRequest: "google.rpc.BadRequest",
  precondition: "google.rpc.PreconditionFailure",
  quotaFailure: "google.rpc.QuotaFailure",
  help: "google.rpc.Help",
  localizedMessage: "google.rpc.LocalizedMessage",
  requestInfo: "google.rpc.RequestInfo",
  status: "google.rpc.Status",
  carried: "errmap.v1.Carried",
  value: "google.protobuf.Value",
} as const;

const none = new Uint8Array();

/** readOnce returns what read makes of a detail, which is never undefined; of one detail it is called once. */
export let readOnce: <T>(d: RawDetail, read: () => T) => T;

/**
 * RawDetail is one detail of an error as it travels: a type URL with its bytes,
 * or a JSON element that has no binary form here. It is immutable.
 */
export class RawDetail {
  // What a reader of the bytes has made of them: an identity is asked for again and again.
  #read: unknown;

  static {
    readOnce = <T>(d: RawDetail, read: () => T): T => (d.#read ??= read()) as T;
  }

  constructor(
    /** The type URL: of a JSON element its "@type", "" where it has none. */
    readonly typeUrl: string,
    /** The bytes; empty where json is there. */
    readonly value: Uint8Array = none,
    /** The JSON element, compact; undefined for a detail that is bytes. */
    readonly json?: string,
  ) {}

  /** The bare type name: what follows the last slash of the type URL. */
  get name(): string {
    return bareName(this.typeUrl);
  }

  /** Whether this is the empty google.protobuf.Any, which is {} in JSON. */
  get isEmpty(): boolean {
    return this.json === undefined && this.typeUrl === "" && this.value.length === 0;
  }

  /** is tells whether the bare type name is that. */
  is(name: string): boolean {
    const { typeUrl } = this;
    return typeUrl.endsWith(name) && (typeUrl.length === name.length || typeUrl[typeUrl.length - name.length - 1] === "/");
  }
}

/** jsonDetail makes a detail of a compact JSON element. */
export function jsonDetail(json: string, typeUrl = ""): RawDetail {
  return new RawDetail(typeUrl, none, json);
}

/** bytesDetail makes a detail of a type name and its bytes. */
export function bytesDetail(name: string, value: Uint8Array): RawDetail {
  return new RawDetail(urlPrefix + name, value);
}

/** bareName returns what follows the last slash of a type URL. */
export function bareName(typeUrl: string): string {
  return typeUrl.slice(typeUrl.lastIndexOf("/") + 1);
}

/** completeUrl makes a bare type name a type URL. */
export function completeUrl(name: string): string {
  return name === "" || name.includes("/") ? name : urlPrefix + name;
}

/** isTyped tells whether the JSON of a detail is an object with a string "@type". */
export function isTyped(d: RawDetail): boolean {
  return d.typeUrl !== "" || (d.json === undefined && d.value.length > 0);
}

/** untypedText returns the JSON of a detail without a type. */
export function untypedText(d: RawDetail): string {
  return d.json ?? "{}";
}

/**
 * Received is what one wire said of an error and a google.rpc.Status cannot say.
 * It is immutable.
 */
export interface Received {
  /** The wire that said it. */
  readonly wire: Wire;
  /** The token of a JSON-RPC code, in a Carried also a private code; "" for none. */
  readonly number: string;
  /** What stood in the place of the code and names none; "" for none. */
  readonly codeText: string;
  /** The status of the response; 0 for none. */
  readonly httpStatus: number;
  /** A JSON object of the members that are said nowhere else, sorted by name; "" for none. */
  readonly members: string;
  /** The fields of a google.rpc.Status that the schema does not know. */
  readonly unknownFields: Uint8Array;
}

/** nothing is what a wire said that said nothing. */
export function nothing(wire: Wire): Received {
  return { wire, number: "", codeText: "", httpStatus: 0, members: "", unknownFields: none };
}

/** isNothing tells whether a wire said nothing. */
export function isNothing(r: Received): boolean {
  return r.number === "" && r.codeText === "" && r.httpStatus === 0 && r.members === "" && r.unknownFields.length === 0;
}

/** sameSaid tells whether two wires are one and said the same. */
export function sameSaid(a: Received, b: Received): boolean {
  return a.wire === b.wire && a.number === b.number && a.codeText === b.codeText && a.httpStatus === b.httpStatus && a.members === b.members && sameBytes(a.unknownFields, b.unknownFields);
}

/** isKnownWire tells whether a number is that of a wire. */
export function isKnownWire(wire: number): boolean {
  return wire >= Wire.CONNECT && wire <= Wire.JSONRPC;
}

/** wireName returns the name of a wire. */
export function wireName(wire: number): string {
  return isKnownWire(wire) ? (Wire[wire] as string).toLowerCase() : "unspecified";
}

const maxNotes = 64;

/** Notes collects what a reader or a writer dropped or repaired, in words for people. */
export class Notes {
  readonly texts: string[] = [];

  /** add adds a note, of bounded length, as long as there are not too many. */
  add(text: string): void {
    if (this.texts.length < maxNotes) {
      this.texts.push(clip(text, 512));
    } else if (this.texts.length === maxNotes) {
      this.texts.push("further notes left out");
    }
  }
}

/** Origin tells whose error it is, and so who may see it. */
export const Origin = {
  /** The program made it for a caller. */
  Made: 0,
  /** It was read from a wire by a codec, which asks not from whom it came. */
  Read: 1,
  /** A peer sent it. */
  Remote: 2,
  /** Of a call that failed here, of which its peer said nothing. */
  Local: 3,
} as const;
export type Origin = (typeof Origin)[keyof typeof Origin];

/** Hub is an error as data. Its parts are shared by copies and are not changed once others have them. */
export class Hub {
  /** The number of the code; outside 1 to 16 it is private. */
  number = 0;
  message = "";
  origin: Origin = Origin.Made;
  /** Whether the program sends a peer's error on, on purpose. */
  forwarded = false;
  details: readonly RawDetail[] = [];
  /** In the order of Wire, none empty. */
  received: readonly Received[] = [];
  readonly notes: Notes;

  constructor(notes = new Notes()) {
    this.notes = notes;
  }

  /** clone returns a copy, with the notes that are given. */
  clone(notes = new Notes()): Hub {
    const c = new Hub(notes);
    c.number = this.number;
    c.message = this.message;
    c.origin = this.origin;
    c.forwarded = this.forwarded;
    c.details = this.details;
    c.received = this.received;
    return c;
  }

  /** Whether something may ride along: an error that was made here says all that it says in its code, message and details. */
  get carries(): boolean {
    return this.origin >= Origin.Read;
  }

  /** on returns what a wire said. */
  on(wire: Wire): Received {
    for (const r of this.received) {
      if (r.wire === wire) {
        return r;
      }
    }
    return nothing(wire);
  }

  /** setReceived puts r in its place, or takes it away where it is empty. */
  setReceived(r: Received): void {
    const kept = this.received.filter((have) => have.wire !== r.wire);
    if (!isNothing(r)) {
      const place = kept.findIndex((have) => have.wire > r.wire);
      kept.splice(place < 0 ? kept.length : place, 0, r);
    }
    this.received = kept;
  }
}
