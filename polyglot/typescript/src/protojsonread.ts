// Protobuf bytes written while passing once over the JSON of a message.

import { ScalarType } from "@bufbuild/protobuf";
import { floatText, integerOf, type Integral, isNumber, narrowText, sameNumber } from "./jsonnumber.js";
import { Kind, type Value } from "./jsontree.js";
import { appendFixed, compareKeys, isZero, type Piece, type Scalar, scalarAt } from "./message.js";
import { maxSpan, maxTime, minTime } from "./protojsonwrite.js";
import { Cursor, Out, WireType } from "./protowire.js";
import { type EnumTable, type Field, Form, isWide, linkOf, type Table, type Types } from "./table.js";
import { compareText, paddedBase64, textOf } from "./text.js";

/** Reading says how JSON is read. */
export interface Reading {
  readonly types: Types;
  /** Members and names of enum values that the schema does not know are left out. */
  readonly lenient: boolean;
  /** A number that would not be written again with the same value is refused. */
  readonly numbers: boolean;
  /** Values of metadata that are no strings are read as their JSON text, null as nothing. */
  readonly textual: boolean;
}

/** bytesOfObject reads an object of fields, with "@type" beside them or not; undefined where ProtoJSON refuses it. */
export function bytesOfObject(how: Reading, t: Table, v: Value, typed: boolean): Uint8Array | undefined {
  return bytesBy(how, (r) => r.fields(v, t, typed));
}

/** bytesOfMessage reads a message alone. */
export function bytesOfMessage(how: Reading, t: Table, v: Value): Uint8Array | undefined {
  return bytesBy(how, (r) => r.message(v, t));
}

/** bytesOfAny reads the message that an object with "@type" holds. */
export function bytesOfAny(how: Reading, t: Table, v: Value): Uint8Array | undefined {
  return bytesBy(how, (r) => r.embedded(v, t));
}

/** bytesOfField reads the value of a field, with its tag. */
export function bytesOfField(how: Reading, f: Field, v: Value): Uint8Array | undefined {
  return bytesBy(how, (r) => r.field(v, f));
}

// One is kept for the next: most readings are of a few hundred bytes.
let spare: Out | undefined;

function bytesBy(how: Reading, read: (r: Reader) => boolean): Uint8Array | undefined {
  const out = spare ?? new Out();
  spare = undefined;
  out.length = 0;
  const bytes = read(new Reader(how, out)) ? out.done() : undefined;
  if (out.bytes.length <= 1 << 16) {
    spare = out;
  }
  return bytes;
}

class Reader {
  // Whether the value was not read because the schema does not know it, which does not matter.
  private leftOut = false;

  constructor(
    private readonly how: Reading,
    private readonly out: Out,
  ) {}

  message(v: Value, t: Table): boolean {
    return t.form < Form.Any ? this.fields(v, t, false) : this.special(v, t);
  }

  /** embedded reads the message that an object with "@type" holds. */
  embedded(v: Value, t: Table): boolean {
    if (t.form === Form.Fields) {
      return this.fields(v, t, true);
    }
    let value: Value | undefined;
    for (let m = v.first; m.exists; m = m.next) {
      if (m.repeats || m.nameIs("@type")) {
        continue;
      }
      if (m.nameIs("value")) {
        value = m;
      } else if (!this.how.lenient) {
        return false;
      }
    }
    return value === undefined ? t.form === Form.Empty : this.message(value, t);
  }

  /** fields reads an object of fields. */
  fields(v: Value, t: Table, typed: boolean): boolean {
    if (!v.isObject) {
      return false;
    }
    const { out } = this;
    const start = out.length;
    let ascends = true;
    let last = 0;
    let next = 0;
    const seen = new Set<Field>();
    let oneofs: Set<number> | undefined;
    for (let m = v.first; m.exists; m = m.next) {
      if (m.repeats) {
        continue;
      }
      if (typed && m.nameIs("@type")) {
        continue;
      }
      // Members mostly stand in the order of the schema, so the next field is tried first.
      const tried = t.fields[next];
      const f = tried !== undefined && m.nameIs(tried.json) ? tried : t.byName.get(m.name);
      if (f === undefined) {
        if (!this.how.lenient) {
          return false;
        }
        continue;
      }
      next = f.place + 1;
      if (seen.has(f)) {
        return false;
      }
      seen.add(f);
      if (m.isNull && !f.nullable) {
        continue;
      }
      if (f.oneof >= 0) {
        oneofs ??= new Set();
        if (oneofs.has(f.oneof)) {
          return false;
        }
        oneofs.add(f.oneof);
      }
      ascends &&= f.number > last;
      last = f.number;
      if (!this.field(m, f)) {
        return false;
      }
    }
    if (!ascends) {
      this.order(start, undefined);
    }
    return true;
  }

  /** field reads a field: its tag and value, or several. */
  field(v: Value, f: Field): boolean {
    const { out } = this;
    if (f.key !== undefined) {
      return this.entries(v, f);
    }
    if (f.repeated) {
      return this.elements(v, f);
    }
    const start = out.length;
    out.tag(f.number, f.wire);
    const body = out.length;
    const ok = this.value(v, f);
    if ((!ok && this.isLeftOut()) || (ok && !f.presence && isZero(f, this.piece(f, body)))) {
      out.length = start;
      return true;
    }
    return ok;
  }

  private isLeftOut(): boolean {
    const was = this.leftOut;
    this.leftOut = false;
    return was;
  }

  // piece returns the value that was written from body on.
  private piece(f: Field, body: number): Piece {
    const c = new Cursor(this.out.bytes, body, this.out.length);
    if (f.wire === WireType.LengthDelimited) {
      c.content();
      return { bytes: this.out.bytes, from: c.from, to: c.to, type: f.wire };
    }
    return { bytes: this.out.bytes, from: body, to: this.out.length, type: f.wire };
  }

  private elements(v: Value, f: Field): boolean {
    if (!v.isArray) {
      return false;
    }
    const { out } = this;
    const start = out.length;
    let body = 0;
    if (f.packed) {
      out.tag(f.number, WireType.LengthDelimited);
      body = out.begin();
    }
    for (let e = v.first; e.exists; e = e.next) {
      const before = out.length;
      if (!f.packed) {
        out.tag(f.number, f.wire);
      }
      if (!this.value(e, f)) {
        if (!this.isLeftOut()) {
          return false;
        }
        out.length = before;
      }
    }
    if (f.packed) {
      if (out.length === body) {
        out.length = start;
      } else {
        out.frame(body);
      }
    }
    return true;
  }

  private entries(v: Value, f: Field): boolean {
    if (!v.isObject) {
      return false;
    }
    const { out } = this;
    const key = f.key as Field;
    const value = f.value as Field;
    const texts = this.how.textual && key.scalar === ScalarType.STRING && value.scalar === ScalarType.STRING;
    const start = out.length;
    let ascends = true;
    let last: string | undefined;
    for (let m = v.first; m.exists; m = m.next) {
      if (m.repeats || (texts && m.isNull)) {
        continue;
      }
      const before = out.length;
      out.tag(f.number, WireType.LengthDelimited);
      const entry = out.begin();
      out.tag(1, key.wire);
      const { name } = m;
      if (!this.key(m, name, key, texts)) {
        return false;
      }
      out.tag(2, value.wire);
      if (texts) {
        const body = out.begin();
        out.text(m.isString ? m.text : m.once);
        out.frame(body);
      } else if (!this.value(m, value)) {
        if (!this.isLeftOut()) {
          return false;
        }
        out.length = before;
        continue;
      }
      if (value.message !== undefined && value.wire === WireType.StartGroup) {
        return false;
      }
      out.frame(entry);
      ascends &&= last === undefined || (key.scalar === ScalarType.STRING && compareText(last, name) < 0);
      last = name;
    }
    return ascends || this.order(start, f) || texts;
  }

  // key reads the name of a member as a key.
  private key(m: Value, name: string, f: Field, texts: boolean): boolean {
    const { out } = this;
    const scalar = f.scalar as ScalarType;
    if (scalar === ScalarType.STRING) {
      const start = out.begin();
      out.text(name);
      out.frame(start);
      return texts || !m.lone || !m.nameToken.includes("\\");
    }
    if (scalar === ScalarType.BOOL) {
      out.byte(name === "true" ? 1 : 0);
      return name === "true" || name === "false";
    }
    // As strconv reads numbers: zeros may lead, and a sign.
    const form = isSigned(scalar) ? /^[-+]?[0-9]+$/ : /^[0-9]+$/;
    return name.length < 4096 && form.test(name) && this.integer({ magnitude: BigInt(name.replace(/^[-+]/, "")), negative: name.startsWith("-") }, scalar);
  }

  // order puts fields that were written into the order of their numbers, or the entries
  // of a map into that of their keys; false where something stands twice.
  private order(start: number, map: Field | undefined): boolean {
    const { out } = this;
    const spans: { key: Scalar; from: number; to: number }[] = [];
    const c = new Cursor(out.bytes, start, out.length);
    while (c.more) {
      const from = c.at;
      c.tag();
      const number = c.number;
      c.skip();
      let key: Scalar = number;
      if (map?.key !== undefined) {
        const k = new Cursor(out.bytes, c.from, c.to);
        k.tag();
        if (map.key.scalar === ScalarType.STRING) {
          k.content();
          key = textOf(out.bytes, k.from, k.to) ?? "";
        } else {
          key = scalarAt(k, map.key.scalar as ScalarType) as Scalar;
        }
      }
      spans.push({ key, from, to: c.at });
    }
    spans.sort((a, b) => compareKeys(a.key, b.key));
    const sorted = new Uint8Array(out.length - start);
    let at = 0;
    let unique = true;
    spans.forEach((s, i) => {
      unique &&= i === 0 || compareKeys((spans[i - 1] as (typeof spans)[0]).key, s.key) !== 0;
      sorted.set(out.bytes.subarray(s.from, s.to), at);
      at += s.to - s.from;
    });
    out.bytes.set(sorted, start);
    return unique;
  }

  // value reads one value without its tag.
  private value(v: Value, f: Field): boolean {
    const { out } = this;
    if (f.message !== undefined) {
      if (f.wire === WireType.StartGroup) {
        if (!this.message(v, f.message)) {
          return false;
        }
        out.tag(f.number, WireType.EndGroup);
        return true;
      }
      const start = out.begin();
      if (!this.message(v, f.message)) {
        return false;
      }
      out.frame(start);
      return true;
    }
    if (f.enumeration !== undefined) {
      return this.enumeration(v, f.enumeration);
    }
    const scalar = f.scalar as ScalarType;
    switch (scalar) {
      case ScalarType.STRING: {
        return v.isString && !v.lone && this.text(v.text);
      }
      case ScalarType.BYTES: {
        const text = this.content(v);
        const bytes = text === undefined ? undefined : paddedBase64(text);
        if (bytes === undefined) {
          return false;
        }
        out.varint(bytes.length);
        out.raw(bytes);
        return true;
      }
      case ScalarType.BOOL:
        out.byte(v.isTrue ? 1 : 0);
        return v.kind === Kind.Bool;
      case ScalarType.FLOAT:
      case ScalarType.DOUBLE:
        return this.float(v, scalar);
    }
    const token = v.isNumber ? v.raw : this.content(v);
    const n = token === undefined ? undefined : integerOf(token);
    return n !== undefined && this.integer(n, scalar);
  }

  private text(text: string): boolean {
    const start = this.out.begin();
    this.out.text(text);
    this.out.frame(start);
    return true;
  }

  // content returns what a string says; undefined for others and where it says no text.
  private content(v: Value): string | undefined {
    return v.isString && !v.lone ? v.text : undefined;
  }

  private integer(n: Integral, scalar: ScalarType): boolean {
    const { out } = this;
    const width = isWide(scalar) ? 64n : 32n;
    const limit = isSigned(scalar) ? 1n << (width - 1n) : 1n << width;
    if (isSigned(scalar) ? n.magnitude > limit || (n.magnitude === limit && !n.negative) : n.magnitude >= limit || (n.negative && n.magnitude > 0n)) {
      return false;
    }
    const value = n.negative ? -n.magnitude : n.magnitude;
    switch (scalar) {
      case ScalarType.SINT32:
      case ScalarType.SINT64:
        out.wide((value << 1n) ^ (value >> 63n));
        break;
      case ScalarType.FIXED32:
      case ScalarType.SFIXED32:
        appendFixed(out, value, 4);
        break;
      case ScalarType.FIXED64:
      case ScalarType.SFIXED64:
        appendFixed(out, value, 8);
        break;
      default:
        out.wide(value);
    }
    return true;
  }

  private float(v: Value, scalar: ScalarType): boolean {
    let check = this.how.numbers;
    let token = v.raw;
    let n: number;
    if (!v.isNumber) {
      const text = this.content(v);
      if (text === undefined) {
        return false;
      }
      token = text;
      check = false;
    }
    if (!v.isNumber && (token === "NaN" || token === "Infinity" || token === "-Infinity")) {
      n = Number(token);
    } else if (!isNumber(token)) {
      return false;
    } else {
      n = scalar === ScalarType.FLOAT ? narrow(token) : Number(token);
      if (!Number.isFinite(n) || (check && !comesBack(token, n, scalar))) {
        return false;
      }
    }
    this.out.room(8);
    const view = new DataView(this.out.bytes.buffer, this.out.length, 8);
    if (scalar === ScalarType.FLOAT) {
      view.setFloat32(0, n, true);
      this.out.length += 4;
    } else {
      view.setFloat64(0, n, true);
      this.out.length += 8;
    }
    return true;
  }

  private enumeration(v: Value, e: EnumTable): boolean {
    let number = 0;
    switch (v.kind) {
      case Kind.Null:
        if (!e.isNull) {
          return false;
        }
        break;
      case Kind.String: {
        const name = this.content(v);
        const known = name === undefined ? undefined : e.byName.get(name);
        if (known === undefined) {
          this.leftOut = name !== undefined && this.how.lenient;
          return false;
        }
        number = known;
        break;
      }
      case Kind.Number: {
        const n = integerOf(v.raw);
        if (n === undefined || n.magnitude > (n.negative ? 1n << 31n : (1n << 31n) - 1n)) {
          return false;
        }
        number = Number(n.negative ? -n.magnitude : n.magnitude);
        const known = e.names.has(number);
        if ((!known && e.closed) || (this.how.numbers && number !== 0 && (known || e.isNull))) {
          return false; // it would be written as its name
        }
        break;
      }
      default:
        return false;
    }
    this.out.int(number);
    return true;
  }

  private special(v: Value, t: Table): boolean {
    switch (t.form) {
      case Form.Any:
        return this.any(v, t);
      case Form.Time:
      case Form.Span: {
        const text = this.content(v);
        const moment = text === undefined ? undefined : t.form === Form.Time ? parseTime(text) : parseSpan(text);
        if (moment === undefined) {
          return false;
        }
        this.moment(moment[0], moment[1]);
        return true;
      }
      case Form.Mask: {
        const text = this.content(v);
        return text !== undefined && this.mask(text);
      }
      case Form.Value:
        return this.dynamic(v, t);
      default:
        return this.field(v, t.fields[0] as Field);
    }
  }

  private moment(seconds: number, nanos: number): void {
    for (const [i, n] of [seconds, nanos].entries()) {
      if (n !== 0) {
        this.out.tag(i + 1, WireType.Varint);
        this.out.int(n);
      }
    }
  }

  private any(v: Value, t: Table): boolean {
    if (!v.isObject) {
      return false;
    }
    const { out } = this;
    const type = v.get("@type");
    if (!type.exists) {
      return v.length === 0 || this.how.lenient;
    }
    const url = linkName(type);
    const held = url === undefined ? undefined : linkOf(this.how.types, url);
    if (url === undefined || held === undefined) {
      return false;
    }
    out.tag((t.fields[0] as Field).number, WireType.LengthDelimited);
    this.text(url);
    const start = out.length;
    out.tag((t.fields[1] as Field).number, WireType.LengthDelimited);
    const body = out.begin();
    if (!this.embedded(v, held)) {
      return false;
    }
    if (out.length === body) {
      out.length = start;
    } else {
      out.frame(body);
    }
    return true;
  }

  private dynamic(v: Value, t: Table): boolean {
    const numbers: Readonly<Record<number, number>> = { [Kind.Null]: 1, [Kind.Number]: 2, [Kind.String]: 3, [Kind.Bool]: 4, [Kind.Object]: 5, [Kind.Array]: 6 };
    const f = t.byNumber.get(numbers[v.kind] ?? 0);
    return f !== undefined && this.field(v, f);
  }

  private mask(text: string): boolean {
    const content = text.trim();
    if (content === "") {
      return true;
    }
    for (const path of content.split(",")) {
      const snake = path.replace(/[A-Z]/g, (c) => "_" + c.toLowerCase());
      if (path.includes("_") || !/^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*$/.test(snake)) {
        return false;
      }
      this.out.tag(1, WireType.LengthDelimited);
      this.text(snake);
    }
    return true;
  }
}

/** linkName returns the text of an "@type"; undefined where it is none, or no text. */
export function linkName(type: Value): string | undefined {
  return type.isString && !type.lone ? type.text : undefined;
}

function isSigned(scalar: ScalarType): boolean {
  switch (scalar) {
    case ScalarType.UINT32:
    case ScalarType.UINT64:
    case ScalarType.FIXED32:
    case ScalarType.FIXED64:
      return false;
    default:
      return true;
  }
}

// narrow reads a number as a float of 32 bits. Rounding twice, to a double first, is
// wrong only where that double lies in the middle of two floats and the token does not.
function narrow(token: string): number {
  const double = Number(token);
  const single = Math.fround(double);
  if (single === double || !Number.isFinite(double)) {
    return single;
  }
  const scale = 2 ** Math.max(Math.floor(Math.log2(Math.abs(double))) - 23, -149);
  const below = Math.fround(Math.floor(double / scale) * scale);
  const above = Math.fround(below + scale);
  if (double - below !== above - double || sameNumber(token, floatText(double))) {
    return single;
  }
  // The token says on which side of the middle it is.
  return compareExact(token, double) < 0 ? below : above;
}

function compareExact(token: string, double: number): number {
  const text = double.toFixed(100).replace(/0+$/, "");
  const [a, b] = [scaled(token), scaled(text)];
  const power = BigInt(Math.max(0, a[1] - b[1]));
  const other = BigInt(Math.max(0, b[1] - a[1]));
  const x = a[0] * 10n ** power;
  const y = b[0] * 10n ** other;
  return x < y ? -1 : x > y ? 1 : 0;
}

function scaled(token: string): [bigint, number] {
  const [mantissa, power = "0"] = token.split(/[eE]/) as [string, string | undefined];
  const [whole, part = ""] = mantissa.split(".") as [string, string | undefined];
  return [BigInt(whole + part), Math.max(-2000, Math.min(2000, Number(power))) - part.length];
}

// comesBack tells whether a number token, which is read as n, has the value that n is
// written with.
function comesBack(token: string, n: number, scalar: ScalarType): boolean {
  let digits = 0; // from the first that is not 0
  let some = false;
  for (let i = 0; i < token.length; i++) {
    const c = token.charCodeAt(i);
    if ((c | 0x20) === 0x65) {
      break;
    }
    some ||= c >= 0x31 && c <= 0x39;
    if (some && c !== 0x2e) {
      digits++;
    }
  }
  if (!some) {
    return true;
  }
  // So many digits a number of its width always holds, but near its bounds.
  const abs = Math.abs(n);
  const isNarrow = scalar === ScalarType.FLOAT;
  if (isNarrow ? digits <= 6 && abs > 1e-36 : digits <= 15 && abs > 1e-300) {
    return true;
  }
  return n !== 0 && sameNumber(token, isNarrow ? narrowText(n) : floatText(n));
}

// parseTime reads a time as Go does, whose hour may have one digit.
function parseTime(text: string): [number, number] | undefined {
  const m = /^(\d{4})-(\d\d)-(\d\d)T(\d\d?):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([-+])(\d\d):(\d\d))$/.exec(text);
  if (m === null) {
    return undefined;
  }
  const [year, month, day, hour, minute, second] = m.slice(1, 7).map(Number) as [number, number, number, number, number, number];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  const offset = m[8] === undefined ? 0 : (Number(m[9]) * 60 + Number(m[10])) * (m[8] === "-" ? -60 : 60);
  const fits = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60 && second < 60;
  const decimals = m[7] ?? "";
  const seconds = Math.floor(date.getTime() / 1000) - offset;
  if (!fits || Number(m[9] ?? 0) > 24 || Number(m[10] ?? 0) >= 60 || (decimals.length > 9 && text.includes(".")) || seconds < minTime || seconds > maxTime) {
    return undefined;
  }
  return [seconds, Number(decimals.slice(0, 9).padEnd(9, "0"))];
}

function parseSpan(text: string): [number, number] | undefined {
  const m = /^([-+]?)(0|[1-9][0-9]{0,12})?(?:(\.)([0-9]{0,9}))?s$/.exec(text);
  if (m === null || (m[2] === undefined && m[3] === undefined)) {
    return undefined;
  }
  const seconds = Number(m[2] ?? "0");
  const nanos = Number((m[4] ?? "").padEnd(9, "0"));
  if (seconds > maxSpan) {
    return undefined;
  }
  return m[1] === "-" ? [0 - seconds, 0 - nanos] : [seconds, nanos];
}
