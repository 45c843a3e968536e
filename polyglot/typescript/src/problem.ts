// RFC 9457 problem details, written: docs/wire.md section 6.

import { type HttpAnswer, writtenStatus } from "./aip193.js";
import { Writing } from "./carried.js";
import type { Catalog } from "./catalog.js";
import { isPhrase, phraseOf, rowOf } from "./code.js";
import { type Hub, type RawDetail, typeName, Wire } from "./hub.js";
import { type Identified, identityOf } from "./identity.js";
import { knownPart } from "./info.js";
import { tryParse } from "./jsontree.js";
import type { Place } from "./member.js";
import type { Encoding } from "./options.js";
import type { Codec } from "./protojson.js";
import { Cursor, WireType } from "./protowire.js";
import { problemNames } from "./received.js";
import { compareText, decodeUtf8 } from "./text.js";

export const aboutBlank = "about:blank";

/** encodeProblem writes an error as RFC 9457 problem details. */
export function encodeProblem(e: Hub, o: Encoding): HttpAnswer {
  const w = new Writing(e, o, "objects");
  const { status, stands } = writtenStatus(w);
  const found = identityOf(w.details, o.catalog);
  const own = ownLabels(found, o.catalog);
  const got = receivedLabels(w, own, status);
  const title = got.title ?? JSON.stringify(own.title === "" || (own.type === aboutBlank && got.type === undefined) ? phraseOf(status) : own.title);
  let out = `{"type":${got.type ?? JSON.stringify(own.type)},"title":${title},"status":${status},"detail":${JSON.stringify(e.message)},"code":"${rowOf(e.number).name}"`;
  if (found !== undefined) {
    const { reason, domain, metadata } = found.info;
    out += `,"reason":${JSON.stringify(reason)}${domain === "" ? "" : `,"domain":${JSON.stringify(domain)}`}`;
    if (metadata.size > 0) {
      const keys = [...metadata.keys()].sort(compareText);
      out += `,"metadata":{${keys.map((key) => `${JSON.stringify(key)}:${JSON.stringify(metadata.get(key))}`).join(",")}}`;
    }
  }
  const details = w.detailsText();
  const violations = violationsText(w.codec, w.details);
  const rest = w.restText(
    Wire.PROBLEM,
    false,
    (m): Place => {
      if ((got.type !== undefined && m.nameIs("type")) || (got.title !== undefined && m.nameIs("title"))) {
        return "said";
      }
      return violations === "" && m.nameIs("errors") ? "stands" : problemNames.placeIn(m);
    },
    (r) => (stands && r.wire === Wire.HTTP ? { ...r, httpStatus: 0 } : r),
  );
  return { status, body: `${out}${details === "" ? "" : `,"details":[${details}]`}${violations === "" ? "" : `,"errors":${violations}`}${rest}}` };
}

/** Labels are the type and the title of a problem. */
export interface Labels {
  readonly type: string;
  readonly title: string;
}

/** ownLabels returns those that an error has of its own: its definition's. A type is not made for the errors of others. */
export function ownLabels(found: Identified | undefined, catalog: Catalog): Labels {
  const d = found === undefined ? undefined : catalog.find(found.info.domain, found.info.reason);
  return { type: d?.problemType || aboutBlank, title: d?.title ?? "" };
}

// receivedLabels returns the tokens of the type and the title that a problem had, where
// they stand in the place of the error's own: where readers see them for what they are.
function receivedLabels(w: Writing, own: Labels, status: number): { type: string | undefined; title: string | undefined } {
  const { members } = w.e.on(Wire.PROBLEM);
  const root = tryParse(members);
  let type: string | undefined;
  let title: string | undefined;
  const t = root.get("type");
  if (t.isString && t.text !== own.type && t.text !== aboutBlank) {
    const guarded = w.details.length === 0 && w.o.catalog.byProblemType(t.text) !== undefined;
    if (!guarded || w.mayCarry) {
      type = t.compact;
      w.guarded = guarded;
    }
  }
  const l = root.get("title");
  if (l.isString && l.text !== own.title && !isPhrase(l.text, status)) {
    title = l.compact;
  }
  return { type, title };
}

/**
 * violationsText returns the field violations of the first BadRequest that can be read,
 * for people; "" without any.
 */
export function violationsText(codec: Codec, details: readonly RawDetail[]): string {
  for (const d of details) {
    const value = d.is(typeName.badRequest) ? knownPart(codec, d) : undefined;
    if (value === undefined) {
      continue;
    }
    const parts: string[] = [];
    const ok = eachContent(value, 0, value.length, (number, from, to) => {
      if (number !== 1) {
        return true;
      }
      const texts = ["", "", ""];
      const read = eachContent(value, from, to, (n, start, end) => {
        if (n <= 2) {
          texts[n] = decodeUtf8(value.subarray(start, end));
        }
        return true;
      });
      parts.push(`{"field":${JSON.stringify(texts[1])},"detail":${JSON.stringify(texts[2])}}`);
      return read;
    });
    return ok && parts.length > 0 ? "[" + parts.join(",") + "]" : "";
  }
  return "";
}

// eachContent calls f for each field that has a length; false where the bytes cannot be
// read, or where f is.
function eachContent(bytes: Uint8Array, from: number, to: number, f: (number: number, from: number, to: number) => boolean): boolean {
  const c = new Cursor(bytes, from, to);
  while (c.more) {
    if (!c.tag()) {
      return false;
    }
    const { number, type } = c;
    if (!c.skip() || (type === WireType.LengthDelimited && !f(number, c.from, c.to))) {
      return false;
    }
  }
  return true;
}
