"""Abort, the caller's cancellation, closing: one end for each run, and nothing of it afterwards."""

import asyncio
from collections.abc import Callable

import anyio
import anyio.lowlevel
import pytest

from codemode.runtime import (
    AbortController,
    Binding,
    BindingNamespace,
    JsonValue,
    Limits,
    LogEntry,
    QuickJSRuntime,
    RunRequest,
    RunResult,
    RuntimeClosedError,
)
from support import add, kind, texts

pytestmark = pytest.mark.anyio


class Hanging:
    """A function that waits for ever and remembers what became of it."""

    def __init__(self, *, ignores_cancellation: bool = False) -> None:
        self.started = anyio.Event()
        self.cancelled = 0
        self.released = anyio.Event()
        self._ignores = ignores_cancellation

    async def __call__(self, _: JsonValue) -> JsonValue:
        self.started.set()
        while not self.released.is_set():
            try:
                with anyio.CancelScope(shield=self._ignores):  # trio's way to go on regardless
                    await self.released.wait()
            except BaseException as error:
                self.cancelled += 1
                if not (self._ignores and isinstance(error, asyncio.CancelledError)):
                    raise
        return "late"


def request(
    program: str,
    on_log: Callable[[LogEntry], None] | None = None,
    controller: AbortController | None = None,
    limits: Limits | None = None,
    **functions: Binding,
) -> RunRequest:
    return RunRequest(
        program=program,
        bindings=[BindingNamespace(name="tools", functions=functions)],
        signal=controller.signal if controller else None,
        on_log=on_log,
        limits=limits,
    )


async def test_a_signal_that_fired_before_the_run_starts_nothing(runtime: QuickJSRuntime) -> None:
    controller = AbortController()
    controller.abort("not wanted")
    hang = Hanging()
    result = await runtime.run(request("await tools.hang()", controller=controller, hang=hang))
    assert result.error is not None
    assert (result.error.kind, result.error.message) == ("abort", "not wanted")
    assert not hang.started.is_set()


async def test_abort_cancels_the_calls_in_flight_and_keeps_the_log(runtime: QuickJSRuntime) -> None:
    controller, hang = AbortController(), Hanging()
    results: list[RunResult] = []

    async def go() -> None:
        program = "console.log('a'); await tools.hang(); console.log('never')"
        results.append(await runtime.run(request(program, controller=controller, hang=hang)))

    with anyio.fail_after(10):
        async with anyio.create_task_group() as group:
            group.start_soon(go)
            await hang.started.wait()
            controller.abort("enough")
            controller.abort("again")
    assert kind(results[0]) == "abort"
    assert texts(results[0]) == ["a"]
    assert hang.cancelled == 1


@pytest.mark.parametrize(
    "program",
    [
        "console.log('go'); for (;;) {}",
        "console.log('go'); return { get a() { for (;;) {} } }",
        "console.log('go'); for (;;) await null",
    ],
)
async def test_abort_stops_a_program_that_computes(runtime: QuickJSRuntime, program: str) -> None:
    controller, going = AbortController(), anyio.Event()
    results: list[RunResult] = []

    async def go() -> None:
        results.append(
            await runtime.run(request(program, on_log=lambda _: going.set(), controller=controller))
        )

    with anyio.fail_after(10):
        async with anyio.create_task_group() as group:
            group.start_soon(go)
            await going.wait()
            controller.abort()
    assert kind(results[0]) == "abort"


async def test_abort_after_the_result_changes_nothing(runtime: QuickJSRuntime) -> None:
    controller = AbortController()
    result = await runtime.run(request("return 1", controller=controller))
    controller.abort()
    assert (result.value, result.error) == (1, None)


async def test_cancelling_the_awaiting_task_drains_and_goes_on(runtime: QuickJSRuntime) -> None:
    hang, seen = Hanging(), list[str]()

    async def go() -> None:
        try:
            await runtime.run(request("await tools.hang()", hang=hang))
        finally:
            seen.append(f"cancelled {hang.cancelled}")

    with anyio.fail_after(10):
        async with anyio.create_task_group() as group:
            group.start_soon(go)
            await hang.started.wait()
            group.cancel_scope.cancel()
    assert seen == ["cancelled 1"]
    assert (await runtime.run(request("return 1"))).value == 1


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_native_cancellation_of_a_computing_run_is_safe(runtime: QuickJSRuntime) -> None:
    for _ in range(20):
        going = asyncio.Event()
        task = asyncio.create_task(
            runtime.run(
                request("console.log('go'); for (;;) {}", on_log=lambda _, e=going: e.set())
            )
        )
        await going.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert (await runtime.run(request("return 1"))).value == 1


async def test_a_function_that_ignores_its_cancellation_is_left_behind_by_name(
    runtime: QuickJSRuntime,
) -> None:
    stubborn = Hanging(ignores_cancellation=True)
    limits = Limits(wall_ms=100, drain_ms=20)
    with anyio.fail_after(10):
        result = await runtime.run(
            request("await tools.stubborn()", limits=limits, stubborn=stubborn)
        )
    assert kind(result) == "timeout"
    left = "stubborn did not stop within 20 ms of its cancellation and was left running"
    assert texts(result) == [f"{left}; its result is dropped"]
    second = await runtime.run(request("return await tools.add({ a: 1, b: 2 })", add=add))
    stubborn.released.set()
    assert second.value == 3


async def test_a_late_answer_is_dropped_and_wakes_no_other_run(runtime: QuickJSRuntime) -> None:
    late, released = Hanging(ignores_cancellation=True), anyio.Event()

    async def slow(_: JsonValue) -> JsonValue:
        late.released.set()
        await released.wait()
        return "B"

    limits = Limits(wall_ms=50, drain_ms=1)
    first = await runtime.run(request("return await tools.late()", limits=limits, late=late))
    assert kind(first) == "timeout"
    results: list[RunResult] = []

    async def go() -> None:
        results.append(await runtime.run(request("return await tools.slow()", slow=slow)))

    with anyio.fail_after(10):
        async with anyio.create_task_group() as group:
            group.start_soon(go)
            await late.released.wait()
            await anyio.wait_all_tasks_blocked()
            released.set()
    assert results[0].value == "B"


async def test_a_rejected_completion_cancels_what_is_in_flight(runtime: QuickJSRuntime) -> None:
    hang = Hanging()
    program = "tools.hang(); await tools.add({ a: 1, b: 1 }); throw new Error('stop')"
    result = await runtime.run(request(program, hang=hang, add=add))
    assert kind(result) == "exception"
    assert hang.cancelled == 1


async def test_the_wall_budget_ends_a_waiting_program(runtime: QuickJSRuntime) -> None:
    hang = Hanging()
    result = await runtime.run(request("await tools.hang()", limits=Limits(wall_ms=50), hang=hang))
    assert result.error is not None
    assert (result.error.kind, result.error.budget) == ("timeout", "wall")
    assert hang.cancelled == 1


async def test_waiting_costs_no_compute(runtime: QuickJSRuntime) -> None:
    async def slow(_: JsonValue) -> None:
        await anyio.sleep(0.05)

    limits = Limits(compute_ms=40, wall_ms=20_000)
    program = "for (let i = 0; i < 4; i++) await tools.slow(); return 'fine'"
    result = await runtime.run(request(program, limits=limits, slow=slow))
    assert result.value == "fine"
    assert result.stats.compute_ms < 40


async def test_closing_ends_runs_as_abort_and_refuses_later_ones(anyio_backend: str) -> None:
    runtime, hang = QuickJSRuntime(max_runs=2), Hanging()
    results: list[RunResult] = []

    begun = [anyio.Event() for _ in range(2)]

    async def go(program: str, begins: anyio.Event | None = None) -> None:
        if begins is not None:
            begins.set()
        results.append(await runtime.run(request(program, hang=hang)))

    with anyio.fail_after(10):
        async with anyio.create_task_group() as group:
            group.start_soon(go, "await tools.hang()")
            await hang.started.wait()
            for event in begun:  # one of the two waits for a sandbox
                group.start_soon(go, "for (;;) {}", event)
                await event.wait()
            await runtime.aclose()
            assert len(results) == 3
    assert [kind(result) for result in results] == ["abort"] * 3
    assert hang.cancelled == 1
    with pytest.raises(RuntimeClosedError):
        await runtime.run(request("return 1"))
    await runtime.aclose()


async def test_a_run_that_waits_for_a_sandbox_can_be_aborted(anyio_backend: str) -> None:
    controller, hang = AbortController(), Hanging()
    results: list[RunResult] = []
    async with QuickJSRuntime(max_runs=1) as runtime:

        async def go() -> None:
            results.append(await runtime.run(request("return 1", controller=controller)))
            group.cancel_scope.cancel()

        with anyio.fail_after(10):
            async with anyio.create_task_group() as group:
                group.start_soon(runtime.run, request("await tools.hang()", hang=hang))
                await hang.started.wait()
                group.start_soon(go)
                await anyio.wait_all_tasks_blocked()
                controller.abort("no longer wanted")
    assert [kind(result) for result in results] == ["abort"]


async def test_a_computing_run_that_waits_for_a_worker_is_aborted_at_once(
    anyio_backend: str,
) -> None:
    controller, going = AbortController(), anyio.Event()
    results: list[RunResult] = []
    async with QuickJSRuntime(max_runs=40, workers=1) as runtime:

        async def go() -> None:
            program = "console.log('go'); for (;;) {}"
            results.append(
                await runtime.run(
                    request(program, on_log=lambda _: going.set(), controller=controller)
                )
            )
            group.cancel_scope.cancel()

        with anyio.fail_after(20):
            async with anyio.create_task_group() as group:
                group.start_soon(go)
                await going.wait()
                for _ in range(30):
                    group.start_soon(runtime.run, request("for (;;) {}"))
                await anyio.lowlevel.checkpoint()
                controller.abort()
    assert [kind(result) for result in results] == ["abort"]


async def test_an_exception_from_the_log_watcher_ends_the_run_and_is_raised(
    runtime: QuickJSRuntime,
) -> None:
    hang = Hanging()

    def watch(_: LogEntry) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await runtime.run(
            request("tools.hang(); console.log('a'); for (;;) {}", on_log=watch, hang=hang)
        )
    assert (await runtime.run(request("return 1"))).value == 1


async def test_closing_twice_at_once_waits_twice(anyio_backend: str) -> None:
    runtime, hang = QuickJSRuntime(max_runs=2), Hanging()
    with anyio.fail_after(10):
        async with anyio.create_task_group() as group:
            group.start_soon(runtime.run, request("await tools.hang()", hang=hang))
            await hang.started.wait()
            group.start_soon(runtime.aclose)
            group.start_soon(runtime.aclose)


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_second_cancellation_does_not_cut_the_drain_short(runtime: QuickJSRuntime) -> None:
    started, ended = asyncio.Event(), asyncio.Event()

    async def slow_end(_: JsonValue) -> None:
        try:
            started.set()
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.05)
            ended.set()

    limits = Limits(drain_ms=5_000)
    task = asyncio.create_task(runtime.run(request("await tools.f()", limits=limits, f=slow_end)))
    await started.wait()
    task.cancel()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended.is_set()
