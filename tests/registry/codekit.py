"""Programs run through a registry, and what its log says of their calls."""

import json
from typing import Any

import anyio

from codemode.registry import (
    CodeMode,
    ExecContext,
    ToolDefinition,
    ToolExecutionResult,
    ToolRegistry,
)
from codemode.registry.log import CodeDispatchEntry, CodeDispatchStartEntry, LogEntry, MemoryLog
from codemode.runtime import CodeRuntime, JsonValue

from .kit import call, text


def registry_of(
    runtime: CodeRuntime | None,
    *tools: ToolDefinition,
    log: MemoryLog | None = None,
    **options: Any,
) -> ToolRegistry:
    """A registry in code mode; ``options`` are ``CodeMode``'s."""
    registry = ToolRegistry(mode="code", runtime=runtime, log=log, code_mode=CodeMode(**options))
    for each in tools:
        registry.register(each)
    return registry


async def run(registry: ToolRegistry, program: str, **fields: Any) -> ToolExecutionResult:
    with anyio.fail_after(30):
        return await call(registry, "run_code", {"code": program}, **fields)


async def value_of(registry: ToolRegistry, program: str, **fields: Any) -> Any:
    result = await run(registry, program, **fields)
    assert not result.is_error, text(result)
    return json.loads(text(result))


def started(log: MemoryLog) -> list[tuple[str, str]]:
    return [(e.sub_call_id, e.name) for e in log.entries if isinstance(e, CodeDispatchStartEntry)]


def ended(log: MemoryLog) -> list[tuple[str, str, str | None]]:
    return [
        (e.sub_call_id, e.name, None if e.error is None else e.error.code)
        for e in log.entries
        if isinstance(e, CodeDispatchEntry)
    ]


def arguments(log: MemoryLog) -> list[JsonValue]:
    return [e.arguments for e in log.entries if isinstance(e, CodeDispatchStartEntry)]


def kinds(entries: tuple[LogEntry, ...]) -> list[str]:
    return [entry.type for entry in entries]


async def echo(args: Any, exec: ExecContext) -> Any:
    return args
