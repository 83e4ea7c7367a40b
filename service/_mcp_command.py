"""``codemode mcp``: serve a registry's Code Mode over standard input and output, or over HTTP."""

import contextlib
import socket
import sys
from collections.abc import Generator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import anyio
import uvicorn
from mcp.server.lowlevel import Server

from ..registry import ToolRegistry
from ..runtime import QuickJSRuntime
from ._bind import bind
from ._interrupt import until_interrupted
from ._open import open_registry, say
from .config import ConfigError, Loaded
from .mcp_server import LOOPBACK, ProgressHub, ServerOptions, http_app, make_server, serve_stdio

SETTLE_SECONDS = 3.0
"""How long the first answer waits for servers that are not there yet: clients give up early."""


@dataclass(frozen=True, slots=True, kw_only=True)
class McpCommand:
    """What was asked for. Without ``port`` the transport is standard input and output."""

    tools: str | None
    config: tuple[Loaded, Path] | None
    host: str
    port: int | None
    tokens: int
    discovery: bool


def run(command: McpCommand) -> None:
    """Serves, from the command line, until the client or the person ends it.

    Raises:
        ConfigError, LoadError, MissingExtraError: it cannot begin; nothing is left started.
        InterruptedBySignalError: a signal ended it.
    """
    listener = None
    if command.port is not None:
        listener = _bind(command.host, command.port)
    elif sys.stdin is None or sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison]
        raise ConfigError(
            "standard input and output are needed: they are the connection to the client"
        )
    with contextlib.closing(listener) if listener is not None else contextlib.nullcontext():
        anyio.run(until_interrupted, lambda: _serve(command, listener))


def _bind(host: str, port: int) -> socket.socket:
    """The socket to listen on, before anything is started."""
    if host not in LOOPBACK:
        raise ConfigError(
            f"{host} is not this machine alone: whoever reaches the port may run programs. Serve on "
            "127.0.0.1, behind a proxy that knows who may"
        )
    return bind(host, port)


async def _serve(command: McpCommand, listener: socket.socket | None) -> None:
    hub = ProgressHub()
    async with AsyncExitStack() as stack:
        with contextlib.redirect_stdout(
            sys.stderr
        ):  # what tool modules print is not the protocol's
            registry = await stack.enter_async_context(
                open_registry(
                    command.tools,
                    command.config,
                    settle_seconds=SETTLE_SECONDS,
                    on_progress=hub.publish,
                )
            )
        runtime = await stack.enter_async_context(QuickJSRuntime())
        if registry.runtime is None:
            registry.runtime = runtime
        server = _server(registry, command, hub)
        if listener is None:
            await serve_stdio(server)
        else:
            await _serve_http(server, command.host, listener)


def _server(registry: ToolRegistry, command: McpCommand, hub: ProgressHub) -> Server[Any]:
    if registry.mode == "native":
        raise ConfigError('the registry has mode "native": make it with ToolRegistry(mode="code")')
    options = ServerOptions(
        version=version("codemode-runtime"),
        instructions_tokens=command.tokens,
        discovery=command.discovery,
    )
    return make_server(registry, options, progress=hub)


class _Uvicorn(uvicorn.Server):
    """Without its own signal handlers: it would end the process before our servers have ended."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


async def _serve_http(server: Server[Any], host: str, listener: socket.socket) -> None:
    port = listener.getsockname()[1]
    app = http_app(server, host=host, port=port)
    settings = uvicorn.Config(app, log_level="warning", lifespan="on", timeout_graceful_shutdown=2)
    serving = _Uvicorn(settings)
    shown = f"[{host}]" if ":" in host else host
    say(f"serving MCP at http://{shown}:{port}/mcp")
    try:
        await serving.serve(sockets=[listener])
    finally:
        serving.should_exit = True
