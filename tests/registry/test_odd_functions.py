"""Functions as people write them: pydantic's Field as a default, partials, objects, positional-only names."""

import datetime
import functools
import inspect
from typing import Annotated, Any

import pytest
from pydantic import Field

from codemode.registry import Ask, RegistrationError, ToolRegistry, tool
from codemode.runtime import QuickJSRuntime

from .kit import call, code, text

pytestmark = pytest.mark.anyio


def registry_of(*tools: Any, **options: Any) -> ToolRegistry:
    registry = ToolRegistry(**options)
    for each in tools:
        registry.register(each)
    return registry


async def test_a_field_as_a_default_counts_in_full() -> None:
    @tool
    async def page(
        size: int = Field(5, ge=1, le=10, description="rows"),
        tags: list[str] = Field(default_factory=list),  # noqa: B008
        sort: Annotated[str, Field(default="name")] = "name",
    ) -> list[Any]:
        return [size, tags, sort]

    properties: Any = page.definition.parameters["properties"]
    assert properties["size"] == {
        "type": "integer", "minimum": 1, "maximum": 10, "default": 5, "description": "rows",
    }  # fmt: skip
    assert "required" not in page.definition.parameters
    registry = registry_of(page)
    assert (await call(registry, "page")).value == [5, [], "name"]
    assert code(await call(registry, "page", {"size": 99})) == "INVALID_ARGS"


async def test_an_annotated_default_is_a_default() -> None:
    @tool
    async def limit(n: Annotated[int, Field(default=5)]) -> int:
        return n

    assert (await call(registry_of(limit), "limit")).value == 5


async def test_whole_numbers_are_integers_however_they_are_written(runtime: QuickJSRuntime) -> None:
    @tool
    async def same(n: int) -> int:
        return n

    registry = registry_of(same, mode="both", runtime=runtime)
    assert (await call(registry, "same", {"n": 5.0})).value == 5
    assert code(await call(registry, "same", {"n": 5.5})) == "INVALID_ARGS"
    result = await call(registry, "run_code", {"code": "return await tools.same({ n: 1e17 })"})
    assert str(10**17) in text(result)


async def test_an_integer_that_python_will_not_read_is_an_invalid_argument() -> None:
    @tool
    async def same(n: int) -> int:
        return n

    assert code(await call(registry_of(same), "same", {"n": 10**5000})) == "INVALID_ARGS"


def power(base: int, exponent: int = 2) -> int:
    """Raises a number.

    Args:
        base: what is raised
    """
    return base**exponent


class Scaler:
    """Not this text."""

    async def __call__(self, n: int) -> int:
        """Scales a number.

        Args:
            n: the number
        """
        return n * 10


async def test_partials_and_objects_are_tools_under_a_name() -> None:
    cube = tool(name="cube")(functools.partial(power, exponent=3))
    scale = tool(name="scale")(Scaler())
    assert cube.definition.description == "Raises a number."
    assert scale.definition.description == "Scales a number."
    properties: Any = scale.definition.parameters["properties"]
    assert properties["n"]["description"] == "the number"
    registry = registry_of(cube, scale)
    assert (await call(registry, "cube", {"base": 2})).value == 8
    assert (await call(registry, "scale", {"n": 2})).value == 20
    nameless: Any
    for nameless in (functools.partial(power), Scaler()):
        with pytest.raises(RegistrationError, match=r"has no name: say @tool\(name=…\)"):
            tool(nameless)


async def test_a_method_is_a_tool_of_its_object() -> None:
    class Counter:
        def __init__(self) -> None:
            self.n = 0

        async def add(self, n: int = 1) -> int:
            self.n += n
            return self.n

    counter = Counter()
    registry = registry_of(tool(counter.add))
    await call(registry, "add", {"n": 2})
    assert (await call(registry, "add")).value == 3


async def test_a_positional_parameter_may_be_left_out_before_another() -> None:
    @tool
    async def pair(a: int = 1, b: int = 2, /) -> list[int]:
        return [a, b]

    assert (await call(registry_of(pair), "pair", {"b": 5})).value == [1, 5]


async def test_a_result_that_its_type_cannot_write_is_no_output() -> None:
    @tool
    async def raw() -> bytes:
        return b"\xff"

    @tool
    async def days() -> list[datetime.date]:
        return [object()]  # type: ignore[list-item]

    registry = registry_of(raw, days)
    assert code(await call(registry, "raw")) == "INVALID_TOOL_OUTPUT"
    assert code(await call(registry, "days")) == "INVALID_TOOL_OUTPUT"


async def test_a_person_is_not_asked_about_a_function_that_cannot_run() -> None:
    asked: list[object] = []

    async def person(question: object) -> Any:
        asked.append(question)
        return "allowed-once"

    @tool
    async def same(n: int) -> int:
        return n

    registry = registry_of(same, approver=person)
    registry.on_pre_execute(lambda exec, next: Ask())
    assert code(await call(registry, "same", {"n": "x"})) == "INVALID_ARGS"
    assert asked == []


def test_a_tool_says_of_itself_what_its_function_says() -> None:
    made: Any = tool(power)
    assert (made.__name__, made.__module__, made.__doc__) == (
        "power",
        power.__module__,
        power.__doc__,
    )
    assert inspect.signature(made) == inspect.signature(power)
