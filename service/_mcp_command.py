"""``codemode mcp``: serve a registry's Code Mode over standard input and output, or over HTTP."""

from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import anyio

from ..registry import ToolRegistry
from ..runtime import QuickJSRuntime
from ._open import open_registry, say
from .config import ConfigError, Loaded
from .mcp_server import LOOPBACK, ServerOptions, http_app, make_server, serve_stdio


@dataclass(frozen=True, slots=True, kw_only=True)
class McpCommand:
    """What was asked for. Without ``port`` the transport is standard input and output."""

    tools: str | None
    config: tuple[Loaded, Path] | None
    host: str
    port: int | None
    tokens: int
    discovery: bool


def check(command: McpCommand) -> None:
    """
    Raises:
        ConfigError: it cannot be served as asked.
    """
    if command.port is not None and command.host not in LOOPBACK:
        raise ConfigError(
            f"{command.host} is not this machine alone: whoever reaches the port may run programs. Serve on "
            "127.0.0.1, behind a proxy that knows who may"
        )


async def serve(command: McpCommand) -> None:
    """Serves until the client or the person ends it."""
    async with (
        open_registry(command.tools, command.config) as registry,
        QuickJSRuntime() as runtime,
    ):
        if registry.runtime is None:
            registry.runtime = runtime
        await _serve(registry, command)


async def _serve(registry: ToolRegistry, command: McpCommand) -> None:
    if registry.mode == "native":
        raise ConfigError('the registry has mode "native": make it with ToolRegistry(mode="code")')
    server = make_server(
        registry,
        ServerOptions(
            version=version("codemode-runtime"),
            instructions_tokens=command.tokens,
            discovery=command.discovery,
        ),
    )
    if command.port is None:
        await serve_stdio(server)
        return
    import uvicorn

    app = http_app(server, host=command.host, port=command.port)
    settings = uvicorn.Config(
        app, host=command.host, port=command.port, log_level="warning", lifespan="on"
    )
    say(f"serving MCP at http://{command.host}:{command.port}/mcp")
    await uvicorn.Server(settings).serve()


def run(command: McpCommand) -> None:
    """Serves, from the command line.

    Raises:
        ConfigError, LoadError, MissingExtraError: it cannot begin; nothing is left started.
    """
    check(command)
    anyio.run(serve, command)
