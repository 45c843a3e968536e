// What is done with the fields of messages.

import { type DescMessage, fromBinary, type MessageShape } from "@bufbuild/protobuf";
import { BinaryReader } from "@bufbuild/protobuf/wire";
import { fieldOf, Fields, parseMessage, serializeMessage, type Single } from "./message.js";
import { concat, sameBytes } from "./utf8.js";

/** eachMessage yields the messages that populated fields of m hold. */
export function* eachMessage(m: Fields): Generator<Fields> {
  for (const value of m.values.values()) {
    const all = value instanceof Map ? value.values() : Array.isArray(value) ? value : [value];
    for (const one of all) {
      if (one instanceof Fields) {
        yield one;
      }
    }
  }
}

/** hasUnknown tells whether m holds unknown fields, at any depth. */
export function hasUnknown(m: Fields): boolean {
  if (m.unknown.length > 0) {
    return true;
  }
  for (const inner of eachMessage(m)) {
    if (hasUnknown(inner)) {
      return true;
    }
  }
  return false;
}

/** dropUnknown takes unknown fields out of m, at any depth. */
export function dropUnknown(m: Fields): void {
  m.unknown = [];
  for (const inner of eachMessage(m)) {
    dropUnknown(inner);
  }
}

/** sameMessage tells whether two messages say the same, unknown fields too. */
export function sameMessage(a: Fields, b: Fields): boolean {
  return a.desc.typeName === b.desc.typeName && a.values.size === b.values.size && subset(a, b, sameMessage) && sameUnknown(a, b);
}

function sameUnknown(a: Fields, b: Fields): boolean {
  return sameBytes(byField(a.unknown), byField(b.unknown));
}

// byField orders unknown fields by number, those of one number as they stood.
function byField(unknown: readonly Uint8Array[]): Uint8Array {
  const numbered = unknown.map((bytes) => ({ number: new BinaryReader(bytes).tag()[0], bytes }));
  return concat(numbered.sort((a, b) => a.number - b.number).map((f) => f.bytes));
}

/**
 * subset tells whether each populated field of a is in b with the same value,
 * where messages are compared by inner.
 */
export function subset(a: Fields, b: Fields, inner: (a: Fields, b: Fields) => boolean = (x, y) => subset(x, y)): boolean {
  const same = (x: Single | undefined, y: Single | undefined): boolean => {
    if (x instanceof Fields) {
      return y instanceof Fields && inner(x, y);
    }
    if (x instanceof Uint8Array) {
      return y instanceof Uint8Array && sameBytes(x, y);
    }
    return x === y || (Number.isNaN(x) && Number.isNaN(y));
  };
  for (const [number, x] of a.values) {
    const y = b.values.get(number);
    if (x instanceof Map) {
      if (!(y instanceof Map) || x.size > y.size || (inner === sameMessage && x.size !== y.size)) {
        return false;
      }
      for (const [key, value] of x) {
        if (!y.has(key) || !same(value, y.get(key))) {
          return false;
        }
      }
    } else if (Array.isArray(x)) {
      if (!Array.isArray(y) || x.length !== y.length || !x.every((value, i) => same(value, y[i]))) {
        return false;
      }
    } else if (y === undefined || y instanceof Map || Array.isArray(y) || !same(x, y)) {
      return false;
    }
  }
  return true;
}

/**
 * toShape returns a message as protobuf-es has it; it throws where the bytes are none.
 * A field with another wire type than its own is left out, which protobuf-es would
 * take for the field.
 */
export function toShape<Desc extends DescMessage>(schema: Desc, m: Fields | Uint8Array): MessageShape<Desc> {
  const fields = m instanceof Uint8Array ? parseMessage(schema, m) : m;
  dropMisfits(fields);
  return fromBinary(schema, serializeMessage(fields));
}

function dropMisfits(m: Fields): void {
  m.unknown = m.unknown.filter((bytes) => fieldOf(m.desc, new BinaryReader(bytes).tag()[0]) === undefined);
  for (const inner of eachMessage(m)) {
    dropMisfits(inner);
  }
}

/** mergeFields puts the populated fields of from into into. */
export function mergeFields(into: Fields, from: Fields): void {
  for (const [number, value] of from.values) {
    const have = into.values.get(number);
    if (value instanceof Map && have instanceof Map) {
      value.forEach((one, key) => have.set(key, one));
    } else if (Array.isArray(value) && Array.isArray(have)) {
      have.push(...value);
    } else {
      into.values.set(number, value);
    }
  }
}
