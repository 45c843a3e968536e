// Members of an error object that have no place in the model.

import type { Notes } from "./hub.js";
import { memberText, tryParse, type Value } from "./jsontree.js";
import { compareText, quoted } from "./text.js";

/** Member is one that is read. Its value is a node of the body, or text of its own. */
export interface Member {
  readonly name: string;
  readonly value: Value;
  readonly text?: string;
}

/** membersText returns a JSON object of members, sorted by name; "" without any. */
export function membersText(members: readonly Member[]): string {
  if (members.length === 0) {
    return "";
  }
  const sorted = members.length > 1 ? [...members].sort((a, b) => compareText(a.name, b.name)) : members;
  const parts = sorted.map((m) => JSON.stringify(m.name) + ":" + (m.text ?? m.value.compact));
  return "{" + parts.join(",") + "}";
}

// fold is Unicode's simple case folding as far as letters of ASCII are reached by it: the
// long s and the Kelvin sign fold to two of them.
function fold(name: string): string {
  return name.replaceAll("\u017f", "s").replaceAll("\u212a", "k").toLowerCase();
}

/** Names are the members that a form itself has. */
export class Names {
  readonly #folded: readonly string[];
  readonly #longest: number;

  constructor(readonly list: readonly string[]) {
    this.#folded = list.map(fold);
    this.#longest = Math.max(0, ...list.map((name) => name.length));
  }

  /** find returns the place of a name, -1 for another one. */
  find(name: string): number {
    return this.list.indexOf(name);
  }

  /** folds tells whether a name differs from one of the form's in case alone: some readers would take it for that. */
  folds(name: string): boolean {
    return name.length <= this.#longest && this.#folded.includes(fold(name)) && !this.list.includes(name);
  }

  /** placeIn returns the place of a member in a form: it stands unless it has one of the form's names. */
  placeIn(m: Value): Place {
    const { name } = m;
    return this.find(name) >= 0 || this.folds(name) ? "rides" : "stands";
  }
}

/** Place is where a member that rode along goes: into Carried, among the members of the form, or nowhere since the form says it already. */
export type Place = "rides" | "said" | "stands";

/**
 * take returns the members of an object that the form has, by their places in names, and
 * the others. Of a name that stands twice the first counts.
 */
export function take(object: Value, form: Names, notes: Notes): { own: Value[]; rest: Member[] } {
  const own: Value[] = form.list.map(() => absent);
  const rest: Member[] = [];
  for (let m = object.first; m.exists; m = m.next) {
    const { name } = m;
    const place = form.find(name);
    if (m.repeats) {
      notes.add(`member ${quoted(name)} stands twice: the first counts`);
    } else if (place >= 0) {
      own[place] = m;
    } else if (form.folds(name)) {
      notes.add(`member ${quoted(name)} differs from one of the form's only in case: dropped`);
    } else {
      rest.push({ name, value: m });
    }
  }
  return { own, rest };
}

const absent = tryParse("");

/** Keys are the names that are taken in an object. */
export class Keys {
  // With the next number to try for each, so that many of one name cost no more than few.
  readonly #next = new Map<string, number>();

  /** free returns a key that is not taken, and takes it. */
  free(key: string): string {
    let next = this.#next.get(key);
    if (next === undefined) {
      this.#next.set(key, 2);
      return key;
    }
    for (; ; next++) {
      const candidate = `${key}_${next}`;
      if (!this.#next.has(candidate)) {
        this.#next.set(key, next + 1);
        this.#next.set(candidate, 2);
        return candidate;
      }
    }
  }
}

/** Split are members that stand on the wire that is written, each after a comma, and an object of those that ride. */
export interface Split {
  readonly standing: string;
  readonly riding: string;
}

/** splitMembers puts members in their places. */
export function splitMembers(members: string, placeOf: (m: Value) => Place): Split {
  if (members === "") {
    return { standing: "", riding: "" };
  }
  const root = tryParse(members);
  if (!root.exists) {
    return { standing: "", riding: members };
  }
  const standing: string[] = [];
  const riding: string[] = [];
  for (let m = root.first; m.exists; m = m.next) {
    const place = placeOf(m);
    if (place === "stands") {
      standing.push(",", memberText(m));
    } else if (place === "rides") {
      riding.push(memberText(m));
    }
  }
  return { standing: standing.join(""), riding: riding.length === 0 ? "" : "{" + riding.join(",") + "}" };
}
