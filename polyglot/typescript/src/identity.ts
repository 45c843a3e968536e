// Which error an error is: docs/wire.md section 1.

import type { Catalog } from "./catalog.js";
import type { Definition } from "./definition.js";
import type { RawDetail } from "./hub.js";
import { type Info, infoOf } from "./info.js";

/** Identified is the ErrorInfo that identifies an error, and its place. */
export interface Identified {
  readonly info: Info;
  readonly place: number;
}

/** identityOf returns the first ErrorInfo whose domain is known, else the first; undefined where there is none. */
export function identityOf(details: readonly RawDetail[], catalog: Catalog): Identified | undefined {
  let first: Identified | undefined;
  for (let place = 0; place < details.length; place++) {
    const info = infoOf(catalog.codec, details[place] as RawDetail);
    if (info === undefined) {
      continue;
    }
    if (catalog.knowsDomain(info.domain)) {
      return { info, place };
    }
    first ??= { info, place };
  }
  return first;
}

/** definitionIn returns what the catalogue knows of the error that details identify. */
export function definitionIn(details: readonly RawDetail[], catalog: Catalog): Definition | undefined {
  const found = identityOf(details, catalog);
  return found === undefined ? undefined : catalog.find(found.info.domain, found.info.reason);
}
