// ProtoJSON written while passing once over Protobuf bytes.

import { ScalarType } from "@bufbuild/protobuf";
import { floatText, narrowText } from "./jsonnumber.js";
import { compareKeys, type Entry, eachElement, entryAt, floatOf, gather, isZero, type Piece, type Scalar, scalarAt, takes, whole } from "./message.js";
import { Cursor, WireType } from "./protowire.js";
import { type EnumTable, type Field, Form, isWide, linkOf, type Table, type Types } from "./table.js";
import { base64, textOf } from "./text.js";

// Why a writer did not come to its end: nothing says it; or fields stand twice or in an
// odd order, which can be put right.
const refused = 0;
const odd = 1;

// What is not written since the schema does not know it.
const leftOut = "";

const maxOdd = 1 << 16;
const maxCopies = 8;

/** Text is ProtoJSON that was written. Exact says that it reads back as the same message: there are no unknown fields. */
export interface Text {
  readonly text: string;
  readonly exact: boolean;
}

/** textOfMessage returns the ProtoJSON of a message, in an Any of that URL or alone; undefined where there is none. */
export function textOfMessage(types: Types, t: Table, value: Uint8Array, depth: number, typeUrl?: string): Text | undefined {
  return written(types, value, (w) => w.whole(t, value, depth, typeUrl));
}

/** textOfField returns the ProtoJSON of one field; undefined where there is none. */
export function textOfField(types: Types, f: Field, pieces: readonly Piece[], depth: number): Text | undefined {
  const size = pieces.reduce((n, p) => n + p.to - p.from, 0);
  return written(types, { length: size }, (w) => w.field(f, pieces, depth));
}

function written(types: Types, value: { readonly length: number }, write: (w: Writer) => string | undefined): Text | undefined {
  let w = new Writer(types, false, Infinity);
  let text = write(w);
  if (text === undefined && w.trouble === odd && value.length <= maxOdd) {
    w = new Writer(types, true, maxCopies * (value.length + 64));
    text = write(w);
  }
  return text === undefined ? undefined : { text, exact: !w.unknown };
}

class Writer {
  unknown = false;
  trouble = refused;
  private inAny = 0;

  constructor(
    private readonly types: Types,
    // Whether fields that stand twice are put right.
    private readonly normal: boolean,
    private left: number,
  ) {}

  private fail(trouble: number): undefined {
    this.trouble = trouble;
    return undefined;
  }

  // refuse is for a value that ProtoJSON does not say: what comes later may take its place.
  private refuse(): undefined {
    return this.fail(this.normal ? refused : odd);
  }

  // strange takes note of a field that the schema does not know; false where that ends the writing.
  private strange(): boolean {
    if (this.inAny > 0) {
      this.trouble = refused;
      return false;
    }
    this.unknown = true;
    return true;
  }

  whole(t: Table, value: Uint8Array, depth: number, typeUrl: string | undefined): string | undefined {
    const piece = { bytes: value, from: 0, to: value.length, type: WireType.LengthDelimited };
    return typeUrl === undefined ? this.message(t, piece, depth) : this.opened(typeUrl, t, piece, depth);
  }

  private opened(typeUrl: string, t: Table, p: Piece, depth: number): string | undefined {
    const lead = '{"@type":' + JSON.stringify(typeUrl);
    if (t.form < Form.Any) {
      return this.fields(t, p, depth - 1, lead);
    }
    const text = this.message(t, p, depth - 1);
    return text === undefined ? undefined : lead + ',"value":' + text + "}";
  }

  private message(t: Table, p: Piece, depth: number): string | undefined {
    if (t.form < Form.Any) {
      return depth <= 0 ? this.fail(refused) : this.fields(t, p, depth - 1, "{");
    }
    return this.special(t, p, depth);
  }

  // fields writes the members of an object that lead begins. Depth is how many objects
  // and lists may be open in a member.
  private fields(t: Table, p: Piece, depth: number, lead: string): string | undefined {
    return t.unruly || this.normal ? this.arranged(t, p, depth, lead) : this.stream(t, p, depth, lead);
  }

  private arranged(t: Table, p: Piece, depth: number, lead: string): string | undefined {
    const g = gather(t, p.bytes, p.from, p.to);
    if (g === undefined) {
      return this.fail(refused);
    }
    if (g.odd && !this.normal) {
      return this.fail(odd);
    }
    if (g.unknown && !this.strange()) {
      return undefined;
    }
    let out = lead;
    for (const f of t.fields) {
      const pieces = g.pieces[f.place];
      if (pieces === undefined) {
        continue;
      }
      const more = this.member(f, pieces, depth, out);
      if (more === undefined) {
        return undefined;
      }
      out = more;
    }
    return out + "}";
  }

  // member adds a field to what is written of an object, unless it says nothing.
  private member(f: Field, pieces: readonly Piece[], depth: number, out: string): string | undefined {
    if (!f.presence && !f.repeated && f.key === undefined && isZero(f, pieces[0] as Piece)) {
      return out;
    }
    const text = this.field(f, pieces, depth);
    if (text === undefined) {
      return undefined;
    }
    return text === leftOut ? out : out + (out.length > 1 ? "," : "") + f.label + text;
  }

  /** field writes the value of a field. */
  field(f: Field, pieces: readonly Piece[], depth: number): string | undefined {
    if (f.key !== undefined) {
      return this.entries(f, pieces, depth);
    }
    if (f.repeated) {
      return this.elements(f, pieces, depth);
    }
    return this.one(f, f.message === undefined ? (pieces[0] as Piece) : whole(pieces), depth);
  }

  // stream writes fields that stand in the order of the schema.
  private stream(t: Table, p: Piece, depth: number, lead: string): string | undefined {
    const c = new Cursor(p.bytes, p.from, p.to);
    let out = lead;
    let last = -1;
    while (c.more) {
      if (!c.tag()) {
        return this.fail(refused);
      }
      const f = t.byNumber.get(c.number);
      if (f === undefined || !takes(f, c.type)) {
        if (!c.skip()) {
          return this.fail(refused);
        }
        if (!this.strange()) {
          return undefined;
        }
        continue;
      }
      if (f.place <= last) {
        return this.fail(odd);
      }
      last = f.place;
      const pieces = this.run(c, f);
      if (pieces === undefined) {
        return this.fail(refused);
      }
      const more = this.member(f, pieces, depth, out);
      if (more === undefined) {
        return undefined;
      }
      out = more;
    }
    return out + "}";
  }

  // run returns the value whose tag was read, and those of the same list or map that follow.
  private run(c: Cursor, f: Field): Piece[] | undefined {
    const pieces: Piece[] = [];
    for (;;) {
      const start = c.at;
      const { type } = c;
      if (!c.skip()) {
        return undefined;
      }
      const framed = type === WireType.LengthDelimited || type === WireType.StartGroup;
      pieces.push({ bytes: c.bytes, from: framed ? c.from : start, to: framed ? c.to : c.at, type });
      if (!c.more || (!f.repeated && f.key === undefined)) {
        return pieces;
      }
      const before = c.at;
      if (!c.tag() || c.number !== f.number || !takes(f, c.type)) {
        c.at = before;
        return pieces;
      }
    }
  }

  private one(f: Field, p: Piece, depth: number): string | undefined {
    if (f.message !== undefined) {
      return this.message(f.message, p, depth);
    }
    switch (f.scalar) {
      case ScalarType.STRING: {
        const text = textOf(p.bytes, p.from, p.to);
        return text === undefined ? this.fail(refused) : JSON.stringify(text);
      }
      case ScalarType.BYTES:
        return '"' + base64(p.bytes.subarray(p.from, p.to), "padded") + '"';
    }
    return this.scalar(f, new Cursor(p.bytes, p.from, p.to));
  }

  private scalar(f: Field, c: Cursor): string | undefined {
    const n = scalarAt(c, f.scalar as ScalarType);
    if (n === undefined) {
      return this.fail(refused);
    }
    return f.enumeration === undefined ? scalarText(f, n) : this.enumText(f.enumeration, n as number);
  }

  private enumText(e: EnumTable, n: number): string | undefined {
    if (e.isNull) {
      return n === 0 ? "null" : this.refuse(); // it would read back as 0
    }
    const name = e.names.get(n);
    if (name !== undefined) {
      return name;
    }
    if (e.closed) {
      return this.strange() ? leftOut : undefined; // readers keep it as an unknown field
    }
    return String(n);
  }

  // elements writes a list; leftOut for one without elements.
  private elements(f: Field, pieces: readonly Piece[], depth: number): string | undefined {
    if (depth <= 0) {
      return this.fail(refused);
    }
    const parts: string[] = [];
    const add = (text: string | undefined): boolean => {
      if (text === undefined) {
        return false;
      }
      if (text !== leftOut) {
        parts.push(text);
      }
      return true;
    };
    const ok =
      f.message !== undefined || f.wire === WireType.LengthDelimited
        ? pieces.every((p) => add(this.one(f, p, depth - 1)))
        : eachElement(f, pieces, (c) => add(this.scalar(f, c)));
    return !ok ? undefined : parts.length === 0 ? leftOut : "[" + parts.join(",") + "]";
  }

  private entries(f: Field, pieces: readonly Piece[], depth: number): string | undefined {
    if (depth <= 0) {
      return this.fail(refused);
    }
    let list: Entry[] = [];
    let ascends = true;
    for (const p of pieces) {
      const entry = entryAt(f, p);
      if (entry === undefined) {
        return this.fail(refused);
      }
      if (entry.odd && !this.normal) {
        return this.fail(odd);
      }
      ascends &&= list.length === 0 || compareKeys((list[list.length - 1] as Entry).key, entry.key) < 0;
      list.push(entry);
    }
    if (!ascends) {
      const byKey = new Map(list.map((e) => [e.key, e]));
      if (byKey.size < list.length && !this.normal) {
        return this.fail(odd);
      }
      list = [...byKey.values()].sort((a, b) => compareKeys(a.key, b.key));
    }
    const valueField = f.value as Field;
    let out = "{";
    for (const { key, value } of list) {
      const text = value === undefined ? this.zero(valueField, depth - 1) : this.one(valueField, value, depth - 1);
      if (text === undefined) {
        return undefined;
      }
      if (text !== leftOut) {
        out += (out.length > 1 ? "," : "") + keyText(f.key as Field, key) + ":" + text;
      }
    }
    return out + "}";
  }

  private zero(f: Field, depth: number): string | undefined {
    const zeros = new Uint8Array(8);
    return this.one(f, { bytes: zeros, from: 0, to: f.wire === WireType.LengthDelimited || f.wire === WireType.StartGroup ? 0 : 8, type: f.wire }, depth);
  }

  private special(t: Table, p: Piece, depth: number): string | undefined {
    const g = gather(t, p.bytes, p.from, p.to);
    if (g === undefined) {
      return this.fail(refused);
    }
    if (g.odd && !this.normal && t.form !== Form.Time && t.form !== Form.Span) {
      return this.fail(odd);
    }
    if (g.unknown && !this.strange()) {
      return undefined;
    }
    const at = (place: number): Piece | undefined => g.pieces[place]?.[0];
    switch (t.form) {
      case Form.Any:
        return this.any(at(0), at(1), depth);
      case Form.Time:
        return this.time(integer(at(0)), integer32(at(1)));
      case Form.Span:
        return this.span(integer(at(0)), integer32(at(1)));
      case Form.Mask:
        return this.mask(g.pieces[0] ?? []);
      case Form.Wrapper: {
        const f = t.fields[0] as Field; // it is written even where it is zero
        const value = at(0);
        return value === undefined ? this.zero(f, depth) : this.one(f, value, depth);
      }
      case Form.Struct:
        return this.entries(t.fields[0] as Field, g.pieces[0] ?? [], depth);
      case Form.List: {
        const text = this.elements(t.fields[0] as Field, g.pieces[0] ?? [], depth);
        return text === leftOut ? "[]" : text;
      }
      default:
        return this.dynamic(t, g.pieces, depth);
    }
  }

  private any(url: Piece | undefined, value: Piece | undefined, depth: number): string | undefined {
    if (depth <= 0) {
      return this.fail(refused);
    }
    const typeUrl = url === undefined ? "" : textOf(url.bytes, url.from, url.to);
    const held = value ?? { bytes: new Uint8Array(), from: 0, to: 0, type: WireType.LengthDelimited };
    if (typeUrl === undefined) {
      return this.fail(refused);
    }
    if (typeUrl === "") {
      return held.from < held.to ? this.fail(refused) : "{}";
    }
    const t = linkOf(this.types, typeUrl);
    this.left -= held.to - held.from;
    if (t === undefined || this.left < 0) {
      return this.fail(refused);
    }
    this.inAny++;
    const text = this.opened(typeUrl, t, held, depth);
    this.inAny--;
    return text;
  }

  private time(seconds: number, nanos: number): string | undefined {
    if (seconds < minTime || seconds > maxTime || nanos < 0 || nanos > maxNanos) {
      return this.refuse();
    }
    return '"' + new Date(seconds * 1000).toISOString().slice(0, -5) + fraction(nanos) + 'Z"';
  }

  private span(seconds: number, nanos: number): string | undefined {
    if (Math.abs(seconds) > maxSpan || Math.abs(nanos) > maxNanos || (seconds > 0 && nanos < 0) || (seconds < 0 && nanos > 0)) {
      return this.refuse();
    }
    const sign = seconds < 0 || nanos < 0 ? "-" : "";
    return `"${sign}${Math.abs(seconds)}${fraction(Math.abs(nanos))}s"`;
  }

  private mask(pieces: readonly Piece[]): string | undefined {
    const paths: string[] = [];
    for (const p of pieces) {
      const path = pathText(textOf(p.bytes, p.from, p.to) ?? "");
      if (path === undefined) {
        return this.fail(refused);
      }
      paths.push(path);
    }
    return '"' + paths.join(",") + '"';
  }

  // dynamic writes a google.protobuf.Value, which ProtoJSON has where it has a kind and
  // is a number that JSON has.
  private dynamic(t: Table, pieces: readonly (Piece[] | undefined)[], depth: number): string | undefined {
    const f = t.fields.find((one) => pieces[one.place] !== undefined);
    if (f === undefined) {
      return this.refuse();
    }
    const own = pieces[f.place] as Piece[];
    if (f.scalar === ScalarType.DOUBLE) {
      const p = own[0] as Piece;
      const n = scalarAt(new Cursor(p.bytes, p.from, p.to), ScalarType.DOUBLE);
      if (n !== undefined && !Number.isFinite(floatOf(n, ScalarType.DOUBLE))) {
        return this.refuse();
      }
    }
    return this.field(f, own, depth);
  }
}

/** The bounds of google.protobuf.Timestamp and Duration. */
export const minTime = -62_135_596_800;
export const maxTime = 253_402_300_799;
export const maxSpan = 315_576_000_000;
const maxNanos = 999_999_999;

function scalarText(f: Field, n: Scalar): string {
  const scalar = f.scalar as ScalarType;
  switch (scalar) {
    case ScalarType.BOOL:
      return n === 0 ? "false" : "true";
    case ScalarType.FLOAT:
    case ScalarType.DOUBLE: {
      const x = floatOf(n, scalar);
      if (!Number.isFinite(x)) {
        return Number.isNaN(x) ? '"NaN"' : x > 0 ? '"Infinity"' : '"-Infinity"';
      }
      return scalar === ScalarType.FLOAT ? narrowText(x) : floatText(x);
    }
  }
  return isWide(scalar) ? `"${n}"` : String(n);
}

function keyText(f: Field, key: Scalar): string {
  return f.scalar === ScalarType.BOOL ? (key === 0 ? '"false"' : '"true"') : JSON.stringify(String(key));
}

function integer(p: Piece | undefined): number {
  return p === undefined ? 0 : Number(scalarAt(new Cursor(p.bytes, p.from, p.to), ScalarType.INT64) ?? 0);
}

function integer32(p: Piece | undefined): number {
  return p === undefined ? 0 : Number(scalarAt(new Cursor(p.bytes, p.from, p.to), ScalarType.INT32) ?? 0);
}

function fraction(nanos: number): string {
  if (nanos === 0) {
    return "";
  }
  const digits = String(nanos).padStart(9, "0");
  return "." + (digits.endsWith("000000") ? digits.slice(0, 3) : digits.endsWith("000") ? digits.slice(0, 6) : digits);
}

// pathText returns a path of a FieldMask in lowerCamelCase; undefined where it is no path
// or another one would come back.
function pathText(path: string): string | undefined {
  if (!/^(?:[a-z]|_[a-z])(?:[a-z0-9]|_[a-z])*(?:\.(?:[a-z]|_[a-z])(?:[a-z0-9]|_[a-z])*)*$/.test(path)) {
    return undefined;
  }
  return path.replace(/_([a-z])/g, (_, c: string) => c.toUpperCase());
}
