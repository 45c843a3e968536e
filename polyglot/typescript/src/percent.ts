// The percent-encoding of grpc-message.

import { decodeUtf8, encodeUtf8 } from "./text.js";

/** percentEncode encodes bytes outside 0x20 to 0x7E, the percent sign, and a space at either end, which HTTP would trim. */
export function percentEncode(s: string): string {
  if (/^(?! )[ -$&-~]*(?<! )$/.test(s)) {
    return s;
  }
  const bytes = encodeUtf8(s);
  const parts: string[] = [];
  for (let i = 0; i < bytes.length; i++) {
    const c = bytes[i] as number;
    const escaped = needsEscape(c) || (c === 0x20 && (i === 0 || i === bytes.length - 1));
    parts.push(escaped ? "%" + (hex[c >> 4] as string) + (hex[c & 15] as string) : String.fromCharCode(c));
  }
  return parts.join("");
}

const hex = "0123456789ABCDEF";

/** needsEscape tells whether a byte is escaped wherever it stands. */
export function needsEscape(c: number): boolean {
  return c < 0x20 || c > 0x7e || c === 0x25;
}

/** countEscapes returns how many of so many bytes percentEncode escapes. */
export function countEscapes(bytes: Uint8Array, length: number): number {
  let n = 0;
  for (let i = 0; i < length; i++) {
    if (needsEscape(bytes[i] as number)) {
      n++;
    }
  }
  if (length > 0 && bytes[0] === 0x20) {
    n++;
  }
  if (length > 1 && bytes[length - 1] === 0x20) {
    n++;
  }
  return n;
}

/** percentDecode decodes a grpc-message; an invalid escape is text, and what is no UTF-8 is U+FFFD. */
export function percentDecode(s: string): string {
  if (!s.includes("%")) {
    return decodeUtf8(encodeUtf8(s));
  }
  const bytes = encodeUtf8(s);
  let at = 0;
  for (let i = 0; i < bytes.length; i++) {
    let c = bytes[i] as number;
    if (c === 0x25 && i + 2 < bytes.length) {
      const high = digit(bytes[i + 1] as number);
      const low = digit(bytes[i + 2] as number);
      if (high >= 0 && low >= 0) {
        c = high * 16 + low;
        i += 2;
      }
    }
    bytes[at++] = c;
  }
  return decodeUtf8(bytes.subarray(0, at));
}

function digit(c: number): number {
  const lower = c | 0x20;
  return c >= 0x30 && c <= 0x39 ? c - 0x30 : lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
