// Text that may not be UTF-8, and bytes that may not be text.

const encoder = new TextEncoder();
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** repair returns s with U+FFFD in place of each lone surrogate. */
export function repair(s: string): string {
  return s.replace(/[\ud800-\udfff]/gu, "\ufffd");
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
    parts.push(strict.decode(b.subarray(start, i)), "\ufffd");
    start = ++i;
  }
  parts.push(strict.decode(b.subarray(start)));
  return parts.join("");
}

// runeLength returns how many bytes the character at i has; 0 where there is none.
function runeLength(b: Uint8Array, i: number): number {
  const first = b[i] as number;
  if (first < 0x80) {
    return 1;
  }
  const length = first >= 0xc2 && first <= 0xdf ? 2 : first >= 0xe0 && first <= 0xef ? 3 : first >= 0xf0 && first <= 0xf4 ? 4 : 0;
  if (length === 0 || strictUtf8(b.subarray(i, i + length)) === undefined || i + length > b.length) {
    return 0;
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

/** base64 writes base64, padded or not. */
export function base64(b: Uint8Array, padding: "padded" | "raw"): string {
  let out = "";
  for (let i = 0; i < b.length; i += 3) {
    const left = b.length - i;
    const bits = ((b[i] as number) << 16) | ((left > 1 ? (b[i + 1] as number) : 0) << 8) | (left > 2 ? (b[i + 2] as number) : 0);
    out += alphabet.charAt(bits >> 18) + alphabet.charAt((bits >> 12) & 63);
    out += left > 1 ? alphabet.charAt((bits >> 6) & 63) : padding === "padded" ? "=" : "";
    out += left > 2 ? alphabet.charAt(bits & 63) : padding === "padded" ? "=" : "";
  }
  return out;
}

/** fromBase64 reads base64 padded or not, in one of the two alphabets. */
export function fromBase64(s: string): Uint8Array | undefined {
  const text = s.replace(/=+$/, "").replace(/[\r\n]/g, "");
  const pattern = /[-_]/.test(text) ? /^[A-Za-z0-9_-]*$/ : /^[A-Za-z0-9+/]*$/;
  if (!pattern.test(text) || text.length % 4 === 1) {
    return undefined;
  }
  const out = new Uint8Array(Math.floor((text.length * 3) / 4));
  let bits = 0;
  let have = 0;
  let at = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text[i] === "-" ? "+" : text[i] === "_" ? "/" : (text[i] as string);
    bits = ((bits << 6) | alphabet.indexOf(c)) & 0xffffff;
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
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
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
