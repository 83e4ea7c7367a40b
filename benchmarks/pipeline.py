"""What one call through the registry costs, and what many tools and scopes add to it.

python benchmarks/pipeline.py [--quick] [--json]
"""

import argparse
import asyncio
import json
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

from codemode.registry import (
    ExecContext,
    NextExecute,
    NextPost,
    PostToolDecision,
    PreToolDecision,
    ToolDefinition,
    ToolExecution,
    ToolExecutionResult,
    ToolRegistry,
    tool,
)
from codemode.registry.log import MemoryLog
from codemode.registry.types import Next
from codemode.runtime import AbortController, JsonValue

SCHEMA: dict[str, JsonValue] = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
    "required": ["a", "b"],
}


async def _add(args: Any, exec: ExecContext) -> str:
    return str(args["a"] + args["b"])


@tool
async def typed_add(a: int, b: int) -> int:
    """Adds."""
    return a + b


async def _pre(exec: ExecContext, next: Next) -> PreToolDecision:
    return await next()


async def _around(exec: ExecContext, next: NextExecute) -> ToolExecutionResult:
    return await next()


async def _post(exec: ExecContext, result: ToolExecutionResult, next: NextPost) -> PostToolDecision:
    return await next()


def _definition(name: str) -> ToolDefinition:
    return ToolDefinition(name=name, execute=_add, description="Adds.", parameters=SCHEMA)


def with_listeners(listeners: int = 0, **options: Any) -> ToolRegistry:
    """A registry of two tools, with so many listeners that pass on at each stage."""
    registry = ToolRegistry(**options)
    registry.register(_definition("add"))
    registry.register(typed_add)
    for _ in range(listeners):
        registry.on_pre_execute(_pre)
        registry.on_execute(_around)
        registry.on_post_execute(_post)
    return registry


async def _per_call_us(
    registry: ToolRegistry, name: str, count: int, *, signal: bool = False
) -> float:
    fires = AbortController().signal if signal else None
    best = float("inf")
    for _ in range(5):
        began = time.perf_counter()
        for _ in range(count):
            result = await registry.execute(
                ToolExecution(call_id="c", name=name, arguments={"a": 1, "b": 2}, signal=fires)
            )
            assert not result.is_error, result
        best = min(best, (time.perf_counter() - began) / count)
    return best * 1e6


def _per_look_us(look: Callable[[], object], count: int) -> float:
    best = float("inf")
    for _ in range(5):
        began = time.perf_counter()
        for _ in range(count):
            look()
        best = min(best, (time.perf_counter() - began) / count)
    return best * 1e6


def _with_scopes(tools: int, scopes: int) -> tuple[ToolRegistry, list[Any]]:
    registry = ToolRegistry()
    for number in range(tools):
        registry.register(_definition(f"tool_{number}"))
    made = [registry.scope(f"agent {number}") for number in range(scopes)]
    for scope in made:
        scope.register(_definition("own"))
        scope.restrict(deny=["tool_1"])
        scope.visible()
    return registry, made


def _memory_per_tool(count: int) -> float:
    registry = ToolRegistry()
    schemas = [json.loads(json.dumps(SCHEMA)) for _ in range(count)]
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for number, schema in enumerate(schemas):
        registry.register(ToolDefinition(name=f"t{number}", execute=_add, parameters=schema))
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return (after - before) / count


async def measure(quick: bool) -> dict[str, float]:
    """Figures by name: microseconds, or bytes where the name says so."""
    count = 300 if quick else 5_000
    figures = {
        "execute, no listeners": await _per_call_us(with_listeners(timeouts=False), "add", count),
        "execute, as it comes (timeout policy)": await _per_call_us(with_listeners(), "add", count),
        "execute, three listeners a stage": await _per_call_us(with_listeners(3), "add", count),
        "the same, with a signal": await _per_call_us(with_listeners(3), "add", count, signal=True),
        "the same, with a log": await _per_call_us(
            with_listeners(3, log=MemoryLog(limit=100)), "add", count
        ),
        "execute, a typed function": await _per_call_us(with_listeners(), "typed_add", count),
    }
    for scopes in (1, 100):
        _, made = _with_scopes(1_000, scopes)
        scope = made[-1]
        figures[f"get, 1000 tools, {scopes} scopes"] = _per_look_us(
            lambda scope=scope: scope.get("tool_500"), count
        )
        figures[f"visible, 1000 tools, {scopes} scopes"] = _per_look_us(scope.visible, count // 50)
    figures["bytes per registered tool"] = _memory_per_tool(200 if quick else 1_000)
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
