// The dialects of JSON-RPC 2.0: docs/wire.md section 7.

import { Catalog, noErrors } from "./catalog.js";
import { rpcNumber } from "./code.js";
import type { Definition } from "./definition.js";
import { file_errmap_a2a_v1_errors } from "./gen/errmap/a2a/v1/errors_pb.js";
import { file_errmap_mcp_v1_errors } from "./gen/errmap/mcp/v1/errors_pb.js";

/** The numbers of MCP that only its readers know. */
export const mcpNumber = { resourceNotFound: -32002, urlElicitation: -32042 } as const;

/** The domains of the two protocols that have profiles of their own. */
export const domains = { a2a: "a2a-protocol.org", mcp: "modelcontextprotocol.io" } as const;

/** The reason of MCP's error that shares a number with JSON-RPC itself. */
export const resourceNotFound = "RESOURCE_NOT_FOUND";

/**
 * Profile is a dialect of JSON-RPC 2.0: which numbers an error has there and what its
 * data looks like. A caller chooses it; it is never guessed from a number.
 */
export type Profile = "a2a" | "generic" | "mcp";

const own: Readonly<Record<Profile, Catalog>> = {
  generic: noErrors,
  a2a: new Catalog([file_errmap_a2a_v1_errors]),
  mcp: new Catalog([file_errmap_mcp_v1_errors]),
};

/** ownErrors returns the catalogue of the errors that the profile itself defines. */
export function ownErrors(p: Profile): Catalog {
  return own[p];
}

/** domainOf is the domain whose errors the profile itself defines; "" for none. */
export function domainOf(p: Profile): string {
  return p === "generic" ? "" : domains[p];
}

/**
 * httpStatusOfRpc returns the HTTP status of the answer that holds an error of that
 * number: 200, but for what the transport of MCP says of some numbers.
 */
export function httpStatusOfRpc(p: Profile, number: number): number {
  if (p !== "mcp") {
    return 200;
  }
  if (number === rpcNumber.methodNotFound) {
    return 404;
  }
  const bad: readonly number[] = [rpcNumber.parseError, rpcNumber.invalidRequest, -32020, -32021, -32022];
  return bad.includes(number) ? 400 : 200;
}

function isReserved(number: number): boolean {
  return number >= -32768 && number <= -32000;
}

/** mayWrite tells whether the profile writes the number of an error of that domain. */
export function mayWrite(p: Profile, number: number, domain: string): boolean {
  return number !== 0 && (p === "generic" || domain === domainOf(p) || !isReserved(number));
}

/** mayRepeat tells whether the profile writes a number that was received. */
export function mayRepeat(p: Profile, number: number): boolean {
  if (number === 0) {
    return false;
  }
  const known: readonly number[] = [...Object.values(rpcNumber), -32020, -32021, -32022];
  return p !== "mcp" || !isReserved(number) || known.includes(number);
}

/**
 * numbered returns the profile's own error of a number; undefined where it has none,
 * and for the number that MCP shares with JSON-RPC itself.
 */
export function numbered(p: Profile, number: number): Definition | undefined {
  if (number === rpcNumber.invalidParams) {
    return undefined;
  }
  if (p === "mcp" && number === mcpNumber.resourceNotFound) {
    return own.mcp.find(domains.mcp, resourceNotFound);
  }
  return own[p].byJsonRpc(domainOf(p), number);
}
