// Whether two values of JSON say the same.

import { membersOf } from "./canonical.js";
import { Kind } from "./jsonnode.js";
import { sameNumber } from "./jsonnumber.js";
import type { Value } from "./jsonvalue.js";
import { repair } from "./text.js";

/**
 * same tells whether two values say the same: members may stand in another order,
 * numbers may be written otherwise, strings may have other escapes. Where a name stands
 * twice in an object anywhere in them, only the same tokens say the same, and so for a
 * string with a lone surrogate.
 */
export function same(a: Value, b: Value): boolean {
  if (a.raw === b.raw && a.exists === b.exists) {
    return true;
  }
  return a.doubled || b.doubled ? a.compact === b.compact : sameValue(a, b);
}

function sameValue(a: Value, b: Value): boolean {
  if (a.kind !== b.kind) {
    return false;
  }
  switch (a.kind) {
    case Kind.Object: {
      if (a.length !== b.length) {
        return false;
      }
      const others = new Map(membersOf(b).map((m) => [m.name, m.value]));
      for (let m = a.first; m.exists; m = m.next) {
        const other = others.get(m.name);
        if (other === undefined || (m.nameToken !== other.nameToken && (loneName(m) || loneName(other))) || !sameValue(m, other)) {
          return false;
        }
      }
      return true;
    }
    case Kind.Array: {
      let x = a.first;
      let y = b.first;
      while (x.exists && y.exists) {
        if (!sameValue(x, y)) {
          return false;
        }
        x = x.next;
        y = y.next;
      }
      return !x.exists && !y.exists;
    }
    case Kind.String:
      return a.raw === b.raw || (!hasLone(a.raw) && !hasLone(b.raw) && a.text === b.text);
    case Kind.Number:
      return a.raw === b.raw || sameNumber(a.raw, b.raw);
    default:
      return a.raw === b.raw;
  }
}

function loneName(m: Value): boolean {
  return hasLone(m.nameToken);
}

function hasLone(token: string): boolean {
  return token.includes("\\u") && repair(JSON.parse(token) as string) !== JSON.parse(token);
}
