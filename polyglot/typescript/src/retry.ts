// Delays and the Retry-After header (RFC 9110 section 10.2.3).

import type { Delay } from "./info.js";
import { Out } from "./protowire.js";

// What a duration of every language can say, in milliseconds.
const longest = 250 * 365 * 24 * 60 * 60 * 1000;

/** retryDetail returns the bytes of a google.rpc.RetryInfo of a delay in milliseconds, not below 0. */
export function retryDetail(delay: number): Uint8Array {
  const ms = Math.max(0, Math.min(delay, longest));
  let seconds = Math.floor(ms / 1000);
  let nanos = Math.round((ms - seconds * 1000) * 1_000_000);
  if (nanos >= 1_000_000_000) {
    nanos -= 1_000_000_000;
    seconds++;
  }
  const out = new Out();
  out.tag(1, 2);
  out.framed(() => {
    [seconds, nanos].forEach((n, i) => {
      if (n !== 0) {
        out.tag(i + 1, 0);
        out.varint(n);
      }
    });
  });
  return out.done();
}

/** delayMs returns a delay in milliseconds, not below 0. */
export function delayMs(delay: Delay): number {
  return Math.max(0, Number(delay.seconds) * 1000 + delay.nanos / 1_000_000);
}

/** wholeSeconds returns a delay as a Retry-After value: whole seconds, rounded up. */
export function wholeSeconds(delay: number): string {
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

