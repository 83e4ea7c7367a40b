"""Serving clients over streamable HTTP."""

from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette

MOST_BODY_BYTES = 4 * 1024 * 1024
LOOPBACK = ("127.0.0.1", "localhost", "::1")


def http_app(server: Server[Any], *, host: str, port: int, path: str = "/mcp") -> Starlette:
    """An ASGI application with the endpoint at ``path``. A request must name ``host:port`` (or a loopback
    name of it) in its Host header, and come from there if it has an Origin: a web page that a person
    visits cannot reach it."""
    names = [host, *LOOPBACK] if host in LOOPBACK else [host]
    written = [f"[{name}]" if ":" in name else name for name in names]
    return server.streamable_http_app(
        streamable_http_path=path,
        max_request_body_size=MOST_BODY_BYTES,
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection=True,
            allowed_hosts=[f"{name}:{port}" for name in written],
            allowed_origins=[f"http://{name}:{port}" for name in written],
        ),
        host=host,
    )
