// google.rpc.ErrorInfo, which translation reads and writes itself: a map of
// JavaScript's objects would lose a key such as __proto__.

import { ErrorInfoSchema } from "./gen/google/rpc/error_details_pb.js";
import { bytesDetail, type RawDetail, typeName } from "./hub.js";
import { Fields, parseMessage, serializeMessage } from "./message.js";

/** ErrorInfo identifies an error. */
export interface ErrorInfo {
  readonly reason: string;
  readonly domain: string;
  readonly metadata: Map<string, string>;
}

/** parseErrorInfo reads the bytes of one; undefined where they are none. */
export function parseErrorInfo(value: Uint8Array): ErrorInfo | undefined {
  try {
    const m = parseMessage(ErrorInfoSchema, value);
    return {
      reason: (m.single(1) as string | undefined) ?? "",
      domain: (m.single(2) as string | undefined) ?? "",
      metadata: new Map((m.values.get(3) as Map<string, string> | undefined) ?? []),
    };
  } catch {
    return undefined;
  }
}

/** errorInfoDetail makes a detail of one. */
export function errorInfoDetail(info: ErrorInfo): RawDetail {
  const m = new Fields(ErrorInfoSchema);
  if (info.reason !== "") {
    m.values.set(1, info.reason);
  }
  if (info.domain !== "") {
    m.values.set(2, info.domain);
  }
  if (info.metadata.size > 0) {
    m.values.set(3, new Map(info.metadata));
  }
  return bytesDetail(typeName.errorInfo, serializeMessage(m));
}

/** sameErrorInfo tells whether two say the same. */
export function sameErrorInfo(a: ErrorInfo, b: ErrorInfo): boolean {
  return (
    a.reason === b.reason &&
    a.domain === b.domain &&
    a.metadata.size === b.metadata.size &&
    [...a.metadata].every(([key, value]) => b.metadata.get(key) === value)
  );
}
