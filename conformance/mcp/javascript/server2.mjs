// A server of the TypeScript SDK 2.x: server2.mjs PORT. It speaks 2026-07-28 at
// /mcp, and 2025-11-25 with sessions at /legacy, which it forgets at POST /lose.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";

import { NodeStreamableHTTPServerTransport, toNodeHandler } from "@modelcontextprotocol/node";
import { McpServer, createMcpHandler } from "@modelcontextprotocol/server";

import { shop } from "./shop.mjs";

function make() {
  const server = new McpServer({ name: "peer", version: "1" });
  shop(server);
  return server;
}

const modern = toNodeHandler(createMcpHandler(make));
let sessions = new Map();
createServer(async (req, res) => {
  if (req.url === "/lose") {
    sessions = new Map();
    res.writeHead(204).end();
    return;
  }
  if (req.url !== "/legacy") {
    await modern(req, res);
    return;
  }
  // One transport for each session; one that knows no session answers 404 itself.
  let transport = sessions.get(req.headers["mcp-session-id"]);
  if (!transport) {
    transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => { sessions.set(id, transport); },
    });
    await make().connect(transport);
    if (req.headers["mcp-session-id"]) {
      res.writeHead(404, { "content-type": "application/json" });
      res.end(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32001, message: "Session not found" } }));
      return;
    }
  }
  await transport.handleRequest(req, res);
}).listen(Number(process.argv[2]), "127.0.0.1", () => console.log("ready"));
