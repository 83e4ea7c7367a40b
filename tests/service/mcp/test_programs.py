"""MCP tools as programs see them."""

import logging
from pathlib import Path
from typing import Any

import pytest

from codemode.registry import CodeMode, ToolRegistry
from codemode.registry.content import ImageBlock
from codemode.runtime import QuickJSRuntime

from .kit import call, fleet, scripted, tool, value

pytestmark = pytest.mark.anyio

LOOSE = {
    "type": "object",
    "properties": {
        "cards": {"type": "array", "items": {"$ref": "#/$defs/Card"}},
        "next": {"$ref": "#/$defs/Page"},
    },
}


def text(value: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": value}]


async def run(registry: ToolRegistry, program: str) -> Any:
    return (await value(registry, "run_code", {"code": program}))["result"]


async def test_a_loose_reference_in_an_output_schema_costs_one_warning(
    tmp_path: Path, runtime: QuickJSRuntime, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    registry = ToolRegistry(mode="code", runtime=runtime)
    made = {"content": text('{"cards":[{"id":1}]}'), "structuredContent": {"cards": [{"id": 1}]}}
    scenario = {"tools": [tool("make", outputSchema=LOOSE)], "calls": {"make": {"result": made}}}
    async with fleet(registry, scripted(tmp_path, "s", scenario)) as servers:
        await servers.wait_settled()
        assert await run(registry, "return (await tools.s__make({})).cards[0].id") == 1
        assert (
            "s__make(args?:{}):Promise<{ cards?:unknown[]; next?:unknown }>" in registry.sdk_text()
        )
    assert len([record for record in caplog.records if "make" in record.getMessage()]) == 1


async def test_an_error_reaches_the_program_as_the_servers_text(
    tmp_path: Path, runtime: QuickJSRuntime
) -> None:
    registry = ToolRegistry(mode="code", runtime=runtime)
    schema = {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}}
    calls: dict[str, Any] = {
        "a": {"result": {"isError": True, "content": text("no such item 42")}},
        "b": {
            "result": {"isError": True, "content": text("quota"), "structuredContent": {"code": 1}}
        },
        "c": {"result": {"isError": True, "content": []}},
    }
    program = """
        const out: string[] = []
        for (const k of ["a", "b", "c"]) {
            try { await tools.s__find({ k }) } catch (e) { out.push((e as Error).message) }
        }
        return out"""
    scenario = {"tools": [tool("find", outputSchema=schema)], "calls": calls}
    async with fleet(registry, scripted(tmp_path, "s", scenario)) as servers:
        await servers.wait_settled()
        told = await run(registry, program)
        assert told == [
            "no such item 42",
            "quota",
            'tool "find" of server "s" failed without saying why',
        ]


async def test_null_nothing_and_lists_are_told_apart_in_a_program(
    tmp_path: Path, runtime: QuickJSRuntime
) -> None:
    registry = ToolRegistry(mode="code", runtime=runtime)
    results: list[Any] = [
        {"content": [], "structuredContent": None},
        {"content": []},
        {"content": [], "structuredContent": [1, 2]},
        {"structuredContent": {"a": 1}},
    ]
    calls = {str(index): {"result": result} for index, result in enumerate(results)}
    peek = tool("peek", outputSchema={"type": ["object", "null"]})
    async with fleet(
        registry, scripted(tmp_path, "s", {"tools": [peek], "calls": calls})
    ) as servers:
        await servers.wait_settled()
        program = """
            const out: unknown[] = []
            for (const k of ["0", "1", "2", "3"]) out.push(await tools.s__peek({ k }))
            return out"""
        assert await run(registry, program) == [None, "", [1, 2], {"a": 1}]


async def test_an_image_reaches_the_program_and_the_model(
    tmp_path: Path, runtime: QuickJSRuntime
) -> None:
    registry = ToolRegistry(mode="code", runtime=runtime)
    image = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
    scenario = {"tools": [tool("shot")], "calls": {"shot": {"result": {"content": [image]}}}}
    async with fleet(registry, scripted(tmp_path, "s", scenario)) as servers:
        await servers.wait_settled()
        program = "return (await tools.s__shot({}))[0].mimeType"
        result = await call(registry, "run_code", {"code": program})
        assert isinstance(result.value, dict)
        assert result.value["result"] == "image/png"
        assert result.additional_context == (ImageBlock("aGk=", "image/png"),)


async def test_large_integers_reach_the_program_without_a_lost_digit(
    tmp_path: Path, runtime: QuickJSRuntime
) -> None:
    registry = ToolRegistry(mode="code", runtime=runtime)
    made = {"structuredContent": {"id": 2**60 + 1}}
    scenario = {"tools": [tool("get")], "calls": {"get": {"result": made}}}
    async with fleet(registry, scripted(tmp_path, "s", scenario)) as servers:
        await servers.wait_settled()
        assert await run(registry, "return (await tools.s__get({})).id") == str(2**60 + 1)


async def test_a_program_joins_data_over_three_servers(
    tmp_path: Path, runtime: QuickJSRuntime
) -> None:
    registry = ToolRegistry(
        mode="code", runtime=runtime, code_mode=CodeMode(max_parallel_sub_calls=4)
    )
    servers = [
        scripted(tmp_path, name, {"tools": [tool("get", annotations={"readOnlyHint": True})]}, trust_annotations=True)
        for name in ("one", "two", "three")
    ]  # fmt: skip
    program = """
        const all = await Promise.all([tools.one__get({ n: 1 }), tools.two__get({ n: 2 }), tools.three__get({ n: 3 })])
        return all.reduce((sum: number, each: any) => sum + each.n, 0)"""
    async with fleet(registry, *servers) as running:
        await running.wait_settled()
        assert await run(registry, program) == 6
