// JSON text that keeps every token: a value is its own compact text, so that
// numbers, escapes and the order of members stay what they were.

import { decodeUtf8, encodeUtf8, repair } from "./utf8.js";

/** JSON without white space, its strings and numbers as they stood. */
export type JsonText = string;

/** Member is one member of an object: its name, read, and both as they stood. */
export interface Member {
  readonly name: string;
  readonly rawName: JsonText;
  readonly value: JsonText;
}

/** JsonError says what is wrong with a text that is to be JSON. */
export class JsonError extends Error {
  override readonly name = "JsonError";
}

const maxNesting = 10_000;
const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const plain = /[^"\\\u0000-\u001f]*/y;
const wholeNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/**
 * compactJson returns one JSON value without white space. It throws a JsonError
 * where the text is none, is longer than so many bytes, or nests deeper.
 */
export function compactJson(body: string | Uint8Array, limits: { body: number; depth: number }): JsonText {
  const size = typeof body === "string" ? (body.length > limits.body / 3 ? encodeUtf8(body).length : body.length) : body.length;
  if (size > limits.body) {
    throw new JsonError("larger than the limit");
  }
  const text = typeof body === "string" ? repair(body) : decodeUtf8(body);
  const compact = scan(text);
  if (depth(compact) > limits.depth) {
    throw new JsonError("nested deeper than the limit");
  }
  return compact;
}

/** isJson tells whether a text is one JSON value. */
export function isJson(text: string): boolean {
  try {
    scan(text);
    return true;
  } catch {
    return false;
  }
}

// scan checks the grammar of RFC 8259 without recursion: open holds what is open.
function scan(text: string): JsonText {
  const parts: string[] = [];
  const open: ("{" | "[")[] = [];
  let at = 0;
  const fail = (): never => {
    throw new JsonError(at >= text.length ? "the text ends in the middle of a JSON value" : `no JSON at character ${at + 1}`);
  };
  const space = (): void => {
    for (; at < text.length; at++) {
      const c = text.charCodeAt(at);
      if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) {
        return;
      }
    }
  };
  const token = (pattern: RegExp): void => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found === null) {
      return fail();
    }
    parts.push(found[0]);
    at += found[0].length;
  };
  const quoted = (): void => {
    const start = at;
    if (text[at] !== '"') {
      fail();
    }
    for (at++; ; at++) {
      plain.lastIndex = at;
      plain.test(text);
      at = plain.lastIndex;
      if (text[at] === '"') {
        break;
      }
      if (at >= text.length || text.charCodeAt(at) < 0x20) {
        fail();
      }
      if (text[at] === "\\") {
        at++;
        if (text[at] === "u" && /^[0-9a-fA-F]{4}$/.test(text.slice(at + 1, at + 5))) {
          at += 4;
        } else if (text[at] === undefined || !'"\\/bfnrt'.includes(text[at] as string)) {
          fail();
        }
      }
    }
    at++;
    parts.push(text.slice(start, at));
  };
  const name = (): void => {
    space();
    quoted();
    space();
    if (text[at] !== ":") {
      fail();
    }
    at++;
    parts.push(":");
  };
  for (;;) {
    space();
    const c = text[at];
    let closed = true;
    if (c === '"') {
      quoted();
    } else if (c === "{" || c === "[") {
      if (open.length >= maxNesting) {
        throw new JsonError("nested deeper than the limit");
      }
      parts.push(c);
      at++;
      space();
      if (text[at] === (c === "{" ? "}" : "]")) {
        parts.push(text[at] as string);
        at++;
      } else {
        open.push(c);
        closed = false;
        if (c === "{") {
          name();
        }
      }
    } else if (c === "t" || c === "f" || c === "n") {
      const word = c === "t" ? "true" : c === "f" ? "false" : "null";
      if (!text.startsWith(word, at)) {
        fail();
      }
      parts.push(word);
      at += word.length;
    } else {
      token(number);
    }
    while (closed) {
      space();
      const inside = open.at(-1);
      if (inside === undefined) {
        if (at < text.length) {
          fail();
        }
        return parts.join("");
      }
      const next = text[at];
      at++;
      if (next === ",") {
        parts.push(",");
        if (inside === "{") {
          name();
        }
        closed = false;
      } else if (next === (inside === "{" ? "}" : "]")) {
        parts.push(next);
        open.pop();
      } else {
        at--;
        fail();
      }
    }
  }
}

/** depth counts how deep valid JSON nests. */
export function depth(text: JsonText): number {
  let deepest = 0;
  let now = 0;
  for (let i = 0; i < text.length; i++) {
    switch (text[i]) {
      case '"':
        i = stringEnd(text, i) - 1;
        break;
      case "{":
      case "[":
        deepest = Math.max(deepest, ++now);
        break;
      case "}":
      case "]":
        now--;
        break;
    }
  }
  return deepest;
}

// stringEnd returns the index after the string that begins at i.
function stringEnd(text: JsonText, i: number): number {
  for (let end = text.indexOf('"', i + 1); ; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === 0x5c) {
      slashes++;
    }
    if (slashes % 2 === 0) {
      return end + 1;
    }
  }
}

// valueEnd returns the index after the value that begins at i.
function valueEnd(text: JsonText, i: number): number {
  const c = text[i];
  if (c === '"') {
    return stringEnd(text, i);
  }
  if (c === "{" || c === "[") {
    for (let level = 0; ; i++) {
      switch (text[i]) {
        case '"':
          i = stringEnd(text, i) - 1;
          break;
        case "{":
        case "[":
          level++;
          break;
        case "}":
        case "]":
          if (--level === 0) {
            return i + 1;
          }
          break;
      }
    }
  }
  while (i < text.length && text[i] !== "," && text[i] !== "}" && text[i] !== "]") {
    i++;
  }
  return i;
}

/** objectMembers splits an object; undefined where the text is none. */
export function objectMembers(text: JsonText | undefined): Member[] | undefined {
  if (text === undefined || text[0] !== "{") {
    return undefined;
  }
  const members: Member[] = [];
  for (let i = 1; text[i] !== "}"; ) {
    if (text[i] === ",") {
      i++;
    }
    const end = stringEnd(text, i);
    const stop = valueEnd(text, end + 1);
    const rawName = text.slice(i, end);
    members.push({ name: unquote(rawName), rawName, value: text.slice(end + 1, stop) });
    i = stop;
  }
  return members;
}

/** arrayElements splits an array; undefined where the text is none. */
export function arrayElements(text: JsonText | undefined): JsonText[] | undefined {
  if (text === undefined || text[0] !== "[") {
    return undefined;
  }
  const elements: JsonText[] = [];
  for (let i = 1; text[i] !== "]"; ) {
    if (text[i] === ",") {
      i++;
    }
    const end = valueEnd(text, i);
    elements.push(text.slice(i, end));
    i = end;
  }
  return elements;
}

/** unquote reads a JSON string; a lone surrogate is U+FFFD. */
export function unquote(raw: JsonText): string {
  return raw.includes("\\") ? repair(JSON.parse(raw) as string) : raw.slice(1, -1);
}

/** stringValue reads a JSON string; undefined where the text is something else. */
export function stringValue(raw: JsonText | undefined): string | undefined {
  return raw !== undefined && raw[0] === '"' ? unquote(raw) : undefined;
}

/** isNumber tells whether valid JSON is a number. */
export function isNumber(raw: JsonText): boolean {
  return /^[-0-9]/.test(raw);
}

/** isJsonNumber tells whether a text is one number token and nothing else. */
export function isJsonNumber(text: string): boolean {
  return wholeNumber.test(text);
}

/** quote writes a JSON string. */
export function quote(s: string): JsonText {
  return JSON.stringify(repair(s));
}

/** joinMembers writes an object. */
export function joinMembers(members: readonly Member[]): JsonText {
  return "{" + members.map((m) => m.rawName + ":" + m.value).join(",") + "}";
}

/** newMember makes a member of a name and the text of a value. */
export function newMember(name: string, value: JsonText): Member {
  return { name, rawName: quote(name), value };
}

/** findMember returns the value of the first member of that name. */
export function findMember(members: readonly Member[] | undefined, name: string): JsonText | undefined {
  return members?.find((m) => m.name === name)?.value;
}

/** hasLoneSurrogate tells whether a JSON string reads otherwise than it stands. */
export function hasLoneSurrogate(raw: JsonText): boolean {
  return raw.includes("\\u") && /[\ud800-\udfff]/u.test(JSON.parse(raw) as string);
}

/** fromValue writes a value that a language has parsed already. */
export function fromValue(value: unknown): JsonText {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) {
    throw new JsonError("the value has no JSON");
  }
  return text;
}
