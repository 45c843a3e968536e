// A server of the TypeScript SDK 1.x with sessions: server1.mjs PORT. It forgets its
// sessions at POST /lose, and wants a token at /closed.
import { randomUUID } from "node:crypto";

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { requireBearerAuth } from "@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { isInitializeRequest } from "@modelcontextprotocol/sdk/types.js";
import express from "express";

import { shop } from "./shop.mjs";

const app = express();
app.use(express.json());
app.use("/closed", requireBearerAuth({ verifier: { verifyAccessToken: async () => { throw new Error("no"); } } }));

const sessions = new Map();
app.post("/lose", (_, res) => {
  sessions.clear();
  res.sendStatus(204);
});
app.all("/mcp", async (req, res) => {
  const id = req.headers["mcp-session-id"];
  let transport = sessions.get(id);
  if (!transport && id) {
    // As the SDK's own examples and its documentation answer.
    res.status(404).json({ jsonrpc: "2.0", id: null, error: { code: -32001, message: "Session not found" } });
    return;
  }
  if (!transport && !isInitializeRequest(req.body)) {
    res.status(400).json({ jsonrpc: "2.0", id: null, error: { code: -32000, message: "Bad Request: no session" } });
    return;
  }
  if (!transport) {
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (opened) => sessions.set(opened, transport),
    });
    const server = new McpServer({ name: "peer", version: "1" });
    shop(server);
    await server.connect(transport);
  }
  await transport.handleRequest(req, res, req.body);
});
app.listen(Number(process.argv[2]), "127.0.0.1", () => console.log("ready"));
