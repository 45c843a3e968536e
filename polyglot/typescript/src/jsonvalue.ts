// One value of a tree.

import { Kind, stride, kindMask, inObject, escaped, lone, doubled, number, spaced, repeats, member, last, countShift, maxCount, type Tree, noTree, nameAt, unquote } from "./jsonnode.js";
import { safeIntegerOf } from "./jsonnumber.js";

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
