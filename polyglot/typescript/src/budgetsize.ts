// The sizes of what three headers say, as HTTP/2 counts them.

import { urlCarried } from "./carried.js";
import type { Received } from "./hub.js";
import { sizeBytes, sizeVarint } from "./protowire.js";
import { byteLength, repair } from "./text.js";

// What HTTP/2 counts of a header beside its name and value (RFC 9113 section 6.5.2).
const lineOverhead = 32;

/** Account has the sizes of what three headers say. */
export interface Account {
  /** The line grpc-status. */
  readonly status: number;
  /** The code in the Status. */
  readonly code: number;
  readonly message: number;
  /** What the message takes more where it is percent-encoded. */
  readonly escapes: number;
  /** The details in the Status, with their tags, but for Carried. */
  readonly details: number;
  /** How many those are. */
  readonly shown: number;
  /** The unknown fields of the Status. */
  readonly unknown: number;
  /** What rides along takes so much in Carried, with its tags. */
  readonly received: number;
  readonly rides: number;
}

/** accountOf returns the account of a code alone. */
export function accountOf(number: number): Account {
  return {
    status: "grpc-status".length + String(number).length + lineOverhead,
    code: 1 + sizeVarint(number),
    message: 0,
    escapes: 0,
    details: 0,
    shown: 0,
    unknown: 0,
    received: 0,
    rides: 0,
  };
}

const carriedUrl = byteLength(urlCarried);

/** sizeOf returns what the headers take. */
export function sizeOf(a: Account): number {
  let n = a.status;
  if (a.message > 0) {
    n += "grpc-message".length + a.message + a.escapes + lineOverhead;
  }
  const carried = a.received + a.rides;
  if (a.shown === 0 && a.unknown === 0 && carried === 0) {
    return n;
  }
  let status = a.code + framed(a.message) + a.details + a.unknown;
  if (carried > 0) {
    status += sizeDetail(carriedUrl, carried + 1 + sizeBytes(4 + 8 * a.shown));
  }
  return n + "grpc-status-details-bin".length + sizeBase64(status) + lineOverhead;
}

/** framed returns the size of a field of so many bytes with a low number; nothing is not written. */
export function framed(n: number): number {
  return n === 0 ? 0 : 1 + sizeBytes(n);
}

/** sizeDetail returns the size of a detail as a field of a Status. */
export function sizeDetail(typeUrl: number, value: number): number {
  return 1 + sizeBytes(framed(typeUrl) + framed(value));
}

/** sizeBase64 returns the size of so many bytes in base64 without padding. */
export function sizeBase64(n: number): number {
  return Math.floor((n * 8 + 5) / 6);
}

// The size of the field of Received that names the wire.
const wireSize = 2;

/** receivedSize returns the size of what Carried holds of one wire, but for its members; 0 where that is nothing. */
export function receivedSize(r: Received): number {
  const n =
    framed(byteLength(repair(r.number))) +
    framed(byteLength(repair(r.codeText))) +
    framed(r.unknownFields.length) +
    (r.httpStatus === 0 ? 0 : 1 + sizeVarint(r.httpStatus));
  return n === 0 ? 0 : wireSize + n;
}

/** memberSize returns the size of what Carried holds of one wire, the members too; size is that of the rest. */
export function memberSize(size: number, members: number): number {
  return members === 0 ? size : Math.max(size, wireSize) + framed(members);
}

/** rideSize returns the size of the JSON text of a detail in Carried, where its place takes so many bytes. */
export function rideSize(place: number, plain: boolean, text: number): number {
  return framed(place + (plain ? 2 : 0) + framed(text));
}

// The places from which on a place takes more bytes. The first of all is not written.
const stepsOfPlace = [1, 1 << 7, 1 << 14, 1 << 21];

function sizeOfPlace(step: number): number {
  return step === 0 ? 0 : 1 + step;
}

/**
 * Places tells how many bytes the place of a detail takes in Carried, while details are
 * put among others: each moves those behind it by one.
 */
export class Places {
  readonly #in: boolean[];
  #count = 0;
  // For each step, the index of the detail that is the last one before it; the number of
  // details where there are not so many.
  readonly #edge: number[];

  constructor(n: number, holds: (i: number) => boolean) {
    this.#in = new Array<boolean>(n).fill(false);
    this.#edge = stepsOfPlace.map(() => n);
    for (let i = 0; i < n; i++) {
      if (holds(i)) {
        this.put(i);
      }
    }
  }

  /** size returns the bytes that a place takes. */
  size(i: number): number {
    let k = 0;
    while (k < this.#edge.length && (this.#edge[k] as number) < i) {
      k++;
    }
    return sizeOfPlace(k);
  }

  /** moved calls f for each detail whose place would take more bytes with one put at i. */
  moved(i: number, f: (detail: number, before: number, after: number) => void): void {
    this.#edge.forEach((last, k) => {
      if (i < last && last < this.#in.length) {
        f(last, sizeOfPlace(k), sizeOfPlace(k + 1));
      }
    });
  }

  /** put puts a detail among the others. An edge only ever moves to the front. */
  put(i: number): void {
    this.#in[i] = true;
    this.#count++;
    this.#edge.forEach((edge, k) => {
      let last = edge;
      if ((last === this.#in.length && this.#count < (stepsOfPlace[k] as number)) || i > last) {
        return;
      }
      for (last--; this.#in[last] !== true; last--);
      this.#edge[k] = last;
    });
  }
}
