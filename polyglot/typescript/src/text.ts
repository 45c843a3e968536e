// Text that may not be UTF-8, and bytes that may not be text.

const encoder = new TextEncoder();
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** repair returns s with U+FFFD in place of each lone surrogate. */
export function repair(s: string): string {
  return surrogate.test(s) ? s.replace(lone, "\ufffd") : s;
}

const surrogate = /[\ud800-\udfff]/;
const lone = /[\ud800-\udfff]/gu;

/** encodeUtf8 returns the bytes of a text; a lone surrogate is U+FFFD. */
export function encodeUtf8(s: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(s);
}

/** strictUtf8 reads bytes; undefined where they are not UTF-8. */
export function strictUtf8(b: Uint8Array): string | undefined {
  try {
    return strict.decode(b);
  } catch {
    return undefined;
  }
}

/** decodeUtf8 reads bytes; each byte that is not UTF-8 is U+FFFD. */
export function decodeUtf8(b: Uint8Array): string {
  const whole = strictUtf8(b);
  if (whole !== undefined) {
    return whole;
  }
  const parts: string[] = [];
  let start = 0;
  for (let i = 0; i < b.length; ) {
    const length = runeLength(b, i);
    if (length > 0) {
      i += length;
      continue;
    }
    if (start < i) {
      parts.push(strict.decode(b.subarray(start, i)));
    }
    parts.push("\ufffd");
    start = ++i;
  }
  parts.push(strict.decode(b.subarray(start)));
  return parts.join("");
}

// runeLength returns how many bytes the character at i has; 0 where there is none (the
// Unicode Standard, table 3-7).
function runeLength(b: Uint8Array, i: number): number {
  const first = b[i] as number;
  if (first < 0x80) {
    return 1;
  }
  const length = first >= 0xc2 && first <= 0xdf ? 2 : first >= 0xe0 && first <= 0xef ? 3 : first >= 0xf0 && first <= 0xf4 ? 4 : 0;
  const second = b[i + 1] ?? 0;
  const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (length === 0 || second < low || second > high) {
    return 0;
  }
  for (let next = 2; next < length; next++) {
    if (((b[i + next] ?? 0) & 0xc0) !== 0x80) {
      return 0;
    }
  }
  return length;
}

/** byteLength counts the bytes of a text in UTF-8. */
export function byteLength(s: string): number {
  let n = s.length;
  for (let i = 0; i < s.length; i++) {
    const c = s.charCodeAt(i);
    if (c >= 0x80) {
      n += c < 0x800 || (c >= 0xd800 && c <= 0xdfff) ? 1 : 2; // a pair is four bytes for two units
    }
  }
  return n;
}

/** compareText orders texts as their UTF-8 is ordered. */
export function compareText(a: string, b: string): number {
  const n = Math.min(a.length, b.length);
  for (let i = 0; i < n; i++) {
    let x = a.charCodeAt(i);
    let y = b.charCodeAt(i);
    if (x !== y) {
      // What lies outside the basic plane, a pair here, comes after all of that plane.
      x = x >= 0xe000 ? x - 0x800 : x >= 0xd800 ? x + 0x2000 : x;
      y = y >= 0xe000 ? y - 0x800 : y >= 0xd800 ? y + 0x2000 : y;
      return x - y;
    }
  }
  return a.length - b.length;
}

/** quoted shows a text in a note. */
export function quoted(s: string, most = 128): string {
  return JSON.stringify(clip(s, most));
}

/** textOf reads a part of bytes; undefined where it is not UTF-8. */
export function textOf(b: Uint8Array, from = 0, to = b.length): string | undefined {
  if (to - from > 40) {
    return strictUtf8(b.subarray(from, to));
  }
  // Short texts are faster by themselves.
  let out = "";
  let i = from;
  const at = (k: number): number => b[i + k] as number;
  for (; i + 8 <= to; i += 8) {
    if ((at(0) | at(1) | at(2) | at(3) | at(4) | at(5) | at(6) | at(7)) >= 0x80) {
      return strictUtf8(b.subarray(from, to));
    }
    out += String.fromCharCode(at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7));
  }
  for (; i < to; i++) {
    const c = b[i] as number;
    if (c >= 0x80) {
      return strictUtf8(b.subarray(from, to));
    }
    out += ascii[c] as string;
  }
  return out;
}

const ascii: readonly string[] = Array.from({ length: 128 }, (_, c) => String.fromCharCode(c));

/** cutText returns the longest beginning of so many bytes that ends on a character. */
export function cutText(s: string, most: number): string {
  if (s.length * 3 <= most) {
    return s;
  }
  const b = encodeUtf8(s);
  if (b.length <= most) {
    return s;
  }
  let n = Math.max(most, 0);
  while (n > 0 && ((b[n] as number) & 0xc0) === 0x80) {
    n--;
  }
  return strict.decode(b.subarray(0, n));
}

/** clip shortens a text for a note. */
export function clip(s: string, most: number): string {
  const cut = cutText(s, most);
  return cut === s ? s : cut + "…";
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Each 12 bits as the two digits that they are.
const pairs: readonly string[] = Array.from({ length: 4096 }, (_, n) => (alphabet[n >> 6] as string) + (alphabet[n & 63] as string));

// The value of each digit of both alphabets, 64 for what is none.
const digits = new Uint8Array(128).fill(64);
[...alphabet].forEach((c, i) => (digits[c.charCodeAt(0)] = i));
digits[0x2d] = 62; // - and _ of the other alphabet
digits[0x5f] = 63;

/** base64 writes base64 in the standard alphabet, padded or not. */
export function base64(b: Uint8Array, padding: "padded" | "raw"): string {
  if (b.length <= 1024) {
    const text = btoa(String.fromCharCode.apply(null, b as unknown as number[]));
    const spare = padding === "padded" ? 0 : (3 - (b.length % 3)) % 3;
    return spare === 0 ? text : text.slice(0, -spare);
  }
  let out = "";
  const whole = b.length - (b.length % 3);
  for (let i = 0; i < whole; i += 3) {
    const bits = ((b[i] as number) << 16) | ((b[i + 1] as number) << 8) | (b[i + 2] as number);
    out += (pairs[bits >> 12] as string) + (pairs[bits & 4095] as string);
  }
  if (whole === b.length) {
    return out;
  }
  const bits = ((b[whole] as number) << 16) | ((b[whole + 1] ?? 0) << 8);
  const spare = 3 - (b.length - whole);
  const text = (pairs[bits >> 12] as string) + (spare === 1 ? (alphabet[(bits >> 6) & 63] as string) : "");
  return out + text + (padding === "padded" ? "=".repeat(spare) : "");
}

/** fromBase64 reads base64 padded or not, in one of the two alphabets; line breaks are passed over. */
export function fromBase64(s: string): Uint8Array | undefined {
  let end = s.length;
  while (end > 0 && s.charCodeAt(end - 1) === 0x3d) {
    end--;
  }
  return decodeDigits(s, end);
}

/** paddedBase64 reads base64 as ProtoJSON does: with all of its padding, or with none. */
export function paddedBase64(s: string): Uint8Array | undefined {
  if (s.length % 4 !== 0) {
    return decodeDigits(s, s.length);
  }
  let end = s.length;
  let pads = 0;
  for (; end > 0; end--) {
    const c = s.charCodeAt(end - 1);
    if (c === 0x3d) {
      pads++;
    } else if (c !== 0x0a && c !== 0x0d) {
      break;
    }
  }
  const out = decodeDigits(s, end);
  return out === undefined || pads !== (3 - (out.length % 3)) % 3 ? undefined : out;
}

function decodeDigits(s: string, end: number): Uint8Array | undefined {
  const other = s.includes("-") || s.includes("_");
  const out = new Uint8Array((end * 3) >> 2);
  let bits = 0;
  let have = 0;
  let at = 0;
  let count = 0;
  for (let i = 0; i < end; i++) {
    const c = s.charCodeAt(i);
    const digit = c < 128 ? (digits[c] as number) : 64;
    if (digit === 64 || (digit >= 62 && other !== (c === 0x2d || c === 0x5f))) {
      if (c === 0x0a || c === 0x0d) {
        continue;
      }
      return undefined;
    }
    count++;
    bits = ((bits << 6) | digit) & 0xffffff;
    have += 6;
    if (have >= 8) {
      have -= 8;
      out[at++] = (bits >> have) & 0xff;
    }
  }
  return count % 4 === 1 ? undefined : at === out.length ? out : out.slice(0, at);
}

/** sameBytes tells whether two arrays hold the same bytes. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) {
    return false;
  }
  for (let i = 0; i < a.length; i++) {
    if (a[i] !== b[i]) {
      return false;
    }
  }
  return true;
}

/** concat puts arrays one behind the other. */
export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
