// What a reader recognises and renders.

import type { DescFile, DescMessage } from "@bufbuild/protobuf";
import {
  file_google_protobuf_any,
  file_google_protobuf_duration,
  file_google_protobuf_empty,
  file_google_protobuf_field_mask,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_wrappers,
} from "@bufbuild/protobuf/wkt";
import { file_errmap_v1_carried } from "./gen/errmap/v1/carried_pb.js";
import { file_errmap_v1_error } from "./gen/errmap/v1/error_pb.js";
import { file_google_rpc_error_details } from "./gen/google/rpc/error_details_pb.js";
import { file_google_rpc_status } from "./gen/google/rpc/status_pb.js";
import { currentReason, type Definition, DefinitionError, definitionOf, isAnnotated } from "./definition.js";
import { Codec } from "./protojson.js";
import type { Types } from "./table.js";
import { compareText } from "./text.js";

const baseFiles: readonly DescFile[] = [
  file_google_rpc_error_details,
  file_google_rpc_status,
  file_google_protobuf_any,
  file_google_protobuf_duration,
  file_google_protobuf_empty,
  file_google_protobuf_field_mask,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_wrappers,
  file_errmap_v1_carried,
  file_errmap_v1_error,
];

const baseTypes = new Map<string, DescMessage>();
for (const file of baseFiles) {
  for (const desc of messagesOf(file.messages)) {
    baseTypes.set(desc.typeName, desc);
  }
}

/** ErrorClass is a generated class, as a catalogue keeps it. */
export interface ErrorClass {
  readonly schema: DescMessage;
  readonly domain: string;
  readonly reason: string;
}

/**
 * Catalog is a set of known errors and message types. It is immutable. It always
 * knows the types of google.rpc, the well-known types and those of errmap.v1.
 */
export class Catalog implements Types {
  /** @internal ProtoJSON of the types of the catalogue. */
  readonly codec: Codec = new Codec(this);
  readonly #types = new Map<string, DescMessage>();
  readonly #byDomain = new Map<string, Map<string, Definition>>(); // then by reason
  readonly #byNumber = new Map<string, Definition>();
  readonly #byProblem = new Map<string, Definition>();
  readonly #classes = new Map<string, ErrorClass>();

  /**
   * Makes the catalogue of every annotated message in the files and in what they
   * import, with the classes that its readers make errors of. It throws a DefinitionError that names every mistake: an option that
   * makes no error, and two errors that share domain and reason or, within a
   * domain, the JSON-RPC number.
   */
  constructor(files: Iterable<DescFile> = [], classes: Iterable<ErrorClass> = []) {
    for (const one of classes) {
      this.#classes.set(one.schema.typeName, one);
    }
    const mistakes: string[] = [];
    const found: Definition[] = [];
    for (const file of withImports(files)) {
      for (const desc of messagesOf(file.messages)) {
        if (this.#types.has(desc.typeName)) {
          continue;
        }
        this.#types.set(desc.typeName, desc);
        if (isAnnotated(desc)) {
          try {
            found.push(definitionOf(desc));
          } catch (mistake) {
            mistakes.push(mistake instanceof Error ? mistake.message : String(mistake));
          }
        }
      }
    }
    for (const d of found) {
      let reasons = this.#byDomain.get(d.domain);
      const clash = reasons?.get(d.reason);
      if (clash !== undefined) {
        mistakes.push(`${clash.desc.typeName} and ${d.desc.typeName} are both reason ${d.reason} of domain ${d.domain}`);
        continue;
      }
      if (reasons === undefined) {
        reasons = new Map();
        this.#byDomain.set(d.domain, reasons);
      }
      reasons.set(d.reason, d);
      if (d.jsonrpcCode === undefined) {
        continue;
      }
      const other = this.#byNumber.get(keyOf(d.domain, d.jsonrpcCode));
      if (other !== undefined) {
        mistakes.push(`${other.desc.typeName} and ${d.desc.typeName} both have the JSON-RPC number ${d.jsonrpcCode} in domain ${d.domain}`);
        continue;
      }
      this.#byNumber.set(keyOf(d.domain, d.jsonrpcCode), d);
    }
    for (const d of this.definitions()) {
      if (d.problemType !== "" && !this.#byProblem.has(d.problemType)) {
        this.#byProblem.set(d.problemType, d);
      }
    }
    if (mistakes.length > 0) {
      throw new DefinitionError(mistakes.join("\n"));
    }
  }

  /** message returns a message type by its full name; undefined for an unknown one. */
  message(typeName: string): DescMessage | undefined {
    return baseTypes.get(typeName) ?? this.#types.get(typeName);
  }

  /** find returns the definition of an identity; undefined where it is not known. */
  find(domain: string, reason: string): Definition | undefined {
    const reasons = this.#byDomain.get(domain);
    return reasons?.get(reason) ?? reasons?.get(currentReason(domain, reason));
  }

  /** classOf returns the class of a message type; undefined where there is none. */
  classOf(typeName: string): ErrorClass | undefined {
    return this.#classes.get(typeName);
  }

  /** definitions returns all definitions, sorted by domain and reason. */
  definitions(): Definition[] {
    const all = [...this.#byDomain.values()].flatMap((reasons) => [...reasons.values()]);
    return all.sort((a, b) => compareText(a.domain, b.domain) || compareText(a.reason, b.reason));
  }

  /** knowsDomain tells whether any error of the catalogue has that domain. */
  knowsDomain(domain: string): boolean {
    return this.#byDomain.has(domain);
  }

  /** byProblemType returns the definition of an RFC 9457 problem type. */
  byProblemType(uri: string): Definition | undefined {
    return this.#byProblem.get(uri);
  }

  /** byJsonRpc returns the definition in a domain that has that JSON-RPC number. */
  byJsonRpc(domain: string, number: number): Definition | undefined {
    return this.#byNumber.get(keyOf(domain, number));
  }
}

/** noErrors is a catalogue without any error. */
export const noErrors = new Catalog();

function keyOf(domain: string, other: number | string): string {
  return `${domain}\n${other}`;
}

function* withImports(files: Iterable<DescFile>): Generator<DescFile> {
  const seen = new Set<string>();
  const queue = [...files];
  for (const file of queue) {
    if (!seen.has(file.name)) {
      seen.add(file.name);
      queue.push(...file.dependencies);
      yield file;
    }
  }
}

function* messagesOf(list: readonly DescMessage[]): Generator<DescMessage> {
  for (const desc of list) {
    yield desc;
    yield* messagesOf(desc.nestedMessages);
  }
}
