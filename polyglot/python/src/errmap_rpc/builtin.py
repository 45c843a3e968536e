"""Imports the errors of A2A and of MCP, so that linked() has them."""

from errmap.a2a.v1 import errors_errmap as a2a
from errmap.mcp.v1 import errors_errmap as mcp

__all__ = ["a2a", "mcp"]
