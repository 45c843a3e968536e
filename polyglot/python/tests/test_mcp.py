"""The official SDK of MCP against the Go server, and its classes alone."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult, TextContent
from shop.v1.cart_errmap import StockEmptyError

import errmap_rpc
import errmap_rpc.mcp
from errmap.mcp.v1.errors_errmap import ResourceNotFoundError, UrlElicitationRequiredError

REVISIONS = {"2026-07-28": errmap_rpc.MCP, "legacy": errmap_rpc.MCP_2025_11_25}


@pytest.mark.parametrize("mode", REVISIONS)
class TestFinding_N02:
    """A server's typed error is caught by the client."""

    def run(self, server: str, mode: str, calls: Any) -> None:
        async def main() -> None:
            async with Client(server + "/mcp", mode=mode) as client:
                await calls(client)

        asyncio.run(main())

    def test_tool(self, server: str, mode: str) -> None:
        async def calls(client: Client) -> None:
            result = await client.call_tool("buy", {})
            with pytest.raises(StockEmptyError) as caught:
                errmap_rpc.mcp.raise_for_tool_error(result)
            error = caught.value
            assert error.sku == "A1 é" and error.remote and error.retry_delay is not None
            good = await client.call_tool("ok", {})
            assert errmap_rpc.mcp.raise_for_tool_error(good) is good

        self.run(server, mode, calls)

    def test_protocol(self, server: str, mode: str) -> None:
        async def calls(client: Client) -> None:
            with pytest.raises(MCPError) as prompt:
                await client.get_prompt("cart")
            error = errmap_rpc.mcp.from_mcp_error(prompt.value, REVISIONS[mode])
            assert isinstance(error, StockEmptyError) and error.sku == "A1 é"
            assert error.__cause__ is prompt.value and error.remote
            with pytest.raises(MCPError) as resource:
                await client.read_resource("shop://o-1")
            missing = errmap_rpc.mcp.from_mcp_error(resource.value, REVISIONS[mode])
            assert isinstance(missing, ResourceNotFoundError) and missing.uri == "shop://o-1"
            assert missing.code == errmap_rpc.Code.NOT_FOUND
            with pytest.raises(MCPError) as tool:
                await client.call_tool("unknown", {})
            unknown = errmap_rpc.mcp.from_mcp_error(tool.value, REVISIONS[mode])
            assert unknown.code == errmap_rpc.Code.INVALID_ARGUMENT

        self.run(server, mode, calls)


def test_elicitation_of_the_earlier_revision() -> None:
    error = MCPError(-32042, "visit", {"elicitations": [{"mode": "url", "url": "https://x.example.com"}]})
    read = errmap_rpc.mcp.from_mcp_error(error, errmap_rpc.MCP_2025_11_25)
    assert isinstance(read, UrlElicitationRequiredError)
    later = errmap_rpc.mcp.from_mcp_error(error)
    assert type(later) is errmap_rpc.Error and later.code == errmap_rpc.Code.FAILED_PRECONDITION


AIP193 = {"error": {"code": 409, "message": "m", "status": "ABORTED"}}


@pytest.mark.parametrize(
    ("result", "code", "message"),
    [
        (CallToolResult(content=[], is_error=False), None, ""),
        (
            CallToolResult(
                content=[TextContent(type="text", text="a"), TextContent(type="text", text="b")], is_error=True
            ),
            2,
            "a\nb",
        ),
        (CallToolResult(content=[TextContent(type="text", text="é" * 9000)], is_error=True), 2, "é" * 2048 + "…"),
        (CallToolResult(content=[], is_error=True, structured_content=AIP193), 10, "m"),
        (CallToolResult(content=[], is_error=True, structured_content={"error": "no"}), 2, ""),
        (CallToolResult(content=[], is_error=True, structured_content={"error": {"code": 409}}), 2, ""),
        (CallToolResult(content=[], is_error=True, _meta={errmap_rpc.mcp.META_KEY_ERROR: AIP193}), 10, "m"),
        (CallToolResult(content=[], is_error=True, _meta={errmap_rpc.mcp.META_KEY_ERROR: [7]}), 2, ""),
    ],
)
def test_results(result: CallToolResult, code: int | None, message: str) -> None:
    error = errmap_rpc.mcp.from_tool_result(result)
    if code is None:
        assert error is None
    else:
        assert error is not None and (error.code, error.message, error.remote) == (code, message, True)
