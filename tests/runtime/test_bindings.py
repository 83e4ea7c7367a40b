"""Calls from a program to its functions."""

import asyncio

import anyio
import pytest

from codemode.runtime import (
    BindingError,
    BindingErrorClass,
    BindingNamespace,
    JsonValue,
    Limits,
    QuickJSRuntime,
    RunRequest,
)
from support import Run, ValueOf, add, echo, kind, message

pytestmark = pytest.mark.anyio


async def test_a_call_resolves_to_what_the_function_gives(value_of: ValueOf) -> None:
    assert await value_of("return await tools.add({ a: 1, b: 2 })", add=add) == 3


async def test_detached_functions_work(value_of: ValueOf) -> None:
    program = "const { add } = tools; return await [{ a: 1, b: 2 }].map(add)[0]"
    assert await value_of(program, add=add) == 3


async def test_a_plain_function_is_taken_too(value_of: ValueOf) -> None:
    def plain(argument: JsonValue) -> JsonValue:
        return [argument]

    assert await value_of("return await tools.plain(1)", plain=plain) == [1]  # type: ignore[arg-type]


async def test_an_exception_rejects_its_call_and_the_program_goes_on(value_of: ValueOf) -> None:
    async def fail(_: JsonValue) -> None:
        raise BindingError("disk full", code="ENOSPC")

    program = """
      try { await tools.fail() } catch (e) {
        return [e instanceof Error, e instanceof ToolCallError, e.name, e.message, e.code, e.toolName,
                Object.keys(e), await tools.add({ a: 2, b: 2 })]
      }"""
    expected: JsonValue = [True, True, "ToolCallError", "disk full", "ENOSPC", "fail", [], 4]
    assert await value_of(program, fail=fail, add=add) == expected


async def test_an_uncaught_rejection_names_the_call_in_the_programs_text(run: Run) -> None:
    async def fail(_: JsonValue) -> None:
        raise ValueError("only 2 in stock")

    result = await run("const a = 1\nconst r = await tools.fail({ a })\nreturn r", fail=fail)
    assert result.error is not None
    assert (result.error.name, result.error.line) == ("ToolCallError", 2)
    assert "only 2 in stock" in result.error.message
    assert "2 | const r = await tools.fail({ a })" in result.error.message


class _Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


class _Forgetful(BindingError):
    def __init__(self) -> None:
        """Forgets its base."""


class _Sly(str):
    def strip(self, *_: object) -> str:
        raise RuntimeError("no strip")


class _SlyText(Exception):
    def __str__(self) -> str:
        return _Sly("sly")


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ValueError("bad id 7"), "bad id 7"),
        (RuntimeError(), "RuntimeError"),
        (SystemExit(3), "3"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
        (asyncio.CancelledError(), "the call was cancelled"),
        (ValueError("\ud800"), "\ud800"),
        (_Unprintable(), "_Unprintable"),
        (ExceptionGroup("several", [ValueError("x")]), "several (1 sub-exception)"),
        (StopIteration(), "coroutine raised StopIteration"),
        (_Forgetful(), "_Forgetful"),
        (_SlyText(), "sly"),
        (GeneratorExit(), "GeneratorExit"),
        (BindingError("m", code=object()), "m"),  # type: ignore[arg-type]  # wrong on purpose
        (ValueError("x" * 100_000), "x" * 4096 + "…"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
async def test_whatever_a_function_raises_is_a_short_rejection(
    run: Run, error: BaseException, text: str
) -> None:
    async def boom(_: JsonValue) -> None:
        raise error

    result = await run(
        "try { await tools.boom() } catch (e) { return [e instanceof Error, e.message] }", boom=boom
    )
    assert result.value == [True, text]


async def test_calls_overlap_and_answers_come_in_the_order_in_which_they_end(
    value_of: ValueOf,
) -> None:
    first_waits = anyio.Event()
    started: list[JsonValue] = []

    async def step(argument: JsonValue) -> JsonValue:
        started.append(argument)
        if argument == 1:
            await first_waits.wait()
        else:
            first_waits.set()
        return argument

    program = """
      const order = []
      await Promise.all([1, 2].map((n) => tools.step(n).then((r) => order.push(r))))
      return order"""
    assert await value_of(program, step=step) == [2, 1]
    assert started == [1, 2]


async def test_the_namespace_cannot_be_changed(value_of: ValueOf) -> None:
    program = """
      const saved = tools.echo, failures = []
      for (const change of [
        () => { globalThis.tools = {} }, () => { tools.echo = null }, () => { delete tools.echo },
        () => { tools.more = 1 }, () => { Object.setPrototypeOf(tools, { ghost: 1 }) },
        () => { Object.defineProperty(tools, 'echo', { value: null }) },
      ]) { try { change() } catch (e) { failures.push(e.name) } }
      return [failures, await saved('a'), await tools.echo('b'), typeof tools.ghost,
              Object.getPrototypeOf(tools), Object.keys(tools)]"""
    names: list[JsonValue] = ["TypeError"] * 6
    expected: JsonValue = [names, "a", "b", "undefined", None, ["echo"]]
    assert await value_of(program, echo=echo) == expected


async def test_names_of_object_members_are_ordinary_names(runtime: QuickJSRuntime) -> None:
    names = ["__proto__", "constructor", "toString", "hasOwnProperty", "a.b", "", "é ü"]

    def named(name: str):
        async def function(_: JsonValue) -> JsonValue:
            return name

        return function

    space = BindingNamespace(name="tools", functions={name: named(name) for name in names})
    program = """
      const out = []
      for (const name of Object.keys(tools)) out.push([name, await tools[name]({})])
      return [out, typeof tools.valueOf]"""
    result = await runtime.run(RunRequest(program=program, bindings=[space]))
    assert result.value == [[[name, name] for name in names], "undefined"]


async def test_awaiting_a_namespace_with_a_member_called_then_is_a_clear_error(run: Run) -> None:
    calls: list[JsonValue] = []

    async def then(argument: JsonValue) -> JsonValue:
        calls.append(argument)
        return "called"

    result = await run("async function give() { return tools }\nawait give()", then=then)
    assert "cannot be awaited" in message(result)
    assert calls == []
    assert (await run("return await tools.then({ x: 1 })", then=then)).value == "called"


@pytest.mark.parametrize(
    ("program", "hint"),
    [
        ("return await tools.lst_orders({})", "did you mean list_orders?"),
        ("return await tools['lst_orders']({})", "did you mean list_orders?"),
        ("return await tools.zzz({})", "tools has add, list_orders"),
        ("return await tools.\nzzz({})", "not a function"),
    ],
)
async def test_a_wrong_name_is_answered_with_the_right_ones(
    run: Run, program: str, hint: str
) -> None:
    result = await run(program, list_orders=echo, add=add)
    assert hint in message(result)


async def test_programs_cannot_disturb_their_own_calls_by_poisoning_the_language(run: Run) -> None:
    for poison in (
        "JSON.stringify = JSON.parse = () => { throw 1 }",
        "Promise.prototype.then = () => { throw 1 }",
        "globalThis.Promise = class { constructor() { throw 1 } }",
        "Object.defineProperty(Object.prototype, 'toJSON', { get() { return undefined } })",
        "Array.prototype[Symbol.iterator] = () => { throw 1 }; Array.prototype.push = null",
        "Object.defineProperty(Object.prototype, '0', { set() { throw 1 } })",
        "Object.defineProperty(Object.prototype, 'a', { set() { throw 1 } })",
        "Error.prototype.constructor = null; globalThis.Error = null",
        "Function.prototype.call = Function.prototype.apply = null",
    ):
        result = await run(f"{poison}\nreturn await tools.echo({{ a: [1] }})", echo=echo)
        assert result.value == {"a": [1]}, poison


async def test_a_poisoned_then_hurts_only_the_program(run: Run) -> None:
    seen: list[JsonValue] = []

    async def keep(argument: JsonValue) -> JsonValue:
        seen.append(argument)
        return {"a": 1}

    result = await run(
        "Object.prototype.then = function (ok) { ok('hijack') }; return await tools.keep({ n: 1 })",
        keep=keep,
    )
    assert result.value == "hijack"
    assert seen == [{"n": 1}]


async def test_more_calls_than_allowed_reject(run: Run) -> None:
    program = """
      const out = []
      for (let i = 0; i < 4; i++) { try { out.push(await tools.echo(i)) } catch (e) { out.push(e.message) } }
      return out"""
    result = await run(program, limits=Limits(calls=2), echo=echo)
    refusal = "tools.echo was not called: the limit of 2 calls in one run is reached"
    assert result.value == [0, 1, refusal, refusal]
    assert result.stats.calls == 2


async def test_more_pending_calls_than_allowed_reject(run: Run) -> None:
    program = """
      const all = await Promise.allSettled(Array.from({ length: 5 }, (_, i) => tools.echo(i)))
      return all.map((one) => one.value ?? one.reason.message)"""
    result = await run(program, limits=Limits(pending_calls=3), echo=echo)
    refusal = "tools.echo was not called: the limit of 3 pending calls is reached"
    assert result.value == [0, 1, 2, refusal, refusal]


async def test_ten_thousand_pending_calls_are_answered(value_of: ValueOf) -> None:
    program = (
        "return (await Promise.all(Array.from({ length: 10_000 }, (_, i) => tools.echo(i)))).at(-1)"
    )
    assert await value_of(program, echo=echo) == 9999


async def test_an_argument_over_its_limit_rejects_that_call(run: Run) -> None:
    program = """
      let why; try { await tools.echo({ s: 'x'.repeat(2000) }) } catch (e) { why = e.message }
      return [why, await tools.echo('fine')]"""
    result = await run(program, limits=Limits(argument_bytes=1000), echo=echo)
    why = "tools.echo was not called: its argument is larger than 1000 bytes of JSON"
    assert result.value == [why, "fine"]


async def test_a_result_over_its_limit_rejects_that_call(run: Run) -> None:
    async def big(argument: JsonValue) -> JsonValue:
        assert isinstance(argument, int)
        return "x" * argument

    program = "let why; try { await tools.big(2000) } catch (e) { why = e.message } return [why, (await tools.big(9)).length]"
    result = await run(program, limits=Limits(result_bytes=1000), big=big)
    assert result.value == [
        "the result of big has 2002 bytes of JSON, more than the limit of 1000: ask for less",
        9,
    ]


async def test_a_result_that_the_programs_memory_has_no_room_for_rejects_that_call(
    run: Run,
) -> None:
    async def big(argument: JsonValue) -> JsonValue:
        return "x" * 30_000_000 if argument == "big" else "small"

    program = "let why; try { await tools.big('big') } catch (e) { why = e.message } return [why, await tools.big('')]"
    result = await run(program, limits=Limits(memory_bytes=16 << 20), big=big)
    assert result.value == [
        "the result has 30000014 bytes of JSON, more than the program's memory has room for",
        "small",
    ]


async def test_namespaces_have_their_own_names_and_error_classes(runtime: QuickJSRuntime) -> None:
    async def fail(_: JsonValue) -> None:
        raise ValueError("no")

    spaces = [
        BindingNamespace(
            name=name,
            functions={"fail": fail},
            error_class=BindingErrorClass(name=f"{name}Error", member="via"),
        )
        for name in ("left", "right")
    ]
    program = """
      const out = []
      for (const space of [left, right]) {
        try { await space.fail() } catch (e) { out.push([e.name, e.via, e instanceof leftError]) }
      }
      return out"""
    result = await runtime.run(RunRequest(program=program, bindings=spaces))
    assert result.value == [["leftError", "fail", True], ["rightError", "fail", False]]


async def test_a_failing_call_without_await_is_reported_and_the_run_succeeds(run: Run) -> None:
    async def fail(_: JsonValue) -> None:
        raise ValueError("late")

    result = await run("tools.fail(); return 1", fail=fail)
    assert result.value == 1
    assert [entry.text for entry in result.logs] == ["Unhandled rejection: ToolCallError: late"]
    assert kind(result) is None


async def test_the_arguments_of_pending_calls_are_bounded_together(run: Run) -> None:
    async def hold(_: JsonValue) -> None:
        await anyio.Event().wait()

    program = """
      for (let i = 0; i < 6; i++) tools.hold('x'.repeat(900)).catch((e) => console.log(e.message))
      await tools.echo(1); throw new Error('end')"""
    result = await run(program, limits=Limits(argument_bytes=1000), hold=hold, echo=echo)
    refused = [entry.text for entry in result.logs]
    assert len(refused) == 2
    assert "more than 4000 bytes of JSON together" in refused[0]


async def test_notes_about_results_are_bounded(run: Run) -> None:
    async def row(_: JsonValue) -> object:
        return {"a" * 300_000: 2**60, "id": 2**60}

    result = await run("for (let i = 0; i < 300; i++) await tools.row(); return 1", row=row)
    assert result.value == 1
    assert sum(len(entry.text) for entry in result.logs) < 10_000
    assert result.logs[-1].text == "more notes of the runtime are left out"
