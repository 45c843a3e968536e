// The value of a field as a text of ErrorInfo.metadata, and back: docs/wire.md
// section 2.

import { type DescField, ScalarType } from "@bufbuild/protobuf";
import { compactJson, isJson, type JsonText, quote, unquote } from "./json.js";
import type { Fields, MapValue, Single } from "./message.js";
import { enumOf, fieldToJson, readBytes, readFieldJson, scalarOf, type Types } from "./protojson.js";
import { repair } from "./utf8.js";

// The types whose ProtoJSON is one text or number, whose quotes go.
const quoted = new Set(
  [
    ...["Timestamp", "Duration", "FieldMask"],
    ...["String", "Bytes", "Int32", "UInt32", "Int64", "UInt64", "Float", "Double"].map((name) => `${name}Value`),
  ].map((name) => `google.protobuf.${name}`),
);

/** metadataText returns the text of a populated field; undefined where it has no ProtoJSON. */
export function metadataText(types: Types, field: DescField, value: Single | Single[] | MapValue): string | undefined {
  let text: JsonText;
  try {
    text = fieldToJson(types, field, value);
  } catch {
    return undefined;
  }
  return text.startsWith('"') && standsAlone(field) ? unquote(text) : text;
}

// standsAlone tells whether a text of the field's type loses its quotes.
function standsAlone(field: DescField): boolean {
  if (field.fieldKind === "message") {
    return quoted.has(field.message.typeName);
  }
  return field.fieldKind === "scalar" || field.fieldKind === "enum";
}

/** readMetadataText sets a field to what a text says of its type; else it stays unset. */
export function readMetadataText(into: Fields, field: DescField, given: string, types: Types): void {
  const text = repair(given);
  const asJson = (json: JsonText): void => {
    try {
      readFieldJson(into, field, json, { types, lenient: true });
    } catch {
      // A text that says nothing of the type leaves the field unset.
    }
  };
  if (!standsAlone(field)) {
    // null says nothing of a list, a map or a message.
    if (isJson(text) && text.trim() !== "null") {
      asJson(compactJson(text, { body: Infinity, depth: Infinity }));
    }
    return;
  }
  const enumeration = enumOf(field);
  if (enumeration !== undefined) {
    const known = enumeration.values.find((v) => v.name === text);
    if (known !== undefined) {
      into.set(field, known.number);
    } else if (enumeration.typeName === "google.protobuf.NullValue") {
      if (text === "null") {
        into.set(field, 0);
      }
    } else if (/^(?:0|-?[1-9][0-9]*|-0)$/.test(text)) {
      asJson(text);
    }
    return;
  }
  if (field.fieldKind === "scalar") {
    switch (scalarOf(field)) {
      case ScalarType.BOOL:
        if (text === "true" || text === "false") {
          into.set(field, text === "true");
        }
        return;
      case ScalarType.BYTES:
        try {
          into.set(field, readBytes(text));
        } catch {
          // The same.
        }
        return;
    }
  }
  asJson(quote(text));
}
