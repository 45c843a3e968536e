// How an error comes to fit into gRPC headers: docs/wire.md section 5.

import { type Hub, type RawDetail, typeName, Wire } from "./hub.js";
import { type ErrorInfo, errorInfoDetail, parseErrorInfo } from "./errorinfo.js";
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
    () => dropLargest(e, fits, note),
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

// least applies the fewest of n steps, which shrink an error ever more, that make it fit,
// or all of them, and returns how many.
function least(n: number, apply: (steps: number) => void, fits: () => boolean): number {
  let low = Math.min(1, n);
  let high = n;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    apply(middle);
    if (fits()) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  apply(low);
  return low;
}

// dropLargest drops the details that are left but for ErrorInfo and RetryInfo, the
// largest first, only as many as need to go.
function dropLargest(e: Hub, fits: () => boolean, note: Note): void {
  const all = e.details;
  const others = all.filter((d) => d.name !== typeName.errorInfo && d.name !== typeName.retryInfo);
  others.sort((a, b) => b.value.length - a.value.length);
  const apply = (steps: number): void => {
    const gone = new Set(others.slice(0, steps));
    e.details = all.filter((d) => !gone.has(d));
  };
  for (const d of others.slice(0, least(others.length, apply, fits))) {
    note(`over budget: detail ${d.name} of ${d.value.length} bytes dropped`);
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

// cutMetadata drops entries of ErrorInfo metadata, of one ErrorInfo after the other, the
// largest first.
function cutMetadata(e: Hub, fits: () => boolean, note: Note): void {
  const all = e.details;
  const infos = all.flatMap((d, place) => {
    const info = d.name === typeName.errorInfo ? parseErrorInfo(d.value) : undefined;
    return info === undefined || info.metadata.size === 0 ? [] : [{ place, info, keys: bySize(info) }];
  });
  // The first so many have no entry any more, and the next one is without some.
  const apply = (whole: number, some: number): void => {
    const details = [...all];
    for (const [i, { place, info, keys }] of infos.slice(0, whole + 1).entries()) {
      const gone = new Set(keys.slice(0, i < whole ? keys.length : some).map((one) => one.key));
      details[place] = errorInfoDetail({ ...info, metadata: new Map([...info.metadata].filter(([key]) => !gone.has(key))) });
    }
    e.details = details;
  };
  const whole = least(infos.length, (steps) => apply(steps, 0), fits) - 1;
  const last = infos[whole];
  const some = last === undefined ? 0 : least(last.keys.length, (steps) => apply(whole, steps), fits);
  for (const [i, { keys }] of infos.slice(0, whole + 1).entries()) {
    for (const { key, size } of keys.slice(0, i < whole ? keys.length : some)) {
      note(`over budget: metadata ${JSON.stringify(clip(key, 64))} of ${size} bytes dropped`);
    }
  }
}

// bySize returns the entries of metadata, the largest first.
function bySize(info: ErrorInfo): { key: string; size: number }[] {
  const sizes = [...info.metadata].map(([key, value]) => ({ key, size: byteLength(key) + byteLength(value) }));
  return sizes.sort((a, b) => b.size - a.size || byCodeUnit(a.key, b.key));
}
