// Messages of any type as their fields, read from and written to the wire form
// of Protobuf. Translation looks at details through these: they keep map keys,
// 64-bit integers and unknown fields exactly, whatever an object of JavaScript
// would make of them.

import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { concat, strictUtf8 } from "./utf8.js";

/** Scalar is a scalar or an enum number; 64-bit integers are bigint. */
export type Scalar = bigint | boolean | number | string | Uint8Array;

/** Single is the value of a singular field, an element or a map value. */
export type Single = Fields | Scalar;

/** MapValue is the value of a map field, by key. */
export type MapValue = Map<bigint | boolean | number | string, Single>;

/** Fields are the populated fields of one message, by number. */
export class Fields {
  readonly values = new Map<number, Single | Single[] | MapValue>();
  /** Fields that the schema does not know, each as it stood with its tag. */
  unknown: Uint8Array[] = [];

  constructor(readonly desc: DescMessage) {}

  /** single returns a singular value; undefined where it is not populated. */
  single(number: number): Single | undefined {
    return this.values.get(number) as Single | undefined;
  }

  /** set sets a singular field, and clears others of its oneof. */
  set(field: DescField, value: Single): void {
    if (field.oneof !== undefined) {
      for (const other of field.oneof.fields) {
        this.values.delete(other.number);
      }
    } else if (isImplicit(field) && isZero(value)) {
      this.values.delete(field.number);
      return;
    }
    this.values.set(field.number, value);
  }
}

/** WireError says that bytes are no message of their type. */
export class WireError extends Error {
  override readonly name = "WireError";
}

const maxNesting = 200;
const proto2 = 998;

function isImplicit(field: DescField): boolean {
  return field.fieldKind !== "message" && field.presence === 2;
}

function isZero(value: Single): boolean {
  if (typeof value === "number") {
    return value === 0 && !Object.is(value, -0);
  }
  return value === 0n || value === false || value === "" || (value instanceof Uint8Array && value.length === 0);
}

/** parseMessage reads the wire form; it throws a WireError. */
export function parseMessage(desc: DescMessage, bytes: Uint8Array): Fields {
  const into = new Fields(desc);
  try {
    readFields(into, new BinaryReader(bytes), bytes, undefined, 0);
  } catch (cause) {
    throw new WireError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
  return into;
}

// readFields reads up to the end of bytes, or of the group of that number.
function readFields(into: Fields, r: BinaryReader, bytes: Uint8Array, group: number | undefined, level: number): void {
  if (level > maxNesting) {
    throw new WireError("nested deeper than the limit");
  }
  while (r.pos < r.len) {
    const start = r.pos;
    const [number, type] = r.tag();
    if (type === WireType.EndGroup) {
      if (number !== group) {
        throw new WireError("a group ends that was not begun");
      }
      return;
    }
    const field = fieldOf(into.desc, number);
    if (field === undefined || !readField(into, field, r, type, bytes, level)) {
      r.skip(type, number);
      into.unknown.push(bytes.slice(start, r.pos));
    }
  }
  if (group !== undefined) {
    throw new WireError("a group has no end");
  }
}

const byNumber = new WeakMap<DescMessage, Map<number, DescField>>();

/** fieldOf returns the field of that number. */
export function fieldOf(desc: DescMessage, number: number): DescField | undefined {
  let fields = byNumber.get(desc);
  if (fields === undefined) {
    fields = new Map(desc.fields.map((f) => [f.number, f]));
    byNumber.set(desc, fields);
  }
  return fields.get(number);
}

// readField is false, and has read nothing, where the wire type is not the field's.
function readField(into: Fields, field: DescField, r: BinaryReader, type: WireType, bytes: Uint8Array, level: number): boolean {
  switch (field.fieldKind) {
    case "map": {
      if (type !== WireType.LengthDelimited) {
        return false;
      }
      const end = r.uint32() + r.pos;
      if (end > r.len) {
        throw new WireError("premature end");
      }
      readEntry(into, field, bytes.subarray(r.pos, end), level);
      r.pos = end;
      return true;
    }
    case "list": {
      const list = (into.values.get(field.number) as Single[] | undefined) ?? [];
      if (field.listKind === "message") {
        const element = readMessage(new Fields(field.message), field.delimitedEncoding, field.number, r, type, bytes, level);
        if (element === undefined) {
          return false;
        }
        list.push(element);
      } else {
        const scalar = field.listKind === "enum" ? ScalarType.INT32 : field.scalar;
        const packable = wireTypeOf(scalar) !== WireType.LengthDelimited;
        if (packable && type === WireType.LengthDelimited) {
          const end = r.uint32() + r.pos;
          if (end > r.len) {
            throw new WireError("premature end");
          }
          while (r.pos < end) {
            list.push(readScalar(r, scalar, field));
          }
          if (r.pos !== end) {
            throw new WireError("a packed list ends inside of an element");
          }
        } else if (type === wireTypeOf(scalar)) {
          list.push(readScalar(r, scalar, field));
        } else {
          return false;
        }
      }
      if (list.length > 0) {
        into.values.set(field.number, list);
      }
      return true;
    }
    case "message": {
      const have = into.single(field.number);
      const target = have instanceof Fields ? have : new Fields(field.message);
      const read = readMessage(target, field.delimitedEncoding, field.number, r, type, bytes, level);
      if (read === undefined) {
        return false;
      }
      into.set(field, read);
      return true;
    }
    default: {
      const scalar = field.fieldKind === "enum" ? ScalarType.INT32 : field.scalar;
      if (type !== wireTypeOf(scalar)) {
        return false;
      }
      into.set(field, readScalar(r, scalar, field));
      return true;
    }
  }
}

function readMessage(into: Fields, group: boolean, number: number, r: BinaryReader, type: WireType, bytes: Uint8Array, level: number): Fields | undefined {
  if (group && type === WireType.StartGroup) {
    readFields(into, r, bytes, number, level + 1);
    return into;
  }
  if (group || type !== WireType.LengthDelimited) {
    return undefined;
  }
  const inner = r.bytes();
  readFields(into, new BinaryReader(inner), inner, undefined, level + 1);
  return into;
}

function readEntry(into: Fields, field: DescField & { fieldKind: "map" }, bytes: Uint8Array, level: number): void {
  const r = new BinaryReader(bytes);
  const scalar = field.mapKind === "scalar" ? field.scalar : ScalarType.INT32;
  let key: Scalar | undefined;
  let value: Single | undefined = field.mapKind === "message" ? new Fields(field.message) : undefined;
  while (r.pos < r.len) {
    const [number, type] = r.tag();
    if (number === 1 && type === wireTypeOf(field.mapKey)) {
      key = readScalar(r, field.mapKey, field);
    } else if (number === 2 && value instanceof Fields && type === WireType.LengthDelimited) {
      const inner = r.bytes();
      readFields(value, new BinaryReader(inner), inner, undefined, level + 1);
    } else if (number === 2 && field.mapKind !== "message" && type === wireTypeOf(scalar)) {
      value = readScalar(r, scalar, field);
    } else {
      r.skip(type, number);
    }
  }
  const map = (into.values.get(field.number) as MapValue | undefined) ?? new Map();
  map.set((key ?? zeroOf(field.mapKey)) as string, value ?? zeroOf(scalar));
  into.values.set(field.number, map);
}

function readScalar(r: BinaryReader, type: ScalarType, field: DescField): Scalar {
  switch (type) {
    case ScalarType.STRING: {
      const bytes = r.bytes();
      const text = strictUtf8(bytes);
      if (text === undefined) {
        if (field.parent.file.edition !== proto2) {
          throw new WireError(`${field.name} is not UTF-8`);
        }
        return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
      }
      return text;
    }
    case ScalarType.BYTES:
      return r.bytes().slice();
    case ScalarType.BOOL:
      return r.bool();
    case ScalarType.INT32:
      return r.int32();
    case ScalarType.UINT32:
      return r.uint32();
    case ScalarType.SINT32:
      return r.sint32();
    case ScalarType.FIXED32:
      return r.fixed32();
    case ScalarType.SFIXED32:
      return r.sfixed32();
    case ScalarType.FLOAT:
      return r.float();
    case ScalarType.DOUBLE:
      return r.double();
    case ScalarType.INT64:
      return BigInt(r.int64());
    case ScalarType.UINT64:
      return BigInt(r.uint64());
    case ScalarType.SINT64:
      return BigInt(r.sint64());
    case ScalarType.FIXED64:
      return BigInt(r.fixed64());
    case ScalarType.SFIXED64:
      return BigInt(r.sfixed64());
  }
}

function wireTypeOf(type: ScalarType): WireType {
  switch (type) {
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return WireType.LengthDelimited;
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
    case ScalarType.FLOAT:
      return WireType.Bit32;
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
    case ScalarType.DOUBLE:
      return WireType.Bit64;
    default:
      return WireType.Varint;
  }
}

/** isWide tells whether a scalar is a 64-bit integer. */
export function isWide(type: ScalarType): boolean {
  switch (type) {
    case ScalarType.INT64:
    case ScalarType.UINT64:
    case ScalarType.SINT64:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return true;
    default:
      return false;
  }
}

/** zeroOf returns the value of an unset scalar. */
export function zeroOf(type: ScalarType): Scalar {
  switch (type) {
    case ScalarType.STRING:
      return "";
    case ScalarType.BYTES:
      return new Uint8Array();
    case ScalarType.BOOL:
      return false;
    default:
      return isWide(type) ? 0n : 0;
  }
}

/** serializeMessage writes the wire form: fields by number, map entries by key, unknown fields last. */
export function serializeMessage(m: Fields): Uint8Array {
  const w = new BinaryWriter();
  writeFields(w, m);
  return w.finish();
}

const sorted = new WeakMap<DescMessage, readonly DescField[]>();

// inOrder returns the fields of a type by number.
function inOrder(desc: DescMessage): readonly DescField[] {
  let fields = sorted.get(desc);
  if (fields === undefined) {
    fields = [...desc.fields].sort((a, b) => a.number - b.number);
    sorted.set(desc, fields);
  }
  return fields;
}

function writeFields(w: BinaryWriter, m: Fields): void {
  for (const field of m.values.size === 0 ? [] : inOrder(m.desc)) {
    const value = m.values.get(field.number);
    if (value === undefined) {
      continue;
    }
    switch (field.fieldKind) {
      case "map":
        writeMap(w, field, value as MapValue);
        break;
      case "list": {
        const list = value as Single[];
        if (field.listKind === "message") {
          list.forEach((element) => writeMessage(w, field, element as Fields));
          break;
        }
        const scalar = field.listKind === "enum" ? ScalarType.INT32 : field.scalar;
        if (field.packed) {
          w.tag(field.number, WireType.LengthDelimited).fork();
          list.forEach((element) => writeScalar(w, scalar, element as Scalar));
          w.join();
        } else {
          list.forEach((element) => writeScalar(w.tag(field.number, wireTypeOf(scalar)), scalar, element as Scalar));
        }
        break;
      }
      case "message":
        writeMessage(w, field, value as Fields);
        break;
      default: {
        const scalar = field.fieldKind === "enum" ? ScalarType.INT32 : field.scalar;
        writeScalar(w.tag(field.number, wireTypeOf(scalar)), scalar, value as Scalar);
      }
    }
  }
  if (m.unknown.length > 0) {
    w.raw(concat(m.unknown));
  }
}

function writeMessage(w: BinaryWriter, field: DescField, m: Fields): void {
  if ("delimitedEncoding" in field && field.delimitedEncoding === true) {
    w.tag(field.number, WireType.StartGroup);
    writeFields(w, m);
    w.tag(field.number, WireType.EndGroup);
    return;
  }
  w.tag(field.number, WireType.LengthDelimited).fork();
  writeFields(w, m);
  w.join();
}

function writeMap(w: BinaryWriter, field: DescField & { fieldKind: "map" }, map: MapValue): void {
  const keys = [...map.keys()].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  for (const key of keys) {
    const value = map.get(key) as Single;
    w.tag(field.number, WireType.LengthDelimited).fork();
    writeScalar(w.tag(1, wireTypeOf(field.mapKey)), field.mapKey, key);
    if (value instanceof Fields) {
      w.tag(2, WireType.LengthDelimited).fork();
      writeFields(w, value);
      w.join();
    } else {
      const scalar = field.mapKind === "scalar" ? field.scalar : ScalarType.INT32;
      writeScalar(w.tag(2, wireTypeOf(scalar)), scalar, value);
    }
    w.join();
  }
}

function writeScalar(w: BinaryWriter, type: ScalarType, value: Scalar): void {
  switch (type) {
    case ScalarType.STRING:
      w.string(value as string);
      break;
    case ScalarType.BYTES:
      w.bytes(value as Uint8Array);
      break;
    case ScalarType.BOOL:
      w.bool(value as boolean);
      break;
    case ScalarType.INT32:
      w.int32(value as number);
      break;
    case ScalarType.UINT32:
      w.uint32(value as number);
      break;
    case ScalarType.SINT32:
      w.sint32(value as number);
      break;
    case ScalarType.FIXED32:
      w.fixed32(value as number);
      break;
    case ScalarType.SFIXED32:
      w.sfixed32(value as number);
      break;
    case ScalarType.FLOAT:
      w.float(value as number);
      break;
    case ScalarType.DOUBLE:
      w.double(value as number);
      break;
    case ScalarType.INT64:
      w.int64(value as bigint);
      break;
    case ScalarType.UINT64:
      w.uint64(value as bigint);
      break;
    case ScalarType.SINT64:
      w.sint64(value as bigint);
      break;
    case ScalarType.FIXED64:
      w.fixed64(value as bigint);
      break;
    case ScalarType.SFIXED64:
      w.sfixed64(value as bigint);
      break;
  }
}
