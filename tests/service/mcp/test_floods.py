"""Servers that ask without end."""

from pathlib import Path

import anyio
import pytest

from codemode.registry import ToolRegistry
from codemode.service.mcp import _answers

from .kit import Watch, call, failure, fleet, scripted, tool, value

pytestmark = pytest.mark.anyio


ASKED = pytest.mark.parametrize("method", ["ping", "sampling/createMessage", "elicitation/create"])


@ASKED
async def test_a_server_that_asks_without_end_and_reads_no_answer_is_dropped(
    tmp_path: Path, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_answers, "LONGEST_UNREAD_S", 0.1)
    registry, watch = ToolRegistry(), Watch()
    flood = {"flood": {"method": method, "count": 50_000}}
    bad = scripted(tmp_path, "bad", {"tools": [tool("a")], "calls": {"flood": flood}})
    good = scripted(tmp_path, "good", {"tools": [tool("a")]})
    async with fleet(registry, bad, good, watch=watch) as servers:
        await servers.wait_settled()
        code, told = failure(await call(registry, "bad__a", {"k": "flood"}))
        assert code == "MCP_SERVER_DOWN"
        assert "does not read the answers" in told
        assert await value(registry, "good__a", {"n": 1}) == {"n": 1}
        await watch.until_state("bad", "ready", "reconnecting", "ready")
        reasons = [each.reason for each in watch.statuses if each.state == "reconnecting"]
        assert "more than 100 requests" in reasons[0]
        assert await value(registry, "bad__a", {"n": 2}) == {"n": 2}
        assert watch.states("good") == ["ready"]


@ASKED
async def test_a_server_that_asks_a_lot_and_reads_is_answered(tmp_path: Path, method: str) -> None:
    registry, watch = ToolRegistry(), Watch()
    flood = {"flood": {"method": method, "count": 1_000}}
    scenario = {"tools": [tool("a"), tool("$received")], "calls": {"a": flood}}
    async with fleet(registry, scripted(tmp_path, "s", scenario), watch=watch) as servers:
        await servers.wait_settled()
        assert await value(registry, "s__a", {"n": 1}) == {"n": 1}
        received = await value(registry, "s__$received")
        answers = [each for each in received if str(each.get("id")).startswith("q")]
        assert [each["id"] for each in answers] == [f"q{number}" for number in range(len(answers))]
        assert {"result" in each for each in answers} == {method == "ping"}
        assert watch.states("s") == ["ready"]


async def test_a_block_can_be_left_during_a_flood(tmp_path: Path) -> None:
    registry, watch = ToolRegistry(), Watch()
    flood = {"progress": [1], "flood": {"method": "ping", "count": 50_000}}
    server = scripted(tmp_path, "s", {"tools": [tool("a")], "calls": {"a": flood}})
    with anyio.fail_after(20):
        async with (
            fleet(registry, server, watch=watch) as servers,
            anyio.create_task_group() as tasks,
        ):
            await servers.wait_settled()
            tasks.start_soon(call, registry, "s__a")
            await watch.until_progress(1)
            tasks.cancel_scope.cancel()
    assert servers.status()[0].state == "closed"
