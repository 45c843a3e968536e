// What is for debugging alone, taken out of an error that leaves a server: docs/wire.md
// section 10.

import type { Catalog } from "./catalog.js";
import { bareName, type Hub, isNothing, RawDetail, typeName } from "./hub.js";
import { tryParse, type Value } from "./jsontree.js";
import { type Edit, entryAt, gather, ordered, type Piece, whole } from "./message.js";
import type { Codec } from "./protojson.js";
import type { Table } from "./table.js";
import { strictUtf8, textOf } from "./text.js";

/**
 * withoutDebug returns an error without what is for debugging alone: each
 * google.rpc.DebugInfo, in an Any inside a detail too, in a Struct that says to be one and
 * in JSON, and the members that peers put beside what their wires define, in which
 * frameworks put stacks. It returns e itself where there is nothing of the kind.
 */
export function withoutDebug(e: Hub, catalog: Catalog): Hub {
  if (!e.details.some(mayHoldDebug) && e.received.every((r) => r.members === "")) {
    return e;
  }
  const less = e.clone(e.notes);
  less.details = e.details.flatMap((d) => {
    const left = mayHoldDebug(d) ? strip(catalog.codec, d) : d;
    return left === undefined ? [] : [left];
  });
  less.received = e.received.map((r) => ({ ...r, members: "" })).filter((r) => !isNothing(r));
  return less;
}

// mayHoldDebug tells whether a detail is a DebugInfo or names one somewhere. In JSON a
// name may be hidden behind escapes.
function mayHoldDebug(d: RawDetail): boolean {
  if (d.is(typeName.debugInfo)) {
    return true;
  }
  if (d.json !== undefined) {
    return d.json.includes(typeName.debugInfo) || d.json.includes("\\");
  }
  return !d.is(typeName.errorInfo) && mentions(d.value);
}

function mentions(value: Uint8Array): boolean {
  const first = typeName.debugInfo.charCodeAt(0);
  for (let i = value.indexOf(first); i >= 0; i = value.indexOf(first, i + 1)) {
    if (strictUtf8(value.subarray(i, i + typeName.debugInfo.length)) === typeName.debugInfo) {
      return true;
    }
  }
  return false;
}

// strip takes a DebugInfo out of a detail; undefined where nothing is left of it, or
// where it cannot be looked into.
function strip(codec: Codec, d: RawDetail): RawDetail | undefined {
  if (d.is(typeName.debugInfo) || d.is(typeName.carried)) {
    return undefined;
  }
  if (d.json !== undefined) {
    const v = tryParse(d.json);
    return v.exists && !saysDebug(v) ? d : undefined;
  }
  const value = stripValue(codec, d.typeUrl, d.value);
  return value === undefined ? undefined : new RawDetail(d.typeUrl, value);
}

function stripValue(codec: Codec, typeUrl: string, value: Uint8Array): Uint8Array | undefined {
  const table = codec.table(typeUrl);
  const piece: Piece = { bytes: value, from: 0, to: value.length, type: 2 };
  if (table === undefined || isDebug(table, piece)) {
    return undefined;
  }
  const edit: Edit = {
    drops: isDebug,
    any: (url, held) => (bareName(url) === typeName.debugInfo ? undefined : mentions(held) ? stripValue(codec, url, held) : held),
  };
  return ordered(table, value, 0, value.length, edit);
}

// isDebug tells whether a message is a DebugInfo, holds one as an Any, or is a Struct that
// says to be one.
function isDebug(t: Table, p: Piece): boolean {
  const name = t.desc.typeName;
  if (name === typeName.debugInfo) {
    return true;
  }
  if (name !== "google.protobuf.Any" && name !== "google.protobuf.Struct") {
    return false;
  }
  const pieces = gather(t, p.bytes, p.from, p.to)?.pieces[0] ?? [];
  if (name === "google.protobuf.Any") {
    const url = pieces[0];
    return url !== undefined && bareName(textOf(url.bytes, url.from, url.to) ?? "") === typeName.debugInfo;
  }
  const f = t.fields[0];
  return pieces.some((entry) => {
    const e = f === undefined ? undefined : entryAt(f, entry);
    const inner = f?.value?.message;
    if (e?.key !== "@type" || e.value === undefined || inner === undefined) {
      return false;
    }
    const text = gather(inner, e.value.bytes, e.value.from, e.value.to)?.pieces[inner.byNumber.get(3)?.place ?? -1];
    const said = text === undefined ? undefined : whole(text);
    return said !== undefined && bareName(textOf(said.bytes, said.from, said.to) ?? "") === typeName.debugInfo;
  });
}

// saysDebug tells whether an object in JSON says to be a DebugInfo.
function saysDebug(v: Value): boolean {
  for (let el = v.first; el.exists; el = el.next) {
    if ((el.nameIs("@type") && bareName(el.text) === typeName.debugInfo) || saysDebug(el)) {
      return true;
    }
  }
  return false;
}
