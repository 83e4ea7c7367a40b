"""How runs end: by themselves, by a signal, by a runtime that fails, by limits and wrappers."""

from typing import Any

import anyio
import anyio.lowlevel
import pytest

from codemode.registry import (
    CodeMode,
    Deny,
    ExecContext,
    Next,
    NextExecute,
    PromptError,
    ToolExecutionResult,
    ToolRegistry,
)
from codemode.registry.log import LogEntry, MemoryLog
from codemode.registry.policies.timeout import timeout_policy
from codemode.runtime import (
    AbortController,
    BindingError,
    JsonValue,
    Limits,
    QuickJSRuntime,
    RunRequest,
    RunResult,
    RuntimeClosedError,
)
from codemode.runtime.testing import ScriptedProgram, ScriptedRuntime

from .codekit import echo, ended, kinds, registry_of, run, started, value_of
from .kit import Counter, call, code, definition, text

pytestmark = pytest.mark.anyio


async def test_a_binding_that_is_called_after_the_run_dispatches_nothing() -> None:
    kept: list[ScriptedProgram] = []

    async def script(program: ScriptedProgram) -> JsonValue:
        kept.append(program)
        return await _as_json(program.call("echo", {"n": 1}))

    body, log = Counter(), MemoryLog()
    registry = registry_of(ScriptedRuntime(script), definition("echo", body), log=log)
    assert not (await run(registry, "")).is_error
    entries = log.entries
    with pytest.raises(
        BindingError, match=r"run is over \(run_code settled\); echo not dispatched"
    ):
        await kept[0].call("echo", {"n": 2})
    assert (body.calls, log.entries) == ([{"n": 1}], entries)


async def _as_json(call: Any) -> JsonValue:
    return await call


async def test_an_abort_before_the_run_starts_no_program() -> None:
    async def script(program: ScriptedProgram) -> JsonValue:
        return 1

    runtime, controller = ScriptedRuntime(script), AbortController()
    controller.abort()
    result = await run(registry_of(runtime), "", signal=controller.signal)
    assert code(result) == "ABORTED_BEFORE_DISPATCH"
    assert runtime.requests == []


async def test_an_abort_reaches_the_body_and_what_was_printed_is_kept(
    runtime: QuickJSRuntime,
) -> None:
    controller, reasons = AbortController(), list[str]()

    async def body(args: Any, exec: ExecContext) -> None:
        controller.abort("the user left")
        try:
            await anyio.sleep_forever()
        finally:
            reasons.append(exec.signal.reason)

    registry = registry_of(runtime, definition("slow", body))
    program = "console.log('begun'); await tools.slow(); return 'never'"
    result = await run(registry, program, signal=controller.signal)
    assert text(result) == (
        "Error: code run failed (abort): the user left\nCaptured output:\nbegun"
    )
    assert reasons == ["the user left"]


async def test_run_code_takes_no_listener_of_the_signal_along(runtime: QuickJSRuntime) -> None:
    controller = AbortController()
    registry = registry_of(runtime, definition("echo", echo))
    for _ in range(3):
        await run(registry, "return await tools.echo({})", signal=controller.signal)
    assert not controller.signal._listeners  # pyright: ignore[reportPrivateUsage]


class Failing:
    """A runtime that fails to run."""

    isolation = "none"

    def __init__(self, error: BaseException, language: str = "typescript") -> None:
        self.error = error
        self.language = language

    async def run(self, request: RunRequest) -> RunResult:
        raise self.error

    async def aclose(self) -> None:
        pass


async def test_a_runtime_that_is_closed_is_a_failed_run() -> None:
    registry = registry_of(Failing(RuntimeClosedError("the runtime is closed")))
    result = await run(registry, "return 1")
    assert (code(result), text(result)) == (
        "CODE_RUN_FAILED",
        "Error: code run failed (worker-exit): the runtime is closed",
    )


async def test_a_runtime_that_breaks_is_an_error_and_raises_nothing() -> None:
    result = await run(registry_of(Failing(KeyError("wasm"))), "return 1")
    assert result.is_error
    assert "wasm" in text(result)


async def test_without_a_runtime_run_code_is_an_error_and_prompts_cannot_be_made() -> None:
    registry = registry_of(None)
    result = await run(registry, "return 1")
    assert code(result) == "CODE_RUN_FAILED"
    assert "runtime" in text(result)
    with pytest.raises(PromptError, match="requires a code runtime"):
        await registry.prompt.assemble()


async def test_a_runtime_of_another_language_is_refused_by_name() -> None:
    registry = registry_of(Failing(KeyError(), language="python"))
    with pytest.raises(PromptError, match=r'"typescript".*"python"'):
        await registry.prompt.assemble()


async def test_a_runtime_may_come_later(runtime: QuickJSRuntime) -> None:
    registry = registry_of(None)
    registry.runtime = runtime
    assert text(await run(registry, "return 1 + 1")) == "2"


# --- limits of run_code itself


async def test_a_runs_limits_are_those_of_code_mode(runtime: QuickJSRuntime) -> None:
    registry = registry_of(runtime, limits=Limits(compute_ms=5))
    result = await run(registry, "for (;;) {}")
    assert text(result).startswith("Error: code run failed (timeout): compute")


async def test_a_tools_timeout_holds_inside_a_program(runtime: QuickJSRuntime) -> None:
    async def slow(args: Any, exec: ExecContext) -> None:
        await anyio.sleep_forever()

    registry = registry_of(runtime, definition("slow", slow, timeout_ms=5))
    program = "return await tools.slow().catch((e) => [e.code, e.message])"
    assert await value_of(registry, program) == ["TOOL_TIMEOUT", "tool call timed out after 5ms"]


async def test_waiting_for_a_tool_costs_a_program_no_compute(runtime: QuickJSRuntime) -> None:
    async def slow(args: Any, exec: ExecContext) -> str:
        await anyio.sleep(0.08)
        return "after all"

    registry = registry_of(runtime, definition("slow", slow), limits=Limits(compute_ms=40))
    assert text(await run(registry, "return await tools.slow()")) == "after all"


async def test_a_wrapper_can_bound_run_code_itself(runtime: QuickJSRuntime) -> None:
    ends: list[str] = []

    async def slow(args: Any, exec: ExecContext) -> None:
        try:
            await anyio.sleep_forever()
        finally:
            ends.append("slow")

    async def bound(exec: ExecContext, next: NextExecute) -> ToolExecutionResult:
        if exec.name != "run_code":
            return await next()
        own = AbortController()
        exec.signal = own.signal
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_abort_when_waiting, own, ends)
            return await next()
        raise AssertionError

    registry = registry_of(runtime, definition("slow", slow))
    registry.on_execute(bound)
    registry.on_pre_execute(_noting(ends))
    result = await run(registry, "await tools.slow()")
    assert result.is_error
    assert ends == ["asked", "slow"]


def _noting(ends: list[str]) -> Any:
    async def pre(exec: ExecContext, next: Next) -> Any:
        if exec.name == "slow":
            ends.append("asked")
        return await next()

    return pre


async def _abort_when_waiting(controller: AbortController, ends: list[str]) -> None:
    while not ends:
        await anyio.lowlevel.checkpoint()
    controller.abort("bounded")


@pytest.mark.parametrize(
    "arguments", [{}, {"code": 7}, {"code": None}, {"program": "return 1"}, {"code": ["return 1"]}]
)
async def test_run_code_without_a_program_is_told_so(
    runtime: QuickJSRuntime, arguments: Any
) -> None:
    result = await call(registry_of(runtime), "run_code", arguments)
    assert code(result) == "INVALID_ARGS"
    assert '"code"' in text(result)


async def test_run_code_is_gated_and_logged_like_any_tool(runtime: QuickJSRuntime) -> None:
    log = MemoryLog()
    registry = ToolRegistry(mode="both", runtime=runtime, log=log, code_mode=CodeMode())
    registry.on_pre_execute(lambda exec, next: Deny("no programs today"))
    result = await run(registry, "return 1")
    assert (text(result), code(result)) == ("Error: no programs today", "DENIED")
    assert kinds(log.entries) == ["tool/call", "tool/result"]


async def test_a_default_timeout_ends_run_code_and_everything_in_it(
    runtime: QuickJSRuntime,
) -> None:
    ends, log = list[str](), MemoryLog()

    async def slow(args: Any, exec: ExecContext) -> None:
        try:
            await anyio.sleep_forever()
        finally:
            ends.append("slow")

    registry = ToolRegistry(mode="code", runtime=runtime, log=log, timeouts=False)
    registry.register(definition("slow", slow, timeout_ms=30_000))
    registry.on_execute(timeout_policy(default_ms=50))
    result = await run(registry, "await tools.slow()")
    assert code(result) == "TOOL_TIMEOUT"
    assert ends == ["slow"]
    assert ended(log) == [("c1:code:1", "slow", "ABORTED")]
    assert kinds(log.entries)[-1] == "tool/result"


# --- a log that fails


class BrittleLog:
    """Refuses entries of one type."""

    def __init__(self, refused: str) -> None:
        self.refused = refused
        self.memory = MemoryLog()

    def append(self, entry: LogEntry) -> None:
        if entry.type == self.refused:
            raise OSError("disk full")
        self.memory.append(entry)


async def test_a_call_that_cannot_be_logged_as_begun_does_not_run(runtime: QuickJSRuntime) -> None:
    log, body = BrittleLog("tool/code-dispatch-start"), Counter()
    registry = ToolRegistry(mode="code", runtime=runtime, log=log)
    registry.register(definition("write", body))
    program = "return await tools.write().catch((e) => [e.code, e.message])"
    assert await value_of(registry, program) == [
        "DENIED", "the session log cannot be written: disk full",
    ]  # fmt: skip
    assert body.calls == []


async def test_a_log_that_fails_at_the_end_of_a_call_changes_nothing_of_it(
    runtime: QuickJSRuntime,
) -> None:
    log = BrittleLog("tool/code-dispatch")
    registry = ToolRegistry(mode="code", runtime=runtime, log=log)
    registry.register(definition("write"))
    assert text(await run(registry, "return await tools.write()")) == "done"
    assert started(log.memory) == [("c1:code:1", "write")]
