// The well-known types whose ProtoJSON is not an object of their fields.

import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { ScalarType } from "@bufbuild/protobuf";
import { isNumber, type JsonText, quote } from "./json.js";
import { Fields, type MapValue, type Scalar, type Single, zeroOf } from "./message.js";
import {
  anyFromJson,
  anyToJson,
  fieldToJson,
  messageToJson,
  ProtoJsonError,
  readFieldJson,
  type ReadOptions,
  readScalar,
  readString,
  scalarOf,
  scalarToJson,
  type Types,
} from "./protojson.js";

const wrappers = ["Bool", "Int32", "Int64", "UInt32", "UInt64", "Float", "Double", "String", "Bytes"].map((name) => `google.protobuf.${name}Value`);

const special = new Set([
  ...["Any", "Timestamp", "Duration", "Struct", "ListValue", "Value", "FieldMask"].map((name) => `google.protobuf.${name}`),
  ...wrappers,
]);

const maxNanos = 999_999_999;
const maxDuration = 315_576_000_000n;
const minTimestamp = -62_135_596_800n;
const maxTimestamp = 253_402_300_799n;
const fullName = /^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*$/;

/** wellKnown tells whether the ProtoJSON of a type is of its own. */
export function wellKnown(typeName: string): boolean {
  return special.has(typeName);
}

/** writeWellKnown writes a message of such a type; it throws where it has no ProtoJSON. */
export function writeWellKnown(types: Types, m: Fields): JsonText {
  switch (m.desc.typeName) {
    case "google.protobuf.Any":
      return anyToJson(types, (m.single(1) as string | undefined) ?? "", (m.single(2) as Uint8Array | undefined) ?? new Uint8Array());
    case "google.protobuf.Timestamp":
      return quote(timestampText(secondsOf(m), nanosOf(m)));
    case "google.protobuf.Duration":
      return quote(durationText(secondsOf(m), nanosOf(m)));
    case "google.protobuf.FieldMask":
      return quote(maskText((m.values.get(1) as string[] | undefined) ?? []));
    case "google.protobuf.Struct":
      return fieldToJson(types, fieldAt(m.desc, 1), (m.values.get(1) as MapValue | undefined) ?? new Map());
    case "google.protobuf.ListValue":
      return fieldToJson(types, fieldAt(m.desc, 1), (m.values.get(1) as Single[] | undefined) ?? []);
    case "google.protobuf.Value":
      return valueText(types, m);
  }
  const field = fieldAt(m.desc, 1);
  return scalarToJson(scalarOf(field), (m.single(1) as Scalar | undefined) ?? zeroOf(scalarOf(field)));
}

/** readWellKnown reads a message of such a type; it throws where the text is none. */
export function readWellKnown(into: Fields, text: JsonText, o: ReadOptions): void {
  switch (into.desc.typeName) {
    case "google.protobuf.Any": {
      const any = anyFromJson(text, o);
      into.set(fieldAt(into.desc, 1), any.typeUrl);
      into.set(fieldAt(into.desc, 2), any.value);
      return;
    }
    case "google.protobuf.Timestamp": {
      const [seconds, nanos] = readTimestamp(readString(text));
      setMoment(into, seconds, nanos);
      return;
    }
    case "google.protobuf.Duration": {
      const [seconds, nanos] = readDuration(readString(text));
      setMoment(into, seconds, nanos);
      return;
    }
    case "google.protobuf.FieldMask":
      readMask(into, readString(text));
      return;
    case "google.protobuf.Struct":
    case "google.protobuf.ListValue":
      readFieldJson(into, fieldAt(into.desc, 1), text, o);
      return;
    case "google.protobuf.Value":
      readValue(into, text, o);
      return;
  }
  const field = fieldAt(into.desc, 1);
  into.set(field, readScalar(scalarOf(field), text));
}

function fieldAt(desc: DescMessage, number: number): DescField {
  const field = desc.fields.find((f) => f.number === number);
  if (field === undefined) {
    throw new ProtoJsonError(`${desc.typeName} has no field ${number}`);
  }
  return field;
}

function secondsOf(m: Fields): bigint {
  return (m.single(1) as bigint | undefined) ?? 0n;
}

function nanosOf(m: Fields): number {
  return (m.single(2) as number | undefined) ?? 0;
}

function setMoment(into: Fields, seconds: bigint, nanos: number): void {
  into.set(fieldAt(into.desc, 1), seconds);
  into.set(fieldAt(into.desc, 2), nanos);
}

function fraction(nanos: number): string {
  const digits = String(nanos).padStart(9, "0").replace(/000$/, "").replace(/000$/, "").replace(/^000$/, "");
  return digits === "" ? "" : "." + digits;
}

function timestampText(seconds: bigint, nanos: number): string {
  if (seconds < minTimestamp || seconds > maxTimestamp || nanos < 0 || nanos > maxNanos) {
    throw new ProtoJsonError("a Timestamp is out of range");
  }
  const whole = new Date(Number(seconds) * 1000).toISOString().replace(/\.000Z$/, "");
  return whole + fraction(nanos) + "Z";
}

function readTimestamp(text: string): [bigint, number] {
  const m = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(?:Z|([-+])(\d\d):(\d\d))$/.exec(text);
  if (m === null) {
    throw new ProtoJsonError(`${quote(text)} is no Timestamp`);
  }
  const [year, month, day, hour, minute, second] = m.slice(1, 7).map(Number) as [number, number, number, number, number, number];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  const shift = m[8] === undefined ? 0 : (Number(m[9]) * 60 + Number(m[10])) * (m[8] === "-" ? -60 : 60);
  const fits =
    date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60 && second < 60 && Number(m[9] ?? 0) <= 24 && Number(m[10] ?? 0) < 60;
  const seconds = BigInt(Math.floor(date.getTime() / 1000) - shift);
  if (!fits || seconds < minTimestamp || seconds > maxTimestamp) {
    throw new ProtoJsonError(`${quote(text)} is no Timestamp`);
  }
  return [seconds, Number((m[7] ?? "").padEnd(9, "0"))];
}

function durationText(seconds: bigint, nanos: number): string {
  const apart = (seconds > 0n && nanos < 0) || (seconds < 0n && nanos > 0);
  if (seconds < -maxDuration || seconds > maxDuration || Math.abs(nanos) > maxNanos || apart) {
    throw new ProtoJsonError("a Duration is out of range");
  }
  const sign = seconds < 0n || nanos < 0 ? "-" : "";
  return `${sign}${seconds < 0n ? -seconds : seconds}${fraction(Math.abs(nanos))}s`;
}

function readDuration(text: string): [bigint, number] {
  const m = /^([-+]?)(0|[1-9][0-9]*)?(?:\.([0-9]{0,9}))?s$/.exec(text);
  if (m === null || (m[2] === undefined && m[3] === undefined)) {
    throw new ProtoJsonError(`${quote(text)} is no Duration`);
  }
  const seconds = BigInt(m[2] ?? "0");
  const nanos = Number((m[3] ?? "").padEnd(9, "0"));
  if (seconds > maxDuration) {
    throw new ProtoJsonError(`${quote(text)} is no Duration`);
  }
  return m[1] === "-" ? [-seconds, nanos === 0 ? 0 : -nanos] : [seconds, nanos];
}

function maskText(paths: readonly string[]): string {
  return paths
    .map((path) => {
      const camel = path.replace(/_+([^_]?)/g, (_, next: string) => next.toUpperCase());
      if (!fullName.test(path) || snake(camel) !== path) {
        throw new ProtoJsonError(`a FieldMask holds ${quote(path)}`);
      }
      return camel;
    })
    .join(",");
}

function snake(camel: string): string {
  return camel.replace(/[A-Z]/g, (c) => "_" + c.toLowerCase());
}

function readMask(into: Fields, text: string): void {
  const paths = text.trim() === "" ? [] : text.trim().split(",");
  for (const path of paths) {
    if (path.includes("_") || !fullName.test(snake(path))) {
      throw new ProtoJsonError(`a FieldMask holds ${quote(path)}`);
    }
  }
  if (paths.length > 0) {
    into.values.set(1, paths.map(snake));
  }
}

function valueText(types: Types, m: Fields): JsonText {
  const kind = m.values.entries().next().value;
  if (kind === undefined) {
    throw new ProtoJsonError("a Value says nothing");
  }
  const [number, value] = kind as [number, Single];
  if (number === 2 && !Number.isFinite(value)) {
    throw new ProtoJsonError("a Value holds a number that JSON has not");
  }
  return value instanceof Fields ? messageToJson(types, value) : number === 1 ? "null" : scalarToJson(scalarOf(fieldAt(m.desc, number)), value);
}

function readValue(into: Fields, text: JsonText, o: ReadOptions): void {
  const kind = (number: number, value: Scalar): void => into.set(fieldAt(into.desc, number), value);
  if (text === "null") {
    kind(1, 0);
  } else if (text === "true" || text === "false") {
    kind(4, text === "true");
  } else if (text.startsWith('"')) {
    kind(3, readString(text));
  } else if (isNumber(text)) {
    kind(2, readScalar(ScalarType.DOUBLE, text));
  } else {
    readFieldJson(into, fieldAt(into.desc, text.startsWith("{") ? 5 : 6), text, o);
  }
}
