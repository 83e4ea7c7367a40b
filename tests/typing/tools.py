# pyright: strict, reportUnnecessaryTypeIgnoreComment=true
"""Checked by pyright, never run: an expected error that goes away is an error itself."""

from typing import assert_type

from pydantic import BaseModel

from codemode.registry import (
    ExecContext,
    FunctionTool,
    ToolDefinition,
    ToolRegistry,
    define_tool,
    tool,
)


@tool
async def add(a: int, b: int = 0) -> int:
    return a + b


@tool(name="greet", timeout_ms=1_000)
def greeting(name: str, *, exec: ExecContext) -> str:
    return f"{name} {exec.call_id}"


class Search(BaseModel):
    query: str
    limit: int = 10


async def search(args: Search, exec: ExecContext) -> str:
    return args.query * args.limit


async def other(args: int, exec: ExecContext) -> str:
    return str(args)


registry = ToolRegistry()


@registry.tool
async def count(text: str) -> int:
    return len(text)


async def keeps_its_types(exec: ExecContext) -> None:
    assert_type(await add(1, b=2), int)
    assert_type(greeting("a", exec=exec), str)
    assert_type(await count("a"), int)
    assert_type(add.definition, ToolDefinition)
    registry.register(add)
    registry.register(greeting)


async def a_wrong_call_is_an_error(exec: ExecContext) -> None:
    await add("1")  # pyright: ignore[reportArgumentType]
    await add(1, c=2)  # pyright: ignore[reportCallIssue]
    greeting("a", exec=1)  # pyright: ignore[reportArgumentType]
    await count(7)  # pyright: ignore[reportArgumentType]
    kept: FunctionTool[[int], str] = add  # pyright: ignore[reportAssignmentType]
    kept(1)


def the_body_fits_its_model() -> None:
    define_tool(name="search", parameters=Search, execute=search)
    define_tool(name="x", parameters=Search, execute=other)  # pyright: ignore[reportCallIssue, reportArgumentType]
    registry.register(len)  # pyright: ignore[reportArgumentType]
