"""Servers over streamable HTTP and server-sent events: the SDK's own, on the loopback."""

import json
import logging
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Literal

import anyio
import pytest
import uvicorn
from anyio.abc import TaskGroup
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from codemode.registry import ToolRegistry
from codemode.service.mcp import HttpServer

from .kit import Watch, call, failure, fleet, value

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("anyio_backend", ["asyncio"])]

Kind = Literal["http", "sse"]
KINDS = pytest.mark.parametrize("kind", ["http", "sse"])


def shop() -> MCPServer:
    server = MCPServer("shop")

    @server.tool()
    def price(name: str) -> int:  # pyright: ignore[reportUnusedFunction]
        """The price of a thing."""
        return 2**60 + len(name)

    @server.tool()
    def fails() -> str:  # pyright: ignore[reportUnusedFunction]
        raise ToolError("sold out")

    @server.tool()
    async def work(context: Context) -> str:  # pyright: ignore[reportUnusedFunction, reportMissingTypeArgument, reportUnknownParameterType]
        await context.report_progress(1, 2, "half")
        return "done"

    @server.tool()
    async def grow(context: Context) -> str:  # pyright: ignore[reportUnusedFunction, reportMissingTypeArgument, reportUnknownParameterType]
        server.add_tool(lambda: "new", name="new")
        await context.session.send_tool_list_changed()
        return "grown"

    return server


class Host:
    """Servers on the loopback, run by a task group."""

    def __init__(self, tasks: TaskGroup) -> None:
        self._tasks = tasks

    def start(self, app: Any, port: int = 0) -> int:
        """Gives the port, which takes connections from now on."""
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind(("127.0.0.1", port))
        self._socket.listen()
        config = uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1, ws="none")
        self._server = uvicorn.Server(config)
        self._ended = anyio.Event()
        self._tasks.start_soon(self._run)
        return self._socket.getsockname()[1]

    async def _run(self) -> None:
        # without uvicorn's own signal handlers
        await self._server._serve([self._socket])  # pyright: ignore[reportPrivateUsage]
        self._socket.close()
        self._ended.set()

    async def stop(self) -> None:
        self._server.should_exit = True
        with anyio.CancelScope(shield=True):
            await self._ended.wait()


@asynccontextmanager
async def serving(app: Any) -> AsyncGenerator[int]:
    async with anyio.create_task_group() as tasks:
        host = Host(tasks)
        try:
            yield host.start(app)
        finally:
            await host.stop()


def app_of(kind: Kind) -> Any:
    return shop().streamable_http_app() if kind == "http" else shop().sse_app()


def at(port: int, kind: Kind, **options: Any) -> HttpServer:
    path = "mcp" if kind == "http" else "sse"
    return HttpServer(name="shop", url=f"http://127.0.0.1:{port}/{path}", transport=kind, **options)


@KINDS
async def test_a_server_over_http_is_like_any_other(kind: Kind) -> None:
    registry, watch = ToolRegistry(), Watch()
    async with (
        serving(app_of(kind)) as port,
        fleet(registry, at(port, kind), watch=watch) as servers,
    ):
        await servers.wait_settled()
        assert [(s.state, s.tools, s.warnings) for s in servers.status()] == [("ready", 4, ())]
        assert "Promise<{ result:number }>" in registry.sdk_text()
        assert await value(registry, "shop__price", {"name": "abc"}) == {"result": 2**60 + 3}
        code, told = failure(await call(registry, "shop__fails"))
        assert (code, "sold out" in told) == ("TOOL_FAILED", True)
        assert await value(registry, "shop__work") == {"result": "done"}
        await watch.until_progress(1)
        assert (watch.progress[0].progress, watch.progress[0].message) == (1.0, "half")


@KINDS
async def test_a_changed_list_is_heard_of_over_http(kind: Kind) -> None:
    registry, watch = ToolRegistry(), Watch()
    async with (
        serving(app_of(kind)) as port,
        fleet(registry, at(port, kind), watch=watch) as servers,
    ):
        await servers.wait_settled()
        await value(registry, "shop__grow")
        await watch.until_changes(1)
        assert [(change.tool, change.kind) for change in watch.changes] == [("new", "added")]
        assert await value(registry, "shop__new") == "new"


@KINDS
@pytest.mark.filterwarnings(  # the SDK's SSE leaves streams in memory for the collector
    "ignore:Exception ignored in. <function MemoryObject:pytest.PytestUnraisableExceptionWarning"
)
async def test_a_server_over_http_that_restarts_is_connected_again(kind: Kind) -> None:
    registry, watch = ToolRegistry(), Watch()
    async with anyio.create_task_group() as tasks:
        host = Host(tasks)
        port = host.start(app_of(kind))
        async with fleet(registry, at(port, kind), watch=watch) as servers:
            await servers.wait_settled()
            assert await value(registry, "shop__price", {"name": "abc"}) == {"result": 2**60 + 3}
            await host.stop()
            code, told = failure(await call(registry, "shop__price", {"name": "abc"}))
            assert code == "MCP_SERVER_DOWN"
            assert '"shop"' in told
            host.start(app_of(kind), port)
            await watch.until_state("shop", "ready", "reconnecting", "ready")
            assert await value(registry, "shop__price", {"name": "abc"}) == {"result": 2**60 + 3}
        await host.stop()


async def test_code_mode_behind_http_is_refused() -> None:
    registry = ToolRegistry()
    app = MCPServer("codemode").streamable_http_app()
    async with serving(app) as port, fleet(registry, at(port, "http")) as servers:
        await servers.wait_settled()
        assert servers.status()[0].state == "failed"
        assert "nested code mode is refused" in servers.status()[0].reason


async def _breaking() -> AsyncGenerator[bytes]:
    yield b'{"jsonrpc"'
    raise ConnectionResetError


class Plain:
    """A streamable HTTP server by hand, to be wrong in ways that the SDK's is not."""

    def __init__(self) -> None:
        self.sessions: set[str] = set()
        self.begun = 0

    def app(self) -> Starlette:
        return Starlette(routes=[Route("/mcp", self.answer, methods=["GET", "POST", "DELETE"])])

    async def answer(self, request: Request) -> Response:
        if request.method != "POST":
            return Response(status_code=405)
        message = await request.json()
        headers: dict[str, str] = {}
        if message["method"] == "initialize":
            self.begun += 1
            headers["mcp-session-id"] = f"session-{self.begun}"
            self.sessions.add(headers["mcp-session-id"])
            result: Any = {
                "protocolVersion": "2025-06-18",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "x", "version": "1"},
            }
        elif request.headers.get("mcp-session-id") not in self.sessions:
            return Response(status_code=404)
        elif "id" not in message:
            return Response(status_code=202)
        elif message["method"] == "tools/list":
            result = {
                "tools": [{"name": name} for name in ("cut", "html", "nonsense", "reset", "fine")]
            }
        else:
            wrong = {
                "cut": Response("", media_type="text/event-stream"),
                "html": Response("<p>login</p>", media_type="text/html"),
                "nonsense": Response("{]", media_type="application/json"),
                "reset": StreamingResponse(_breaking(), media_type="application/json"),
            }
            if message["params"]["name"] in wrong:
                return wrong[message["params"]["name"]]
            result = {"structuredContent": 1}
        body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result})
        return Response(body, media_type="application/json", headers=headers)


async def test_a_session_that_the_server_has_forgotten_is_made_anew_within_the_call() -> None:
    registry, plain = ToolRegistry(), Plain()
    async with serving(plain.app()) as port, fleet(registry, at(port, "http")) as servers:
        await servers.wait_settled()
        assert await value(registry, "shop__fine") == 1
        plain.sessions.clear()
        assert await value(registry, "shop__fine") == 1
        assert plain.begun == 2


@pytest.mark.parametrize("status", [401, 403, 404, 500])
@KINDS
async def test_a_refusal_says_its_status_and_nothing_secret(
    kind: Kind, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)

    async def refuse(request: Request) -> Response:
        return Response(f"not with {request.headers['authorization']}", status_code=status)

    app = Starlette(routes=[Route("/{path}", refuse, methods=["GET", "POST"])])
    headers = {"Authorization": "Bearer tok-123456789"}
    async with (
        serving(app) as port,
        fleet(ToolRegistry(), at(port, kind, headers=headers)) as servers,
    ):
        await servers.wait_settled()
        told = servers.status()[0]
        assert told.state == "failed"
        assert f"HTTP {status}" in told.reason
    assert "tok-123456789" not in caplog.text + repr(told)


async def test_an_answer_that_is_none_rejects_its_call() -> None:
    registry = ToolRegistry()
    async with serving(Plain().app()) as port, fleet(registry, at(port, "http")) as servers:
        await servers.wait_settled()
        for name in ("cut", "html", "nonsense"):
            code, told = failure(await call(registry, f"shop__{name}"))
            assert code == "MCP_ERROR"
            assert '"shop"' in told
            assert len(told) < 400
            assert await value(registry, "shop__fine") == 1


async def test_a_connection_that_breaks_within_an_answer_rejects_that_call_and_is_made_anew() -> (
    None
):
    registry, watch = ToolRegistry(), Watch()
    async with (
        serving(Plain().app()) as port,
        fleet(registry, at(port, "http"), watch=watch) as servers,
    ):
        await servers.wait_settled()
        code, told = failure(await call(registry, "shop__reset"))
        assert code == "MCP_SERVER_DOWN"
        assert '"shop"' in told
        assert await value(registry, "shop__fine") == 1
        await watch.until_state("shop", "ready", "reconnecting", "ready")
