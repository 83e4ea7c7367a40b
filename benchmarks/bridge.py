"""What a program's call costs through the whole pipeline, beside the same call natively and the bare seam.

python benchmarks/bridge.py [--quick] [--json]
"""

import argparse
import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from functools import partial

from pipeline import with_listeners

from codemode.registry import ToolExecution, ToolRegistry
from codemode.runtime import BindingNamespace, JsonValue, Limits, QuickJSRuntime, RunRequest

CALLS = 2_000
LOOP = "let sum = 0; for (let i = 0; i < {calls}; i++) sum += (await tools.add({{ a: i, b: 1 }})).length; return sum"
TYPICAL = """
const one: string = await tools.add({ a: 1, b: 2 });
const two = await tools.add({ a: Number(one), b: 3 });
const three = await tools.add({ a: Number(two), b: 4 });
return { one, two, three };
"""


async def _code(registry: ToolRegistry, program: str) -> None:
    result = await registry.execute(
        ToolExecution(call_id="c", name="run_code", arguments={"code": program})
    )
    assert not result.is_error, result.content


async def _seconds(job: Callable[[], Awaitable[None]], repeat: int) -> float:
    best = float("inf")
    for _ in range(repeat):
        began = time.perf_counter()
        await job()
        best = min(best, time.perf_counter() - began)
    return best


async def measure(quick: bool) -> dict[str, float]:
    """Figures by name: microseconds per call, or runs per second where the name says so."""
    calls, repeat = (200, 2) if quick else (CALLS, 7)
    async with QuickJSRuntime(limits=Limits(calls=10_000_000)) as runtime:
        registry = with_listeners(3, mode="both", runtime=runtime)
        bare = with_listeners(0, mode="both", runtime=runtime)

        async def add(args: JsonValue) -> JsonValue:
            assert isinstance(args, dict)
            return str(args["a"] + args["b"])  # type: ignore[operator]

        async def seam(program: str) -> None:
            space = BindingNamespace(name="tools", functions={"add": add})
            result = await runtime.run(RunRequest(program=program, bindings=[space]))
            assert result.error is None, result.error

        async def native() -> None:
            for number in range(calls):
                await registry.execute(
                    ToolExecution(call_id="c", name="add", arguments={"a": number, "b": 1})
                )

        loop = LOOP.format(calls=calls)
        empty = LOOP.format(calls=0)
        figures: dict[str, float] = {}
        ways: dict[str, Callable[[str], Awaitable[None]]] = {
            "nested call, three listeners a stage": partial(_code, registry),
            "nested call, no listeners": partial(_code, bare),
            "the bare seam": seam,
        }
        for name, run in ways.items():
            whole = await _seconds(partial(run, loop), repeat)
            start = await _seconds(partial(run, empty), repeat)
            figures[f"{name}, us"] = (whole - start) / calls * 1e6
        figures["the same call natively, us"] = await _seconds(native, repeat) / calls * 1e6

        async def typical(count: int, at_once: int) -> None:
            async def worker() -> None:
                for _ in range(count // at_once):
                    await _code(registry, TYPICAL)

            await asyncio.gather(*(worker() for _ in range(at_once)))

        count = 40 if quick else 1_000
        for at_once in (1, 8):
            seconds = await _seconds(partial(typical, count, at_once), 3)
            figures[f"runs/s of three calls, {at_once} at once"] = count / seconds
    return figures


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--quick", action="store_true", help="few repetitions: a smoke run")
    arguments.add_argument("--json", action="store_true", help="one JSON object")
    given = arguments.parse_args()
    figures = asyncio.run(measure(given.quick))
    if given.json:
        print(json.dumps(figures))  # noqa: T201
        return
    for name, figure in figures.items():
        print(f"{name:44} {figure:10.1f}")  # noqa: T201


if __name__ == "__main__":
    main()
