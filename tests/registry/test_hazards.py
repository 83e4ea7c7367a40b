"""What JavaScript and Python read differently, each decided once: see upstream's list of such hazards."""

from typing import Any

import pytest

from codemode.registry import (
    Accept,
    ToolExecution,
    ToolRegistry,
    define_tool,
    tool,
)
from codemode.registry.log import CodeDispatchEntry, MemoryLog
from codemode.registry.schema import compile_schema, validate_args, validate_structured_value
from codemode.runtime import JsonValue, QuickJSRuntime

from .kit import Counter, call, code, definition, text

pytestmark = pytest.mark.anyio


async def run(registry: ToolRegistry, program: str) -> str:
    result = await call(registry, "run_code", {"code": program})
    assert not result.is_error, text(result)
    return text(result)


def coding(runtime: QuickJSRuntime, **options: Any) -> ToolRegistry:
    return ToolRegistry(mode="code", runtime=runtime, **options)


# 1: what is empty is false in Python only


@pytest.mark.parametrize("empty", ["", []])
async def test_replacing_content_by_nothing_replaces_it(empty: Any) -> None:
    registry = ToolRegistry()
    registry.register(definition(execute=Counter("long")))
    registry.on_post_execute(lambda exec, result, next: Accept(content=empty))
    assert text(await call(registry)) == ""


async def test_replacing_a_value_by_nothing_replaces_it() -> None:
    empty: list[JsonValue] = [None, 0, "", [], {}]
    for value in empty:
        replaced = Accept(value=value)
        registry = ToolRegistry()
        registry.register(definition(execute=Counter({"n": 1}), output={}))
        registry.on_post_execute(lambda exec, result, next, replaced=replaced: replaced)
        result = await call(registry)
        assert (result.value, result.has_value) == (value, True)


async def test_an_enum_without_members_admits_nothing() -> None:
    made = define_tool(
        name="t", parameters={"a": {"type": "string", "enum": []}}, execute=Counter()
    )
    registry = ToolRegistry()
    registry.register(made)
    assert code(await call(registry, "t", {"a": "x"})) == "INVALID_ARGS"


# 2 and 3: bool is an int, 3.0 is an integer, NaN


def test_a_bool_is_no_number_and_a_number_no_bool() -> None:
    assert validate_args({"n": {"type": "number"}}, {"n": True}) == ['"n" must be a number']
    assert validate_args({"n": {"type": "boolean"}}, {"n": 1}) == ['"n" must be a boolean']
    for schema in ({"type": "integer"}, {"enum": [1]}, {"const": 1}):
        assert compile_schema(schema).check(True)
        assert not compile_schema(schema).check(1.0)


def test_a_whole_float_is_an_integer_and_nan_is_none() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    assert validate_structured_value(schema, {"n": 3.0}) == []
    assert validate_structured_value(schema, {"n": 3.5}) != []
    assert validate_structured_value(schema, {"n": float("nan")}) != []


# 4: lengths and order


async def test_a_summary_has_200_utf16_units_and_tools_stand_in_utf16_order(
    runtime: QuickJSRuntime,
) -> None:
    log = MemoryLog()
    registry = coding(runtime, log=log)
    registry.register(definition("long", Counter("😀" * 150)))
    await run(registry, "await tools.long()")
    entry = next(entry for entry in log.entries if isinstance(entry, CodeDispatchEntry))
    assert entry.result_summary == "😀" * 100 + "…"
    native = ToolRegistry()
    for name in ("\uffee", "😀"):  # by code points the other way round
        native.register(definition(name))
    assert [s.name for s in (await native.prompt.assemble()).tools] == ["😀", "\uffee"]


# 5: JSON text


async def test_the_text_of_a_value_is_json_as_javascript_reads_it() -> None:
    value = {"ü": [1.5, 1e21, True, None], "s": "\u2028"}
    registry = ToolRegistry()
    registry.register(definition(execute=Counter(value), output={}))
    assert text(await call(registry)) == '{"ü":[1.5,1e+21,true,null],"s":"\u2028"}'


# 7: undefined and null


async def test_no_value_null_and_no_argument_are_told_apart(runtime: QuickJSRuntime) -> None:
    body = Counter(None)
    registry = coding(runtime)
    registry.register(definition("typed", body, output={}, parameters={}))
    registry.register(definition("untyped", body, parameters={}))
    assert "returned nothing and printed nothing" in await run(registry, "return undefined")
    assert await run(registry, "return null") == "null"
    program = (
        "return [await tools.typed(), await tools.untyped(undefined), await tools.typed(null)]"
    )
    assert await run(registry, program) == '[\n  null,\n  "",\n  null\n]'
    assert body.calls == [{}, {}, None]


async def test_a_present_undefined_argument_is_missing(runtime: QuickJSRuntime) -> None:
    registry = coding(runtime)
    registry.register(
        define_tool(
            name="t", parameters={"a": {"type": "string", "required": True}}, execute=Counter()
        )
    )
    program = "try { await tools.t({ a: undefined }) } catch (e) { return e.message }"
    assert 'missing required property "a"' in await run(registry, program)


# 8: own keys


async def test_a_key_called_proto_is_data(runtime: QuickJSRuntime) -> None:
    body = Counter({"__proto__": {"a": 1}})
    registry = coding(runtime)
    registry.register(definition("t", body, output={}))
    program = """
    const given = JSON.parse('{"__proto__": {"x": 1}}')
    const got = await tools.t(given)
    return [Object.keys(got), Object.getPrototypeOf(got) === Object.prototype]
    """
    assert await run(registry, program) == '[\n  [\n    "__proto__"\n  ],\n  true\n]'
    assert body.calls == [{"__proto__": {"x": 1}}]


# 10: numbers that JavaScript does not have


async def test_large_integers_cross_as_text_and_are_kept_natively(runtime: QuickJSRuntime) -> None:
    @tool
    async def big() -> int:
        return 2**60

    registry = ToolRegistry(mode="both", runtime=runtime)
    registry.register(big)
    assert (await call(registry, "big")).value == 2**60
    assert str(2**60) in await run(registry, "return await tools.big()")


async def test_a_native_argument_keeps_every_digit() -> None:
    body = Counter()
    registry = ToolRegistry()
    registry.register(definition(execute=body))
    await registry.execute(ToolExecution(call_id="c", name="write", arguments={"id": 2**63 + 1}))
    assert body.calls == [{"id": 2**63 + 1}]
