// Errors from and to every wire: docs/wire.md.

import { create, toBinary } from "@bufbuild/protobuf";
import { type HttpAnswer, decodeHttp, encodeHttp } from "./aip193.js";
import { defaultCatalog } from "./builtin.js";
import type { Catalog } from "./catalog.js";
import { decodeConnect, encodeConnect } from "./connectjson.js";
import { type ErrmapError, stateOf } from "./error.js";
import { type Status as StatusMessage, StatusSchema } from "./gen/google/rpc/status_pb.js";
import { decodeGrpc, encodeGrpc, type HeaderValues } from "./grpc.js";
import { type Hub, Wire } from "./hub.js";
import { fromValue, type JsonText } from "./json.js";
import { decodeJsonRpc, encodeJsonRpc } from "./jsonrpc.js";
import { type DecodeSettings, defaultBudget, defaultLimits, type EncodeSettings, isHttpStatus, type Limits } from "./options.js";
import { decodeProblem, encodeProblem } from "./problem.js";
import { httpStatusOfRpc, type Profile } from "./profile.js";
import { retryAfterOf } from "./retry.js";
import { decodeStatusJson, encodeStatus, encodeStatusJson, readStatus } from "./status.js";
import { parseStatus } from "./wire.js";
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
  /** The room of the three gRPC headers in bytes; Infinity for no limit. */
  readonly budget?: number;
  /** Called for each part that is dropped; without it, what the budget drops is written to the console. */
  readonly onNote?: (text: string) => void;
}

/** ProfileOption chooses the dialect of JSON-RPC; the default is generic. */
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

function decoding(o: DecodeOptions): DecodeSettings {
  const catalog = o.catalog ?? defaultCatalog();
  return {
    catalog,
    errors: catalog,
    limits: { ...defaultLimits, ...o.limits },
    httpStatus: o.httpStatus !== undefined && isHttpStatus(o.httpStatus) ? o.httpStatus : 0,
    stream: o.withinStream ?? false,
    retryAfter: o.headers?.get("retry-after") ?? "",
    receivedAt: (o.receivedAt ?? new Date()).getTime(),
  };
}

/** writing returns the settings of a writer. */
export function writing(o: EncodeOptions): EncodeSettings {
  return {
    catalog: o.catalog ?? defaultCatalog(),
    withoutCarried: o.withoutCarried ?? false,
    budget: o.budget ?? defaultBudget,
    note: o.onNote,
  };
}

function textOf(body: Body): Uint8Array | string {
  return typeof body === "string" || body instanceof Uint8Array ? body : fromValue(body);
}

function received(o: DecodeOptions, read: (settings: DecodeSettings) => Hub): ErrmapError {
  const settings = decoding(o);
  const hub = read(settings);
  hub.remote = true;
  return errorFrom({ hub, catalog: settings.catalog });
}

/**
 * fromConnectJson reads the JSON error of the Connect protocol. It throws a FormError
 * where the body is none and no HTTP status says what it was.
 */
export function fromConnectJson(body: Body, o: DecodeOptions = {}): ErrmapError {
  return received(o, (settings) => decodeConnect(textOf(body), settings));
}

/** toConnectJson writes the JSON error of the Connect protocol. */
export function toConnectJson(e: ErrmapError, o: EncodeOptions = {}): string {
  return encodeConnect(stateOf(e).hub, writing(o));
}

/**
 * fromGrpc reads an error from the headers or trailers of gRPC and gRPC-Web. It throws
 * an OkError where grpc-status is 0, and a FormError without one and without an HTTP
 * status.
 */
export function fromGrpc(headers: HeaderValues, o: DecodeOptions = {}): ErrmapError {
  return received(o, (settings) => decodeGrpc(headers, settings));
}

/** toGrpc returns the headers of an error, "grpc-status" first, within the budget. */
export function toGrpc(e: ErrmapError, o: EncodeOptions = {}): [string, string][] {
  return encodeGrpc(stateOf(e).hub, writing(o));
}

/** fromStatus reads a google.rpc.Status, as a message or as its bytes. It throws an OkError where the code is 0. */
export function fromStatus(status: StatusMessage | Uint8Array, o: DecodeOptions = {}): ErrmapError {
  const bytes = status instanceof Uint8Array ? status : toBinary(StatusSchema, status);
  return received(o, (settings) => readStatus(parseStatus(bytes, settings.limits.details), settings, Wire.STATUS));
}

/** toStatus returns the google.rpc.Status of an error. */
export function toStatus(e: ErrmapError, o: EncodeOptions = {}): StatusMessage {
  const { code, message, details } = encodeStatus(stateOf(e).hub, writing(o), Wire.STATUS);
  return create(StatusSchema, { code, message, details: details.map(({ typeUrl, value }) => ({ typeUrl, value })) });
}

/** fromStatusJson reads the ProtoJSON of a google.rpc.Status. It throws an OkError where the code is 0 or missing. */
export function fromStatusJson(body: Body, o: DecodeOptions = {}): ErrmapError {
  return received(o, (settings) => decodeStatusJson(textOf(body), settings));
}

/** toStatusJson writes the ProtoJSON of a google.rpc.Status. */
export function toStatusJson(e: ErrmapError, o: EncodeOptions = {}): string {
  return encodeStatusJson(stateOf(e).hub, writing(o));
}

/**
 * fromHttp reads the JSON body of an error on HTTP+JSON, in the form of AIP-193 and in
 * those that stand for it. It throws a FormError where the body is none and no HTTP
 * status says what it was.
 */
export function fromHttp(body: Body, o: DecodeOptions = {}): ErrmapError {
  return received(o, (settings) => decodeHttp(textOf(body), settings));
}

/** toHttp writes an error on HTTP+JSON after AIP-193. */
export function toHttp(e: ErrmapError, o: EncodeOptions & { readonly contentType?: "application/a2a+json" | "application/json" } = {}): HttpError {
  return httpError(e, encodeHttp(stateOf(e).hub, writing(o)), o.contentType ?? "application/json");
}

/** fromProblem reads RFC 9457 problem details; it throws as fromHttp does. */
export function fromProblem(body: Body, o: DecodeOptions = {}): ErrmapError {
  return received(o, (settings) => decodeProblem(textOf(body), settings));
}

/** toProblem writes an error as RFC 9457 problem details. */
export function toProblem(e: ErrmapError, o: EncodeOptions = {}): HttpError {
  return httpError(e, encodeProblem(stateOf(e).hub, writing(o)), "application/problem+json");
}

function httpError(e: ErrmapError, answer: HttpAnswer, contentType: string): HttpError {
  const delay = e.retryDelay;
  return {
    status: answer.status,
    headers: { "content-type": contentType, ...(delay === undefined ? {} : { "retry-after": retryAfterOf(delay) }) },
    body: answer.body,
  };
}

/**
 * fromResponse reads the error that a response of fetch is: problem details where its
 * content type says so, else HTTP+JSON. It is undefined for a response that is no
 * error.
 */
export async function fromResponse(response: Response, o: CatalogOption & Pick<DecodeOptions, "limits"> = {}): Promise<ErrmapError | undefined> {
  if (response.status < 400) {
    return undefined;
  }
  const receivedAt = new Date();
  const body = new Uint8Array(await response.arrayBuffer());
  const options = { ...o, httpStatus: response.status, headers: response.headers, receivedAt };
  const type = (response.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase();
  return type === "application/problem+json" ? fromProblem(body, options) : fromHttp(body, options);
}

/** fromJsonRpc reads the error object of JSON-RPC 2.0, or the response that holds one, under a profile. */
export function fromJsonRpc(object: Body, o: DecodeOptions & ProfileOption = {}): ErrmapError {
  return received(o, (settings) => decodeJsonRpc(textOf(object), o.profile ?? "generic", settings));
}

/** toJsonRpc returns the error object of JSON-RPC 2.0 under a profile. */
export function toJsonRpc(e: ErrmapError, o: EncodeOptions & ProfileOption = {}): RpcError {
  return JSON.parse(toJsonRpcText(e, o).text) as RpcError;
}

/**
 * toJsonRpcText returns the error object as text, in which every number has its token,
 * with the HTTP status of the answer that it stands in.
 */
export function toJsonRpcText(e: ErrmapError, o: EncodeOptions & ProfileOption = {}): { text: JsonText; httpStatus: number } {
  const profile = o.profile ?? "generic";
  const { text, number } = encodeJsonRpc(stateOf(e).hub, profile, writing(o));
  return { text, httpStatus: httpStatusOfRpc(profile, number) };
}

