// How errors are read and written.

import type { Catalog } from "./catalog.js";

/** The limits of a reader unless its options say otherwise. */
export const defaultLimits = { body: 4 << 20, details: 1024, depth: 100, message: 1 << 20 } as const;

/** The room for an error in gRPC headers, in bytes, unless an option says otherwise. */
export const defaultBudget = 8 << 10;

/**
 * How much deeper than on one wire a detail may stand on another: what nests
 * deeper is not passed on as JSON, since readers would not take it.
 */
export const envelopeDepth = 8;

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

/** isHttpStatus tells whether a response can have a status (RFC 9110 section 15). */
export function isHttpStatus(n: number): boolean {
  return n >= 100 && n <= 999;
}

/** DecodeSettings are the options of a reader with their defaults. */
export interface DecodeSettings {
  readonly catalog: Catalog;
  /** Where errors are looked up: catalog, but in the check of a writer. */
  readonly errors: Catalog;
  readonly limits: Required<Limits>;
  readonly httpStatus: number;
  readonly stream: boolean;
  readonly retryAfter: string;
  readonly receivedAt: number;
}

/** EncodeSettings are the options of a writer with their defaults. */
export interface EncodeSettings {
  readonly catalog: Catalog;
  readonly withoutCarried: boolean;
  readonly budget: number;
  /** undefined where nobody asked for notes. */
  readonly note: ((text: string) => void) | undefined;
}
