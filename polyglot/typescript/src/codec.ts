// Errors from and to every wire: docs/wire.md.

import { create } from "@bufbuild/protobuf";
import * as aip193 from "./aip193.js";
import { defaultCatalog } from "./builtin.js";
import type { Catalog } from "./catalog.js";
import { isHttpStatus } from "./code.js";
import * as connect from "./connect.js";
import type { RawBody } from "./decode.js";
import { bytesOf, type ErrmapError, stateOf } from "./error.js";
import { type Status as StatusMessage, StatusSchema } from "./gen/google/rpc/status_pb.js";
import * as grpc from "./grpc.js";
import { type Hub, Origin, Wire } from "./hub.js";
import * as jsonrpc from "./jsonrpc.js";
import { type Decoding, defaultBudget, defaultLimits, type Encoding, type Limits } from "./options.js";
import * as problem from "./problem.js";
import { decodeProblem as readProblem } from "./problemread.js";
import type { Profile } from "./profile.js";
import { profileGeneric } from "./profiles.js";
import { wholeSeconds } from "./retry.js";
import { decodeJsonRpc as readJsonRpc } from "./rpcread.js";
import { plainStatus, decodeStatus as readStatus } from "./status.js";
import * as statusjson from "./statusjson.js";
import { errorFrom } from "./typed.js";

/** CatalogOption names what a reader or a writer knows. */
export interface CatalogOption {
  /** The default knows the errors of A2A and MCP. */
  readonly catalog?: Catalog;
}

/** DecodeOptions change how an error is read. */
export interface DecodeOptions extends CatalogOption {
  readonly limits?: Limits;
  /** The status of the HTTP response that was read. */
  readonly httpStatus?: number;
  /** The headers of that response: Retry-After becomes a RetryInfo. */
  readonly headers?: Headers;
  /** When the response came; the default is now. */
  readonly receivedAt?: Date;
  /** The error stood in an end-of-stream message, of which HTTP says nothing. */
  readonly withinStream?: boolean;
}

/** EncodeOptions change how an error is written. */
export interface EncodeOptions extends CatalogOption {
  /** Keeps errmap.v1.Carried out, for peers that render a whole Status through a strict ProtoJSON. */
  readonly withoutCarried?: boolean;
  /** The room of the three gRPC headers in bytes, as HTTP/2 counts; the default is 7,168, Infinity is no limit. */
  readonly budget?: number;
  /** Called for each part that is dropped; without it, what the budget drops is written to the console, in one line. */
  readonly onNote?: (text: string) => void;
}

/** ProfileOption chooses the dialect of JSON-RPC; the default is profileGeneric. */
export interface ProfileOption {
  readonly profile?: Profile;
}

/**
 * Body is the text of an error, or the JSON that was parsed of it already. Number
 * tokens are kept exactly only where it is text.
 */
export type Body = Uint8Array | object | string;

/** HttpError is an error on HTTP. */
export interface HttpError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** RpcError is the error object of JSON-RPC 2.0. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** decoding returns how an error is read. */
export function decoding(o: DecodeOptions): Decoding {
  return {
    catalog: o.catalog ?? defaultCatalog(),
    limits: o.limits === undefined ? defaultLimits : { ...defaultLimits, ...o.limits },
    httpStatus: o.httpStatus !== undefined && isHttpStatus(o.httpStatus) ? o.httpStatus : 0,
    stream: o.withinStream ?? false,
    retryAfter: o.headers?.get("retry-after") ?? "",
    receivedAt: o.headers === undefined ? 0 : (o.receivedAt ?? new Date()).getTime(),
  };
}

/** encoding returns how an error is written. */
export function encoding(o: EncodeOptions): Encoding {
  return {
    catalog: o.catalog ?? defaultCatalog(),
    withoutCarried: o.withoutCarried ?? false,
    budget: o.budget ?? defaultBudget,
    note: o.onNote,
  };
}

function bodyOf(body: Body): RawBody {
  return typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
}

function received(hub: Hub, { catalog }: Decoding): ErrmapError {
  hub.origin = Origin.Remote;
  return errorFrom({ hub, catalog });
}

/**
 * decodeConnect reads the JSON error of the Connect protocol. It throws a FormError where
 * the body is none and no HTTP status says what it was.
 */
export function decodeConnect(body: Body, o: DecodeOptions = {}): ErrmapError {
  const how = decoding(o);
  return received(connect.decodeConnect(bodyOf(body), how), how);
}

/** encodeConnect writes the JSON error of the Connect protocol. */
export function encodeConnect(e: ErrmapError, o: EncodeOptions = {}): string {
  return connect.encodeConnect(stateOf(e).hub, encoding(o));
}

/**
 * decodeGrpc reads an error from the headers or trailers of gRPC and gRPC-Web. It throws
 * an OkError where grpc-status is 0, and a FormError without one and without an HTTP
 * status.
 */
export function decodeGrpc(headers: grpc.HeaderValues, o: DecodeOptions = {}): ErrmapError {
  const how = decoding(o);
  return received(grpc.decodeGrpc(headers, how), how);
}

/** encodeGrpc returns the headers of an error, "grpc-status" first, within the budget. */
export function encodeGrpc(e: ErrmapError, o: EncodeOptions = {}): [string, string][] {
  return grpc.encodeGrpc(stateOf(e).hub, encoding(o));
}

/** decodeStatus reads a google.rpc.Status, as a message or as its bytes. It throws an OkError where the code is 0. */
export function decodeStatus(status: StatusMessage | Uint8Array, o: DecodeOptions = {}): ErrmapError {
  const bytes = status instanceof Uint8Array ? status : bytesOf(StatusSchema, status);
  const how = decoding(o);
  return received(readStatus(bytes, how), how);
}

/** encodeStatus returns the google.rpc.Status of an error. */
export function encodeStatus(e: ErrmapError, o: EncodeOptions = {}): StatusMessage {
  const { code, message, details } = plainStatus(stateOf(e).hub, encoding(o), Wire.STATUS);
  return create(StatusSchema, { code, message, details: details.map(({ typeUrl, value }) => ({ typeUrl, value })) });
}

/** decodeStatusJson reads the ProtoJSON of a google.rpc.Status. It throws an OkError where the code is 0 or missing. */
export function decodeStatusJson(body: Body, o: DecodeOptions = {}): ErrmapError {
  const how = decoding(o);
  return received(statusjson.decodeStatusJson(bodyOf(body), how), how);
}

/** encodeStatusJson writes the ProtoJSON of a google.rpc.Status. */
export function encodeStatusJson(e: ErrmapError, o: EncodeOptions = {}): string {
  return statusjson.encodeStatusJson(stateOf(e).hub, encoding(o));
}

/**
 * decodeHttp reads the JSON body of an error on HTTP+JSON, in the form of AIP-193 and in
 * those that stand for it. It throws a FormError where the body is none and no HTTP
 * status says what it was.
 */
export function decodeHttp(body: Body, o: DecodeOptions = {}): ErrmapError {
  const how = decoding(o);
  return received(aip193.decodeHttp(bodyOf(body), how), how);
}

/** encodeHttp writes an error on HTTP+JSON after AIP-193. */
export function encodeHttp(e: ErrmapError, o: EncodeOptions & { readonly contentType?: "application/a2a+json" | "application/json" } = {}): HttpError {
  return httpError(e, aip193.encodeHttp(stateOf(e).hub, encoding(o)), o.contentType ?? "application/json");
}

/** decodeProblem reads RFC 9457 problem details; it throws as decodeHttp does. */
export function decodeProblem(body: Body, o: DecodeOptions = {}): ErrmapError {
  const how = decoding(o);
  return received(readProblem(bodyOf(body), how), how);
}

/** encodeProblem writes an error as RFC 9457 problem details. */
export function encodeProblem(e: ErrmapError, o: EncodeOptions = {}): HttpError {
  return httpError(e, problem.encodeProblem(stateOf(e).hub, encoding(o)), "application/problem+json");
}

function httpError(e: ErrmapError, answer: aip193.HttpAnswer, contentType: string): HttpError {
  const delay = e.retryDelay;
  return {
    status: answer.status,
    headers: { "content-type": contentType, ...(delay === undefined ? {} : { "retry-after": wholeSeconds(delay) }) },
    body: answer.body,
  };
}

/**
 * decodeResponse reads the error that a response of fetch is: problem details where its
 * content type says so, else HTTP+JSON. It is undefined for a response that is no
 * error. Of a body no more is read than the limit and a byte.
 */
export async function decodeResponse(response: Response, o: CatalogOption & Pick<DecodeOptions, "limits"> = {}): Promise<ErrmapError | undefined> {
  if (response.status < 400) {
    return undefined;
  }
  const receivedAt = new Date();
  const body = await readAtMost(response, o.limits?.body ?? defaultLimits.body);
  const options = { ...o, httpStatus: response.status, headers: response.headers, receivedAt };
  const type = (response.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase();
  return type === "application/problem+json" ? decodeProblem(body, options) : decodeHttp(body, options);
}

/** readAtMost reads a body, but no more than the limit and the piece that goes over it. */
export async function readAtMost(response: Response, limit: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  if (response.body !== null) {
    const reader = response.body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        break;
      }
      parts.push(value);
      size += value.length;
      if (size > limit) {
        await reader.cancel();
        break;
      }
    }
  }
  const out = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** decodeJsonRpc reads the error object of JSON-RPC 2.0, or the response that holds one, under a profile. */
export function decodeJsonRpc(object: Body, o: DecodeOptions & ProfileOption = {}): ErrmapError {
  const how = decoding(o);
  return received(readJsonRpc(bodyOf(object), o.profile ?? profileGeneric, how), how);
}

/** encodeJsonRpc returns the error object of JSON-RPC 2.0 under a profile. */
export function encodeJsonRpc(e: ErrmapError, o: EncodeOptions & ProfileOption = {}): RpcError {
  return JSON.parse(encodeJsonRpcText(e, o).text) as RpcError;
}

/**
 * encodeJsonRpcText returns the error object as text, in which every number has its token,
 * with the HTTP status of the answer that it stands in.
 */
export function encodeJsonRpcText(e: ErrmapError, o: EncodeOptions & ProfileOption = {}): { text: string; httpStatus: number } {
  const profile = o.profile ?? profileGeneric;
  const { text, number } = jsonrpc.encodeJsonRpc(stateOf(e).hub, profile, encoding(o));
  return { text, httpStatus: profile.httpStatus(number) };
}

/** jsonRpcCode returns the number that an error has under a profile. */
export function jsonRpcCode(e: ErrmapError, o: EncodeOptions & ProfileOption = {}): number {
  return jsonrpc.jsonRpcNumber(stateOf(e).hub, o.profile ?? profileGeneric, encoding(o));
}
