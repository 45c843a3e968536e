// RFC 9457 problem details, read: docs/wire.md section 6.

import { keepHttpStatus, ownHttpStatus } from "./aip193.js";
import { codeByName, codeFromHttp, isPhrase } from "./code.js";
import { isForeign, type RawBody, readBody, type Reading } from "./decode.js";
import { type Hub, nothing, type RawDetail, typeName, urlPrefix, Wire } from "./hub.js";
import { identityOf } from "./identity.js";
import { infoDetail, knownPart } from "./info.js";
import { tryParse, type Value } from "./jsontree.js";
import { same } from "./same.js";
import { type Member, membersText, take } from "./member.js";
import type { Decoding } from "./options.js";
import { aboutBlank, ownLabels, violationsText } from "./problem.js";
import { mergeReceived, problemNames } from "./received.js";
import { restore } from "./restore.js";
import { carriedMember } from "./statusjson.js";
import { quoted } from "./text.js";

/** decodeProblem reads RFC 9457 problem details. */
export function decodeProblem(body: RawBody, o: Decoding): Hub {
  return readBody(Wire.PROBLEM, body, o, codeFromHttp, (r, root) => {
    if (!root.isObject) {
      isForeign("not a JSON object");
    }
    const { own, rest } = take(root, problemNames, r.e.notes);
    const carried = problemNames.list.length - 1;
    if (root.length > 0 && !root.get("instance").exists && !own.some((v, i) => i !== carried && v.exists)) {
      isForeign("no member of a problem");
    }
    new ProblemReader(r, own, rest).read();
  });
}

// ProblemReader reads the members of one problem. What it does not take stays in rest,
// and rides along.
class ProblemReader {
  constructor(
    private readonly r: Reading,
    private readonly own: readonly Value[],
    private readonly rest: Member[],
  ) {}

  private member(name: string): Value {
    return this.own[problemNames.find(name)] as Value;
  }

  private text(name: string): string | undefined {
    return this.r.text(this.member(name), this.rest);
  }

  read(): void {
    const { r } = this;
    const { e, o } = r;
    const type = this.text("type") ?? "";
    const title = this.text("title") ?? "";
    e.message = this.text("detail") ?? title;
    const status = this.status();
    const named = this.code(status);
    const identity = this.identity();
    r.list(this.member("details"), this.rest);
    const carried = carriedMember(this.member("errmap"), this.rest);
    r.keep(Wire.PROBLEM, this.rest);
    const believed = restore(r, "objects", carried);
    if (identity !== undefined) {
      this.supply(identity);
    } else if (type !== "" && e.details.length === 0 && !believed) {
      const d = o.catalog.byProblemType(type);
      if (d !== undefined) {
        e.details = [infoDetail(d.reason, d.domain, new Map())];
        if (!named) {
          e.number = d.code;
        }
      }
    }
    keepHttpStatus(r, status);
    this.keepNews(type, title, status);
    r.finish();
  }

  // code reads the code, and tells whether it is named. Without a name the HTTP status says it.
  private code(status: number): boolean {
    const name = this.text("code") ?? "";
    const known = codeByName(name);
    if (known === undefined && name !== "") {
      this.r.note(`code ${quoted(name, 64)} names no code`);
      this.rest.push({ name: "code", value: this.member("code") });
    }
    this.r.e.number = known ?? codeFromHttp(status);
    return known !== undefined;
  }

  // status returns the HTTP status: the real one, else the body's.
  private status(): number {
    const v = this.member("status");
    const real = this.r.o.httpStatus;
    if (v.isAbsent) {
      return real;
    }
    const n = v.int;
    if (n === undefined || n < 100 || n > 999) {
      this.r.refuse(v, this.rest);
      return real;
    }
    if (real !== 0 && real !== n) {
      this.r.note(`the body says HTTP status ${n}, the response has ${real}, which stands`);
    }
    return real === 0 ? n : real;
  }

  // identity returns the ErrorInfo that reason, domain and metadata say.
  private identity(): RawDetail | undefined {
    const { r } = this;
    const parts: string[] = [];
    for (const name of ["reason", "domain"]) {
      const text = this.text(name) ?? "";
      if (text !== "") {
        parts.push(`"${name}":${JSON.stringify(text)}`);
      }
    }
    const v = this.member("metadata");
    if (v.isObject) {
      if (v.doubled) {
        r.note("metadata has a member twice: the first counts");
      }
      if (hasNonStrings(v)) {
        r.note("metadata holds values that are no strings: their JSON text is read");
      }
      if (v.length > 0) {
        parts.push(`"metadata":${v.once}`);
      }
    } else if (!v.isAbsent) {
      if (parts.length === 0) {
        r.refuse(v, this.rest); // nothing else makes an ErrorInfo
      } else {
        r.note("metadata is no object: the ErrorInfo stays JSON");
        parts.push(`"metadata":${v.once}`);
      }
    }
    return parts.length === 0 ? undefined : r.reread(`{"@type":"${urlPrefix}${typeName.errorInfo}",${parts.join(",")}}`);
  }

  // supply puts the ErrorInfo of the members reason, domain and metadata first, where
  // details hold none.
  private supply(d: RawDetail): void {
    const { e, codec } = this.r;
    let held = false;
    const want = knownPart(codec, d) ?? new Uint8Array();
    for (const other of e.details) {
      const value = other.is(typeName.errorInfo) ? knownPart(codec, other) : undefined;
      if (value === undefined) {
        continue;
      }
      if (codec.equal(urlPrefix + typeName.errorInfo, want, value)) {
        return;
      }
      held = true;
    }
    if (held) {
      this.r.note("details say another ErrorInfo than reason, domain and metadata: details stand");
    } else {
      e.details = [d, ...e.details];
    }
  }

  // keepNews keeps the type, the title and the errors that stood there, but for what a
  // writer puts there itself and for what says nothing.
  private keepNews(type: string, title: string, given: number): void {
    const { e, o } = this.r;
    const own = ownLabels(identityOf(e.details, o.catalog), o.catalog);
    const status = given === 0 ? ownHttpStatus(e, e.details, o.catalog) : given;
    const news: Member[] = [];
    if (this.member("type").isString && type !== own.type && type !== aboutBlank) {
      news.push({ name: "type", value: this.member("type") });
    }
    if (this.member("title").isString && title !== own.title && !isPhrase(title, status)) {
      news.push({ name: "title", value: this.member("title") });
    }
    const errors = this.member("errors");
    if (errors.exists && !this.saysViolations(errors)) {
      news.push({ name: "errors", value: errors });
    }
    if (news.length > 0) {
      e.setReceived(mergeReceived(e.on(Wire.PROBLEM), { ...nothing(Wire.PROBLEM), members: membersText(news) }, e.notes));
    }
  }

  // saysViolations tells whether the member errors is what a writer makes of the error.
  private saysViolations(errors: Value): boolean {
    const text = violationsText(this.r.codec, this.r.e.details);
    return text !== "" && same(tryParse(text), errors);
  }
}

function hasNonStrings(v: Value): boolean {
  for (let m = v.first; m.exists; m = m.next) {
    if (!m.isString) {
      return true;
    }
  }
  return false;
}
