// What every client is asked to provoke, from ../errors.json, and where the
// agent is. The driver sets the environment.
import { readFileSync } from "node:fs";

const { INTEROP_URL, INTEROP_MIDDLE_URL, INTEROP_TASK, INTEROP_DESCRIPTORS } = process.env;
if (!INTEROP_URL || !INTEROP_MIDDLE_URL || !INTEROP_TASK || !INTEROP_DESCRIPTORS) {
  throw new Error("the environment is not set: run make test-interop");
}

// urls are those of the agent and of the server that fails after its first
// answer, which serves the rows with a member after.
export const urls = [INTEROP_URL, INTEROP_MIDDLE_URL];

export const descriptors = readFileSync(INTEROP_DESCRIPTORS);
export const domain = "a2a-protocol.org";
const errorInfoType = "type.googleapis.com/google.rpc.ErrorInfo";

// The numbers of google.rpc.Code that the table names.
export const codes = { INVALID_ARGUMENT: 3, NOT_FOUND: 5, FAILED_PRECONDITION: 9, INTERNAL: 13, UNAUTHENTICATED: 16 };

export const rows = JSON.parse(
  readFileSync(new URL("../errors.json", import.meta.url), "utf8").replaceAll("$TASK", INTEROP_TASK),
);
if (new Set(rows.map((row) => row.reason).filter(Boolean)).size !== 9) {
  throw new Error("errors.json does not have the nine errors");
}
for (const row of rows) {
  if (row.reason) {
    row.details = ["google.rpc.ErrorInfo"];
  }
}

// errorInfo is the google.rpc.ErrorInfo of a row in JSON.
export function errorInfo(row) {
  return {
    "@type": errorInfoType,
    reason: row.reason,
    domain,
    ...(row.metadata && { metadata: row.metadata }),
  };
}

export const isStream = (row) => ["SubscribeToTask", "SendStreamingMessage"].includes(row.method);

// failure returns what the call of a row, or what iterates over its answers,
// throws.
export async function failure(row, call) {
  let answers = 0;
  try {
    const answer = await call();
    if (answer?.[Symbol.asyncIterator]) {
      for await (const _ of answer) {
        answers++;
      }
    }
  } catch (error) {
    if (answers !== (row.after ?? 0)) {
      throw new Error(`${answers} answers before the error`, { cause: error });
    }
    return error;
  }
  throw new Error("the call did not fail");
}
