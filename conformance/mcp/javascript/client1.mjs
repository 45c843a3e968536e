// A client of the TypeScript SDK 1.x: client1.mjs URL
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

import { calls } from "./calls.mjs";

const client = new Client({ name: "peer", version: "1" });
await client.connect(new StreamableHTTPClientTransport(new URL(process.argv[2])));
await calls(client);
await client.close();
