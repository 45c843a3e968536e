// How errors are read and written.

import type { Catalog } from "./catalog.js";

/** The limits of a reader unless its options say otherwise. */
export const defaultLimits = { body: 4 << 20, details: 1024, depth: 100, message: 1 << 20 } as const;

/** The room for an error in gRPC headers, counted as HTTP/2 counts, in bytes, unless an option says otherwise. */
export const defaultBudget = 7 << 10;

/**
 * How much deeper than on one wire a detail may stand on another: what nests
 * deeper is not passed on as JSON, since readers would not take it.
 */
export const envelopeDepth = 8;

/** How deep the JSON of a detail that is written may nest. */
export const detailDepth = defaultLimits.depth - envelopeDepth;

/** Limits bound what a reader takes from foreign bytes. Infinity means no limit. */
export interface Limits {
  /** The most bytes of a body; a larger one is a body of another kind. */
  readonly body?: number;
  /** The most details; those after it are dropped with a note. */
  readonly details?: number;
  /** How deep JSON may nest; a deeper body is one of another kind. */
  readonly depth?: number;
  /** The most bytes of the message; it is cut there, with a note. */
  readonly message?: number;
}

/** Decoding says how an error is read. */
export interface Decoding {
  readonly catalog: Catalog;
  readonly limits: Required<Limits>;
  /** The status of the response; 0 for none. */
  readonly httpStatus: number;
  /** Whether the error ended a stream, of which the HTTP status says nothing. */
  readonly stream: boolean;
  /** The Retry-After header, which came at receivedAt; "" for none. */
  readonly retryAfter: string;
  readonly receivedAt: number;
}

/** Encoding says how an error is written. */
export interface Encoding {
  readonly catalog: Catalog;
  /** Keeps errmap.v1.Carried out. */
  readonly withoutCarried: boolean;
  /** The room for the headers of gRPC in bytes. */
  readonly budget: number;
  /** Called for each part that is left out; undefined for no one. */
  readonly note: ((text: string) => void) | undefined;
}
