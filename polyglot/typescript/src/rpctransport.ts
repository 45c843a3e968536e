// JSON-RPC 2.0 over HTTP as a transport of @connectrpc/connect: docs/jsonrpc.md.

import { type DescMessage, type DescMethod, fromJsonString, type JsonReadOptions, type JsonWriteOptions, type MessageShape, toJsonString } from "@bufbuild/protobuf";
import { type ConnectError, type ContextValues, createContextValues, type Interceptor, type StreamResponse, type Transport, type UnaryResponse } from "@connectrpc/connect";
import { runStreamingCall, runUnaryCall } from "@connectrpc/connect/protocol";
import { Code } from "./code.js";
import { type CatalogOption, decodeConnect, decodeJsonRpc, type DecodeOptions, readAtMost } from "./codec.js";
import { toConnectError } from "./errmapconnect.js";
import { ErrmapError, type InternalInit, state, stateOf } from "./error.js";
import { EventError, eventsOf } from "./events.js";
import { Origin } from "./hub.js";
import { tryParse, type Value } from "./jsontree.js";
import { defaultLimits } from "./options.js";
import type { Profile } from "./profile.js";
import { profileA2a, profileGeneric } from "./profiles.js";
import { decodeUtf8 } from "./text.js";

/** MethodNames makes the JSON-RPC name of a method: "slash" is shop.v1.Cart/Get, "dotted" shop.v1.Cart.Get, "bare" Get. */
export type MethodNames = "bare" | "dotted" | "slash" | ((method: DescMethod) => string);

/** JsonRpcTransportOptions say how a JSON-RPC server is called. */
export interface JsonRpcTransportOptions extends CatalogOption {
  /** The URL of the endpoint, to which each call is posted. */
  readonly baseUrl: string;
  /** The dialect in which errors are read; the default is profileGeneric. */
  readonly profile?: Profile;
  /** The default is "bare" under profileA2a, else "slash". */
  readonly methodNames?: MethodNames;
  /** The interceptors of @connectrpc/connect, in the order in which they are called. */
  readonly interceptors?: Interceptor[];
  /** What is used in place of the global fetch. */
  readonly fetch?: typeof globalThis.fetch;
  /** The time that calls have which name none, in milliseconds; the default is no end. */
  readonly defaultTimeoutMs?: number;
  /** The most bytes of an answer, and of one event of a stream; the default is 4 MiB. */
  readonly readMaxBytes?: number;
  /** How messages are read and written as ProtoJSON, such as with a registry for google.protobuf.Any. */
  readonly jsonOptions?: Partial<JsonReadOptions & JsonWriteOptions>;
}

/**
 * createJsonRpcTransport returns a transport for clients of @connectrpc/connect that
 * speaks JSON-RPC 2.0 over HTTP. A unary call is one POST, a server-streaming one a POST
 * that is answered with server-sent events; client and bidirectional streaming have no form
 * in JSON-RPC and fail before anything is sent. There is no GET, and no redirect is
 * followed: it would take the call and its headers to another server.
 *
 * Calls fail with a ConnectError, as with any transport, whose cause is the typed error;
 * typedErrors(transport) throws that. Of an answer that is no JSON-RPC the HTTP status
 * decides, after the table of the Connect protocol; nothing of it becomes the message. An
 * error of a call that failed here is local, its message a fixed text.
 */
export function createJsonRpcTransport(options: JsonRpcTransportOptions): Transport {
  const t = new RpcTransport(options);
  return {
    async unary(method, signal, timeoutMs, header, input, contextValues) {
      const call: Call = { method, signal, timeoutMs, header, contextValues };
      return await runUnaryCall({
        ...t.running(call),
        req: { ...t.request(call), stream: false, method, message: input },
        next: (req) => t.unary(method, req),
      });
    },
    async stream(method, signal, timeoutMs, header, input, contextValues) {
      if (method.methodKind !== "server_streaming") {
        throw failed(Code.UNIMPLEMENTED, `JSON-RPC has no form for the client streaming of ${method.parent.typeName}.${method.name}`);
      }
      const call: Call = { method, signal, timeoutMs, header, contextValues };
      return await runStreamingCall({
        ...t.running(call),
        req: { ...t.request(call), stream: true, method, message: input },
        next: (req) => t.stream(method, req),
      });
    },
  };
}

interface Call {
  readonly method: DescMethod;
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number | undefined;
  readonly header: HeadersInit | undefined;
  readonly contextValues: ContextValues | undefined;
}

// Sent is what a call of the transport sends, behind its interceptors.
interface Sent {
  readonly url: string;
  readonly header: Headers;
  readonly signal: AbortSignal;
}

interface Requested {
  readonly requestMethod: string;
  readonly url: string;
  readonly header: Headers;
  readonly contextValues: ContextValues;
}

class RpcTransport {
  #last = 0;
  readonly #names: (method: DescMethod) => string;
  readonly #limit: number;
  readonly #profile: Profile;

  constructor(private readonly o: JsonRpcTransportOptions) {
    this.#limit = o.readMaxBytes ?? defaultLimits.body;
    this.#profile = o.profile ?? profileGeneric;
    const names = o.methodNames ?? (this.#profile === profileA2a ? "bare" : "slash");
    this.#names = typeof names === "function" ? names : named[names];
  }

  running(call: Call): { interceptors?: Interceptor[]; signal?: AbortSignal; timeoutMs?: number } {
    const { interceptors } = this.o;
    const timeoutMs = this.#timeout(call);
    return {
      ...(interceptors === undefined ? {} : { interceptors }),
      ...(call.signal === undefined ? {} : { signal: call.signal }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    };
  }

  #timeout(call: Call): number | undefined {
    const ms = call.timeoutMs ?? this.o.defaultTimeoutMs;
    return ms === undefined || ms <= 0 ? undefined : ms;
  }

  request(call: Call): Requested & { readonly service: DescMethod["parent"] } {
    const header = new Headers(call.header);
    header.set("content-type", "application/json");
    header.set("accept", call.method.methodKind === "unary" ? "application/json" : "text/event-stream, application/json;q=0.5");
    const timeoutMs = this.#timeout(call);
    if (timeoutMs !== undefined) {
      header.set("connect-timeout-ms", String(Math.ceil(timeoutMs)));
    }
    return { requestMethod: "POST", url: this.o.baseUrl, header, service: call.method.parent, contextValues: call.contextValues ?? createContextValues() };
  }

  async unary<I extends DescMessage, O extends DescMessage>(
    method: DescMethod & { readonly methodKind: "unary"; readonly input: I; readonly output: O },
    req: Sent & { readonly message: MessageShape<I> },
  ): Promise<UnaryResponse<I, O>> {
    const { id, response } = await this.#post(method, req, req.message);
    const [header, trailer] = headersOf(response);
    const found = isEvents(response) ? await this.#firstEvent(response, req.signal) : await this.#body(response, req.signal);
    const message = this.#message(method.output, this.#answer(found, id, response));
    return { stream: false, service: method.parent, method, header, trailer, message } as UnaryResponse<I, O>;
  }

  async stream<I extends DescMessage, O extends DescMessage>(
    method: DescMethod & { readonly methodKind: "server_streaming"; readonly input: I; readonly output: O },
    req: Sent & { readonly message: AsyncIterable<MessageShape<I>> },
  ): Promise<StreamResponse<I, O>> {
    const input = await only(req.message);
    const { id, response } = await this.#post(method, req, input);
    const [header, trailer] = headersOf(response);
    if (!isEvents(response)) {
      this.#answer(await this.#body(response, req.signal), id, response);
      throw failed(Code.INTERNAL, "a streaming call was answered with one message that is no stream");
    }
    const message = this.#events(method.output, response, id, req.signal);
    return { stream: true, service: method.parent, method, header, trailer, message } as StreamResponse<I, O>;
  }

  async #post<I extends DescMessage>(method: DescMethod & { readonly input: I }, req: Sent, message: MessageShape<I>): Promise<{ id: number; response: Response }> {
    const id = ++this.#last;
    let params: string;
    try {
      params = toJsonString(method.input, message, this.o.jsonOptions);
    } catch (cause) {
      throw failed(Code.INTERNAL, "the request has no JSON", cause);
    }
    const body = `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(this.#names(method))},"params":${params}}`;
    const call = this.o.fetch ?? globalThis.fetch;
    try {
      const response = await call(req.url, { method: "POST", headers: req.header, body, signal: req.signal, redirect: "manual" });
      return { id, response };
    } catch (cause) {
      throw failed(Code.UNAVAILABLE, "the server cannot be reached", cause);
    }
  }

  async #body(response: Response, signal: AbortSignal): Promise<string> {
    let bytes: Uint8Array;
    try {
      bytes = await readAtMost(response, this.#limit);
    } catch (cause) {
      throw cutError(cause, signal);
    }
    if (bytes.length > this.#limit && response.ok) {
      throw failed(Code.RESOURCE_EXHAUSTED, `the answer is larger than ${this.#limit} bytes`);
    }
    return decodeUtf8(bytes);
  }

  // firstEvent returns the first answer in a stream, with which some servers answer unary
  // calls; and some label plain JSON as events.
  async #firstEvent(response: Response, signal: AbortSignal): Promise<string> {
    try {
      for await (const data of this.#data(response, signal)) {
        return data;
      }
    } catch (cause) {
      if (cause instanceof EventError) {
        return decodeUtf8(cause.rest);
      }
      throw cause;
    }
    throw cutError(new EventError("cut"), signal);
  }

  // data yields the answers in a stream of events; it throws an EventError where the body is none.
  async *#data(response: Response, signal: AbortSignal): AsyncGenerator<string, void, undefined> {
    const chunks = chunksOf(response);
    try {
      yield* eventsOf(chunks, this.#limit);
    } catch (cause) {
      if (!(cause instanceof EventError) || cause.what === "cut") {
        throw cutError(cause, signal);
      }
      if (cause.what === "tooLarge") {
        throw failed(Code.RESOURCE_EXHAUSTED, `an event is larger than ${this.#limit} bytes`, cause);
      }
      throw cause;
    }
  }

  async *#events<O extends DescMessage>(output: O, response: Response, id: number, signal: AbortSignal): AsyncGenerator<MessageShape<O>, void, undefined> {
    try {
      for await (const data of this.#data(response, signal)) {
        yield this.#message(output, this.#answer(data, id, response));
      }
    } catch (cause) {
      if (!(cause instanceof EventError)) {
        throw cause;
      }
      this.#answer(decodeUtf8(cause.rest), id, response);
      throw failed(Code.INTERNAL, "a stream of events is one plain answer", cause);
    }
  }

  #message<O extends DescMessage>(output: O, result: Value): MessageShape<O> {
    try {
      return fromJsonString(output, result.raw, { ignoreUnknownFields: true, ...this.o.jsonOptions });
    } catch (cause) {
      throw failed(Code.INTERNAL, "the result is not of the method's type", cause);
    }
  }

  // answer returns the result of a response to the call of that id; it throws its error.
  #answer(body: string, id: number, response: Response): Value {
    const root = tryParse(body, defaultLimits.depth);
    if (!root.isObject) {
      throw this.#statusError(body, response, !root.exists);
    }
    const versioned = root.get("jsonrpc").exists;
    const own = root.get("id");
    const result = root.get("result");
    const error = root.get("error");
    const twice = root.doubled && ["id", "result", "error"].some((name) => times(root, name) > 1);
    const anonymous = own.isAbsent;
    const answers = own.int === id || own.textIs(String(id));
    if (!versioned && !response.ok) {
      throw this.#statusError(body, response, false); // an error of what stands before the server
    }
    if (!error.isAbsent && (anonymous || answers)) {
      throw this.#responseError(root, error, response);
    }
    if (twice || !result.exists) {
      throw this.#statusError(body, response, false);
    }
    if (!answers) {
      throw failed(Code.INTERNAL, "the answer bears the id of another call", begins(body));
    }
    return result;
  }

  #options(response: Response): DecodeOptions & { readonly profile: Profile } {
    return {
      ...(this.o.catalog === undefined ? {} : { catalog: this.o.catalog }),
      profile: this.#profile,
      headers: response.headers,
      limits: { body: this.#limit },
    };
  }

  #responseError(root: Value, error: Value, response: Response): ConnectError {
    try {
      return thrown(decodeJsonRpc(error.isObject ? root.raw : error.raw, this.#options(response)), response);
    } catch {
      return this.#statusError(error.raw, response, false); // an error that is no object: the server broke the protocol
    }
  }

  // statusError is the error of an answer that is no JSON-RPC. The HTTP status says what it
  // was, and what stands in front of the server often answers with an error object of its
  // own; a good status makes it a breach of the protocol, and JSON that ends early a cut.
  #statusError(body: string, response: Response, isBroken: boolean): ConnectError {
    if (isBroken && response.ok && /^\s*[{[]/.test(body)) {
      return failed(Code.UNAVAILABLE, brokeOff, begins(body));
    }
    if (response.ok) {
      return failed(Code.INTERNAL, "the answer is not JSON-RPC", begins(body));
    }
    if (response.type === "opaqueredirect" || response.status === 0) {
      return failed(Code.UNKNOWN, "the server sent the call elsewhere");
    }
    try {
      return thrown(decodeConnect(body, { ...this.#options(response), httpStatus: response.status }), response);
    } catch (cause) {
      return failed(Code.INTERNAL, "the answer is not JSON-RPC", cause);
    }
  }
}

const named: Readonly<Record<"bare" | "dotted" | "slash", (method: DescMethod) => string>> = {
  bare: (method) => method.name,
  dotted: (method) => `${method.parent.typeName}.${method.name}`,
  slash: (method) => `${method.parent.typeName}/${method.name}`,
};

const brokeOff = "the connection broke off";

function times(object: Value, name: string): number {
  let n = 0;
  for (let m = object.first; m.exists; m = m.next) {
    n += m.nameIs(name) ? 1 : 0;
  }
  return n;
}

async function only<T>(messages: AsyncIterable<T>): Promise<T> {
  for await (const message of messages) {
    return message;
  }
  throw failed(Code.INTERNAL, "a JSON-RPC call has one request message");
}

function isEvents(response: Response): boolean {
  return response.ok && (response.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() === "text/event-stream";
}

// headersOf parts the headers of a response from those that stand for trailers.
function headersOf(response: Response): [header: Headers, trailer: Headers] {
  const header = new Headers();
  const trailer = new Headers();
  response.headers.forEach((value, name) => {
    if (name.startsWith("trailer-")) {
      trailer.append(name.slice("trailer-".length), value);
    } else {
      header.append(name, value);
    }
  });
  return [header, trailer];
}

async function* chunksOf(response: Response): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = response.body?.getReader();
  if (reader === undefined) {
    return;
  }
  let ended = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        ended = true;
        return;
      }
      yield value;
    }
  } finally {
    if (!ended) {
      await reader.cancel().catch(() => undefined);
    }
  }
}

// thrown is an error that the server sent, as transports throw one.
function thrown(e: ErrmapError, response: Response): ConnectError {
  const made = toConnectError(e);
  response.headers.forEach((value, name) => made.metadata.append(name, value));
  return made;
}

// failed is an error of a call that failed here. Its text is ours: that of its cause
// names hosts.
function failed(code: Code, text: string, cause?: unknown): ConnectError {
  const { hub, catalog } = stateOf(new ErrmapError(code, text));
  const local = hub.clone();
  local.origin = Origin.Local;
  return toConnectError(new ErrmapError(code, "", { ...(cause === undefined ? {} : { cause }), [state]: { hub: local, catalog } } as InternalInit));
}

function cutError(cause: unknown, signal: AbortSignal): unknown {
  return signal.aborted ? cause : failed(Code.UNAVAILABLE, brokeOff, cause);
}

function begins(body: string): Error {
  return new Error(`the answer begins «${body.slice(0, 120)}»`);
}

