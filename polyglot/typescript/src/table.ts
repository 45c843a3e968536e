// What ProtoJSON needs to know of a message type, compiled once from its descriptor.

import { type DescEnum, type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { WireType } from "@bufbuild/protobuf/wire";

/** Form is how ProtoJSON writes the messages of a type. */
export const Form = {
  Fields: 0, // an object of its fields
  Empty: 1, // the same, of google.protobuf.Empty, which may stand under "value" in an Any
  Any: 2, // the forms from here on stand under "value" in an Any
  Time: 3,
  Span: 4,
  Mask: 5,
  Wrapper: 6, // the one field alone
  Struct: 7, // the entries of its one field
  List: 8, // the elements of its one field
  Value: 9,
} as const;
export type Form = (typeof Form)[keyof typeof Form];

/** EnumTable is what is known of an enum type. */
export interface EnumTable {
  /** google.protobuf.NullValue. */
  readonly isNull: boolean;
  readonly closed: boolean;
  /** The name of each number, quoted; of aliases the first. */
  readonly names: ReadonlyMap<number, string>;
  readonly byName: ReadonlyMap<string, number>;
}

/** Field is one field of a message, or one of the two of a map's entry. */
export interface Field {
  /** Of an enum INT32, of a message undefined. */
  readonly scalar: ScalarType | undefined;
  /** The wire type of one value. */
  readonly wire: WireType;
  /** A list; a map is none. */
  readonly repeated: boolean;
  readonly packed: boolean;
  /** Zero is written. */
  readonly presence: boolean;
  readonly number: number;
  /** The place in the schema, whose order is that of ProtoJSON. */
  readonly place: number;
  /** The place of its oneof, -1 for none. */
  readonly oneof: number;
  /** Its name in ProtoJSON. */
  readonly json: string;
  /** The same, quoted, with the colon. */
  readonly label: string;
  readonly enumeration: EnumTable | undefined;
  readonly message: Table | undefined;
  /** Of a map. */
  readonly key: Field | undefined;
  readonly value: Field | undefined;
  /** Whether null is a value of the field. */
  readonly nullable: boolean;
}

/** Table is what is known of one message type. */
export interface Table {
  readonly desc: DescMessage;
  readonly form: Form;
  /** Of google.protobuf. */
  readonly wellKnown: boolean;
  readonly fields: readonly Field[];
  readonly byNumber: ReadonlyMap<number, Field>;
  /** The names under which ProtoJSON reads fields. */
  readonly byName: ReadonlyMap<string, Field>;
  /** Bytes are often in another order than the schema's. */
  readonly unruly: boolean;
}

/** Types are what a program knows: a message type by its full name. */
export interface Types {
  message(typeName: string): DescMessage | undefined;
}

const tables = new WeakMap<DescMessage, Table>();
const enums = new WeakMap<DescEnum, EnumTable>();

/** tableOf returns the table of a type. */
export function tableOf(desc: DescMessage): Table {
  const known = tables.get(desc);
  if (known !== undefined) {
    return known;
  }
  const fields: Field[] = [];
  const byNumber = new Map<number, Field>();
  const byName = new Map<string, Field>();
  const wellKnown = desc.typeName.startsWith("google.protobuf.");
  const table = { desc, form: formOf(desc), wellKnown, fields, byNumber, byName, unruly: false };
  tables.set(desc, table); // before its fields, which may be of its own type
  desc.fields.forEach((f, place) => {
    const field = compile(f, place, desc);
    fields.push(field);
    byNumber.set(field.number, field);
    table.unruly ||= field.oneof >= 0 || (place > 0 && field.number < (fields[place - 1] as Field).number);
  });
  for (const [i, f] of desc.fields.entries()) {
    byName.set(f.name, fields[i] as Field);
  }
  for (const field of fields) {
    byName.set(field.json, field);
  }
  return table;
}

/** linkOf returns the table of the type that a type URL names; undefined where it is not known. */
export function linkOf(types: Types, typeUrl: string): Table | undefined {
  const desc = typeUrl === "" ? undefined : types.message(typeUrl.slice(typeUrl.lastIndexOf("/") + 1));
  return desc === undefined ? undefined : tableOf(desc);
}

/** bits tells how wide a number is. */
export function isWide(scalar: ScalarType): boolean {
  switch (scalar) {
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

/** wireOf returns the wire type of a scalar. */
export function wireOf(scalar: ScalarType): WireType {
  switch (scalar) {
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

const implicit = 2; // FeatureSet.FieldPresence

function compile(f: DescField, place: number, desc: DescMessage): Field {
  const group = "delimitedEncoding" in f && f.delimitedEncoding === true;
  const part = (number: number, scalar: ScalarType | undefined, enumeration: DescEnum | undefined, message: DescMessage | undefined, presence: boolean): Field => ({
    scalar: enumeration === undefined ? scalar : ScalarType.INT32,
    wire: message !== undefined ? (group && number === f.number ? WireType.StartGroup : WireType.LengthDelimited) : wireOf(enumeration === undefined ? (scalar as ScalarType) : ScalarType.INT32),
    repeated: f.fieldKind === "list",
    packed: f.fieldKind === "list" && f.packed,
    presence,
    number,
    place,
    oneof: f.oneof === undefined ? -1 : desc.oneofs.indexOf(f.oneof),
    json: f.jsonName,
    label: JSON.stringify(f.jsonName) + ":",
    enumeration: enumeration === undefined ? undefined : enumOf(enumeration),
    message: message === undefined ? undefined : tableOf(message),
    key: undefined,
    value: undefined,
    nullable: enumeration?.typeName === "google.protobuf.NullValue" || message?.typeName === "google.protobuf.Value",
  });
  if (f.fieldKind === "map") {
    const whole = part(f.number, ScalarType.BYTES, undefined, undefined, true);
    return { ...whole, scalar: undefined, key: part(1, f.mapKey, undefined, undefined, true), value: part(2, f.scalar, f.enum, f.message, true) };
  }
  return part(f.number, f.scalar, f.enum, f.message, f.fieldKind === "message" || f.fieldKind === "list" || f.presence !== implicit);
}

function enumOf(desc: DescEnum): EnumTable {
  let table = enums.get(desc);
  if (table === undefined) {
    const names = new Map<number, string>();
    for (const v of desc.values) {
      if (!names.has(v.number)) {
        names.set(v.number, JSON.stringify(v.name));
      }
    }
    table = { isNull: desc.typeName === "google.protobuf.NullValue", closed: !desc.open, names, byName: new Map(desc.values.map((v) => [v.name, v.number])) };
    enums.set(desc, table);
  }
  return table;
}

const forms: Readonly<Record<string, Form>> = {
  Any: Form.Any,
  Timestamp: Form.Time,
  Duration: Form.Span,
  FieldMask: Form.Mask,
  Struct: Form.Struct,
  ListValue: Form.List,
  Value: Form.Value,
  Empty: Form.Empty,
};

function formOf(desc: DescMessage): Form {
  const name = desc.typeName.startsWith("google.protobuf.") ? desc.typeName.slice("google.protobuf.".length) : "";
  if (Object.hasOwn(forms, name)) {
    return forms[name] as Form;
  }
  return /^(?:Bool|Bytes|String|U?Int(?:32|64)|Float|Double)Value$/.test(name) ? Form.Wrapper : Form.Fields;
}
