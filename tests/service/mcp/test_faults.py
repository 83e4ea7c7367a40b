"""Servers that die, stall or talk nonsense: each fault costs its own call, and says whose it was."""

import os
import signal
from pathlib import Path
from typing import Any

import anyio
import pytest

from codemode.registry import ToolRegistry
from codemode.runtime import QuickJSRuntime

from .kit import Watch, call, failure, fleet, is_alive, scripted, tool, value

pytestmark = pytest.mark.anyio

NOT_JSON = "INFO starting up"
RESULT = '"result":{"content":[],"structuredContent":%s}'


def line(rest: str) -> str:
    return '{"jsonrpc":"2.0","id":$ID,' + rest + "}"


FAULTS: dict[str, tuple[dict[str, Any], str, str]] = {
    "the process exits": ({"exit": 1}, "MCP_SERVER_DOWN", "went away"),
    "it never answers": ({"silent": True}, "TOOL_TIMEOUT", "no answer"),
    "it answers with an error": (
        {"error": {"code": -32602, "message": "bad city", "data": {"field": "city"}}},
        "MCP_ERROR",
        'bad city (error -32602): {"field":"city"}',
    ),
    "it answers with another id": (
        {"lines": ['{"jsonrpc":"2.0","id":99999,"result":{"content":[]}}']},
        "TOOL_TIMEOUT",
        "no answer",
    ),
    "it writes what is not JSON": ({"lines": [NOT_JSON]}, "TOOL_TIMEOUT", "not JSON-RPC"),
    "the result is a text": ({"lines": [line('"result":"done"')]}, "MCP_PROTOCOL", "is a text"),
    "the result is a list": ({"lines": [line('"result":[]')]}, "MCP_PROTOCOL", "is a list"),
    "the result is null": ({"lines": [line('"result":null')]}, "MCP_PROTOCOL", "is null"),
    "the answer is empty": ({"lines": [line('"more":1')]}, "MCP_PROTOCOL", "neither"),
    "the error is malformed": ({"lines": [line('"error":"no"')]}, "MCP_PROTOCOL", "malformed"),
    "the answer is cut": (
        {"lines": [line('"result":{"content":')]},
        "MCP_PROTOCOL",
        "not JSON",
    ),
    "the answer is 40 MB long": ({"size": 40_000_000}, "MCP_PROTOCOL", "more than 32 MiB"),
    "the value is not a number": (
        {"lines": [line(RESULT % "NaN")]},
        "INVALID_TOOL_OUTPUT",
        "nan at value",
    ),
}

FORGIVEN: dict[str, tuple[dict[str, Any], object]] = {
    "it answers twice": ({"lines": [line(RESULT % "1"), line(RESULT % "2")]}, 1),
    "it writes nonsense first": ({"lines": [NOT_JSON, "", "[]", "7", line(RESULT % "1")]}, 1),
    "it leaves out jsonrpc": ({"lines": ['{"id":$ID,"result":{"structuredContent":1}}']}, 1),
    "half a character": ({"lines": [line(RESULT % '"\\ud800"')]}, "\ud800"),
    "deep nesting": ({"lines": [line(RESULT % ("[" * 300 + "]" * 300))]}, None),
    "a storm of notifications": ({"storm": 20_000}, {"k": "a storm of notifications"}),
    "a line of two megabytes": ({"size": 2_000_000}, "x" * 2_000_000),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_rejects_its_own_call_and_names_the_server(
    tmp_path: Path, fault: str
) -> None:
    action, code, words = FAULTS[fault]
    registry = ToolRegistry()
    limit = 20_000 if code != "TOOL_TIMEOUT" else 300
    scenario = {"tools": [tool("flaky"), tool("fine")], "calls": {"flaky": action}}
    bad = scripted(tmp_path, "bad", scenario, tool_timeout_ms=limit)
    good = scripted(tmp_path, "good", {"tools": [tool("fine")]})
    async with fleet(registry, bad, good) as servers:
        await servers.wait_settled()
        found, told = failure(await call(registry, "bad__flaky"))
        assert found == code
        assert "bad" in told
        assert words in told
        assert len(told) < 300
        assert await value(registry, "good__fine", {"n": 1}) == {"n": 1}
        assert await value(registry, "bad__fine", {"n": 2}) == {"n": 2}


@pytest.mark.parametrize("oddity", FORGIVEN)
async def test_an_oddity_is_forgiven(tmp_path: Path, oddity: str) -> None:
    action, expected = FORGIVEN[oddity]
    registry = ToolRegistry()
    scenario = {"tools": [tool("flaky")], "calls": {oddity: action}}
    async with fleet(registry, scripted(tmp_path, "s", scenario)) as servers:
        await servers.wait_settled()
        found = await value(registry, "s__flaky", {"k": oddity})
        assert expected is None or found == expected
        assert await value(registry, "s__flaky", {"n": 2}) == {"n": 2}


async def test_a_program_goes_on_after_every_fault(tmp_path: Path, runtime: QuickJSRuntime) -> None:
    kinds = ["exits", "silent", "error", "other id", "nonsense", "text", "fine"]
    actions = {
        "exits": {"exit": 1},
        "silent": {"silent": True},
        "error": {"error": {"code": -32602, "message": "no"}},
        "other id": FAULTS["it answers with another id"][0],
        "nonsense": {"lines": [NOT_JSON]},
        "text": {"lines": [line('"result":"done"')]},
    }
    program = f"""
        const out: string[] = []
        for (const k of {kinds}) {{
            try {{ await tools.s__flaky({{ k }}); out.push(k + ":ok") }}
            catch (e) {{ out.push(k + ":" + (e as ToolCallError).code) }}
        }}
        return out"""
    registry = ToolRegistry(mode="code", runtime=runtime)
    scenario = {"tools": [tool("flaky")], "calls": actions}
    async with fleet(registry, scripted(tmp_path, "s", scenario, tool_timeout_ms=300)) as servers:
        await servers.wait_settled()
        made = await value(registry, "run_code", {"code": program})
        assert made["result"] == [
            "exits:MCP_SERVER_DOWN",
            "silent:TOOL_TIMEOUT",
            "error:MCP_ERROR",
            "other id:TOOL_TIMEOUT",
            "nonsense:TOOL_TIMEOUT",
            "text:MCP_PROTOCOL",
            "fine:ok",
        ]


async def test_a_server_killed_during_a_call_rejects_it_and_comes_back(tmp_path: Path) -> None:
    registry, watch = ToolRegistry(), Watch()
    scenario = {
        "tools": [tool("pid"), tool("hang")],
        "calls": {"pid": {"pid": True}, "hang": {"progress": [1], "silent": True}},
    }
    told: list[tuple[str | None, str]] = []
    async with fleet(registry, scripted(tmp_path, "s", scenario), watch=watch) as servers:
        await servers.wait_settled()
        before = await value(registry, "s__pid")

        async def hang() -> None:
            told.append(failure(await call(registry, "s__hang")))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(hang)
            await watch.until_progress(1)
            os.kill(before, signal.SIGKILL)
        assert told == [("MCP_SERVER_DOWN", 'Error: server "s" went away during the call')]
        after = await value(registry, "s__pid")
        assert after != before
        await watch.until_state("s", "ready", "reconnecting", "ready")
        assert "s__hang" in registry.known_names()
    assert not is_alive(after)


async def test_a_call_to_a_server_that_stays_away_says_why(tmp_path: Path) -> None:
    registry, watch = ToolRegistry(), Watch()
    server = scripted(tmp_path, "s", {"tools": [tool("die")], "calls": {"die": {"exit": 1}}})
    async with fleet(registry, server, watch=watch) as servers:
        await servers.wait_settled()
        (tmp_path / "s.json").write_text('{"exit": 1, "stderr": "no license\\n"}')
        failure(await call(registry, "s__die"))
        code, told = failure(await call(registry, "s__die"))
        assert code == "MCP_SERVER_DOWN"
        assert "no license" in told
        await watch.until_state("s", "ready", "reconnecting", "failed")
        (tmp_path / "s.json").write_text('{"tools": [{"name": "die"}]}')
        assert await value(registry, "s__die", {"n": 1}) == {"n": 1}  # a call wakes it


@pytest.mark.parametrize("anyio_backend", ["asyncio"])  # the SDK gives the process 2 s to end
async def test_a_server_that_has_stopped_reading_is_started_again(tmp_path: Path) -> None:
    registry, watch = ToolRegistry(), Watch()
    scenario = {"tools": [tool("a")], "calls": {"deaf": {"deaf": True}}}
    server = scripted(tmp_path, "s", scenario, tool_timeout_ms=200)
    async with fleet(registry, server, watch=watch) as servers:
        await servers.wait_settled()
        for arguments in ({"k": "deaf"}, {"text": "x" * 2_000_000}):
            assert failure(await call(registry, "s__a", arguments))[0] == "TOOL_TIMEOUT"
        await watch.until_state("s", "ready", "reconnecting", "ready")
        assert await value(registry, "s__a", {"n": 1}) == {"n": 1}


async def test_arguments_that_cannot_be_written_cost_only_the_call(tmp_path: Path) -> None:
    registry, watch = ToolRegistry(), Watch()
    async with fleet(
        registry, scripted(tmp_path, "s", {"tools": [tool("a")]}), watch=watch
    ) as servers:
        await servers.wait_settled()
        code, _ = failure(await call(registry, "s__a", {"text": "\ud800"}))
        assert code == "INVALID_ARGS"
        assert await value(registry, "s__a", {"n": 1}) == {"n": 1}
        assert watch.states("s") == ["ready"]


async def test_numbers_keep_every_digit(tmp_path: Path) -> None:
    registry = ToolRegistry()
    async with fleet(registry, scripted(tmp_path, "s", {"tools": [tool("a")]})) as servers:
        await servers.wait_settled()
        numbers = {"n": [2**53 + 1, -(2**63), 2**64, 10**30, 1.5e300, None, True]}
        assert await value(registry, "s__a", numbers) == numbers
