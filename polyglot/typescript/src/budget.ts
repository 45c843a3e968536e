// How an error comes to fit into gRPC headers: docs/wire.md section 5.

import { type Hub, type RawDetail, typeName, Wire } from "./hub.js";
import { errorInfoDetail, parseErrorInfo } from "./errorinfo.js";
import { byCodeUnit } from "./decimal.js";
import { sizeOf } from "./grpc.js";
import type { EncodeSettings } from "./options.js";
import { knownPart } from "./render.js";
import { byteLength, clip, cutText } from "./utf8.js";

type Headers = [string, string][];

/**
 * fitGrpc takes parts out of an error until its headers are within the budget, and
 * says in notes what went. Only the code is never taken.
 */
export function fitGrpc(given: Hub, o: EncodeSettings, headersOf: (e: Hub, o: EncodeSettings) => Headers): Headers {
  const e = given.clone();
  const quiet = { ...o, note: () => undefined };
  const fits = (): boolean => sizeOf(headersOf(e, quiet)) <= o.budget;
  const drop = (match: (d: RawDetail) => boolean): void => {
    for (const d of e.details.filter(match)) {
      o.note(`over budget: detail ${d.name} of ${d.value.length} bytes dropped`);
    }
    e.details = e.details.filter((d) => !match(d));
  };
  const steps = [
    () => dropText(e, o),
    () => drop((d) => d.name === typeName.debugInfo),
    () => drop((d) => d.name === typeName.help || d.name === typeName.localizedMessage),
    () => dropLargest(e, fits, drop),
    () => cutMessage(e, fits, o),
    () => cutMetadata(e, fits, o),
    () => {
      e.received.forEach((r) => o.note(`over budget: what the ${Wire[r.wire]} wire said dropped`));
      e.received = [];
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
  return headersOf(e, o);
}

// dropText drops the JSON text of what rides along.
function dropText(e: Hub, o: EncodeSettings): void {
  for (const r of e.received) {
    if (r.codeText !== "" || r.members !== "") {
      o.note(`over budget: JSON received on the ${Wire[r.wire]} wire dropped`);
      e.setReceived({ ...r, codeText: "", members: "" });
    }
  }
  e.details = e.details.flatMap((d, i) => {
    if (d.json === undefined) {
      return [d];
    }
    o.note(`over budget: JSON of detail ${i} (${d.name}) dropped`);
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
function cutMessage(e: Hub, fits: () => boolean, o: EncodeSettings): void {
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
  o.note(`over budget: message of ${size} bytes cut to ${byteLength(e.message)}`);
}

// cutMetadata drops entries of ErrorInfo metadata, the largest first.
function cutMetadata(e: Hub, fits: () => boolean, o: EncodeSettings): void {
  for (const [i, d] of e.details.entries()) {
    const info = d.name === typeName.errorInfo ? parseErrorInfo(d.value) : undefined;
    if (info === undefined) {
      continue;
    }
    const sizes = [...info.metadata].map(([key, value]) => ({ key, size: byteLength(key) + byteLength(value) }));
    sizes.sort((a, b) => b.size - a.size || byCodeUnit(a.key, b.key));
    for (const { key, size } of sizes) {
      o.note(`over budget: metadata ${JSON.stringify(clip(key, 64))} of ${size} bytes dropped`);
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
