// The data member of a JSON-RPC error: docs/wire.md section 7.

import { freeKey } from "./aip193.js";
import type { Catalog } from "./catalog.js";
import { isCanonical, rpcNumber } from "./code.js";
import { safeIntegerOf } from "./decimal.js";
import type { Definition } from "./definition.js";
import { type ErrorInfo, errorInfoDetail } from "./errorinfo.js";
import type { Hub, Notes, RawDetail } from "./hub.js";
import { take, typeUrlPrefix } from "./hub.js";
import { arrayElements, compactJson, findMember, isNumber, joinMembers, type JsonText, type Member, newMember, objectMembers, quote, stringValue, unquote } from "./json.js";
import type { DecodeSettings } from "./options.js";
import { domainOf, domains, numbered, ownErrors, type Profile, resourceNotFound } from "./profile.js";
import { errorInfoOf, isTyped, parseElement, textMembers } from "./render.js";

/** The "@type" of the code marker. */
export const markerType = `${typeUrlPrefix}google.rpc.Status`;

/** RpcData is what the data member says. */
export interface RpcData {
  readonly details: readonly RawDetail[];
  /** The code of the marker; 0 for none. */
  readonly marker: number;
  /** The profile's own error that the number stands for. */
  readonly own: Definition | undefined;
  /** Free-form data of such an error. */
  readonly free: JsonText | undefined;
  /** The members that MCP has beside details. */
  readonly beside: readonly Member[];
}

/** readData reads the data member. */
export function readData(e: Hub, o: DecodeSettings, given: JsonText | undefined, p: Profile, number: number): RpcData {
  let raw = given;
  const own =
    numbered(p, number) ??
    (p === "mcp" && number === rpcNumber.invalidParams && isUriObject(raw) ? ownErrors(p).find(domains.mcp, resourceNotFound) : undefined);
  const nothing: RpcData = { details: [], marker: 0, own, free: undefined, beside: [] };
  if (raw === undefined || raw === "[]") {
    return nothing;
  }
  let beside: readonly Member[] = [];
  let elements: readonly JsonText[] | undefined = arrayElements(raw);
  if (elements !== undefined) {
    elements = elements.some(isTyped) ? elements : undefined;
  } else if (isTyped(raw)) {
    elements = [raw];
  } else if (p === "mcp" && own !== undefined) {
    raw = withoutEmptyDetails(raw);
    const members = objectMembers(raw);
    elements = arrayElements(findMember(members, "details"));
    if (elements !== undefined && members !== undefined) {
      beside = members.toSpliced(members.findIndex((m) => m.name === "details"), 1);
    }
  }
  if (elements === undefined) {
    return own !== undefined ? { ...nothing, free: raw } : { ...nothing, details: [parseElement(o.catalog, raw)] };
  }
  elements = e.atMost(o, elements);
  const codes = elements.map(markerCode);
  const marked = codes.findLastIndex((code) => code !== 0);
  const details: RawDetail[] = [];
  const untyped: JsonText[] = [];
  for (const [i, element] of elements.entries()) {
    if (i === marked) {
      take(objectMembers(element) ?? [], e.notes, "@type", "code");
      continue;
    }
    if (own !== undefined && !isTyped(element)) {
      untyped.push(element);
    } else {
      details.push(parseElement(o.catalog, element));
    }
  }
  return { details, marker: codes[marked] ?? 0, own, free: untyped.length > 0 ? `[${untyped.join(",")}]` : undefined, beside };
}

// withoutEmptyDetails takes out of a data object of MCP a details member that is an
// empty array: as data itself, that says nothing, least of all that the rest of the
// object is not to be read.
function withoutEmptyDetails(raw: JsonText): JsonText {
  const members = objectMembers(raw);
  return members === undefined ? raw : joinMembers(members.filter((m) => m.name !== "details" || m.value !== "[]"));
}

/**
 * supply gives a profile's own error its ErrorInfo, first, where it came without one
 * of the profile's domain, and puts free-form data into its metadata. It is false
 * where the ErrorInfo contradicts the number.
 */
export function supply(e: Hub, own: Definition, { free, beside }: RpcData, p: Profile, c: Catalog): boolean {
  const infos = e.details.map((d) => errorInfoOf(c, d));
  const place = infos.findIndex((info) => info?.domain === domainOf(p));
  const found = infos[place];
  let d = own;
  let agree = true;
  if (found !== undefined) {
    const known = ownErrors(p).find(domainOf(p), found.reason);
    if (known !== undefined && known !== own) {
      e.notes.add(`the number is that of ${own.reason}, the ErrorInfo says ${found.reason}, which stands`);
      d = known;
      agree = false;
    }
    // An ErrorInfo that came is what is read.
    for (const m of unsaid(beside, found, d, e.notes)) {
      e.notes.add(`member ${JSON.stringify(m.name)} beside details dropped: the ErrorInfo in them does not say it`);
    }
    if (free === undefined) {
      return agree;
    }
    if (e.details[place]?.json !== undefined) {
      // JSON stays the JSON that it is.
      e.details = [...e.details, parseElement(c, free)];
      return agree;
    }
  }
  const info: ErrorInfo = { reason: (found ?? own).reason, domain: (found ?? own).domain, metadata: new Map(found?.metadata) };
  if (found === undefined) {
    addFreeForm(info, d, beside, e.notes);
  }
  addFreeForm(info, d, freeMembers(free), e.notes);
  const detail = errorInfoDetail(info);
  e.details = found === undefined ? [detail, ...e.details] : e.details.map((other, i) => (i === place ? detail : other));
  return agree;
}

// freeMembers returns free-form data as members of metadata: those of an object by
// name, anything else under "data".
function freeMembers(free: JsonText | undefined): readonly Member[] {
  return objectMembers(free) ?? (free === undefined ? [] : [newMember("data", free)]);
}

// addFreeForm puts free-form data into metadata.
function addFreeForm(info: ErrorInfo, d: Definition, free: readonly Member[], notes: Notes): void {
  for (const m of saying(free, d, notes)) {
    info.metadata.set(
      freeKey(m.name, (key) => info.metadata.has(key)),
      unquote(m.value),
    );
  }
}

// saying returns the members that say something: those that the schema of MCP requires
// are nothing where they are empty.
function saying(members: readonly Member[], d: Definition, notes: Notes): Member[] {
  return textMembers(members, notes).filter((m) => {
    const kind = kindOf(d, m.name);
    return kind === undefined || unquote(m.value) !== emptyOf(kind);
  });
}

// unsaid returns the members that the metadata of an ErrorInfo does not say.
function unsaid(members: readonly Member[], info: ErrorInfo, d: Definition, notes: Notes): Member[] {
  return saying(members, d, notes).filter((m) => {
    const text = info.metadata.get(m.name);
    const kind = kindOf(d, m.name);
    const said = text === undefined || kind === undefined || kind === '"' ? text : schemaValue(kind, text);
    return said !== unquote(m.value);
  });
}

/**
 * markerCode returns the code of a code marker: an object of exactly the two members, of
 * which peers that know no duplicates see no more; 0 where the element is none.
 */
export function markerCode(raw: JsonText): number {
  const members = objectMembers(raw) ?? [];
  if (stringValue(findMember(members, "@type")) !== markerType || members.some((m) => m.name !== "@type" && m.name !== "code")) {
    return 0;
  }
  const token = findMember(members, "code");
  const n = token !== undefined && isNumber(token) ? safeIntegerOf(token) : undefined;
  return n !== undefined && isCanonical(n) ? n : 0;
}

type Kind = "[" | "{" | '"';

// schemaOf returns the members that the schema of MCP requires in the data of one of
// its errors, in their order, each with the first character of its JSON type.
function schemaOf(d: Definition): readonly { readonly name: string; readonly kind: Kind }[] {
  if (d.domain !== domains.mcp) {
    return [];
  }
  switch (d.reason) {
    case "MISSING_REQUIRED_CLIENT_CAPABILITY":
      return [{ name: "requiredCapabilities", kind: "{" }];
    case "UNSUPPORTED_PROTOCOL_VERSION":
      return [
        { name: "supported", kind: "[" },
        { name: "requested", kind: '"' },
      ];
    case resourceNotFound:
      return [{ name: "uri", kind: '"' }];
  }
  return [];
}

// kindOf returns the first character of the JSON type of a member that the schema
// requires.
function kindOf(d: Definition, name: string): Kind | undefined {
  return schemaOf(d).find((r) => r.name === name)?.kind;
}

// emptyOf returns the metadata text of an empty value of a JSON type.
function emptyOf(kind: Kind): string {
  return kind === "{" ? "{}" : kind === "[" ? "[]" : "";
}

/**
 * schemaObject returns the members that the schema requires of an error of MCP, out
 * of its metadata; what is missing there is written empty.
 */
export function schemaObject(e: Hub, d: Definition, c: Catalog): Member[] {
  const info = e.details.map((detail) => errorInfoOf(c, detail)).find((found) => found?.domain === domains.mcp);
  return schemaOf(d).map(({ name, kind }) => newMember(name, schemaValue(kind, info?.metadata.get(name) ?? "")));
}

// schemaValue returns a metadata text as JSON of the type that the schema has.
function schemaValue(kind: Kind, text: string): JsonText {
  if (kind === '"') {
    return quote(text);
  }
  let value: JsonText | undefined;
  try {
    value = compactJson(text, { body: Infinity, depth: Infinity });
  } catch {
    // What is no JSON of its type is written empty.
  }
  return value?.startsWith(kind) === true ? value : emptyOf(kind);
}

// isUriObject tells whether data is that of a resource that was not found: a string
// uri and at most details.
function isUriObject(raw: JsonText | undefined): boolean {
  const members = objectMembers(raw);
  const isUri = (m: Member): boolean => m.name === "uri" && m.value.startsWith('"');
  return members !== undefined && members.some(isUri) && members.every((m) => isUri(m) || m.name === "details");
}
