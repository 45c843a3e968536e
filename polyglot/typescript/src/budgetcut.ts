// Parts of a detail that can be taken alone: the fields of an ErrorInfo, and the elements
// of the lists of google.rpc.

import { typeName } from "./hub.js";
import { Cursor, Out, WireType } from "./protowire.js";
import { compareText, textOf } from "./text.js";

/** InfoField is a field of an ErrorInfo as it stands in the bytes of its detail. */
export interface InfoField {
  readonly raw: Uint8Array;
  /** That of the field, 0 of one that an ErrorInfo does not have. */
  readonly number: number;
  readonly key: string;
  /** The bytes of an entry's key, and of key and value. */
  readonly keySize: number;
  readonly size: number;
  taken: boolean;
  /** Whether the same stands once more later, which counts. */
  replaced: boolean;
}

/** Scanned is an ErrorInfo in its fields. */
export interface Scanned {
  readonly fields: readonly InfoField[];
  /** The entries, the smallest first, of one size by key, without those whose key stands once more. */
  readonly entries: readonly InfoField[];
  /** The size of reason and domain. */
  readonly identity: number;
}

/** scanInfo reads the fields of an ErrorInfo. */
export function scanInfo(value: Uint8Array): Scanned {
  const fields: InfoField[] = [];
  const counts: (InfoField | undefined)[] = [];
  const entries = new Map<string, InfoField>();
  const c = new Cursor(value);
  while (c.more) {
    const start = c.at;
    c.tag();
    const { number, type } = c;
    c.skip();
    const raw = value.subarray(start, c.at);
    if (type !== WireType.LengthDelimited || number > 3) {
      fields.push({ raw, number: 0, key: "", keySize: 0, size: 0, taken: false, replaced: false });
      continue;
    }
    if (number < 3) {
      const field = { raw, number, key: "", keySize: 0, size: 0, taken: false, replaced: false };
      const earlier = counts[number];
      if (earlier !== undefined) {
        earlier.replaced = true;
      }
      counts[number] = field;
      fields.push(field);
      continue;
    }
    const field = { raw, number, ...entrySize(value, c.from, c.to), taken: false, replaced: false };
    const earlier = entries.get(field.key);
    if (earlier !== undefined) {
      earlier.replaced = true;
    }
    entries.set(field.key, field);
    fields.push(field);
  }
  const identity = counts.reduce((n, field) => n + (field?.raw.length ?? 0), 0);
  const sorted = [...entries.values()].sort((a, b) => a.size - b.size || compareText(a.key, b.key));
  return { fields, entries: sorted, identity };
}

function entrySize(bytes: Uint8Array, from: number, to: number): { key: string; keySize: number; size: number } {
  let key = "";
  let keySize = 0;
  let valueSize = 0;
  const c = new Cursor(bytes, from, to);
  while (c.more && c.tag()) {
    const { number, type } = c;
    if (!c.skip()) {
      break;
    }
    if (type === WireType.LengthDelimited && number === 1) {
      key = textOf(bytes, c.from, c.to) ?? "";
      keySize = c.to - c.from;
    } else if (type === WireType.LengthDelimited && number === 2) {
      valueSize = c.to - c.from;
    }
  }
  return { key, keySize, size: keySize + valueSize };
}

/** joined returns the fields of an ErrorInfo that were taken. */
export function joined(s: Scanned, othersTaken: boolean): Uint8Array {
  const out = new Out();
  for (const f of s.fields) {
    if (!f.replaced && (f.number !== 3 || f.taken) && (f.number !== 0 || othersTaken)) {
      out.raw(f.raw);
    }
  }
  return out.done();
}

/** elementsOf returns what the elements are called of a type of which some can be left out, in field 1; "" for the others. */
export function elementsOf(name: string): string {
  switch (name) {
    case typeName.badRequest:
      return "field violations";
    case typeName.precondition:
      return "precondition violations";
    case typeName.quotaFailure:
      return "quota violations";
    case typeName.help:
      return "links";
    default:
      return "";
  }
}

/** elementsIn returns each field 1 of a message; undefined where the bytes are none. */
export function elementsIn(value: Uint8Array): Uint8Array[] | undefined {
  const out: Uint8Array[] = [];
  const c = new Cursor(value);
  while (c.more) {
    const start = c.at;
    if (!c.tag()) {
      return undefined;
    }
    const { number, type } = c;
    if (!c.skip()) {
      return undefined;
    }
    if (number === 1 && type === WireType.LengthDelimited) {
      out.push(value.subarray(start, c.at));
    }
  }
  return out;
}
