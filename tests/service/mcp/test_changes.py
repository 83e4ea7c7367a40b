"""Lists that change while programs run."""

from pathlib import Path

import anyio
import pytest

from codemode.registry import Allow, ExecContext, ToolRegistry
from codemode.runtime import QuickJSRuntime
from codemode.service.mcp import mcp_approval

from .kit import Watch, call, failure, fleet, scripted, tool, value

pytestmark = pytest.mark.anyio

CHANGED = {"tools": [tool("change"), tool("two"), tool("three")]}


async def test_a_run_keeps_the_view_that_it_was_shown(
    tmp_path: Path, runtime: QuickJSRuntime
) -> None:
    registry, watch = ToolRegistry(mode="code", runtime=runtime), Watch()
    scenario = {"tools": [tool("change"), tool("one")], "calls": {"change": CHANGED}}

    @registry.tool
    async def changed() -> str:
        await watch.until_changes(3)
        return "yes"

    program = """
        const out: any[] = [await tools.s__one({ n: 1 }), await tools.s__change({}), await tools.changed({})]
        try { out.push(await tools.s__one({ n: 1 })) } catch (e) { out.push("gone:" + (e as ToolCallError).code) }
        out.push(typeof (tools as any).s__two)
        return out.slice(3)"""
    async with fleet(registry, scripted(tmp_path, "s", scenario), watch=watch) as servers:
        await servers.wait_settled()
        made = await value(registry, "run_code", {"code": program})
        assert made["result"] == ["gone:UNKNOWN_TOOL", "undefined"]
        assert "s__two" in registry.sdk_text()
        assert "s__one" not in registry.sdk_text()
        made = await value(registry, "run_code", {"code": "return await tools.s__two({ n: 2 })"})
        assert made["result"] == {"n": 2}


async def test_only_what_changed_is_registered_anew(tmp_path: Path) -> None:
    registry, watch = ToolRegistry(), Watch()
    after = [tool("change"), tool("same"), tool("other", description="new")]
    scenario = {
        "tools": [tool("change"), tool("same"), tool("other"), tool("gone")],
        "calls": {"change": {"tools": after}},
    }
    moved: list[str] = []
    async with fleet(registry, scripted(tmp_path, "s", scenario), watch=watch) as servers:
        await servers.wait_settled()
        same, other = registry.get("s__same"), registry.get("s__other")
        registry.on_change(lambda scope: moved.append(scope.name))
        await value(registry, "s__change")
        await watch.until_changes(2)
        assert registry.get("s__same") is same
        assert registry.get("s__other") is not other
        assert sorted((change.tool, change.kind) for change in watch.changes) == [
            ("gone", "removed"),
            ("other", "changed"),
        ]
        assert len(moved) == 3  # two closed, one registered
        change = next(change for change in watch.changes if change.kind == "changed")
        assert change.old_digest != change.new_digest


async def test_a_call_in_flight_ends_when_its_tool_is_taken_away(tmp_path: Path) -> None:
    registry, watch = ToolRegistry(), Watch()
    scenario = {
        "tools": [tool("slow")],
        "calls": {
            "slow": {"progress": [1], "tools": [tool("new")], "result": {"structuredContent": 7}}
        },
    }
    async with fleet(registry, scripted(tmp_path, "s", scenario), watch=watch) as servers:
        await servers.wait_settled()
        assert await value(registry, "s__slow") == 7
        await watch.until_changes(2)
        assert registry.known_names() == {"s__new"}


async def test_a_changed_tool_is_asked_about_before_its_next_use(tmp_path: Path) -> None:
    asked: list[str] = []

    async def approve(question: object) -> str:
        asked.append(str(getattr(question, "reason", "")))
        return "allowed-once"

    registry, watch = ToolRegistry(approver=approve), Watch()  # pyright: ignore[reportArgumentType]
    after = [tool("change"), tool("pay", description="now to another account")]
    scenario = {"tools": [tool("change"), tool("pay")], "calls": {"change": {"tools": after}}}
    async with fleet(registry, scripted(tmp_path, "s", scenario), watch=watch) as servers:
        registry.on_pre_execute(mcp_approval(servers))
        await servers.wait_settled()
        await value(registry, "s__pay")
        assert asked == []
        await value(registry, "s__change")
        await watch.until_changes(1)
        assert servers.change_of("s__pay") == watch.changes[0]
        await value(registry, "s__pay")
        assert len(asked) == 1
        assert "changed" in asked[0]
        await value(registry, "s__pay")
        assert len(asked) == 1


HINTS = {
    "plain": {},
    "reads": {"readOnlyHint": True},
    "destroys": {"destructiveHint": True},
    "again": {"idempotentHint": True, "destructiveHint": False},
    "lies": {"readOnlyHint": True, "destructiveHint": True},
}


@pytest.mark.parametrize(
    ("is_trusted", "is_strict", "denied"),
    [
        (False, False, {"destroys", "lies"}),
        (True, False, {"destroys", "lies"}),
        (False, True, {"plain", "reads", "destroys", "again", "lies"}),
        (True, True, {"plain", "destroys", "lies"}),
    ],
)
async def test_hints_spare_a_question_only_when_they_are_trusted(
    tmp_path: Path, is_trusted: bool, is_strict: bool, denied: set[str]
) -> None:
    registry = ToolRegistry()  # nobody answers: what is asked is denied
    tools = [tool(name, annotations=hints) for name, hints in HINTS.items()]
    server = scripted(tmp_path, "s", {"tools": tools}, trust_annotations=is_trusted)
    async with fleet(registry, server) as servers:
        await servers.wait_settled()
        registry.on_pre_execute(mcp_approval(servers, ask_unless_harmless=is_strict))
        found = {name for name in HINTS if (await call(registry, f"s__{name}")).is_error}
        assert found == denied
        safe = {
            name for name in HINTS if getattr(registry.get(f"s__{name}"), "concurrency_safe", None)
        }
        assert safe == ({"reads"} if is_trusted else set())


async def test_other_tools_are_left_to_the_other_policies(tmp_path: Path) -> None:
    registry = ToolRegistry()
    seen: list[str] = []

    @registry.tool
    async def ours() -> str:
        return "yes"

    def rest(exec: ExecContext, next: object) -> Allow:
        seen.append(exec.name)
        return Allow()

    async with fleet(registry, scripted(tmp_path, "s", {"tools": [tool("a")]})) as servers:
        await servers.wait_settled()
        registry.on_pre_execute(mcp_approval(servers, ask_unless_harmless=True))
        registry.on_pre_execute(rest)
        assert not (await call(registry, "ours")).is_error
        assert failure(await call(registry, "s__a"))[0] == "DENIED"
        assert seen == ["ours"]


async def test_a_cancelled_call_is_cancelled_at_the_server(tmp_path: Path) -> None:
    registry, watch = ToolRegistry(), Watch()
    scenario = {
        "tools": [tool("hang"), tool("$received")],
        "calls": {"hang": {"progress": [1], "silent": True}},
    }
    async with fleet(registry, scripted(tmp_path, "s", scenario), watch=watch) as servers:
        await servers.wait_settled()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(call, registry, "s__hang")
            await watch.until_progress(1)
            tasks.cancel_scope.cancel()
        received = await value(registry, "s__$received")
        request = next(m for m in received if m.get("params", {}).get("name") == "hang")
        cancelled = [m for m in received if m["method"] == "notifications/cancelled"]
        assert [m["params"]["requestId"] for m in cancelled] == [request["id"]]


async def test_a_call_that_takes_too_long_is_cancelled_at_the_server(tmp_path: Path) -> None:
    registry = ToolRegistry()
    scenario = {"tools": [tool("hang"), tool("$received")], "calls": {"hang": {"silent": True}}}
    async with fleet(registry, scripted(tmp_path, "s", scenario, tool_timeout_ms=300)) as servers:
        await servers.wait_settled()
        code, told = failure(await call(registry, "s__hang"))
        assert (code, "within 300 ms" in told) == ("TOOL_TIMEOUT", True)
        received = await value(registry, "s__$received")
        assert "notifications/cancelled" in [message["method"] for message in received]


async def test_progress_of_a_programs_calls_is_told_with_the_call_of_the_program(
    tmp_path: Path, runtime: QuickJSRuntime
) -> None:
    registry, watch = ToolRegistry(mode="code", runtime=runtime), Watch()
    scenario = {"tools": [tool("work")], "calls": {"work": {"progress": [1]}}}
    async with fleet(registry, scripted(tmp_path, "s", scenario), watch=watch) as servers:
        await servers.wait_settled()
        code = "await tools.s__work({}); await tools.s__work({})"
        await value(registry, "run_code", {"code": code})
        await watch.until_progress(2)
        assert [told.root_call_id for told in watch.progress] == ["c1", "c1"]
        assert len({told.call_id for told in watch.progress} - {"c1"}) == 2


async def test_progress_is_told_with_the_call_that_it_is_about(tmp_path: Path) -> None:
    registry, watch = ToolRegistry(), Watch()
    scenario = {"tools": [tool("work")], "calls": {"work": {"progress": [1, 2.5]}}}
    async with fleet(registry, scripted(tmp_path, "s", scenario), watch=watch) as servers:
        await servers.wait_settled()
        await value(registry, "s__work")
        told = [(p.server, p.tool, p.call_id, p.progress, p.message) for p in watch.progress]
        assert told == [("s", "work", "c1", 1.0, "step 1"), ("s", "work", "c1", 2.5, "step 2.5")]
