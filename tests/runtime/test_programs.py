"""Which texts are programs, and what they give."""

import pytest

from support import Run, ValueOf, add, kind, message, texts

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("program", "value"),
    [
        ("return 1 + 1", 2),
        ("const n: number = 20; return n * 2 + 2", 42),
        ("return await Promise.resolve('later')", "later"),
        ("'use strict'; return this === undefined", True),
        ("1 + 1", 2),
        ("({ a: 1 })", {"a": 1}),
        ("() => 7", 7),
        ("async () => { return 7 }", 7),
        ("(async () => 7)()", 7),
        ("async function main(): Promise<number> { return 7 }", 7),
        ("async function () { return 7 }", 7),
        ("export default async function main() { return 7 }", 7),
        ("export default () => 7", 7),
        ("export default 7", 7),
        ("type A = number\nconst f = (a: A) => a\nexport default async () => f(7)", 7),
        ("const help = () => 7\nexport default async function main() { return help() }", 7),
        ("```ts\nreturn 7\n```", 7),
        ("```\nreturn 7\n```\n", 7),
        ("````ts\nreturn 7\n````", 7),
        ("~~~js\nreturn 7\n~~~\n", 7),
        ("\n  ```typescript\nasync () => 7\n```", 7),
        ("export const a = 3; return a", 3),
        ("import type { A } from './a'\nreturn 7", 7),
        ("return 5 // done", 5),
        ("return '// ``` not a fence'", "// ``` not a fence"),
        ("#!/usr/bin/env node\nreturn 1", 1),
        ("\ufeffreturn 1\r\n", 1),
        ("return 'x\0y'.length", 3),
        ("return '\u2028'.length", 1),
        (
            "using r = { [Symbol.dispose]() { out.push('disposed') } }\nvar out = []\nreturn out",
            ["disposed"],
        ),
        ("for await (const x of [1, 2]) { if (x === 2) return x }", 2),
        (
            "enum Level { Low, High = 'hi' } return [Level.Low, Level.High, Level[0]]",
            [0, "hi", "Low"],
        ),
        ("class P { constructor(readonly x: number) {} } return new P(3).x", 3),
        ("var a = 1; var a = 2; return typeof globalThis.a + a", "undefined2"),
    ],
)
async def test_a_text_in_a_form_that_models_write_gives_its_value(
    value_of: ValueOf, program: str, value: object
) -> None:
    assert await value_of(program) == value


@pytest.mark.parametrize(
    "program", ["", "return", "return undefined", "// nothing", "type A = 1", ";"]
)
async def test_a_program_without_result_or_output_is_told_how_to_give_one(
    run: Run, program: str
) -> None:
    result = await run(program)
    assert (result.error, result.value, result.has_value) == (None, None, False)
    assert [(entry.source, "return" in entry.text) for entry in result.logs] == [("runtime", True)]


async def test_a_dropped_last_value_is_named_in_the_note(run: Run) -> None:
    result = await run("async function main() { return 7 }\nmain()")
    assert "last statement was dropped" in texts(result)[0]


@pytest.mark.parametrize("program", ["return null", "return false", "return 0", "return ''"])
async def test_a_falsy_value_is_a_value(run: Run, program: str) -> None:
    result = await run(program)
    assert result.has_value
    assert result.logs == ()


@pytest.mark.parametrize(
    ("program", "words", "line"),
    [
        ("const x = 1\nimport fs from 'fs'\nreturn x", ("import", "tools"), 2),
        ("export { x } from './a'", ("export", "return"), 1),
        ("namespace A { export const x = 1 }", ("namespace",), 1),
        ("const a = <div>hi</div>", ("JSX",), 1),
        ("@dec class A {}", ("decorator",), 1),
        ("function f() { await g() }", ("await",), 1),
        ("if (true) {\n  return 1\n", ("}",), 3),
        ("return 1 }", ("}",), 1),
        ("return 1 }\nasync function z() {", ("}",), 1),
        ("})(); tools.steal({}); (async () => {", ("}",), 1),
    ],
)
async def test_a_text_that_is_no_program_is_refused_before_anything_runs(
    run: Run, program: str, words: tuple[str, ...], line: int
) -> None:
    calls: list[object] = []

    async def steal(argument: object) -> None:
        calls.append(argument)

    result = await run(program, steal=steal)
    assert kind(result) == "exception"
    assert result.error is not None
    assert result.error.name == "SyntaxError"
    assert result.error.line == line
    for word in words:
        assert word in result.error.message
    assert calls == []


async def test_floating_calls_are_finished_before_the_run_ends(run: Run) -> None:
    result = await run(
        "const out = []\ntools.add({ a: 1, b: 2 }).then((n) => out.push(n))\nreturn out", add=add
    )
    assert result.value == [3]
    assert result.stats.calls == 1


async def test_a_rejected_completion_ends_the_run_at_once(run: Run) -> None:
    result = await run("setTimeout(() => console.log('never'), 20_000)\nthrow new Error('now')")
    assert message(result).startswith("Error: now")
    assert texts(result) == []


async def test_a_promise_that_nothing_can_settle_is_named_at_once(run: Run) -> None:
    result = await run("console.log('before'); await new Promise(() => {}); return 1")
    assert kind(result) == "exception"
    assert "nothing can settle" in message(result)
    assert texts(result) == ["before"]


async def test_a_long_chain_of_microtasks_is_no_deadlock(value_of: ValueOf) -> None:
    assert await value_of("for (let i = 0; i < 100_000; i++) await null; return 'done'") == "done"


async def test_unhandled_rejections_are_reported_in_the_log(run: Run) -> None:
    result = await run(
        "Promise.reject(new Error('lost'))\n"
        "const kept = Promise.reject(new Error('kept')); await kept.catch(() => {})\n"
        "queueMicrotask(() => { throw new Error('micro') })\nreturn 1"
    )
    assert result.value == 1
    assert texts(result) == [
        "Unhandled rejection: Error: lost",
        "Uncaught in a callback: Error: micro",
    ]


@pytest.mark.parametrize(
    ("program", "value"),
    [("return { then(ok) { ok(42) } }", 42), ("return { then: 5 }", {"then": 5})],
)
async def test_a_returned_thenable_is_taken_as_the_language_does(
    value_of: ValueOf, program: str, value: object
) -> None:
    assert await value_of(program) == value
