# pyright: basic
# The peers have no types and are not installed where types are checked.
"""Other sandboxes on the same workloads, where they are installed.

Each adapter uses its peer as its own documentation does; a workload that a peer cannot express is left
out. Their compute figures include a fresh sandbox, as ours do.
"""

import asyncio
import contextlib
import importlib
import importlib.util
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

from workloads import COMPUTE, HOST_CALLS, LARGE_RESULT, ONE, TYPICAL, functions

Times = Callable[[str, int], list[float]]


def _timed(run: Callable[[str], Any]) -> Times:
    def times(program: str, count: int) -> list[float]:
        out: list[float] = []
        for _ in range(count):
            began = time.perf_counter()
            run(program)
            out.append((time.perf_counter() - began) * 1000)
        return sorted(out)

    return times


def _sync_tools() -> dict[str, Callable[..., Any]]:
    """The tools as plain functions over JSON text, for engines without async."""

    def plain(function: Callable[[Any], Any]) -> Callable[[str], str]:
        def call(text: str) -> str:
            coroutine = function(json.loads(text))
            try:
                coroutine.send(None)
            except StopIteration as stop:
                return json.dumps(stop.value)
            raise RuntimeError("this tool waits, and the engine cannot")

        return call

    return {name: plain(function) for name, function in functions().items() if name != "sleep"}


def quickjs() -> Times:
    """The ``quickjs`` package: native, synchronous, no sandbox of its own."""
    Context = importlib.import_module("quickjs").Context

    tools = _sync_tools()

    def run(program: str) -> Any:
        context: Any = Context()
        for name, function in tools.items():
            context.add_callable(f"__{name}", function)
        members = ", ".join(
            f"{name}: async (a) => JSON.parse(__{name}(JSON.stringify(a)))" for name in tools
        )
        context.eval(f"const tools = {{ {members} }}; let out;")
        context.eval(f"(async () => {{ {program} }})().then((v) => {{ out = JSON.stringify(v) }})")
        while context.execute_pending_job():
            pass
        return json.loads(context.eval("out"))

    return _timed(run)


def quickjs_rs() -> Times:
    """``quickjs-rs``: QuickJS on Wasmtime, asynchronous host functions."""
    Runtime = importlib.import_module("quickjs_rs").Runtime

    tools = functions()
    runtime: Any = Runtime()
    loop = asyncio.new_event_loop()

    async def run_async(program: str) -> Any:
        with runtime.new_context() as context:
            for name, function in tools.items():
                context.register(f"__{name}", function, is_async=True)
            members = ", ".join(f"{name}: __{name}" for name in tools)
            context.eval(f"globalThis.tools = {{ {members} }}; 1")
            return await context.eval_async(f"await (async () => {{ {program} }})()")

    return _timed(lambda program: loop.run_until_complete(run_async(program)))


# The same work in Python, for the peer whose language that is.
IN_PYTHON = {
    ONE: "1 + 1",
    HOST_CALLS: "s = 0\nfor i in range(1000):\n    s = await add({'a': i, 'b': 1})\ns",
    LARGE_RESULT: "len([r for r in await big({}) if r['active'] and r['score'] > 50])",
    COMPUTE["fib"]: ("def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\nfib(27)"),
    COMPUTE["loop"]: "s = 0\nfor i in range(300000):\n    s = (s + i * 7) % 1000003\ns",
}


def monty() -> Times:
    """``pydantic-monty``: a Python subset in worker processes; a fresh session for each run."""
    AsyncMonty = importlib.import_module("pydantic_monty").AsyncMonty

    loop = asyncio.new_event_loop()
    tools = functions()

    async def open_pool() -> Any:
        return await AsyncMonty().__aenter__()

    pool = loop.run_until_complete(open_pool())

    async def run_async(program: str) -> Any:
        async with pool.checkout() as session:
            return await session.feed_run(IN_PYTHON[program], external_lookup=tools)

    return _timed(lambda program: loop.run_until_complete(run_async(program)))


ADAPTERS = {"quickjs": quickjs, "quickjs-rs": quickjs_rs, "pydantic-monty": monty}
MODULES = {"quickjs": "quickjs", "quickjs-rs": "quickjs_rs", "pydantic-monty": "pydantic_monty"}


def measure_one(times: Times, quick: bool) -> dict[str, float]:
    """A peer's figures; a workload that it cannot express is absent."""
    figures: dict[str, float] = {}
    few = 3 if quick else 5

    def take(key: str, program: str, count: int, share: float = 0.5) -> None:
        with contextlib.suppress(Exception):
            got = times(program, count)
            figures[key] = got[min(len(got) - 1, int(len(got) * share))]

    take("fresh_p50_ms", ONE, 200 if quick else 400)
    take("fresh_p99_ms", ONE, 200 if quick else 400, share=0.99)
    take("host_call_us", HOST_CALLS, few)  # ms for 1,000 calls
    take("large_result_ms", LARGE_RESULT, few)
    for workload, program in COMPUTE.items():
        take(f"{workload}_ms", program, few)
    with contextlib.suppress(Exception):
        figures["runs_per_s"] = 1000 / statistics.mean(times(TYPICAL, 50 if quick else 200))
    return figures


def measure(quick: bool) -> dict[str, dict[str, float]]:
    """Figures of each installed peer."""
    found: dict[str, dict[str, float]] = {}
    for name, adapter in ADAPTERS.items():
        if importlib.util.find_spec(MODULES[name]) is None:
            continue
        with contextlib.suppress(Exception):  # another version of the peer takes no part
            found[name] = measure_one(adapter(), quick)
    return found
