// JSON read once into a flat list of nodes over its text. Doubled names and lone
// surrogates are taken and marked; number tokens stay as they stood.

import { Kind, stride, inObject, escaped, lone, doubled, number, spaced, repeats, member, last, similar, inherited, countShift, maxCount, none, hash, hashOf, nameAt, unquote } from "./jsonnode.js";
import { quote, space, plainEnd, stringEnd, stringFlags, numberEnd } from "./jsonscan.js";
import { Value } from "./jsonvalue.js";

export { Kind } from "./jsonnode.js";
export { memberText, Value } from "./jsonvalue.js";

/** JsonError says why a text is no JSON. */
export class JsonError extends Error {
  override readonly name = "JsonError";
}

const usual = 1 << 10;
let scratch: Int32Array<ArrayBufferLike> = new Int32Array(usual);

// Lists of nodes that were given back.
const spare: Int32Array<ArrayBufferLike>[] = [new Int32Array(usual), new Int32Array(usual)];
const maxSpare = 8;

/**
 * release gives back what a value's tree takes, for the next one. Neither it nor any other
 * value of the tree may be used from then on.
 */
export function release(root: Value): void {
  const { nodes } = Value.treeOf(root);
  if (nodes.length === usual && spare.length < maxSpare) {
    spare.push(nodes);
  }
}

function grown(): Int32Array {
  const more = new Int32Array(2 * scratch.length);
  more.set(scratch);
  scratch = more;
  return more;
}

/** anyDepth is for JSON that was read or written here. */
export const anyDepth = Infinity;

/**
 * parse reads one JSON value, with white space around it or not, nested at most so
 * deep; it throws a JsonError.
 */
export function parse(text: string, depth: number): Value {
  let nodes = scratch;
  let n = 0; // numbers in nodes
  let i = 0;
  let want = "a value";
  let open = none; // the array or object that is read
  let info = 0; // its info so far
  let names = 0; // a mask of the names in it so far
  let previous = 0; // the value that was read last
  let state = 0; // 0 a value, 1 a name, 2 after a value
  const end = text.length;
  const fail = (at: number, expected: string): never => {
    const what = at >= end ? `unexpected end` : `invalid character ${JSON.stringify(String.fromCodePoint(text.codePointAt(at) as number))} at offset ${at}`;
    throw new JsonError(`${what}, expected ${expected}`);
  };

  for (;;) {
    if (i < end && text.charCodeAt(i) <= 0x20) {
      const from = i;
      i = space(text, i);
      if (i > from && open !== none) {
        info |= spaced;
      }
    }
    if (n + 2 * stride > nodes.length) {
      nodes = grown();
    }
    if (state === 0) {
      if (i >= end) {
        fail(i, want);
      }
      const isMember = (info & inObject) !== 0 && open !== none ? member : 0;
      const c = text.charCodeAt(i);
      previous = n;
      if (c === quote) {
        const from = i;
        i = plainEnd(text, i + 1);
        let flags = 0;
        if (text.charCodeAt(i) !== quote) {
          flags = stringFlags(text, i, fail);
          i = stringEnd;
        } else {
          i++;
        }
        nodes[n] = from;
        nodes[n + 1] = i;
        nodes[n + 2] = n + stride;
        nodes[n + 3] = Kind.String | flags | isMember;
        n += stride;
        info |= flags & lone;
        state = 2;
      } else if (c === 0x7b || c === 0x5b) {
        if (depth <= 0) {
          throw new JsonError("nested deeper than the limit");
        }
        depth--;
        if (open !== none) {
          nodes[open + 3] = info;
          nodes[open + 1] = names;
        }
        nodes[n] = i;
        nodes[n + 2] = open;
        open = n;
        n += stride;
        names = 0;
        info = (c === 0x7b ? Kind.Object : Kind.Array) | isMember;
        i++;
        if (i < end && text.charCodeAt(i) <= 0x20) {
          const from = i;
          i = space(text, i);
          if (i > from) {
            info |= spaced;
          }
        }
        if (i < end && text.charCodeAt(i) === c + 2) {
          i++;
          // An empty one is closed at once.
          const parent = nodes[open + 2] as number;
          nodes[open + 1] = i;
          nodes[open + 2] = n;
          nodes[open + 3] = info;
          previous = open;
          open = parent;
          depth++;
          if (open !== none) {
            names = nodes[open + 1] as number;
            info = (nodes[open + 3] as number) | (info & inherited);
          }
          state = 2;
        } else if (c === 0x7b) {
          want = "a name in quotes or '}'";
          state = 1;
        } else {
          want = "a value or ']'";
        }
      } else if (c === 0x2d || (c >= 0x30 && c <= 0x39)) {
        const from = i;
        i = numberEnd(text, i, fail);
        nodes[n] = from;
        nodes[n + 1] = i;
        nodes[n + 2] = n + stride;
        nodes[n + 3] = Kind.Number | number | isMember;
        n += stride;
        info |= number;
        state = 2;
      } else {
        const word = c === 0x74 ? "true" : c === 0x66 ? "false" : c === 0x6e ? "null" : "";
        if (word === "") {
          fail(i, want);
        }
        if (!text.startsWith(word, i)) {
          fail(i, "null, true or false");
        }
        nodes[n] = i;
        i += word.length;
        nodes[n + 1] = i;
        nodes[n + 2] = n + stride;
        nodes[n + 3] = (word === "null" ? Kind.Null : Kind.Bool) | isMember;
        n += stride;
        state = 2;
      }
    } else if (state === 1) {
      if (text.charCodeAt(i) !== quote) {
        fail(i, want);
      }
      const from = i;
      i = plainEnd(text, i + 1);
      let flags = 0;
      let h = 0;
      if (text.charCodeAt(i) !== quote) {
        flags = stringFlags(text, i, fail);
        i = stringEnd;
        h = (flags & escaped) === 0 ? hash(text, from + 1, i - 1) : hashOf(unquote(text.slice(from, i)));
      } else {
        i++;
        h = hash(text, from + 1, i - 1);
      }
      nodes[n] = from;
      nodes[n + 1] = i;
      nodes[n + 2] = h;
      nodes[n + 3] = Kind.Name | flags;
      n += stride;
      const bit = 1 << (h >>> 27);
      if ((names & bit) !== 0) {
        info |= similar;
      }
      names |= bit;
      info |= flags & lone;
      if (i < end && text.charCodeAt(i) <= 0x20) {
        const before = i;
        i = space(text, i);
        if (i > before) {
          info |= spaced;
        }
      }
      if (text.charCodeAt(i) !== 0x3a) {
        fail(i, "':'");
      }
      i++;
      want = "a value";
      state = 0;
    } else {
      if (open === none) {
        if (i < end) {
          fail(i, "the end");
        }
        nodes[3] = (nodes[3] as number) | last;
        if (scratch.length !== usual) {
          scratch = spare.pop() ?? new Int32Array(usual);
          return new Value({ text, nodes: nodes.slice(0, n) }, 0);
        }
        const next = spare.pop();
        if (next === undefined) {
          return new Value({ text, nodes: nodes.slice(0, n) }, 0);
        }
        scratch = next;
        return new Value({ text, nodes }, 0);
      }
      if (info >>> countShift !== maxCount) {
        info += 1 << countShift;
      }
      const isObject = (info & inObject) !== 0;
      const c = text.charCodeAt(i);
      if (c === 0x2c) {
        i++;
        want = isObject ? "a name in quotes" : "a value";
        state = isObject ? 1 : 0;
      } else if (c === (isObject ? 0x7d : 0x5d)) {
        i++;
        nodes[previous + 3] = (nodes[previous + 3] as number) | last;
        if ((info & similar) !== 0 && double(text, nodes, n, open)) {
          info |= doubled;
        }
        const parent = nodes[open + 2] as number;
        nodes[open + 1] = i;
        nodes[open + 2] = n;
        nodes[open + 3] = info;
        previous = open;
        open = parent;
        depth++;
        if (open !== none) {
          names = nodes[open + 1] as number;
          info = (nodes[open + 3] as number) | (info & inherited);
        }
      } else {
        fail(i, isObject ? "',' or '}'" : "',' or ']'");
      }
    }
  }
}

/** tryParse is parse, and Missing where that throws. */
export function tryParse(text: string, depth: number = anyDepth): Value {
  try {
    return parse(text, depth);
  } catch {
    return Value.missing;
  }
}

const fewMembers = 32;

// double marks the names of an object that stood before in it, and tells whether there
// are any. The object's members are the last nodes.
function double(text: string, nodes: Int32Array, n: number, object: number): boolean {
  let members = 0;
  const after = (i: number): number => nodes[i + stride + 2] as number;
  for (let i = object + stride; i < n && members <= fewMembers; i = after(i)) {
    members++;
  }
  const read = (i: number): string => nameAt(text, nodes, i);
  let found = false;
  const mark = (i: number): void => {
    nodes[i + 3] = (nodes[i + 3] as number) | repeats;
    found = true;
  };
  if (members > fewMembers) {
    const seen = new Set<string>();
    for (let i = object + stride; i < n; i = after(i)) {
      const name = read(i);
      if (seen.has(name)) {
        mark(i);
      } else {
        seen.add(name);
      }
    }
    return found;
  }
  for (let i = object + stride; i < n; i = after(i)) {
    for (let j = object + stride; j < i; j = after(j)) {
      if (nodes[j + 2] === nodes[i + 2] && read(i) === read(j)) {
        mark(i);
        break;
      }
    }
  }
  return found;
}
