"""The timeout policy. Budgets here are tiny and the bodies endless, or the budgets endless."""

from typing import Any

import anyio
import pytest

from codemode.registry import (
    Allow,
    ApprovalOutcome,
    ApprovalQuestion,
    Ask,
    ExecContext,
    Next,
    NextExecute,
    NextPost,
    PostToolDecision,
    PreToolDecision,
    TextBlock,
    ToolExecutionResult,
    ToolRegistry,
    tool,
)
from codemode.registry.policies import timeout_policy
from codemode.runtime import AbortController

from .kit import Counter, call, code, definition, text

pytestmark = pytest.mark.anyio


async def endless(args: Any, exec: ExecContext) -> str:
    await anyio.sleep_forever()
    return "never"


async def test_a_tool_ends_at_its_timeout() -> None:
    registry = ToolRegistry()
    registry.register(definition(execute=endless, timeout_ms=5))
    result = await call(registry)
    assert (text(result), code(result)) == ("Error: tool call timed out after 5ms", "TOOL_TIMEOUT")


async def test_a_tool_without_a_timeout_keeps_the_callers_signal() -> None:
    seen: list[bool] = []
    controller = AbortController()

    async def body(args: Any, exec: ExecContext) -> str:
        seen.append(exec.signal is controller.signal)
        return ""

    registry = ToolRegistry()
    registry.register(definition(execute=body))
    await call(registry, signal=controller.signal)
    assert seen == [True]


async def test_at_the_timeout_the_bodys_signal_fires_and_its_end_is_awaited() -> None:
    seen: list[str] = []

    async def body(args: Any, exec: ExecContext) -> str:
        try:
            await anyio.sleep_forever()
        finally:
            seen.append(exec.signal.reason)
        return "never"

    registry = ToolRegistry()
    registry.register(definition(execute=body, timeout_ms=5))
    await call(registry)
    assert seen == ["the tool's timeout has passed"]


async def test_what_a_body_says_after_its_timeout_is_replaced() -> None:
    async def body(args: Any, exec: ExecContext) -> str:
        try:
            await anyio.sleep_forever()
        finally:
            raise ValueError("interrupted")

    registry = ToolRegistry()
    registry.register(definition(execute=body, timeout_ms=5))
    assert code(await call(registry)) == "TOOL_TIMEOUT"


async def test_a_plain_function_sees_its_signal_on_its_thread() -> None:
    @tool(timeout_ms=5)
    def work(exec: ExecContext) -> str:
        while not exec.signal.aborted:
            pass
        return "stopped"

    registry = ToolRegistry()
    registry.register(work)
    assert code(await call(registry, "work")) == "TOOL_TIMEOUT"


async def test_after_the_dispatch_the_callers_signal_is_back() -> None:
    controller, seen = AbortController(), list[bool]()

    async def post(
        exec: ExecContext, result: ToolExecutionResult, next: NextPost
    ) -> PostToolDecision:
        seen.append(exec.signal is controller.signal)
        return await next()

    registry = ToolRegistry()
    registry.register(definition(timeout_ms=60_000))
    registry.on_post_execute(post)
    await call(registry, signal=controller.signal)
    assert seen == [True]


async def test_an_abort_before_the_timeout_stays_an_abort() -> None:
    controller = AbortController()

    async def body(args: Any, exec: ExecContext) -> str:
        controller.abort()
        await anyio.sleep_forever()
        return "never"

    registry = ToolRegistry()
    registry.register(definition(execute=body, timeout_ms=60_000))
    assert code(await call(registry, signal=controller.signal)) == "ABORTED"


async def test_an_abort_after_the_timeout_leaves_it_a_timeout() -> None:
    controller = AbortController()

    async def body(args: Any, exec: ExecContext) -> str:
        try:
            await anyio.sleep_forever()
        finally:
            controller.abort()
        return "never"

    registry = ToolRegistry()
    registry.register(definition(execute=body, timeout_ms=5))
    assert code(await call(registry, signal=controller.signal)) == "TOOL_TIMEOUT"


async def test_a_retry_has_the_whole_budget_at_each_dispatch() -> None:
    attempts: list[int] = []

    async def body(args: Any, exec: ExecContext) -> str:
        attempts.append(1)
        if len(attempts) == 1:
            await anyio.sleep_forever()
        return "quick"

    async def retry(exec: ExecContext, next: NextExecute) -> ToolExecutionResult:
        result = await next()
        return await next.again() if code(result) == "TOOL_TIMEOUT" else result

    registry = ToolRegistry()
    registry.register(definition(execute=body, timeout_ms=300))
    registry.on_execute(retry)
    assert text(await call(registry)) == "quick"


async def test_the_policies_own_time_is_not_the_tools() -> None:
    async def slow(exec: ExecContext, next: Next) -> PreToolDecision:
        await anyio.sleep(0.4)
        return Allow()

    registry = ToolRegistry()
    registry.register(definition(timeout_ms=300))
    registry.on_pre_execute(slow)
    assert not (await call(registry)).is_error


async def test_time_in_which_a_person_is_asked_is_not_the_tools_nor_the_callers_around_it() -> None:
    asked, later = anyio.Event(), anyio.Event()

    async def person(question: ApprovalQuestion) -> ApprovalOutcome:
        asked.set()
        await later.wait()
        return "allowed-once"

    async def outer(args: Any, exec: ExecContext) -> str:
        nested = await call(registry, "inner", call_id="c1:1", parent=exec)
        return text(nested)

    registry = ToolRegistry(approver=person)
    registry.register(definition("inner"))
    registry.register(definition("outer", outer, timeout_ms=400))
    registry.on_pre_execute(lambda exec, next: Ask() if exec.name == "inner" else Allow())
    results: list[ToolExecutionResult] = []

    async def run() -> None:
        results.append(await call(registry, "outer"))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run)
        await asked.wait()
        await anyio.sleep(0.5)  # longer than the timeout
        later.set()
    assert text(results[0]) == "done"


async def test_the_policy_can_be_left_out_or_have_a_default() -> None:
    registry = ToolRegistry(timeouts=False)
    registry.register(definition(timeout_ms=1, execute=Counter("plain")))
    assert text(await call(registry)) == "plain"
    registry.register(definition("slow", endless))
    registry.on_execute(timeout_policy(default_ms=5))
    assert code(await call(registry, "slow")) == "TOOL_TIMEOUT"


async def test_context_that_came_before_the_timeout_is_kept() -> None:
    async def body(args: Any, exec: ExecContext) -> str:
        exec.add_context("so far: 3 files")
        await anyio.sleep_forever()
        return "never"

    registry = ToolRegistry()
    registry.register(definition(execute=body, timeout_ms=5))
    assert (await call(registry)).additional_context == (TextBlock("so far: 3 files"),)
