"""Programs that change, poison or misuse what they are given: they fool themselves at most, and the log
says what was really called."""

import asyncio
import datetime
from typing import Any

import pytest

from codemode.registry import ExecContext, ToolRegistry
from codemode.registry.log import CodeDispatchStartEntry, MemoryLog
from codemode.runtime import Limits, QuickJSRuntime

from .codekit import arguments, echo, ended, registry_of, run, started, value_of
from .kit import Counter, code, definition, text

pytestmark = pytest.mark.anyio
ANYTHING: Any = {}


def talk(runtime: QuickJSRuntime, log: MemoryLog, **options: Any) -> ToolRegistry:
    """Tools that take and give anything."""
    return registry_of(
        runtime,
        definition("repeat", echo, parameters=ANYTHING, output=ANYTHING),
        definition("sum", add, output=ANYTHING),
        log=log,
        **options,
    )


async def add(args: Any, exec: ExecContext) -> Any:
    return args["a"] + args["b"]


async def test_the_tools_object_cannot_be_replaced_nor_patched(runtime: QuickJSRuntime) -> None:
    log = MemoryLog()
    program = """const kept = tools.repeat
        const fake = async () => 'fake'
        for (const change of [
            () => { globalThis.tools = { repeat: fake } },
            () => { tools.repeat = fake },
            () => { delete tools.sum },
            () => { tools.extra = fake },
            () => { Object.setPrototypeOf(tools, { ghost: fake }) },
            () => { Object.defineProperty(tools, 'sum', { value: fake }) },
            () => { Object.assign(tools, { repeat: fake }) },
        ]) { try { change() } catch {} }
        return [await kept('x'), await tools.repeat('y'), await tools.sum({ a: 2, b: 3 }),
            typeof tools.ghost, typeof tools.extra]"""
    assert await value_of(talk(runtime, log), program) == ["x", "y", 5, "undefined", "undefined"]
    assert started(log) == [("c1:code:1", "repeat"), ("c1:code:2", "repeat"), ("c1:code:3", "sum")]
    assert arguments(log) == ["x", "y", {"a": 2, "b": 3}]


@pytest.mark.parametrize(
    "poison",
    [
        "Object.prototype.then = function (ok) { ok('taken') }",
        "Object.defineProperty(Object.prototype, 'then', { get() { throw new Error('trap') } })",
        "let n = 0; Object.defineProperty(Object.prototype, 'then', { get() { n++ } })",
        "Promise.prototype.then = function () { return 'no promise' }",
        "Promise.prototype.then = () => { throw new Error('then is gone') }",
        "globalThis.Promise = class { constructor() { throw new Error('no promises') } }",
        "Object.defineProperty(Promise, Symbol.species, { get() { return class { constructor(f) { f(() => 0, () => 0) } } } })",
        "Promise.resolve = () => ({ then() {} })",
        "JSON.stringify = () => '{}'; JSON.parse = () => 'lies'",
        "Object.defineProperty(Object.prototype, 'x', { get: () => 'lies', set() { throw 1 } })",
        "Object.keys = Object.entries = Reflect.ownKeys = () => ['lies']",
        "Error = class { constructor() { throw 1 } }; ToolCallError = null",
        "Array.prototype.push = Array.prototype.map = () => { throw 1 }",
    ],
)
async def test_a_poisoned_language_makes_no_call_and_hides_none(
    runtime: QuickJSRuntime, poison: str
) -> None:
    log = MemoryLog()
    registry = talk(runtime, log, limits=Limits(wall_ms=1_500))
    result = await run(registry, f"{poison}\nreturn await tools.repeat({{ x: [1, 'two'] }})")
    if result.is_error:
        said = text(result)
        assert said.startswith(
            ("Error: code run failed (exception)", "Error: code run failed (timeout")
        )
        assert "protocol" not in said
    assert started(log) == [("c1:code:1", "repeat")]
    assert arguments(log) == [{"x": [1, "two"]}]
    assert len(ended(log)) == 1
    log.__init__()
    assert await value_of(registry, "return await tools.repeat({ x: 1 })") == {"x": 1}


async def test_arguments_are_what_json_would_make_of_them_and_the_log_says_so(
    runtime: QuickJSRuntime,
) -> None:
    log = MemoryLog()
    program = "Object.prototype.toJSON = () => 'lies'\nreturn await tools.repeat({ x: 1 })"
    assert text(await run(talk(runtime, log), program)) == "lies"
    assert arguments(log) == ["lies"]


async def test_awaiting_the_tools_calls_no_tool_named_then(runtime: QuickJSRuntime) -> None:
    log = MemoryLog()
    registry = registry_of(runtime, definition("then"), definition("other"), log=log)
    result = await run(
        registry,
        "async function give() { return tools }\nreturn typeof (await give()).other",
    )
    assert started(log) == []
    if result.is_error:
        assert code(result) == "CODE_RUN_FAILED"
        assert "then" in text(result)
    else:
        assert text(result) == "function"
    assert text(await run(registry, "return await tools.then({ a: 1 })")) == "done"
    assert started(log) == [("c1:code:1", "then")]


async def test_tools_may_be_called_like_members_of_objects(runtime: QuickJSRuntime) -> None:
    names = [
        "__proto__",
        "constructor",
        "toString",
        "hasOwnProperty",
        "__defineGetter__",
        "class",
        "a-b",
        "0",
    ]

    def named(name: str) -> Any:
        async def body(args: Any, exec: ExecContext) -> Any:
            assert exec.name == name
            return {"from": name, "n": args["n"]}

        return definition(name, body, output=ANYTHING)

    log = MemoryLog()
    registry = registry_of(runtime, *map(named, names), log=log)
    program = f"""const ends = []
        for (const [n, name] of {names!r}.entries()) ends.push(await tools[name]({{ n }}))
        return [ends, Object.keys(tools).sort(), typeof tools.valueOf, Object.getPrototypeOf(tools)]"""
    ends, keys, value_of_, prototype = await value_of(registry, program)
    assert ends == [{"from": name, "n": n} for n, name in enumerate(names)]
    assert (keys, value_of_, prototype) == (sorted(names), "undefined", None)
    assert [name for _, name in started(log)] == names


async def test_odd_numbers_of_arguments_follow_one_rule(runtime: QuickJSRuntime) -> None:
    log = MemoryLog()
    program = """return [await tools.repeat(), await tools.repeat(undefined), await tools.repeat(null),
        await tools.repeat([1]), await tools.repeat('s'), await tools.repeat({ a: 1 }, { b: 2 }),
        await tools.repeat(() => 1).catch(() => 'refused')]"""
    given = [{}, {}, None, [1], "s", {"a": 1}]
    assert await value_of(talk(runtime, log), program) == [*given, "refused"]
    assert arguments(log) == given


class BadTextError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


ODD: dict[str, BaseException] = {
    "value": ValueError("no such id: 7"),
    "empty": RuntimeError(),
    "exit": SystemExit(3),
    "keyboard": KeyboardInterrupt(),
    "cancelled": asyncio.CancelledError(),
    "surrogate": ValueError("\ud800"),
    "textless": BadTextError(),
    "group": ExceptionGroup("two", [ValueError("a"), KeyError("b")]),
    "stop": StopAsyncIteration(),
    "path": FileNotFoundError(2, "No such file"),
}


async def test_whatever_a_tool_raises_is_one_rejected_call(runtime: QuickJSRuntime) -> None:
    async def boom(args: Any, exec: ExecContext) -> None:
        raise ODD[args["kind"]]

    log = MemoryLog()
    registry = registry_of(runtime, definition("boom", boom), log=log)
    program = f"""const ends = {{}}
        for (const kind of {list(ODD)!r}) {{
            try {{ await tools.boom({{ kind }}); ends[kind] = null }}
            catch (e) {{ ends[kind] = [e instanceof ToolCallError, e.code, e.message] }} }}
        return ends"""
    ends = await value_of(registry, program)
    assert list(ends) == list(ODD)
    for kind, end in ends.items():
        assert end[:2] == [True, "TOOL_FAILED"], kind
        assert 0 < len(end[2]) < 200, kind
        assert "Traceback" not in end[2]
        assert ".py" not in end[2]
    assert ends["value"][2] == "no such id: 7"
    assert ends["empty"][2] == "RuntimeError"
    assert [error for _, _, error in ended(log)] == ["TOOL_FAILED"] * len(ODD)


RING: list[Any] = []
RING.append(RING)
RESULTS: dict[str, Any] = {
    "nan": float("nan"), "infinity": float("-inf"), "surrogate": "\ud800", "bytes": b"x",
    "date": datetime.datetime(2026, 1, 1), "set": {1}, "ring": RING, "keys": {1: "a"},
    "tuple": (1, 2), "huge": 10**400, "none": None, "object": object(), "same": {1: "a", "1": "b"},
}  # fmt: skip


@pytest.mark.parametrize("output", [None, ANYTHING], ids=["text", "structured"])
async def test_whatever_a_tool_gives_settles_its_call(runtime: QuickJSRuntime, output: Any) -> None:
    async def give(args: Any, exec: ExecContext) -> Any:
        return RESULTS[args["kind"]]

    registry = registry_of(runtime, definition("give", give, output=output))
    program = f"""const ends = {{}}
        for (const kind of {list(RESULTS)!r}) {{
            try {{ ends[kind] = ['value', await tools.give({{ kind }})] }}
            catch (e) {{ ends[kind] = ['error', e.code, e.message] }} }}
        console.log(JSON.stringify(Object.keys(ends)))
        return JSON.stringify(ends)"""
    result = await run(registry, program)
    assert not result.is_error, text(result)
    assert "huge" in text(result)
    for line in text(result).split("\n"):
        assert "NaN" not in line
        assert "Infinity" not in line
    for kind in ("ring", "object", "same"):
        assert f'"{kind}":["error","INVALID_TOOL_OUTPUT",' in text(result)
    for kind in ("tuple", "none", "keys", "set"):
        assert f'"{kind}":["value",' in text(result)


async def test_the_log_of_a_program_is_the_same_in_each_of_its_runs(
    runtime: QuickJSRuntime,
) -> None:
    program = """await Promise.all([3, 1, 2].map((n) => tools.repeat({ n }).then(() => tools.sum({ a: n, b: 0 }))))
        return 0"""
    seen: list[Any] = []
    for _ in range(3):
        log = MemoryLog()
        await run(talk(runtime, log, max_parallel_sub_calls=4), program)
        seen.append([(e.sub_call_id, e.name, e.arguments) for e in log.entries if isinstance(e, CodeDispatchStartEntry)])  # fmt: skip
    assert seen[0] == seen[1] == seen[2]
    assert len(seen[0]) == 6


async def test_a_program_with_a_thousand_calls_has_a_thousand_entries(
    runtime: QuickJSRuntime,
) -> None:
    body, log = Counter(), MemoryLog()
    registry = registry_of(
        runtime, definition("note", body, concurrency_safe=True), log=log, max_parallel_sub_calls=8
    )
    program = """const all = await Promise.all(Array.from({ length: 1000 }, (_, n) => tools.note({ n })))
        return all.length"""
    assert text(await run(registry, program)) == "1000"
    assert body.calls == [{"n": n} for n in range(1000)]
    assert [call_id for call_id, _, _ in ended(log)] == [f"c1:code:{n}" for n in range(1, 1001)]
