// google.rpc.RetryInfo and the Retry-After header (RFC 9110 section 10.2.3).

import { create, toBinary } from "@bufbuild/protobuf";
import { RetryInfoSchema } from "./gen/google/rpc/error_details_pb.js";
import { bytesDetail, type Hub, type RawDetail, typeName } from "./hub.js";
import type { Catalog } from "./catalog.js";
import { toShape } from "./fields.js";
import { bytesOf } from "./render.js";
import { clip } from "./utf8.js";

// What a duration of every language can say, in milliseconds.
const longest = 250 * 365 * 24 * 60 * 60 * 1000;

/** retryDetail makes a RetryInfo of a delay in milliseconds, not below 0. */
export function retryDetail(delay: number): RawDetail {
  const ms = Math.max(0, Math.min(delay, longest));
  const seconds = Math.floor(ms / 1000);
  const nanos = Math.round((ms - seconds * 1000) * 1_000_000);
  const info = create(RetryInfoSchema, { retryDelay: { seconds: BigInt(seconds), nanos } });
  return bytesDetail(typeName.retryInfo, toBinary(RetryInfoSchema, info));
}

/** retryAfterOf returns the Retry-After value of a delay: whole seconds, rounded up. */
export function retryAfterOf(delay: number): string {
  return String(Math.ceil(Math.max(0, delay) / 1000));
}

/**
 * parseRetryAfter reads a Retry-After value in either form, in milliseconds; a date
 * counts from receivedAt. It is undefined where the value is neither.
 */
export function parseRetryAfter(value: string, receivedAt: number): number | undefined {
  const text = value.trim();
  if (/^[0-9]+$/.test(text)) {
    return Math.min(Number(text) * 1000, longest);
  }
  if (/^-[0-9]+$/.test(text)) {
    return 0;
  }
  const date = httpDate(text);
  return date === undefined ? undefined : Math.min(Math.max(0, date - receivedAt), longest);
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const month = `(?<month>${months.join("|")})`;
const time = "(?<hour>[0-9]{2}):(?<minute>[0-9]{2}):(?<second>[0-9]{2})";
const day = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
const longDay = "(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)";
const dates = [
  new RegExp(`^${day}, (?<day>[0-9]{2}) ${month} (?<year>[0-9]{4}) ${time} GMT$`),
  new RegExp(`^${longDay}, (?<day>[0-9]{2})-${month}-(?<year>[0-9]{2}) ${time} GMT$`),
  new RegExp(`^${day} ${month} (?<day>[ 0-9][0-9]) ${time} (?<year>[0-9]{4})$`),
];

// httpDate reads a date in one of the three forms of HTTP (RFC 9110 section 5.6.7), of
// which Date.parse would take the last for a local time.
function httpDate(text: string): number | undefined {
  const found = dates.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  if (found === undefined) {
    return undefined;
  }
  const n = (name: string): number => Number(found[name]);
  const year = found["year"]?.length === 2 ? n("year") + (n("year") >= 69 ? 1900 : 2000) : n("year");
  const date = new Date(0);
  date.setUTCFullYear(year, months.indexOf(found["month"] as string), n("day"));
  date.setUTCHours(n("hour"), n("minute"), n("second"));
  const fits = date.getUTCDate() === n("day") && n("hour") < 24 && n("minute") < 60 && n("second") < 60;
  return fits ? date.getTime() : undefined;
}

/** addRetryAfter appends what a header says as a RetryInfo, unless the error has one. */
export function addRetryAfter(e: Hub, c: Catalog, value: string, receivedAt: number): void {
  const delay = parseRetryAfter(value, receivedAt);
  if (delay === undefined) {
    e.notes.add(`Retry-After ${JSON.stringify(clip(value, 64))} is neither seconds nor a date`);
    return;
  }
  if (e.details.some((d) => d.name === typeName.retryInfo)) {
    const said = saidDelay(e, c);
    if (said === undefined || retryAfterOf(said) !== retryAfterOf(delay)) {
      e.notes.add(`Retry-After ${JSON.stringify(clip(value, 64))} is not the delay of the RetryInfo, which stands`);
    }
    return;
  }
  e.details = [...e.details, retryDetail(delay)];
}

// saidDelay returns the delay of the first RetryInfo in milliseconds; undefined where it
// says none that can be read.
function saidDelay(e: Hub, c: Catalog): number | undefined {
  const d = e.details.find((detail) => detail.name === typeName.retryInfo);
  const bytes = d === undefined ? undefined : bytesOf(c, d);
  try {
    const delay = bytes === undefined ? undefined : toShape(RetryInfoSchema, bytes);
    return delay === undefined ? undefined : Number(delay.retryDelay?.seconds ?? 0) * 1000 + (delay.retryDelay?.nanos ?? 0) / 1_000_000;
  } catch {
    return undefined;
  }
}
