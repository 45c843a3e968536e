// What a server of @connectrpc/connect shows of the errors of its handlers: docs/wire.md
// section 10.

import { ConnectError, type Interceptor, type StreamResponse } from "@connectrpc/connect";
import { noErrors } from "./catalog.js";
import { Code } from "./code.js";
import type { EncodeOptions } from "./codec.js";
import { withoutDebug } from "./debug.js";
import { madeError, toConnectError } from "./errmapconnect.js";
import { ErrmapError, type InternalInit, state, stateOf } from "./error.js";
import { RequestInfoSchema } from "./gen/google/rpc/error_details_pb.js";
import { type Hub, typeName } from "./hub.js";

/** The text of an error that is kept from its caller. */
export const hiddenMessage = "internal error";

/** Report is what an interceptor kept from a caller. */
export interface Report {
  /** What the handler threw. */
  readonly error: unknown;
  /** The request id that the caller got. */
  readonly id: string;
}

/** ServerOptions change a serverInterceptor. */
export interface ServerOptions extends EncodeOptions {
  /** Called with each error that is kept from a caller; the default writes it to the console. */
  readonly onHidden?: (report: Report) => void;
  /**
   * Lets google.rpc.DebugInfo details leave the server, and the members that peers sent
   * beside what their wires define, in which frameworks put stacks.
   */
  readonly debugInfo?: boolean;
}

/**
 * serverInterceptor returns the interceptor of a server. Only an error that the program
 * made for the caller speaks: an ErrmapError, unless a peer sent it or a call met it and
 * it was not forwarded, and a ConnectError that was made here without headers and without
 * a cause, which those of failed calls have. Any other goes out as INTERNAL with a fixed
 * text, and goes whole to onHidden, with an id that the caller gets too, in a
 * google.rpc.RequestInfo.
 *
 * It is for the options of a server: among the interceptors of a transport the first call
 * throws a TypeError that says so.
 */
export function serverInterceptor(o: ServerOptions = {}): Interceptor {
  let placed = false;
  return (next) => {
    if (!placed) {
      refuseTransport();
      placed = true;
    }
    return async (request) => {
      const overGrpc = (request.header.get("content-type") ?? "").startsWith("application/grpc");
      const outgoing = (reason: unknown): ConnectError => toConnectError(strip(speaking(reason, o), o), { ...o, overGrpc });
      try {
        const response = await next(request);
        return response.stream ? { ...response, message: guarded(response, outgoing) } : response;
      } catch (reason) {
        throw outgoing(reason);
      }
    };
  };
}

// refuseTransport throws where a transport calls, which applies its interceptors in these
// functions of @connectrpc/connect: there every error would become "internal error".
function refuseTransport(): void {
  const callers = new Error().stack?.split("\n") ?? [];
  const apply = callers.findIndex((line) => line.includes("applyInterceptors"));
  if (apply >= 0 && /\brun(?:Unary|Streaming)Call\b/.test(callers[apply + 1] ?? "")) {
    throw new TypeError("errmap: serverInterceptor stands among the interceptors of a transport. It is for servers; a client has typedErrors(transport)");
  }
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

function speaking(reason: unknown, o: ServerOptions): ErrmapError {
  if (reason instanceof ConnectError && reason.cause instanceof ErrmapError) {
    return speaking(reason.cause, o);
  }
  if (reason instanceof ErrmapError && ((!reason.remote && !reason.local) || forwarded.has(reason))) {
    return reason.local ? withoutText(reason) : reason;
  }
  if (reason instanceof ConnectError && reason.metadata.keys().next().done === true && reason.cause === undefined) {
    return remade(madeError(reason), noErrors, reason);
  }
  const id = crypto.randomUUID();
  report({ error: reason, id }, o);
  return new ErrmapError(Code.INTERNAL, hiddenMessage, { cause: reason }).withDetail(RequestInfoSchema, { requestId: id });
}

function remade(hub: Hub, catalog: typeof noErrors, cause: unknown): ErrmapError {
  return new ErrmapError(hub.number, "", { cause, [state]: { hub, catalog } } as InternalInit);
}

// withoutText takes out of the error of a failed call all text, which names addresses, be
// it in the message or in what the answer of an intermediary held beside it.
function withoutText(e: ErrmapError): ErrmapError {
  const { hub, catalog } = stateOf(e);
  const less = hub.clone();
  less.message = (Code[e.code] as string).toLowerCase().replaceAll("_", " ");
  less.received = [];
  less.details = hub.details.filter((d) => d.json === undefined && d.is(typeName.retryInfo));
  return remade(less, catalog, e);
}

// report calls the hook. One that throws must not take the answer with it.
function report(kept: Report, o: ServerOptions): void {
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

// strip takes out what must not leave a server.
function strip(e: ErrmapError, o: ServerOptions): ErrmapError {
  if (o.debugInfo === true) {
    return e;
  }
  const { hub, catalog } = stateOf(e);
  const less = withoutDebug(hub, catalog);
  return less === hub ? e : remade(less, catalog, e);
}
