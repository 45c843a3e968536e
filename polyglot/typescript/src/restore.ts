// What rode along, put back where it is to be believed: docs/wire.md section 8.

import { fromBinary } from "@bufbuild/protobuf";
import { detailSums, headSum, type Shape, urlCarried } from "./carried.js";
import { contains } from "./compare.js";
import type { Reading } from "./decode.js";
import { type Carried, type CarriedDetail, CarriedSchema } from "./gen/errmap/v1/carried_pb.js";
import { jsonDetail, RawDetail, type Received, typeName } from "./hub.js";
import { knownPart } from "./info.js";
import { tryParse, type Value } from "./jsontree.js";
import { ordered } from "./message.js";
import { defaultLimits } from "./options.js";
import { restoreReceived } from "./received.js";
import { tableOf } from "./table.js";

/**
 * restore finishes an error that was read plain: it takes the Carried out of the details,
 * or out of the member that it is, and where it is to be believed, puts back what it
 * holds. It tells whether there was one to believe.
 */
export function restore(r: Reading, shape: Shape, member?: Value): boolean {
  const { e } = r;
  let last = -1;
  for (const [i, d] of e.details.entries()) {
    if (d.is(typeName.carried)) {
      last = i;
    }
  }
  if (last < 0 && member === undefined) {
    return false;
  }
  const value = member === undefined ? knownPart(r.codec, e.details[last] as RawDetail) : r.codec.readMessage(urlCarried, member);
  const carried = value === undefined ? undefined : parseCarried(value);
  let plain = e.details.slice(0, member === undefined ? last : e.details.length).filter((d, i) => {
    const early = d.is(typeName.carried);
    if (early) {
      r.note(`errmap.v1.Carried dropped: detail ${i} is not the last one`);
    }
    return !early;
  });
  let after: readonly RawDetail[] = member === undefined ? e.details.slice(last + 1) : [];
  if (member !== undefined && carried !== undefined) {
    // It is about as many details as it sums; those after are somebody's.
    const n = Math.trunc((carried.check.length - 4) / 8);
    if (n >= 0 && n < plain.length) {
      after = plain.slice(n);
      plain = plain.slice(0, n);
    }
  }
  e.details = [...plain, ...after];
  if (carried === undefined || value === undefined) {
    r.note("errmap.v1.Carried dropped: it cannot be read");
    return false;
  }
  const details = carried.details.map(detailOf);
  const why = doubt(r, carried, details, plain, shape);
  if (why !== "") {
    r.note(`errmap.v1.Carried dropped: ${why}`);
    return false;
  }
  if (member === undefined && r.codec.messageText(urlCarried, value, Infinity)?.exact === false) {
    r.note("errmap.v1.Carried: fields that its schema does not know dropped");
  }
  e.details = [...placed(r, carried, details, plain), ...after];
  restoreReceived(r, carried.received as readonly Received[]);
  return true;
}

const table = tableOf(CarriedSchema);

function parseCarried(value: Uint8Array): Carried | undefined {
  const bytes = ordered(table, value);
  return bytes === undefined ? undefined : fromBinary(CarriedSchema, bytes);
}

// doubt says why a Carried is not to be believed; "" where it is.
function doubt(r: Reading, carried: Carried, details: readonly (RawDetail | undefined)[], plain: readonly RawDetail[], shape: Shape): string {
  const { check } = carried;
  if (check.length !== 4 + 8 * plain.length) {
    return "it was written for another number of details";
  }
  const sums = new DataView(check.buffer, check.byteOffset, check.length);
  if (sums.getUint32(0) !== headSum(r.e.number, r.e.message)) {
    return "it was written for another code or message";
  }
  for (const [i, d] of plain.entries()) {
    const [name, text] = detailSums(r.codec, d, false);
    const want = sums.getUint32(8 + 8 * i);
    if (name !== sums.getUint32(4 + 8 * i) || (text !== want && text !== 0 && want !== 0)) {
      return `it was written for another detail ${i}`;
    }
  }
  let next = 0;
  let used = 0;
  for (const [i, cd] of carried.details.entries()) {
    const d = details[i];
    if (d === undefined || d.is(typeName.carried) || cd.place < next) {
      return "a detail in it is malformed";
    }
    used += cd.place - next;
    next = cd.place + 1;
    if (used > plain.length || (cd.plain && used === plain.length)) {
      return "a detail in it has no place";
    }
    if (cd.plain) {
      if (!contains(r.codec, d, plain[used] as RawDetail)) {
        return "a detail in it says something else than the plain one";
      }
      used++;
    } else if (!isUnshowable(r, d, shape)) {
      return "a detail in it could have been plain";
    }
  }
  return "";
}

// isUnshowable tells whether a detail has no plain form on a kind of wire. What is of a
// type of google.rpc and can be read as that has one on each.
function isUnshowable(r: Reading, d: RawDetail, shape: Shape): boolean {
  if (d.json === undefined || shape === "elements" || (shape === "objects" && d.typeUrl !== "")) {
    return false;
  }
  return !d.name.startsWith("google.rpc.") || knownPart(r.codec, d) === undefined;
}

// placed puts the carried details in their places among the plain ones.
function placed(r: Reading, carried: Carried, details: readonly (RawDetail | undefined)[], plain: readonly RawDetail[]): RawDetail[] {
  const out: RawDetail[] = [];
  let used = 0;
  for (const [i, cd] of carried.details.entries()) {
    while (out.length < cd.place) {
      out.push(plain[used++] as RawDetail);
    }
    if (cd.plain) {
      used++;
    }
    const d = details[i] as RawDetail;
    out.push(d.json?.startsWith("{") === true ? r.reread(d.json) : d); // as it would have been read where it stood
  }
  return [...out, ...plain.slice(used)];
}

// detailOf returns a carried detail; undefined for one without content or whose JSON
// cannot be read.
function detailOf(cd: CarriedDetail): RawDetail | undefined {
  switch (cd.content.case) {
    case "value":
      return new RawDetail(cd.typeUrl, cd.content.value);
    case "json": {
      const root = tryParse(cd.content.value, defaultLimits.depth);
      return root.exists ? jsonDetail(root.compact, root.get("@type").text) : undefined;
    }
    default:
      return undefined;
  }
}
