/**
 * One error model on every wire: what an error message of errmap is in TypeScript.
 *
 * A server throws generated classes, a client reads what it caught with
 * fromConnectError, decodeHttp or decodeJsonRpc, and tells errors apart with instanceof
 * or with a switch on the reason.
 */
export { typedErrors } from "./client.js";
export { type CatalogEntry, createCatalog, defaultCatalog } from "./builtin.js";
export { Catalog, type ErrorClass } from "./catalog.js";
export { Code, codeFromConnectHttp, codeFromHttp, httpStatusOf } from "./code.js";
export {
  type Body,
  type CatalogOption,
  type DecodeOptions,
  decodeConnect,
  decodeGrpc,
  decodeHttp,
  decodeJsonRpc,
  decodeProblem,
  decodeResponse,
  decodeStatus,
  decodeStatusJson,
  type EncodeOptions,
  encodeConnect,
  encodeGrpc,
  encodeHttp,
  encodeJsonRpc,
  encodeJsonRpcText,
  encodeProblem,
  encodeStatus,
  encodeStatusJson,
  type HttpError,
  jsonRpcCode,
  type ProfileOption,
  type RpcError,
} from "./codec.js";
export { FormError, OkError } from "./decode.js";
export { DefinitionError } from "./definition.js";
export { type CallOption, fromConnectError, toConnectError, type WireOption } from "./errmapconnect.js";
export { ErrmapError, type ErrorInit } from "./error.js";
export type { HeaderValues } from "./grpc.js";
export { RawDetail, type Received, Wire } from "./hub.js";
export { defaultBudget, defaultLimits, type Limits } from "./options.js";
export { Profile, type ProfileError, type ProfileMember, type ProfileSpec } from "./profile.js";
export { parseProfile, profileA2a, profileGeneric, profileMcp, profileMcp20251125, profiles } from "./profiles.js";
export { parseRetryAfter } from "./retry.js";
export { forward, hiddenMessage, type Report, serverInterceptor, type ServerOptions } from "./server.js";
export { createJsonRpcTransport, type JsonRpcTransportOptions, type MethodNames } from "./rpctransport.js";
export { asError, asErrorOf, type ErrorOf, type Init, isErrorOf, TypedError } from "./typed.js";

export * as a2a from "./gen/errmap/a2a/v1/errors_errmap.js";
export * as mcp from "./gen/errmap/mcp/v1/errors_errmap.js";
