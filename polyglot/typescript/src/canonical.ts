// The form of RFC 8785.

import { Kind } from "./jsonnode.js";
import { isNumber, sameNumber } from "./jsonnumber.js";
import type { Value } from "./jsonvalue.js";

/**
 * canonical returns a value in the form of RFC 8785; undefined where that form cannot
 * say it exactly: a number that no double is, -0, a lone surrogate, a doubled name.
 */
export function canonical(v: Value): string | undefined {
  if (!v.exists || v.lone || v.doubled) {
    return undefined;
  }
  try {
    return write(v);
  } catch (cause) {
    if (cause === inexact) {
      return undefined;
    }
    throw cause;
  }
}

const inexact = Symbol("inexact");

function write(v: Value): string {
  switch (v.kind) {
    case Kind.Object: {
      const members = membersOf(v);
      if (members.length > 1) {
        members.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
      }
      let out = "{";
      for (const { name, value } of members) {
        out += (out.length > 1 ? "," : "") + JSON.stringify(name) + ":" + write(value);
      }
      return out + "}";
    }
    case Kind.Array: {
      let out = "[";
      for (let e = v.first; e.exists; e = e.next) {
        out += (out.length > 1 ? "," : "") + write(e);
      }
      return out + "]";
    }
    case Kind.String:
      return JSON.stringify(v.text);
    case Kind.Number:
      return canonicalNumber(v.raw);
    default:
      return v.raw;
  }
}

function canonicalNumber(token: string): string {
  if (token.length <= 15 && isNumber(token) && /^(?:0|-?[1-9][0-9]*)$/.test(token)) {
    return token;
  }
  const f = Number(token);
  const text = String(f);
  if (!Number.isFinite(f) || Object.is(f, -0) || !sameNumber(token, text)) {
    throw inexact;
  }
  return text;
}

/** membersOf returns the members of an object in the order of the text. */
export function membersOf(v: Value): { name: string; value: Value }[] {
  const out: { name: string; value: Value }[] = [];
  for (let m = v.first; m.exists; m = m.next) {
    out.push({ name: m.name, value: m });
  }
  return out;
}
