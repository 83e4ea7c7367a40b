"""What the program prints, and how it is kept."""

import json

import anyio
import pytest

from codemode.runtime import Limits, LogEntry, QuickJSRuntime, RunRequest
from support import Run, texts

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ("'a', 1, true, null, undefined", "a 1 true null undefined"),
        ("", ""),
        (
            "{ id: 1, name: 'x', 'odd key': [1, 'two'] }",
            "{ id: 1, name: 'x', \"odd key\": [ 1, 'two' ] }",
        ),
        ("[1, , 3]", "[ 1, <empty>, 3 ]"),
        ("[], {}, new Map(), new Set()", "[] {} Map(0) {} Set(0) {}"),
        ("new Map([['a', { b: 1 }]]), new Set([1])", "Map(1) { 'a' => { b: 1 } } Set(1) { 1 }"),
        ("new Date(0), new Date(NaN), /a\\/b/g", "1970-01-01T00:00:00.000Z Invalid Date /a\\/b/"),
        ("() => 1, class A {}, function f() {}", "[Function] [Function: A] [Function: f]"),
        ("new (class Point { x = 1 })()", "Point { x: 1 }"),
        (
            "{ get a() { throw 1 } }, new Proxy({}, { get() { throw 1 } })",
            "{ a: [Getter] } [Proxy]",
        ),
        (
            "{ a: { b: { c: { d: { e: { f: 1 } } } } } }",
            "{ a: { b: { c: { d: { e: [Object] } } } } }",
        ),
        ("(() => { const o = {}; o.o = o; return o })()", "{ o: [Circular] }"),
        ("10n, Symbol('s'), -0", "10n Symbol(s) -0"),
        ("new TypeError('no')", "TypeError: no"),
        ("[new Error('in')]", "[ [Error: in] ]"),
        (
            "Promise.resolve(1), new Promise(() => {})",
            "Promise { <resolved> } Promise { <pending> }",
        ),
        ("new Uint8Array([1, 2]), new ArrayBuffer(2)", "Uint8Array [ 1, 2 ] [ArrayBuffer]"),
        ("Array.from({ length: 102 }, () => 0)", "[ " + "0, " * 100 + "... 2 more items ]"),
        ("{ s: 'it\\'s\\n' }", "{ s: 'it\\'s\\n' }"),
        ("new Number(3), new String('s')", "[3] ['s']"),
        ("Object.create(null)", "{}"),
    ],
)
async def test_values_are_shown_as_a_person_reads_them(run: Run, arguments: str, text: str) -> None:
    result = await run(f"console.log({arguments}); return 1")
    assert texts(result) == [text]


async def test_each_method_has_its_level_and_none_throws(run: Run) -> None:
    result = await run(
        "for (const m of ['log', 'info', 'warn', 'error', 'debug']) console[m](m)\n"
        "const { log } = console; log('detached'); return Object.keys(console)"
    )
    levels = ["log", "info", "warn", "error", "debug"]
    assert result.value == levels
    assert [(entry.level, entry.text) for entry in result.logs] == [
        *((level, level) for level in levels),
        ("log", "detached"),
    ]
    assert {entry.source for entry in result.logs} == {"console"}


@pytest.mark.parametrize(
    "program",
    [
        "for (let i = 0; i < 100_000; i++) console.log('x')",
        "for (let i = 0; i < 100_000; i++) console.log('')",
        "console.log('é'.repeat(5_000_000))",
        "for (let i = 0; i < 100; i++) console.log('\\u0001\\ud800\"'.repeat(100))",
        "console.log(...new Array(60_000).fill('z'.repeat(100)))",
    ],
)
@pytest.mark.parametrize("log_bytes", [300, 65536])
async def test_logs_over_their_limit_end_in_one_marker_and_the_run_goes_on(
    run: Run, program: str, log_bytes: int
) -> None:
    result = await run(f"{program}; return 'on'", limits=Limits(log_bytes=log_bytes))
    assert result.value == "on"
    entries = [
        {"source": entry.source, "level": entry.level, "text": entry.text} for entry in result.logs
    ]
    assert (
        len(
            json.dumps(entries, ensure_ascii=False, separators=(",", ":")).encode(
                "utf-8", "surrogatepass"
            )
        )
        <= log_bytes
    )
    marker = f"[codemode] log cut at {log_bytes} bytes; later output is dropped"
    assert result.logs[-1] == LogEntry(source="runtime", level="warn", text=marker)
    assert texts(result).count(marker) == 1


async def test_logs_just_under_their_limit_are_kept_whole(run: Run) -> None:
    result = await run("console.log('x'.repeat(65536 - 168)); return 1")
    assert [len(entry.text) for entry in result.logs] == [65536 - 168]


async def test_logs_are_seen_while_the_program_computes(runtime: QuickJSRuntime) -> None:
    from codemode.runtime import AbortController

    seen, controller = list[str](), AbortController()

    def watch(entry: LogEntry) -> None:
        seen.append(entry.text)
        if len(seen) == 2:
            controller.abort()

    program = "console.log('one'); for (let i = 0; i < 1e7; i++); console.log('two'); for (;;) {}"
    with anyio.fail_after(20):
        await runtime.run(RunRequest(program=program, on_log=watch, signal=controller.signal))
    assert seen == ["one", "two"]


async def test_entries_cannot_be_forged(run: Run) -> None:
    result = await run(
        "console.log('line1\\n[codemode] log cut'); console.log('\\x1b[2J'); return 1"
    )
    assert [(entry.source, entry.text) for entry in result.logs] == [
        ("console", "line1\n[codemode] log cut"),
        ("console", "\x1b[2J"),
    ]
