// What the servers of both majors of the TypeScript SDK offer.
import * as z from "zod";

/** Registers a tool that fails, one that works, a prompt and a resource. */
export function shop(server) {
  server.registerTool("fail", { inputSchema: z.object({}) }, async () => {
    throw new Error("no stock of A1");
  });
  server.registerTool("ok", { inputSchema: z.object({}) }, async () => ({ content: [{ type: "text", text: "done" }] }));
  server.registerPrompt("cart", {}, async () => ({ messages: [] }));
  server.registerResource("order", "shop://o-1", {}, async () => ({ contents: [] }));
}
