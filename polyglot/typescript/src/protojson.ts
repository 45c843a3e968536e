// ProtoJSON (protobuf.dev/programming-guides/json) over JSON text that keeps its
// number tokens: reading is as strict as the mapping, so that what it would lose
// is seen.

import type { DescEnum, DescField, DescMessage } from "@bufbuild/protobuf";
import { ScalarType } from "@bufbuild/protobuf";
import { byCodeUnit, integerOf } from "./decimal.js";
import { arrayElements, hasLoneSurrogate, isJsonNumber, isNumber, type JsonText, objectMembers, quote, unquote } from "./json.js";
import { Fields, isWide, type MapValue, parseMessage, type Scalar, serializeMessage, type Single } from "./message.js";
import { defaultLimits } from "./options.js";
import { readWellKnown, wellKnown, writeWellKnown } from "./wellknown.js";
import { base64, fromBase64 } from "./utf8.js";

/** Types finds what a google.protobuf.Any may hold. */
export interface Types {
  /** message returns the message type of a full name; undefined for an unknown one. */
  message(typeName: string): DescMessage | undefined;
}

/** ProtoJsonError says why a message has no ProtoJSON, or a text is none of a type. */
export class ProtoJsonError extends Error {
  override readonly name = "ProtoJsonError";
}

/** ReadOptions say how strict a reader is. */
export interface ReadOptions {
  readonly types: Types;
  /** Members and enum names that the schema does not know are passed over. */
  readonly lenient: boolean;
}

/** bareName returns the type name in a type URL. */
export function bareName(typeUrl: string): string {
  return typeUrl.slice(typeUrl.lastIndexOf("/") + 1);
}

/** anyToJson writes a google.protobuf.Any; it throws where that has no ProtoJSON. */
export function anyToJson(types: Types, typeUrl: string, value: Uint8Array): JsonText {
  if (within >= mostWithin) {
    throw new ProtoJsonError("an Any stands too deep inside others");
  }
  within++;
  try {
    return writeAny(types, typeUrl, value);
  } finally {
    within--;
  }
}

// Each level of an Any inside an Any is read anew, and no reader takes more levels.
const mostWithin = defaultLimits.depth;
let within = 0;

function writeAny(types: Types, typeUrl: string, value: Uint8Array): JsonText {
  if (typeUrl === "") {
    if (value.length === 0) {
      return "{}";
    }
    throw new ProtoJsonError("an Any has a value and no type URL");
  }
  const desc = types.message(bareName(typeUrl));
  if (desc === undefined) {
    throw new ProtoJsonError(`type ${typeUrl} is not known`);
  }
  const m = parseMessage(desc, value);
  const head = `{"@type":${quote(typeUrl)}`;
  if (wellKnown(desc.typeName)) {
    return `${head},"value":${writeWellKnown(types, m)}}`;
  }
  const members = writeMembers(types, m);
  return head + (members === "" ? "" : "," + members) + "}";
}

/** messageToJson writes a message; it throws where that has no ProtoJSON. */
export function messageToJson(types: Types, m: Fields): JsonText {
  return wellKnown(m.desc.typeName) ? writeWellKnown(types, m) : "{" + writeMembers(types, m) + "}";
}

function writeMembers(types: Types, m: Fields): JsonText {
  const parts: string[] = [];
  for (const field of m.desc.fields) {
    const value = m.values.get(field.number);
    if (value !== undefined) {
      parts.push(quote(field.jsonName) + ":" + fieldToJson(types, field, value));
    }
  }
  return parts.join(",");
}

/** fieldToJson writes the value of a populated field. */
export function fieldToJson(types: Types, field: DescField, value: Single | Single[] | MapValue): JsonText {
  if (value instanceof Map) {
    const entries = [...value].map(([key, one]) => [String(key), singleToJson(types, field, one)] as const);
    entries.sort((a, b) => byCodeUnit(a[0], b[0]));
    return "{" + entries.map(([key, text]) => quote(key) + ":" + text).join(",") + "}";
  }
  if (Array.isArray(value)) {
    return "[" + value.map((one) => singleToJson(types, field, one)).join(",") + "]";
  }
  return singleToJson(types, field, value);
}

function singleToJson(types: Types, field: DescField, value: Single): JsonText {
  if (value instanceof Fields) {
    return messageToJson(types, value);
  }
  const enumeration = enumOf(field);
  if (enumeration !== undefined) {
    if (enumeration.typeName === "google.protobuf.NullValue") {
      return "null";
    }
    const known = enumeration.value[value as number];
    return known === undefined ? String(value) : quote(known.name);
  }
  return scalarToJson(scalarOf(field), value);
}

/** scalarToJson writes a scalar. */
export function scalarToJson(type: ScalarType, value: Scalar): JsonText {
  if (typeof value === "string") {
    return quote(value);
  }
  if (value instanceof Uint8Array) {
    return quote(base64(value, "padded"));
  }
  if (isWide(type)) {
    return `"${String(value)}"`;
  }
  if (type === ScalarType.FLOAT || type === ScalarType.DOUBLE) {
    const text = floatText(value as number, type);
    return Number.isFinite(value) ? text : `"${text}"`;
  }
  return String(value);
}

/** floatText spells a number as ProtoJSON does, the three that are none without quotes. */
export function floatText(value: number, type: ScalarType): string {
  if (Object.is(value, -0)) {
    return "-0";
  }
  if (type === ScalarType.FLOAT && Number.isFinite(value)) {
    for (let digits = 1; digits <= 9; digits++) {
      const short = Number(value.toPrecision(digits));
      if (Math.fround(short) === value) {
        return String(short);
      }
    }
  }
  return String(value);
}

export function enumOf(field: DescField): DescEnum | undefined {
  return "enum" in field ? field.enum : undefined;
}

export function scalarOf(field: DescField): ScalarType {
  return "scalar" in field && field.scalar !== undefined ? field.scalar : ScalarType.INT32;
}

function messageOf(field: DescField): DescMessage | undefined {
  return "message" in field ? field.message : undefined;
}

/** anyFromJson reads a google.protobuf.Any; it throws where the text is none. */
export function anyFromJson(text: JsonText, o: ReadOptions): { typeUrl: string; value: Uint8Array } {
  const members = objectMembers(text);
  if (members === undefined) {
    throw new ProtoJsonError("an Any is an object");
  }
  const named = members.filter((m) => m.name === "@type");
  const first = named[0];
  if (first === undefined) {
    if (members.length > 0 && !o.lenient) {
      throw new ProtoJsonError("an Any has no @type");
    }
    return { typeUrl: "", value: new Uint8Array() };
  }
  const typeUrl = first.value.startsWith('"') ? readString(first.value) : "";
  if (named.length > 1 || typeUrl === "") {
    throw new ProtoJsonError("the @type of an Any is not one text");
  }
  const desc = o.types.message(bareName(typeUrl));
  if (desc === undefined) {
    throw new ProtoJsonError(`type ${typeUrl} is not known`);
  }
  if (!wellKnown(desc.typeName) && desc.typeName !== "google.protobuf.Empty") {
    const into = new Fields(desc);
    readMembers(into, members.filter((m) => m.name !== "@type"), o);
    return { typeUrl, value: serializeMessage(into) };
  }
  const into = new Fields(desc);
  let found = false;
  for (const m of members) {
    if (m.name === "value" && !found) {
      readMessageJson(into, m.value, o);
      found = true;
    } else if (m.name !== "@type" && (m.name === "value" || !o.lenient)) {
      throw new ProtoJsonError(`unknown member ${m.rawName}`);
    }
  }
  if (!found && desc.typeName !== "google.protobuf.Empty") {
    throw new ProtoJsonError("a well-known type in an Any has no value");
  }
  return { typeUrl, value: serializeMessage(into) };
}

/** messageFromJson reads a message; it throws where the text is none of its type. */
export function messageFromJson(desc: DescMessage, text: JsonText, o: ReadOptions): Fields {
  const into = new Fields(desc);
  readMessageJson(into, text, o);
  return into;
}

/** readMessageJson reads a message into fields that are empty. */
export function readMessageJson(into: Fields, text: JsonText, o: ReadOptions): void {
  if (wellKnown(into.desc.typeName)) {
    readWellKnown(into, text, o);
    return;
  }
  const members = objectMembers(text);
  if (members === undefined) {
    throw new ProtoJsonError(`${into.desc.typeName} is an object`);
  }
  readMembers(into, members, o);
}

function readMembers(into: Fields, members: readonly { name: string; rawName: JsonText; value: JsonText }[], o: ReadOptions): void {
  const seen = new Set<unknown>();
  for (const m of members) {
    if (hasLoneSurrogate(m.rawName)) {
      throw new ProtoJsonError("a name holds half of a character");
    }
    const field = into.desc.fields.find((f) => f.jsonName === m.name) ?? into.desc.fields.find((f) => f.name === m.name);
    if (field === undefined) {
      if (o.lenient) {
        continue;
      }
      throw new ProtoJsonError(`unknown member ${m.rawName}`);
    }
    if (seen.has(field)) {
      throw new ProtoJsonError(`member ${m.rawName} stands twice`);
    }
    seen.add(field);
    if (m.value === "null" && !saysNull(field)) {
      continue;
    }
    if (field.oneof !== undefined) {
      if (seen.has(field.oneof)) {
        throw new ProtoJsonError(`two members of ${field.oneof.name}`);
      }
      seen.add(field.oneof);
    }
    readFieldJson(into, field, m.value, o);
  }
}

// saysNull tells whether null is a value of the field's type.
function saysNull(field: DescField): boolean {
  return messageOf(field)?.typeName === "google.protobuf.Value" || enumOf(field)?.typeName === "google.protobuf.NullValue";
}

/** readFieldJson sets a field to what a text says; it throws where it says nothing of its type. */
export function readFieldJson(into: Fields, field: DescField, text: JsonText, o: ReadOptions): void {
  switch (field.fieldKind) {
    case "list": {
      const list: Single[] = [];
      for (const element of arrayElements(text) ?? refuse(`${field.name} is an array`)) {
        const value = readSingle(field, element, o);
        if (value !== undefined) {
          list.push(value);
        }
      }
      if (list.length > 0) {
        into.values.set(field.number, list);
      }
      return;
    }
    case "map": {
      const map: MapValue = new Map();
      for (const m of objectMembers(text) ?? refuse(`${field.name} is an object`)) {
        if (hasLoneSurrogate(m.rawName)) {
          throw new ProtoJsonError("a key holds half of a character");
        }
        const key = readKey(field.mapKey, m.name);
        if (map.has(key)) {
          throw new ProtoJsonError(`key ${m.rawName} stands twice`);
        }
        const value = readSingle(field, m.value, o);
        if (value !== undefined) {
          map.set(key, value);
        }
      }
      if (map.size > 0) {
        into.values.set(field.number, map);
      }
      return;
    }
    default: {
      const value = readSingle(field, text, o);
      if (value !== undefined) {
        into.set(field, value);
      }
    }
  }
}

function refuse(why: string): never {
  throw new ProtoJsonError(why);
}

// readSingle is undefined for an enum name that a lenient reader passes over.
function readSingle(field: DescField, text: JsonText, o: ReadOptions): Single | undefined {
  const desc = messageOf(field);
  if (desc !== undefined) {
    return messageFromJson(desc, text, o);
  }
  const enumeration = enumOf(field);
  if (enumeration === undefined) {
    return readScalar(scalarOf(field), text);
  }
  if (text.startsWith('"')) {
    const name = readString(text);
    const known = enumeration.values.find((v) => v.name === name);
    return known !== undefined ? known.number : o.lenient ? undefined : refuse(`${enumeration.typeName} has no ${text}`);
  }
  if (text === "null" && enumeration.typeName === "google.protobuf.NullValue") {
    return 0;
  }
  return isNumber(text) ? Number(readInteger(text, -(2n ** 31n), 2n ** 31n - 1n)) : refuse(`${text} is no enum value`);
}

/** readString reads a string without a lone surrogate. */
export function readString(text: JsonText): string {
  if (!text.startsWith('"') || hasLoneSurrogate(text)) {
    throw new ProtoJsonError(`${text} is no text`);
  }
  return unquote(text);
}

/** readScalar reads a scalar; it throws where the text is none of its type. */
export function readScalar(type: ScalarType, text: JsonText): Scalar {
  switch (type) {
    case ScalarType.STRING:
      return readString(text);
    case ScalarType.BOOL:
      return text === "true" ? true : text === "false" ? false : refuse(`${text} is neither true nor false`);
    case ScalarType.BYTES:
      return readBytes(readString(text));
    case ScalarType.FLOAT:
    case ScalarType.DOUBLE:
      return readFloat(type, text);
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.SFIXED32:
      return Number(readInteger(numberToken(text), -(2n ** 31n), 2n ** 31n - 1n));
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return Number(readInteger(numberToken(text), 0n, 2n ** 32n - 1n));
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return readInteger(numberToken(text), 0n, 2n ** 64n - 1n);
    default:
      return readInteger(numberToken(text), -(2n ** 63n), 2n ** 63n - 1n);
  }
}

// numberToken returns a number token, as it stands or out of a string.
function numberToken(text: JsonText): string {
  const token = text.startsWith('"') ? readString(text) : text;
  return isJsonNumber(token) ? token : refuse(`${text} is no number`);
}

function readInteger(token: string, least: bigint, most: bigint): bigint {
  const n = integerOf(token);
  return n !== undefined && n >= least && n <= most ? n : refuse(`${token} is not in range`);
}

function readFloat(type: ScalarType, text: JsonText): number {
  if (text === '"NaN"' || text === '"Infinity"' || text === '"-Infinity"') {
    return Number(unquote(text));
  }
  const wide = Number(numberToken(text));
  const n = type === ScalarType.FLOAT ? Math.fround(wide) : wide;
  return Number.isFinite(n) ? n : refuse(`${text} is not in range`);
}

/** readBytes reads base64 as ProtoJSON asks of a reader: one alphabet, padded or not. */
export function readBytes(text: string): Uint8Array {
  const padding = /=*$/.exec(text)?.[0].length ?? 0;
  const whole = padding === 0 || (text.length % 4 === 0 && padding <= 2);
  const bytes = whole && !/[\r\n]/.test(text) ? fromBase64(text) : undefined;
  return bytes ?? refuse("the text is not base64");
}

function readKey(type: ScalarType, name: string): bigint | boolean | number | string {
  if (type === ScalarType.STRING) {
    return name;
  }
  if (type === ScalarType.BOOL) {
    return name === "true" ? true : name === "false" ? false : refuse(`${name} is neither true nor false`);
  }
  if (!/^[-+]?[0-9]+$/.test(name)) {
    throw new ProtoJsonError(`${name} is no number`);
  }
  return readScalar(type, name.replace(/^\+/, "").replace(/^(-?)0+(?=[0-9])/, "$1")) as bigint | number;
}
