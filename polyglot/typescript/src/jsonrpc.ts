// The error object of JSON-RPC 2.0, written: docs/wire.md section 7.

import { urlCarried, Writing } from "./carried.js";
import { isCanonical, targetOf } from "./code.js";
import { onlyOf } from "./detail.js";
import { type Hub, isTyped, typeName, untypedText, urlPrefix, Wire } from "./hub.js";
import { type Info, infoOf } from "./info.js";
import { safeIntegerOf } from "./jsonnumber.js";
import { tryParse, type Value } from "./jsontree.js";
import { splitMembers } from "./member.js";
import { detailDepth, type Encoding } from "./options.js";
import { memberValue, type OwnError, type Profile } from "./profile.js";
import { rpcNames } from "./received.js";
import { impliedCode, impliedNumber, type Standing, standingOf } from "./rpcnumber.js";

const markerUrl = urlPrefix + typeName.status;

/** RpcText is an error object and its number. */
export interface RpcText {
  readonly text: string;
  readonly number: number;
}

/** encodeJsonRpc writes an error as the error object of JSON-RPC 2.0 section 5.1. */
export function encodeJsonRpc(e: Hub, p: Profile, o: Encoding): RpcText {
  const w = new RpcWriter(e, p, o);
  return { text: w.text(), number: w.number };
}

/** jsonRpcNumber returns the number that an error has under a profile. */
export function jsonRpcNumber(e: Hub, p: Profile, o: Encoding): number {
  return new RpcWriter(e, p, o).number;
}

// RpcWriter writes one error object.
class RpcWriter {
  readonly number: number;
  private readonly w: Writing;
  private readonly own: OwnError | undefined; // that the number means beside the identity of the error
  private readonly marker: boolean;
  private readonly standing: string; // the members that rode along, each after a comma

  constructor(
    e: Hub,
    private readonly profile: Profile,
    o: Encoding,
  ) {
    const w = new Writing(e, o, "elements");
    this.w = w;
    const s = standingOf(w.details, profile, o.catalog);
    const repeated = this.repeated(s);
    this.number = repeated ?? impliedNumber(profile, e.number, s);
    this.own = profile.numbered(this.number) ?? (s.own === undefined ? undefined : profile.conditional(this.number, s.own.reason));
    w.wrap = this.own !== undefined;
    const { standing, riding } = splitMembers(e.on(Wire.JSONRPC).members, (m) => rpcNames.placeIn(m));
    this.standing = standing;
    if (e.received.length > 0 || !isCanonical(e.number)) {
      w.receive(false, (r) => (r.wire !== Wire.JSONRPC ? r : { ...r, members: riding, number: repeated === undefined ? r.number : "" }));
    }
    const code = targetOf(e.number);
    this.marker =
      impliedCode(profile, s, this.number) !== code ||
      impliedCode(profile, { known: undefined, own: s.own }, this.number) !== code ||
      this.looksMarked() ||
      this.isMisread();
  }

  text(): string {
    return `{"code":${this.number},"message":${JSON.stringify(this.w.e.message)}${this.data()}${this.standing}}`;
  }

  // repeated returns the number that was received where readers see it for what it is.
  private repeated(s: Standing): number | undefined {
    const { w, profile } = this;
    const token = w.e.received.length === 0 ? "" : w.e.on(Wire.JSONRPC).number;
    const n = token === "" ? undefined : safeIntegerOf(token);
    if (
      n === undefined ||
      !profile.mayRepeat(n) ||
      n === impliedNumber(profile, w.e.number, s) ||
      n === impliedNumber(profile, w.e.number, { known: undefined, own: s.own })
    ) {
      return undefined;
    }
    const own = profile.numbered(n);
    if (own !== undefined) {
      const info = this.ofDomain();
      if (info === undefined) {
        return undefined; // readers add one
      }
      const named = profile.find(info.reason);
      if (named !== undefined && named.definition !== own.definition) {
        return undefined; // which contradicts the number
      }
    }
    return n;
  }

  // ofDomain returns the first ErrorInfo of the profile's domain.
  private ofDomain(): Info | undefined {
    for (const d of this.w.details) {
      const info = infoOf(this.w.codec, d);
      if (info !== undefined && info.domain === this.profile.domain) {
        return info;
      }
    }
    return undefined;
  }

  // looksMarked tells whether a detail would be read as a code marker.
  private looksMarked(): boolean {
    return this.w.details.some((d) => {
      const text = d.is(typeName.status) ? (d.json ?? this.w.codec.anyText(d.typeUrl, d.value, detailDepth)?.text) : undefined;
      return text !== undefined && markerCode(tryParse(text)) !== 0;
    });
  }

  // isMisread tells whether free-form details, with nothing typed beside them, would be
  // read as something else.
  private isMisread(): boolean {
    const { w } = this;
    const [first] = w.details;
    if (w.wrap || first === undefined || (w.received.length > 0 && w.mayCarry) || w.details.some(isTyped)) {
      return false;
    }
    if (w.details.length > 1) {
      return true;
    }
    const root = tryParse(untypedText(first));
    return (root.isArray && (root.length === 0 || containsTyped(root))) || this.profile.means(this.number, root) !== undefined;
  }

  // data returns the data member after its comma; "" where there is nothing to say.
  private data(): string {
    const { w } = this;
    if (this.own !== undefined && this.profile.objectData) {
      return this.object(this.own);
    }
    const [first] = w.details;
    if (first !== undefined && w.details.length === 1 && !isTyped(first) && !w.wrap && !this.marker && (w.received.length === 0 || !w.mayCarry)) {
      w.carries(Wire.JSONRPC);
      return `,"data":${untypedText(first)}`;
    }
    const list = this.list();
    return list === "" ? "" : `,"data":[${list}]`;
  }

  // list returns the details, the code marker and the Carried.
  private list(): string {
    const { w } = this;
    const parts = w.details.length === 0 ? [] : [w.detailsText()];
    if (this.marker) {
      parts.push(`{"@type":"${markerUrl}","code":${targetOf(w.e.number)}}`);
    }
    if (w.carries(Wire.JSONRPC)) {
      parts.push(w.codec.anyText(urlCarried, w.carried(), Infinity)?.text ?? "{}");
    }
    return parts.join(",");
  }

  // object returns the data of an own error whose data is an object: the members that it
  // requires, and all else that the error says under details.
  private object(own: OwnError): string {
    const info = this.ofDomain();
    const parts = own.members.map((m) => `${JSON.stringify(m.name)}:${memberValue(m, info?.metadata.get(m.name) ?? "")}`);
    if (this.isSaidByMembers(own, info)) {
      this.w.carries(Wire.JSONRPC);
      return parts.length === 0 ? "" : `,"data":{${parts.join(",")}}`;
    }
    parts.push(`"details":[${this.list()}]`);
    return `,"data":{${parts.join(",")}}`;
  }

  // isSaidByMembers tells whether the members that an own error requires say all of it.
  private isSaidByMembers(own: OwnError, info: Info | undefined): boolean {
    const { w } = this;
    const d = own.definition;
    if (
      this.marker ||
      w.details.length !== 1 ||
      w.details[0]?.json !== undefined ||
      (w.received.length > 0 && w.mayCarry) ||
      info === undefined ||
      info.reason !== d.reason ||
      info.domain !== d.domain ||
      w.codec.hasUnknown(urlPrefix + typeName.errorInfo, info.bytes)
    ) {
      return false;
    }
    return [...info.metadata].every(([key, text]) => {
      const m = own.members.find((one) => one.name === key);
      return m !== undefined && text !== m.emptyText && (m.isString || memberValue(m, text) === text);
    });
  }
}

/** containsTyped tells whether an element of a list is a typed object. */
export function containsTyped(list: Value): boolean {
  for (let el = list.first; el.exists; el = el.next) {
    if (typedElement(el)) {
      return true;
    }
  }
  return false;
}

/** typedElement tells whether a JSON element is an object with a string "@type". */
export function typedElement(v: Value): boolean {
  return v.isObject && v.get("@type").isString;
}

/**
 * markerCode returns the code of a code marker: an object of exactly the two members; 0
 * where the element is none.
 */
export function markerCode(v: Value): number {
  if (!v.isObject || v.length < 2 || !v.get("@type").textIs(markerUrl)) {
    return 0;
  }
  const n = v.get("code").int;
  return n !== undefined && isCanonical(n) && onlyOf(v, "@type", "code") ? n : 0;
}
