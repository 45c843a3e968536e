// Text that may not be UTF-8, and bytes that may not be text.

const encoder = new TextEncoder();
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** repair returns s with U+FFFD in place of each lone surrogate. */
export function repair(s: string): string {
  return /[\ud800-\udfff]/.test(s) ? s.replace(/[\ud800-\udfff]/gu, "\ufffd") : s;
}

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

/** byteLength counts the bytes of a text. */
export function byteLength(s: string): number {
  return encodeUtf8(s).length;
}

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
const digits = new Uint8Array(128);
[...alphabet].forEach((c, i) => (digits[c.charCodeAt(0)] = i));
digits[0x2d] = 62; // - and _ of the other alphabet
digits[0x5f] = 63;

/** base64 writes base64, padded or not. */
export function base64(b: Uint8Array, padding: "padded" | "raw"): string {
  const out = new Uint8Array(4 * Math.ceil(b.length / 3));
  let at = 0;
  for (let i = 0; i < b.length; i += 3) {
    const bits = ((b[i] as number) << 16) | ((b[i + 1] ?? 0) << 8) | (b[i + 2] ?? 0);
    for (let shift = 18; shift >= 0; shift -= 6) {
      out[at++] = alphabet.charCodeAt((bits >> shift) & 63);
    }
  }
  const spare = (3 - (b.length % 3)) % 3;
  const text = strict.decode(out.subarray(0, out.length - spare));
  return padding === "padded" ? text + "=".repeat(spare) : text;
}

/** fromBase64 reads base64 padded or not, in one of the two alphabets. */
export function fromBase64(s: string): Uint8Array | undefined {
  const text = s.replace(/=+$/, "").replace(/[\r\n]/g, "");
  const foreign = /[-_]/.test(text) ? /[^A-Za-z0-9_-]/ : /[^A-Za-z0-9+/]/;
  if (foreign.test(text) || text.length % 4 === 1) {
    return undefined;
  }
  const out = new Uint8Array(Math.floor((text.length * 3) / 4));
  let bits = 0;
  let have = 0;
  let at = 0;
  for (let i = 0; i < text.length; i++) {
    bits = ((bits << 6) | (digits[text.charCodeAt(i)] as number)) & 0xffffff;
    have += 6;
    if (have >= 8) {
      have -= 8;
      out[at++] = (bits >> have) & 0xff;
    }
  }
  return out;
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
