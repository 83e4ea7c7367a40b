"""Serving one client over standard input and output."""

from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server


async def serve_stdio(server: Server[Any]) -> None:
    """Serves until the client closes its end. Standard output belongs to the protocol meanwhile."""
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())
