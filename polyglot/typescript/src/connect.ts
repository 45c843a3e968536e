// Errors of @connectrpc/connect: docs/wire.md sections 4, 5 and 10.

import { create, toBinary } from "@bufbuild/protobuf";
import { Code as ConnectCode, ConnectError, type Interceptor, type StreamResponse } from "@connectrpc/connect";
import { defaultCatalog } from "./builtin.js";
import { restore } from "./carried.js";
import { type Catalog, noErrors } from "./catalog.js";
import { type CatalogOption, type EncodeOptions, fromGrpc, writing } from "./codec.js";
import { Code, isCanonical } from "./code.js";
import { encodeConnect } from "./connectjson.js";
import { finish, OkError, reasonFor } from "./decode.js";
import { ErrmapError, type InternalInit, state, stateOf } from "./error.js";
import { RequestInfoSchema } from "./gen/google/rpc/error_details_pb.js";
import { bytesDetail, completeUrl, Hub, RawDetail, typeName, Wire } from "./hub.js";
import { type DecodeSettings, defaultLimits } from "./options.js";
import { errorFrom } from "./typed.js";
import { repair } from "./utf8.js";

/** The text of an error that is kept from its caller. */
export const hiddenMessage = "internal error";

/** CallOption tells what is known of the call that failed. */
export interface CallOption {
  /** The signal that the call was given: its reason says why the call was given up. */
  readonly signal?: AbortSignal;
}

/**
 * fromConnectError returns what any value that a call threw says. An ErrmapError, also
 * as the cause, is itself. Of a ConnectError that a peer sent it reads all that came,
 * of gRPC the headers themselves. Of a call that failed here, without a word of the
 * peer, it makes a local error with the value as its cause: CANCELLED where the call
 * was aborted, DEADLINE_EXCEEDED where its time ran out, UNAVAILABLE where no
 * connection came about.
 */
export function fromConnectError(reason: unknown, o: CallOption & CatalogOption = {}): ErrmapError {
  for (let e = reason, seen = 0; e instanceof Error && seen < 100; e = e.cause, seen++) {
    if (e instanceof ErrmapError) {
      return e;
    }
  }
  const catalog = o.catalog ?? defaultCatalog();
  if (reason instanceof ConnectError && isReceived(reason)) {
    return receivedError(reason, catalog);
  }
  const hub = localHub(reason, o.signal);
  if (reason instanceof ConnectError) {
    finish(hub, settingsOf(catalog, reason));
  }
  return errorFrom({ hub, catalog }, { cause: reason });
}

// isReceived tells whether a peer sent the error: its metadata has the headers of a
// response of one of the protocols, and nothing that failed here is its cause. Of a page
// of a proxy the library makes an error itself.
function isReceived(e: ConnectError): boolean {
  const type = e.metadata.get("content-type") ?? "";
  return e.cause === undefined && (e.metadata.has("grpc-status") || /^application\/(?:json|connect\+|grpc)/i.test(type));
}

function receivedError(e: ConnectError, catalog: Catalog): ErrmapError {
  if (e.metadata.has("grpc-status")) {
    try {
      const read = fromGrpc(e.metadata, { catalog, headers: e.metadata });
      return errorFrom(stateOf(read), { cause: e });
    } catch (cause) {
      if (!(cause instanceof OkError)) {
        throw cause;
      }
    }
  }
  const hub = hubOf(e);
  hub.decoded = true;
  hub.remote = true;
  restore(catalog, hub, "binary");
  finish(hub, settingsOf(catalog, e));
  return errorFrom({ hub, catalog }, { cause: e });
}

function settingsOf(catalog: Catalog, e: ConnectError): DecodeSettings {
  const retryAfter = e.metadata.get("retry-after") ?? "";
  return { catalog, errors: catalog, limits: defaultLimits, httpStatus: 0, stream: false, retryAfter, receivedAt: Date.now() };
}

// hubOf reads what a ConnectError holds.
function hubOf(e: ConnectError): Hub {
  const hub = new Hub();
  hub.number = e.code;
  hub.message = repair(e.rawMessage);
  hub.details = e.details.flatMap((d) => {
    if (!("desc" in d)) {
      return [new RawDetail(completeUrl(d.type), d.value)];
    }
    try {
      return [bytesDetail(d.desc.typeName, toBinary(d.desc, create(d.desc, d.value)))];
    } catch (cause) {
      hub.notes.add(`detail ${d.desc.typeName} dropped: ${reasonFor(cause)}`);
      return [];
    }
  });
  return hub;
}

// localHub is the error of a call that failed here.
function localHub(reason: unknown, signal: AbortSignal | undefined): Hub {
  const hub = reason instanceof ConnectError ? hubOf(reason) : new Hub();
  hub.local = true;
  const status = reason instanceof ConnectError && !reason.metadata.keys().next().done ? /^HTTP ([0-9]{3})$/.exec(hub.message)?.[1] : undefined;
  if (status !== undefined) {
    hub.setHttpStatus(Wire.CONNECT, Number(status)); // the library keeps it in its text alone
  }
  if (!(reason instanceof ConnectError)) {
    hub.number = Code.UNKNOWN;
    hub.message = repair(reason instanceof Error ? reason.message : String(reason));
  }
  const chain = [...causesOf(reason), ...(signal?.aborted === true ? causesOf(signal.reason) : [])];
  if (chain.some((e) => e.name === "TimeoutError")) {
    hub.number = Code.DEADLINE_EXCEEDED;
  } else if (hub.number !== Code.DEADLINE_EXCEEDED && (signal?.aborted === true || chain.some((e) => e.name === "AbortError"))) {
    hub.number = Code.CANCELLED;
  } else if ((hub.number === Code.UNKNOWN || hub.number === Code.INTERNAL) && chain.some(isUnreachable)) {
    hub.number = Code.UNAVAILABLE;
  }
  return hub;
}

function* causesOf(reason: unknown): Generator<Error> {
  for (let e = reason, seen = 0; e instanceof Error && seen < 100; e = e.cause, seen++) {
    yield e;
  }
}

const unreachable = new Set(["ECONNREFUSED", "ECONNRESET", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "EPIPE", "ETIMEDOUT"]);

// isUnreachable tells whether no connection came about: Node.js names why, fetch of a
// browser only throws a TypeError with a text of its own.
function isUnreachable(e: Error): boolean {
  const code: unknown = "code" in e ? e.code : undefined;
  return (typeof code === "string" && unreachable.has(code)) || (e instanceof TypeError && /fetch|network|load failed/i.test(e.message));
}

/**
 * toConnectError returns the ConnectError that a handler throws. It is as good for gRPC
 * and gRPC-Web.
 */
export function toConnectError(e: ErrmapError, o: EncodeOptions = {}): ConnectError {
  const written = JSON.parse(encodeConnect(stateOf(e).hub, writing(o))) as { details?: { type: string; value: string }[] };
  const number = isCanonical(e.number) ? e.number : Code.UNKNOWN;
  const made = new ConnectError(e.message, number as number as ConnectCode, undefined, undefined, e);
  made.details = (written.details ?? []).map(({ type, value }) => ({ type, value: Uint8Array.from(atob(value), (c) => c.charCodeAt(0)) }));
  return made;
}

/** Report is what an interceptor kept from a caller. */
export interface Report {
  /** What the handler threw. */
  readonly error: unknown;
  /** The request id that the caller got. */
  readonly id: string;
}

/** InterceptorOptions change a connectInterceptor. */
export interface InterceptorOptions extends EncodeOptions {
  /** Called with each error that is kept from a caller; the default writes it to the console. */
  readonly onHidden?: (report: Report) => void;
  /** Lets google.rpc.DebugInfo details leave the server. */
  readonly debugInfo?: boolean;
}

/**
 * connectInterceptor returns the interceptor of a server. Only an error that the program
 * made for the caller speaks: an ErrmapError, unless a peer sent it or a call met it and
 * it was not forwarded, and a ConnectError that was made here without headers and without
 * a cause, which those of failed calls have. Any other goes out as INTERNAL with a fixed
 * text, and goes whole to onHidden, with an id that the caller gets too, in a
 * google.rpc.RequestInfo.
 */
export function connectInterceptor(o: InterceptorOptions = {}): Interceptor {
  const outgoing = (reason: unknown): ConnectError => toConnectError(strip(speaking(reason, o), o), o);
  return (next) => async (request) => {
    try {
      const response = await next(request);
      return response.stream ? { ...response, message: guarded(response, outgoing) } : response;
    } catch (reason) {
      throw outgoing(reason);
    }
  };
}

async function* guarded(response: StreamResponse, outgoing: (reason: unknown) => ConnectError): StreamResponse["message"] {
  try {
    yield* response.message;
  } catch (reason) {
    throw outgoing(reason);
  }
}

const forwarded = new WeakSet<ErrmapError>();

/**
 * forward marks an error that a peer sent, or that a call met here, as one that is for
 * the caller too: a handler throws what it returns. Of the latter the code and the
 * RetryInfo go, and all text, which may name addresses, stays here.
 */
export function forward<E extends ErrmapError>(e: E): E {
  forwarded.add(e);
  return e;
}

function speaking(reason: unknown, o: InterceptorOptions): ErrmapError {
  if (reason instanceof ConnectError && reason.cause instanceof ErrmapError) {
    return speaking(reason.cause, o);
  }
  if (reason instanceof ErrmapError && ((!reason.remote && !reason.local) || forwarded.has(reason))) {
    return reason.local ? withoutText(reason) : reason;
  }
  if (reason instanceof ConnectError && reason.metadata.keys().next().done === true && reason.cause === undefined) {
    const hub = hubOf(reason);
    return new ErrmapError(hub.number, "", { cause: reason, [state]: { hub, catalog: noErrors } } as InternalInit);
  }
  const id = crypto.randomUUID();
  report({ error: reason, id }, o);
  return new ErrmapError(Code.INTERNAL, hiddenMessage, { cause: reason }).withDetail(RequestInfoSchema, { requestId: id });
}

// withoutText takes out of the error of a failed call all text, which names addresses, be
// it in the message or in what the answer of an intermediary held beside it.
function withoutText(e: ErrmapError): ErrmapError {
  const { hub, catalog } = stateOf(e);
  const less = hub.clone();
  less.message = (Code[e.code] as string).toLowerCase().replaceAll("_", " ");
  less.received = [];
  less.details = hub.details.filter((d) => d.json === undefined && d.name === typeName.retryInfo);
  return new ErrmapError(e.code, "", { cause: e, [state]: { hub: less, catalog } } as InternalInit);
}

// report calls the hook. One that throws must not take the answer with it.
function report(kept: Report, o: InterceptorOptions): void {
  if (o.onHidden === undefined) {
    reportToConsole(kept);
    return;
  }
  try {
    o.onHidden(kept);
  } catch (cause) {
    console.error("onHidden failed", cause);
    reportToConsole(kept);
  }
}

function reportToConsole(report: Report): void {
  console.error("error kept from the caller", report.id, report.error);
}

// strip takes DebugInfo out, which must not leave a server.
function strip(e: ErrmapError, o: InterceptorOptions): ErrmapError {
  if (o.debugInfo === true || !e.details.some((d) => d.name === typeName.debugInfo)) {
    return e;
  }
  const { hub, catalog } = stateOf(e);
  const less = hub.clone();
  less.details = hub.details.filter((d) => d.name !== typeName.debugInfo);
  return new ErrmapError(e.code, "", { cause: e, [state]: { hub: less, catalog } } as InternalInit);
}

