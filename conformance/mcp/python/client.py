"""A client of the official Python SDK: client.py URL REVISION.

It tells what came of its calls as one JSON value on the standard output.
"""

import json
import sys

import anyio
from mcp import Client
from mcp.shared.exceptions import MCPError


async def failure(awaitable):
    """Returns what came of a call: its result, or what its error says."""
    try:
        result = await awaitable
    except MCPError as error:
        return {"code": error.code, "message": error.message, "data": error.data, "name": type(error).__name__}
    return {"result": result.model_dump(mode="json", by_alias=True, exclude_none=True)}


async def main(url, revision):
    """Makes all calls."""
    mode = revision if revision == "2026-07-28" else "legacy"
    async with Client(url, mode=mode) as client:
        # Listed first, so that the client knows the output schemas and checks results.
        await client.list_tools()
        told = {"tools": {}, "errors": {}}
        for name in ("schema", "plain", "hidden", "ok"):
            told["tools"][name] = await failure(client.call_tool(name, {}))
        told["errors"]["tool"] = await failure(client.call_tool("unknown", {}))
        told["errors"]["prompt"] = await failure(client.get_prompt("cart"))
        told["errors"]["resource"] = await failure(client.read_resource("shop://o-1"))
        print(json.dumps(told))


anyio.run(main, *sys.argv[1:])
