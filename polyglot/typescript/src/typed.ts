// The classes that annotated messages become.

import { clone, create, type DescFile, type DescMessage, fromBinary, type MessageInitShape, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { Catalog, type ErrorClass, noErrors } from "./catalog.js";
import { decodeInstance, definitionOf, encodeInstance } from "./definition.js";
import { ErrmapError, type ErrorInit, infoFor, type InternalInit, rebuild, type State, state, stateOf } from "./error.js";
import { Hub } from "./hub.js";
import { identityOf } from "./identity.js";
import { knownPart } from "./info.js";

/** Init is what the fields of an error may be given as. */
export type Init<Desc extends DescMessage> = MessageInitShape<Desc>;

/**
 * TypedError is an error with an identity and with fields. Generated classes extend
 * it, with a property for each field.
 */
export abstract class TypedError<Desc extends DescMessage, Domain extends string, Reason extends string> extends ErrmapError {
  static {
    Object.defineProperty(this.prototype, "name", { get: nameOf, configurable: true });
  }

  protected constructor(schema: Desc, init?: Init<Desc>, options?: ErrorInit) {
    const given = (options as InternalInit | undefined)?.[state];
    const made = given === undefined ? madeHere(schema, init) : undefined;
    super(made?.hub.number ?? 0, "", made === undefined ? options : ({ ...options, [state]: made } as InternalInit));
  }

  /** The fields of the error as the message that they are, which is frozen. */
  get fields(): MessageShape<Desc> {
    const known = stateOf(this);
    known.fields ??= Object.freeze(fieldsOf((this.constructor as unknown as ErrorClass).schema as Desc, known));
    return known.fields as MessageShape<Desc>;
  }

  /** The reason of the class. */
  override get reason(): Reason {
    return (this.constructor as unknown as ErrorClass).reason as Reason;
  }

  /** The domain of the class. */
  override get domain(): Domain {
    return (this.constructor as unknown as ErrorClass).domain as Domain;
  }

  /** @internal */
  protected override [rebuild](init: InternalInit): ErrmapError {
    return errorOf(this.constructor as unknown as ErrorClass, init[state] as State, init);
  }
}

// nameOf is the name of a class's message, which may be asked for before the class is whole.
function nameOf(this: object): string {
  return (this.constructor as Partial<ErrorClass>).schema?.name ?? "TypedError";
}

// madeHere is what a message says of which nothing was received.
function madeHere<Desc extends DescMessage>(schema: Desc, init?: Init<Desc>): State {
  const made = create(schema, init);
  const fields = (made as unknown) === init ? clone(schema, made as MessageShape<Desc>) : (made as MessageShape<Desc>);
  const d = definitionOf(schema);
  const catalog = catalogOf(schema.file);
  const hub = new Hub();
  const { text, details } = encodeInstance(d, toBinary(schema, fields), catalog.codec, hub.notes);
  hub.number = d.code;
  hub.message = text;
  hub.details = details;
  return { hub, catalog, fields: Object.freeze(fields) };
}

// fieldsOf reads the fields of an error that was received.
function fieldsOf<Desc extends DescMessage>(schema: Desc, { hub, catalog }: State): MessageShape<Desc> {
  const d = definitionOf(schema);
  const info = infoFor(hub, d, catalog);
  const find = (name: string): Uint8Array | undefined => {
    for (const detail of hub.details) {
      const found = detail.is(name) ? knownPart(catalog.codec, detail) : undefined;
      if (found !== undefined) {
        return found;
      }
    }
    return undefined;
  };
  const bytes = info === undefined ? undefined : decodeInstance(d, info, find, catalog.codec);
  return bytes === undefined ? (create(schema) as MessageShape<Desc>) : fromBinary(schema, bytes);
}

const catalogs = new WeakMap<DescFile, Catalog>();

// catalogOf knows what a file and its imports define.
function catalogOf(file: DescFile): Catalog {
  let c = catalogs.get(file);
  if (c === undefined) {
    try {
      c = new Catalog([file]);
    } catch {
      c = noErrors; // a mistake in another message is not this one's
    }
    catalogs.set(file, c);
  }
  return c;
}

/** ErrorOf is any error of a list that a generated file exports. */
export type ErrorOf<List extends readonly ErrorClass[]> = List[number] extends infer C ? (C extends abstract new (...args: never[]) => infer E ? E : never) : never;

/**
 * isErrorOf tells whether a caught value is an error of a list: behind it, a switch on
 * the reason is exhaustive.
 */
export function isErrorOf<const List extends readonly (ErrorClass & (abstract new (...args: never[]) => ErrmapError))[]>(
  value: unknown,
  list: List,
): value is ErrorOf<List> {
  return list.some((one) => value instanceof one);
}

/**
 * asError returns a caught error as one of a class that any of its ErrorInfo details
 * has the identity of; undefined where none has.
 */
export function asError<E extends ErrmapError>(value: unknown, one: ErrorClass & (abstract new (...args: never[]) => E)): E | undefined {
  for (let e = value, seen = 0; e instanceof Error && seen < 100; e = e.cause, seen++) {
    if (e instanceof one) {
      return e;
    }
    if (e instanceof ErrmapError && infoFor(stateOf(e).hub, one, stateOf(e).catalog) !== undefined) {
      return errorOf(one, stateOf(e), Object.hasOwn(e, "cause") ? { cause: e.cause } : {}) as E;
    }
  }
  return undefined;
}

/**
 * asErrorOf returns a caught error as one of the first class of a list that asError finds
 * it to be; undefined where it is of none. The functions of methods that declare their
 * errors, such as asCartGetError, are made of it.
 */
export function asErrorOf<const List extends readonly (ErrorClass & (abstract new (...args: never[]) => ErrmapError))[]>(
  value: unknown,
  list: List,
): ErrorOf<List> | undefined {
  for (const one of list) {
    const found = asError(value, one);
    if (found !== undefined) {
      return found as ErrorOf<List>;
    }
  }
  return undefined;
}

/** errorFrom makes an error of what was read: of the class of its identity where the catalogue has one. */
export function errorFrom(given: State, init?: ErrorInit): ErrmapError {
  const { hub, catalog } = given;
  const info = identityOf(hub.details, catalog)?.info;
  const d = info === undefined ? undefined : catalog.find(info.domain, info.reason);
  const one = d === undefined ? undefined : catalog.classOf(d.desc.typeName);
  return errorOf(one, given, init);
}

// errorOf makes an error of a class, without the constructors of that class, which make
// an error of fields.
function errorOf(one: ErrorClass | undefined, { hub, catalog }: State, init: ErrorInit | undefined): ErrmapError {
  const internal: InternalInit = init === undefined ? { [state]: { hub, catalog } } : { ...init, [state]: { hub, catalog } };
  return Reflect.construct(ErrmapError, [hub.number, "", internal], (one ?? ErrmapError) as unknown as new () => ErrmapError) as ErrmapError;
}
