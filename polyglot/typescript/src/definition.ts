// What every instance of one annotated message shares, and the way from its
// fields to details and back: docs/wire.md section 2.

import { create, type DescField, type DescMessage, getOption, hasOption, toBinary } from "@bufbuild/protobuf";
import { Code, isCanonical, isErrorStatus } from "./code.js";
import { domain as domainOption, error as errorOption } from "./gen/errmap/v1/error_pb.js";
import { HelpSchema } from "./gen/google/rpc/error_details_pb.js";
import { bytesDetail, type Notes, type RawDetail, typeName } from "./hub.js";
import { type Info, infoDetail } from "./info.js";
import { gather, ordered, type Piece, whole } from "./message.js";
import { metadataText, readMetadataText } from "./metadata.js";
import { kebab, reasonOf } from "./naming.js";
import type { Codec } from "./protojson.js";
import { Out } from "./protowire.js";
import { type Field, type Table, tableOf } from "./table.js";
import { parseTemplate, type TemplatePart } from "./template.js";
import { compareText, concat } from "./text.js";

// The google.rpc types that travel as details of their own.
const detailTypes = new Set(
  ["BadRequest", "RetryInfo", "QuotaFailure", "PreconditionFailure", "ResourceInfo", "RequestInfo", "Help", "LocalizedMessage", "DebugInfo"].map(
    (name) => `google.rpc.${name}`,
  ),
);

/** Definition is what the option of one annotated message says. It is immutable. */
export interface Definition {
  readonly desc: DescMessage;
  readonly code: Code;
  readonly reason: string;
  readonly domain: string;
  /** The static text that names the kind of error. */
  readonly title: string;
  /** The template of the developer-facing text; empty for none. */
  readonly template: readonly TemplatePart[];
  /** Constant entries of ErrorInfo.metadata. */
  readonly metadata: ReadonlyMap<string, string>;
  /** The number in JSON-RPC; undefined where there is none of its own. */
  readonly jsonrpcCode: number | undefined;
  /** The HTTP status on HTTP+JSON; undefined for the one of the code. */
  readonly httpStatus: number | undefined;
  /** The type URI of an RFC 9457 problem; "" where there is none. */
  readonly problemType: string;
  /** The bytes of a google.rpc.Help; undefined where there is none. */
  readonly help: Uint8Array | undefined;
  /** Whether the same call may succeed again; undefined where the option says nothing. */
  readonly retryable: boolean | undefined;
  readonly entries: readonly DescField[];
  readonly details: readonly DescField[];
}

/** DefinitionError says why a message is no error. */
export class DefinitionError extends Error {
  override readonly name = "DefinitionError";
}

const definitions = new WeakMap<DescMessage, Definition>();

/** isAnnotated tells whether a message carries the (errmap.v1.error) option. */
export function isAnnotated(desc: DescMessage): boolean {
  return hasOption(desc, errorOption);
}

/** definitionOf returns the definition of an annotated message; it throws a DefinitionError. */
export function definitionOf(desc: DescMessage): Definition {
  let d = definitions.get(desc);
  if (d === undefined) {
    d = compile(desc);
    definitions.set(desc, d);
  }
  return d;
}

function compile(desc: DescMessage): Definition {
  const fail = (why: string): never => {
    throw new DefinitionError(`${desc.typeName}: ${why}`);
  };
  if (!isAnnotated(desc)) {
    return fail("the message carries no (errmap.v1.error) option");
  }
  const options = getOption(desc, errorOption);
  const domain = options.info?.domain || getOption(desc.file, domainOption);
  const reason = options.info?.reason || reasonOf(desc.name);
  if (!isCanonical(options.code)) {
    fail(`code ${Code[options.code] ?? options.code} is not the code of an error`);
  }
  if (domain === "") {
    fail("there is no domain; set (errmap.v1.domain) in the file or info.domain in the option");
  }
  const template = parseTemplate(options.message);
  if (typeof template === "string") {
    return fail(`message: ${template}`);
  }
  for (const part of template) {
    if (part.placeholder && !desc.fields.some((f) => f.name === part.text)) {
      fail(`message: placeholder {${part.text}} names no field of the message`);
    }
  }
  const isDetail = (f: DescField): boolean => f.fieldKind === "message" && detailTypes.has(f.message.typeName);
  const status = options.httpStatus ?? 0;
  return {
    desc,
    code: options.code,
    reason,
    domain,
    title: options.title || reason,
    template,
    metadata: new Map(Object.entries(options.info?.metadata ?? {})),
    jsonrpcCode: options.jsonrpcCode || undefined,
    httpStatus: isErrorStatus(status) ? status : undefined,
    problemType: options.problemType || defaultProblemType(domain, reason),
    help: options.help.length > 0 ? toBinary(HelpSchema, create(HelpSchema, { links: options.help })) : undefined,
    retryable: options.retryable,
    entries: desc.fields.filter((f) => !isDetail(f)).sort((a, b) => compareText(a.jsonName, b.jsonName) || a.number - b.number),
    details: desc.fields.filter(isDetail).sort((a, b) => a.number - b.number),
  };
}

/** defaultProblemType returns the problem type of an identity; "" where it would be no URI. */
export function defaultProblemType(domain: string, reason: string): string {
  const uri = `https://${domain}/errors/${kebab(reason)}`;
  if (domain === "" || reason === "" || /[^!-~]|["<>\\^`{|}]/.test(uri)) {
    return "";
  }
  return URL.canParse(uri) ? uri : "";
}

/** Instance is what one instance of a definition says. */
export interface Instance {
  readonly text: string;
  readonly details: readonly RawDetail[];
}

/**
 * encodeInstance returns the text and the details of a message, of which it gets the
 * bytes: the ErrorInfo first, then the detail fields by number, then the option's Help.
 * What could not be said is in the notes.
 */
export function encodeInstance(d: Definition, bytes: Uint8Array, codec: Codec, notes: Notes): Instance {
  const table = tableOf(d.desc);
  const gathered = gather(table, bytes);
  const piecesOf = (f: DescField): readonly Piece[] | undefined => gathered?.pieces[d.desc.fields.indexOf(f)];
  const metadata = new Map(d.metadata);
  const said = new Set<string>();
  let hidden = gathered?.unknown ?? false;
  for (const f of d.entries) {
    const pieces = piecesOf(f);
    if (pieces === undefined) {
      continue;
    }
    if (said.has(f.jsonName)) {
      notes.add(`field ${nameOf(f)} left out: another field has its JSON name`);
      continue;
    }
    const text = metadataText(codec, fieldOf(table, f), pieces);
    if (text === undefined) {
      notes.add(`field ${nameOf(f)} left out: its value has no ProtoJSON`);
      continue;
    }
    hidden ||= !text.exact;
    said.add(f.jsonName);
    metadata.set(f.jsonName, text.text);
  }
  const details = [infoDetail(d.reason, d.domain, metadata)];
  for (const f of d.details) {
    const pieces = piecesOf(f);
    const inner = fieldOf(table, f).message;
    if (pieces === undefined || inner === undefined) {
      continue;
    }
    const { typeName: name } = inner.desc;
    const value = whole(pieces);
    const written = ordered(inner, value.bytes, value.from, value.to);
    if (details.some((other) => other.name === name)) {
      notes.add(`field ${nameOf(f)} left out: another field is a ${name}`);
    } else if (written !== undefined) {
      details.push(bytesDetail(name, written));
    }
  }
  if (d.help !== undefined && !details.some((other) => other.is(typeName.help))) {
    details.push(bytesDetail(typeName.help, d.help));
  }
  if (hidden) {
    notes.add(`${d.desc.typeName}: fields that its schema does not know are left out`);
  }
  return { text: textOf(d, table, piecesOf, codec), details };
}

function nameOf(f: DescField): string {
  return `${f.parent.typeName}.${f.name}`;
}

function fieldOf(table: Table, f: DescField): Field {
  return table.byNumber.get(f.number) as Field;
}

// textOf fills the template; the title stands in where a placeholder has no text.
function textOf(d: Definition, table: Table, piecesOf: (f: DescField) => readonly Piece[] | undefined, codec: Codec): string {
  let out = "";
  for (const part of d.template) {
    if (!part.placeholder) {
      out += part.text;
      continue;
    }
    const f = d.desc.fields.find((one) => one.name === part.text);
    const pieces = f === undefined ? undefined : piecesOf(f);
    const text = f === undefined || pieces === undefined ? undefined : metadataText(codec, fieldOf(table, f), pieces);
    if (text === undefined) {
      return d.title;
    }
    out += text.text;
  }
  return d.template.length === 0 ? d.title : out;
}

/**
 * decodeInstance returns the bytes of a definition's message that an ErrorInfo and other
 * details say. What does not parse stays unset.
 */
export function decodeInstance(d: Definition, info: Info, find: (name: string) => Uint8Array | undefined, codec: Codec): Uint8Array {
  const table = tableOf(d.desc);
  const parts: Uint8Array[] = [];
  const oneofs = new Set<number>();
  const put = (f: Field, bytes: Uint8Array): void => {
    if (bytes.length > 0) {
      parts.push(bytes);
      if (f.oneof >= 0) {
        oneofs.add(f.oneof);
      }
    }
  };
  let said = "";
  for (const f of d.entries) {
    const text = info.metadata.get(f.jsonName);
    const field = fieldOf(table, f);
    if (text === undefined || said === f.jsonName || oneofs.has(field.oneof)) {
      continue;
    }
    said = f.jsonName;
    put(field, readMetadataText(codec, field, text));
  }
  for (const f of d.details) {
    const field = fieldOf(table, f);
    const value = field.message === undefined || oneofs.has(field.oneof) ? undefined : find(field.message.desc.typeName);
    const tidy = field.message === undefined || value === undefined ? undefined : ordered(field.message, value);
    if (tidy !== undefined) {
      const out = new Out();
      out.bytesField(field.number, tidy);
      put(field, out.done());
    }
  }
  return parts.length === 1 ? (parts[0] as Uint8Array) : concat(parts);
}

const domainA2A = "a2a-protocol.org";
const cardBefore10 = "AUTHENTICATED_EXTENDED_CARD_NOT_CONFIGURED";
const cardSince10 = "EXTENDED_AGENT_CARD_NOT_CONFIGURED";

/** currentReason returns the name of today for a reason of A2A before 1.0. */
export function currentReason(domain: string, reason: string): string {
  return domain === domainA2A && reason === cardBefore10 ? cardSince10 : reason;
}

/** identifies tells whether an ErrorInfo is that of a definition. */
export function identifies(d: Pick<Definition, "domain" | "reason">, info: Pick<Info, "domain" | "reason">): boolean {
  return info.domain === d.domain && (info.reason === d.reason || currentReason(info.domain, info.reason) === d.reason);
}
