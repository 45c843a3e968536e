// The codes of google.rpc and what each is called on the wires.

import { Code } from "./gen/google/rpc/code_pb.js";

export { Code };

/** The numbers that JSON-RPC 2.0 section 5.1 defines. */
export const rpcNumber = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
} as const;

interface Row {
  readonly code: Code;
  readonly name: string;
  readonly connect: string;
  readonly http: number;
  readonly jsonrpc: number;
}

const rows: readonly Row[] = (
  [
    [Code.CANCELLED, "canceled", 499, -31499],
    [Code.UNKNOWN, "unknown", 500, rpcNumber.internalError],
    [Code.INVALID_ARGUMENT, "invalid_argument", 400, rpcNumber.invalidParams],
    [Code.DEADLINE_EXCEEDED, "deadline_exceeded", 504, -31504],
    [Code.NOT_FOUND, "not_found", 404, -31404],
    [Code.ALREADY_EXISTS, "already_exists", 409, -31409],
    [Code.PERMISSION_DENIED, "permission_denied", 403, -31403],
    [Code.RESOURCE_EXHAUSTED, "resource_exhausted", 429, -31429],
    [Code.FAILED_PRECONDITION, "failed_precondition", 400, -31400],
    [Code.ABORTED, "aborted", 409, -31409],
    [Code.OUT_OF_RANGE, "out_of_range", 400, rpcNumber.invalidParams],
    [Code.UNIMPLEMENTED, "unimplemented", 501, rpcNumber.methodNotFound],
    [Code.INTERNAL, "internal", 500, rpcNumber.internalError],
    [Code.UNAVAILABLE, "unavailable", 503, -31503],
    [Code.DATA_LOSS, "data_loss", 500, rpcNumber.internalError],
    [Code.UNAUTHENTICATED, "unauthenticated", 401, -31401],
  ] as const
).map(([code, connect, http, jsonrpc]) => ({ code, name: Code[code] as string, connect, http, jsonrpc }));

// Where several codes share a number, the one without a star in the table of
// docs/wire.md section 3 is read.
const byNumber = new Map<number, Code>([
  [rpcNumber.parseError, Code.INVALID_ARGUMENT],
  [rpcNumber.invalidRequest, Code.INVALID_ARGUMENT],
  [rpcNumber.methodNotFound, Code.UNIMPLEMENTED],
  [rpcNumber.invalidParams, Code.INVALID_ARGUMENT],
  [rpcNumber.internalError, Code.INTERNAL],
  [-31499, Code.CANCELLED],
  [-31504, Code.DEADLINE_EXCEEDED],
  [-31404, Code.NOT_FOUND],
  [-31409, Code.ALREADY_EXISTS],
  [-31403, Code.PERMISSION_DENIED],
  [-31429, Code.RESOURCE_EXHAUSTED],
  [-31400, Code.FAILED_PRECONDITION],
  [-31503, Code.UNAVAILABLE],
  [-31401, Code.UNAUTHENTICATED],
]);

const maxInt32 = 2 ** 31 - 1;
const minInt32 = -(2 ** 31);

/** isInt32 tells whether a number is an integer of 32 bits. */
export function isInt32(n: number): boolean {
  return Number.isInteger(n) && n >= minInt32 && n <= maxInt32;
}

/** isCanonical tells whether a number is the code of an error, 1 to 16. */
export function isCanonical(number: number): boolean {
  return number >= 1 && number <= rows.length;
}

/** rowOf returns what a number is called: as UNKNOWN where it is no code. */
export function rowOf(number: number): Row {
  return rows[(isCanonical(number) ? number : Code.UNKNOWN) - 1] as Row;
}

/** codeByName finds a code by its google.rpc name; OK is none. */
export function codeByName(name: string): Code | undefined {
  return rows.find((row) => row.name === name)?.code;
}

/**
 * codeByConnectName finds a number by a name of the Connect protocol. connect-go
 * writes a private code N as code_N; only that spelling is one.
 */
export function codeByConnectName(name: string): number | undefined {
  const known = rows.find((row) => row.connect === name)?.code;
  if (known !== undefined) {
    return known;
  }
  const digits = /^code_(-?[1-9][0-9]*)$/.exec(name)?.[1];
  const n = Number(digits);
  return digits !== undefined && isInt32(n) ? n : undefined;
}

/** targetOf returns the canonical code that a number is shown as where only such can stand. */
export function targetOf(number: number): Code {
  return rowOf(number).code;
}

/** codeByRpcNumber reads the JSON-RPC numbers of the table backwards. */
export function codeByRpcNumber(number: number): Code {
  return byNumber.get(number) ?? Code.UNKNOWN;
}

/** isTableNumber tells whether a number stands for a code without an identity. */
export function isTableNumber(number: number): boolean {
  return byNumber.has(number);
}

/** httpStatusOf returns the HTTP status that a code stands for on every HTTP wire. */
export function httpStatusOf(code: number): number {
  return rowOf(code).http;
}

/**
 * codeFromConnectHttp returns the code that an HTTP status stands for on a
 * Connect, gRPC or JSON-RPC call without a readable error.
 */
export function codeFromConnectHttp(status: number): Code {
  switch (status) {
    case 400:
      return Code.INTERNAL;
    case 401:
      return Code.UNAUTHENTICATED;
    case 403:
      return Code.PERMISSION_DENIED;
    case 404:
      return Code.UNIMPLEMENTED;
    case 429:
    case 502:
    case 503:
    case 504:
      return Code.UNAVAILABLE;
    default:
      return Code.UNKNOWN;
  }
}

/**
 * codeFromHttp returns the code that an HTTP status stands for on an HTTP+JSON
 * call whose response does not say its code. A bad gateway is a peer that was not
 * reached.
 */
export function codeFromHttp(status: number): Code {
  switch (status) {
    case 400:
      return Code.INVALID_ARGUMENT;
    case 401:
      return Code.UNAUTHENTICATED;
    case 403:
      return Code.PERMISSION_DENIED;
    case 404:
      return Code.NOT_FOUND;
    case 409:
      return Code.ABORTED;
    case 429:
      return Code.RESOURCE_EXHAUSTED;
    case 499:
      return Code.CANCELLED;
    case 501:
      return Code.UNIMPLEMENTED;
    case 502:
    case 503:
      return Code.UNAVAILABLE;
    case 504:
      return Code.DEADLINE_EXCEEDED;
  }
  return Math.floor(status / 100) === 4 ? Code.FAILED_PRECONDITION : Math.floor(status / 100) === 5 ? Code.INTERNAL : Code.UNKNOWN;
}

const phrases: Readonly<Record<number, string>> = {
  100: "Continue",
  101: "Switching Protocols",
  102: "Processing",
  103: "Early Hints",
  200: "OK",
  201: "Created",
  202: "Accepted",
  203: "Non-Authoritative Information",
  204: "No Content",
  205: "Reset Content",
  206: "Partial Content",
  207: "Multi-Status",
  208: "Already Reported",
  226: "IM Used",
  300: "Multiple Choices",
  301: "Moved Permanently",
  302: "Found",
  303: "See Other",
  304: "Not Modified",
  305: "Use Proxy",
  307: "Temporary Redirect",
  308: "Permanent Redirect",
  400: "Bad Request",
  401: "Unauthorized",
  402: "Payment Required",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  406: "Not Acceptable",
  407: "Proxy Authentication Required",
  408: "Request Timeout",
  409: "Conflict",
  410: "Gone",
  411: "Length Required",
  412: "Precondition Failed",
  413: "Content Too Large",
  414: "URI Too Long",
  415: "Unsupported Media Type",
  416: "Range Not Satisfiable",
  417: "Expectation Failed",
  421: "Misdirected Request",
  422: "Unprocessable Content",
  423: "Locked",
  424: "Failed Dependency",
  425: "Too Early",
  426: "Upgrade Required",
  428: "Precondition Required",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  451: "Unavailable For Legal Reasons",
  500: "Internal Server Error",
  501: "Not Implemented",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
  505: "HTTP Version Not Supported",
  506: "Variant Also Negotiates",
  507: "Insufficient Storage",
  508: "Loop Detected",
  510: "Not Extended",
  511: "Network Authentication Required",
};

// The names that statuses had in older standards, which peers still write.
const former: Readonly<Record<number, readonly string[]>> = {
  302: ["Moved Temporarily"],
  413: ["Payload Too Large", "Request Entity Too Large"],
  414: ["Request-URI Too Long", "Request URI Too Long"],
  416: ["Requested Range Not Satisfiable", "Requested range not satisfiable"],
  418: ["I'm a teapot", "I'm a Teapot"],
  422: ["Unprocessable Entity"],
};

/**
 * phraseOf returns the phrase of a status in the registry of IANA, and "HTTP status N"
 * for one that is not registered or not used.
 */
export function phraseOf(status: number): string {
  return Object.hasOwn(phrases, status) ? (phrases[status] as string) : `HTTP status ${status}`;
}

/** isPhrase tells whether a text is the phrase of a status, now or formerly. */
export function isPhrase(text: string, status: number): boolean {
  return text === phraseOf(status) || (Object.hasOwn(former, status) && (former[status] as readonly string[]).includes(text));
}

/** statusText is the message of an error that only its HTTP status tells. */
export function statusText(status: number): string {
  const phrase = phraseOf(status);
  return phrase.startsWith("HTTP status ") ? phrase : `HTTP status ${status} ${phrase}`;
}

/** isHttpStatus tells whether a response can have a status (RFC 9110 section 15). */
export function isHttpStatus(n: number): boolean {
  return n >= 100 && n <= 999;
}

/** isErrorStatus tells whether an HTTP status is one of an error. */
export function isErrorStatus(n: number): boolean {
  return n >= 400 && n <= 599;
}
