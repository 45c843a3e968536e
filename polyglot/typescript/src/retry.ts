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
  const date = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? undefined : Math.min(Math.max(0, date - receivedAt), longest);
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
