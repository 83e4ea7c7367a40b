"""Tools from specs, models and typed functions."""

import dataclasses
import datetime
import enum
import threading
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from codemode.registry import (
    ExecContext,
    ImageBlock,
    RegistrationError,
    TextBlock,
    ToolExecution,
    ToolOutput,
    ToolRegistry,
    define_tool,
    tool,
)

from .kit import Counter, blocks, call, code, definition, text

pytestmark = pytest.mark.anyio


def registry_of(*tools: Any) -> ToolRegistry:
    registry = ToolRegistry()
    for each in tools:
        registry.register(each)
    return registry


# --- specs


def read_file(execute: Any = None, **fields: Any) -> Any:
    return define_tool(
        name="read_file",
        description="Read a file from disk.",
        parameters={
            "path": {"type": "string", "required": True, "description": "Absolute path"},
            "limit": {"type": "number"},
        },
        execute=execute or Counter("text"),
        **fields,
    )


def test_a_spec_becomes_a_json_schema() -> None:
    assert read_file().parameters == {
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "Absolute path"},
            "limit": {"type": "number"},
        },
        "required": ["path"],
    }


async def test_arguments_are_checked_against_the_spec_before_the_body() -> None:
    body = Counter()
    result = await call(registry_of(read_file(body)), "read_file", {"limit": "5"})
    assert text(result) == (
        'Error: invalid arguments: missing required property "path"; "limit" must be a number'
    )
    assert (code(result), body.calls) == ("INVALID_ARGS", [])


async def test_extra_arguments_of_a_spec_are_let_through_and_defaults_are_not_filled_in() -> None:
    body = Counter()
    made = define_tool(name="t", parameters={"n": {"type": "number", "default": 5}}, execute=body)
    await call(registry_of(made), "t", {"extra": 1})
    assert body.calls == [{"extra": 1}]


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf")])
def test_a_wrong_timeout_fails_where_the_tool_is_defined(timeout: float) -> None:
    with pytest.raises(
        RegistrationError, match='"read_file": timeout_ms must be a positive finite'
    ):
        read_file(timeout_ms=timeout)


def test_a_wrong_spec_fails_where_the_tool_is_defined() -> None:
    with pytest.raises(RegistrationError, match='"t"'):
        define_tool(name="t", parameters={"n": {"type": "numbr"}}, execute=Counter())  # type: ignore[typeddict-item]
    with pytest.raises(RegistrationError, match="a spec or a pydantic model, not list"):
        define_tool(name="t", parameters=[], execute=Counter())  # type: ignore[call-overload]


# --- models


class Order(BaseModel):
    item: str
    count: int = Field(default=1, ge=1, le=9)
    notes: list[str] = []


async def test_a_model_gives_the_schema_and_reaches_the_body_as_itself() -> None:
    seen: list[Order] = []

    async def body(args: Order, exec: ExecContext) -> str:
        seen.append(args)
        return "ordered"

    made = define_tool(name="order", parameters=Order, execute=body)
    registry = registry_of(made)
    assert text(await call(registry, "order", {"item": "tea"})) == "ordered"
    assert seen == [Order(item="tea")]
    result = await call(registry, "order", {"count": 10, "notes": "hot"})
    assert code(result) == "INVALID_ARGS"
    for said in ('missing required property "item"', '"count" must be less', '"notes" must be'):
        assert said in text(result).replace("Input should be", "must be")
    assert made.parameters["required"] == ["item"]


# --- functions


class Unit(enum.Enum):
    C = "celsius"
    F = "fahrenheit"


@tool
async def weather(
    city: str, unit: Unit = Unit.C, days: Annotated[int, Field(ge=1)] = 1
) -> dict[str, int]:
    """The weather of a city.

    From the nearest station.

    Args:
        city: its name
        days: how many
    """
    return {city: days if unit is Unit.C else -days}


def test_a_function_is_a_tool_by_its_signature_and_docstring() -> None:
    made = weather.definition
    assert (made.name, made.description) == (
        "weather",
        "The weather of a city.\n\nFrom the nearest station.",
    )
    assert made.parameters == {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "its name"},
            "unit": {"$ref": "#/$defs/Unit", "default": "celsius"},
            "days": {"type": "integer", "minimum": 1, "default": 1, "description": "how many"},
        },
        "required": ["city"],
        "additionalProperties": False,
        "$defs": {"Unit": {"type": "string", "enum": ["celsius", "fahrenheit"]}},
    }
    assert made.output == {"type": "object", "additionalProperties": {"type": "integer"}}


async def test_a_decorated_function_is_still_called_as_one() -> None:
    assert await weather("Oslo", days=3) == {"Oslo": 3}


async def test_a_function_gets_its_own_types_and_gives_a_value() -> None:
    result = await call(registry_of(weather), "weather", {"city": "Rome", "unit": "fahrenheit"})
    assert (result.value, result.has_value, text(result)) == ({"Rome": -1}, True, '{"Rome":-1}')


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, 'missing required property "city"'),
        ({"city": 5}, '"city" must be a valid string, got a number'),
        ({"city": "x", "days": "3"}, '"days" must be a valid integer'),
        ({"city": "x", "days": True}, '"days" must be a valid integer'),
        ({"city": "x", "dyas": 3}, "\"dyas\" is not a parameter; did you mean 'days'?"),
        ({"city": "x", "unit": "K"}, '"unit" must be'),
    ],
)
async def test_wrong_arguments_of_a_function_say_what_to_change(arguments: Any, said: str) -> None:
    result = await call(registry_of(weather), "weather", arguments)
    assert said in text(result)
    assert code(result) == "INVALID_ARGS"


async def test_arguments_that_are_a_list_or_null_are_refused() -> None:
    registry = registry_of(weather)
    wrong: list[object] = [[], None, "x", 5]
    for arguments in wrong:
        result = await registry.execute(
            ToolExecution(call_id="c", name="weather", arguments=arguments)
        )
        assert code(result) == "INVALID_ARGS"


async def test_a_list_that_came_as_text_is_refused_with_a_hint() -> None:
    @tool
    async def tag(names: list[str]) -> int:
        return len(names)

    result = await call(registry_of(tag), "tag", {"names": '["a"]'})
    assert "pass the value itself, not its JSON text" in text(result)


async def test_dates_bytes_and_sets_come_from_their_json_forms() -> None:
    seen: list[object] = []

    @tool
    async def keep(day: datetime.date, tags: set[str], pair: tuple[int, str]) -> None:
        seen.extend((day, tags, pair))

    await call(
        registry_of(keep), "keep", {"day": "2026-11-30", "tags": ["a", "a"], "pair": [1, "x"]}
    )
    assert seen == [datetime.date(2026, 11, 30), {"a"}, (1, "x")]


async def test_a_default_stays_the_functions_own_object() -> None:
    default = object()

    @tool
    async def same(value: str | Any = default) -> bool:
        return value is default

    assert (await call(registry_of(same), "same")).value is True


async def test_the_call_context_is_injected_and_no_parameter() -> None:
    @tool
    async def who(exec: ExecContext, greeting: str = "hi") -> str:
        return f"{greeting} {exec.call_id}"

    assert "exec" not in who.definition.parameters["properties"]  # type: ignore[operator]
    assert text(await call(registry_of(who), "who")) == "hi c1"


async def test_odd_parameter_names_are_ordinary() -> None:
    @tool
    async def odd(
        schema: str, model_config: int, _private: int, json: str, /, copy: int = 1
    ) -> str:
        return f"{schema}{model_config}{_private}{json}{copy}"

    arguments = {"schema": "a", "model_config": 1, "_private": 2, "json": "b"}
    assert text(await call(registry_of(odd), "odd", arguments)) == "a12b1"


async def test_a_plain_function_runs_on_a_thread_unless_told_otherwise() -> None:
    here = threading.get_ident()

    @tool
    def there() -> bool:
        return threading.get_ident() == here

    @tool(in_thread=False)
    def on_the_loop() -> bool:
        return threading.get_ident() == here

    registry = registry_of(there, on_the_loop)
    assert (await call(registry, "there")).value is False
    assert (await call(registry, "on_the_loop")).value is True


@pytest.mark.parametrize(
    "error", [StopIteration(1), SystemExit(2), KeyboardInterrupt(), ValueError("x")]
)
async def test_whatever_a_plain_function_raises_is_a_failed_call(error: BaseException) -> None:
    @tool
    def fails() -> str:
        raise error

    assert code(await call(registry_of(fails), "fails")) == "TOOL_FAILED"


@dataclasses.dataclass
class Point:
    x: int
    y: int


@pytest.mark.parametrize(
    ("given", "value"),
    [
        (Point(1, 2), {"x": 1, "y": 2}),
        (Order(item="tea"), {"item": "tea", "count": 1, "notes": []}),
        ([Point(1, 2)], [{"x": 1, "y": 2}]),
        (datetime.date(2026, 1, 2), "2026-01-02"),
        ((1, "a"), [1, "a"]),
        ({1: "a"}, {"1": "a"}),
        (b"x", "x"),
        (10**40, 10**40),
        (None, None),
    ],
)
async def test_a_value_of_an_output_schema_is_what_json_makes_of_it(given: Any, value: Any) -> None:
    result = await call(registry_of(definition("t", Counter(given), output={})), "t")
    assert (result.value, result.has_value) == (value, True)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (float("nan"), "nan at value"),
        ({"a": [float("inf")]}, "inf at value.a[0]"),
        (object(), "a value of type object at value"),
        ({1: "a", "1": "b"}, 'two keys at value are both "1"'),
    ],
)
async def test_a_value_without_a_json_form_fails_the_call_and_says_where(
    given: Any, said: str
) -> None:
    result = await call(registry_of(definition("t", Counter(given), output={})), "t")
    assert said in text(result)
    assert code(result) == "INVALID_TOOL_OUTPUT"


async def test_a_value_that_breaks_its_schema_is_passed_on_and_reported() -> None:
    output = {"type": "object", "required": ["n"]}
    result = await call(registry_of(definition("t", Counter({"m": 1}), output=output)), "t")
    assert (result.is_error, result.value) == (False, {"m": 1})
    assert result.violations == ('missing required property "n"',)


async def test_a_strict_tool_fails_instead() -> None:
    output = {"type": "object", "required": ["n"]}
    made = definition("t", Counter({"m": 1}), output=output, strict_output=True)
    result = await call(registry_of(made), "t")
    assert (code(result), result.has_value) == ("INVALID_TOOL_OUTPUT", False)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("text", [{"type": "text", "text": "text"}]),
        (None, []),
        ([TextBlock("a"), ImageBlock("AA==", "image/png")],
         [{"type": "text", "text": "a"}, {"type": "image", "data": "AA==", "mimeType": "image/png"}]),
        ([{"type": "text", "text": "a"}], [{"type": "text", "text": "a"}]),
        ({"content": [{"type": "text", "text": "a"}], "meta": {"n": 1}},
         [{"type": "text", "text": "a"}]),
        ({"content": [{"type": "text", "text": "a"}], "isError": False},
         [{"type": "text", "text": "a"}]),
        ({"content": "no blocks"}, [{"type": "text", "text": '{"content":"no blocks"}'}]),
        ([], [{"type": "text", "text": "[]"}]),
        ([1, 2], [{"type": "text", "text": "[1,2]"}]),
        ({"a": "ü"}, [{"type": "text", "text": '{"a":"ü"}'}]),
        (True, [{"type": "text", "text": "true"}]),
        (ToolOutput(content="shown", value={"n": 1}), [{"type": "text", "text": "shown"}]),
    ],
)  # fmt: skip
async def test_without_an_output_schema_a_result_is_content(given: Any, shown: Any) -> None:
    result = await call(registry_of(definition("t", Counter(given))), "t")
    assert blocks(result) == shown
    assert not result.is_error


async def test_a_result_of_mcp_that_says_it_is_an_error_is_one() -> None:
    given = {"content": [{"type": "text", "text": "no such page"}], "isError": True}
    result = await call(registry_of(definition("t", Counter(given))), "t")
    assert (text(result), code(result)) == ("Error: no such page", "TOOL_FAILED")


def test_return_types_that_are_text_or_content_give_no_output_schema() -> None:
    @tool
    async def text_() -> str: ...  # type: ignore[empty-body]
    @tool
    async def content() -> list[TextBlock | ImageBlock]: ...  # type: ignore[empty-body]
    @tool
    async def output() -> ToolOutput: ...  # type: ignore[empty-body]
    @tool
    async def untyped():  # type: ignore[no-untyped-def]
        ...

    for each in (text_, content, output, untyped):
        assert each.definition.output is None


def test_a_function_that_cannot_be_a_tool_says_why() -> None:
    def many(*args: int) -> str: ...  # type: ignore[empty-body]
    def untyped(a) -> str: ...  # type: ignore[no-untyped-def]
    def exotic(a: Counter) -> str: ...  # type: ignore[empty-body]
    def unknown(a: "Nowhere") -> str: ...  # noqa: F821  # type: ignore[name-defined]
    def gives() -> Counter: ...  # type: ignore[empty-body]
    def yields() -> Any:
        yield 1

    functions: list[tuple[Any, str]] = [
        (many, r"takes \*args: name every parameter"),
        (untyped, 'parameter "a" has no type'),
        (exotic, "no schema can be made of its parameters"),
        (unknown, "annotations cannot be read"),
        (gives, "no schema can be made of what it returns"),
        (yields, "it yields"),
    ]
    for function, said in functions:
        with pytest.raises(RegistrationError, match=f'"{function.__name__}": .*{said}'):
            tool(function)


def test_a_literal_and_a_described_field_keep_what_they_say() -> None:
    @tool(name="mode-switch", description="Switches.")
    async def switch(mode: Annotated[Literal["a", "b"], Field(description="which")]) -> str:
        """Not this text.

        Args:
            mode: not this either
        """
        return mode

    assert (switch.definition.name, switch.definition.description) == ("mode-switch", "Switches.")
    assert switch.definition.parameters["properties"] == {
        "mode": {"type": "string", "enum": ["a", "b"], "description": "which"}
    }
