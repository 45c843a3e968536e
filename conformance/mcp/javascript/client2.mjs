// A client of the TypeScript SDK 2.x: client2.mjs URL REVISION
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

import { calls } from "./calls.mjs";

const revision = process.argv[3];
const mode = revision === "2026-07-28" ? { pin: revision } : "legacy";
const client = new Client({ name: "peer", version: "1" }, { versionNegotiation: { mode } });
await client.connect(new StreamableHTTPClientTransport(new URL(process.argv[2])));
await calls(client);
await client.close();
