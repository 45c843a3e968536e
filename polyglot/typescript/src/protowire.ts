// The wire form of Protobuf, field by field, of bytes that nobody has looked at yet.
// The reader of @bufbuild/protobuf copies what it reads and takes what Protobuf
// refuses: see docs/decisions.md.

import { WireType } from "@bufbuild/protobuf/wire";
import { encodeUtf8 } from "./text.js";

export { WireType };

const maxFieldNumber = 2 ** 29 - 1;
const maxGroups = 10_000;

/** Cursor passes over bytes. What it reads is in its fields, good until it reads on. */
export class Cursor {
  /** The number and the wire type of the tag that was read last. */
  number = 0;
  type: WireType = WireType.Varint;
  /** The varint that was read last, in two halves without a sign. */
  low = 0;
  high = 0;
  /** Where the content of the bytes stands that were read last. */
  from = 0;
  to = 0;

  constructor(
    readonly bytes: Uint8Array,
    public at = 0,
    readonly end = bytes.length,
  ) {}

  /** more tells whether there is anything left. */
  get more(): boolean {
    return this.at < this.end;
  }

  /** tag reads a tag; false where it is none that Protobuf takes. */
  tag(): boolean {
    const first = this.bytes[this.at] as number;
    if (first >= 8 && first < 0x80 && this.at < this.end) {
      this.at++;
      this.number = first >> 3;
      this.type = first & 7;
      return true;
    }
    if (!this.varint() || this.high !== 0) {
      return false;
    }
    this.number = this.low >>> 3;
    this.type = this.low & 7;
    return this.number >= 1 && this.number <= maxFieldNumber;
  }

  /** varint reads a varint of at most 64 bits. */
  varint(): boolean {
    let low = 0;
    let high = 0;
    for (let i = 0; i < 10; i++) {
      if (this.at >= this.end) {
        return false;
      }
      const byte = this.bytes[this.at++] as number;
      const bits = byte & 0x7f;
      if (i < 4) {
        low |= bits << (7 * i);
      } else if (i === 4) {
        low |= bits << 28;
        high = bits >> 4;
      } else {
        high |= bits << (7 * i - 32);
      }
      if (byte < 0x80) {
        this.low = low >>> 0;
        this.high = high >>> 0;
        return i < 9 || byte < 2;
      }
    }
    return false;
  }

  /** fixed32 reads four bytes as low, with high 0. */
  fixed32(): boolean {
    if (this.end - this.at < 4) {
      return false;
    }
    this.low = this.word();
    this.high = 0;
    return true;
  }

  /** fixed64 reads eight bytes. */
  fixed64(): boolean {
    if (this.end - this.at < 8) {
      return false;
    }
    this.low = this.word();
    this.high = this.word();
    return true;
  }

  private word(): number {
    const { bytes, at } = this;
    this.at += 4;
    return (((bytes[at + 3] as number) << 24) | ((bytes[at + 2] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at] as number)) >>> 0;
  }

  /** content reads what has its length before it; its place is from and to. */
  content(): boolean {
    if (!this.varint() || this.high !== 0 || this.low > this.end - this.at) {
      return false;
    }
    this.from = this.at;
    this.at += this.low;
    this.to = this.at;
    return true;
  }

  /** inner returns the content that was read last. */
  inner(): Uint8Array {
    return this.bytes.subarray(this.from, this.to);
  }

  /** skip passes over the value of the tag that was read last; of bytes and groups, from and to say where it is. */
  skip(groups = 0): boolean {
    switch (this.type) {
      case WireType.Varint:
        return this.varint();
      case WireType.Bit32:
        return this.fixed32();
      case WireType.Bit64:
        return this.fixed64();
      case WireType.LengthDelimited:
        return this.content();
      case WireType.StartGroup:
        return this.group(groups);
      default:
        return false;
    }
  }

  private group(groups: number): boolean {
    const { number, at: from } = this;
    if (groups >= maxGroups) {
      return false;
    }
    for (;;) {
      const to = this.at;
      if (!this.more || !this.tag()) {
        return false;
      }
      if (this.type === WireType.EndGroup) {
        const fits = this.number === number;
        this.number = number;
        this.type = WireType.StartGroup;
        this.from = from;
        this.to = to;
        return fits;
      }
      if (!this.skip(groups + 1)) {
        return false;
      }
    }
  }
}

/** Out collects bytes. */
export class Out {
  bytes: Uint8Array<ArrayBuffer>;
  length = 0;

  constructor(room = 256) {
    this.bytes = new Uint8Array(room);
  }

  /** room makes sure that so many bytes fit behind what is there. */
  room(n: number): void {
    if (this.length + n > this.bytes.length) {
      const grown = new Uint8Array(Math.max(2 * this.bytes.length, this.length + n));
      grown.set(this.bytes.subarray(0, this.length));
      this.bytes = grown;
    }
  }

  byte(b: number): void {
    this.room(1);
    this.bytes[this.length++] = b;
  }

  raw(b: Uint8Array): void {
    this.room(b.length);
    this.bytes.set(b, this.length);
    this.length += b.length;
  }

  /** varint appends a number below 2^53 that is not negative. */
  varint(n: number): void {
    this.room(10);
    while (n >= 0x80) {
      this.bytes[this.length++] = (n % 0x80) | 0x80;
      n = Math.floor(n / 0x80);
    }
    this.bytes[this.length++] = n;
  }

  /** wide appends 64 bits as a varint. */
  wide(n: bigint): void {
    this.room(10);
    let rest = BigInt.asUintN(64, n);
    while (rest >= 0x80n) {
      this.bytes[this.length++] = Number(rest & 0x7fn) | 0x80;
      rest >>= 7n;
    }
    this.bytes[this.length++] = Number(rest);
  }

  /** int appends an integer of 53 bits and a sign as Protobuf's int32 and int64 are. */
  int(n: number): void {
    if (n < 0) {
      this.wide(BigInt(n));
    } else {
      this.varint(n);
    }
  }

  tag(number: number, type: WireType): void {
    this.varint(number * 8 + type);
  }

  /** text appends the UTF-8 of a text. */
  text(s: string): void {
    if (s.length < 64) {
      this.room(s.length);
      const start = this.length;
      for (let i = 0; i < s.length; i++) {
        const c = s.charCodeAt(i);
        if (c >= 0x80) {
          this.length = start;
          this.raw(encodeUtf8(s));
          return;
        }
        this.bytes[this.length++] = c;
      }
      return;
    }
    this.raw(encodeUtf8(s));
  }

  /** bytesField appends a field of bytes. */
  bytesField(number: number, b: Uint8Array): void {
    this.tag(number, WireType.LengthDelimited);
    this.varint(b.length);
    this.raw(b);
  }

  /** textField appends a field of text. */
  textField(number: number, s: string): void {
    this.tag(number, WireType.LengthDelimited);
    this.framed(() => this.text(s));
  }

  /** framed appends what f appends behind its length. */
  framed(f: () => void): void {
    const start = this.begin();
    f();
    this.frame(start);
  }

  /** begin leaves a byte for the length of what comes. */
  begin(): number {
    this.byte(0);
    return this.length;
  }

  /** frame puts the length of what came since begin before it. */
  frame(start: number): void {
    const size = this.length - start;
    if (size < 0x80) {
      this.bytes[start - 1] = size;
      return;
    }
    const extra = sizeVarint(size) - 1;
    this.room(extra);
    this.bytes.copyWithin(start + extra, start, this.length);
    this.length = start - 1;
    this.varint(size);
    this.length += size;
  }

  /** done returns what was collected. */
  done(): Uint8Array {
    return this.bytes.slice(0, this.length);
  }
}

/** sizeVarint returns how many bytes a number takes. */
export function sizeVarint(n: number): number {
  let size = 1;
  for (; n >= 0x80; n = Math.floor(n / 0x80)) {
    size++;
  }
  return size;
}

/** sizeBytes returns how many bytes so many take behind their length. */
export function sizeBytes(n: number): number {
  return sizeVarint(n) + n;
}
