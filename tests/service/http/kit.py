"""A service in the test's own process and loop, on a real socket, and clients of it."""

import asyncio
import json
import socket
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import httpx2
import uvicorn

from codemode.registry import Ask, CodeMode, ExecContext, ToolRegistry
from codemode.runtime import Limits, QuickJSRuntime
from codemode.service.http import HttpOptions, http_app
from codemode.service.runs import RunService, ServiceOptions, open_service
from codemode.service.store import open_store, open_tokens
from leaping import leap

LIMITS = Limits(compute_ms=10_000, wall_ms=20_000)


@dataclass
class Gate:
    """What lets tests hold a tool's body: ``entered`` is set when it begins, ``leave`` lets it end."""

    entered: anyio.Event
    leave: anyio.Event


def shop(mode: Any = "both", **options: Any) -> tuple[ToolRegistry, Gate]:
    """A registry: ``add`` adds, ``hold`` waits at the gate, ``send`` and ``edit`` need a person, ``secret`` is
    for tokens that see it."""
    registry = ToolRegistry(mode=mode, code_mode=CodeMode(limits=LIMITS, **options))
    gate = Gate(anyio.Event(), anyio.Event())

    @registry.tool
    async def add(a: int, b: int) -> int:
        """Adds."""
        return a + b

    @registry.tool
    async def hold() -> str:
        """Waits."""
        gate.entered.set()
        await gate.leave.wait()
        return "held"

    @registry.tool
    async def send(to: str, text: str = "", password: str = "") -> str:
        """Sends."""
        return f"sent to {to}"

    @registry.tool
    async def edit(path: str, old_string: str, new_string: str) -> str:
        """Edits."""
        return "edited"

    @registry.tool
    async def cancels_itself() -> None:
        """Cancels the task that it runs in."""
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await anyio.sleep_forever()

    @registry.tool
    async def secret() -> str:
        """Knows."""
        return "42"

    asked = ("send", "edit")
    registry.on_pre_execute(
        lambda exec, next: Ask("it reaches people") if exec.name in asked else next()
    )
    return registry, gate


class Client(httpx2.AsyncClient):
    """A client with a token, and what tests ask again and again."""

    async def run(self, program: str, headers: dict[str, str] | None = None, **more: Any) -> Any:
        """Runs a program to its end, or to what ``headers`` say."""
        body = json.dumps({"program": program, **more})  # half surrogates are escapes in it
        headers = {"Content-Type": "application/json", **(headers or {})}
        answer = await self.post("/v1/runs", content=body, headers=headers)
        assert answer.status_code in (200, 202), answer.text
        return answer.json()

    async def begin(self, program: str, **more: Any) -> str:
        """Begins a run; gives its id."""
        run: dict[str, Any] = await self.run(program, {"Prefer": "respond-async"}, **more)
        return run["id"]

    async def settled(self, run_id: str) -> Any:
        """A run, when it has ended."""
        async for _ in self.events(f"/v1/runs/{run_id}/events"):
            pass
        return (await self.get(f"/v1/runs/{run_id}")).json()

    async def events(
        self, path: str, method: str = "GET", last: str | None = None, **more: Any
    ) -> AsyncGenerator[tuple[str, str, Any]]:
        """A stream: the id, the kind and the data of each event."""
        headers = {"Accept": "text/event-stream"}
        if last is not None:
            headers["Last-Event-ID"] = last
        async with self.stream(method, path, headers=headers, **more) as answer:
            assert answer.status_code == 200, await answer.aread()
            fields: dict[str, str] = {}
            async for line in answer.aiter_lines():
                if line and not line.startswith(":"):
                    name, _, value = line.partition(": ")
                    fields[name] = value
                elif "data" in fields:
                    yield fields.get("id", ""), fields["event"], json.loads(fields["data"])
                    fields = {}

    async def question(self) -> Any:
        """The open question, as soon as there is one."""
        with anyio.fail_after(30):
            while True:
                found = (await self.get("/v1/approvals?state=pending")).json()["approvals"]
                if found:
                    return found[0]
                await anyio.lowlevel.checkpoint()


@dataclass
class Served:
    """A service that runs."""

    service: RunService
    registry: ToolRegistry
    gate: Gate
    store: Path
    client: Callable[..., Client]
    port: int

    def token(self, name: str, **grants: Any) -> str:
        """Makes a token; its text."""
        with open_tokens(str(self.store)) as tokens:
            owner = grants.pop("owner", None)
            secret = tokens.new(name, grants=json.dumps(grants), owner=owner)[1]
        leap(1)  # the service looks at its tokens once in a second
        return secret


@asynccontextmanager
async def served(
    folder: Path,
    options: ServiceOptions | None = None,
    http: HttpOptions | None = None,
    made: tuple[ToolRegistry, Gate] | None = None,
    around: Callable[[Any], Any] = lambda app: app,
) -> AsyncGenerator[Served]:
    """A service on a free port, with its store in ``folder``. ``client(token)`` makes clients."""
    registry, gate = made or shop()
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    async with AsyncExitStack() as stack:
        runtime = await stack.enter_async_context(QuickJSRuntime(max_runs=20))
        registry.runtime = runtime
        where = folder / "runs.sqlite"
        store = await stack.enter_async_context(open_store(str(where)))
        service = await stack.enter_async_context(open_service(registry, store, options))
        config = uvicorn.Config(
            around(http_app(service, http)), log_level="warning", lifespan="off", ws="none",
            timeout_graceful_shutdown=1,
        )  # fmt: skip
        config.load()
        server = uvicorn.Server(config)
        server.lifespan = config.lifespan_class(config)
        await server.startup(
            [listener]
        )  # without its main loop, which looks around ten times a second

        def client(token: str | None = None, **more: Any) -> Client:
            headers = {} if token is None else {"Authorization": f"Bearer {token}"}
            return Client(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=30, **more)

        try:
            yield Served(service, registry, gate, where, client, port)
        finally:
            gate.leave.set()
            await service.drain(0)
            for connection in list(server.server_state.connections):
                connection.transport.abort()
            await server.shutdown([listener])


__all__ = ["Client", "ExecContext", "Gate", "Served", "served", "shop"]
