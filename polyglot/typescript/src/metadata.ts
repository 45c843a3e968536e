// The value of a field as a text of ErrorInfo.metadata, and back: docs/wire.md
// section 2.

import { ScalarType } from "@bufbuild/protobuf";
import { isNumber } from "./jsonnumber.js";
import { tryParse } from "./jsontree.js";
import type { Piece } from "./message.js";
import type { Codec, Text } from "./protojson.js";
import { Out } from "./protowire.js";
import type { Field } from "./table.js";
import { repair } from "./text.js";

/** How deep the JSON of metadata may nest. */
const maxNesting = 1000;

// The types whose ProtoJSON is one text or number, whose quotes go.
const quotedTypes = new Set(
  [
    ...["Timestamp", "Duration", "FieldMask"],
    ...["String", "Bytes", "Int32", "UInt32", "Int64", "UInt64", "Float", "Double"].map((name) => `${name}Value`),
  ].map((name) => `google.protobuf.${name}`),
);

// isBare tells whether a text of the field's type stands without quotes.
function isBare(f: Field): boolean {
  return !f.repeated && f.key === undefined && (f.message === undefined || quotedTypes.has(f.message.desc.typeName));
}

/** metadataText returns the text of a populated field; undefined where it has no ProtoJSON. */
export function metadataText(codec: Codec, f: Field, pieces: readonly Piece[]): Text | undefined {
  const written = codec.fieldText(f, pieces, maxNesting);
  if (written === undefined) {
    return undefined;
  }
  return written.text.startsWith('"') && isBare(f) ? { ...written, text: JSON.parse(written.text) as string } : written;
}

const nothing = new Uint8Array();

/** readMetadataText returns the bytes of a field that a text of metadata is; none where it says nothing of its type. */
export function readMetadataText(codec: Codec, f: Field, given: string): Uint8Array {
  const text = repair(given);
  if (f.scalar === ScalarType.STRING && !f.repeated) {
    const out = new Out();
    out.textField(f.number, text);
    return text === "" && !f.presence ? nothing : out.done();
  }
  let quoted = isBare(f);
  if (quoted && f.enumeration !== undefined) {
    quoted = f.enumeration.isNull ? text !== "null" : !isNumber(text);
  } else if (quoted && f.scalar === ScalarType.BOOL) {
    quoted = false;
    if (text !== "true" && text !== "false") {
      return nothing;
    }
  } else if (quoted && f.scalar === ScalarType.BYTES && /[\r\n]/.test(text)) {
    return nothing; // readers of base64 skip line breaks
  }
  const v = tryParse(quoted ? JSON.stringify(text) : text, maxNesting);
  return !v.exists || v.doubled || v.lone ? nothing : (codec.readField(f, v) ?? nothing);
}
