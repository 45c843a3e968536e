// The tokens of JSON: where each ends.

import { escaped, lone } from "./jsonnode.js";

export const quote = 0x22;
const backslash = 0x5c;

export function space(text: string, i: number): number {
  for (; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) {
      break;
    }
  }
  return i;
}

// plainEnd returns the index of the first character that does not stand in a string as
// it is.
export function plainEnd(text: string, i: number): number {
  for (; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c < 0x20 || c === quote || c === backslash) {
      break;
    }
  }
  return i;
}

export let stringEnd = 0;

// stringFlags passes over the rest of a string, to stringEnd, and returns which of
// escaped and lone it is from there on.
export function stringFlags(text: string, i: number, fail: (at: number, want: string) => never): number {
  let flags = 0;
  for (;;) {
    i = plainEnd(text, i);
    const c = text.charCodeAt(i);
    if (c === quote) {
      stringEnd = i + 1;
      return flags;
    }
    if (c !== backslash) {
      return fail(i, "the rest of a string");
    }
    flags |= escaped;
    const e = text.charCodeAt(i + 1);
    if (e !== 0x75) {
      if (!(e === quote || e === backslash || e === 0x2f || e === 0x62 || e === 0x66 || e === 0x6e || e === 0x72 || e === 0x74)) {
        return fail(i + 1, 'one of "\\/bfnrtu');
      }
      i += 2;
      continue;
    }
    const unit = hex4(text, i + 2);
    if (unit < 0) {
      return fail(i + 2, "a hexadecimal digit");
    }
    i += 6;
    if (unit >= 0xd800 && unit <= 0xdfff) {
      const next = unit < 0xdc00 && text.charCodeAt(i) === backslash && text.charCodeAt(i + 1) === 0x75 ? hex4(text, i + 2) : -1;
      if (next >= 0xdc00 && next <= 0xdfff) {
        i += 6;
      } else {
        flags |= lone;
      }
    }
  }
}

export function hex4(text: string, i: number): number {
  let n = 0;
  for (let k = i; k < i + 4; k++) {
    const c = text.charCodeAt(k) | 0x20;
    const digit = c >= 0x30 && c <= 0x39 && text.charCodeAt(k) >= 0x30 ? c - 0x30 : c >= 0x61 && c <= 0x66 ? c - 0x57 : -1;
    if (digit < 0) {
      return -1;
    }
    n = n * 16 + digit;
  }
  return n;
}

export function digitsEnd(text: string, i: number, fail: (at: number, want: string) => never): number {
  const from = i;
  while (i < text.length && text.charCodeAt(i) >= 0x30 && text.charCodeAt(i) <= 0x39) {
    i++;
  }
  return i === from ? fail(i, "a digit") : i;
}

export function numberEnd(text: string, i: number, fail: (at: number, want: string) => never): number {
  if (text.charCodeAt(i) === 0x2d) {
    i++;
  }
  i = text.charCodeAt(i) === 0x30 ? i + 1 : digitsEnd(text, i, fail);
  if (text.charCodeAt(i) === 0x2e) {
    i = digitsEnd(text, i + 1, fail);
  }
  if ((text.charCodeAt(i) | 0x20) === 0x65) {
    i++;
    if (text.charCodeAt(i) === 0x2b || text.charCodeAt(i) === 0x2d) {
      i++;
    }
    i = digitsEnd(text, i, fail);
  }
  return i;
}
