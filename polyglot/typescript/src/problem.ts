// RFC 9457 problem details: docs/wire.md section 6.

import { BadRequestSchema } from "./gen/google/rpc/error_details_pb.js";
import { type HttpAnswer, ownHttpStatus, restoreHttp, statusCandidate } from "./aip193.js";
import { type Item, plainItems } from "./carried.js";
import { type Catalog, noErrors } from "./catalog.js";
import { codeByName, codeFromHttp, phraseOf, rowOf } from "./code.js";
import { byCodeUnit, readNumber, sameText } from "./decimal.js";
import { foreign, reasonFor } from "./decode.js";
import { defaultProblemType } from "./definition.js";
import { type ErrorInfo, errorInfoDetail, sameErrorInfo } from "./errorinfo.js";
import { addMember, Hub, memberOf, type RawDetail, take, typeName, Wire, withMembers } from "./hub.js";
import { arrayElements, compactJson, isNumber, joinMembers, type JsonText, type Member, newMember, objectMembers, quote, stringValue, unquote } from "./json.js";
import { toShape } from "./fields.js";
import type { DecodeSettings, EncodeSettings } from "./options.js";
import { bytesOf, errorInfoOf, identityOf, parseElement, textMembers } from "./render.js";
import { type Candidate, readable, settle } from "./settle.js";
import { detailsMember } from "./status.js";
import { clip } from "./utf8.js";

const aboutBlank = "about:blank";

// The members of a problem that are read; "errors" is for people.
const problemMembers = ["type", "title", "status", "detail", "code", "reason", "domain", "metadata", "details"];

/** encodeProblem writes the status and the body of an error as problem details. */
export function encodeProblem(given: Hub, o: EncodeSettings): HttpAnswer {
  const e = readable(given, o.catalog);
  return settle<HttpAnswer>(e, o, {
    wire: Wire.PROBLEM,
    shape: "objects",
    marker: false,
    writesNumber: false,
    own: noErrors,
    candidates: candidatesOf(e, o),
    items: () => plainItems(o.catalog, e.details, "objects"),
    write: (c, items, _marker, carried) => ({ status: c.status, body: write(e, o.catalog, c, items, carried) }),
    read: (answer, settings) => decodeProblem(answer.body, { ...settings, httpStatus: answer.status }),
  });
}

// candidatesOf returns first the way in which all that a problem said stands again,
// then those in which less of it does.
function candidatesOf(e: Hub, o: EncodeSettings): Candidate[] {
  const got = e.receivedOn(Wire.PROBLEM);
  const c = statusCandidate(e, o, Wire.PROBLEM);
  const own = ownProblem(e, o.catalog, o.catalog);
  const label = (name: string, text: string): Member => newMember(name, quote(text));
  const bare: Candidate = {
    ...c,
    made: withMembers(c.made, [label("type", own.type), label("title", titleOr(own.title, own.type, c.status))]),
  };
  const members = (objectMembers(got.members) ?? []).filter((m) =>
    m.name === "type" || m.name === "title" ? m.value.startsWith('"') : m.name !== "errors" && !problemMembers.includes(m.name),
  );
  if (members.length === 0) {
    return [bare];
  }
  const said = withMembers(c.said, members);
  const made: Member[] = [];
  const type = memberOf(said, "type");
  if (type === undefined) {
    made.push(label("type", own.type));
  }
  if (memberOf(said, "title") === undefined) {
    made.push(label("title", titleOr(own.title, stringValue(type) ?? own.type, c.status)));
  }
  return [{ ...c, said, made: withMembers(c.made, made) }, bare];
}

// ownProblem returns the type and title that an error has of its own.
function ownProblem(e: Hub, errors: Catalog, types: Catalog): { type: string; title: string } {
  const info = identityOf(e.details, errors, types);
  if (info === undefined || info.reason === "") {
    return { type: aboutBlank, title: "" };
  }
  const d = errors.find(info.domain, info.reason);
  const type = d === undefined ? problemType(info) : d.problemType;
  return { type: type === "" ? aboutBlank : type, title: d === undefined ? info.reason : d.title };
}

// problemType returns the type URI of an ErrorInfo; "" where its domain and reason
// make none.
function problemType(info: ErrorInfo): string {
  const uri = defaultProblemType(info.domain, info.reason);
  if (uri === "" || /[?#@/\\]/.test(info.domain) || !/^[A-Za-z0-9.\-:[\]]+$/.test(info.domain) || /[?#]/.test(info.reason)) {
    return "";
  }
  return uri;
}

// titleOr returns the HTTP phrase for about:blank (RFC 9457 section 4.2.1).
function titleOr(title: string, type: string, status: number): string {
  return type !== aboutBlank && title !== "" ? title : (phraseOf(status) ?? `HTTP status ${status}`);
}

function write(e: Hub, c: Catalog, candidate: Candidate, items: readonly Item[], carried: RawDetail | undefined): JsonText {
  const parts: string[] = [];
  const add = (name: string, value: JsonText | undefined): void => {
    if (value !== undefined) {
      parts.push(`${quote(name)}:${value}`);
    }
  };
  for (const name of ["type", "title"]) {
    add(name, memberOf(candidate.said, name) ?? memberOf(candidate.made, name));
  }
  add("status", String(candidate.status));
  add("detail", quote(e.message));
  add("code", quote(rowOf(e.number).name));
  const info = identityOf(e.details, c, c);
  if (info !== undefined) {
    add("reason", info.reason === "" ? undefined : quote(info.reason));
    add("domain", info.domain === "" ? undefined : quote(info.domain));
    const entries = [...info.metadata].sort(([a], [b]) => byCodeUnit(a, b)).map(([key, text]) => newMember(key, quote(text)));
    add("metadata", entries.length === 0 ? undefined : joinMembers(entries));
  }
  const details = detailsMember(c, items, carried);
  if (details !== "") {
    parts.push(details.slice(1));
  }
  add("errors", violationsText(e, c));
  for (const m of objectMembers(candidate.said.members) ?? []) {
    if (m.name !== "type" && m.name !== "title") {
      parts.push(`${m.rawName}:${m.value}`);
    }
  }
  return `{${parts.join(",")}}`;
}

// violationsText returns the field violations of a BadRequest for people.
function violationsText(e: Hub, c: Catalog): JsonText | undefined {
  const d = e.details.find((detail) => detail.name === typeName.badRequest);
  const bytes = d === undefined ? undefined : bytesOf(c, d);
  if (bytes === undefined) {
    return undefined;
  }
  try {
    const all = toShape(BadRequestSchema, bytes).fieldViolations;
    return all.length === 0 ? undefined : `[${all.map((v) => `{"field":${quote(v.field)},"detail":${quote(v.description)}}`).join(",")}]`;
  } catch {
    return undefined;
  }
}

/** decodeProblem reads problem details. The real HTTP status wins over the one in the body. */
export function decodeProblem(body: string | Uint8Array, o: DecodeSettings): Hub {
  let text: JsonText;
  try {
    text = compactJson(body, o.limits);
  } catch (cause) {
    return foreign(Wire.PROBLEM, body, o, codeFromHttp, reasonFor(cause));
  }
  const members = objectMembers(text);
  if (members === undefined) {
    return foreign(Wire.PROBLEM, body, o, codeFromHttp, "not a JSON object");
  }
  const e = new Hub();
  e.decoded = true;
  const [ours, rest] = take(members, e.notes, ...problemMembers, "errors");
  if (ours.size === 0 && rest.length > 0 && !rest.some((m) => m.name === "instance")) {
    return foreign(Wire.PROBLEM, body, o, codeFromHttp, "no member of a problem");
  }
  const reader = new ProblemReader(e, ours, rest, o);
  reader.read();
  e.keep(Wire.PROBLEM, reader.rest);
  restoreHttp(e, o, Wire.PROBLEM);
  reader.label();
  return e;
}

// ProblemReader reads the members of one problem. What it does not take stays in
// rest, and rides along.
class ProblemReader {
  #said = 0;
  #labels: Member[] = [];

  constructor(
    readonly e: Hub,
    readonly ours: ReadonlyMap<string, JsonText>,
    public rest: Member[],
    readonly o: DecodeSettings,
  ) {}

  read(): void {
    const { e, o } = this;
    const type = this.#text("type");
    const title = this.#text("title");
    e.message = this.#text("detail") ?? title ?? "";
    this.#labels = [
      ...(type === undefined ? [] : [newMember("type", this.ours.get("type") as JsonText)]),
      ...(title === undefined ? [] : [newMember("title", this.ours.get("title") as JsonText)]),
    ];
    const status = this.#status();
    this.#said = status;
    this.#details();
    const name = this.#text("code") ?? "";
    let code: number | undefined = codeByName(name);
    if (code === undefined && name !== "") {
      e.notes.add(`code ${JSON.stringify(clip(name, 64))} names no code`);
      this.#carry("code");
    }
    const known = e.details.length === 0 && type !== undefined ? o.errors.byProblemType(type) : undefined;
    if (known !== undefined) {
      e.details = [errorInfoDetail({ reason: known.reason, domain: known.domain, metadata: new Map() })];
      code ??= known.code;
    }
    e.number = code ?? codeFromHttp(status);
    const errors = this.ours.get("errors");
    if (errors !== undefined && !sameText(errors, violationsText(e, o.catalog))) {
      this.#carry("errors");
    }
    if (status !== 0) {
      e.setReceived({ ...e.receivedOn(Wire.PROBLEM), httpStatus: status });
    }
  }

  // label adds to what was received the type and the title that stood there, but for
  // those that the error has anyway: they are what a writer puts there itself.
  label(): void {
    const { e, o } = this;
    const own = ownProblem(e, o.errors, o.catalog);
    const status = this.#said === 0 ? ownHttpStatus(e, o.errors, o.catalog) : this.#said;
    let implied = own.type;
    const news = this.#labels.filter((m) => {
      const text = stringValue(m.value);
      if (m.name === "type") {
        implied = text ?? "";
        return text !== own.type;
      }
      return text !== titleOr(own.title, implied, status);
    });
    e.keep(Wire.PROBLEM, news);
  }

  // A text of another type counts as absent and rides along.
  #text(name: string): string | undefined {
    const raw = this.ours.get(name);
    if (raw === undefined || raw === "null") {
      return undefined;
    }
    const s = stringValue(raw);
    if (s === undefined) {
      this.#refuse(name);
    }
    return s;
  }

  #refuse(name: string): void {
    this.e.notes.add(`member ${JSON.stringify(name)} is of another type and counts as absent: ${this.ours.get(name) ?? ""}`);
    this.#carry(name);
  }

  #carry(name: string): void {
    this.rest = addMember(this.rest, newMember(name, this.ours.get(name) as JsonText), this.e.notes);
  }

  // #status returns the HTTP status: the real one, else the body's.
  #status(): number {
    const raw = this.ours.get("status");
    const real = this.o.httpStatus;
    if (raw === undefined || raw === "null") {
      return real;
    }
    const n = isNumber(raw) ? readNumber(raw) : undefined;
    if (n === undefined || n < 100 || n > 999) {
      this.#refuse("status");
      return real;
    }
    if (real !== 0 && real !== n) {
      this.e.notes.add(`the body says HTTP status ${n}, the response has ${real}, which stands`);
    }
    return real === 0 ? n : real;
  }

  // #details takes details, or else what reason, domain and metadata say.
  #details(): void {
    const { e } = this;
    const c = this.o.catalog;
    const reason = this.#text("reason");
    const domain = this.#text("domain");
    const metadata = this.#metadata();
    const raw = this.ours.get("details");
    if (raw !== undefined && raw !== "null") {
      const elements = arrayElements(raw);
      if (elements === undefined) {
        this.#refuse("details");
      }
      e.details = e.atMost(this.o, elements ?? []).map((element) => parseElement(c, element));
    }
    if (reason === undefined && domain === undefined && metadata.size === 0) {
      return;
    }
    const info: ErrorInfo = { reason: reason ?? "", domain: domain ?? "", metadata };
    if (e.details.length === 0) {
      e.details = [errorInfoDetail(info)];
      return;
    }
    this.#beside(info);
  }

  // #beside takes reason, domain and metadata where details win: they ride along where no
  // detail is an ErrorInfo, which would say the same or contradict them.
  #beside(info: ErrorInfo): void {
    const { e } = this;
    const said = e.details.map((d) => errorInfoOf(this.o.catalog, d)).filter((found) => found !== undefined);
    if (said.some((found) => sameErrorInfo(found, info))) {
      return;
    }
    if (said.length > 0) {
      e.notes.add(`details say another ErrorInfo than reason, domain and metadata (${info.reason} of ${info.domain}): details stand`);
      return;
    }
    e.notes.add("details hold no ErrorInfo: reason, domain and metadata ride along");
    for (const name of ["reason", "domain", "metadata"]) {
      const raw = this.ours.get(name);
      if (raw !== undefined && raw !== "null" && !this.rest.some((m) => m.name === name)) {
        this.rest = [...this.rest, newMember(name, raw)];
      }
    }
  }

  #metadata(): Map<string, string> {
    const raw = this.ours.get("metadata");
    const entries = objectMembers(raw);
    if (raw === undefined || raw === "null") {
      return new Map();
    }
    if (entries === undefined) {
      this.#refuse("metadata");
      return new Map();
    }
    if (entries.some((m) => !m.value.startsWith('"'))) {
      this.e.notes.add(`metadata holds values that are no strings, their JSON text is read: ${raw}`);
      this.#carry("metadata");
    }
    return new Map(textMembers(entries, this.e.notes).map((m) => [m.name, unquote(m.value)]));
  }
}

