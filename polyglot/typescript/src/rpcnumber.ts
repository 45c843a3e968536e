// The number of a JSON-RPC error and what it means: docs/wire.md section 7.

import type { Catalog } from "./catalog.js";
import { type Code, codeByRpcNumber, rowOf } from "./code.js";
import type { Definition } from "./definition.js";
import { type RawDetail, typeName } from "./hub.js";
import { infoOf } from "./info.js";
import type { Profile } from "./profile.js";

/**
 * Standing is what an error is in the catalogue of its reader, and among the errors that
 * the profile itself defines.
 */
export interface Standing {
  readonly known: Definition | undefined;
  readonly own: Definition | undefined;
}

/** standingOf finds what an error is. */
export function standingOf(details: readonly RawDetail[], p: Profile, catalog: Catalog): Standing {
  let known: Definition | undefined;
  let own: Definition | undefined;
  let isKnown = false;
  let isOwn = p.domain === "";
  for (const d of details) {
    if (!d.is(typeName.errorInfo) || (isKnown && isOwn)) {
      continue;
    }
    const info = infoOf(catalog.codec, d);
    if (info === undefined) {
      continue;
    }
    if (!isKnown) {
      known = catalog.find(info.domain, info.reason);
      isKnown = catalog.knowsDomain(info.domain);
    }
    if (!isOwn && info.domain === p.domain) {
      own = p.find(info.reason)?.definition;
      isOwn = true;
    }
  }
  return { known, own };
}

/**
 * impliedNumber is the number that an error has of its own: the profile's for an error
 * that it defines; the catalogue's for its identity, if the profile may write it; else the
 * table's.
 */
export function impliedNumber(p: Profile, number: number, s: Standing): number {
  const d = s.known ?? s.own;
  if (d !== undefined) {
    const own = p.of(d);
    if (own !== undefined && !own.readOnly) {
      return own.number;
    }
    if (own === undefined && !(p.domain !== "" && d.domain === p.domain) && d.jsonrpcCode !== undefined && p.mayWrite(d.jsonrpcCode)) {
      return d.jsonrpcCode;
    }
  }
  return rowOf(number).jsonrpc;
}

/** impliedCode returns the code that a reader arrives at without a marker. */
export function impliedCode(p: Profile, s: Standing, number: number): Code {
  return (s.known ?? s.own)?.code ?? p.numbered(number)?.definition.code ?? p.codeOf(number) ?? codeByRpcNumber(number);
}
