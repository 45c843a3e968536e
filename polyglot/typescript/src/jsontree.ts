// JSON read once into a flat list of nodes over its text. Doubled names and lone
// surrogates are taken and marked; number tokens stay as they stood.

import { isNumber, sameNumber, safeIntegerOf } from "./jsonnumber.js";
import { repair } from "./text.js";

/** What a value is. */
export const Kind = { Missing: 0, Null: 1, Bool: 2, Number: 3, String: 4, Array: 5, Object: 6, Name: 7 } as const;
export type Kind = (typeof Kind)[keyof typeof Kind];

/** JsonError says why a text is no JSON. */
export class JsonError extends Error {
  override readonly name = "JsonError";
}

// A node is four numbers: where its token begins and ends; the index after all that is
// in it, or of a name its hash; and kind, flags and count. While an array or object is
// open its end has a mask of the names in it, and its next its parent.
const stride = 4;

const kindMask = 7;
const inObject = 2; // of the two kinds that hold others, only Object has this bit
const escaped = 1 << 3; // a string or name with escapes
const lone = 1 << 4; // a lone surrogate stands in it
const doubled = 1 << 5; // an object in it has a name twice
const number = 1 << 6; // a number stands in it
const spaced = 1 << 7; // white space stands between its tokens
const repeats = 1 << 8; // a name that stood before in the same object
const member = 1 << 9; // a member's value
const last = 1 << 10; // has no next sibling
const similar = 1 << 11; // an object: two of its names may be the same
const inherited = lone | doubled | number | spaced;
const countShift = 12;
const maxCount = (1 << 20) - 1;
const none = -1;

const quote = 0x22;
const backslash = 0x5c;

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

/** Tree is a text and its nodes. */
interface Tree {
  readonly text: string;
  readonly nodes: Int32Array;
}

const noTree: Tree = { text: "", nodes: Int32Array.of(0, 0, 0, last) };

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

function space(text: string, i: number): number {
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
function plainEnd(text: string, i: number): number {
  for (; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c < 0x20 || c === quote || c === backslash) {
      break;
    }
  }
  return i;
}

let stringEnd = 0;

// stringFlags passes over the rest of a string, to stringEnd, and returns which of
// escaped and lone it is from there on.
function stringFlags(text: string, i: number, fail: (at: number, want: string) => never): number {
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

function hex4(text: string, i: number): number {
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

function digitsEnd(text: string, i: number, fail: (at: number, want: string) => never): number {
  const from = i;
  while (i < text.length && text.charCodeAt(i) >= 0x30 && text.charCodeAt(i) <= 0x39) {
    i++;
  }
  return i === from ? fail(i, "a digit") : i;
}

function numberEnd(text: string, i: number, fail: (at: number, want: string) => never): number {
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

// hash is a filter: whoever wants to finds names that have the same, so no list of
// unbounded length is searched by it.
function hash(text: string, from: number, to: number): number {
  const length = to - from;
  if (length === 0) {
    return 0;
  }
  const ends = (text.charCodeAt(from) << 16) ^ text.charCodeAt(to - 1) ^ (text.charCodeAt(from + (length >> 1)) << 8);
  return Math.imul(ends ^ length, 0x9e3779b1);
}

function hashOf(name: string): number {
  return hash(name, 0, name.length);
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

function nameAt(text: string, nodes: Int32Array, i: number): string {
  const token = text.slice(nodes[i] as number, nodes[i + 1] as number);
  return ((nodes[i + 3] as number) & escaped) === 0 ? token.slice(1, -1) : unquote(token);
}

function unquote(token: string): string {
  return repair(JSON.parse(token) as string);
}

/** Value is one value of a tree, and where it is a member, its name with it. */
export class Value {
  /** What is not there. */
  static readonly missing = new Value(noTree, 0);

  constructor(
    private readonly t: Tree,
    private readonly i: number,
  ) {}

  /** treeOf returns the tree of a value. */
  static treeOf(v: Value): Tree {
    return v.t;
  }

  private get info(): number {
    return this.t.nodes[this.i + 3] as number;
  }

  /** What the value is. */
  get kind(): Kind {
    return (this.info & kindMask) as Kind;
  }

  /** Whether the value is there. */
  get exists(): boolean {
    return this.t !== noTree;
  }

  get isObject(): boolean {
    return (this.info & kindMask) === Kind.Object;
  }

  get isArray(): boolean {
    return (this.info & kindMask) === Kind.Array;
  }

  get isString(): boolean {
    return (this.info & kindMask) === Kind.String;
  }

  get isNull(): boolean {
    return (this.info & kindMask) === Kind.Null;
  }

  get isNumber(): boolean {
    return (this.info & kindMask) === Kind.Number;
  }

  /** Whether the value is neither there nor null. */
  get isAbsent(): boolean {
    return (this.info & kindMask) <= Kind.Null;
  }

  get isTrue(): boolean {
    return this.kind === Kind.Bool && this.t.text.charCodeAt(this.t.nodes[this.i] as number) === 0x74;
  }

  /** The value as it stood, with the white space between its tokens. */
  get raw(): string {
    return this.t.text.slice(this.t.nodes[this.i], this.t.nodes[this.i + 1]);
  }

  /** How long the value is as it stood, in units of the text. */
  get size(): number {
    return (this.t.nodes[this.i + 1] as number) - (this.t.nodes[this.i] as number);
  }

  /** How many elements or members the value has. */
  get length(): number {
    const count = this.info >>> countShift;
    if (count < maxCount) {
      return count;
    }
    let n = 0;
    for (let e = this.first; e.exists; e = e.next) {
      n++;
    }
    return n;
  }

  /** The first element, or the value of the first member. */
  get first(): Value {
    const { info } = this;
    return info >>> countShift === 0 ? Value.missing : new Value(this.t, this.i + stride + ((info & inObject) !== 0 ? stride : 0));
  }

  /** The next element or member's value. */
  get next(): Value {
    const { info } = this;
    if ((info & last) !== 0) {
      return Value.missing;
    }
    return new Value(this.t, (this.t.nodes[this.i + 2] as number) + ((info & member) !== 0 ? stride : 0));
  }

  /** get returns the value of the first member of that name. */
  get(name: string): Value {
    const { info, t } = this;
    if ((info & kindMask) !== Kind.Object || info >>> countShift === 0) {
      return Value.missing;
    }
    for (let i = this.i + stride; ; ) {
      if (readsAt(t, i, name)) {
        return new Value(t, i + stride);
      }
      if (((t.nodes[i + stride + 3] as number) & last) !== 0) {
        return Value.missing;
      }
      i = t.nodes[i + stride + 2] as number;
    }
  }

  private get isMember(): boolean {
    return (this.info & member) !== 0;
  }

  /** The name of a member's value, without escapes, a lone surrogate as U+FFFD. */
  get name(): string {
    return this.isMember ? nameAt(this.t.text, this.t.nodes, this.i - stride) : "";
  }

  /** nameIs tells whether this is a member's value and the name reads so. */
  nameIs(name: string): boolean {
    return this.isMember && readsAt(this.t, this.i - stride, name);
  }

  /** The name as it stood, with its quotes. */
  get nameToken(): string {
    return this.isMember ? this.t.text.slice(this.t.nodes[this.i - stride], this.t.nodes[this.i - stride + 1]) : "";
  }

  /** Whether the name stood before in the same object. */
  get repeats(): boolean {
    return this.isMember && ((this.t.nodes[this.i - stride + 3] as number) & repeats) !== 0;
  }

  /** Whether an object in it, or it, has a name twice. */
  get doubled(): boolean {
    return (this.info & doubled) !== 0;
  }

  /** Whether a lone surrogate stands in it or in its name. */
  get lone(): boolean {
    return ((this.info | (this.isMember ? (this.t.nodes[this.i - stride + 3] as number) : 0)) & lone) !== 0;
  }

  /** Whether it is or holds a number. */
  get hasNumber(): boolean {
    return (this.info & number) !== 0;
  }

  /** How deep it nests: 1 for {} and [], 0 for scalars. */
  get height(): number {
    let height = 0;
    const { nodes } = this.t;
    const end = nodes[this.i + 2] as number;
    const open: number[] = [];
    for (let i = this.i; i < end; i += stride) {
      while (open.length > 0 && (open[open.length - 1] as number) <= i) {
        open.pop();
      }
      const kind = (nodes[i + 3] as number) & kindMask;
      if (kind === Kind.Array || kind === Kind.Object) {
        open.push(nodes[i + 2] as number);
        height = Math.max(height, open.length);
      }
    }
    return height;
  }

  /** What a string says, a lone surrogate as U+FFFD; "" for others. */
  get text(): string {
    if (!this.isString) {
      return "";
    }
    const { raw } = this;
    return (this.info & escaped) === 0 ? raw.slice(1, -1) : unquote(raw);
  }

  /** textIs tells whether it is a string that says s. */
  textIs(s: string): boolean {
    return this.isString && readsAt(this.t, this.i, s);
  }

  /** The value of an integral number within ±(2^53-1). */
  get int(): number | undefined {
    return this.isNumber ? safeIntegerOf(this.raw) : undefined;
  }

  /** The value without white space, every token as it stood. */
  get compact(): string {
    return (this.info & spaced) === 0 ? this.raw : this.tokens(0);
  }

  /** The same without the members whose name stood before in their object. */
  get once(): string {
    return (this.info & (spaced | doubled)) === 0 ? this.raw : this.tokens(repeats);
  }

  private tokens(skip: number): string {
    const { text, nodes } = this.t;
    const end = nodes[this.i + 2] as number;
    const parts: string[] = [];
    let at = nodes[this.i] as number;
    for (let i = this.i; i < end; ) {
      const info = nodes[i + 3] as number;
      const kind = info & kindMask;
      if (kind === Kind.Array || kind === Kind.Object) {
        i += stride;
        continue;
      }
      let lead = punctuation(text, at, nodes[i] as number);
      if ((info & skip) !== 0) {
        // It is not the first of its object, so a comma stands before it.
        if (lead.endsWith(",")) {
          lead = lead.slice(0, -1);
        }
        parts.push(lead);
        at = nodes[i + stride + 1] as number;
        i = nodes[i + stride + 2] as number;
        continue;
      }
      at = nodes[i + 1] as number;
      parts.push(lead, text.slice(nodes[i], at));
      i += stride;
    }
    parts.push(punctuation(text, at, nodes[this.i + 1] as number));
    return parts.join("");
  }
}

function readsAt(t: Tree, i: number, want: string): boolean {
  const from = t.nodes[i] as number;
  const to = t.nodes[i + 1] as number;
  if (((t.nodes[i + 3] as number) & escaped) !== 0) {
    return to - from <= 6 * want.length + 2 && unquote(t.text.slice(from, to)) === want;
  }
  return to - from - 2 === want.length && t.text.startsWith(want, from + 1);
}

// punctuation returns what stands between two strings, numbers or literals.
function punctuation(text: string, from: number, to: number): string {
  let out = "";
  for (let i = from; i < to; i++) {
    if (text.charCodeAt(i) > 0x20) {
      out += text[i] as string;
    }
  }
  return out;
}

/** memberText returns a member as it stood, without white space. */
export function memberText(m: Value): string {
  return m.nameToken + ":" + m.compact;
}

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

function membersOf(v: Value): { name: string; value: Value }[] {
  const out: { name: string; value: Value }[] = [];
  for (let m = v.first; m.exists; m = m.next) {
    out.push({ name: m.name, value: m });
  }
  return out;
}

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
