"""Many runs in one process leave nothing behind."""

import gc
import os
import threading
from pathlib import Path

import pytest

from codemode.runtime import BindingNamespace, Limits, QuickJSRuntime, RunRequest
from support import add, echo

pytestmark = [pytest.mark.anyio, pytest.mark.slow, pytest.mark.timeout(240)]

PROGRAMS = [
    "return 1 + 1",
    "return await tools.add({ a: 1, b: 2 })",
    "return (await Promise.all(Array.from({ length: 20 }, (_, i) => tools.echo(i)))).length",
    "throw new Error('no')",
    "const x: = 1",
    "console.log('x'.repeat(1000)); await new Promise((r) => setTimeout(r, 1))",
    "return 'x'.repeat(2e6).length",
    "tools.echo(1); throw 1",
]


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads Linux's /proc")
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_ten_thousand_runs_do_not_grow_memory_threads_or_handles(anyio_backend: str) -> None:
    space = BindingNamespace(name="tools", functions={"add": add, "echo": echo})
    limits = Limits(compute_ms=5, wall_ms=5000)
    async with QuickJSRuntime(max_runs=10) as runtime:

        async def some(count: int) -> None:
            for n in range(count):
                program = PROGRAMS[n % len(PROGRAMS)] if n % 500 else "for (;;) {}"
                await runtime.run(RunRequest(program=program, bindings=[space], limits=limits))
            gc.collect()

        await some(2000)  # the pool, the allocator and the worker threads have what they keep
        before = resident_bytes(), threading.active_count(), len(os.listdir("/proc/self/fd"))
        await some(10_000)
        after = resident_bytes(), threading.active_count(), len(os.listdir("/proc/self/fd"))
    assert after[0] - before[0] < 8 << 20
    assert after[1] <= before[1]
    assert after[2] <= before[2]
