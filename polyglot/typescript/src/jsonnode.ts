// The list of nodes that a text of JSON is read into.

import { repair } from "./text.js";

/** What a value is. */
export const Kind = { Missing: 0, Null: 1, Bool: 2, Number: 3, String: 4, Array: 5, Object: 6, Name: 7 } as const;
export type Kind = (typeof Kind)[keyof typeof Kind];

// A node is four numbers: where its token begins and ends; the index after all that is
// in it, or of a name its hash; and kind, flags and count. While an array or object is
// open its end has a mask of the names in it, and its next its parent.
export const stride = 4;

export const kindMask = 7;
export const inObject = 2; // of the two kinds that hold others, only Object has this bit
export const escaped = 1 << 3; // a string or name with escapes
export const lone = 1 << 4; // a lone surrogate stands in it
export const doubled = 1 << 5; // an object in it has a name twice
export const number = 1 << 6; // a number stands in it
export const spaced = 1 << 7; // white space stands between its tokens
export const repeats = 1 << 8; // a name that stood before in the same object
export const member = 1 << 9; // a member's value
export const last = 1 << 10; // has no next sibling
export const similar = 1 << 11; // an object: two of its names may be the same
export const inherited = lone | doubled | number | spaced;
export const countShift = 12;
export const maxCount = (1 << 20) - 1;
export const none = -1;

/** Tree is a text and its nodes. */
export interface Tree {
  readonly text: string;
  readonly nodes: Int32Array;
}

export const noTree: Tree = { text: "", nodes: Int32Array.of(0, 0, 0, last) };

// hash is a filter: whoever wants to finds names that have the same, so no list of
// unbounded length is searched by it.
export function hash(text: string, from: number, to: number): number {
  const length = to - from;
  if (length === 0) {
    return 0;
  }
  const ends = (text.charCodeAt(from) << 16) ^ text.charCodeAt(to - 1) ^ (text.charCodeAt(from + (length >> 1)) << 8);
  return Math.imul(ends ^ length, 0x9e3779b1);
}

export function hashOf(name: string): number {
  return hash(name, 0, name.length);
}

export function nameAt(text: string, nodes: Int32Array, i: number): string {
  const token = text.slice(nodes[i] as number, nodes[i + 1] as number);
  return ((nodes[i + 3] as number) & escaped) === 0 ? token.slice(1, -1) : unquote(token);
}

export function unquote(token: string): string {
  return repair(JSON.parse(token) as string);
}
