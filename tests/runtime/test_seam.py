"""Misuse of the seam is an exception at the call; limits are validated; the fake keeps the contract."""

import math
from collections.abc import Mapping
from typing import Any

import anyio
import pytest

from codemode.runtime import (
    AbortController,
    BindingError,
    BindingErrorClass,
    BindingNamespace,
    CodeRuntime,
    InvalidRequestError,
    JsonValue,
    Limits,
    QuickJSRuntime,
    RunRequest,
    RuntimeClosedError,
)
from codemode.runtime.testing import ScriptedFailureError, ScriptedProgram, ScriptedRuntime
from support import Run, add, echo, kind

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"compute_ms": 0}, "compute_ms must be between"),
        ({"wall_ms": -1}, "wall_ms must be between"),
        ({"wall_ms": math.nan}, "wall_ms must be between"),
        ({"wall_ms": math.inf}, "wall_ms must be between"),
        ({"wall_ms": 2**31}, "wall_ms must be between"),
        ({"memory_bytes": 1000}, "memory_bytes must be between"),
        ({"memory_bytes": 2**40}, "memory_bytes must be between"),
        ({"memory_bytes": 64e6}, "memory_bytes must be a whole number"),
        ({"log_bytes": 1}, "log_bytes must be between"),
        ({"value_bytes": "8MiB"}, "value_bytes must be a whole number"),
        ({"calls": True}, "calls must be a whole number"),
        ({"calls": 0}, "calls must be between"),
        ({"pending_calls": 10**6}, "pending_calls must be between"),
        ({"depth": 10**6}, "depth must be between"),
        ({"compute_ms": None}, "compute_ms must be a number"),
    ],
)
def test_a_wrong_limit_is_refused_by_name(given: Mapping[str, Any], words: str) -> None:
    with pytest.raises(InvalidRequestError, match=words):
        Limits(**given)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "1a",
        "a-b",
        "a b",
        "class",
        "await",
        "console",
        "JSON",
        "globalThis",
        "undefined",
        "é",
        "ToolCallError",
    ],
)
async def test_a_namespace_that_a_program_cannot_have_is_refused(
    runtime: QuickJSRuntime, name: str
) -> None:
    space = BindingNamespace(name=name, functions={"echo": echo})
    with pytest.raises(InvalidRequestError):
        await runtime.run(RunRequest(program="return 1", bindings=[space]))


@pytest.mark.parametrize(
    "bindings",
    [
        [BindingNamespace(name="a", functions={}), BindingNamespace(name="a", functions={})],
        [BindingNamespace(name="a", functions={"f": 1})],  # type: ignore[dict-item]  # wrong on purpose
        [BindingNamespace(name="a", functions={1: echo})],  # type: ignore[dict-item]  # wrong on purpose
        [BindingNamespace(name="a", functions={}, error_class=BindingErrorClass(name="Error"))],
        [BindingNamespace(name="a", functions={}, error_class=BindingErrorClass(member="message"))],
        ["tools"],
        None,
    ],
)
async def test_bindings_that_are_none_are_refused(runtime: QuickJSRuntime, bindings: Any) -> None:
    with pytest.raises(InvalidRequestError):
        await runtime.run(RunRequest(program="return 1", bindings=bindings))


@pytest.mark.parametrize(
    "fields",
    [
        {"program": None},
        {"program": b"return 1"},
        {"program": "", "signal": AbortController()},
        {"program": "", "limits": {}},
        {"program": "", "seed": "x"},
        {"program": "", "clock_ms": math.nan},
        {"program": "", "on_log": 1},
    ],
)
async def test_a_request_with_a_field_of_the_wrong_type_is_refused(
    runtime: QuickJSRuntime, fields: dict[str, Any]
) -> None:
    with pytest.raises(InvalidRequestError):
        await runtime.run(RunRequest(**fields))


@pytest.mark.parametrize(
    "wrong", [{"max_runs": 0}, {"max_runs": True}, {"workers": -1}, {"limits": {}}]
)
def test_a_runtime_with_wrong_arguments_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidRequestError):
        QuickJSRuntime(**wrong)


async def test_the_backend_says_what_it_is(runtime: QuickJSRuntime) -> None:
    seam: CodeRuntime = runtime
    assert (seam.language, seam.isolation) == ("typescript", "wasm")


async def test_a_program_over_its_size_is_refused_before_anything_runs(run: Run) -> None:
    result = await run("return 1".ljust(2000), limits=Limits(source_bytes=1000))
    assert kind(result) == "exception"
    assert "2000 bytes" in (result.error.message if result.error else "")


async def test_stats_say_what_a_run_used(run: Run) -> None:
    result = await run("console.log('abc'); await tools.add({ a: 1, b: 1 }); return 'é'", add=add)
    assert result.stats.calls == 1
    assert result.stats.output_bytes == len("abc") + len('"é"'.encode())
    assert 0 < result.stats.compute_ms < result.stats.wall_ms + 1
    assert 1 << 20 < result.stats.peak_memory_bytes < 128 << 20


async def test_more_runs_than_sandboxes_wait_for_one(anyio_backend: str) -> None:
    values: list[JsonValue] = []
    async with QuickJSRuntime(max_runs=2) as runtime:

        async def go(n: int) -> None:
            program = f"await new Promise((r) => setTimeout(r, 2)); return {n}"
            values.append((await runtime.run(RunRequest(program=program))).value)

        async with anyio.create_task_group() as group:
            for n in range(10):
                group.start_soon(go, n)
    assert sorted(map(str, values)) == sorted(map(str, range(10)))


async def test_the_scripted_runtime_runs_a_python_program_against_real_bindings() -> None:
    async def script(program: ScriptedProgram) -> JsonValue:
        program.log("before")
        total = await program.call("add", {"a": 1, "b": 2})
        assert isinstance(total, int)
        return total

    seen: list[str] = []
    runtime: CodeRuntime = ScriptedRuntime(script)
    request = RunRequest(
        program="anything",
        bindings=[BindingNamespace(name="tools", functions={"add": add})],
        on_log=lambda entry: seen.append(entry.text),
    )
    result = await runtime.run(request)
    assert (result.value, result.has_value, result.stats.calls) == (3, True, 1)
    assert seen == ["before"]
    await runtime.aclose()
    with pytest.raises(RuntimeClosedError):
        await runtime.run(request)


async def test_the_scripted_runtime_fails_as_a_real_one_does() -> None:
    async def fail(_: JsonValue) -> None:
        raise ValueError("tool broke")

    async def uncaught(program: ScriptedProgram) -> JsonValue:
        await program.call("fail", {})
        return None

    async def dies(_: ScriptedProgram) -> JsonValue:
        raise ScriptedFailureError("timeout", "too slow")

    space = BindingNamespace(name="tools", functions={"fail": fail})
    request = RunRequest(program="", bindings=[space])
    assert kind(await ScriptedRuntime(uncaught).run(request)) == "exception"
    assert kind(await ScriptedRuntime(dies).run(request)) == "timeout"
    controller = AbortController()
    controller.abort()
    aborted = RunRequest(program="", signal=controller.signal)
    assert kind(await ScriptedRuntime(dies).run(aborted)) == "abort"
    with pytest.raises(InvalidRequestError):
        await ScriptedRuntime(uncaught).run(RunRequest(program=""))
    with pytest.raises(BindingError):
        await ScriptedProgram(request).call("fail", {})
