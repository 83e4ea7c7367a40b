"""``codemode mcp``: a registry's Code Mode as an MCP server."""

from ._http import LOOPBACK, http_app
from ._hub import ProgressHub
from ._server import ServerOptions, make_server
from ._stdio import serve_stdio

__all__ = [
    "LOOPBACK",
    "ProgressHub",
    "ServerOptions",
    "http_app",
    "make_server",
    "serve_stdio",
]
