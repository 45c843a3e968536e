// How an error comes to fit into gRPC headers: docs/wire.md section 5.

import { type Hub, type RawDetail, typeName, Wire } from "./hub.js";
import { errorInfoDetail, parseErrorInfo } from "./errorinfo.js";
import { byCodeUnit } from "./decimal.js";
import { sizeOf } from "./grpc.js";
import type { EncodeSettings } from "./options.js";
import { knownPart } from "./render.js";
import { byteLength, clip, cutText } from "./utf8.js";

type Headers = [string, string][];
type Note = (text: string) => void;

/**
 * fitGrpc takes parts out of an error until its headers are within the budget, and
 * says in notes what went. Only the code is never taken.
 */
export function fitGrpc(given: Hub, o: EncodeSettings, headersOf: (e: Hub, o: EncodeSettings) => Headers): Headers {
  const e = given.clone();
  const notes: string[] = [];
  const note = (text: string): void => {
    notes.push(text);
  };
  let quiet: EncodeSettings = { ...o, note: undefined };
  const fits = (): boolean => sizeOf(headersOf(e, quiet)) <= o.budget;
  const drop = (match: (d: RawDetail) => boolean): void => {
    for (const d of e.details.filter(match)) {
      note(`over budget: detail ${d.name} of ${d.value.length} bytes dropped`);
    }
    e.details = e.details.filter((d) => !match(d));
  };
  const steps = [
    () => dropText(e, o, note),
    () => drop((d) => d.name === typeName.debugInfo),
    () => drop((d) => d.name === typeName.help || d.name === typeName.localizedMessage),
    () => dropLargest(e, fits, drop),
    () => cutMessage(e, fits, note),
    () => cutMetadata(e, fits, note),
    () => {
      e.received.forEach((r) => note(`over budget: what the ${Wire[r.wire]} wire said dropped`));
      e.received = [];
      quiet = { ...quiet, withoutCarried: true }; // a number that only it says goes too
    },
    () => drop((d) => d.name === typeName.retryInfo),
    () => drop(() => true),
  ];
  for (const step of steps) {
    if (fits()) {
      break;
    }
    step();
  }
  if (o.note !== undefined) {
    notes.forEach(o.note);
  } else {
    console.warn(`parts of an error did not fit into ${o.budget} bytes of gRPC headers`, notes);
  }
  return headersOf(e, quiet);
}

// dropText drops the JSON text of what rides along.
function dropText(e: Hub, o: EncodeSettings, note: Note): void {
  for (const r of e.received) {
    if (r.codeText !== "" || r.members !== "") {
      note(`over budget: JSON received on the ${Wire[r.wire]} wire dropped`);
      e.setReceived({ ...r, codeText: "", members: "" });
    }
  }
  e.details = e.details.flatMap((d, i) => {
    if (d.json === undefined) {
      return [d];
    }
    note(`over budget: JSON of detail ${i} (${d.name}) dropped`);
    const known = d.typeUrl === "" ? undefined : knownPart(o.catalog, d);
    return known === undefined ? [] : [known];
  });
}

// dropLargest drops the details that are left but for ErrorInfo and RetryInfo, the
// largest first, only as many as need to go.
function dropLargest(e: Hub, fits: () => boolean, drop: (match: (d: RawDetail) => boolean) => void): void {
  while (!fits()) {
    const others = e.details.filter((d) => d.name !== typeName.errorInfo && d.name !== typeName.retryInfo);
    if (others.length === 0) {
      return;
    }
    const largest = others.reduce((a, b) => (b.value.length > a.value.length ? b : a));
    drop((d) => d === largest);
  }
}

// cutMessage shortens the message to what fits, down to nothing.
function cutMessage(e: Hub, fits: () => boolean, note: Note): void {
  const whole = e.message;
  let low = 0;
  let high = byteLength(whole);
  const size = high;
  while (low < high) {
    const middle = Math.floor((low + high + 1) / 2);
    e.message = cutText(whole, middle);
    if (fits()) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  e.message = cutText(whole, low);
  note(`over budget: message of ${size} bytes cut to ${byteLength(e.message)}`);
}

// cutMetadata drops entries of ErrorInfo metadata, the largest first.
function cutMetadata(e: Hub, fits: () => boolean, note: Note): void {
  for (const [i, d] of e.details.entries()) {
    const info = d.name === typeName.errorInfo ? parseErrorInfo(d.value) : undefined;
    if (info === undefined) {
      continue;
    }
    const sizes = [...info.metadata].map(([key, value]) => ({ key, size: byteLength(key) + byteLength(value) }));
    sizes.sort((a, b) => b.size - a.size || byCodeUnit(a.key, b.key));
    for (const { key, size } of sizes) {
      note(`over budget: metadata ${JSON.stringify(clip(key, 64))} of ${size} bytes dropped`);
      info.metadata.delete(key);
      const details = [...e.details];
      details[i] = errorInfoDetail(info);
      e.details = details;
      if (fits()) {
        return;
      }
    }
  }
}
