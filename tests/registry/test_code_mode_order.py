"""The calls of one program: their order, their numbers, and which of them may overlap."""

from typing import Any

import anyio
import anyio.lowlevel
import pytest

from codemode.registry import (
    Allow,
    CodeMode,
    ExecContext,
    Next,
    NextPost,
    PostToolDecision,
    PreToolDecision,
    RegistrationError,
    ToolExecutionResult,
)
from codemode.registry.log import MemoryLog
from codemode.runtime import AbortController, BindingError, JsonValue, QuickJSRuntime
from codemode.runtime.testing import ScriptedProgram, ScriptedRuntime

from .codekit import arguments, ended, registry_of, run, started, value_of
from .kit import Counter, definition, text

pytestmark = pytest.mark.anyio


class Meter:
    """Bodies that take some steps; ``most`` is how many ran at one time, ``order`` what happened."""

    def __init__(self) -> None:
        self.running = 0
        self.most = 0
        self.order: list[str] = []

    async def __call__(self, args: Any, exec: ExecContext) -> str:
        name = f"{exec.name}{args.get('n', '')}"
        self.running += 1
        self.most = max(self.most, self.running)
        self.order.append(f"{name} begins")
        try:
            for _ in range(args.get("steps", 5)):
                await anyio.lowlevel.checkpoint()
        finally:
            self.running -= 1
            self.order.append(f"{name} ends")
        return name


class Gate:
    """A body that waits to be let on."""

    def __init__(self) -> None:
        self.begun = anyio.Event()
        self.go = anyio.Event()

    async def __call__(self, args: Any, exec: ExecContext) -> str:
        self.begun.set()
        await self.go.wait()
        return exec.name


class Opener:
    """A body that lets others on as it ends."""

    def __init__(self, *gates: Gate) -> None:
        self.gates = gates

    async def __call__(self, args: Any, exec: ExecContext) -> str:
        for gate in self.gates:
            gate.go.set()
        return exec.name


def gives(answer: object) -> Any:
    def classify(args: JsonValue) -> object:
        return answer

    return classify


def is_safe(args: Any) -> bool:
    return args["safe"] is True


async def test_calls_of_one_promise_all_run_one_after_another_as_they_were_made(
    runtime: QuickJSRuntime,
) -> None:
    meter, log = Meter(), MemoryLog()
    registry = registry_of(
        runtime, definition("a", meter, concurrency_safe=True), definition("b", meter), log=log
    )
    program = """return await Promise.all([
        tools.a({ n: 1, steps: 9 }), tools.b({ n: 2, steps: 1 }), tools.a({ n: 3, steps: 4 })])"""
    assert await value_of(registry, program) == ["a1", "b2", "a3"]
    assert meter.most == 1
    assert [name for name in meter.order if name.endswith("begins")] == [
        "a1 begins", "b2 begins", "a3 begins",
    ]  # fmt: skip
    assert started(log) == [("c1:code:1", "a"), ("c1:code:2", "b"), ("c1:code:3", "a")]


@pytest.mark.parametrize("most", [2, 3, 8])
async def test_safe_bodies_overlap_up_to_the_cap(runtime: QuickJSRuntime, most: int) -> None:
    meter = Meter()
    registry = registry_of(
        runtime, definition("a", meter, concurrency_safe=True), max_parallel_sub_calls=most
    )
    program = """return await Promise.all(Array.from({ length: 20 }, (_, n) => tools.a({ n })))"""
    assert await value_of(registry, program) == [f"a{n}" for n in range(20)]
    assert meter.most == most


@pytest.mark.parametrize(
    "safe", [False, gives(1), gives("yes"), gives(None), dict[str, bool]().__getitem__]
)
async def test_only_a_plain_yes_lets_a_body_overlap(runtime: QuickJSRuntime, safe: Any) -> None:
    meter = Meter()
    tool = definition("a", meter, concurrency_safe=safe)
    registry = registry_of(runtime, tool, max_parallel_sub_calls=4)
    await value_of(registry, "return await Promise.all([tools.a({}), tools.a({}), tools.a({})])")
    assert meter.most == 1


async def test_whether_a_call_may_overlap_can_depend_on_its_arguments(
    runtime: QuickJSRuntime,
) -> None:
    meter = Meter()
    tool = definition("a", meter, concurrency_safe=is_safe)
    registry = registry_of(runtime, tool, max_parallel_sub_calls=4)
    await value_of(
        registry, "return await Promise.all([1, 2].map((n) => tools.a({ n, safe: false })))"
    )
    assert meter.most == 1
    await value_of(
        registry, "return await Promise.all([1, 2].map((n) => tools.a({ n, safe: true })))"
    )
    assert meter.most == 2


async def test_invalid_arguments_make_a_call_exclusive_and_are_shown_to_no_classifier(
    runtime: QuickJSRuntime,
) -> None:
    asked: list[JsonValue] = []

    def classify(args: JsonValue) -> bool:
        asked.append(args)
        return True

    number: Any = {"type": "object", "properties": {"n": {"type": "integer"}}}
    tool = definition("a", Counter(), parameters=number, concurrency_safe=classify)
    registry = registry_of(runtime, tool, max_parallel_sub_calls=2)
    program = "return await tools.a({ n: 'x' }).catch((e) => e.code)"
    assert text(await run(registry, program)) == "INVALID_ARGS"
    assert asked == []


async def test_an_exclusive_call_overlaps_with_nothing_from_its_gates_to_its_judgement(
    runtime: QuickJSRuntime,
) -> None:
    order: list[str] = []

    def note(what: str, exec: ExecContext) -> None:
        if exec.name != "run_code":
            order.append(f"{exec.name} {what}")

    async def pre(exec: ExecContext, next: Next) -> PreToolDecision:
        note("pre", exec)
        await anyio.lowlevel.checkpoint()
        return await next()

    async def post(exec: ExecContext, result: Any, next: NextPost) -> PostToolDecision:
        note("post", exec)
        for _ in range(10):
            await anyio.lowlevel.checkpoint()
        note("judged", exec)
        return await next()

    async def body(args: Any, exec: ExecContext) -> str:
        note("body", exec)
        for _ in range(3):
            await anyio.lowlevel.checkpoint()
        note("done", exec)
        return exec.name

    registry = registry_of(
        runtime,
        definition("a", body, concurrency_safe=True),
        definition("x", body),
        definition("b", body, concurrency_safe=True),
        max_parallel_sub_calls=4,
    )
    registry.on_pre_execute(pre)
    registry.on_post_execute(post)
    await value_of(registry, "return await Promise.all([tools.a(), tools.x(), tools.b()])")
    assert order == [
        f"{name} {what}" for name in "axb" for what in ("pre", "body", "done", "post", "judged")
    ]


async def test_policy_stages_of_overlapping_calls_never_overlap_and_keep_the_order(
    runtime: QuickJSRuntime,
) -> None:
    policies, inside = list[str](), 0

    async def stage(what: str, exec: ExecContext) -> None:
        nonlocal inside
        if exec.name == "run_code":
            return
        inside += 1
        assert inside == 1, "two policy stages at one time"
        for _ in range(4):
            await anyio.lowlevel.checkpoint()
        policies.append(f"{what} {exec.call_id[-1]}")
        inside -= 1

    async def pre(exec: ExecContext, next: Next) -> PreToolDecision:
        await stage("pre", exec)
        return Allow()

    async def guard(exec: ExecContext) -> None:
        await stage("guard", exec)

    async def post(
        exec: ExecContext, result: ToolExecutionResult, next: NextPost
    ) -> PostToolDecision:
        await stage("post", exec)
        return await next()

    meter = Meter()
    registry = registry_of(
        runtime, definition("a", meter, concurrency_safe=True), max_parallel_sub_calls=3
    )
    registry.on_pre_execute(pre)
    registry.guard(guard)
    registry.on_post_execute(post)
    program = (
        """return await Promise.all([60, 1, 30, 1].map((steps, n) => tools.a({ n, steps })))"""
    )
    assert await value_of(registry, program) == ["a0", "a1", "a2", "a3"]
    assert meter.most > 1
    for what in ("pre", "guard", "post"):
        assert [p for p in policies if p.startswith(what)] == [f"{what} {n}" for n in (1, 2, 3, 4)]


async def test_calls_end_in_the_log_in_the_order_in_which_they_were_made(
    runtime: QuickJSRuntime,
) -> None:
    slow, log, order = Gate(), MemoryLog(), list[str]()
    registry = registry_of(
        runtime,
        definition("slow", slow, concurrency_safe=True),
        definition("quick", Opener(slow), concurrency_safe=True),
        log=log,
        max_parallel_sub_calls=2,
    )
    registry.on_result(lambda exec, result: order.append(exec.name))
    program = """const order = []
        await Promise.all([
            tools.slow().then((name) => order.push(name)),
            tools.quick().then((name) => order.push(name))])
        return order"""
    assert await value_of(registry, program) == ["slow", "quick"]  # though quick was done first
    assert ended(log) == [("c1:code:1", "slow", None), ("c1:code:2", "quick", None)]
    assert order == ["slow", "quick", "run_code"]


async def test_a_call_that_is_refused_commits_behind_those_before_it(
    runtime: QuickJSRuntime,
) -> None:
    slow, log = Gate(), MemoryLog()
    number: Any = {"type": "object", "properties": {"n": {"type": "integer"}}}

    def open_slow(args: JsonValue) -> bool:
        return True

    registry = registry_of(
        runtime,
        definition("slow", slow, concurrency_safe=True),
        definition("strict", Counter(), parameters=number, concurrency_safe=True),
        definition("open", Opener(slow), concurrency_safe=open_slow),
        log=log,
        max_parallel_sub_calls=3,
    )
    program = """const ends = await Promise.allSettled(
        [tools.slow(), tools.strict({ n: 'one' }), tools.open()])
        return ends.map((end) => end.reason?.code ?? end.value)"""
    assert await value_of(registry, program) == ["slow", "INVALID_ARGS", "open"]
    assert [(name, error) for _, name, error in ended(log)] == [
        ("slow", None), ("strict", "INVALID_ARGS"), ("open", None),
    ]  # fmt: skip


async def test_a_call_that_a_program_could_not_make_takes_no_number(
    runtime: QuickJSRuntime,
) -> None:
    log = MemoryLog()

    async def fail(args: Any, exec: ExecContext) -> str:
        raise ValueError("no luck")

    registry = registry_of(
        runtime, definition("note", Counter()), definition("fail", fail), log=log
    )
    program = """await tools.note({ at: 1 })
        await tools.fail({ at: 2 }).catch(() => 0)
        for (const odd of [7n, NaN, () => 1, Symbol('s')]) await tools.note({ odd }).catch(() => 0)
        await tools.note({ at: 3 })
        return 0"""
    for call_id in ("c-7", "c-8"):
        log.__init__()
        assert text(await run(registry, program, call_id=call_id)) == "0"
        assert ended(log) == [
            (f"{call_id}:code:1", "note", None),
            (f"{call_id}:code:2", "fail", "TOOL_FAILED"),
            (f"{call_id}:code:3", "note", None),
        ]
        assert arguments(log) == [{"at": 1}, {"at": 2}, {"at": 3}]


async def test_queued_calls_that_never_began_log_nothing_and_take_no_number() -> None:
    gate, other, log, errors = Gate(), Counter(), MemoryLog(), list[str]()
    controller = AbortController()

    async def script(program: ScriptedProgram) -> JsonValue:
        async def one(name: str) -> None:
            try:
                await program.call(name, {})
            except BindingError as error:
                errors.append(f"{name}: {error.message}")

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(one, "gate")
            await gate.begun.wait()
            tasks.start_soon(one, "other")
            tasks.start_soon(one, "other")
            for _ in range(5):  # until both have called
                await anyio.lowlevel.checkpoint()
            controller.abort("the user left")
        await one("other")
        return None

    registry = registry_of(
        ScriptedRuntime(script), definition("gate", gate), definition("other", other), log=log
    )
    result = await run(registry, "", signal=controller.signal)
    assert result.is_error
    assert (other.calls, ended(log)) == ([], [("c1:code:1", "gate", "ABORTED")])
    assert sorted(errors) == sorted(
        [
            "gate: run_code run is over (the user left); gate result discarded",
            "other: run_code run is over (the user left); tool call abandoned",
            "other: run_code run is over (the user left); tool call abandoned",
            "other: run_code run is over (the user left); other not dispatched",
        ]
    )


@pytest.mark.parametrize("cap", [0, -1, True, "2", None, float("nan")])
def test_a_cap_that_is_none_is_refused(cap: Any) -> None:
    with pytest.raises(RegistrationError, match="max_parallel_sub_calls"):
        CodeMode(max_parallel_sub_calls=cap)


async def test_two_runs_at_once_have_queues_of_their_own(runtime: QuickJSRuntime) -> None:
    slow = Gate()
    registry = registry_of(runtime, definition("slow", slow), definition("open", Opener(slow)))
    results: dict[str, JsonValue] = {}

    async def one(call_id: str, program: str) -> None:
        results[call_id] = text(await run(registry, program, call_id=call_id))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(one, "first", "return await tools.slow()")
        await slow.begun.wait()
        tasks.start_soon(one, "second", "return await tools.open()")
    assert results == {"first": "slow", "second": "open"}
