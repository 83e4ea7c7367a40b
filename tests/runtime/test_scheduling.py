"""Many runs on one loop, and loops on many threads."""

import asyncio
import threading

import anyio
import pytest

from codemode.runtime import (
    BindingNamespace,
    InvalidRequestError,
    Limits,
    QuickJSRuntime,
    RunRequest,
)
from support import echo, kind

pytestmark = pytest.mark.anyio


async def test_honest_runs_finish_while_fifty_hot_loops_go_on(runtime: QuickJSRuntime) -> None:
    """Order instead of time: each honest run ends before any of the loops that began before it."""
    ended: list[str] = []
    space = BindingNamespace(name="tools", functions={"echo": echo})
    loops = Limits(compute_ms=60_000, wall_ms=60_000)

    async def hot() -> None:
        await runtime.run(RunRequest(program="for (;;) {}", limits=loops))
        ended.append("hot")

    with anyio.fail_after(50):
        async with anyio.create_task_group() as group:
            for _ in range(50):
                group.start_soon(hot)
            for _ in range(20):
                program = """
                  let s = 0
                  for (let i = 0; i < 5; i++) s += await tools.echo(i)
                  for (let i = 0; i < 200_000; i++) s += i % 2
                  return s"""
                result = await runtime.run(RunRequest(program=program, bindings=[space]))
                assert result.value == 100_010
            assert ended == []
            group.cancel_scope.cancel()


async def test_runs_in_parallel_do_not_mix(runtime: QuickJSRuntime) -> None:
    space = BindingNamespace(name="tools", functions={"echo": echo})

    async def one(n: int) -> None:
        program = f"""
          globalThis.mine = {n}
          for (let i = 0; i < 20; i++) if (await tools.echo({n}) !== {n}) return 'mixed up'
          const bad = {n} % 3 === 0
          if (bad) for (;;) {{}}
          return mine"""
        limits = Limits(compute_ms=50, wall_ms=20_000)
        result = await runtime.run(RunRequest(program=program, bindings=[space], limits=limits))
        assert kind(result) == "timeout" if n % 3 == 0 else result.value == n

    async with anyio.create_task_group() as group:
        for n in range(40):
            group.start_soon(one, n)


def test_each_thread_may_have_a_loop_with_a_runtime_of_its_own() -> None:
    values: list[object] = []

    def work(n: int) -> None:
        async def main() -> None:
            async with QuickJSRuntime(max_runs=4) as runtime:
                results = [await runtime.run(RunRequest(program=f"return {n}")) for _ in range(20)]
                values.extend(result.value for result in results)

        anyio.run(main, backend="trio" if n % 2 else "asyncio")

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(map(str, values)) == sorted(str(n) for n in range(4) for _ in range(20))


def test_a_runtime_may_be_used_by_one_loop_after_another() -> None:
    runtime = QuickJSRuntime(max_runs=2)

    async def one() -> object:
        return (await runtime.run(RunRequest(program="return 1"))).value

    assert [anyio.run(one), anyio.run(one, backend="trio"), asyncio.run(one())] == [1, 1, 1]  # type: ignore[arg-type]
    asyncio.run(runtime.aclose())


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_runtime_refuses_a_second_loop_while_the_first_has_runs(
    runtime: QuickJSRuntime,
) -> None:
    def other() -> None:
        async def main() -> None:
            await runtime.run(RunRequest(program="return 1"))

        asyncio.run(main())

    async with anyio.create_task_group() as group:
        group.start_soon(
            runtime.run, RunRequest(program="await new Promise((r) => setTimeout(r, 20_000))")
        )
        await anyio.wait_all_tasks_blocked()
        with pytest.raises(InvalidRequestError, match="another event loop"):
            await anyio.to_thread.run_sync(other)
        group.cancel_scope.cancel()
