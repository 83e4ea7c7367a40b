"""The sandbox's speed: workloads on this runtime, on the bare guest under it, and on peers.

    python benchmarks/sandbox.py [--json] [--quick]

Every figure is measured in this one run, each workload on each contestant in turn. The *floor* is the
same guest driven by the smallest loop that works, without our Python: what is between it and our
figure is what our Python costs. Peers (quickjs-rs, pydantic-monty, quickjs) take part where they are
installed: ``pip install -e '.[peers]'``.
"""

import argparse
import asyncio
import gc
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parent))

import floor
import peers
from workloads import (
    BIG_ROWS,
    COMPUTE,
    FANOUT,
    HOST_CALLS,
    JAVASCRIPT_20,
    LARGE_RESULT,
    ONE,
    TYPESCRIPT_20,
    TYPICAL,
    functions,
)

from codemode.runtime import BindingNamespace, Limits, QuickJSRuntime, RunRequest

LIMITS: Final = Limits(compute_ms=60_000, wall_ms=60_000)
COLD_PROGRAM: Final = """
import asyncio
from codemode.runtime import QuickJSRuntime, RunRequest
async def main():
    async with QuickJSRuntime() as runtime:
        result = await runtime.run(RunRequest(program="return 1 + 1"))
        assert result.value == 2
asyncio.run(main())
"""
Row = tuple[str, str, float | None]

TARGETS: Final[Mapping[str, tuple[str, float]]] = {
    "cold_ms": ("process start to first result, module cache warm", 150),
    "fresh_p50_ms": ("fresh sandbox, `return 1+1`, p50", 0.20),
    "fresh_p99_ms": ("fresh sandbox, `return 1+1`, p99", 0.6),
    "host_call_us": ("one awaited host call (of 1,000)", 30),
    "fanout_ms": ("Promise.all over 200 that sleep 1 ms", 15),
    "large_result_ms": ("1 MB JSON result, filtered", 25),
    "fib_ms": ("compute: fib(27)", 27),
    "loop_ms": ("compute: 300k loop", 10),
    "sort_ms": ("compute: sort 100k", 93),
    "json_ms": ("compute: JSON 1.2 MB", 75),
    "text_ms": ("compute: regex and strings", 67),
    "runs_per_s": ("typical program, one process (at least)", 1300),
    "runs_per_s_2": ("typical program, two processes (at least)", 2000),
    "live_mb": ("memory per live sandbox (100 live)", 0.5),
    "ts_extra_ms": ("20 lines of TypeScript against JavaScript", 0.3),
    "crowd_p99_ms": ("typical program beside 50 hot loops, p99", 100),
    "crowd_stall_ms": ("longest stall of the loop beside them", 25),
}


def median_of(count: int, measure: Callable[[], float]) -> float:
    return statistics.median(measure() for _ in range(count))


def cold_ms(code: str, count: int) -> float:
    def one() -> float:
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
        return (time.perf_counter() - began) * 1000

    one()  # compiles, or reads, the caches
    return median_of(count, one)


class Ours:
    """This runtime, on one event loop."""

    def __init__(self, max_runs: int = 200) -> None:
        self._loop = asyncio.new_event_loop()
        self._space = BindingNamespace(name="tools", functions=functions())
        self._runtime = QuickJSRuntime(limits=LIMITS, max_runs=max_runs)

    async def _run(self, program: str) -> Any:
        result = await self._runtime.run(RunRequest(program=program, bindings=[self._space]))
        if result.error is not None:
            raise RuntimeError(result.error.message)
        return result.value

    def times_ms(self, program: str, count: int) -> list[float]:
        async def many() -> list[float]:
            times: list[float] = []
            for _ in range(count):
                began = time.perf_counter()
                await self._run(program)
                times.append((time.perf_counter() - began) * 1000)
            return times

        return self._loop.run_until_complete(many())

    def runs_per_s(self, program: str, count: int) -> float:
        return count / (sum(self.times_ms(program, count)) / 1000)

    def live_mb(self, count: int) -> float:
        """Growth of the process, for each of ``count`` runs that wait for an answer."""

        async def measure() -> float:
            waiting, release = asyncio.Event(), asyncio.Event()
            arrived = 0

            async def hold(_: Any) -> None:
                nonlocal arrived
                arrived += 1
                if arrived == count:
                    waiting.set()
                await release.wait()

            space = BindingNamespace(name="tools", functions={"hold": hold})
            request = RunRequest(
                program="const a = [1, 2, 3]; await tools.hold(); return a", bindings=[space]
            )
            await self._run(ONE)
            gc.collect()
            before = resident_mb()
            tasks = [asyncio.create_task(self._runtime.run(request)) for _ in range(count)]
            await waiting.wait()
            after = resident_mb()
            release.set()
            await asyncio.gather(*tasks)
            return (after - before) / count

        return self._loop.run_until_complete(measure())

    def crowd(self, hot: int, honest: int) -> tuple[float, float]:
        """With ``hot`` endless loops running: an honest run's p99, and the loop's longest stall; ms."""

        async def measure() -> tuple[float, float]:
            endless = RunRequest(program="for (;;) {}", limits=LIMITS)
            crowd = [asyncio.create_task(self._runtime.run(endless)) for _ in range(hot)]
            await asyncio.sleep(0.5)
            stalls: list[float] = []
            times: list[float] = []

            async def watch() -> None:
                while True:
                    began = time.perf_counter()
                    await asyncio.sleep(0.002)
                    stalls.append((time.perf_counter() - began) * 1000 - 2)

            watcher = asyncio.create_task(watch())
            for _ in range(honest):
                began = time.perf_counter()
                await self._run(TYPICAL)
                times.append((time.perf_counter() - began) * 1000)
                await asyncio.sleep(0.002)
            for task in (watcher, *crowd):
                task.cancel()
            await asyncio.gather(watcher, *crowd, return_exceptions=True)
            return quantile(times, 0.99), max(stalls)

        return self._loop.run_until_complete(measure())

    def close(self) -> None:
        self._loop.run_until_complete(self._runtime.aclose())
        self._loop.close()


def resident_mb() -> float:
    """Private and shared pages that this process has, by proportion."""
    for line in Path("/proc/self/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    return 0.0


def one_process(count: int) -> float:
    ours = Ours(max_runs=8)
    ours.times_ms(TYPICAL, 50)
    began = time.perf_counter()
    ours.times_ms(TYPICAL, count)
    took = time.perf_counter() - began
    ours.close()
    return count / took


def two_processes(count: int) -> float:
    with ProcessPoolExecutor(2) as pool:
        return sum(pool.map(one_process, [count, count]))


def quantile(times: list[float], share: float) -> float:
    return sorted(times)[min(len(times) - 1, int(len(times) * share))]


def measure_ours(quick: bool) -> dict[str, float]:
    scale = 5 if quick else 1
    few = 3 if quick else 9
    live = Ours(max_runs=128)
    live_mb = live.live_mb(100)
    live.close()
    ours = Ours()
    ours.times_ms(ONE, 200)
    fresh = ours.times_ms(ONE, 4000 // scale)
    figures = {
        "cold_ms": cold_ms(COLD_PROGRAM, few),
        "fresh_p50_ms": quantile(fresh, 0.5),
        "fresh_p99_ms": quantile(fresh, 0.99),
        "host_call_us": statistics.median(ours.times_ms(HOST_CALLS, few)),  # ms for 1,000 calls
        "fanout_ms": statistics.median(ours.times_ms(FANOUT, 4 * few)),
        "large_result_ms": statistics.median(ours.times_ms(LARGE_RESULT, few)),
    }
    for name, program in COMPUTE.items():
        figures[f"{name}_ms"] = statistics.median(ours.times_ms(program, few))
    figures["runs_per_s"] = one_process(2000 // scale)
    figures["runs_per_s_2"] = two_processes(2000 // scale)
    figures["live_mb"] = live_mb
    script = statistics.median(ours.times_ms(JAVASCRIPT_20, 1000 // scale))
    typed = statistics.median(ours.times_ms(TYPESCRIPT_20, 1000 // scale))
    figures["ts_extra_ms"] = typed - script
    figures["crowd_p99_ms"], figures["crowd_stall_ms"] = ours.crowd(50, 500 // scale)
    ours.close()
    return figures


def table(
    figures: Mapping[str, float],
    floors: Mapping[str, float],
    others: Mapping[str, Mapping[str, float]],
) -> str:
    names = list(others)
    head = ["workload", "ours", "reach", "floor", *names]
    rows = [head]
    for key, (title, target) in TARGETS.items():
        cells = [title, f"{figures[key]:.3g}", f"{target:g}"]
        cells.append(f"{floors[key]:.3g}" if key in floors else "")
        cells += [f"{others[name][key]:.3g}" if key in others[name] else "" for name in names]
        rows.append(cells)
    widths = [max(len(row[at]) for row in rows) for at in range(len(head))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    ]
    return "\n".join(line.rstrip() for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quick", action="store_true", help="fewer repetitions, for a smoke run")
    parser.add_argument("--no-peers", action="store_true", help="leave the peers out")
    arguments = parser.parse_args()
    assert len(BIG_ROWS) == 10_000
    figures = measure_ours(arguments.quick)
    floors = {"cold_ms": cold_ms("pass", 5), **floor.measure(arguments.quick)}
    others = {} if arguments.no_peers else peers.measure(arguments.quick)
    if arguments.json:
        report = {"figures": figures, "floor": floors, "peers": others}
        sys.stdout.write(json.dumps(report) + "\n")
        return
    machine = f"{os.cpu_count()} cores, Python {sys.version.split()[0]}, {sys.platform}"
    sys.stdout.write(f"{machine}\n{table(figures, floors, others)}\n")


if __name__ == "__main__":
    main()
