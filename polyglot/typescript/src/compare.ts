// Whether a carried detail agrees with the plain one that stands for it: docs/wire.md
// section 8.

import { renders, wrappedView } from "./detail.js";
import { isTyped, jsonDetail, type RawDetail, typeName, untypedText } from "./hub.js";
import { knownPart } from "./info.js";
import { tryParse } from "./jsontree.js";
import { same } from "./same.js";
import { type Comparing, ordered, type Piece, says } from "./message.js";
import type { Codec } from "./protojson.js";
import { WireType } from "./protowire.js";
import type { Field, Table } from "./table.js";
import { sameBytes } from "./text.js";

/**
 * contains tells whether a carried detail says everything that the plain one says that
 * stands for it: every populated field with the same value. Of a type of google.rpc it
 * may say nothing more, but for fields that the types had not at 1.0.
 */
export function contains(codec: Codec, carried: RawDetail, plain: RawDetail): boolean {
  if (!isTyped(carried)) {
    const text = untypedText(carried);
    return isTyped(plain) ? valueSays(codec, plain, text) : text === untypedText(plain);
  }
  if (carried.name !== plain.name) {
    return false;
  }
  const standard = plain.name.startsWith("google.rpc.");
  const table = codec.table(plain.typeUrl);
  if (table === undefined) {
    return !standard || sameEncoding(carried, plain);
  }
  const a = messageIn(codec, table, carried);
  const b = messageIn(codec, table, plain);
  if (!standard) {
    // What its writer read of JSON, or wrote as JSON, may need types that are not
    // linked here: then it agrees by type, as in the check.
    if (plain.json !== undefined && b === undefined) {
      return true;
    }
    if (carried.json !== undefined && b !== undefined && !renders(codec, plain)) {
      return true;
    }
  }
  const how: Comparing = { types: codec.types, exact: standard, later, sameAny: (url, x, y) => codec.equal(url, x, y) };
  const said = a === undefined || b === undefined ? undefined : says(how, table, pieceOf(a), pieceOf(b));
  return said ?? sameEncoding(carried, plain);
}

// messageIn is the part of a detail that its type knows; undefined where that is no message,
// which bytes that were tampered with are not.
function messageIn(codec: Codec, table: Table, d: RawDetail): Uint8Array | undefined {
  const bytes = knownPart(codec, d);
  return bytes === undefined || ordered(table, bytes) === undefined ? undefined : bytes;
}

function pieceOf(bytes: Uint8Array): Piece {
  return { bytes, from: 0, to: bytes.length, type: WireType.LengthDelimited };
}

function sameEncoding(a: RawDetail, b: RawDetail): boolean {
  if (a.json === undefined || b.json === undefined) {
    return a.json === undefined && b.json === undefined && sameBytes(a.value, b.value);
  }
  return sameJson(a.json, b.json);
}

// sameJson tells whether two texts say the same: a peer may have put members in another order.
function sameJson(a: string, b: string): boolean {
  if (a === b) {
    return true;
  }
  const x = tryParse(a);
  const y = tryParse(b);
  return x.exists && y.exists && same(x, y);
}

// valueSays tells whether a detail is the google.protobuf.Value of a JSON text.
function valueSays(codec: Codec, d: RawDetail, text: string): boolean {
  if (!d.is(typeName.value)) {
    return false;
  }
  const want = wrappedView(codec, jsonDetail(text));
  if (d.json === undefined || want.json === undefined) {
    return d.json === undefined && want.json === undefined && codec.equal(want.typeUrl, d.value, want.value);
  }
  return sameJson(d.json, want.json);
}

// The number of the last field that each message of error_details.proto and status.proto
// had at 1.0 of the contract.
const lastField: Readonly<Record<string, number>> = {
  "google.rpc.ErrorInfo": 3,
  "google.rpc.RetryInfo": 1,
  "google.rpc.DebugInfo": 2,
  "google.rpc.QuotaFailure": 1,
  "google.rpc.QuotaFailure.Violation": 8,
  "google.rpc.PreconditionFailure": 1,
  "google.rpc.PreconditionFailure.Violation": 3,
  "google.rpc.BadRequest": 1,
  "google.rpc.BadRequest.FieldViolation": 4,
  "google.rpc.RequestInfo": 2,
  "google.rpc.ResourceInfo": 4,
  "google.rpc.Help": 1,
  "google.rpc.Help.Link": 2,
  "google.rpc.LocalizedMessage": 2,
  "google.rpc.Status": 3,
};

function later(t: Table, f: Field): boolean {
  const last = lastField[t.desc.typeName];
  return last !== undefined && f.number > last;
}
