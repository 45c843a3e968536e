// Numbers as JSON says them: compared by what their tokens say, never by what a
// double makes of them.

import { arrayElements, hasLoneSurrogate, isJsonNumber, isNumber, type JsonText, objectMembers, quote, unquote } from "./json.js";

/**
 * Decimal is a number as sign, digits without zeros at either end, and the power
 * of ten of the last digit. Zero has no digits.
 */
export interface Decimal {
  readonly negative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

const maxExponent = 1 << 20;

/** parseDecimal reads a number token; undefined where its exponent is absurd. */
export function parseDecimal(token: string): Decimal | undefined {
  const negative = token.startsWith("-");
  const [mantissa, power] = token.slice(negative ? 1 : 0).split(/[eE]/) as [string, string | undefined];
  let exponent = power === undefined ? 0 : Number(power);
  if (Math.abs(exponent) > maxExponent) {
    return undefined;
  }
  const [whole, fraction = ""] = mantissa.split(".") as [string, string | undefined];
  exponent -= fraction.length;
  const digits = (whole + fraction).replace(/^0+/, "");
  const short = digits.replace(/0+$/, "");
  return { negative, digits: short, exponent: short === "" ? 0 : exponent + digits.length - short.length };
}

function sameDecimal(a: Decimal | undefined, b: Decimal | undefined): boolean {
  return a !== undefined && b !== undefined && a.negative === b.negative && a.digits === b.digits && a.exponent === b.exponent;
}

/** integerOf returns the exact value of an integral token; undefined for another. */
export function integerOf(token: string): bigint | undefined {
  const d = parseDecimal(token);
  if (d === undefined || d.exponent < 0 || d.digits.length + d.exponent > 20) {
    return undefined;
  }
  const n = BigInt(d.digits + "0".repeat(d.exponent) || "0");
  return d.negative ? -n : n;
}

/** safeIntegerOf returns the value of an integral token within ±(2^53-1). */
export function safeIntegerOf(token: string): number | undefined {
  const n = integerOf(token);
  return n === undefined || n > Number.MAX_SAFE_INTEGER || n < -Number.MAX_SAFE_INTEGER ? undefined : Number(n);
}

/** readNumber reads an integral number, or a string that holds one. */
export function readNumber(raw: JsonText | undefined): number | undefined {
  const token = raw?.startsWith('"') === true ? unquote(raw) : raw;
  return token !== undefined && isJsonNumber(token) ? safeIntegerOf(token) : undefined;
}

const tokens = /"(?:[^"\\]+|\\.)*"|-?[0-9][-+.0-9eE]*/g;

/** hasNumber tells whether JSON holds a number token. */
export function hasNumber(text: JsonText): boolean {
  return numberTokens(text, false).length > 0;
}

// numberTokens returns the number tokens of compact JSON, and with them, if so
// wanted, those that stand in strings.
function numberTokens(text: JsonText, quoted: boolean): string[] {
  const found: string[] = [];
  for (const [token] of text.matchAll(tokens)) {
    if (!token.startsWith('"')) {
      found.push(token);
    } else if (quoted && isJsonNumber(token.slice(1, -1))) {
      found.push(token.slice(1, -1));
    }
  }
  return found;
}

/**
 * numbersComeBack tells whether each number of before, zeros aside, is one of
 * after: as a number, or as the string that ProtoJSON makes of 64-bit integers.
 */
export function numbersComeBack(before: JsonText, after: JsonText): boolean {
  const missing = new Map<string, number>();
  const keyOf = (d: Decimal): string => `${d.negative ? "-" : ""}${d.digits}e${d.exponent}`;
  for (const token of numberTokens(before, false)) {
    const d = parseDecimal(token);
    if (d === undefined) {
      return false;
    }
    if (d.digits !== "") {
      missing.set(keyOf(d), (missing.get(keyOf(d)) ?? 0) + 1);
    }
  }
  for (const token of numberTokens(after, true)) {
    const d = parseDecimal(token);
    const key = d === undefined ? "" : keyOf(d);
    const left = missing.get(key);
    if (left === 1) {
      missing.delete(key);
    } else if (left !== undefined) {
      missing.set(key, left - 1);
    }
  }
  return missing.size === 0;
}

/** exactDouble returns the double that a token says; undefined where none does. */
function exactDouble(token: string): number | undefined {
  const f = Number(token);
  const said = parseDecimal(token);
  if (!Number.isFinite(f) || said === undefined) {
    return undefined;
  }
  // The form has no negative zero.
  return !Object.is(f, -0) && sameDecimal(said, parseDecimal(String(f))) ? f : undefined;
}

/**
 * canonicalJson returns JSON in the form of RFC 8785; undefined where that form
 * cannot say it exactly: a number that no double is, a lone surrogate, a name
 * that stands twice.
 */
export function canonicalJson(text: JsonText): JsonText | undefined {
  const members = objectMembers(text);
  if (members !== undefined) {
    const byName = new Map<string, JsonText>();
    for (const m of members) {
      const value = canonicalJson(m.value);
      if (value === undefined || byName.has(m.name) || hasLoneSurrogate(m.rawName)) {
        return undefined;
      }
      byName.set(m.name, value);
    }
    const names = [...byName.keys()].sort(byCodeUnit);
    return "{" + names.map((name) => quote(name) + ":" + (byName.get(name) as string)).join(",") + "}";
  }
  const elements = arrayElements(text);
  if (elements !== undefined) {
    const all = elements.map(canonicalJson);
    return all.includes(undefined) ? undefined : "[" + all.join(",") + "]";
  }
  if (text.startsWith('"')) {
    return hasLoneSurrogate(text) ? undefined : quote(unquote(text));
  }
  if (isNumber(text)) {
    const f = exactDouble(text);
    return f === undefined ? undefined : String(f);
  }
  return text;
}

/** sameText tells whether two texts say the same, members in any order. */
export function sameText(a: JsonText | undefined, b: JsonText | undefined): boolean {
  if (a === b) {
    return true;
  }
  const x = a === undefined ? undefined : canonicalJson(a);
  return x !== undefined && b !== undefined && x === canonicalJson(b);
}

/** byCodeUnit orders texts as RFC 8785 does. */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
