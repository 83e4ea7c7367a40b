"""Signals and cancelled tasks, at each stage: what runs, what is awaited, how it ends."""

import asyncio
from typing import Any

import anyio
import pytest

from codemode.registry import (
    Accept,
    Allow,
    ExecContext,
    Next,
    NextExecute,
    NextPost,
    PostToolDecision,
    PreToolDecision,
    ToolExecutionResult,
    ToolRegistry,
)
from codemode.registry.log import MemoryLog
from codemode.runtime import AbortController

from .kit import Counter, call, code, definition, text

pytestmark = pytest.mark.anyio


async def test_a_call_whose_signal_has_fired_meets_no_policy() -> None:
    asked: list[str] = []
    registry, body, controller = ToolRegistry(), Counter(), AbortController()
    registry.register(definition(execute=body))
    registry.on_pre_execute(lambda exec, next: asked.append("pre") or Allow())
    registry.on_post_execute(lambda exec, result, next: asked.append("post") or Accept())
    controller.abort()
    result = await call(registry, signal=controller.signal)
    assert (text(result), code(result)) == (
        "Error: tool call aborted before dispatch",
        "ABORTED_BEFORE_DISPATCH",
    )
    assert (asked, body.calls) == ([], [])


async def test_an_abort_in_a_gate_dispatches_nothing() -> None:
    registry, body, controller = ToolRegistry(), Counter(), AbortController()
    registry.register(definition(execute=body))

    async def slow(exec: ExecContext, next: Next) -> PreToolDecision:
        controller.abort()
        await anyio.sleep_forever()
        return Allow()

    registry.on_pre_execute(slow)
    assert code(await call(registry, signal=controller.signal)) == "ABORTED_BEFORE_DISPATCH"
    assert body.calls == []


async def test_an_abort_that_a_gate_does_not_notice_dispatches_nothing_either() -> None:
    registry, body, controller = ToolRegistry(), Counter(), AbortController()
    registry.register(definition(execute=body))

    def sudden(exec: ExecContext, next: Next) -> PreToolDecision:
        controller.abort()
        return Allow()

    registry.on_pre_execute(sudden)
    assert code(await call(registry, signal=controller.signal)) == "ABORTED_BEFORE_DISPATCH"
    assert body.calls == []


async def test_an_abort_in_the_body_cancels_it_and_waits_for_its_end() -> None:
    ended: list[str] = []
    controller = AbortController()

    async def body(args: Any, exec: ExecContext) -> str:
        try:
            controller.abort("enough")
            assert exec.signal.aborted
            await anyio.sleep_forever()
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.lowlevel.checkpoint()
                ended.append(exec.signal.reason)
        return "never"

    registry = ToolRegistry()
    registry.register(definition(execute=body))
    result = await call(registry, signal=controller.signal)
    assert (text(result), code(result)) == ("Error: tool call aborted", "ABORTED")
    assert ended == ["enough"]


async def test_a_body_that_goes_on_to_its_end_is_aborted_all_the_same() -> None:
    controller = AbortController()

    async def body(args: Any, exec: ExecContext) -> str:
        controller.abort()
        return "too late"

    registry = ToolRegistry()
    registry.register(definition(execute=body))
    assert code(await call(registry, signal=controller.signal)) == "ABORTED"


async def test_a_failure_of_the_tools_own_outlives_the_abort_and_is_still_judged() -> None:
    controller, judged = AbortController(), list[bool]()

    async def body(args: Any, exec: ExecContext) -> str:
        controller.abort()
        try:
            await anyio.sleep_forever()
        finally:
            raise ValueError("half written")

    async def post(
        exec: ExecContext, result: ToolExecutionResult, next: NextPost
    ) -> PostToolDecision:
        await anyio.lowlevel.checkpoint()
        judged.append(result.is_error)
        return await next()

    registry = ToolRegistry()
    registry.register(definition(execute=body))
    registry.on_post_execute(post)
    result = await call(registry, signal=controller.signal)
    assert (text(result), code(result)) == ("Error: half written", "TOOL_FAILED")
    assert judged == [True]


async def test_an_abort_in_post_execute_settles_the_call_once() -> None:
    registry, body, controller = ToolRegistry(), Counter(), AbortController()
    registry.register(definition(execute=body))

    async def slow(
        exec: ExecContext, result: ToolExecutionResult, next: NextPost
    ) -> PostToolDecision:
        controller.abort()
        await anyio.sleep_forever()
        return await next()

    results: list[str | None] = []
    registry.on_post_execute(slow)
    registry.on_result(lambda exec, result: results.append(code(result)))
    assert code(await call(registry, signal=controller.signal)) == "ABORTED"
    assert (len(body.calls), results) == (1, ["ABORTED"])


async def test_a_cancellation_that_a_tool_makes_up_is_an_ordinary_error() -> None:
    async def body(args: Any, exec: ExecContext) -> str:
        raise asyncio.CancelledError

    registry = ToolRegistry()
    registry.register(definition(execute=body))
    result = await call(registry, signal=AbortController().signal)
    assert (result.is_error, code(result)) == (True, "TOOL_FAILED")


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_task_that_a_tool_awaits_and_others_cancelled_is_an_ordinary_error() -> None:
    async def body(args: Any, exec: ExecContext) -> str:
        task = asyncio.ensure_future(asyncio.sleep(60))
        task.cancel()
        await task
        return "never"

    registry = ToolRegistry()
    registry.register(definition(execute=body))
    assert code(await call(registry)) == "TOOL_FAILED"


@pytest.mark.parametrize(
    "error", [SystemExit(3), KeyboardInterrupt(), ExceptionGroup("g", [ValueError()])]
)
async def test_a_tool_can_end_no_process(error: BaseException) -> None:
    async def body(args: Any, exec: ExecContext) -> str:
        raise error

    registry = ToolRegistry()
    registry.register(definition(execute=body))
    assert code(await call(registry)) == "TOOL_FAILED"


async def test_when_the_task_is_cancelled_the_body_is_awaited_and_the_end_logged() -> None:
    ended: list[str] = []
    log = MemoryLog()
    begun = anyio.Event()

    async def body(args: Any, exec: ExecContext) -> str:
        begun.set()
        try:
            await anyio.sleep_forever()
        finally:
            ended.append("body")
        return "never"

    registry = ToolRegistry(log=log)
    registry.register(definition(execute=body))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(call, registry)
        await begun.wait()
        tasks.cancel_scope.cancel()
    assert ended == ["body"]
    assert [entry.type for entry in log.entries] == ["tool/call", "tool/result"]


async def test_a_wrappers_own_signal_stops_the_body_and_the_callers_still_counts() -> None:
    seen: list[bool] = []
    outer, inner = AbortController(), AbortController()

    async def body(args: Any, exec: ExecContext) -> str:
        inner.abort("the wrapper's")
        seen.append(exec.signal.aborted)
        await anyio.sleep_forever()
        return "never"

    async def around(exec: ExecContext, next: NextExecute) -> ToolExecutionResult:
        exec.signal = inner.signal
        result = await next()
        seen.append(code(result) == "ABORTED")
        return result

    async def post(
        exec: ExecContext, result: ToolExecutionResult, next: NextPost
    ) -> PostToolDecision:
        seen.append(exec.signal is outer.signal)
        return await next()

    registry = ToolRegistry()
    registry.register(definition(execute=body))
    registry.on_execute(around)
    registry.on_post_execute(post)
    assert code(await call(registry, signal=outer.signal)) == "ABORTED"
    assert seen == [True, True, True]


async def test_nothing_is_called_on_behalf_of_a_call_that_is_over() -> None:
    kept: list[ExecContext] = []
    registry, inner = ToolRegistry(), Counter()

    async def outer(args: Any, exec: ExecContext) -> str:
        kept.append(exec)
        nested = await call(registry, "inner", call_id="c1:1", parent=exec)
        return text(nested)

    registry.register(definition("inner", inner))
    registry.register(definition("outer", outer))
    assert text(await call(registry, "outer")) == "done"
    late = await call(registry, "inner", call_id="c1:2", parent=kept[0])
    assert code(late) == "ABORTED_BEFORE_DISPATCH"
    assert len(inner.calls) == 1
