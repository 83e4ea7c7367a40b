"""Small tools and calls for the registry's tests."""

from collections.abc import Mapping
from typing import Any

from codemode.registry import (
    ExecContext,
    ToolDefinition,
    ToolExecution,
    ToolExecutionResult,
    ToolRegistry,
    content_text,
)
from codemode.registry.content import block_to_json
from codemode.runtime import JsonValue

ANY_OBJECT: dict[str, JsonValue] = {"type": "object"}


class Counter:
    """A tool's body that counts its executions and gives its arguments back as text."""

    def __init__(self, result: object = "done") -> None:
        self.calls: list[Any] = []
        self.result = result

    async def __call__(self, args: Any, exec: ExecContext) -> object:
        self.calls.append(args)
        return self.result


def definition(name: str = "write", execute: Any = None, **fields: Any) -> ToolDefinition:
    return ToolDefinition(
        name=name,
        execute=Counter() if execute is None else execute,
        parameters=fields.pop("parameters", ANY_OBJECT),
        **fields,
    )


async def call(
    registry: ToolRegistry,
    name: str = "write",
    arguments: Mapping[str, object] | None = None,
    **fields: Any,
) -> ToolExecutionResult:
    execution = ToolExecution(
        call_id=fields.pop("call_id", "c1"),
        name=name,
        arguments={} if arguments is None else arguments,
        **fields,
    )
    return await registry.execute(execution)


def text(result: ToolExecutionResult) -> str:
    return content_text(result.content)


def code(result: ToolExecutionResult) -> str | None:
    return None if result.error is None else result.error.code


def blocks(result: ToolExecutionResult) -> list[dict[str, JsonValue]]:
    return [block_to_json(block) for block in result.content]
