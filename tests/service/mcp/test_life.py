"""Starting, failing, ending: none holds up another, and nothing is left."""

import gc
import sys
import threading
from pathlib import Path
from random import Random
from typing import Any

import anyio
import pytest

from codemode.registry import ToolRegistry
from codemode.service.mcp import Backoff, HttpServer, McpServers, StdioServer

from .kit import SOON, Watch, call, failure, fleet, is_alive, scripted, tool, value

pytestmark = pytest.mark.anyio


def python(name: str, program: str, **options: object) -> StdioServer:
    return StdioServer(name=name, command=sys.executable, args=["-I", "-c", program], **options)  # pyright: ignore[reportArgumentType]


def open_files() -> int:
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.exists() else 0


async def test_servers_that_fail_say_why_and_hold_up_no_other(
    tmp_path: Path, anyio_backend: str
) -> None:
    registry = ToolRegistry()
    refused = "cannot connect to http://127.0.0.1:9/mcp"
    if anyio_backend == "trio":
        refused = "does not work on trio"
    (tmp_path / "plain").write_text("not a program")
    servers = (
        scripted(tmp_path, "good", {"tools": [tool("a")]}),
        StdioServer(name="missing", command="no-such-command-anywhere"),
        StdioServer(name="plain", command=str(tmp_path / "plain")),
        StdioServer(name="folder", command=sys.executable, cwd=str(tmp_path / "none")),
        python("exits", "import sys; sys.exit('license expired')"),
        scripted(tmp_path, "silent", {"silent": True, "stderr": "loading\n"}, start_timeout_ms=800),
        scripted(tmp_path, "wrong", {"initialize": {"hello": 1}}),
        scripted(tmp_path, "old", {"initialize": {
            "protocolVersion": "1999-01-01", "capabilities": {}, "serverInfo": {"name": "x", "version": "1"}}}),
        scripted(tmp_path, "no list", {"pages": {"-": {"tools": None}}}),
        HttpServer(name="refused", url="http://127.0.0.1:9/mcp"),
        HttpServer(name="refused sse", url="http://127.0.0.1:9/sse", transport="sse"),
    )  # fmt: skip
    async with fleet(registry, *servers, backoff=Backoff(initial_ms=60_000)) as fleet_of:
        with anyio.fail_after(20):
            await fleet_of.wait_settled()
        told = {status.name: (status.state, status.reason) for status in fleet_of.status()}
        assert told.pop("good") == ("ready", "")
        assert {state for state, _ in told.values()} == {"failed"}
        for name, words in {
            "missing": 'the command "no-such-command-anywhere" does not exist',
            "plain": "may not be run",
            "folder": "does not exist",
            "exits": "its last lines: license expired",
            "silent": "not ready within 800 ms; its last lines: loading",
            "wrong": "protocol error",
            "old": "protocol error",
            "no list": 'no list "tools"',
            "refused": refused,
            "refused sse": "cannot connect to http://127.0.0.1:9/sse",
        }.items():
            assert words in told[name][1], name
        assert await value(registry, "good__a", {"n": 1}) == {"n": 1}


async def test_a_server_of_the_newer_protocol_alone_is_spoken_to_in_that(tmp_path: Path) -> None:
    newest = "2026-07-28"
    refusal = {"code": -32022, "message": "no", "data": {"supported": [newest], "requested": "x"}}
    scenario: dict[str, Any] = {
        "initialize": {"error": refusal},
        "discover": {
            "supportedVersions": [newest],
            "capabilities": {"tools": {}},
            "resultType": "complete",
            "ttlMs": 0,
            "cacheScope": "private",
        },
        "tools": [tool("$received")],
    }
    registry = ToolRegistry()
    async with fleet(registry, scripted(tmp_path, "s", scenario)) as servers:
        await servers.wait_settled()
        assert [(s.state, s.protocol_version) for s in servers.status()] == [("ready", newest)]
        received = await value(registry, "s__$received")
        assert [m["method"] for m in received] == [
            "initialize",
            "server/discover",
            "tools/list",
            "tools/call",
        ]
        assert received[-1]["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] == newest


async def test_when_the_block_is_left_no_process_task_or_thread_is_left(tmp_path: Path) -> None:
    registry = ToolRegistry()
    scenario = {"tools": [tool("pid")], "calls": {"pid": {"pid": True}}}
    many = [scripted(tmp_path, f"s{i}", scenario) for i in range(3)]
    pids: list[int] = []
    files = open_files()
    async with fleet(registry, *many) as servers:
        await servers.wait_settled()
        pids = [await value(registry, f"s{i}__pid") for i in range(3)]
        assert all(is_alive(pid) for pid in pids)
    assert not any(is_alive(pid) for pid in pids)
    assert registry.known_names() == frozenset()
    assert {status.state for status in servers.status()} == {"closed"}
    assert open_files() == files
    gc.collect()  # an open stream or transport would warn, and warnings are errors
    assert not [t for t in threading.enumerate() if t.name.startswith("waitpid") and t.is_alive()]


async def test_an_exception_in_the_block_comes_out_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        async with fleet(ToolRegistry(), scripted(tmp_path, "s", {})):
            raise KeyError


async def test_a_cancelled_block_ends_its_servers(tmp_path: Path) -> None:
    registry, pid = ToolRegistry(), 0
    scenario = {"tools": [tool("pid")], "calls": {"pid": {"pid": True}}}
    with anyio.CancelScope() as scope:
        async with fleet(registry, scripted(tmp_path, "s", scenario)) as servers:
            await servers.wait_settled()
            pid = await value(registry, "s__pid")
            scope.cancel()
            await anyio.sleep_forever()
    assert pid
    assert not is_alive(pid)


async def test_a_block_left_while_servers_start_ends_them(tmp_path: Path) -> None:
    async with fleet(ToolRegistry(), scripted(tmp_path, "s", {"silent": True})) as servers:
        await anyio.lowlevel.checkpoint()
    assert [status.state for status in servers.status()] == ["closed"]


async def test_a_call_after_the_end_is_no_tool_of_the_registry(tmp_path: Path) -> None:
    registry = ToolRegistry()
    async with fleet(registry, scripted(tmp_path, "s", {"tools": [tool("a")]})) as servers:
        await servers.wait_settled()
    assert failure(await call(registry, "s__a"))[0] == "UNKNOWN_TOOL"


async def test_a_scope_can_have_the_tools_alone(tmp_path: Path) -> None:
    registry = ToolRegistry()
    scope = registry.scope("agent")
    async with McpServers(scope, [scripted(tmp_path, "s", {"tools": [tool("a")]})]) as servers:
        await servers.wait_settled()
        assert "s__a" in scope.known_names()
        assert "s__a" not in registry.known_names()


async def test_a_name_that_is_taken_costs_that_tool_alone(tmp_path: Path) -> None:
    registry = ToolRegistry()

    @registry.tool
    async def a() -> str:
        return "ours"

    server = scripted(tmp_path, "s", {"tools": [tool("a"), tool("b")]}, prefix="")
    async with fleet(registry, server) as servers:
        await servers.wait_settled()
        assert [each.full_name for each in servers.tools()] == ["b"]
        assert "already registered" in servers.status()[0].warnings[0]
        assert servers.tool("a") is None


async def test_the_environment_is_what_was_given_and_a_safe_few(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUR_OWN", "private")
    registry = ToolRegistry()
    scenario = {"tools": [tool("env")], "calls": {"env": {"echo_env": True}}}
    async with fleet(registry, scripted(tmp_path, "s", scenario, env={"MODE": "fast"})) as servers:
        await servers.wait_settled()
        env = await value(registry, "s__env")
        assert env["MODE"] == "fast"
        assert "OUR_OWN" not in env
        assert "PATH" in env


async def test_a_server_that_fails_at_first_is_tried_again(tmp_path: Path) -> None:
    registry, watch = ToolRegistry(), Watch()
    server = scripted(tmp_path, "s", {"exit": 1})
    async with fleet(registry, server, watch=watch, backoff=SOON) as servers:
        await servers.wait_settled()
        (tmp_path / "s.json").write_text('{"tools": [{"name": "a", "inputSchema": {}}]}')
        await watch.until_state("s", "failed", "ready")
        assert await value(registry, "s__a", {"n": 1}) == {"n": 1}


def test_pauses_grow_are_the_same_for_a_seed_and_end() -> None:
    backoff = Backoff(initial_ms=100, max_ms=1_000, jitter=0.5, attempts=6)
    made = [[backoff.delay_ms(n, rng) for n in range(1, 8)] for rng in (Random("a"), Random("a"))]
    assert made[0] == made[1]
    assert made[0][-1] is None
    for delay, whole in zip(made[0], (100, 200, 400, 800, 1_000, 1_000), strict=False):
        assert delay is not None
        assert whole / 2 <= delay <= whole


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: StdioServer(name="", command="x"), "name"),
        (lambda: StdioServer(name="a", command=""), "command"),
        (lambda: StdioServer(name="a", command="x\0"), "NUL"),
        (lambda: StdioServer(name="a", command="x", env={"A=B": "c"}), "="),
        (lambda: StdioServer(name="a", command="x", args="-v"), "list"),
        (lambda: StdioServer(name="a", command="x", include="*"), "globs"),
        (lambda: StdioServer(name="a", command="x", tool_timeout_ms=0), "tool_timeout_ms"),
        (lambda: StdioServer(name="a", command="x", start_timeout_ms=float("nan")), "start_timeout"),
        (lambda: HttpServer(name="a", url="ftp://x"), "http"),
        (lambda: HttpServer(name="a", url="http://"), "http"),
        (lambda: HttpServer(name="a", url="http://x:99999999"), "http"),
        (lambda: HttpServer(name="a", url="http://x", transport="ws"), "transport"),  # pyright: ignore[reportArgumentType]
        (lambda: McpServers(ToolRegistry(), [StdioServer(name="a", command="x")] * 2), "two servers"),
        (lambda: McpServers(ToolRegistry(), [], names="any"), "names"),  # pyright: ignore[reportArgumentType]
    ],
)  # fmt: skip
def test_a_description_that_cannot_be_is_refused(make: object, words: str) -> None:
    assert callable(make)
    with pytest.raises((ValueError, TypeError), match=words):
        make()
