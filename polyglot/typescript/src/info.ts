// google.rpc.ErrorInfo and RetryInfo, which translation looks at itself: over their
// bytes, since an object of JavaScript would lose a key such as __proto__.

import { bytesDetail, type RawDetail, readOnce, typeName } from "./hub.js";
import { tryParse } from "./jsontree.js";
import type { Codec } from "./protojson.js";
import { Cursor, Out, WireType } from "./protowire.js";
import { compareText, textOf } from "./text.js";

/** Info is what a google.rpc.ErrorInfo says. */
export interface Info {
  readonly reason: string;
  readonly domain: string;
  /** In the order of the bytes; of one key the last counts. */
  readonly metadata: ReadonlyMap<string, string>;
  readonly bytes: Uint8Array;
}

/**
 * knownPart returns the bytes of what a detail says as its type: of JSON, the members
 * that the type knows. It is undefined where the type is not linked or cannot read the
 * element: no part of such a detail counts.
 */
export function knownPart(codec: Codec, d: RawDetail): Uint8Array | undefined {
  if (d.json === undefined) {
    return d.value;
  }
  return d.typeUrl === "" || !codec.linked(d.typeUrl) ? undefined : codec.readKnown(tryParse(d.json));
}

const noInfo: Info = { reason: "", domain: "", metadata: new Map(), bytes: new Uint8Array() };

/** infoOf reads a detail as an ErrorInfo that names an error; undefined where it is none, cannot be read, or has no reason. */
export function infoOf(codec: Codec, d: RawDetail): Info | undefined {
  if (!d.is(typeName.errorInfo)) {
    return undefined;
  }
  if (d.json === undefined) {
    const info = readOnce(d, () => parseInfo(d.value) ?? noInfo);
    return info.reason === "" ? undefined : info;
  }
  const value = knownPart(codec, d);
  const info = value === undefined ? undefined : parseInfo(value);
  return info?.reason === "" ? undefined : info;
}

/** parseInfo reads the bytes of an ErrorInfo; undefined where they are none. */
export function parseInfo(bytes: Uint8Array): Info | undefined {
  const metadata = new Map<string, string>();
  const texts = readTexts(bytes, 0, bytes.length, (from, to) => {
    const entry = readTexts(bytes, from, to);
    if (entry !== undefined) {
      metadata.set(entry[0], entry[1]);
    }
    return entry !== undefined;
  });
  return texts && { reason: texts[0], domain: texts[1], metadata, bytes };
}

// readTexts reads the fields 1 and 2 of a message, which are texts, and has each field 3
// passed on; undefined where the bytes are none or that is refused.
function readTexts(bytes: Uint8Array, from: number, to: number, third?: (from: number, to: number) => boolean): [string, string] | undefined {
  const out: [string, string] = ["", ""];
  const c = new Cursor(bytes, from, to);
  while (c.more) {
    if (!c.tag()) {
      return undefined;
    }
    const { number, type } = c;
    if (!c.skip()) {
      return undefined;
    }
    if (type !== WireType.LengthDelimited || number > 3) {
      continue;
    }
    if (number === 3) {
      if (third !== undefined && !third(c.from, c.to)) {
        return undefined;
      }
      continue;
    }
    const text = textOf(bytes, c.from, c.to);
    if (text === undefined) {
      return undefined;
    }
    out[number - 1] = text;
  }
  return out;
}

/** infoDetail returns an ErrorInfo as a detail, its entries sorted by key. */
export function infoDetail(reason: string, domain: string, metadata: ReadonlyMap<string, string>, unknown?: Uint8Array): RawDetail {
  const out = new Out();
  if (reason !== "") {
    out.textField(1, reason);
  }
  if (domain !== "") {
    out.textField(2, domain);
  }
  const keys = [...metadata.keys()].sort(compareText);
  for (const key of keys) {
    out.tag(3, WireType.LengthDelimited);
    const start = out.begin();
    out.textField(1, key);
    out.textField(2, metadata.get(key) as string);
    out.frame(start);
  }
  if (unknown !== undefined) {
    out.raw(unknown);
  }
  return bytesDetail(typeName.errorInfo, out.done());
}

/** unknownOf returns the fields that an ErrorInfo does not have. */
export function unknownOf(info: Info): Uint8Array {
  const out = new Out();
  const c = new Cursor(info.bytes);
  while (c.more) {
    const start = c.at;
    if (!c.tag()) {
      break;
    }
    const { number, type } = c;
    if (!c.skip()) {
      break;
    }
    if (type !== WireType.LengthDelimited || number > 3) {
      out.raw(info.bytes.subarray(start, c.at));
    }
  }
  return out.done();
}

/** Delay is that of a RetryInfo. */
export interface Delay {
  readonly seconds: bigint;
  readonly nanos: number;
}

/** delayOf reads the delay of the bytes of a RetryInfo; undefined where there is none. */
export function delayOf(bytes: Uint8Array): Delay | undefined {
  let delay: Delay | undefined;
  const c = new Cursor(bytes);
  while (c.more) {
    if (!c.tag()) {
      return undefined;
    }
    const { number, type } = c;
    if (!c.skip()) {
      return undefined;
    }
    if (number !== 1 || type !== WireType.LengthDelimited) {
      continue;
    }
    let seconds: bigint = delay?.seconds ?? 0n;
    let nanos: number = delay?.nanos ?? 0;
    const inner = new Cursor(bytes, c.from, c.to);
    while (inner.more) {
      if (!inner.tag()) {
        return undefined;
      }
      const part = inner.number;
      const varint = inner.type === WireType.Varint;
      if (!inner.skip()) {
        return undefined;
      }
      if (varint && part === 1) {
        seconds = BigInt.asIntN(64, (BigInt(inner.high) << 32n) | BigInt(inner.low));
      } else if (varint && part === 2) {
        nanos = inner.low | 0;
      }
    }
    delay = { seconds, nanos };
  }
  return delay;
}

/** delayIn returns the delay of the first RetryInfo that has one. */
export function delayIn(details: readonly RawDetail[], codec: Codec): Delay | undefined {
  for (const d of details) {
    if (d.is(typeName.retryInfo)) {
      const value = knownPart(codec, d);
      const delay = value === undefined ? undefined : delayOf(value);
      if (delay !== undefined) {
        return delay;
      }
    }
  }
  return undefined;
}
