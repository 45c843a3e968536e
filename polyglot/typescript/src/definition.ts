// What every instance of one annotated message shares, and the way from its
// fields to details and back: docs/wire.md section 2.

import { create, type DescField, type DescMessage, getOption, hasOption, toBinary } from "@bufbuild/protobuf";
import { HelpSchema } from "./gen/google/rpc/error_details_pb.js";
import { domain as domainOption, error as errorOption } from "./gen/errmap/v1/error_pb.js";
import { byCodeUnit } from "./decimal.js";
import { Code, isCanonical } from "./code.js";
import { bytesDetail, Notes, type RawDetail, typeName } from "./hub.js";
import { type ErrorInfo, errorInfoDetail } from "./errorinfo.js";
import { hasUnknown } from "./fields.js";
import { Fields, parseMessage, serializeMessage } from "./message.js";
import { readMetadataText, metadataText } from "./metadata.js";
import { kebab, reasonOf } from "./naming.js";
import { parseTemplate, type TemplatePart } from "./template.js";
import type { Types } from "./protojson.js";

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
    httpStatus: status >= 400 && status <= 599 ? status : undefined,
    problemType: options.problemType || defaultProblemType(domain, reason),
    help: options.help.length > 0 ? toBinary(HelpSchema, create(HelpSchema, { links: options.help })) : undefined,
    retryable: options.retryable,
    entries: desc.fields.filter((f) => !isDetail(f)).sort((a, b) => byCodeUnit(a.jsonName, b.jsonName) || a.number - b.number),
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
 * encodeInstance returns the text and the details of a message: the ErrorInfo
 * first, then the detail fields by number, then the option's Help. What could
 * not be said is in the notes.
 */
export function encodeInstance(d: Definition, m: Fields, types: Types, notes: Notes): Instance {
  const info: ErrorInfo = { reason: d.reason, domain: d.domain, metadata: new Map(d.metadata) };
  const said = new Set<string>();
  for (const field of d.entries) {
    const value = m.values.get(field.number);
    if (value === undefined) {
      continue;
    }
    if (said.has(field.jsonName)) {
      notes.add(`field ${field.parent.typeName}.${field.name} left out: another field has its JSON name`);
      continue;
    }
    const text = metadataText(types, field, value);
    if (text === undefined) {
      notes.add(`field ${field.parent.typeName}.${field.name} left out: its value has no ProtoJSON`);
      continue;
    }
    said.add(field.jsonName);
    info.metadata.set(field.jsonName, text);
  }
  const details = [errorInfoDetail(info)];
  for (const field of d.details) {
    const value = m.single(field.number);
    if (!(value instanceof Fields)) {
      continue;
    }
    if (details.some((other) => other.name === value.desc.typeName)) {
      notes.add(`field ${field.parent.typeName}.${field.name} left out: another field is a ${value.desc.typeName}`);
      continue;
    }
    details.push(bytesDetail(value.desc.typeName, serializeMessage(value)));
  }
  if (d.help !== undefined && !details.some((other) => other.name === typeName.help)) {
    details.push(bytesDetail(typeName.help, d.help));
  }
  if (m.unknown.length > 0 || d.entries.some((field) => holdsUnknown(m.values.get(field.number)))) {
    notes.add(`${d.desc.typeName}: fields that its schema does not know are left out`);
  }
  return { text: textOf(d, m, types), details };
}

// holdsUnknown tells whether a value holds a message with fields that its schema does
// not know: ProtoJSON leaves them out.
function holdsUnknown(value: unknown): boolean {
  if (value instanceof Map) {
    return [...value.values()].some(holdsUnknown);
  }
  return Array.isArray(value) ? value.some(holdsUnknown) : value instanceof Fields && hasUnknown(value);
}

// textOf fills the template; the title stands in where a placeholder has no text.
function textOf(d: Definition, m: Fields, types: Types): string {
  const parts: string[] = [];
  for (const part of d.template) {
    if (!part.placeholder) {
      parts.push(part.text);
      continue;
    }
    const field = d.desc.fields.find((f) => f.name === part.text);
    const value = field === undefined ? undefined : m.values.get(field.number);
    const text = field === undefined || value === undefined ? undefined : metadataText(types, field, value);
    if (text === undefined) {
      return d.title;
    }
    parts.push(text);
  }
  return d.template.length === 0 ? d.title : parts.join("");
}

/**
 * decodeInstance returns the fields of a definition's message that an ErrorInfo
 * and other details say. What does not parse stays unset.
 */
export function decodeInstance(d: Definition, info: ErrorInfo, find: (name: string) => Uint8Array | undefined, types: Types): Fields {
  const m = new Fields(d.desc);
  const said = new Set<string>();
  for (const field of d.entries) {
    const text = info.metadata.get(field.jsonName);
    if (text === undefined || said.has(field.jsonName)) {
      continue;
    }
    said.add(field.jsonName);
    if (!hasOneof(m, field)) {
      readMetadataText(m, field, text, types);
    }
  }
  for (const field of d.details) {
    const desc = field.fieldKind === "message" ? field.message : undefined;
    const value = desc === undefined ? undefined : find(desc.typeName);
    if (desc === undefined || value === undefined || hasOneof(m, field)) {
      continue;
    }
    try {
      m.set(field, parseMessage(desc, value));
    } catch {
      // A detail that cannot be read leaves its field unset.
    }
  }
  return m;
}

function hasOneof(m: Fields, field: DescField): boolean {
  return field.oneof?.fields.some((f) => m.values.has(f.number)) ?? false;
}

const domainA2A = "a2a-protocol.org";
const cardBefore10 = "AUTHENTICATED_EXTENDED_CARD_NOT_CONFIGURED";
const cardSince10 = "EXTENDED_AGENT_CARD_NOT_CONFIGURED";

/** currentReason returns the name of today for a reason of A2A before 1.0. */
export function currentReason(domain: string, reason: string): string {
  return domain === domainA2A && reason === cardBefore10 ? cardSince10 : reason;
}

/** identifies tells whether an ErrorInfo is that of a definition. */
export function identifies(d: Pick<Definition, "domain" | "reason">, info: ErrorInfo): boolean {
  return info.domain === d.domain && (info.reason === d.reason || currentReason(info.domain, info.reason) === d.reason);
}
