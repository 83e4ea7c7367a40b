"""``codemode serve``: runs over HTTP, from the first request to the last run's end."""

import asyncio
import contextlib
import gc
import os
import signal
import socket
from collections.abc import Generator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import anyio
import uvicorn

from ..registry import RUN_CODE_NAME, ToolRegistry
from ..runtime import QuickJSRuntime
from ._bind import bind
from ._interrupt import watch
from ._open import open_registry, say
from ._otlp import traced
from ._service_log import log_to_stderr
from .config import ConfigError, Loaded, ServiceConfig
from .http import LOOPBACK, HttpOptions, http_app
from .runs import LogObserver, RunService, ServiceOptions, open_service
from .store import default_store, open_store

MOST_CONNECTIONS = 2_000
BACKLOG = 1_024
COLLECT_AFTER = (20_000, 20, 10)
NICER = 5
"""Programs that compute for long have about a third of the loop's share of a core that both want."""
SETTLE_SECONDS = 10.0
"""How long the first request waits for MCP servers that are not there yet."""
LAST_RESPONSES_SECONDS = 3
STRAY_SECONDS = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeCommand:
    """What was asked for."""

    tools: str | None
    config: tuple[Loaded, Path] | None
    settings: ServiceConfig


def run(command: ServeCommand) -> None:
    """Serves, from the command line, until a signal; then waits for runs in progress.

    Raises:
        ConfigError, LoadError, MissingExtraError, StoreError: it cannot begin; nothing is left started.
    """
    settings = command.settings
    with contextlib.closing(bind(settings.host, settings.port)) as listener:
        listener.listen(BACKLOG)  # who comes early waits a moment instead of being refused
        anyio.run(_serve, command, listener, backend_options={"use_uvloop": _has_uvloop()})


def _has_uvloop() -> bool:
    try:
        import uvloop  # noqa: F401  # pyright: ignore[reportUnusedImport, reportMissingTypeStubs]
    except ModuleNotFoundError:
        return False
    return True


async def _serve(command: ServeCommand, listener: socket.socket) -> None:
    settings = command.settings
    async with AsyncExitStack() as stack:
        stack.enter_context(log_to_stderr(settings.log))
        registry = await stack.enter_async_context(
            open_registry(command.tools, command.config, settle_seconds=SETTLE_SECONDS)
        )
        runtime = await stack.enter_async_context(
            QuickJSRuntime(max_runs=settings.max_runs + 1, worker_niceness=NICER)
        )
        if registry.runtime is None or command.config is not None:
            registry.runtime = runtime
        observe, around = None, None
        if settings.tracing:
            observe, around = stack.enter_context(traced(registry))
        where = settings.store or str(default_store())
        store = await stack.enter_async_context(open_store(where))
        service = await stack.enter_async_context(
            open_service(registry, store, _options(settings, observe))
        )
        if settings.host not in LOOPBACK and not await service.callers.are_needed():
            raise ConfigError(
                f"{settings.host} is not this machine alone, and {store.shown} has no tokens: whoever reaches "
                "the port could run programs. Make one with codemode token new, or serve on 127.0.0.1"
            )
        app = http_app(
            service,
            HttpOptions(
                hosts=_hosts(settings),
                origins=settings.origins,
                most_body_bytes=settings.body,
            ),
        )
        if around is not None:
            app = around(app)
        server = _Uvicorn(
            uvicorn.Config(
                app,
                log_level="warning",
                access_log=False,
                lifespan="off",
                server_header=False,
                limit_concurrency=MOST_CONNECTIONS,
                timeout_keep_alive=30,
                timeout_graceful_shutdown=LAST_RESPONSES_SECONDS,
                ws="none",
            )
        )
        # What is loaded now stays. A collector that walks it again under load holds every run up for 80 ms,
        # about once a second; so does one that often walks what a flood of calls has in flight.
        gc.collect()
        gc.freeze()
        gc.set_threshold(*COLLECT_AFTER)
        await _until_signal(command, server, service, listener, registry, store.shown)
    await _end_strays()


async def _end_strays() -> None:
    """Ends the process if a tool's body ignores its cancellation: the loop would wait for it for ever."""
    strays = asyncio.all_tasks() - {asyncio.current_task()}
    for stray in strays:
        stray.cancel()
    if strays and (await asyncio.wait(strays, timeout=STRAY_SECONDS))[1]:
        say("tools that do not stop are left")
        os._exit(0)


def _options(settings: ServiceConfig, observe: LogObserver | None) -> ServiceOptions:
    return ServiceOptions(
        max_runs=settings.max_runs,
        max_runs_per_token=settings.max_runs_per_token,
        keep_ms=settings.keep,
        keep_bytes=settings.keep_bytes,
        redact=settings.redact,
        observe_log=observe,
    )


def _hosts(settings: ServiceConfig) -> list[str]:
    own = [settings.host, *LOOPBACK] if settings.host in LOOPBACK else [settings.host]
    return [*own, *settings.hosts]


class _Uvicorn(uvicorn.Server):
    """Without its own signal handlers: it would end the process before the runs have ended."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


async def _until_signal(
    command: ServeCommand,
    server: uvicorn.Server,
    service: RunService,
    listener: socket.socket,
    registry: ToolRegistry,
    where: str,
) -> None:
    asked = anyio.Event()

    def stop(number: int) -> None:
        if asked.is_set():
            say(f"{signal.Signals(number).name} again: ending at once")
            os._exit(128 + number)
        asked.set()

    async with anyio.create_task_group() as tasks:
        await tasks.start(watch, stop)
        tasks.start_soon(_serve_http, server, listener, tasks.cancel_scope)
        host, port = listener.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        tools = len(registry.known_names() - {RUN_CODE_NAME})
        say(f"serving {tools} tools at http://{shown}:{port}, runs kept in {where}")
        if not await service.callers.are_needed():
            say("there are no tokens: whoever reaches the port on this machine may run programs")
        await asked.wait()
        drain_s = command.settings.drain / 1000
        say(f"ending: {service.live} runs in progress, waiting up to {drain_s:g} s for them")
        await service.drain(drain_s)
        if service.live:
            say(f"{service.live} runs have tools that do not stop: they are left, and interrupted")
            os._exit(1)
        server.should_exit = True


async def _serve_http(
    server: uvicorn.Server, listener: socket.socket, scope: anyio.CancelScope
) -> None:
    try:
        await server.serve(sockets=[listener])
    finally:
        server.should_exit = True
    scope.cancel()
