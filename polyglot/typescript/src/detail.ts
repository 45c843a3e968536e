// A detail out of JSON, and into it: docs/wire.md section 8.

import { jsonDetail, type Notes, RawDetail, typeName, untypedText, urlPrefix } from "./hub.js";
import { tryParse, type Value } from "./jsontree.js";
import { detailDepth } from "./options.js";
import type { Codec } from "./protojson.js";
import { base64, fromBase64, quoted } from "./text.js";

/**
 * readElement reads an element of a list of details. It is bytes where it is the empty
 * Any, has the "@value" form, or is ProtoJSON that this program reads whole; else it is
 * the JSON that it is, of a typed one each member once.
 */
export function readElement(codec: Codec, v: Value, notes: Notes): RawDetail {
  if (!v.isObject) {
    return jsonDetail(v.compact);
  }
  if (v.length === 0) {
    return new RawDetail("");
  }
  const type = v.get("@type");
  if (!type.exists) {
    return jsonDetail(v.compact);
  }
  if (v.doubled) {
    notes.add(`a detail of type ${quoted(type.text)} has a member twice: the first counts`);
  }
  if (!type.isString) {
    return jsonDetail(v.once);
  }
  return readBytes(codec, v, type) ?? jsonDetail(v.once, type.text);
}

// readBytes reads a typed element as bytes; undefined where it stays JSON.
function readBytes(codec: Codec, v: Value, type: Value): RawDetail | undefined {
  const value = v.length > 1 ? v.get("@value") : undefined;
  if (value?.isString === true && onlyOf(v, "@type", "@value")) {
    const bytes = fromBase64(value.text);
    return bytes === undefined ? undefined : new RawDetail(type.text, bytes);
  }
  const bytes = codec.readAny(v, type);
  return bytes === undefined ? undefined : new RawDetail(type.text, bytes);
}

/** onlyOf tells whether an object has members of these names alone. */
export function onlyOf(v: Value, ...names: readonly string[]): boolean {
  for (let m = v.first; m.exists; m = m.next) {
    if (!names.some((name) => m.nameIs(name))) {
      return false;
    }
  }
  return true;
}

/**
 * readable returns details as a reader with this catalogue has them: one without it may
 * have kept as JSON what is a message here.
 */
export function readable(codec: Codec, details: readonly RawDetail[]): readonly RawDetail[] {
  let changed: RawDetail[] | undefined;
  for (const [i, d] of details.entries()) {
    if (d.json === undefined || d.typeUrl === "" || !codec.linked(d.typeUrl)) {
      continue;
    }
    const v = tryParse(d.json);
    const read = readBytes(codec, v, v.get("@type"));
    if (read !== undefined) {
      changed ??= [...details];
      changed[i] = read;
    }
  }
  return changed ?? details;
}

/** valueForm is what stands for bytes that have no ProtoJSON. */
export function valueForm(d: RawDetail): string {
  return `{"@type":${JSON.stringify(d.typeUrl)},"@value":"${base64(d.value, "padded")}"}`;
}

/** wrapped returns a detail without a type as a google.protobuf.Value, which has each member once. */
export function wrapped(d: RawDetail): string {
  const text = untypedText(d);
  const v = tryParse(text);
  return `{"@type":"${urlPrefix}${typeName.value}","value":${v.exists ? v.once : text}}`;
}

/** wrappedView returns the google.protobuf.Value of a detail as readers see it. */
export function wrappedView(codec: Codec, d: RawDetail): RawDetail {
  const text = wrapped(d);
  const bytes = codec.readAny(tryParse(text));
  return bytes === undefined ? jsonDetail(text, urlPrefix + typeName.value) : new RawDetail(urlPrefix + typeName.value, bytes);
}

/** renders tells whether the bytes of a detail have ProtoJSON. */
export function renders(codec: Codec, d: RawDetail): boolean {
  return d.json === undefined && codec.anyText(d.typeUrl, d.value, detailDepth) !== undefined;
}
