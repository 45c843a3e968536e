"""A server of the official Python SDK: server.py PORT.

It speaks both revisions at /mcp, wants a token at /closed/mcp, and forgets its
sessions at POST /lose.
"""

import contextlib
import sys

import uvicorn
from mcp.server.auth.provider import TokenVerifier
from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver import MCPServer
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Mount, Route


class Nobody(TokenVerifier):
    """Takes no token."""

    async def verify_token(self, token):
        """Refuses a token."""
        return None


def offer(server):
    """Registers a tool that fails, one that works, a prompt and a resource."""

    @server.tool()
    def fail() -> str:
        raise ValueError("no stock of A1")

    @server.tool()
    def ok() -> str:
        return "done"

    @server.prompt()
    def cart() -> str:
        return "cart"

    @server.resource("shop://o-1")
    def order() -> str:
        return "order"

    return server


port = int(sys.argv[1])
plain = offer(MCPServer("peer", log_level="ERROR"))
closed = offer(
    MCPServer(
        "peer",
        log_level="ERROR",
        token_verifier=Nobody(),
        auth=AuthSettings(issuer_url="http://127.0.0.1/", resource_server_url=f"http://127.0.0.1:{port}/closed/mcp"),
    )
)
app, guarded = plain.streamable_http_app(), closed.streamable_http_app()


async def lose(_):
    """Forgets all sessions, as a server does that starts again."""
    plain.session_manager._server_instances.clear()
    return Response(status_code=204)


@contextlib.asynccontextmanager
async def lifespan(_):
    """Runs both applications, and says when they are."""
    async with plain.session_manager.run(), closed.session_manager.run():
        print("ready", flush=True)
        yield


routes = [Route("/lose", lose, methods=["POST"]), Mount("/closed", guarded), Mount("/", app)]
uvicorn.run(Starlette(routes=routes, lifespan=lifespan), host="127.0.0.1", port=port, log_level="error")
