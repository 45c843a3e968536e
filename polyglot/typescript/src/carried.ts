// What rides along with an error on a wire that cannot say it: docs/wire.md
// section 8.

import { create, toBinary } from "@bufbuild/protobuf";
import { type Catalog, noErrors } from "./catalog.js";
import { isCanonical, isInt32, rowOf } from "./code.js";
import { contains } from "./compare.js";
import { crc32 } from "./crc32.js";
import { canonicalJson } from "./decimal.js";
import {
  type Carried,
  type CarriedDetail,
  CarriedDetailSchema,
  CarriedSchema,
  type Received as CarriedReceived,
  ReceivedSchema,
} from "./gen/errmap/v1/carried_pb.js";
import {
  bytesDetail,
  type Hub,
  isNothing,
  jsonDetail,
  mergeReceived,
  type Notes,
  nothing,
  RawDetail,
  type Received,
  typeName,
  typeUrlPrefix,
  Wire,
  withMembers,
  withoutMembers,
  withUsualUrl,
} from "./hub.js";
import { hasUnknown, toShape } from "./fields.js";
import { compactJson, type JsonText, type Member, objectMembers } from "./json.js";
import { parseMessage } from "./message.js";
import { defaultLimits, isHttpStatus } from "./options.js";
import { parseStatus } from "./wire.js";
import { elementType, isEmptyAny, knownPart, parseElement, readAgain, render, renderMessage } from "./render.js";

/** Shape is what the lists of details of a kind of wire can show. */
export type Shape =
  /** Bytes only: status, Connect, gRPC. */
  | "binary"
  /** JSON objects: AIP-193, RFC 9457, a status as JSON. */
  | "objects"
  /** Any JSON: JSON-RPC. */
  | "elements";

/** Item is one detail of an error in the plain form of a wire. */
export interface Item {
  /** What the plain form shows of it; undefined where it shows nothing. */
  readonly plain?: {
    /** As it is written in a JSON form. */
    readonly json: JsonText;
    /** As a reader of the plain form sees it: in a binary form, what is written. */
    readonly read: RawDetail;
  };
  /** What must ride along; undefined where the plain form says all. */
  readonly carried?: CarriedDetail;
}

/** plainItems returns what a wire shows of each detail, and what must ride along. */
export function plainItems(c: Catalog, details: readonly RawDetail[], shape: Shape): Item[] {
  return details.map((d, place) => plainItem(c, d, place, shape));
}

function plainItem(c: Catalog, d: RawDetail, place: number, shape: Shape): Item {
  if (shape === "binary") {
    if (d.json === undefined) {
      return { plain: { json: "", read: d } };
    }
    const known = d.typeUrl === "" ? undefined : knownPart(c, d);
    return { ...(known === undefined ? {} : { plain: { json: "", read: known } }), carried: carriedDetail(d, place, known !== undefined) };
  }
  if (shape === "objects" && d.json !== undefined && !d.json.startsWith("{")) {
    return { carried: carriedDetail(d, place, false) };
  }
  const { text, whole } = render(c, d);
  return whole ? { plain: { json: text, read: d } } : { plain: { json: text, read: parseElement(c, text) }, carried: carriedDetail(d, place, true) };
}

/** wrapped shows a detail whose JSON has no "@type" as a google.protobuf.Value. */
export function wrapped(c: Catalog, d: RawDetail, place: number, text: JsonText): Item {
  const json = `{"@type":"${typeUrlPrefix}google.protobuf.Value","value":${text}}`;
  return { plain: { json, read: parseElement(c, json) }, carried: carriedDetail(d, place, true) };
}

function carriedDetail(d: RawDetail, place: number, plain: boolean): CarriedDetail {
  return create(CarriedDetailSchema, {
    place,
    plain,
    ...(d.json !== undefined ? { content: { case: "json", value: d.json } } : { typeUrl: d.typeUrl, content: { case: "value", value: d.value } }),
  });
}

/**
 * carry returns the Carried detail of e for a plain form that says of what was
 * received no more than said, and whether the plain form writes a private code.
 */
export function carry(c: Catalog, e: Hub, items: readonly Item[], said: Received, writesNumber: boolean): RawDetail {
  let full = e;
  if (!isCanonical(e.number) && !writesNumber) {
    full = e.clone();
    full.setReceived({ ...full.receivedOn(Wire.GRPC), number: String(e.number) });
  }
  const received = full.received.map((r) => (r.wire === said.wire ? difference(r, said) : r)).filter((r) => !isNothing(r));
  const message = create(CarriedSchema, {
    check: check(c, e.number, e.message, items),
    received: received.map((r) => create(ReceivedSchema, { ...r })),
    details: items.flatMap((it) => (it.carried === undefined ? [] : [it.carried])),
  });
  return bytesDetail(typeName.carried, toBinary(CarriedSchema, message));
}

// difference returns what of r is not said.
function difference(r: Received, said: Received): Received {
  const left: Received = {
    ...r,
    number: said.number !== "" ? "" : r.number,
    codeText: said.codeText !== "" ? "" : r.codeText,
    httpStatus: said.httpStatus !== 0 ? 0 : r.httpStatus,
    unknownFields: said.unknownFields.length > 0 ? nothing(r.wire).unknownFields : r.unknownFields,
  };
  return said.members === "" ? left : withoutMembers(left, said.members);
}

// check sums the plain form up.
function check(c: Catalog, number: number, message: string, items: readonly Item[]): Uint8Array {
  const sums = [headSum(number, message)];
  for (const it of items) {
    if (it.plain !== undefined) {
      sums.push(...detailSums(c, it.plain.read));
    }
  }
  const out = new Uint8Array(4 * sums.length);
  const view = new DataView(out.buffer);
  sums.forEach((sum, i) => view.setUint32(4 * i, sum));
  return out;
}

function headSum(number: number, message: string): number {
  return crc32(`${rowOf(number).name}\n${message}`);
}

// detailSums returns the sums of a detail's bare type name and of its ProtoJSON,
// the latter 0 where this program cannot say it exactly.
function detailSums(c: Catalog, d: RawDetail): [number, number] {
  const name = crc32(d.name);
  let text: JsonText | undefined;
  if (d.json !== undefined) {
    text = d.typeUrl === "" ? d.json : undefined;
  } else if (isEmptyAny(d)) {
    text = "{}";
  } else {
    const rendered = renderMessage(c, withUsualUrl(d));
    text = rendered?.whole === true ? rendered.text : undefined;
  }
  const canonical = text === undefined ? undefined : canonicalJson(text);
  return [name, canonical === undefined ? 0 : crc32(canonical)];
}

/**
 * restore finishes an error that was read plain: it takes the Carried out of the
 * details and, where it is to be believed, puts back what it holds.
 */
export function restore(c: Catalog, e: Hub, shape: Shape): void {
  const last = e.details.findLastIndex((d) => d.name === typeName.carried);
  const d = e.details[last];
  if (d === undefined) {
    return;
  }
  const plain: RawDetail[] = [];
  for (const [i, other] of e.details.slice(0, last).entries()) {
    if (other.name === typeName.carried) {
      e.notes.add(`errmap.v1.Carried dropped: detail ${i} is not the last one`);
    } else {
      plain.push(other);
    }
  }
  const appended = e.details.slice(last + 1);
  e.details = [...plain, ...appended];
  const carried = readCarried(d);
  if (carried === undefined) {
    e.notes.add("errmap.v1.Carried dropped: it cannot be read");
    return;
  }
  const why = doubt(c, e, carried, plain, shape);
  if (why !== undefined) {
    e.notes.add(`errmap.v1.Carried dropped: ${why}`);
    return;
  }
  if (holdsUnknown(d)) {
    e.notes.add("errmap.v1.Carried: fields that its schema does not know dropped");
  }
  e.details = [...placed(c, carried, plain), ...appended];
  restoreReceived(e, carried.received);
}

function readCarried(d: RawDetail): Carried | undefined {
  try {
    return d.json === undefined ? toShape(CarriedSchema, d.value) : undefined;
  } catch {
    return undefined;
  }
}

// holdsUnknown tells whether a Carried that can be read has fields of another schema.
function holdsUnknown(d: RawDetail): boolean {
  return hasUnknown(parseMessage(CarriedSchema, d.value));
}

// doubt says why a Carried is not to be believed; undefined where it is.
function doubt(c: Catalog, e: Hub, carried: Carried, plain: readonly RawDetail[], shape: Shape): string | undefined {
  const sums = carried.check;
  if (sums.length !== 4 + 8 * plain.length) {
    return "it was written for another number of details";
  }
  const view = new DataView(sums.buffer, sums.byteOffset, sums.byteLength);
  if (view.getUint32(0) !== headSum(e.number, e.message)) {
    return "it was written for another code or message";
  }
  for (const [i, d] of plain.entries()) {
    const [name, text] = detailSums(c, d);
    const wanted = view.getUint32(8 + 8 * i);
    if (name !== view.getUint32(4 + 8 * i) || (text !== wanted && text !== 0 && wanted !== 0)) {
      return `it was written for another detail ${i}`;
    }
  }
  let next = 0;
  let used = 0;
  for (const cd of carried.details) {
    const d = fromCarried(cd);
    if (cd.content.case === undefined || d === undefined || d.name === typeName.carried || cd.place < next) {
      return "a detail in it is malformed";
    }
    used += cd.place - next;
    next = cd.place + 1;
    if (used > plain.length || (cd.plain && used === plain.length)) {
      return "a detail in it has no place";
    }
    if (cd.plain) {
      if (!contains(c, d, plain[used] as RawDetail)) {
        return "a detail in it says something else than the plain one";
      }
      used++;
    } else if (!isUnshowable(d, shape)) {
      return "a detail in it could have been plain";
    }
  }
  return undefined;
}

// isUnshowable tells whether a detail has no plain form on a kind of wire.
function isUnshowable(d: RawDetail, shape: Shape): boolean {
  if (d.json === undefined) {
    return false;
  }
  if (d.name.startsWith("google.rpc.") && noErrors.message(d.name) !== undefined) {
    return false; // every program has the type, so its known part is plain
  }
  return shape === "binary" || (shape === "objects" && !d.json.startsWith("{"));
}

// placed puts the carried details in their places among the plain ones.
function placed(c: Catalog, carried: Carried, plain: readonly RawDetail[]): RawDetail[] {
  const out: RawDetail[] = [];
  const left = [...plain];
  for (const cd of carried.details) {
    while (out.length < cd.place) {
      out.push(left.shift() as RawDetail);
    }
    if (cd.plain) {
      left.shift();
    }
    out.push(readAgain(c, fromCarried(cd) as RawDetail));
  }
  return [...out, ...left];
}

function fromCarried(cd: CarriedDetail): RawDetail | undefined {
  if (cd.content.case !== "json") {
    return new RawDetail(cd.typeUrl, cd.content.value ?? new Uint8Array());
  }
  try {
    const text = compactJson(cd.content.value, defaultLimits);
    return jsonDetail(elementType(text) ?? "", text);
  } catch {
    return undefined;
  }
}

// restoreReceived puts back what other wires said, beside what this one did. A private
// code comes back into its place where the plain form says UNKNOWN.
function restoreReceived(e: Hub, carried: readonly CarriedReceived[]): void {
  const seen = new Set<Wire>();
  for (const p of carried) {
    let r = fromReceived(p, e.notes);
    if (p.wire === Wire.UNSPECIFIED || seen.has(p.wire)) {
      e.notes.add("errmap.v1.Carried: what a wire said dropped: it has no wire, or one that stands before it");
      continue;
    }
    seen.add(p.wire);
    if (r.wire === Wire.GRPC && /^[-+]?[0-9]+$/.test(r.number)) {
      const n = Number(r.number);
      if (isInt32(n) && n !== 0 && !isCanonical(n) && rowOf(e.number).name === "UNKNOWN") {
        e.number = n;
        r = { ...r, number: "" };
      }
    }
    e.setReceived(mergeReceived(r, e.receivedOn(r.wire), e.notes));
  }
}

// fromReceived reads what one wire said, as far as it could have said it.
function fromReceived(p: CarriedReceived, notes: Notes): Received {
  const isStatus = isHttpStatus(p.httpStatus);
  if (!isStatus && p.httpStatus !== 0) {
    notes.add(`errmap.v1.Carried: HTTP status ${p.httpStatus} dropped: it is none`);
  }
  const unknown = unknownOf(p.unknownFields);
  if (unknown === undefined) {
    notes.add("errmap.v1.Carried: unknown fields of a Status dropped: they are none");
  }
  const members = p.members === "" ? [] : membersOf(p.members);
  if (members === undefined) {
    notes.add("errmap.v1.Carried: members dropped: they are no JSON object");
  }
  const r: Received = {
    ...nothing(p.wire),
    number: p.number,
    codeText: p.codeText,
    httpStatus: isStatus ? p.httpStatus : 0,
    unknownFields: unknown ?? new Uint8Array(),
  };
  return withMembers(r, members ?? []);
}

function membersOf(text: string): Member[] | undefined {
  try {
    return objectMembers(compactJson(text, defaultLimits));
  } catch {
    return undefined;
  }
}

function unknownOf(bytes: Uint8Array): Uint8Array | undefined {
  try {
    const s = parseStatus(bytes, 0);
    return s.code === 0 && s.message === "" && s.details.length === 0 ? s.unknown : undefined;
  } catch {
    return undefined;
  }
}
