// Messages as the parts of their bytes: gathered by field, put in order, compared. Two
// parts of one message are one message, as everywhere in Protobuf.

import { ScalarType } from "@bufbuild/protobuf";
import { Cursor, Out, WireType } from "./protowire.js";
import { type Field, Form, isWide, linkOf, type Table, type Types } from "./table.js";
import { compareText, concat, sameBytes, textOf } from "./text.js";

/** Piece is a value of a field where it stands: what follows the tag, of bytes and groups the content. */
export interface Piece {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly to: number;
  readonly type: WireType;
}

/** Gathered are the pieces of each field, by its place in the schema. */
export interface Gathered {
  readonly pieces: (Piece[] | undefined)[];
  /** Whether there are fields that the schema does not know. */
  readonly unknown: boolean;
  /** Whether a field stands twice that is no list, or a list in two places. */
  readonly odd: boolean;
}

/** takes tells whether values of a wire type are those of the field. */
export function takes(f: Field, type: WireType): boolean {
  return type === f.wire || (f.repeated && type === WireType.LengthDelimited && f.message === undefined);
}

/** gather finds the pieces of a message; undefined where its bytes are none. Of a oneof the last counts. */
export function gather(t: Table, bytes: Uint8Array, from = 0, to = bytes.length): Gathered | undefined {
  const pieces: (Piece[] | undefined)[] = new Array<Piece[] | undefined>(t.fields.length);
  const c = new Cursor(bytes, from, to);
  let unknown = false;
  let odd = false;
  let previous: Field | undefined;
  while (c.more) {
    if (!c.tag()) {
      return undefined;
    }
    const f = t.byNumber.get(c.number);
    const start = c.at;
    const type = c.type;
    if (!c.skip()) {
      return undefined;
    }
    if (f === undefined || !takes(f, type)) {
      unknown = true;
      continue;
    }
    const framed = type === WireType.LengthDelimited || type === WireType.StartGroup;
    const piece = { bytes, from: framed ? c.from : start, to: framed ? c.to : c.at, type };
    const many = f.repeated || f.key !== undefined;
    const have = pieces[f.place];
    odd ||= have !== undefined && (!many || previous !== f);
    previous = f;
    if (f.oneof >= 0) {
      for (const other of t.fields) {
        if (other !== f && other.oneof === f.oneof && pieces[other.place] !== undefined) {
          pieces[other.place] = undefined;
          odd = true;
        }
      }
    }
    if (have === undefined || pieces[f.place] === undefined) {
      pieces[f.place] = [piece];
    } else if (many || f.message !== undefined) {
      have.push(piece);
    } else {
      if (f.scalar === ScalarType.STRING && textOf(bytes, (have[0] as Piece).from, (have[0] as Piece).to) === undefined) {
        return undefined;
      }
      have[0] = piece;
    }
  }
  return { pieces, unknown, odd };
}

/** whole returns the content of a message, which may stand in pieces. */
export function whole(pieces: readonly Piece[]): Piece {
  const first = pieces[0] as Piece;
  if (pieces.length === 1) {
    return first;
  }
  const bytes = concat(pieces.map((p) => p.bytes.subarray(p.from, p.to)));
  return { bytes, from: 0, to: bytes.length, type: first.type };
}

/** scalarsOf calls f with a cursor at each value of a list, and is false where one cannot be read. */
export function eachElement(f: Field, pieces: readonly Piece[], g: (c: Cursor) => boolean): boolean {
  for (const p of pieces) {
    const c = new Cursor(p.bytes, p.from, p.to);
    if (p.type === f.wire && f.wire !== WireType.LengthDelimited) {
      if (!g(c)) {
        return false;
      }
    } else {
      while (c.more) {
        if (!g(c)) {
          return false;
        }
      }
    }
  }
  return true;
}

/** Scalar is a value that can be compared: of 64-bit integers the bits. */
export type Scalar = bigint | number | string;

/** scalarAt reads a number where a cursor stands, floats and doubles as their bits; undefined where there is none. */
export function scalarAt(c: Cursor, scalar: ScalarType): Scalar | undefined {
  switch (wireOfNumber(scalar)) {
    case 4:
      if (!c.fixed32()) {
        return undefined;
      }
      break;
    case 8:
      if (!c.fixed64()) {
        return undefined;
      }
      break;
    default:
      if (!c.varint()) {
        return undefined;
      }
  }
  switch (scalar) {
    case ScalarType.INT32:
    case ScalarType.SFIXED32:
      return c.low | 0;
    case ScalarType.SINT32:
      return (c.low >>> 1) ^ -(c.low & 1);
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
    case ScalarType.FLOAT:
      return c.low;
    case ScalarType.BOOL:
      return c.low !== 0 || c.high !== 0 ? 1 : 0;
    case ScalarType.INT64:
    case ScalarType.SFIXED64:
      return small(c) ?? BigInt.asIntN(64, bits(c));
    case ScalarType.SINT64: {
      const n = bits(c);
      return BigInt.asIntN(64, (n >> 1n) ^ -(n & 1n));
    }
    default:
      return small(c) ?? bits(c);
  }
}

function small(c: Cursor): bigint | undefined {
  return c.high === 0 ? BigInt(c.low) : undefined;
}

function bits(c: Cursor): bigint {
  return (BigInt(c.high) << 32n) | BigInt(c.low);
}

function wireOfNumber(scalar: ScalarType): 0 | 4 | 8 {
  switch (scalar) {
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
    case ScalarType.FLOAT:
      return 4;
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
    case ScalarType.DOUBLE:
      return 8;
    default:
      return 0;
  }
}

/** Entry is an entry of a map: its key, and where its value stands, undefined for the zero value. */
export interface Entry {
  readonly key: Scalar;
  readonly value: Piece | undefined;
}

/** entryAt reads an entry of a map; undefined where it cannot be read. Odd says that it has a part twice. */
export function entryAt(f: Field, piece: Piece): (Entry & { odd: boolean }) | undefined {
  const keyField = f.key as Field;
  const valueField = f.value as Field;
  let key: Scalar = keyField.scalar === ScalarType.STRING ? "" : isWide(keyField.scalar as ScalarType) ? 0n : 0;
  let keyed = false;
  let odd = false;
  const values: Piece[] = [];
  const c = new Cursor(piece.bytes, piece.from, piece.to);
  while (c.more) {
    if (!c.tag()) {
      return undefined;
    }
    const { number, type } = c;
    const start = c.at;
    if (!c.skip()) {
      return undefined;
    }
    if (number === 1 && type === keyField.wire) {
      odd ||= keyed;
      keyed = true;
      if (keyField.scalar === ScalarType.STRING) {
        const text = textOf(c.bytes, c.from, c.to);
        if (text === undefined) {
          return undefined;
        }
        key = text;
      } else {
        key = scalarAt(new Cursor(c.bytes, start, c.at), keyField.scalar as ScalarType) as Scalar;
      }
    } else if (number === 2 && type === valueField.wire) {
      odd ||= values.length > 0;
      const framed = type === WireType.LengthDelimited || type === WireType.StartGroup;
      values.push({ bytes: c.bytes, from: framed ? c.from : start, to: framed ? c.to : c.at, type });
    }
  }
  const value = values.length === 0 ? undefined : valueField.message === undefined ? values[values.length - 1] : whole(values);
  return { key, value, odd };
}

/** compareKeys orders the keys of a map. */
export function compareKeys(a: Scalar, b: Scalar): number {
  if (typeof a === "string" || typeof b === "string") {
    return compareText(String(a), String(b));
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * ordered returns the bytes of a message with its fields in the order of their numbers,
 * the entries of maps in that of their keys, and fields of unknown numbers at the end;
 * undefined where they are none. What has the number of a field and another wire type is
 * left out.
 */
export function ordered(t: Table, bytes: Uint8Array, from = 0, to = bytes.length, edit?: Edit): Uint8Array | undefined {
  const out = new Out();
  return order(out, t, bytes, from, to, edit) ? out.done() : undefined;
}

/** Edit changes messages while they are put in order. */
export interface Edit {
  /** Tells whether a message inside is left out. */
  drops(t: Table, p: Piece): boolean;
  /** Returns what an Any holds instead; undefined for nothing. */
  any(typeUrl: string, value: Uint8Array): Uint8Array | undefined;
}

function order(out: Out, t: Table, bytes: Uint8Array, from: number, to: number, edit: Edit | undefined): boolean {
  const g = gather(t, bytes, from, to);
  if (g === undefined) {
    return false;
  }
  if (edit !== undefined && t.form === Form.Any) {
    const part = (place: number): Uint8Array => {
      const p = g.pieces[place]?.[0];
      return p === undefined ? new Uint8Array() : p.bytes.subarray(p.from, p.to);
    };
    const typeUrl = textOf(part(0)) ?? "";
    const held = edit.any(typeUrl, part(1));
    if (held !== undefined) {
      out.textField(1, typeUrl);
      out.bytesField(2, held);
    }
    return true;
  }
  const fields = t.unruly ? [...t.fields].sort((a, b) => a.number - b.number) : t.fields;
  for (const f of fields) {
    const pieces = g.pieces[f.place];
    if (pieces === undefined) {
      continue;
    }
    if (f.key !== undefined) {
      const entries = new Map<Scalar, Piece | undefined>();
      for (const p of pieces) {
        const entry = entryAt(f, p);
        if (entry === undefined) {
          return false;
        }
        entries.set(entry.key, entry.value);
      }
      const keys = [...entries.keys()].sort(compareKeys);
      for (const key of keys) {
        const inner = f.value?.message;
        if (edit !== undefined && inner !== undefined && edit.drops(inner, entries.get(key) ?? nothing)) {
          continue;
        }
        out.tag(f.number, WireType.LengthDelimited);
        const start = out.begin();
        orderKey(out, f.key, key);
        const value = entries.get(key);
        if (value !== undefined && !orderValue(out, f.value as Field, value, edit)) {
          return false;
        }
        out.frame(start);
      }
      continue;
    }
    for (const p of f.message !== undefined && !f.repeated ? [whole(pieces)] : pieces) {
      if (edit !== undefined && f.message !== undefined && edit.drops(f.message, p)) {
        continue;
      }
      if (!orderValue(out, f, p, edit)) {
        return false;
      }
    }
  }
  if (g.unknown) {
    const c = new Cursor(bytes, from, to);
    while (c.more) {
      const start = c.at;
      c.tag();
      const { number } = c;
      c.skip();
      if (!t.byNumber.has(number)) {
        out.raw(bytes.subarray(start, c.at));
      }
    }
  }
  return true;
}

function orderKey(out: Out, f: Field, key: Scalar): void {
  out.tag(1, f.wire);
  switch (f.scalar) {
    case ScalarType.STRING:
      out.framed(() => out.text(key as string));
      break;
    case ScalarType.SINT32:
    case ScalarType.SINT64: {
      const n = BigInt(key);
      out.wide((n << 1n) ^ (n >> 63n));
      break;
    }
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
      appendFixed(out, BigInt(key), 4);
      break;
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      appendFixed(out, BigInt(key), 8);
      break;
    default:
      out.wide(BigInt(key));
  }
}

/** appendFixed appends an integer of so many bytes, the lowest first. */
export function appendFixed(out: Out, n: bigint, size: number): void {
  for (let i = 0; i < size; i++) {
    out.byte(Number((n >> BigInt(8 * i)) & 0xffn));
  }
}

function orderValue(out: Out, f: Field, p: Piece, edit: Edit | undefined): boolean {
  if (f.message !== undefined && f.wire === WireType.StartGroup) {
    out.tag(f.number, WireType.StartGroup);
    if (!order(out, f.message, p.bytes, p.from, p.to, edit)) {
      return false;
    }
    out.tag(f.number, WireType.EndGroup);
    return true;
  }
  if (p.type !== WireType.LengthDelimited) {
    out.tag(f.number, p.type);
    out.raw(p.bytes.subarray(p.from, p.to));
    return true;
  }
  if (f.scalar === ScalarType.STRING && textOf(p.bytes, p.from, p.to) === undefined) {
    return false;
  }
  out.tag(f.number, WireType.LengthDelimited);
  const start = out.begin();
  if (f.message === undefined) {
    out.raw(p.bytes.subarray(p.from, p.to));
  } else if (!order(out, f.message, p.bytes, p.from, p.to, edit)) {
    return false;
  }
  out.frame(start);
  return true;
}

/** Comparing says how messages are compared. */
export interface Comparing {
  readonly types: Types;
  /** Whether whole has no other fields than plain, but for those that later tells. */
  readonly exact: boolean;
  /** Tells fields that a type got later. */
  readonly later: (t: Table, f: Field) => boolean;
  /** Compares what two values of one type URL say. */
  readonly sameAny: (typeUrl: string, a: Uint8Array, b: Uint8Array) => boolean;
}

/**
 * says tells whether each populated field of plain is in whole with the same value, and
 * where it is exact, no other. What stands in an Any is compared by what it holds. It is
 * undefined where one of them is no message.
 */
export function says(how: Comparing, t: Table, a: Piece, b: Piece): boolean | undefined {
  const x = gather(t, a.bytes, a.from, a.to);
  const y = gather(t, b.bytes, b.from, b.to);
  if (x === undefined || y === undefined) {
    return undefined;
  }
  if (t.form === Form.Any) {
    return anySays(how, x, y);
  }
  let same = true;
  for (const f of t.fields) {
    const plain = populated(f, y.pieces[f.place]);
    const has = populated(f, x.pieces[f.place]);
    if (plain === undefined) {
      same &&= has === undefined || !how.exact || how.later(t, f);
      continue;
    }
    const one = has === undefined ? false : fieldSays(how, f, has, plain);
    if (one === undefined) {
      return undefined;
    }
    same &&= one;
  }
  return same;
}

function anySays(how: Comparing, x: Gathered, y: Gathered): boolean | undefined {
  const part = (g: Gathered, place: number): Uint8Array => {
    const p = g.pieces[place]?.[0];
    return p === undefined ? new Uint8Array() : p.bytes.subarray(p.from, p.to);
  };
  const a = textOf(part(x, 0));
  const b = textOf(part(y, 0));
  if (a === undefined || b === undefined) {
    return undefined;
  }
  return a.slice(a.lastIndexOf("/") + 1) === b.slice(b.lastIndexOf("/") + 1) && how.sameAny(b, part(x, 1), part(y, 1));
}

// populated returns the pieces of a field that is set: zeros without presence are not.
function populated(f: Field, pieces: readonly Piece[] | undefined): readonly Piece[] | undefined {
  if (pieces === undefined || f.repeated || f.key !== undefined || f.presence) {
    return pieces !== undefined && f.repeated && f.message === undefined && f.wire !== WireType.LengthDelimited && pieces.every((p) => p.type !== f.wire && p.from === p.to)
      ? undefined
      : pieces;
  }
  const p = pieces[0] as Piece;
  return isZero(f, p) ? undefined : pieces;
}

/** isZero tells whether a value is the zero of its kind. */
export function isZero(f: Field, p: Piece): boolean {
  if (p.type === WireType.LengthDelimited) {
    return p.from === p.to;
  }
  const n = scalarAt(new Cursor(p.bytes, p.from, p.to), f.scalar as ScalarType);
  return n === 0 || n === 0n;
}

function fieldSays(how: Comparing, f: Field, a: readonly Piece[], b: readonly Piece[]): boolean | undefined {
  if (f.key !== undefined) {
    const x = entriesOf(f, a);
    const y = entriesOf(f, b);
    if (x === undefined || y === undefined) {
      return undefined;
    }
    let same = y.size <= x.size && (!how.exact || x.size === y.size);
    for (const [key, value] of y) {
      const one = x.has(key) ? valueSays(how, f.value as Field, x.get(key), value) : false;
      if (one === undefined) {
        return undefined;
      }
      same &&= one;
    }
    return same;
  }
  if (!f.repeated) {
    return f.message === undefined ? valueSays(how, f, a[0], b[0]) : valueSays(how, f, whole(a), whole(b));
  }
  if (f.message !== undefined || f.wire === WireType.LengthDelimited) {
    let same = a.length === b.length;
    for (let i = 0; i < Math.min(a.length, b.length); i++) {
      const one = valueSays(how, f, a[i], b[i]);
      if (one === undefined) {
        return undefined;
      }
      same &&= one;
    }
    return same;
  }
  const x = scalarsOf(f, a);
  const y = scalarsOf(f, b);
  return x === undefined || y === undefined ? undefined : x.length === y.length && x.every((n, i) => sameScalar(f, n, y[i] as Scalar));
}

function scalarsOf(f: Field, pieces: readonly Piece[]): Scalar[] | undefined {
  const out: Scalar[] = [];
  const ok = eachElement(f, pieces, (c) => {
    const n = scalarAt(c, f.scalar as ScalarType);
    if (n !== undefined) {
      out.push(n);
    }
    return n !== undefined;
  });
  return ok ? out : undefined;
}

function entriesOf(f: Field, pieces: readonly Piece[]): Map<Scalar, Piece | undefined> | undefined {
  const out = new Map<Scalar, Piece | undefined>();
  for (const p of pieces) {
    const entry = entryAt(f, p);
    if (entry === undefined) {
      return undefined;
    }
    out.set(entry.key, entry.value);
  }
  return out;
}

const nothing: Piece = { bytes: new Uint8Array(), from: 0, to: 0, type: WireType.LengthDelimited };

function valueSays(how: Comparing, f: Field, a: Piece | undefined, b: Piece | undefined): boolean | undefined {
  if (f.message !== undefined) {
    return says(how, f.message, a ?? nothing, b ?? nothing);
  }
  if (f.wire === WireType.LengthDelimited) {
    const x = a ?? nothing;
    const y = b ?? nothing;
    if (f.scalar === ScalarType.STRING && (textOf(x.bytes, x.from, x.to) === undefined || textOf(y.bytes, y.from, y.to) === undefined)) {
      return undefined;
    }
    return sameBytes(x.bytes.subarray(x.from, x.to), y.bytes.subarray(y.from, y.to));
  }
  const read = (p: Piece | undefined): Scalar => (p === undefined ? 0 : (scalarAt(new Cursor(p.bytes, p.from, p.to), f.scalar as ScalarType) ?? 0));
  return sameScalar(f, read(a), read(b));
}

// sameScalar compares as Protobuf does: -0 is 0, and NaN is NaN.
function sameScalar(f: Field, a: Scalar, b: Scalar): boolean {
  if (f.scalar === ScalarType.FLOAT || f.scalar === ScalarType.DOUBLE) {
    const x = floatOf(a, f.scalar);
    const y = floatOf(b, f.scalar);
    return x === y || (Number.isNaN(x) && Number.isNaN(y));
  }
  return typeof a === typeof b ? a === b : BigInt(a) === BigInt(b);
}

const view = new DataView(new ArrayBuffer(8));

/** floatOf returns the number that bits are, of a float or a double. */
export function floatOf(n: Scalar, scalar: ScalarType): number {
  if (scalar === ScalarType.FLOAT) {
    view.setUint32(0, Number(n));
    return view.getFloat32(0);
  }
  view.setBigUint64(0, BigInt(n));
  return view.getFloat64(0);
}

/** sameMessage tells whether two values are the same message, what the schema does not know too. */
export function sameMessage(types: Types, t: Table, a: Uint8Array, b: Uint8Array): boolean {
  if (sameBytes(a, b)) {
    return true;
  }
  const how: Comparing = {
    types,
    exact: true,
    later: () => false,
    sameAny: (url, x, y) => {
      const table = linkOf(types, url);
      return table === undefined ? sameBytes(x, y) : sameMessage(types, table, x, y);
    },
  };
  const piece = (bytes: Uint8Array): Piece => ({ bytes, from: 0, to: bytes.length, type: WireType.LengthDelimited });
  return says(how, t, piece(a), piece(b)) === true && sameUnknown(t, a, b);
}

function sameUnknown(t: Table, a: Uint8Array, b: Uint8Array): boolean {
  return unknownText(t, a) === unknownText(t, b);
}

// unknownText shows the fields that the schema does not know, at every depth.
function unknownText(t: Table, bytes: Uint8Array): string {
  const own = new Map<number, string>();
  const parts: string[] = [];
  const c = new Cursor(bytes);
  while (c.more) {
    const start = c.at;
    if (!c.tag()) {
      return "";
    }
    const { number, type } = c;
    if (!c.skip()) {
      return "";
    }
    const f = t.byNumber.get(number);
    if (f === undefined || !takes(f, type)) {
      own.set(number, (own.get(number) ?? "") + String(c.bytes.subarray(start, c.at)) + ";");
    } else if (f.message !== undefined && t.form !== Form.Any) {
      parts.push(unknownText(f.message, c.inner()));
    }
  }
  return [...own].sort(([x], [y]) => x - y).map(([, text]) => text).join() + parts.join("");
}
