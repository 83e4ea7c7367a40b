"""A running service from a configuration: the runtime, the registry, and the servers behind it."""

import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ..registry import (
    Ask,
    DefinesTool,
    Deny,
    ExecContext,
    Next,
    PreListener,
    PreToolDecision,
    RegistrationError,
    ToolDefinition,
    ToolRegistry,
)
from ..registry.policies import approval_policy
from ..runtime import QuickJSRuntime
from ._load import LoadError, load_object
from .config import Config, ConfigError, Loaded, ServerConfig, code_mode_of, limits_of
from .mcp import (
    HttpServer,
    McpServers,
    ServerStatus,
    StdioServer,
    ToolProgress,
    mcp_approval,
)

NESTED: Final = "CODEMODE_NESTED"
"""Set for the servers that we start: code mode behind code mode would hide every call in one."""


@dataclass(frozen=True, slots=True)
class App:
    """What a configuration made. ``servers`` is there where it has MCP servers."""

    registry: ToolRegistry
    runtime: QuickJSRuntime
    servers: McpServers | None


@asynccontextmanager
async def open_app(
    loaded: Loaded,
    *,
    folder: Path,
    on_status: Callable[[ServerStatus], None] | None = None,
    on_progress: Callable[[ToolProgress], None] | None = None,
) -> AsyncGenerator[App]:
    """Starts everything; servers come up meanwhile (``McpServers.wait_settled``).

    ``folder`` is what tool modules' paths are relative to.

    Raises:
        ConfigError: a tool module cannot be had, or does not fit; nothing is left started.
    """
    config = loaded.config
    registry = build_registry(loaded, folder)
    async with AsyncExitStack() as stack:
        runtime = await stack.enter_async_context(QuickJSRuntime(limits=limits_of(config.limits)))
        if registry.runtime is None:
            registry.runtime = runtime
        servers = None
        if config.servers:
            cache = _cache_folder(config, folder)
            try:
                servers = McpServers(
                    registry,
                    [server_of(name, each, folder) for name, each in config.servers.items()],
                    cache_dir=cache,
                    secrets=loaded.secrets,
                    on_status=on_status,
                    on_progress=on_progress,
                )
            except (ValueError, TypeError) as error:
                raise ConfigError(f"servers: {error}") from None
            registry.on_pre_execute(
                _server_approval(servers, loaded), name="approval of MCP servers"
            )
            await stack.enter_async_context(servers)
        yield App(registry, runtime, servers)


def _cache_folder(config: Config, folder: Path) -> Path | None:
    return None if config.cache is None else folder / Path(config.cache).expanduser()


def _server_approval(servers: McpServers, loaded: Loaded) -> PreListener:
    """For tools that no rule is about: the level that the configuration gives their server, or else what
    the server says of the tool."""
    ruled = frozenset(() if loaded.rules is None else loaded.rules.tools)
    levels = {name: server.approval for name, server in loaded.config.servers.items()}
    by_hints = mcp_approval(servers)

    async def approve(exec: ExecContext, next: Next) -> PreToolDecision:
        tool = servers.tool(exec.name)
        if tool is None or exec.name in ruled:
            return await next()
        level = levels[tool.server]
        if level is None:
            decision = by_hints(exec, next)
            return await decision if isinstance(decision, Awaitable) else decision
        if level == "deny":
            return Deny(f'the configuration denies the tools of server "{tool.server}"')
        decision = await next()
        if level == "always" or isinstance(decision, Deny):
            return decision
        return Ask(
            f'the tools of server "{tool.server}" are asked about', level == "ask_with_confirm"
        )

    return approve


def build_registry(loaded: Loaded, folder: Path) -> ToolRegistry:
    """The registry of the tool modules, with the approval rules; without servers.

    Raises:
        ConfigError: a module cannot be had, or does not fit.
    """
    config = loaded.config
    registry: ToolRegistry | None = None
    loose: list[tuple[str, Sequence[ToolDefinition | DefinesTool]]] = []
    for number, reference in enumerate(config.tools):
        try:
            found = load_object(reference, folder)
        except LoadError as error:
            raise ConfigError(f"tools[{number}]: {error}") from None
        if not isinstance(found, ToolRegistry):
            loose.append((reference, _tools(number, reference, found)))
        elif registry is not None:
            raise ConfigError(
                f"tools[{number}]: {reference} is a second registry: each has policies of its own. Name one "
                "registry, and lists of tools beside it"
            )
        else:
            registry = found
    if registry is None:
        registry = ToolRegistry(mode=config.mode, code_mode=code_mode_of(config.code_mode))
    else:
        _must_fit(registry, config)
    for reference, tools in loose:
        for tool in tools:
            try:
                registry.register(tool)
            except RegistrationError as error:
                raise ConfigError(f"tools: {reference}: {error}") from None
    if loaded.rules is not None:
        registry.on_pre_execute(approval_policy(loaded.rules), name="approval rules")
    return registry


def _tools(number: int, reference: str, found: object) -> Sequence[ToolDefinition | DefinesTool]:
    if isinstance(found, ToolDefinition | DefinesTool):
        return [found]
    if isinstance(found, list | tuple):
        items: list[Any] = list(found)  # pyright: ignore[reportUnknownArgumentType]
        if items and all(isinstance(each, ToolDefinition | DefinesTool) for each in items):
            return items
    raise ConfigError(
        f"tools[{number}]: {reference} is neither a ToolRegistry nor a tool nor a list of tools"
    )


def _must_fit(registry: ToolRegistry, config: Config) -> None:
    if registry.mode == "native":
        raise ConfigError(
            'tools: the registry has mode "native": make it with ToolRegistry(mode="code")'
        )
    if "mode" in config.model_fields_set and registry.mode != config.mode:
        raise ConfigError(f'mode: the registry of tools has mode "{registry.mode}" already')
    if config.code_mode.model_fields_set:
        raise ConfigError("code_mode: the registry of tools has its own: set it there")


def server_of(name: str, config: ServerConfig, folder: Path) -> StdioServer | HttpServer:
    """What the client needs to know of one server."""
    common: dict[str, Any] = {
        "name": name,
        "include": tuple(config.include),
        "exclude": tuple(config.exclude),
        "trust_annotations": config.trust_annotations,
        "start_timeout_ms": config.start_timeout,
    }
    if config.tool_timeout is not None:
        common["tool_timeout_ms"] = config.tool_timeout
    if config.prefix is not None:
        common["prefix"] = config.prefix
    if config.command is not None:
        return StdioServer(
            command=config.command,
            args=tuple(config.args),
            env={**config.env, NESTED: "1"},
            cwd=None if config.cwd is None else str(folder / config.cwd),
            **common,
        )
    assert config.url is not None
    transport = "sse" if config.transport == "sse" else "http"
    return HttpServer(url=config.url, headers=config.headers, transport=transport, **common)


def refuse_nesting() -> None:
    """Raises ConfigError in a process that another codemode has started as an MCP server."""
    if os.environ.get(NESTED):
        raise ConfigError(
            "this codemode was started as an MCP server of another codemode: nested code mode is refused, "
            "since one program would hide all calls of the other. Give the outer one these servers itself"
        )
