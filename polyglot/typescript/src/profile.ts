// The dialects of JSON-RPC 2.0: docs/wire.md section 7.

import type { DescMessage } from "@bufbuild/protobuf";
import { type Code, isTableNumber } from "./code.js";
import { currentReason, type Definition, DefinitionError, definitionOf } from "./definition.js";
import { type Kind, tryParse, type Value } from "./jsontree.js";

/** ProfileSpec says what a profile is. With a name alone it is generic JSON-RPC 2.0. */
export interface ProfileSpec {
  readonly name: string;
  /**
   * The domain of the errors that the protocol itself defines. Their ErrorInfo is supplied
   * where an error of one of their numbers comes without one.
   */
  readonly domain?: string;
  /** Those errors. */
  readonly errors?: readonly ProfileError[];
  /**
   * The data of such an error is an object, with the members that it requires, and with
   * all else that it says under "details". Otherwise data is an array of typed objects, as
   * of any error.
   */
  readonly objectData?: boolean;
  /**
   * The first and the last of the numbers that only these errors have. An error of another
   * domain whose own number is among them gets that of its code.
   */
  readonly reserved?: readonly [first: number, last: number];
  /** The numbers among the reserved ones that are written again where they were received; "all" for each. */
  readonly repeats?: readonly number[] | "all";
  /** Numbers that stand for a code alone: they are read, and never written. */
  readonly codes?: Readonly<Record<number, Code>>;
  /** The HTTP status of an answer with an error of a number, where it is not 200. */
  readonly httpStatuses?: Readonly<Record<number, number>>;
  /** The HTTP status of the answer to notifications alone; the default is 204. */
  readonly acceptedStatus?: number;
  /** A batch is answered with one error. */
  readonly refusesBatches?: boolean;
  /** A request with a null id is invalid, and an answer to a request whose id is not known has none. */
  readonly refusesNullIds?: boolean;
  /** A request with an Origin header is refused unless that origin is allowed. */
  readonly checksOrigins?: boolean;
}

/** ProfileError is an error that a protocol itself defines. */
export interface ProfileError {
  /** The annotated message that is the error; a generated class has it as its static schema. */
  readonly schema: DescMessage;
  /** The code of the error object; the default is the one that the definition has. */
  readonly number?: number;
  /** The members that data requires, in the order in which they are written. They are read into the fields of the message. */
  readonly data?: readonly ProfileMember[];
  /** The number means this error only where data is an object of exactly these members, each of its type, and of nothing else but details. */
  readonly onlyWithData?: boolean;
  /** The number is read, and not written. */
  readonly readOnly?: boolean;
}

/** ProfileMember is a member that the data of an error requires. */
export interface ProfileMember {
  readonly name: string;
  /** The JSON of the value that says nothing, such as '""', '[]' or '{}'. Its type is the member's. */
  readonly empty: string;
}

/** OwnError is an error of a profile, compiled. */
export interface OwnError {
  readonly number: number;
  readonly definition: Definition;
  readonly members: readonly RequiredMember[];
  readonly alone: boolean;
  readonly readOnly: boolean;
}

/** RequiredMember is a member that data requires, compiled. */
export interface RequiredMember {
  readonly name: string;
  readonly empty: string;
  readonly kind: Kind;
  readonly isString: boolean;
  /** The metadata text of the value that says nothing. */
  readonly emptyText: string;
}

/** memberValue returns a metadata text as JSON of the member's type, the empty value for one that is not of it. */
export function memberValue(m: RequiredMember, text: string): string {
  if (m.isString) {
    return JSON.stringify(text);
  }
  const v = tryParse(text, 100);
  return v.exists && v.kind === m.kind ? v.compact : m.empty;
}

/**
 * Profile is a dialect of JSON-RPC 2.0: which numbers an error has there and what its data
 * looks like. A caller chooses it; it is never guessed from a number. It is data, and
 * immutable: what a profile does differently stands in it, and nowhere else.
 */
export class Profile {
  readonly name: string;
  readonly domain: string;
  /** Whether the data of an own error is an object. */
  readonly objectData: boolean;
  /** The HTTP status of the answer to notifications alone. */
  readonly acceptedStatus: number;
  readonly refusesBatches: boolean;
  readonly refusesNullIds: boolean;
  readonly checksOrigins: boolean;
  readonly #spec: ProfileSpec;
  readonly #byNumber = new Map<number, OwnError>(); // those without a condition
  readonly #conditions: OwnError[] = [];
  readonly #byReason = new Map<string, OwnError>();

  /** Makes a profile; it throws a DefinitionError that names every mistake. */
  constructor(spec: ProfileSpec) {
    this.#spec = spec;
    this.name = spec.name;
    this.domain = spec.domain ?? "";
    this.objectData = spec.objectData ?? false;
    this.acceptedStatus = spec.acceptedStatus ?? 204;
    this.refusesBatches = spec.refusesBatches ?? false;
    this.refusesNullIds = spec.refusesNullIds ?? false;
    this.checksOrigins = spec.checksOrigins ?? false;
    const mistakes = this.#compile();
    if (mistakes.length > 0) {
      throw new DefinitionError(mistakes.map((what) => `profile ${JSON.stringify(spec.name)}: ${what}`).join("\n"));
    }
  }

  #compile(): string[] {
    const spec = this.#spec;
    const mistakes: string[] = [];
    if (spec.name === "") {
      mistakes.push("it has no name");
    }
    if (spec.reserved !== undefined && spec.reserved[0] > spec.reserved[1]) {
      mistakes.push(`the reserved numbers end at ${spec.reserved[1]}, before they begin at ${spec.reserved[0]}`);
    }
    const numbers = new Map<number, string>();
    for (const one of spec.errors ?? []) {
      let d: Definition;
      try {
        d = definitionOf(one.schema);
      } catch (cause) {
        mistakes.push(cause instanceof Error ? cause.message : String(cause));
        continue;
      }
      const name = d.desc.typeName;
      const number = one.number ?? d.jsonrpcCode ?? 0;
      if (d.domain !== this.domain) {
        mistakes.push(`${name} is of domain ${d.domain}, not ${this.domain}`);
      } else if (number === 0 || !Number.isSafeInteger(number)) {
        mistakes.push(`${name} has no number`);
      } else if (this.codeOf(number) !== undefined) {
        mistakes.push(`number ${number} is that of ${name} and of a bare code`);
      } else if (one.onlyWithData !== true && isTableNumber(number)) {
        mistakes.push(`number ${number} of ${name} is that of a code without identity: it can mean the error only with its data`);
      } else if (numbers.has(number)) {
        mistakes.push(`number ${number} is that of both ${numbers.get(number)} and ${name}`);
      } else if (this.#byReason.has(d.reason)) {
        mistakes.push(`${this.#byReason.get(d.reason)?.definition.desc.typeName} and ${name} are both reason ${d.reason} of domain ${d.domain}`);
      }
      const members = (one.data ?? []).map(({ name: member, empty }) => {
        const v = tryParse(empty, 100);
        if (member === "" || member === "details" || !v.exists) {
          mistakes.push(`${name}: member ${JSON.stringify(member)} with the empty value ${JSON.stringify(empty)}: want a name that is not details, and JSON`);
        }
        return { name: member, empty, kind: v.kind, isString: v.isString, emptyText: empty === '""' ? "" : empty };
      });
      numbers.set(number, name);
      const own: OwnError = { number, definition: d, members, alone: one.onlyWithData ?? false, readOnly: one.readOnly ?? false };
      this.#byReason.set(d.reason, own);
      if (own.alone) {
        this.#conditions.push(own);
      } else {
        this.#byNumber.set(number, own);
      }
    }
    for (const number of Object.keys(spec.codes ?? {})) {
      if (isTableNumber(Number(number))) {
        mistakes.push(`number ${number} is that of a code already`);
      }
    }
    return mistakes;
  }

  /** httpStatus returns the HTTP status of an answer that holds an error of that number. */
  httpStatus(number: number): number {
    return this.#spec.httpStatuses?.[number] ?? 200;
  }

  /** codeOf returns the bare code that a number stands for; undefined for another number. */
  codeOf(number: number): Code | undefined {
    return this.#spec.codes?.[number];
  }

  #isReserved(number: number): boolean {
    const { reserved } = this.#spec;
    return reserved !== undefined && number >= reserved[0] && number <= reserved[1];
  }

  /** mayWrite tells whether the profile writes the number of an error that it does not define. */
  mayWrite(number: number): boolean {
    return number !== 0 && !this.#isReserved(number) && !this.#byNumber.has(number) && this.codeOf(number) === undefined;
  }

  /** mayRepeat tells whether the profile writes a number that was received. */
  mayRepeat(number: number): boolean {
    if (number === 0 || this.#byNumber.get(number)?.readOnly === true || this.codeOf(number) !== undefined) {
      return false;
    }
    const { repeats } = this.#spec;
    return repeats === "all" || !this.#isReserved(number) || (repeats ?? []).includes(number);
  }

  /** numbered returns the own error of a number that means it whatever data is. */
  numbered(number: number): OwnError | undefined {
    return this.#byNumber.get(number);
  }

  /** conditional returns the own error of a number that means it with its data alone. */
  conditional(number: number, reason: string): OwnError | undefined {
    return this.#conditions.find((own) => own.number === number && own.definition.reason === reason);
  }

  /** means returns the own error that a number means beside that data. */
  means(number: number, data: Value): OwnError | undefined {
    return this.#byNumber.get(number) ?? this.#conditions.find((own) => own.number === number && fits(own, data));
  }

  /** find returns the own error of a reason. */
  find(reason: string): OwnError | undefined {
    return this.#byReason.get(reason) ?? this.#byReason.get(currentReason(this.domain, reason));
  }

  /** of returns the own error that a definition is. */
  of(d: Definition): OwnError | undefined {
    return this.domain === "" || d.domain !== this.domain ? undefined : this.#byReason.get(d.reason);
  }
}

// fits tells whether data is an object of exactly the members that the error requires,
// and of nothing else but details.
function fits(own: OwnError, data: Value): boolean {
  if (!data.isObject) {
    return false;
  }
  let found = 0;
  for (let m = data.first; m.exists; m = m.next) {
    const { name } = m;
    const want = own.members.find((one) => one.name === name);
    if (want !== undefined && want.kind === m.kind) {
      if (!m.repeats) {
        found++;
      }
    } else if (want !== undefined || name !== "details") {
      return false;
    }
  }
  return found === own.members.length;
}
