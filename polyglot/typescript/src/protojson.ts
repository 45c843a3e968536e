// ProtoJSON and Protobuf bytes, by tables that are compiled from descriptors.

import { bytesOfAny, bytesOfField, bytesOfMessage, bytesOfObject, linkName } from "./protojsonread.js";
import { type Value } from "./jsontree.js";
import { type Piece, sameMessage } from "./message.js";
import { type Text, textOfField, textOfMessage } from "./protojsonwrite.js";
import { type Field, linkOf, type Table, type Types } from "./table.js";
import { sameBytes } from "./text.js";

export type { Text };

/** How deep messages may nest that are compared by their ProtoJSON. */
const equalDepth = 1000;

const nothing = new Uint8Array();

/** Codec reads and writes the messages of the types that a program knows. */
export class Codec {
  constructor(readonly types: Types) {}

  /** linked tells whether the type that a type URL names is known. */
  linked(typeUrl: string): boolean {
    return linkOf(this.types, typeUrl) !== undefined;
  }

  /** table returns what is known of the type that a type URL names. */
  table(typeUrl: string): Table | undefined {
    return linkOf(this.types, typeUrl);
  }

  /**
   * anyText returns the ProtoJSON of a google.protobuf.Any, the type URL as it is given.
   * Depth is how deep the JSON may nest: 1 for an object that holds no other. It is
   * undefined where no ProtoJSON says the message: its type is not linked, its bytes do
   * not parse, ProtoJSON refuses it, it nests too deep, or what it would say does not
   * read back as the same message.
   */
  anyText(typeUrl: string, value: Uint8Array, depth: number): Text | undefined {
    if (depth <= 0) {
      return undefined;
    }
    if (typeUrl === "" && value.length === 0) {
      return { text: "{}", exact: true };
    }
    const t = linkOf(this.types, typeUrl);
    return t === undefined ? undefined : textOfMessage(this.types, t, value, depth, typeUrl);
  }

  /** messageText returns the ProtoJSON of the message alone: what Connect has as debug. */
  messageText(typeUrl: string, value: Uint8Array, depth: number): Text | undefined {
    const t = linkOf(this.types, typeUrl);
    return t === undefined ? undefined : textOfMessage(this.types, t, value, depth);
  }

  /** fieldText returns the ProtoJSON of one populated field. */
  fieldText(f: Field, pieces: readonly Piece[], depth: number): Text | undefined {
    return textOfField(this.types, f, pieces, depth);
  }

  /** hasUnknown tells whether a value of a linked type holds unknown fields, at any depth but not in an Any. */
  hasUnknown(typeUrl: string, value: Uint8Array): boolean {
    return this.messageText(typeUrl, value, equalDepth)?.exact === false;
  }

  /** equal tells whether two values of a type are the same message, however they are encoded. */
  equal(typeUrl: string, a: Uint8Array, b: Uint8Array): boolean {
    const same = sameBytes(a, b);
    const t = same ? undefined : linkOf(this.types, typeUrl);
    if (t === undefined) {
      return same;
    }
    // The ProtoJSON of a message is one text, whatever its bytes are.
    const x = textOfMessage(this.types, t, a, equalDepth);
    const y = textOfMessage(this.types, t, b, equalDepth);
    return x?.exact === true && y?.exact === true ? x.text === y.text : sameMessage(this.types, t, a, b);
  }

  /**
   * readAny reads the ProtoJSON of a google.protobuf.Any, an object with a string
   * "@type"; undefined where the type is not linked, where ProtoJSON refuses the object,
   * and where it has a number that would not be written again with the same value.
   */
  readAny(v: Value, type: Value = v.get("@type")): Uint8Array | undefined {
    const t = this.linkOf(type);
    return t === undefined ? undefined : bytesOfAny({ types: this.types, lenient: false, numbers: true, textual: false }, t, v);
  }

  /**
   * readKnown reads what an object with "@type" says as its type. Members that the
   * schema does not know are left out; metadata of an ErrorInfo that are no strings read
   * as their JSON text, null as nothing. It is undefined where the type is not linked,
   * and where ProtoJSON refuses what it knows: then no part of the object counts.
   */
  readKnown(v: Value): Uint8Array | undefined {
    const t = this.linkOf(v.get("@type"));
    if (t === undefined) {
      return undefined;
    }
    const how = { types: this.types, lenient: true, numbers: false, textual: t.desc.typeName === "google.rpc.ErrorInfo" };
    return t.wellKnown ? bytesOfMessage(how, t, v.get("value")) : bytesOfObject(how, t, v, true);
  }

  /** readMessage reads an object as a message of a linked type, as readKnown does, but without "@type". */
  readMessage(typeUrl: string, v: Value): Uint8Array | undefined {
    const t = linkOf(this.types, typeUrl);
    return t === undefined ? undefined : bytesOfMessage({ types: this.types, lenient: true, numbers: false, textual: false }, t, v);
  }

  /** readField reads the value of a field, with its tag; null is nothing but where it is a value. */
  readField(f: Field, v: Value): Uint8Array | undefined {
    if (v.isNull && !f.nullable) {
      return nothing;
    }
    return bytesOfField({ types: this.types, lenient: true, numbers: false, textual: false }, f, v);
  }

  private linkOf(type: Value): Table | undefined {
    const url = linkName(type);
    return url === undefined ? undefined : linkOf(this.types, url);
  }
}

