// The budget of gRPC's headers: docs/wire.md section 5. What is left out is decided by
// arithmetic: an account has the sizes of what is written, from which the size of the
// headers follows.

import { Fitting } from "./budgetfit.js";
import { type Hub, type Wire } from "./hub.js";
import type { Encoding } from "./options.js";
import { sizeBase64 } from "./budgetsize.js";

/**
 * fit returns the error whose three headers are within the budget, e itself where it is.
 * What was left out goes to the notes of the options, without those to the console in one
 * line. Own is the wire whose unknown fields stand in the Status itself; undefined where
 * they ride along too. The code is never left out.
 */
export function fit(e: Hub, o: Encoding, own: Wire | undefined): Hub {
  if (o.budget === Infinity || sizeAtMost(e) <= o.budget) {
    return e;
  }
  const f = new Fitting(e, o, own);
  if (f.fits()) {
    return e;
  }
  f.run();
  if (o.note !== undefined) {
    f.notes.texts.forEach(o.note);
  } else if (f.notes.texts.length > 0) {
    console.warn(`errmap: an error does not fit into gRPC's headers: ${f.notes.texts.slice(0, 8).join("; ")}`);
  }
  return f.result();
}

// sizeAtMost returns what the headers of an error take at most, at a glance. The known
// part of JSON takes no more than eight times its bytes.
function sizeAtMost(e: Hub): number {
  let n = 256 + 3 * e.message.length;
  for (const d of e.details) {
    const json = 3 * (d.json?.length ?? 0);
    n += 64 + 3 * d.typeUrl.length + d.value.length + json + (d.json !== undefined && d.typeUrl !== "" ? 8 * json : 0);
  }
  for (const r of e.received) {
    n += 64 + 9 * (r.number.length + r.codeText.length) + 3 * r.members.length + r.unknownFields.length;
  }
  return 256 + 9 * e.message.length + sizeBase64(n);
}
