// Errors of @connectrpc/connect: docs/wire.md sections 4, 5 and 10.

import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { type Code as ConnectCode, ConnectError } from "@connectrpc/connect";
import { fit } from "./budget.js";
import { Code, targetOf } from "./code.js";
import { type CatalogOption, decodeGrpc, decoding, encoding, type EncodeOptions } from "./codec.js";
import { connectDetails } from "./connect.js";
import { OkError, Reading, setHttpStatus } from "./decode.js";
import { bytesOf, ErrmapError, stateOf } from "./error.js";
import { bytesDetail, completeUrl, type Hub, Origin, RawDetail, Wire } from "./hub.js";
import { restore } from "./restore.js";
import { repair } from "./text.js";
import { errorFrom } from "./typed.js";

/** CallOption tells what is known of the call that failed. */
export interface CallOption {
  /** The signal that the call was given: its reason says why the call was given up. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * fromConnectError returns what any value that a call threw says. An ErrmapError, also
 * as the cause, is itself. Of a ConnectError that a peer sent it reads all that came,
 * of gRPC the headers themselves. Of a call that failed here, without a word of the
 * peer, it makes a local error with the value as its cause: CANCELLED where the call
 * was aborted, DEADLINE_EXCEEDED where its time ran out, UNAVAILABLE where no
 * connection came about or one was cut.
 */
export function fromConnectError(reason: unknown, o: CallOption & CatalogOption = {}): ErrmapError {
  for (let e = reason, seen = 0; e instanceof Error && seen < 100; e = e.cause, seen++) {
    if (e instanceof ErrmapError) {
      return e;
    }
  }
  if (reason instanceof ConnectError && isReceived(reason)) {
    return receivedError(reason, o);
  }
  const r = readingOf(reason, o);
  localError(r, reason, o.signal);
  return errorFrom({ hub: r.e, catalog: r.o.catalog }, { cause: reason });
}

// isReceived tells whether a peer sent the error: its metadata has the headers of a
// response of one of the protocols, and nothing that failed here is its cause. Of a page
// of a proxy the library makes an error itself.
function isReceived(e: ConnectError): boolean {
  const type = e.metadata.get("content-type") ?? "";
  return e.cause === undefined && (e.metadata.has("grpc-status") || /^application\/(?:json|connect\+|grpc)/i.test(type));
}

function readingOf(reason: unknown, o: CatalogOption): Reading {
  return new Reading(decoding(reason instanceof ConnectError ? { ...o, headers: reason.metadata } : o));
}

function receivedError(e: ConnectError, o: CatalogOption): ErrmapError {
  if (e.metadata.has("grpc-status")) {
    try {
      return errorFrom(stateOf(decodeGrpc(e.metadata, { ...o, headers: e.metadata })), { cause: e });
    } catch (cause) {
      if (!(cause instanceof OkError)) {
        throw cause;
      }
    }
  }
  const r = readingOf(e, o);
  fill(r.e, e);
  r.e.origin = Origin.Remote;
  restore(r, "binary");
  r.finish();
  return errorFrom({ hub: r.e, catalog: r.o.catalog }, { cause: e });
}

// fill reads what a ConnectError holds.
function fill(hub: Hub, e: ConnectError): void {
  hub.number = e.code;
  hub.message = repair(e.rawMessage);
  hub.details = e.details.flatMap((d) => {
    if (!("desc" in d)) {
      return [new RawDetail(completeUrl(d.type), d.value)];
    }
    try {
      return [bytesDetail(d.desc.typeName, bytesOf(d.desc, create(d.desc, d.value as MessageInitShape<typeof d.desc>)))];
    } catch (cause) {
      hub.notes.add(`detail ${d.desc.typeName} dropped: ${cause instanceof Error ? cause.message : String(cause)}`);
      return [];
    }
  });
}

/** madeError reads a ConnectError that this program made. */
export function madeError(e: ConnectError): Hub {
  const { e: hub } = readingOf(undefined, {});
  fill(hub, e);
  hub.origin = Origin.Made;
  return hub;
}

// localError makes the error of a call that failed here.
function localError(r: Reading, reason: unknown, signal: AbortSignal | undefined): void {
  const hub = r.e;
  if (reason instanceof ConnectError) {
    fill(hub, reason);
    const status = reason.metadata.keys().next().done === true ? undefined : /^HTTP ([0-9]{3})$/.exec(hub.message)?.[1];
    if (status !== undefined) {
      setHttpStatus(hub, Wire.CONNECT, Number(status)); // the library keeps it in its text alone
    }
  } else {
    hub.number = Code.UNKNOWN;
    hub.message = repair(reason instanceof Error ? reason.message : String(reason));
  }
  const chain = [...causesOf(reason), ...(signal?.aborted === true ? causesOf(signal.reason) : [])];
  if (chain.some((e) => e.name === "TimeoutError")) {
    hub.number = Code.DEADLINE_EXCEEDED;
  } else if (hub.number !== Code.DEADLINE_EXCEEDED && (signal?.aborted === true || chain.some((e) => e.name === "AbortError"))) {
    hub.number = Code.CANCELLED;
  } else if (chain.some(isCut)) {
    hub.number = Code.UNAVAILABLE;
  }
  r.finish();
  hub.origin = Origin.Local;
}

function* causesOf(reason: unknown): Generator<Error> {
  for (let e = reason, seen = 0; e instanceof Error && seen < 100; e = e.cause, seen++) {
    yield e;
  }
}

const cut = new Set([
  ...["ECONNABORTED", "ECONNREFUSED", "ECONNRESET", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "EPIPE", "ETIMEDOUT"],
  ...["ERR_STREAM_PREMATURE_CLOSE", "ERR_HTTP2_STREAM_ERROR", "ERR_HTTP2_SESSION_ERROR", "UND_ERR_SOCKET", "UND_ERR_CONNECT_TIMEOUT"],
]);

// isCut tells whether no connection came about, or one was cut: Node.js names why, fetch
// of a browser only throws a TypeError with a text of its own.
function isCut(e: Error): boolean {
  const code: unknown = "code" in e ? e.code : undefined;
  return (typeof code === "string" && cut.has(code)) || (e instanceof TypeError && /fetch|network|load failed|terminated/i.test(e.message));
}

/** WireOption tells which protocol a ConnectError goes to: over gRPC an error is cut to the budget. */
export interface WireOption {
  readonly overGrpc?: boolean;
}

/**
 * toConnectError returns the ConnectError that a handler throws. It is as good for gRPC
 * and gRPC-Web.
 */
export function toConnectError(e: ErrmapError, o: EncodeOptions & WireOption = {}): ConnectError {
  const how = encoding(o);
  const hub = o.overGrpc === true ? fit(stateOf(e).hub, how, undefined) : stateOf(e).hub;
  const made = new ConnectError(hub.message, targetOf(hub.number) as number as ConnectCode, undefined, undefined, e);
  made.details = connectDetails(hub, how).map((d) => ({ type: d.name, value: d.value }));
  return made;
}
