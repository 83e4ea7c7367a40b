"""Ways round a policy, and ways to outlive a call, that were open once."""

import asyncio
import logging
from typing import Any

import anyio
import pytest

from codemode.registry import (
    Accept,
    ApprovalOutcome,
    ApprovalQuestion,
    Ask,
    CodeMode,
    Deny,
    ExecContext,
    ImageBlock,
    Next,
    NextExecute,
    PreToolDecision,
    RegistrationError,
    TextBlock,
    ToolDefinition,
    ToolExecution,
    ToolExecutionResult,
    ToolOutput,
    ToolRegistry,
)
from codemode.registry.log import LogEntry, MemoryLog, ToolResultEntry
from codemode.registry.types import ToolErrorInfo
from codemode.runtime import Limits, QuickJSRuntime

from .kit import Counter, call, code, definition, text

pytestmark = pytest.mark.anyio


class Gate:
    """A pre-execute listener that waits at an open question."""

    def __init__(self) -> None:
        self.reached, self.go = anyio.Event(), anyio.Event()

    async def __call__(self, exec: ExecContext, next: Next) -> PreToolDecision:
        self.reached.set()
        await self.go.wait()
        return await next()


# --- scopes and tools that change under a call


async def test_closing_a_scope_under_a_call_lifts_nothing_that_it_forbade() -> None:
    registry, body, gate = ToolRegistry(), Counter(), Gate()
    registry.register(definition("delete", body))
    registry.register(definition("read", body))
    scope = registry.scope("intern")
    scope.restrict(deny=["delete"])
    scope.guard(lambda exec: "never")
    registry.on_pre_execute(gate)
    ends: dict[str, str | None] = {}

    async def ask(name: str) -> None:
        ends[name] = code(await call(registry, name, scope=scope))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask, "delete")
        tasks.start_soon(ask, "read")
        await gate.reached.wait()
        scope.close()
        gate.go.set()
    assert ends == {"delete": "DENIED", "read": "DENIED"}
    assert body.calls == []
    assert scope.visible() == []


async def test_a_call_that_has_reached_its_tool_ends_under_the_listeners_of_its_closed_scope() -> (
    None
):
    registry = ToolRegistry()
    scope = registry.scope("agent")

    async def body(args: Any, exec: ExecContext) -> str:
        scope.close()
        return "sk-secret"

    registry.register(definition(execute=body))
    scope.on_post_execute(lambda exec, result, next: Accept(content="[redacted]"))
    assert text(await call(registry, scope=scope)) == "[redacted]"


async def test_arguments_that_look_wrong_when_a_person_should_be_asked_run_nothing() -> None:
    looked: list[int] = []

    def check(arguments: object) -> list[str]:
        looked.append(1)
        return ["the lookup failed"] if len(looked) == 1 else []

    body, registry = Counter(), ToolRegistry()
    registry.register(definition(execute=body, check_arguments=check))
    registry.on_pre_execute(lambda exec, next: Ask("sure?"))
    assert code(await call(registry)) == "INVALID_ARGS"
    assert body.calls == []


async def test_consent_to_one_tool_is_no_consent_to_its_replacement() -> None:
    registry, body = ToolRegistry(), Counter()

    async def person(question: ApprovalQuestion) -> ApprovalOutcome:
        registration.close()
        registry.register(definition("deploy", body))
        return "allowed-once"

    registry = ToolRegistry(approver=person)
    registration = registry.register(definition("deploy", body))
    registry.on_pre_execute(lambda exec, next: Ask("sure?"))
    result = await call(registry, "deploy")
    assert "was replaced while a person was asked" in text(result)
    assert body.calls == []


async def test_a_person_confirms_what_runs() -> None:
    seen: list[object] = []

    async def person(question: ApprovalQuestion) -> ApprovalOutcome:
        seen.append(question.arguments)
        question.arguments["n"] = 99  # type: ignore[index,call-overload]
        return "allowed-once"

    registry, body = ToolRegistry(approver=person), Counter()
    registry.register(definition(execute=body))
    registry.on_pre_execute(lambda exec, next: Ask("sure?", confirm=True))
    shown: list[object] = []
    registry.on_result(lambda exec, result: shown.append(exec.arguments))
    await call(registry, arguments={"n": 1})
    assert [each["n"] for each in seen] == [99, 99]  # type: ignore[index]
    assert (body.calls, shown) == ([{"n": 1}], [{"n": 1}])


async def test_what_content_replaces_does_not_reach_a_program_as_the_value(
    runtime: QuickJSRuntime,
) -> None:
    registry = ToolRegistry(mode="both", runtime=runtime)
    registry.register(definition("secret", Counter({"key": "sk-secret"}), output={}))
    registry.on_post_execute(
        lambda exec, result, next: Accept(content="[redacted]") if exec.name == "secret" else next()
    )
    native = await call(registry, "secret")
    nested = await call(registry, "run_code", {"code": "return await tools.secret()"})
    assert (text(native), native.value, native.has_value) == ("[redacted]", None, False)
    assert text(nested) == "[redacted]"


async def test_a_scope_of_another_registry_hears_nothing_of_a_call() -> None:
    log, heard = MemoryLog(), list[str]()
    other = ToolRegistry(log=log)
    scope = other.scope("stranger")
    scope.on_result(lambda exec, result: heard.append("result"))
    registry = ToolRegistry()
    registry.register(definition())
    assert code(await call(registry, scope=scope)) == "DENIED"
    assert (log.entries, heard) == ((), [])


async def test_a_call_of_another_registry_opens_no_code_mode(runtime: QuickJSRuntime) -> None:
    guarded, body = ToolRegistry(mode="code", runtime=runtime), Counter()
    guarded.register(definition("danger", body))

    async def outer(args: Any, exec: ExecContext) -> str:
        nested = ToolExecution(call_id="x", name="danger", parent=exec, scope=guarded)
        return str(code(await guarded.execute(nested)))

    registry = ToolRegistry()
    registry.register(definition("outer", outer))
    assert text(await call(registry, "outer")) == "DENIED"
    assert body.calls == []


# --- calls that would outlive the call they belong to


async def test_a_body_left_running_can_call_nothing_any_more(runtime: QuickJSRuntime) -> None:
    log, done, late = MemoryLog(), anyio.Event(), list[str | None]()
    options = CodeMode(limits=Limits(wall_ms=800, drain_ms=5), drain_ms=20)
    registry = ToolRegistry(mode="code", runtime=runtime, log=log, code_mode=options)
    go, body = anyio.Event(), Counter()

    async def stubborn(args: Any, exec: ExecContext) -> str:
        with anyio.CancelScope(shield=True):
            while not go.is_set():
                try:
                    await go.wait()
                except asyncio.CancelledError:
                    continue
            late.append(code(await call(registry, "other", call_id="late", parent=exec)))
            done.set()
        return ""

    registry.register(definition("stubborn", stubborn))
    registry.register(definition("other", body))
    await call(registry, "run_code", {"code": "await tools.stubborn()"})
    entries = log.entries
    go.set()
    with anyio.fail_after(10):
        await done.wait()
    assert (late, body.calls) == (["ABORTED_BEFORE_DISPATCH"], [])
    assert log.entries[: len(entries)] == entries
    assert [e.type for e in log.entries[len(entries) :]] in (
        [],
        ["tool/code-dispatch-start", "tool/code-dispatch"],  # the refusal itself
    )


async def test_a_call_that_a_body_does_not_wait_for_ends_with_the_body() -> None:
    registry, ended = ToolRegistry(), list[str]()
    begun = anyio.Event()

    async def inner(args: Any, exec: ExecContext) -> str:
        begun.set()
        try:
            await anyio.sleep_forever()
        finally:
            ended.append("inner")
        return "never"

    async with anyio.create_task_group() as tasks:

        async def outer(args: Any, exec: ExecContext) -> str:
            async def detached() -> None:
                await call(registry, "inner", call_id="c1:1", parent=exec)
                ended.append("its call")

            tasks.start_soon(detached)
            await begun.wait()
            return "done"

        registry.register(definition("inner", inner))
        registry.register(definition("outer", outer))
        assert text(await call(registry, "outer")) == "done"
        assert ended[0] == "inner"


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_dispatch_that_a_wrapper_gives_up_on_is_ended_and_the_wrapper_named() -> None:
    registry, ended = ToolRegistry(), list[str]()
    begun = anyio.Event()

    async def body(args: Any, exec: ExecContext) -> str:
        begun.set()
        try:
            await anyio.sleep_forever()
        finally:
            ended.append("body")
        return "never"

    async def impatient(exec: ExecContext, next: NextExecute) -> ToolExecutionResult:
        task = asyncio.ensure_future(next())
        await begun.wait()
        assert not task.done()
        return ToolExecutionResult(call_id="x", content=(TextBlock("gave up"),))

    registry.register(definition(execute=body))
    registry.on_execute(impatient)
    result = await call(registry)
    assert "impatient" in text(result)
    assert "before `next` had ended" in text(result)
    assert ended == ["body"]


async def test_a_slow_approver_leaves_its_pair_in_the_log_before_the_run_returns(
    runtime: QuickJSRuntime,
) -> None:
    log, go, asked = MemoryLog(), anyio.Event(), anyio.Event()

    async def slow(question: ApprovalQuestion) -> ApprovalOutcome:
        asked.set()
        with anyio.CancelScope(shield=True):
            while not go.is_set():
                try:
                    await go.wait()
                except asyncio.CancelledError:
                    continue
        return "allowed-once"

    options = CodeMode(limits=Limits(wall_ms=800, drain_ms=5), drain_ms=20, approval_ms=10)
    registry = ToolRegistry(mode="code", runtime=runtime, log=log, approver=slow, code_mode=options)
    registry.register(definition("write"))
    registry.on_pre_execute(lambda exec, next: Ask() if exec.name == "write" else next())
    await call(registry, "run_code", {"code": "await tools.write()"})
    types = [entry.type for entry in log.entries]
    go.set()
    for _ in range(20):
        await anyio.lowlevel.checkpoint()
    assert types == [
        "tool/call", "tool/code-dispatch-start", "approval/asked", "approval/decided",
        "tool/code-dispatch", "tool/result",
    ]  # fmt: skip
    assert [entry.type for entry in log.entries] == types


# --- what others raise


@pytest.mark.parametrize("error", [SystemExit(7), KeyboardInterrupt()])
async def test_nobody_who_is_asked_about_a_call_can_end_the_process(
    runtime: QuickJSRuntime, error: BaseException
) -> None:
    def raises(*_: Any) -> Any:
        raise error

    class Log:
        def append(self, entry: LogEntry) -> None:
            raise error

    for place in ("on_pre_execute", "guard", "on_execute", "on_post_execute"):
        registry = ToolRegistry(mode="both", runtime=runtime)
        registry.register(definition(concurrency_safe=raises))
        with registry.scope("caller") as scope:
            getattr(registry, place)(raises)
            assert code(await call(registry, scope=scope)) == "LISTENER_FAILED"
            program = "return await tools.write().catch((e) => e.code)"
            nested = await call(registry, "run_code", {"code": program}, scope=scope)
            assert nested.is_error
    registry = ToolRegistry(log=Log())
    registry.register(definition())
    assert code(await call(registry)) == "DENIED"
    registry = ToolRegistry()
    registry.register(definition(check_arguments=raises))
    assert code(await call(registry)) == "TOOL_FAILED"
    registry = ToolRegistry()
    registry.register(definition())
    registry.on_result(raises)
    assert not (await call(registry)).is_error


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_tool_that_cancels_its_own_task_rejects_and_the_program_goes_on(
    runtime: QuickJSRuntime,
) -> None:
    async def selfish(args: Any, exec: ExecContext) -> str:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(0)
        return "never"

    registry = ToolRegistry(mode="code", runtime=runtime)
    registry.register(definition("selfish", selfish))
    program = "try { await tools.selfish() } catch (e) { return e.code }"
    with anyio.fail_after(10):
        assert text(await call(registry, "run_code", {"code": program})) == "ABORTED"


async def test_a_tool_that_closes_itself_rejects_and_the_program_goes_on(
    runtime: QuickJSRuntime,
) -> None:
    async def closes(args: Any, exec: ExecContext) -> str:
        raise GeneratorExit

    registry = ToolRegistry(mode="code", runtime=runtime)
    registry.register(definition("closes", closes))
    program = "try { await tools.closes() } catch (e) { return e.message }"
    with anyio.fail_after(10):
        assert text(await call(registry, "run_code", {"code": program})) == "GeneratorExit"


async def test_a_log_that_fails_does_not_hide_how_a_run_ended(
    runtime: QuickJSRuntime, caplog: pytest.LogCaptureFixture
) -> None:
    class Fails(MemoryLog):
        def append(self, entry: LogEntry) -> None:
            if entry.type == "tool/code-dispatch":
                raise OSError("disk full")
            super().append(entry)

    caplog.set_level(logging.CRITICAL)
    registry = ToolRegistry(mode="code", runtime=runtime, log=Fails())
    registry.register(definition("write"))
    result = await call(
        registry, "run_code", {"code": "await tools.write(); throw new Error('mine')"}
    )
    assert "mine" in text(result)


async def test_a_result_that_the_log_cannot_take_is_logged_as_lost(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Picky(MemoryLog):
        def append(self, entry: LogEntry) -> None:
            if entry.type == "tool/result" and not getattr(entry, "is_error", False):
                raise ValueError("not this one")
            super().append(entry)

    caplog.set_level(logging.CRITICAL)
    log = Picky()
    registry = ToolRegistry(log=log)
    registry.register(definition())
    assert not (await call(registry)).is_error
    _, lost = log.entries
    assert isinstance(lost, ToolResultEntry)
    assert lost.error == ToolErrorInfo("LogFailedError", "LOG_FAILED")


# --- hands on results


async def test_an_observer_and_a_wrapper_change_only_copies() -> None:
    registry = ToolRegistry()
    registry.register(definition(execute=Counter({"a": 1}), output={}))
    registry.on_result(lambda exec, result: result.value.update(a=object()))  # type: ignore[union-attr]
    assert (await call(registry)).value == {"a": 1}

    async def meddles(exec: ExecContext, next: NextExecute) -> ToolExecutionResult:
        result = await next()
        assert isinstance(result.value, dict)
        result.value["a"] = object()  # type: ignore[assignment]
        return result

    registry.on_execute(meddles)
    assert code(await call(registry)) == "LISTENER_FAILED"


def test_blocks_of_the_wrong_kind_cannot_be_made() -> None:
    for make in (
        lambda: TextBlock(5),  # type: ignore[arg-type]
        lambda: ImageBlock(b"abc", "image/png"),  # type: ignore[arg-type]
        lambda: ImageBlock("AA==", None),  # type: ignore[arg-type]
        lambda: Deny(None),  # type: ignore[arg-type]
        lambda: Ask(7),  # type: ignore[arg-type]
        lambda: ToolExecution(call_id="c", name="x", scope="y"),  # type: ignore[arg-type]
        lambda: ToolExecution(call_id="c", name="x", signal="y"),  # type: ignore[arg-type]
        lambda: ToolExecution(call_id="c", name="x", parent="y"),  # type: ignore[arg-type]
    ):
        with pytest.raises(TypeError):
            make()


def test_a_listener_that_nobody_would_await_is_refused() -> None:
    async def later(*_: object) -> None: ...

    registry = ToolRegistry()
    for register in (registry.on_result, registry.on_change, registry.on_run_log):
        with pytest.raises(RegistrationError, match="is a plain function"):
            register(later)  # type: ignore[arg-type]


async def test_images_of_a_program_are_bounded_together(runtime: QuickJSRuntime) -> None:
    async def draw(args: Any, exec: ExecContext) -> ToolOutput:
        return ToolOutput(content=[ImageBlock("A" * 1_000, "image/png")])

    options = CodeMode(context_bytes=4_500)
    registry = ToolRegistry(mode="code", runtime=runtime, code_mode=options)
    registry.register(definition("draw", draw))
    program = "for (let i = 0; i < 10; i++) await tools.draw(); return 1"
    result = await call(registry, "run_code", {"code": program})
    *images, note = result.additional_context
    assert len(images) == 4
    assert isinstance(note, TextBlock)
    assert "6 images and texts of tools are left out" in note.text


def test_what_a_definition_says_is_what_it_said_when_it_was_registered() -> None:
    parameters: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "string"}}}
    registry = ToolRegistry()
    registry.register(ToolDefinition(name="t", execute=Counter(), parameters=parameters))
    parameters["properties"]["a"] = {"type": "integer"}
    assert registry.schemas()[0].parameters["properties"] == {"a": {"type": "string"}}


async def test_searching_costs_by_what_is_found(runtime: QuickJSRuntime) -> None:
    registry = ToolRegistry(mode="code", runtime=runtime)
    for number in range(400):
        registry.register(definition(f"tool_{number}", description="words " * 50))
    program = """
    const query = Array.from({ length: 240 }, (_, i) => 'q' + i).join(' ')
    const found = await Promise.all(Array.from({ length: 200 }, () => tools.$search(query)))
    return found.length
    """
    with anyio.fail_after(20):
        assert text(await call(registry, "run_code", {"code": program})) == "200"


async def test_a_program_is_told_of_no_tool_that_it_was_not_given(runtime: QuickJSRuntime) -> None:
    registry = ToolRegistry(mode="code", runtime=runtime)

    async def add(args: Any, exec: ExecContext) -> str:
        registry.register(definition("late", description="a late tool"))
        return ""

    registry.register(definition("add", add))
    program = """
    await tools.add()
    const described = await tools.$describe('late').catch((e) => e.code)
    return [described, (await tools.$search('late tool')).length, typeof tools.late]
    """
    result = await call(registry, "run_code", {"code": program})
    assert result.value is not None
    assert result.value["result"] == ["UNKNOWN_TOOL", 0, "undefined"]  # type: ignore[index,call-overload]
