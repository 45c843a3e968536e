/**
 * One error model on every wire: what an error message of errmap is in TypeScript.
 *
 * A server throws generated classes, a client reads what it caught with
 * fromConnectError, fromHttp or fromJsonRpc, and tells errors apart with instanceof or
 * with a switch on the reason.
 */
export { Catalog, type ErrorClass } from "./catalog.js";
export { type CatalogEntry, createCatalog, defaultCatalog } from "./builtin.js";
export { Code, codeFromConnectHttp, codeFromHttp, httpStatusOf } from "./code.js";
export {
  type Body,
  type CatalogOption,
  type DecodeOptions,
  type EncodeOptions,
  fromConnectJson,
  fromGrpc,
  fromHttp,
  fromJsonRpc,
  fromProblem,
  fromResponse,
  fromStatus,
  fromStatusJson,
  type HttpError,
  type ProfileOption,
  type RpcError,
  toConnectJson,
  toGrpc,
  toHttp,
  toJsonRpc,
  toJsonRpcText,
  toProblem,
  toStatus,
  toStatusJson,
} from "./codec.js";
export { connectInterceptor, forward, fromConnectError, hiddenMessage, type InterceptorOptions, type Report, toConnectError } from "./connect.js";
export { FormError, OkError } from "./decode.js";
export { DefinitionError } from "./definition.js";
export { ErrmapError, type ErrorInit } from "./error.js";
export type { HeaderValues } from "./grpc.js";
export { RawDetail, type Received, Wire } from "./hub.js";
export { defaultBudget, defaultLimits, type Limits } from "./options.js";
export type { Profile } from "./profile.js";
export { parseRetryAfter } from "./retry.js";
export { asError, type ErrorOf, type Init, isErrorOf, TypedError } from "./typed.js";

/** What Go calls errors.As: see asError. */
export * as a2a from "./gen/errmap/a2a/v1/errors_errmap.js";
export * as mcp from "./gen/errmap/mcp/v1/errors_errmap.js";
