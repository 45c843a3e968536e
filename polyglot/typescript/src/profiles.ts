// The profiles that are built in.

import { Code, rpcNumber } from "./code.js";
import { file_errmap_a2a_v1_errors } from "./gen/errmap/a2a/v1/errors_pb.js";
import {
  HeaderMismatchErrorSchema,
  MissingRequiredClientCapabilityErrorSchema,
  ResourceNotFoundErrorSchema,
  UnsupportedProtocolVersionErrorSchema,
  UrlElicitationRequiredErrorSchema,
} from "./gen/errmap/mcp/v1/errors_pb.js";
import { isAnnotated } from "./definition.js";
import { Profile } from "./profile.js";

const reserved = [-32768, -32000] as const;
const mcp = { domain: "modelcontextprotocol.io", objectData: true, reserved, acceptedStatus: 202, refusesBatches: true, refusesNullIds: true, checksOrigins: true };

/** JSON-RPC 2.0 itself: every number, data is an array of typed objects. */
export const profileGeneric = new Profile({ name: "generic" });

/** A2A 1.0.1: its nine errors always carry their ErrorInfo. */
export const profileA2a = new Profile({
  name: "a2a",
  domain: "a2a-protocol.org",
  errors: file_errmap_a2a_v1_errors.messages.filter(isAnnotated).map((schema) => ({ schema })),
  reserved,
  repeats: "all",
});

/** MCP 2026-07-28: its own errors have the data of its schema. */
export const profileMcp = new Profile({
  ...mcp,
  name: "mcp",
  errors: [
    { schema: HeaderMismatchErrorSchema, number: -32020 },
    { schema: MissingRequiredClientCapabilityErrorSchema, number: -32021, data: [{ name: "requiredCapabilities", empty: "{}" }] },
    {
      schema: UnsupportedProtocolVersionErrorSchema,
      number: -32022,
      data: [
        { name: "supported", empty: "[]" },
        { name: "requested", empty: '""' },
      ],
    },
    { schema: ResourceNotFoundErrorSchema, number: rpcNumber.invalidParams, data: [{ name: "uri", empty: '""' }], onlyWithData: true },
  ],
  repeats: [...Object.values(rpcNumber), -32020, -32021, -32022],
  codes: { [-32002]: Code.NOT_FOUND, [-32042]: Code.FAILED_PRECONDITION },
  httpStatuses: { [rpcNumber.methodNotFound]: 404, [rpcNumber.parseError]: 400, [rpcNumber.invalidRequest]: 400, [-32020]: 400, [-32021]: 400, [-32022]: 400 },
});

/** MCP 2025-11-25: a resource that was not found is -32002, and the demand for a URL elicitation is -32042. */
export const profileMcp20251125 = new Profile({
  ...mcp,
  name: "mcp-2025-11-25",
  errors: [
    { schema: ResourceNotFoundErrorSchema, number: -32002, data: [{ name: "uri", empty: '""' }] },
    { schema: UrlElicitationRequiredErrorSchema, number: -32042, data: [{ name: "elicitations", empty: "[]" }] },
  ],
  repeats: "all",
});

/** The profiles that are built in. */
export const profiles: readonly Profile[] = [profileGeneric, profileA2a, profileMcp, profileMcp20251125];

/** parseProfile returns the built-in profile of that name; it throws a RangeError that lists the names. */
export function parseProfile(name: string): Profile {
  const found = profiles.find((p) => p.name === name);
  if (found === undefined) {
    throw new RangeError(`unknown profile ${JSON.stringify(name)}: want one of ${profiles.map((p) => p.name).join(", ")}`);
  }
  return found;
}
