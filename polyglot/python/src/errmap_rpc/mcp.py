"""Errors of the official Python SDK of MCP, package mcp, which is not imported here: its
classes are known by what they have, so that any version of it serves.

    try:
        result = await client.call_tool("buy", {})
    except MCPError as error:
        raise errmap_rpc.mcp.from_mcp_error(error) from error
    errmap_rpc.mcp.raise_for_tool_error(result)
"""

from __future__ import annotations

import json
from typing import Any, Protocol, TypeVar, Unpack

from .codec import decode_http, decode_jsonrpc
from .error import Error
from .internal.code import Code
from .internal.hub import clip
from .internal.wire.options import NotAnError
from .internal.wire.profile import Profile
from .internal.wire.profiles import MCP
from .options import DecodeArguments

__all__ = ["META_KEY_ERROR", "from_mcp_error", "from_tool_result", "raise_for_tool_error"]

META_KEY_ERROR = "io.github.errmap/error"
"""The key under which the _meta of a failed tool's result has the error, as AIP-193 has
it."""

_MAX_TEXT = 4 << 10
"""How much of the text of a result becomes a message, in bytes."""

R = TypeVar("R")


class ErrorData(Protocol):
    """The error object of JSON-RPC as the SDK has it."""

    code: int
    message: str
    data: Any


class Failed(Protocol):
    """What the errors of the SDK have: MCPError, and McpError before version 2."""

    @property
    def error(self) -> ErrorData:
        """Return what the server sent."""


def from_mcp_error(error: Failed, profile: Profile = MCP, **arguments: Unpack[DecodeArguments]) -> Error:
    """Read the error that the SDK raised for a JSON-RPC error of the server. The result is of
    the generated class for its identity, where the catalogue has one; error is its cause. The
    profile is that of the revision: errmap_rpc.MCP for 2026-07-28, else
    errmap_rpc.MCP_2025_11_25. The SDK has read numbers in data as Python's."""
    sent = error.error
    body: dict[str, Any] = {"code": sent.code, "message": sent.message}
    if sent.data is not None:
        body["data"] = _plain(sent.data)
    read = decode_jsonrpc(json.dumps(body), profile, **arguments)
    if isinstance(error, BaseException):
        read.__cause__ = error
    return read


def from_tool_result(result: Any, **arguments: Unpack[DecodeArguments]) -> Error | None:
    """Return the error that a tool says it failed with, a CallToolResult whose is_error is
    set; None for another result. It is what a server of errmap wrote into _meta, or an object
    of AIP-193's form in the structured content; of any other result the text becomes the
    message of an error of code UNKNOWN."""
    failed = getattr(result, "is_error", None)
    if failed is None:
        failed = getattr(result, "isError", False)  # before version 2 of the SDK
    if not failed:
        return None
    meta = getattr(result, "meta", None) or {}
    structured = getattr(result, "structured_content", None) or getattr(result, "structuredContent", None)
    for value in (meta.get(META_KEY_ERROR), structured):
        error = _read(value, arguments)
        if error is not None:
            return error
    return Error(Code.UNKNOWN, _text(getattr(result, "content", ()))).with_remote()


def raise_for_tool_error(result: R, **arguments: Unpack[DecodeArguments]) -> R:
    """Raise the error of a tool that failed, and return the result of one that did not."""
    error = from_tool_result(result, **arguments)
    if error is not None:
        raise error
    return result


def _read(value: Any, arguments: DecodeArguments) -> Error | None:
    """Read the error that stands in a result, None where none does. Structured content is the
    tool's own, so the form must be plain."""
    value = _plain(value)
    inner = value.get("error") if isinstance(value, dict) else None
    if not isinstance(inner, dict) or "code" not in inner or not isinstance(inner.get("status"), str):
        return None
    try:
        return decode_http(json.dumps(value), **arguments)
    except NotAnError:
        return None


def _plain(value: Any) -> Any:
    """Return a model of the SDK as what JSON says."""
    dump = getattr(value, "model_dump", None)
    return dump(mode="json", by_alias=True) if callable(dump) else value


def _text(content: Any) -> str:
    """Return the text blocks of a result."""
    texts = [block.text for block in content or () if isinstance(getattr(block, "text", None), str)]
    return clip("\n".join(texts), _MAX_TEXT)
