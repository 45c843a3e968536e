// What is taken of an error that does not fit into gRPC's headers, in the order of
// docs/wire.md section 5.

import { elementsIn, elementsOf, joined, scanInfo, type Scanned } from "./budgetcut.js";
import { type Account, accountOf, framed, memberSize, Places, receivedSize, rideSize, sizeDetail, sizeOf } from "./budgetsize.js";
import { Writing } from "./carried.js";
import { Code } from "./code.js";
import { type Hub, isNothing, nothing, Notes, RawDetail, type Received, typeName, type Wire, wireName } from "./hub.js";
import { delayOf, knownPart, parseInfo } from "./info.js";
import type { Encoding } from "./options.js";
import { countEscapes, needsEscape } from "./percent.js";
import { byteLength, clip, concat, encodeUtf8, quoted, strictUtf8 } from "./text.js";

// How much of the message comes before all but the most needed details.
const firstText = 1024;

// Where in the order a detail comes.
const Class = { None: 0, Retry: 1, Info: 2, Other: 3, Help: 4, Debug: 5 } as const;
type Class = (typeof Class)[keyof typeof Class];

// What is taken of one detail.
interface Piece {
  readonly detail: RawDetail;
  readonly url: number; // the bytes of its type URL
  readonly class: Class;
  /** What the Status shows of it; undefined where it does not. */
  readonly value: Uint8Array | undefined;
  /** Whether its JSON text rides along, and how many bytes it has. */
  readonly rides: boolean;
  readonly json: number;
  text: boolean; // whether that text was taken
  taken: "all" | "nothing" | "shortened";
  cut: Uint8Array; // what was taken where it was shortened
}

// What rides along of one wire.
interface Said {
  readonly wire: Wire;
  readonly size: number; // without the members
  readonly members: number;
  kept: boolean; // whether the members were taken
}

/** Fitting is one error of which as much is taken as the budget has room for. */
export class Fitting {
  readonly notes = new Notes();
  private readonly budget: number;
  private readonly message: Uint8Array;
  private readonly pieces: Piece[];
  private readonly received: Said[];
  private readonly carries: boolean;
  private unknown = 0; // size of the unknown fields that stand in the Status
  private saidWhole = false; // whether what rides along was taken, but for its JSON texts
  private now: Account;

  constructor(
    private readonly e: Hub,
    o: Encoding,
    private readonly own: Wire | undefined,
  ) {
    const w = new Writing(e, o, "binary");
    this.budget = o.budget;
    this.message = encodeUtf8(e.message);
    this.carries = w.mayCarry;
    w.receive(e.number > 0, (r) => {
      if (r.wire !== own) {
        return r;
      }
      this.unknown = r.unknownFields.length;
      return { ...r, unknownFields: new Uint8Array() };
    });
    this.received = this.carries ? w.received.map((r) => ({ wire: r.wire, size: receivedSize(r), members: byteLength(r.members), kept: false })) : [];
    this.pieces = w.details.map((detail) => {
      const value = knownPart(w.codec, detail);
      return {
        detail,
        url: byteLength(detail.typeUrl),
        class: value === undefined ? Class.None : classOf(detail, value),
        value,
        rides: detail.json !== undefined && this.carries,
        json: byteLength(detail.json ?? ""),
        text: false,
        taken: "nothing",
        cut: new Uint8Array(),
      };
    });
    this.now = this.base();
  }

  private base(): Account {
    return accountOf(this.e.number < 0 ? Code.UNKNOWN : this.e.number);
  }

  /** fits tells whether the error is within the budget as it is, or says nothing but its code. */
  fits(): boolean {
    if (this.message.length > this.budget) {
      return false; // such a message is not looked through
    }
    const places = new Places(this.pieces.length, () => true);
    let { details, shown, received, rides } = this.base();
    for (const r of this.received) {
      received += framed(memberSize(r.size, r.members));
    }
    for (const [i, p] of this.pieces.entries()) {
      if (p.value !== undefined) {
        details += sizeDetail(p.url, p.value.length);
        shown++;
      }
      if (p.rides) {
        rides += rideSize(places.size(i), p.value !== undefined, p.json);
      }
    }
    const escapes = 2 * countEscapes(this.message, this.message.length);
    const whole = { ...this.base(), message: this.message.length, escapes, details, shown, unknown: this.unknown, received, rides };
    return sizeOf(whole) <= this.budget || (whole.message === 0 && shown === 0 && whole.unknown === 0 && received === 0 && rides === 0);
  }

  // try tells whether an account is within the budget, and if so makes it what is taken.
  private try(next: Account): boolean {
    if (sizeOf(next) > this.budget) {
      return false;
    }
    this.now = next;
    return true;
  }

  /**
   * run takes the parts in the order of the contract, which leaves some things open. The
   * first ErrorInfo is the first that has a reason. Of the further ones each is taken as
   * far as it fits before the next is. Small is what has few bytes of type URL and value,
   * of key and value, or of JSON text, however they are framed.
   */
  run(): void {
    const infos = this.of(Class.Info);
    const first = infos.find((p) => (parseInfo(p.value as Uint8Array)?.reason ?? "") !== "");
    const scanned = first === undefined ? undefined : this.open(first);
    this.of(Class.Retry).forEach((p) => this.detail(p));
    this.rest();
    if (first !== undefined && scanned !== undefined) {
      this.metadata(first, scanned);
    }
    this.text(firstText);
    for (const p of infos) {
      const s = p === first ? undefined : this.open(p);
      if (s !== undefined) {
        this.metadata(p, s);
      }
    }
    this.smallestFirst(Class.Other);
    this.smallestFirst(Class.Help);
    this.text(this.message.length);
    if (this.now.message < this.message.length) {
      this.notes.add(`over budget: message of ${this.message.length} bytes cut to ${this.now.message}`);
    }
    this.smallestFirst(Class.Debug);
    this.texts();
  }

  private of(c: Class): Piece[] {
    return this.pieces.filter((p) => p.class === c);
  }

  // smallestFirst takes the details of a class, those that do not fit whole as far as
  // their elements go.
  private smallestFirst(c: Class): void {
    const size = (p: Piece): number => p.url + (p.value as Uint8Array).length;
    for (const p of this.of(c).sort((a, b) => size(a) - size(b))) {
      this.detail(p);
    }
  }

  // with returns the account with one detail more, of which so many bytes are taken.
  private with(p: Piece, size: number): Account {
    return { ...this.now, details: this.now.details + sizeDetail(p.url, size), shown: this.now.shown + 1 };
  }

  // detail takes a detail whole, or the longest prefix of its elements that fits.
  private detail(p: Piece): void {
    if (this.try(this.with(p, (p.value as Uint8Array).length))) {
      p.taken = "all";
      return;
    }
    const plural = elementsOf(p.detail.name);
    if (plural === "" || !this.prefix(p, plural)) {
      this.dropped(p);
    }
  }

  private dropped(p: Piece): void {
    this.notes.add(`over budget: detail ${nameOf(p)} of ${(p.value as Uint8Array).length} bytes dropped`);
  }

  // open takes reason and domain of an ErrorInfo.
  private open(p: Piece): Scanned | undefined {
    const s = scanInfo(p.value as Uint8Array);
    if (!this.try(this.with(p, s.identity))) {
      this.dropped(p);
      return undefined;
    }
    p.taken = "shortened";
    p.cut = joined(s, false);
    return s;
  }

  // metadata takes the entries of an ErrorInfo that fit beside its reason and domain, the
  // smallest first, and then the fields that an ErrorInfo does not have, which only
  // together say what their writer meant. Of one that is left whole the bytes stay.
  private metadata(p: Piece, s: Scanned): void {
    let size = s.identity;
    const add = (more: number): boolean => {
      const details = this.now.details + sizeDetail(p.url, size + more) - sizeDetail(p.url, size);
      if (!this.try({ ...this.now, details })) {
        return false;
      }
      size += more;
      return true;
    };
    for (const entry of s.entries) {
      entry.taken = add(entry.raw.length);
      if (!entry.taken) {
        this.notes.add(`over budget: metadata ${quoted(entry.key, 64)} of ${entry.size - entry.keySize} bytes dropped`);
      }
    }
    const others = s.fields.reduce((n, f) => n + (f.number === 0 ? f.raw.length : 0), 0);
    const othersTaken = others === 0 || add(others);
    if (!othersTaken) {
      this.notes.add(`over budget: fields of ${others} bytes that detail ${nameOf(p)} does not know dropped`);
    }
    if (size === (p.value as Uint8Array).length) {
      p.taken = "all";
    } else {
      p.cut = joined(s, othersTaken);
    }
  }

  // prefix takes as many elements of a detail as fit, from the front, at least one; fields
  // that its type does not have go.
  private prefix(p: Piece, plural: string): boolean {
    const elements = elementsIn(p.value as Uint8Array);
    if (elements === undefined) {
      return false;
    }
    let size = 0;
    let kept = 0;
    for (const raw of elements) {
      if (sizeOf(this.with(p, size + raw.length)) > this.budget) {
        break;
      }
      size += raw.length;
      kept++;
    }
    if (kept === 0 || !this.try(this.with(p, size))) {
      return false;
    }
    p.taken = "shortened";
    p.cut = concat(elements.slice(0, kept));
    this.notes.add(
      kept < elements.length
        ? `over budget: ${elements.length - kept} of ${elements.length} ${plural} left out`
        : `over budget: fields that detail ${nameOf(p)} does not know dropped`,
    );
    return true;
  }

  // rest takes what rides along but for its JSON texts, as one: half of it could say
  // something else.
  private rest(): void {
    const received = this.received.reduce((n, r) => n + framed(r.size), this.now.received);
    this.saidWhole = this.try({ ...this.now, unknown: this.unknown, received });
    if (this.saidWhole) {
      return;
    }
    if (this.carries && this.e.number <= 0) {
      this.notes.add(`over budget: number ${this.e.number} dropped: the code is UNKNOWN`);
    }
    for (const r of this.e.received) {
      if (!isNothing({ ...r, members: "" }) && (this.carries || r.wire === this.own)) {
        this.notes.add(`over budget: what the ${wireName(r.wire)} wire said dropped`);
      }
    }
  }

  // text takes the longest prefix of the message that fits, of at most so many bytes and
  // ended at a character. One that ends in a space takes two bytes more than its bytes
  // alone, since a space at an end is escaped: the search leaves that out, and then steps
  // back.
  private text(most: number): void {
    const { message } = this;
    let low = 0;
    let high = Math.min(most, message.length, this.budget);
    if (low >= high) {
      return;
    }
    const prefix = (n: number, escapes: number): Account => ({ ...this.now, message: n, escapes: 2 * escapes });
    let escapes = message[0] === 0x20 ? 1 : 0;
    while (low < high) {
      // low fits, above high nothing does
      const middle = Math.floor((low + high + 1) / 2);
      let more = 0;
      for (let i = low; i < middle; i++) {
        if (needsEscape(message[i] as number)) {
          more++;
        }
      }
      if (sizeOf(prefix(middle, escapes + more)) <= this.budget) {
        low = middle;
        escapes += more;
      } else {
        high = middle - 1;
      }
    }
    for (let n = this.cut(low); n > this.now.message; n = this.cut(n - 1)) {
      if (this.try(prefix(n, countEscapes(message, n)))) {
        return;
      }
    }
  }

  // cut returns where the last character ends of so many bytes of the message.
  private cut(given: number): number {
    let n = given;
    if (n < this.message.length) {
      while (n > 0 && ((this.message[n] as number) & 0xc0) === 0x80) {
        n--;
      }
    }
    return n;
  }

  // texts takes the JSON texts that ride along, the smallest first. That of a detail that
  // was shortened would not agree with what is shown.
  private texts(): void {
    const texts: { place: number; size: number }[] = []; // places below 0 are of what wires said
    this.received.forEach((r, i) => {
      if (r.members > 0) {
        texts.push({ place: i - this.received.length, size: r.members });
      }
    });
    this.pieces.forEach((p, place) => {
      if (p.rides && (p.value === undefined || p.taken === "all")) {
        texts.push({ place, size: p.json });
      }
    });
    texts.sort((a, b) => a.size - b.size || a.place - b.place);
    const shown = new Places(this.pieces.length, (i) => (this.pieces[i] as Piece).taken !== "nothing");
    for (const { place } of texts) {
      if (place < 0) {
        this.members(this.received[place + this.received.length] as Said);
      } else {
        this.ride(place, shown);
      }
    }
  }

  private members(r: Said): void {
    const have = this.saidWhole ? r.size : 0;
    const received = this.now.received + framed(memberSize(have, r.members)) - framed(have);
    r.kept = this.try({ ...this.now, received });
    if (!r.kept) {
      this.notes.add(`over budget: JSON received on the ${wireName(r.wire)} wire dropped`);
    }
  }

  // ride takes the JSON text of a detail. One that the Status does not show comes into the
  // list by that, and moves the others.
  private ride(i: number, list: Places): void {
    const p = this.pieces[i] as Piece;
    let rides = this.now.rides + rideSize(list.size(i), p.value !== undefined, p.json);
    if (p.value === undefined) {
      list.moved(i, (j, before, after) => {
        const q = this.pieces[j] as Piece;
        if (q.text) {
          rides += rideSize(after, q.value !== undefined, q.json) - rideSize(before, q.value !== undefined, q.json);
        }
      });
    }
    p.text = this.try({ ...this.now, rides });
    if (!p.text) {
      this.notes.add(`over budget: JSON of detail ${i} (${nameOf(p)}) of ${p.json} bytes dropped`);
    } else if (p.value === undefined) {
      list.put(i);
    }
  }

  /** result returns the error with what was taken. */
  result(): Hub {
    const e = this.e.clone(this.e.notes);
    e.message = strictUtf8(this.message.subarray(0, this.now.message)) ?? "";
    e.details = this.pieces.flatMap((p) => {
      if (p.text || (p.taken === "all" && !p.rides) || (p.value === undefined && !this.carries)) {
        return [p.detail];
      }
      if (p.taken === "all") {
        return [new RawDetail(p.detail.typeUrl, p.value)];
      }
      return p.taken === "shortened" ? [new RawDetail(p.detail.typeUrl, p.cut)] : [];
    });
    e.received = this.said();
    if (this.carries && !this.saidWhole && e.number <= 0) {
      e.number = Code.UNKNOWN;
    }
    return e;
  }

  // said returns what was taken of what was received.
  private said(): Received[] {
    return this.e.received.flatMap((given) => {
      let r = this.saidWhole ? given : { ...nothing(given.wire), members: given.members };
      if (this.carries && !this.received.some((s) => s.wire === r.wire && s.kept)) {
        r = { ...r, members: "" };
      }
      return isNothing(r) ? [] : [r];
    });
  }
}

function nameOf(p: Piece): string {
  return p.detail.name === "" ? "without a type" : clip(p.detail.name, 128);
}

// classOf returns the class of a detail that the Status shows. A RetryInfo without a delay
// tells nobody to wait, and an ErrorInfo that cannot be read has no parts.
function classOf(d: RawDetail, value: Uint8Array): Class {
  switch (d.name) {
    case typeName.errorInfo:
      return parseInfo(value) === undefined ? Class.Other : Class.Info;
    case typeName.retryInfo:
      return delayOf(value) === undefined ? Class.Other : Class.Retry;
    case typeName.help:
    case typeName.localizedMessage:
      return Class.Help;
    case typeName.debugInfo:
      return Class.Debug;
    default:
      return Class.Other;
  }
}
