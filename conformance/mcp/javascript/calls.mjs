// What each client does, and how what it sees is told: as one JSON value on the
// standard output.

/** Returns what a failing promise says of a JSON-RPC error. */
async function failure(promise) {
  try {
    return { result: await promise };
  } catch (error) {
    return { code: error.code ?? null, message: error.message, data: error.data ?? null, name: error.constructor.name };
  }
}

/** Makes all calls with a client that is connected, and tells what came of them. */
export async function calls(client) {
  const told = { tools: {}, errors: {} };
  // Listed first, so that the client knows the output schemas and checks results.
  await client.listTools();
  for (const name of ["schema", "plain", "hidden", "ok"]) {
    told.tools[name] = await failure(client.callTool({ name, arguments: {} }));
  }
  told.errors.tool = await failure(client.callTool({ name: "unknown", arguments: {} }));
  told.errors.prompt = await failure(client.getPrompt({ name: "cart" }));
  told.errors.resource = await failure(client.readResource({ uri: "shop://o-1" }));
  console.log(JSON.stringify(told));
}
