"""Helpers: functions of a namespace beside its named ones, which take any number of arguments."""

import pytest

from codemode.runtime import (
    BindingNamespace,
    InvalidRequestError,
    JsonValue,
    QuickJSRuntime,
    RunRequest,
)
from support import add, echo

pytestmark = pytest.mark.anyio


async def value_of(runtime: QuickJSRuntime, program: str) -> JsonValue:
    space = BindingNamespace(name="tools", functions={"echo": echo}, helpers={"$args": echo})
    result = await runtime.run(RunRequest(program=program, bindings=[space]))
    assert result.error is None, result.error.message
    return result.value


async def test_a_helper_gets_all_its_arguments_as_a_list(runtime: QuickJSRuntime) -> None:
    program = "return [await tools.$args('a', { n: 1 }, [2]), await tools.$args()]"
    assert await value_of(runtime, program) == [["a", {"n": 1}, [2]], []]


async def test_an_argument_without_a_value_is_null_in_its_place(runtime: QuickJSRuntime) -> None:
    assert await value_of(runtime, "return await tools.$args(undefined, 1)") == [None, 1]


async def test_a_helper_is_there_and_not_listed(runtime: QuickJSRuntime) -> None:
    program = "return [Object.keys(tools), typeof tools.$args, '$args' in tools]"
    assert await value_of(runtime, program) == [["echo"], "function", True]


async def test_a_helper_cannot_be_replaced(runtime: QuickJSRuntime) -> None:
    program = """
    try { tools.$args = () => 'fake' } catch {}
    try { Object.defineProperty(tools, '$args', { value: () => 'fake' }) } catch {}
    return await tools.$args(1)
    """
    assert await value_of(runtime, program) == [1]


async def test_a_poisoned_array_prototype_changes_no_arguments(runtime: QuickJSRuntime) -> None:
    program = """
    Object.defineProperty(Array.prototype, 0, { set() { throw new Error('planted') } })
    Array.prototype.toJSON = () => 'planted'
    delete Array.prototype.toJSON
    return await tools.$args('true')
    """
    assert await value_of(runtime, program) == ["true"]


async def test_an_argument_that_is_not_json_rejects_with_its_place(runtime: QuickJSRuntime) -> None:
    program = "try { await tools.$args(1, { n: NaN }) } catch (e) { return e.message }"
    message = await value_of(runtime, program)
    assert isinstance(message, str)
    assert message.startswith("tools.$args was not called: NaN at args[1].n")


async def test_an_uncaught_near_miss_names_the_helper(runtime: QuickJSRuntime) -> None:
    space = BindingNamespace(name="tools", functions={"echo": echo}, helpers={"$search": echo})
    program = "return await tools.$serch('x')"
    result = await runtime.run(RunRequest(program=program, bindings=[space]))
    assert result.error is not None
    assert "$search" in result.error.message


async def test_a_name_is_a_function_or_a_helper(runtime: QuickJSRuntime) -> None:
    space = BindingNamespace(name="tools", functions={"add": add}, helpers={"add": add})
    with pytest.raises(InvalidRequestError, match="two members called 'add'"):
        await runtime.run(RunRequest(program="1", bindings=[space]))
