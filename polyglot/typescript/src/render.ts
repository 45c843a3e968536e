// A detail as JSON and back: docs/wire.md section 8.

import type { Catalog } from "./catalog.js";
import { hasNumber, numbersComeBack } from "./decimal.js";
import { type ErrorInfo, parseErrorInfo } from "./errorinfo.js";
import { firstOfEach, jsonDetail, Notes, RawDetail, take, typeName } from "./hub.js";
import { arrayElements, depth, joinMembers, type JsonText, type Member, newMember, objectMembers, quote, stringValue, unquote } from "./json.js";
import { dropUnknown, hasUnknown, mergeFields, sameMessage } from "./fields.js";
import { Fields, parseMessage, serializeMessage } from "./message.js";
import { defaultLimits, envelopeDepth } from "./options.js";
import { anyFromJson, anyToJson, messageFromJson } from "./protojson.js";
import { base64, fromBase64 } from "./utf8.js";

// Known is what was found out of a detail, which is asked for again and again. null is
// nothing.
interface Known {
  rendered?: { text: JsonText; whole: boolean } | null;
  part?: RawDetail | null;
  info?: ErrorInfo | null;
  again?: RawDetail;
}

const known = new WeakMap<RawDetail, WeakMap<Catalog, Known>>();

function knownOf(c: Catalog, d: RawDetail): Known {
  let byCatalog = known.get(d);
  if (byCatalog === undefined) {
    byCatalog = new WeakMap();
    known.set(d, byCatalog);
  }
  let found = byCatalog.get(c);
  if (found === undefined) {
    found = {};
    byCatalog.set(c, found);
  }
  return found;
}

/** isEmptyAny tells whether a detail is the empty google.protobuf.Any. */
export function isEmptyAny(d: RawDetail): boolean {
  return d.json === undefined && d.typeUrl === "" && d.value.length === 0;
}

/**
 * render returns a detail as JSON: an element as it stood; bytes as the ProtoJSON
 * of their Any where that reads back as the same message, else under "@value". It
 * is whole unless the bytes hold fields that the schema does not know.
 */
export function render(c: Catalog, d: RawDetail): { text: JsonText; whole: boolean } {
  if (d.json !== undefined) {
    return { text: d.json, whole: true };
  }
  if (isEmptyAny(d)) {
    return { text: "{}", whole: true };
  }
  return renderMessage(c, d) ?? { text: `{"@type":${quote(d.typeUrl)},"@value":"${base64(d.value, "padded")}"}`, whole: true };
}

/** renderMessage is undefined where a detail has no ProtoJSON here that reads back. */
export function renderMessage(c: Catalog, d: RawDetail): { text: JsonText; whole: boolean } | undefined {
  const found = knownOf(c, d);
  found.rendered ??= found.rendered === null ? null : (tryRender(c, d) ?? null);
  return found.rendered ?? undefined;
}

function tryRender(c: Catalog, d: RawDetail): { text: JsonText; whole: boolean } | undefined {
  const m = message(c, d);
  if (m === undefined) {
    return undefined;
  }
  try {
    const text = anyToJson(c, d.typeUrl, d.value);
    if (depth(text) > defaultLimits.depth - envelopeDepth) {
      return undefined;
    }
    const whole = !hasUnknown(m);
    if (!whole) {
      dropUnknown(m);
    }
    const back = anyFromJson(text, { types: c, lenient: false });
    return sameMessage(m, parseMessage(m.desc, back.value)) ? { text, whole } : undefined;
  } catch {
    return undefined;
  }
}

/** message reads the bytes of a detail; undefined where its type is not known or they are none. */
export function message(c: Catalog, d: RawDetail): Fields | undefined {
  const desc = c.message(d.name);
  if (desc === undefined) {
    return undefined;
  }
  try {
    return parseMessage(desc, d.value);
  } catch {
    return undefined;
  }
}

/**
 * parseElement reads an element of a list of details. It is bytes where it is the
 * empty Any, has the "@value" form, or is ProtoJSON that is read whole; else it
 * stays the JSON that it is.
 */
export function parseElement(c: Catalog, raw: JsonText): RawDetail {
  if (raw === "{}") {
    return new RawDetail("", new Uint8Array());
  }
  const members = objectMembers(raw);
  const typeUrl = elementType(raw);
  if (members === undefined || typeUrl === undefined) {
    return jsonDetail("", raw);
  }
  const value = valueForm(members);
  if (value !== undefined) {
    return new RawDetail(typeUrl, value);
  }
  let read: RawDetail;
  try {
    const any = anyFromJson(raw, { types: c, lenient: false });
    read = new RawDetail(any.typeUrl, any.value);
  } catch {
    return jsonDetail(typeUrl, raw);
  }
  if (hasNumber(raw)) {
    const back = renderMessage(c, read);
    if (back === undefined || !numbersComeBack(raw, back.text)) {
      return jsonDetail(typeUrl, raw);
    }
  }
  return read;
}

/** readAgain returns a JSON detail as bytes where this program reads it whole. */
export function readAgain(c: Catalog, d: RawDetail): RawDetail {
  if (d.json === undefined) {
    return d;
  }
  const found = knownOf(c, d);
  found.again ??= parseElement(c, d.json);
  return found.again;
}

/** elementType returns the "@type" of an element that is a text; undefined for none. */
export function elementType(raw: JsonText): string | undefined {
  for (const m of objectMembers(raw) ?? []) {
    const s = m.name === "@type" ? stringValue(m.value) : undefined;
    if (s !== undefined) {
      return s;
    }
  }
  return undefined;
}

/** isTyped tells whether an element is an object with an "@type". */
export function isTyped(raw: JsonText): boolean {
  return elementType(raw) !== undefined;
}

// valueForm reads {"@type":…,"@value":<base64>}, exactly these two members.
function valueForm(members: readonly Member[]): Uint8Array | undefined {
  const raw = members.length === 2 ? members.find((m) => m.name === "@value") : undefined;
  const text = stringValue(raw?.value);
  return text === undefined ? undefined : fromBase64(text);
}

/**
 * knownPart returns what of a JSON element reads as its type: members that the
 * schema does not know or refuses are left out. It is undefined where the type is
 * not known or nothing can be said of it.
 */
export function knownPart(c: Catalog, d: RawDetail): RawDetail | undefined {
  const found = knownOf(c, d);
  found.part ??= found.part === null ? null : (readKnownPart(c, d) ?? null);
  return found.part ?? undefined;
}

function readKnownPart(c: Catalog, d: RawDetail): RawDetail | undefined {
  const desc = c.message(d.name);
  if (desc === undefined || d.json === undefined) {
    return undefined;
  }
  const read = (text: JsonText): Fields | undefined => {
    try {
      return messageFromJson(desc, text, { types: c, lenient: true });
    } catch {
      return undefined;
    }
  };
  let [, members] = take(objectMembers(d.json) ?? [], new Notes(), "@type");
  if (desc.typeName === typeName.errorInfo) {
    members = members.map(readableMetadata);
  }
  if (desc.typeName.startsWith("google.protobuf.")) {
    const value = take(members, new Notes(), "value")[0].get("value");
    const m = value === undefined ? undefined : read(value);
    return m === undefined ? undefined : new RawDetail(d.typeUrl, serializeMessage(m));
  }
  let m = read(joinMembers(members));
  if (m === undefined) {
    m = new Fields(desc);
    for (const one of members) {
      const part = read(joinMembers([one]));
      if (part !== undefined) {
        mergeFields(m, part);
      }
    }
  }
  return new RawDetail(d.typeUrl, serializeMessage(m));
}

// readableMetadata makes texts of metadata values that are none.
function readableMetadata(m: Member): Member {
  const entries = m.name === "metadata" ? objectMembers(m.value) : undefined;
  return entries === undefined ? m : { ...m, value: joinMembers(textMembers(entries, new Notes())) };
}

/** textMembers turns the values of members into JSON strings of their text; null goes, and so does what stands twice. */
export function textMembers(members: readonly Member[], notes: Notes): Member[] {
  const texts = members
    .filter((m) => m.value !== "null")
    .map((m) => newMember(m.name, quote(m.value.startsWith('"') ? unquote(m.value) : m.value)));
  return firstOfEach(texts, notes);
}

/** bytesOf returns the bytes of a detail, of a JSON element those of its known part. */
export function bytesOf(c: Catalog, d: RawDetail): Uint8Array | undefined {
  return d.json === undefined ? d.value : knownPart(c, d)?.value;
}

/** errorInfoOf reads a detail as an ErrorInfo, which is shared; undefined where it is none. */
export function errorInfoOf(c: Catalog, d: RawDetail): ErrorInfo | undefined {
  if (d.name !== typeName.errorInfo) {
    return undefined;
  }
  const found = knownOf(c, d);
  if (found.info === undefined) {
    const bytes = bytesOf(c, d);
    found.info = (bytes === undefined ? undefined : parseErrorInfo(bytes)) ?? null;
  }
  return found.info ?? undefined;
}

/**
 * identityOf returns the first ErrorInfo whose domain is known, else the first;
 * undefined where there is none.
 */
export function identityOf(details: readonly RawDetail[], errors: Catalog, types: Catalog): ErrorInfo | undefined {
  let first: ErrorInfo | undefined;
  for (const d of details) {
    const info = errorInfoOf(types, d);
    if (info !== undefined && errors.knowsDomain(info.domain)) {
      return info;
    }
    first ??= info;
  }
  return first;
}

/** containsTyped tells whether any of the elements is typed. */
export function containsTyped(raw: JsonText): boolean {
  return (arrayElements(raw) ?? []).some(isTyped);
}
