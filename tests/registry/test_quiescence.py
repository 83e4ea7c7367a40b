"""When ``run_code`` has returned, whatever ended it, nothing of the run goes on.

Two thousand random schedules: programs put together from pieces, tools and listeners that yield at
random, some of them slow to stop, ended in every way there is. A failure names its seed.
"""

import asyncio
import contextlib
from collections import Counter
from random import Random
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from anyio.abc import TaskGroup

from codemode.registry import (
    CodeMode,
    ExecContext,
    ToolExecutionResult,
    ToolRegistry,
    content_text,
)
from codemode.registry.log import CodeDispatchEntry, MemoryLog
from codemode.runtime import (
    AbortController,
    BindingError,
    JsonValue,
    Limits,
    QuickJSRuntime,
    RuntimeUnavailableError,
)
from codemode.runtime.testing import ScriptedFailureError, ScriptedProgram, ScriptedRuntime

from .kit import Counter as Body
from .kit import call, code, definition, text
from .quiescence import ENDS, NAMES, Household, living, random_program

pytestmark = pytest.mark.anyio
EACH = 100  # schedules of one test


async def one(house: Household, program: str, end: str) -> ToolExecutionResult | None:
    """The result of the run; None if its task was cancelled."""
    result: ToolExecutionResult | None = None
    if end == "cancel":
        with anyio.CancelScope() as scope:
            house.strike = scope.cancel
            result = await house.run(program)
    else:
        if end == "abort":
            house.strike = lambda: house.controller.abort("struck")
        result = await house.run(program)
    await house.must_be_still()
    return result


def kind_of(result: ToolExecutionResult | None) -> str:
    if result is None:
        return "cancelled"
    text = content_text(result.content)
    return text[text.index("(") + 1 : text.index(")")] if result.is_error else "value"


@pytest.mark.parametrize("batch", range(7))
async def test_nothing_goes_on_after_a_run_in_the_sandbox(
    runtime: QuickJSRuntime, batch: int, anyio_backend: str
) -> None:
    kinds: Counter[str] = Counter()
    for number in range(EACH):
        seed = f"{anyio_backend} {batch} {number}"
        rng = Random(seed)
        end = ENDS[number % len(ENDS)]
        house = Household(rng, runtime, end)
        before = await living()
        try:
            with anyio.fail_after(15):
                kinds[kind_of(await one(house, random_program(rng, end), end))] += 1
            assert await living() == before, "a task or a timer is alive"
            await house.must_run_again()
        except (AssertionError, TimeoutError) as error:
            raise AssertionError(f"seed {seed!r}, end {end}: {error!r}") from error
    wanted = {"value", "exception", "abort", "cancelled", "timeout", "output-limit", "memory-limit"}
    assert wanted <= kinds.keys(), kinds


# --- exact moments: a scripted runtime, which leaves the calls in flight to the bridge


class Unruly:
    """A program that makes calls from tasks of its own and ends without waiting for them."""

    def __init__(self, rng: Random, end: str, tasks: TaskGroup, late: Counter[str]) -> None:
        self.rng, self.end, self.tasks = rng, end, tasks
        self.house: Household | None = None
        self.late = late  # what the calls came to

    async def _caller(self, program: ScriptedProgram) -> None:
        for _ in range(self.rng.randrange(1, 4)):
            try:
                await program.call(self.rng.choice(NAMES), {"n": self.rng.randrange(100)})
                self.late["value"] += 1
            except BindingError as error:
                self.late[error.message if "is over" in error.message else "failed"] += 1

    async def __call__(self, program: ScriptedProgram) -> JsonValue:
        assert self.house is not None
        for _ in range(self.rng.randrange(1, 6)):
            self.tasks.start_soon(self._caller, program)
        fired = anyio.Event()
        program.signal.add_listener(fired.set)
        if self.end in ("abort", "cancel"):
            await fired.wait()
            raise ScriptedFailureError("abort", program.signal.reason)
        for _ in range(self.rng.randrange(12)):
            await anyio.lowlevel.checkpoint()
        if self.end == "raise":
            raise RuntimeUnavailableError("the sandbox is gone")
        if self.end == "crash":
            raise MemoryError
        if self.end == "throw":
            raise ScriptedFailureError("exception", "end")
        return "end"


SCRIPTED_ENDS = ("value", "throw", "raise", "crash", "abort", "cancel")


@pytest.mark.parametrize("end", SCRIPTED_ENDS)
async def test_nothing_goes_on_after_a_runtime_that_leaves_its_calls_behind(
    end: str, anyio_backend: str
) -> None:
    kinds: Counter[str] = Counter()
    late: Counter[str] = Counter()
    for number in range(50):
        seed = f"{anyio_backend} {end} {number}"
        before = await living()
        try:
            with anyio.fail_after(15):
                kind = await _scripted(Random(seed), end, number, late)
            kinds[kind] += 1
            assert await living() == before, "a task or a timer is alive"
        except (AssertionError, TimeoutError) as error:
            raise AssertionError(f"seed {seed!r}: {error!r}") from error
    assert (
        kinds.keys()
        == {
            "value": {"value"},
            "throw": {"exception"},
            "raise": {"worker-exit"},
            "crash": {"crash"},
            "abort": {"abort"},
            "cancel": {"cancelled"},
        }[end]
    )
    reason = {"abort": "struck"}.get(end, "run_code settled")
    over = {key for key in late if "is over" in key}
    assert over
    assert all(key.startswith(f"run_code run is over ({reason})") for key in over), over


async def _scripted(rng: Random, end: str, number: int, late: Counter[str]) -> str:
    """One run, struck at an exact step of its bodies and listeners."""
    result: ToolExecutionResult | None = None
    async with anyio.create_task_group() as tasks:
        script = Unruly(rng, end, tasks, late)
        house = script.house = Household(rng, ScriptedRuntime(script), end)
        house.at = 1 + number // 3
        if end == "abort":
            house.strike = lambda: house.controller.abort("struck")
        with anyio.CancelScope() as scope:
            if end == "cancel":
                house.strike = scope.cancel
            if end in ("abort", "cancel"):  # also where the calls end before that step
                tasks.start_soon(_strike_in_the_end, house)
            result = await house.run("")
        await house.must_be_still()
    if end == "crash":
        assert result is not None
        assert "MemoryError" in content_text(result.content)
        return "crash"
    return kind_of(result)


async def _strike_in_the_end(house: Household) -> None:
    for _ in range(300):
        await anyio.lowlevel.checkpoint()
    house.strike()


# --- a tool that does not stop


class Stubborn:
    """A body that goes on, whatever happens, until it is let go."""

    def __init__(self) -> None:
        self.begun = anyio.Event()
        self.let_go = anyio.Event()  # set on any way out of the test: else its loop cannot end
        self.ended = anyio.Event()

    async def __call__(self, args: Any, exec: ExecContext) -> str:
        with anyio.CancelScope(shield=True):
            self.begun.set()
            while not self.let_go.is_set():
                with contextlib.suppress(asyncio.CancelledError):  # asyncio's own knows no shield
                    await self.let_go.wait()
        self.ended.set()
        return "at last"


PROGRAMS = {
    "throw": "const go = tools.ready(); void tools.stubborn({ n: 1 }); await go; throw 1",
    "abort": "await tools.ready(); await tools.stubborn({ n: 1 })",
    "wall": "await tools.ready(); await tools.stubborn({ n: 1 })",
}


@pytest.mark.parametrize("end", PROGRAMS)
async def test_a_tool_that_does_not_stop_is_reported_and_left(
    runtime: QuickJSRuntime, end: str
) -> None:
    stubborn, log, seen = Stubborn(), MemoryLog(), list[str]()
    ends: list[ToolExecutionResult] = []
    limits = Limits(wall_ms=1_000 if end == "wall" else 20_000, drain_ms=5)
    registry = ToolRegistry(
        mode="code",
        runtime=runtime,
        log=log,
        code_mode=CodeMode(limits=limits, drain_ms=20, max_parallel_sub_calls=2),
    )
    controller = AbortController()

    async def ready(args: Any, exec: ExecContext) -> None:
        if end == "throw":
            await stubborn.begun.wait()

    async def abort_when_begun() -> None:
        await stubborn.begun.wait()
        if end == "abort":
            controller.abort("enough")

    registry.register(definition("stubborn", stubborn, concurrency_safe=True))
    registry.register(definition("ready", ready, concurrency_safe=True))
    registry.register(definition("other", Body("works")))
    registry.on_result(lambda exec, result: seen.append(exec.name))
    try:
        with anyio.fail_after(10):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(abort_when_begun)
                arguments = {"code": PROGRAMS[end]}
                ends.append(await call(registry, "run_code", arguments, signal=controller.signal))
            assert (code(ends[0]), stubborn.ended.is_set()) == ("CODE_RUN_FAILED", False)
            left = [
                e for e in log.entries if isinstance(e, CodeDispatchEntry) and e.name == "stubborn"
            ]
            assert [(e.sub_call_id, e.is_error, e.arguments) for e in left] == [
                ("c1:code:2", True, {"n": 1})
            ]
            assert left[0].error is not None
            assert (left[0].error.code, left[0].result_summary) == ("ABORTED", "(left running)")
            entries, shown = log.entries, list(seen)
            stubborn.let_go.set()
            await stubborn.ended.wait()
            for _ in range(20):
                await anyio.lowlevel.checkpoint()
            assert (log.entries, seen) == (entries, shown)
            after = await call(registry, "run_code", {"code": "return await tools.other({})"})
    finally:
        stubborn.let_go.set()
    assert text(after) == "works"
