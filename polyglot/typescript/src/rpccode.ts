// The code of a google.rpc.Status in ProtoJSON.

import { Code, isInt32 } from "./code.js";
import { readNumber } from "./decode.js";
import type { Value } from "./jsontree.js";

/** statusCode reads a number, the text of one, or the name of a code, 0 for none; undefined for anything else. */
export function statusCode(v: Value): number | undefined {
  if (v.isAbsent) {
    return 0;
  }
  const named: unknown = v.isString ? Code[v.text as keyof typeof Code] : undefined;
  if (typeof named === "number") {
    return named;
  }
  const n = readNumber(v);
  return n !== undefined && isInt32(n) ? n : undefined;
}
