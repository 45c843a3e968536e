// What an error that is written does not say plainly, and the errmap.v1.Carried that
// says it: docs/wire.md section 8.

import { isCanonical, rowOf } from "./code.js";
import { crc32 } from "./crc32.js";
import { readable, valueForm, wrapped, wrappedView } from "./detail.js";
import { type Hub, isNothing, RawDetail, type Received, typeName, urlPrefix, Wire, wireName } from "./hub.js";
import { knownPart } from "./info.js";
import { canonical } from "./canonical.js";
import { memberText, tryParse, type Value } from "./jsontree.js";
import { detailDepth, type Encoding } from "./options.js";
import { splitMembers, type Place } from "./member.js";
import type { Codec } from "./protojson.js";
import { Out, WireType } from "./protowire.js";
import { repair } from "./text.js";

/** Shape is what the lists of details of a kind of wire can show: bytes; typed JSON objects; any JSON. */
export type Shape = "binary" | "elements" | "objects";

/** The member that Carried is in the forms of HTTP and the status form. */
export const memberCarried = "errmap";

export const urlCarried = urlPrefix + typeName.carried;

// A detail that rides along. Plain tells whether a detail of the plain form stands for it.
interface Ride {
  readonly place: number;
  readonly plain: boolean;
}

/** Writing is one error that is written. It collects what the form does not show. */
export class Writing {
  readonly codec: Codec;
  readonly details: readonly RawDetail[];
  /** Whether what has no type is shown as a google.protobuf.Value, as on the numbers that a profile itself defines. */
  wrap = false;
  /** The details that it does not show, or not whole. */
  readonly rides: Ride[] = [];
  /** Whether a Carried is needed although nothing rides, so that readers conclude nothing from what stands. */
  guarded = false;
  /** What of what was received it does not say. */
  received: Received[] = [];

  constructor(
    readonly e: Hub,
    readonly o: Encoding,
    readonly shape: Shape,
  ) {
    this.codec = o.catalog.codec;
    this.details = readable(this.codec, e.details);
  }

  /**
   * receive notes what rides of what was received: without returns what a form leaves of
   * it. A private code rides where the form does not write it.
   */
  receive(writesNumber: boolean, without: (r: Received) => Received): void {
    this.received = [];
    const isPrivate = !writesNumber && !isCanonical(this.e.number);
    let full = this.e.received;
    if (isPrivate) {
      const own = { ...this.e.on(Wire.GRPC), number: String(this.e.number) };
      full = [...full.filter((r) => r.wire !== Wire.GRPC), own].sort((a, b) => a.wire - b.wire);
    }
    for (const one of full) {
      const r = without(one);
      if (!isNothing(r)) {
        this.received.push(r);
      }
    }
  }

  /** Whether something may ride along. */
  get mayCarry(): boolean {
    return this.e.carries && !this.o.withoutCarried;
  }

  /** carries tells whether a Carried is to be written, and notes what is left out where there is to be none. */
  carries(wire: Wire): boolean {
    if (this.rides.length === 0 && this.received.length === 0 && !this.guarded) {
      return false;
    }
    if (this.mayCarry) {
      return true;
    }
    if (this.e.carries) {
      this.o.note?.(`${wireName(wire)} form: what rides along is left out`);
    }
    return false;
  }

  /** detailText returns a detail as JSON, undefined where it does not stand in the form, and notes whether it rides along. */
  detailText(place: number): string | undefined {
    const d = this.details[place] as RawDetail;
    if (this.wrap && (d.isEmpty || (d.json !== undefined && d.typeUrl === ""))) {
      this.rides.push({ place, plain: true });
      return wrapped(d);
    }
    if (d.json === undefined) {
      const written = this.codec.anyText(d.typeUrl, d.value, detailDepth);
      if (written === undefined) {
        return valueForm(d);
      }
      if (!written.exact) {
        this.rides.push({ place, plain: true });
      }
      return written.text;
    }
    if (this.shape === "objects" && d.typeUrl === "") {
      this.rides.push({ place, plain: false });
      return undefined;
    }
    return d.json;
  }

  /** detailsText returns the details of a JSON form, each after a comma but the first. */
  detailsText(): string {
    let out = "";
    for (let i = 0; i < this.details.length; i++) {
      const text = this.detailText(i);
      if (text !== undefined) {
        out += (out === "" ? "" : ",") + text;
      }
    }
    return out;
  }

  /** binary returns the details that a binary form shows. */
  binary(): readonly RawDetail[] {
    if (this.details.every((d) => d.json === undefined)) {
      return this.details;
    }
    const shown: RawDetail[] = [];
    for (const [place, d] of this.details.entries()) {
      if (d.json === undefined) {
        shown.push(d);
        continue;
      }
      const value = knownPart(this.codec, d);
      if (value !== undefined) {
        shown.push(new RawDetail(d.typeUrl, value));
      }
      this.rides.push({ place, plain: value !== undefined });
    }
    return shown;
  }

  /** withCarried appends the Carried to the details of a binary form, where one is needed. */
  withCarried(shown: readonly RawDetail[], wire: Wire): readonly RawDetail[] {
    return this.carries(wire) ? [...shown, new RawDetail(urlCarried, this.carried())] : shown;
  }

  /**
   * restText returns the members that rode along on the wire that is written and stand
   * there, each after a comma, and the member that Carried is, where one is needed.
   * Without takes out of what was received what the form says beside them.
   */
  restText(wire: Wire, writesNumber: boolean, placeOf: (m: Value) => Place, without: (r: Received) => Received = (r) => r): string {
    const { members } = this.e.on(wire);
    let foreign = false;
    const split = (beside: Place): string => {
      const { standing, riding } = splitMembers(members, (m) => {
        if (m.nameIs(memberCarried)) {
          foreign = true;
          return beside;
        }
        return placeOf(m);
      });
      this.receive(writesNumber, (r) => without(r.wire === wire ? { ...r, members: riding } : r));
      return standing;
    };
    let standing = split("stands");
    if (!this.carries(wire)) {
      return standing;
    }
    if (foreign) {
      standing = split("rides"); // another's member of that name gives way
    }
    const written = this.codec.messageText(urlCarried, this.carried(), Infinity);
    return written === undefined ? standing : `${standing},"${memberCarried}":${written.text}`;
  }

  /** carried returns the bytes of the errmap.v1.Carried that goes with what was written. */
  carried(): Uint8Array {
    const out = new Out();
    for (const r of this.received) {
      out.tag(1, WireType.LengthDelimited);
      out.framed(() => appendReceived(out, r));
    }
    for (const r of this.rides) {
      out.tag(2, WireType.LengthDelimited);
      out.framed(() => appendRide(out, this.details[r.place] as RawDetail, r));
    }
    out.bytesField(3, this.check());
    return out.done();
  }

  // check sums the plain form: its code and message, then of each detail that it shows
  // the name and the text.
  private check(): Uint8Array {
    const sums = [headSum(this.e.number, this.e.message)];
    for (const d of this.details) {
      const view = this.view(d);
      if (view !== undefined) {
        // In JSON the known part of bytes is all that readers see.
        sums.push(...detailSums(this.codec, view, this.shape !== "binary"));
      }
    }
    const bytes = new Uint8Array(4 * sums.length);
    const view = new DataView(bytes.buffer);
    sums.forEach((sum, i) => view.setUint32(4 * i, sum));
    return bytes;
  }

  // view returns a detail as readers of the plain form see it; undefined where it is not there.
  private view(d: RawDetail): RawDetail | undefined {
    if (this.wrap && (d.isEmpty || (d.json !== undefined && d.typeUrl === ""))) {
      return wrappedView(this.codec, d);
    }
    if (d.json === undefined) {
      return d;
    }
    if (this.shape === "binary") {
      const value = knownPart(this.codec, d);
      return value === undefined ? undefined : new RawDetail(d.typeUrl, value);
    }
    return this.shape === "elements" || d.typeUrl !== "" ? d : undefined;
  }
}

function appendReceived(out: Out, r: Received): void {
  out.tag(1, WireType.Varint);
  out.varint(r.wire);
  if (r.number !== "") {
    out.textField(2, repair(r.number));
  }
  if (r.codeText !== "") {
    out.textField(3, repair(r.codeText));
  }
  if (r.httpStatus !== 0) {
    out.tag(4, WireType.Varint);
    out.varint(r.httpStatus);
  }
  if (r.members !== "") {
    out.textField(5, r.members);
  }
  if (r.unknownFields.length > 0) {
    out.bytesField(6, r.unknownFields);
  }
}

function appendRide(out: Out, d: RawDetail, r: Ride): void {
  if (r.place > 0) {
    out.tag(1, WireType.Varint);
    out.varint(r.place);
  }
  if (r.plain) {
    out.tag(2, WireType.Varint);
    out.varint(1);
  }
  if (d.json !== undefined) {
    out.textField(5, d.json);
    return;
  }
  if (d.typeUrl !== "") {
    out.textField(3, repair(d.typeUrl));
  }
  out.bytesField(4, d.value);
}

/** headSum sums a code and a message. */
export function headSum(number: number, message: string): number {
  return crc32(rowOf(number).name + "\n" + message);
}

/**
 * detailSums returns the sums of a detail's bare type name and of its text, the latter 0
 * where this program cannot say it exactly. Of bytes with fields that the schema does not
 * know, the known part has one only where that is what is summed.
 */
export function detailSums(codec: Codec, d: RawDetail, known: boolean): [name: number, text: number] {
  const { name: bare } = d;
  const name = crc32(bare);
  if (d.isEmpty) {
    return [name, crc32("{}")];
  }
  if (d.json === undefined) {
    const written = codec.anyText(urlPrefix + bare, d.value, detailDepth);
    return [name, written === undefined || (!written.exact && !known) ? 0 : textSum(written.text)];
  }
  if (d.typeUrl === "") {
    return [name, textSum(d.json)];
  }
  if (!codec.linked(d.typeUrl) || knownPart(codec, d) !== undefined) {
    return [name, 0];
  }
  // What its type cannot read at all is summed as the JSON that it is.
  return [name, textSum(withUrl(d.json, bare))];
}

// textSum sums the form of RFC 8785, 0 where there is none.
function textSum(text: string): number {
  const form = canonical(tryParse(text));
  return form === undefined ? 0 : crc32(form);
}

// withUrl returns a typed JSON element with the type URL that sums have.
function withUrl(text: string, name: string): string {
  const parts: string[] = [];
  for (let m = tryParse(text).first; m.exists; m = m.next) {
    parts.push(m.nameIs("@type") ? `${m.nameToken}:${JSON.stringify(urlPrefix + name)}` : memberText(m));
  }
  return "{" + parts.join(",") + "}";
}
