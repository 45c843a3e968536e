"""The dialects of JSON-RPC 2.0 (section 7 of the wire contract)."""

from __future__ import annotations

import enum

from .catalog import DOMAIN_MCP, Catalog, own_errors
from .definition import DOMAIN_A2A, Definition

__all__ = ["Profile"]

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603

MCP_RESOURCE_NOT_FOUND = -32002  # before 2026-07-28
MCP_URL_ELICITATION = -32042  # 2025-11-25

REASON_RESOURCE_NOT_FOUND = "RESOURCE_NOT_FOUND"

_MCP_OWN = (-32020, -32021, -32022)
_STANDARD = (PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR)


class Profile(enum.Enum):
    """A dialect of JSON-RPC 2.0: which numbers an error has there and what its data
    looks like. A caller chooses it; it is never guessed from a number."""

    GENERIC = "generic"
    """Plain JSON-RPC 2.0: every number, data is an array of typed objects."""
    A2A = "a2a"
    """A2A 1.0: its nine errors always carry their ErrorInfo."""
    MCP = "mcp"
    """MCP 2026-07-28: its own errors have the data of its schema."""

    def http_status(self, number: int) -> int:
        """Return the HTTP status of the answer that holds an error of that number."""
        if self is Profile.MCP:
            if number == METHOD_NOT_FOUND:
                return 404
            if number in (PARSE_ERROR, INVALID_REQUEST, *_MCP_OWN):
                return 400
        return 200

    @property
    def domain(self) -> str:
        """The domain whose errors the profile itself defines, "" for none."""
        return {Profile.A2A: DOMAIN_A2A, Profile.MCP: DOMAIN_MCP}.get(self, "")

    def may(self, number: int, domain: str) -> bool:
        """Tell whether the profile writes the number of an error of that domain."""
        if number == 0:
            return False
        if self is Profile.GENERIC or domain == self.domain:
            return True
        return not -32768 <= number <= -32000

    def may_repeat(self, number: int) -> bool:
        """Tell whether the profile writes a number that was received."""
        if number == 0:
            return False
        if self is not Profile.MCP or not -32768 <= number <= -32000:
            return True
        return number in _STANDARD or number in _MCP_OWN

    def own(self) -> Catalog:
        """Return the catalogue of the errors that the profile itself defines."""
        return own_errors(self.domain)

    def numbered(self, number: int) -> Definition | None:
        """Return the profile's own error of a number: None where it has none, and for
        the number that MCP shares with JSON-RPC itself."""
        if number == INVALID_PARAMS or self is Profile.GENERIC:
            return None
        if self is Profile.MCP and number == MCP_RESOURCE_NOT_FOUND:
            return self.own().find(DOMAIN_MCP, REASON_RESOURCE_NOT_FOUND)
        return self.own().by_jsonrpc(self.domain, number)
