// The error that a program throws and catches.

import { create, type DescMessage, fromBinary, type MessageInitShape, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { type Catalog, noErrors } from "./catalog.js";
import { Code, rowOf } from "./code.js";
import { type Definition, identifies } from "./definition.js";
import { bytesDetail, Hub, Origin, type RawDetail, type Received, typeName } from "./hub.js";
import { identityOf } from "./identity.js";
import { delayIn, type Info, infoOf, knownPart } from "./info.js";
import { ordered } from "./message.js";
import { delayMs, retryDetail } from "./retry.js";
import { tableOf } from "./table.js";
import { repair } from "./text.js";

/** ErrorInit is what an error may have from the beginning. */
export interface ErrorInit {
  /** What led to the error: no wire carries it. */
  readonly cause?: unknown;
  /** The delay in milliseconds after which the caller may try again. */
  readonly retryDelay?: number;
}

/** state is the key of what codecs know of an error. It is for this package alone. */
export const state: unique symbol = Symbol("errmap.state");

/** rebuild is the key of the method that makes a changed copy, a symbol so that no field has its name. */
export const rebuild: unique symbol = Symbol("errmap.rebuild");

/** State is an error as codecs have it, and the catalogue that it was read with. */
export interface State {
  readonly hub: Hub;
  readonly catalog: Catalog;
  /** The fields of a typed error, once somebody asked for them. */
  fields?: unknown;
}

/** InternalInit is how this package makes an error of what it has read. */
export interface InternalInit extends ErrorInit {
  readonly [state]?: State;
}

/** stateOf returns what codecs know of an error. */
export let stateOf: (e: ErrmapError) => State;

/**
 * ErrmapError is an error in the model of google.rpc.Status: a code, a message and
 * details, and what else a peer said. It is immutable; the methods that begin with
 * "with" return a changed copy.
 *
 * All of it but the cause and the notes reaches the caller of a handler that throws
 * it.
 */
export class ErrmapError extends Error {
  readonly #state: State;

  static {
    // On the prototype, where no error has to define it anew.
    Object.defineProperty(this.prototype, "name", { value: "ErrmapError", configurable: true, writable: true });
    stateOf = (e) => e.#state;
  }

  /**
   * Makes an error of a code and a developer-facing text, without identity. OK is no
   * error: it throws a RangeError.
   */
  constructor(code: Code, message: string, init?: ErrorInit) {
    let given = (init as InternalInit | undefined)?.[state] ?? { hub: hubOfCode(code, message), catalog: noErrors };
    super(given.hub.message, init !== undefined && "cause" in init ? { cause: init.cause } : undefined);
    if (init?.retryDelay !== undefined) {
      given = { ...given, hub: withRawDetail(given.hub, bytesDetail(typeName.retryInfo, retryDetail(init.retryDelay))) };
    }
    this.#state = given;
  }

  /** The code: UNKNOWN for a private number. */
  get code(): Code {
    return rowOf(this.#state.hub.number).code;
  }

  /** The number of the code as it was received or given, a private one too. */
  get number(): number {
    return this.#state.hub.number;
  }

  /** The reason of the ErrorInfo that identifies the error; "" for none. */
  get reason(): string {
    return this.#info()?.reason ?? "";
  }

  /** The domain of the ErrorInfo that identifies the error; "" for none. */
  get domain(): string {
    return this.#info()?.domain ?? "";
  }

  /** The metadata of the ErrorInfo that identifies the error. */
  get metadata(): ReadonlyMap<string, string> {
    return this.#info()?.metadata ?? new Map<string, string>();
  }

  /** The details in order, each as it travelled. */
  get details(): readonly RawDetail[] {
    return this.#state.hub.details;
  }

  /** What each wire said that a google.rpc.Status cannot, in the order of Wire. */
  get received(): readonly Received[] {
    return this.#state.hub.received;
  }

  /** The HTTP status that came with the error, else the one that the code stands for. */
  get httpStatus(): number {
    return this.received.find((r) => r.httpStatus !== 0)?.httpStatus ?? rowOf(this.number).http;
  }

  /** What was dropped or repaired, in words for people. It never leaves the program. */
  get notes(): readonly string[] {
    return this.#state.hub.notes.texts;
  }

  /** Whether a peer sent the error. */
  get remote(): boolean {
    return this.#state.hub.origin === Origin.Remote;
  }

  /** Whether a call of this program failed here, without a word of its peer. */
  get local(): boolean {
    return this.#state.hub.origin === Origin.Local;
  }

  /** The delay of the first RetryInfo that has one, in milliseconds; undefined without one. */
  get retryDelay(): number | undefined {
    const { hub, catalog } = this.#state;
    const delay = delayIn(hub.details, catalog.codec);
    return delay === undefined ? undefined : delayMs(delay);
  }

  /**
   * Whether the same call may succeed when it is made again: what the definition of the
   * error says, else whether a RetryInfo with a delay is there, else whether the code is
   * UNAVAILABLE.
   */
  get retryable(): boolean {
    const info = this.#info();
    const said = info === undefined ? undefined : this.#state.catalog.find(info.domain, info.reason)?.retryable;
    return said ?? (this.retryDelay !== undefined || this.code === Code.UNAVAILABLE);
  }

  /** detail returns the first detail of a type that can be read; undefined for none. */
  detail<Desc extends DescMessage>(schema: Desc): MessageShape<Desc> | undefined {
    const { codec } = this.#state.catalog;
    for (const d of this.details) {
      const bytes = d.is(schema.typeName) ? knownPart(codec, d) : undefined;
      const message = bytes === undefined ? undefined : shapeOf(schema, bytes);
      if (message !== undefined) {
        return message;
      }
    }
    return undefined;
  }

  /** is tells whether any ErrorInfo of the error has the identity of a class. */
  is(one: { readonly domain: string; readonly reason: string }): boolean {
    const { hub, catalog } = this.#state;
    return infoFor(hub, one, catalog) !== undefined;
  }

  /** withDetail returns the error with one more detail; one of that type is replaced. */
  withDetail<Desc extends DescMessage>(schema: Desc, init: MessageInitShape<Desc>): this {
    const value = bytesOf(schema, create(schema, init) as MessageShape<Desc>);
    return this.#changed((hub) => withRawDetail(hub, bytesDetail(schema.typeName, value)));
  }

  /** withMessage returns the error with another text. */
  withMessage(message: string): this {
    return this.#changed((hub) => {
      const copy = hub.clone(hub.notes);
      copy.message = repair(message);
      return copy;
    });
  }

  #changed(change: (hub: Hub) => Hub): this {
    const { hub, catalog } = this.#state;
    return this[rebuild]({ ...(Object.hasOwn(this, "cause") ? { cause: this.cause } : {}), [state]: { hub: change(hub), catalog } }) as this;
  }

  /** @internal */
  protected [rebuild](init: InternalInit): ErrmapError {
    return new ErrmapError(this.code, "", init);
  }

  #info(): Info | undefined {
    const { hub, catalog } = this.#state;
    return identityOf(hub.details, catalog)?.info;
  }
}

function hubOfCode(code: Code, message: string): Hub {
  if (code === Code.OK) {
    throw new RangeError("OK is the code of no error");
  }
  const hub = new Hub();
  hub.number = code;
  hub.message = repair(message);
  return hub;
}

function withRawDetail(hub: Hub, detail: RawDetail): Hub {
  const changed = hub.clone(hub.notes);
  const place = hub.details.findIndex((d) => d.is(detail.name));
  changed.details = place < 0 ? [...hub.details, detail] : hub.details.map((d, i) => (i === place ? detail : d));
  return changed;
}

/** bytesOf returns the bytes of a message, its fields in the order of their numbers. */
export function bytesOf<Desc extends DescMessage>(schema: Desc, message: MessageShape<Desc>): Uint8Array {
  const bytes = toBinary(schema, message);
  return ordered(tableOf(schema), bytes) ?? bytes;
}

/**
 * shapeOf returns a message as @bufbuild/protobuf has it; undefined where the bytes are
 * none. A field with another wire type than its own is left out, which that library would
 * take for the field.
 */
export function shapeOf<Desc extends DescMessage>(schema: Desc, bytes: Uint8Array): MessageShape<Desc> | undefined {
  const tidy = ordered(tableOf(schema), bytes);
  return tidy === undefined ? undefined : fromBinary(schema, tidy);
}

/** infoFor returns the ErrorInfo of an error that a definition identifies. */
export function infoFor(hub: Hub, d: Pick<Definition, "domain" | "reason">, catalog: Catalog): Info | undefined {
  for (const detail of hub.details) {
    const info = infoOf(catalog.codec, detail);
    if (info !== undefined && identifies(d, info)) {
      return info;
    }
  }
  return undefined;
}

