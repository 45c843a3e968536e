// Whether two details say the same.

import { messageFromJson } from "./protojson.js";
import type { Catalog } from "./catalog.js";
import type { RawDetail } from "./hub.js";
import { type JsonText, objectMembers } from "./json.js";
import { sameMessage, subset } from "./fields.js";
import { type Fields } from "./message.js";
import { isEmptyAny, isTyped, knownPart, message, renderMessage } from "./render.js";
import { sameBytes } from "./utf8.js";

/** contains tells whether whole says everything that plain says. */
export function contains(c: Catalog, whole: RawDetail, plain: RawDetail): boolean {
  const text = untypedText(whole);
  if (text !== undefined) {
    const other = untypedText(plain);
    return other !== undefined ? text === other : valueSays(c, plain, text);
  }
  if (whole.name !== plain.name) {
    return false;
  }
  if (c.message(plain.name) === undefined) {
    return true;
  }
  const a = known(c, whole);
  const b = known(c, plain);
  // What its writer read of the JSON may need types that are not known here:
  // then it agrees by type, as in the check.
  if (whole.json !== undefined && b !== undefined && renderMessage(c, plain) === undefined) {
    return true;
  }
  if (a === undefined || b === undefined) {
    return whole.json === undefined && plain.json === undefined && sameBytes(whole.value, plain.value);
  }
  return subset(b, a);
}

/** untypedText returns the JSON of a detail whose JSON has no "@type". */
export function untypedText(d: RawDetail): JsonText | undefined {
  if (d.json !== undefined) {
    return isTyped(d.json) ? undefined : d.json;
  }
  return isEmptyAny(d) ? "{}" : undefined;
}

// valueSays tells whether a detail is the google.protobuf.Value of a JSON text.
function valueSays(c: Catalog, d: RawDetail, text: JsonText): boolean {
  if (d.name !== "google.protobuf.Value") {
    return false;
  }
  if (d.json !== undefined) {
    return (objectMembers(d.json) ?? []).some((m) => m.name === "value" && m.value === text);
  }
  const desc = c.message(d.name);
  const got = message(c, d);
  if (desc === undefined || got === undefined) {
    return false;
  }
  try {
    return sameMessage(got, messageFromJson(desc, text, { types: c, lenient: false }));
  } catch {
    return false;
  }
}

function known(c: Catalog, d: RawDetail): Fields | undefined {
  const bytes = d.json === undefined ? d : knownPart(c, d);
  return bytes === undefined ? undefined : message(c, bytes);
}

/**
 * sameDetail tells whether two details say the same. The prefix of a type URL
 * does not count, nor how a known message is encoded.
 */
export function sameDetail(c: Catalog, a: RawDetail, b: RawDetail): boolean {
  if (a.json !== undefined || b.json !== undefined) {
    return a.json === b.json;
  }
  if (a.name !== b.name) {
    return false;
  }
  if (sameBytes(a.value, b.value)) {
    return true;
  }
  const x = message(c, a);
  const y = message(c, b);
  return x !== undefined && y !== undefined && sameMessage(x, y);
}

/** sameDetails compares lists of details. */
export function sameDetails(c: Catalog, a: readonly RawDetail[], b: readonly RawDetail[]): boolean {
  return a.length === b.length && a.every((d, i) => sameDetail(c, d, b[i] as RawDetail));
}
