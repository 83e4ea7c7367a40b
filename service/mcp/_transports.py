"""The SDK's transports for our descriptions."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx2
from mcp.client._transport import TransportStreams
from mcp.client.sse import sse_client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from ._describe import HttpServer, McpServer, StdioServer
from ._lines import ENCODING
from ._stderr import Tail, stderr_tail


class Wire:
    """What a transport says beside its messages."""

    def __init__(self, hide: Callable[[str], str]) -> None:
        self.hide = hide
        """Takes the server's secrets out of a text."""
        self.stderr: Tail | None = None
        self.broken = ""
        """Why the connection was ended from our side."""
        self.watched: tuple[str, ...] = ("POST",)
        self.http_status = ""
        """The last refusal over HTTP, such as ``HTTP 401 Unauthorized``."""
        self.is_session_lost = False
        """The server has said that it does not know our session any more."""

    async def _saw(self, response: httpx2.Response) -> None:
        request = response.request
        if response.status_code == 404 and "mcp-session-id" in request.headers:
            self.is_session_lost = self.is_session_lost or request.method == "POST"
        if request.method not in self.watched:
            return  # a server need not offer the others
        self.http_status = ""
        if response.status_code >= 400:
            self.http_status = f"HTTP {response.status_code} {response.reason_phrase}".strip()

    def client(self, headers: dict[str, str] | None, timeout: httpx2.Timeout) -> httpx2.AsyncClient:
        return httpx2.AsyncClient(
            headers=headers, timeout=timeout, event_hooks={"response": [self._saw]}
        )


@asynccontextmanager
async def opened(server: McpServer, wire: Wire) -> AsyncGenerator[TransportStreams]:
    """The streams to a server. A process that was started has ended when this returns.

    Raises:
        OSError: the process cannot be started.
        httpx2.HTTPError: the server cannot be reached; also in an exception group.
    """
    if isinstance(server, StdioServer):
        parameters = StdioServerParameters(
            command=server.command,
            args=list(server.args),
            env=dict(server.env),
            cwd=server.cwd,
            encoding=ENCODING,
            encoding_error_handler="replace",
        )
        async with stderr_tail(wire.hide) as (file, tail):
            wire.stderr = tail
            async with stdio_client(parameters, errlog=file) as streams:
                file.close()
                yield streams
        return
    opening = _sse(server, wire) if server.transport == "sse" else _http(server, wire)
    async with opening as streams:
        yield streams


@asynccontextmanager
async def _http(server: HttpServer, wire: Wire) -> AsyncGenerator[TransportStreams]:
    if anyio.get_cancelled_exc_class().__module__.startswith("trio"):
        raise NotImplementedError("the SDK's streamable HTTP does not work on trio")  # mcp 2.3.0
    timeout = httpx2.Timeout(30, read=_read_seconds(server))
    async with (
        wire.client(dict(server.headers), timeout) as client,
        streamable_http_client(
            server.url, http_client=client, max_sse_event_size=64 << 20
        ) as streams,
    ):
        yield streams


@asynccontextmanager
async def _sse(server: HttpServer, wire: Wire) -> AsyncGenerator[TransportStreams]:
    def factory(
        headers: dict[str, str] | None = None,
        timeout: httpx2.Timeout | None = None,
        auth: httpx2.Auth | None = None,
    ) -> httpx2.AsyncClient:
        return wire.client(headers, httpx2.Timeout(30) if timeout is None else timeout)

    wire.watched = ("GET", "POST")
    headers: dict[str, Any] = dict(server.headers)
    async with sse_client(
        server.url,
        headers=headers,
        timeout=30,
        sse_read_timeout=24 * 3600,  # silence is no failure: the call's own limit counts
        httpx_client_factory=factory,
    ) as streams:
        yield streams


def _read_seconds(server: HttpServer) -> float:
    return max(300.0, server.tool_timeout_ms / 1000 + 30)
