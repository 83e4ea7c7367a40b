"""A run that waits for a person: neither of its budgets runs, and the one that does names itself.

Time is faked: a person "thinks" by moving the event loop's clock on.
"""

import json
from collections.abc import Callable
from typing import Any

import anyio
import anyio.lowlevel
import pytest
import trio.testing

from codemode.registry import (
    ApprovalOutcome,
    ApprovalQuestion,
    Ask,
    CodeMode,
    ExecContext,
    ToolExecutionResult,
    ToolRegistry,
)
from codemode.registry.log import ApprovalDecidedEntry, MemoryLog
from codemode.runtime import Limits, QuickJSRuntime, RunResult
from leaping import LeapingLoop, leap

from .kit import call, definition, text

pytestmark = pytest.mark.anyio
TEN_MINUTES = 600.0
Approver = Callable[[ApprovalQuestion], Any]


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> tuple[str, dict[str, Any]]:
    if request.param == "asyncio":
        return "asyncio", {"loop_factory": LeapingLoop}
    return "trio", {"clock": trio.testing.MockClock(rate=1.0)}


def person(seconds: float, answer: ApprovalOutcome = "allowed-once") -> Approver:
    """Who answers after so long."""

    async def approve(question: ApprovalQuestion) -> ApprovalOutcome:
        leap(seconds)
        for _ in range(3):  # whatever the leap has made due happens now
            await anyio.lowlevel.checkpoint()
        return answer

    return approve


async def run(registry: ToolRegistry, program: str, **fields: Any) -> ToolExecutionResult:
    return await call(registry, "run_code", {"code": program}, **fields)  # pytest's timeout is real


async def value_of(registry: ToolRegistry, program: str) -> Any:
    result = await run(registry, program)
    assert not result.is_error, text(result)
    return json.loads(text(result))


def registry_of(
    runtime: QuickJSRuntime, approver: Approver, log: MemoryLog | None = None, **options: Any
) -> tuple[ToolRegistry, list[RunResult]]:
    """Whose ``send`` is asked about; and how its runs ended."""
    limits = options.pop("limits", Limits(compute_ms=2_000, wall_ms=20_000))
    registry = ToolRegistry(
        mode="code",
        runtime=runtime,
        log=log,
        approver=approver,
        code_mode=CodeMode(limits=limits, **options),
    )
    registry.register(definition("send"))
    registry.register(definition("look"))
    registry.on_pre_execute(lambda exec, next: Ask() if exec.name == "send" else next())
    results: list[RunResult] = []
    registry.on_run_end(lambda exec, result: results.append(result))
    return registry, results


async def test_ten_minutes_of_thinking_cost_neither_compute_nor_wall(
    runtime: QuickJSRuntime,
) -> None:
    registry, results = registry_of(runtime, person(TEN_MINUTES))
    assert not (await run(registry, "await tools.send(); await tools.look(); return 1")).is_error
    (result,) = results
    assert result.error is None
    assert result.stats.paused_ms >= TEN_MINUTES * 1000
    assert result.stats.wall_ms < 20_000
    assert result.stats.compute_ms < 2_000


async def test_what_was_used_before_the_question_still_counts_after_it(
    runtime: QuickJSRuntime,
) -> None:
    async def look(args: Any, exec: ExecContext) -> str:
        leap(15)
        return "seen"

    registry, results = registry_of(runtime, person(TEN_MINUTES))
    with registry.scope("caller") as scope:
        scope.register(definition("look", look))
        program = "await tools.look(); await tools.send(); await tools.look(); await tick; return 1"
        tick = "const tick = new Promise((done) => setTimeout(done, 60000));"
        result = await run(registry, tick + program, scope=scope)
    assert text(result).startswith(
        "Error: code run failed (timeout): wall-clock budget exhausted: the run took longer than 20000 ms"
    )
    assert results[0].error is not None
    assert results[0].error.budget == "wall"


async def test_a_denial_rejects_in_the_program_and_can_be_caught(runtime: QuickJSRuntime) -> None:
    registry, _ = registry_of(runtime, person(TEN_MINUTES, "rejected"))
    program = "try { await tools.send() } catch (e) { return [e.code, e.message] }"
    assert await value_of(registry, program) == ["DENIED", 'the user rejected tool "send"']


async def never(question: ApprovalQuestion) -> ApprovalOutcome:
    leap(TEN_MINUTES)
    await anyio.sleep_forever()
    raise AssertionError


async def test_a_question_that_nobody_answers_expires_by_its_own_budget_and_says_so(
    runtime: QuickJSRuntime,
) -> None:
    log = MemoryLog()
    registry, results = registry_of(runtime, never, log, approval_ms=TEN_MINUTES * 1000)
    program = "try { await tools.send() } catch (e) { return [e.code, e.message] }"
    code, message = await value_of(registry, program)
    assert code == "APPROVAL_EXPIRED"
    assert message == (
        'approval for tool "send" expired: approval budget exhausted: the run waited for people for '
        "more than 600000 ms"
    )
    assert results[0].stats.wall_ms < 20_000
    decided = [entry for entry in log.entries if isinstance(entry, ApprovalDecidedEntry)]
    assert [entry.outcome for entry in decided] == ["expired"]


async def test_the_questions_of_one_run_share_the_approval_budget(runtime: QuickJSRuntime) -> None:
    limits = Limits(wall_ms=200_000)
    registry, _ = registry_of(runtime, person(40), approval_ms=100_000, limits=limits)
    program = """
        const ends = [];
        for (let i = 0; i < 4; i++) ends.push(await tools.send().then(() => "sent", (e) => e.code));
        return ends;
    """
    assert await value_of(registry, program) == [
        "sent",
        "sent",
        "APPROVAL_EXPIRED",
        "APPROVAL_EXPIRED",
    ]


async def test_another_run_has_an_approval_budget_of_its_own(runtime: QuickJSRuntime) -> None:
    registry, _ = registry_of(runtime, person(80), approval_ms=100_000)
    for _ in range(3):
        assert not (await run(registry, "return await tools.send()")).is_error


async def test_a_run_that_hides_behind_a_question_ends_with_the_approval_budget(
    runtime: QuickJSRuntime,
) -> None:
    """Time is held for the person, not for what else the program does; nor without a bound."""
    limits = Limits(compute_ms=2_000, wall_ms=50)
    registry, results = registry_of(runtime, never, approval_ms=TEN_MINUTES * 1000, limits=limits)
    program = "tools.send().catch(() => {}); await new Promise((done) => setTimeout(done, 60000))"
    result = await run(registry, program)
    assert text(result).startswith("Error: code run failed (timeout): wall-clock")
    assert results[0].stats.paused_ms == TEN_MINUTES * 1000


async def test_computing_while_a_person_is_asked_costs_compute(runtime: QuickJSRuntime) -> None:
    limits = Limits(compute_ms=20, wall_ms=20_000)
    registry, results = registry_of(runtime, never, approval_ms=10**9, limits=limits)
    result = await run(registry, "tools.send().catch(() => {}); await 0; for (;;) {}")
    assert text(result).startswith("Error: code run failed (timeout): compute budget")
    assert results[0].error is not None
    assert results[0].error.budget == "compute"


async def test_a_tool_that_asks_a_person_itself_holds_the_wall_clock_too(
    runtime: QuickJSRuntime,
) -> None:
    async def ask_by_itself(args: Any, exec: ExecContext) -> str:
        with exec.waiting_for_person() as budget:
            assert budget is not None
            assert budget.is_paused
            leap(TEN_MINUTES)
            await anyio.lowlevel.checkpoint()
        return "sure"

    registry, results = registry_of(runtime, never)
    registry.register(definition("confirm", ask_by_itself))
    assert text(await run(registry, "return await tools.confirm()")) == "sure"
    assert results[0].stats.paused_ms >= TEN_MINUTES * 1000


async def test_a_scopes_own_code_mode_is_that_of_its_callers_alone(runtime: QuickJSRuntime) -> None:
    registry, _ = registry_of(runtime, never)
    with registry.scope("caller", code_mode=CodeMode(limits=Limits(compute_ms=5))) as scope:
        bounded = await run(registry, "for (;;) {}", scope=scope)
    assert "compute budget exhausted" in text(bounded)
    assert (await run(registry, "for (let i = 0; i < 1e6; i++) {} return 'through'")).content


async def test_a_listener_of_a_runs_end_sees_failures_and_numbers(runtime: QuickJSRuntime) -> None:
    registry, results = registry_of(runtime, never)
    await run(registry, "await tools.look(); throw new TypeError('no')")
    (result,) = results
    assert result.error is not None
    assert (result.error.kind, result.error.name, result.stats.calls) == (
        "exception",
        "TypeError",
        1,
    )
