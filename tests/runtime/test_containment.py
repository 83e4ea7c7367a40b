"""Hostile programs: each ends with the right kind, and a fresh run works afterwards."""

import pytest

from codemode.runtime import JsonValue, Limits
from support import Run, echo, kind, message

pytestmark = pytest.mark.anyio

COMPUTE = Limits(compute_ms=200, wall_ms=20_000, memory_bytes=64 << 20)
PATIENT = Limits(compute_ms=20_000, wall_ms=30_000, memory_bytes=64 << 20)


async def hang(_: JsonValue) -> None:
    import anyio

    await anyio.Event().wait()


LOOPS = {
    "hot loop": "for (;;) {}",
    "hot loop behind a pending decoy call": "tools.hang({}); for (;;) {}",
    "caught": "try { for (;;) {} } catch { return 'caught' }",
    "finally": "try { for (;;) {} } finally { return 'finally' }",
    "in an awaited function": "const w = async () => { await null; for (;;) {} }; try { await w() } catch {} return 1",
    "in a race": "await Promise.race([(async () => { await null; for (;;) {} })(), null]); for (;;) {}",
    "microtasks": "for (;;) await null",
    "microtask chain": "const f = () => Promise.resolve().then(f); await f()",
    "queueMicrotask after the value is known": "(function q() { queueMicrotask(q) })(); return 'out'",
    "regex": "return /^(a+)+$/.test('a'.repeat(35) + '!')",
    "indexOf": "const s = 'a'.repeat(2 ** 22); for (;;) s.indexOf('b')",
    "fill": "const a = new Float64Array(2 ** 22); for (;;) a.fill(1)",
    "join": "return String(new Array(900_000_000)).length",
    "sort comparator": "for (;;) [3, 2, 1].sort(() => { for (;;) {} })",
    "BigInt": "let b = 3n; for (;;) b = b ** 3n % (2n ** 40_000n)",
    "in a getter of the result": "return { get a() { for (;;) {} } }",
    "in toJSON of the result": "return { toJSON() { for (;;) {} } }",
    "in a proxy of the result": "return new Proxy({}, { ownKeys() { for (;;) {} } })",
    "in a getter of an argument": "await tools.hang({ get a() { for (;;) {} } })",
    "generator": "const g = (function* () { for (;;) yield 1 })(); for (const x of g) x",
    "timer": "setTimeout(() => { for (;;) {} }); await new Promise(() => {})",
    "eval": "eval('for (;;) {}')",
    "symbols": "for (let i = 0; ; i++) Symbol.for('s' + i % 1000)",
    "console": "for (;;) console.log('x')",
}


@pytest.mark.parametrize("program", LOOPS.values(), ids=LOOPS.keys())
async def test_a_loop_ends_on_the_compute_budget(run: Run, program: str) -> None:
    result = await run(program, limits=COMPUTE, hang=hang)
    assert kind(result) == "timeout"
    assert result.error is not None
    assert result.error.budget == "compute"
    assert (await run("return 1")).value == 1


BOMBS = {
    "array": "const a = []; for (;;) a.push({ i: a.length })",
    "map": "const m = new Map(); for (;;) m.set({}, new Array(100))",
    "members": "const s = {}; for (let i = 0; ; i++) s['k' + i] = i",
    "spread": "return [...{ *[Symbol.iterator]() { for (;;) yield 1 } }]",
    "typed arrays": "const a = []; for (;;) a.push(new Uint8Array(2 ** 20))",
    "strings": "const a = []; for (;;) a.push('x'.repeat(2 ** 20) + a.length)",
    "string by one call": "return 'x'.repeat(2 ** 29).length",
    "replace": "return 'a'.repeat(1e6).replace(/a/g, 'b'.repeat(1000)).length",
    "split": "return 'a'.repeat(5e6).split('').length",
    "JSON.stringify": "let o = 'x'; for (let i = 0; i < 40; i++) o = [o, o]; return JSON.stringify(o)",
    "JSON.parse": "return JSON.parse('[' + '[],'.repeat(2e6) + '1]').length",
    "closures": "const a = []; for (;;) a.push(() => a)",
    "arguments of calls": "for (;;) tools.hang({ s: 'x'.repeat(9e5) })",
    "promises": "const a = []; for (;;) a.push(new Promise(() => {}))",
}


@pytest.mark.parametrize("program", BOMBS.values(), ids=BOMBS.keys())
async def test_an_allocation_bomb_ends_on_the_memory_limit(run: Run, program: str) -> None:
    result = await run(program, limits=PATIENT, hang=hang)
    assert kind(result) == "memory-limit", message(result)
    assert result.stats.peak_memory_bytes <= 64 << 20
    assert (await run("return 1")).value == 1


async def test_a_program_can_catch_the_end_of_its_memory_and_go_on(run: Run) -> None:
    program = """
      let a = []
      try { for (;;) a.push(new Array(1000).fill(0)) } catch (e) { a = null; return e.name }"""
    assert (await run(program, limits=PATIENT)).value == "InternalError"


async def test_a_small_value_whose_json_is_enormous_ends_on_the_output_limit(run: Run) -> None:
    program = "let o = 'x'; for (let i = 0; i < 40; i++) o = [o, o];"
    result = await run(f"{program} return o", limits=Limits(value_bytes=65536))
    assert kind(result) == "output-limit"
    result = await run(
        f"{program} await tools.echo(o)", limits=Limits(argument_bytes=65536), echo=echo
    )
    assert "larger than 65536 bytes" in message(result)


async def test_a_hundred_megabytes_of_console_output_are_cut_and_the_run_goes_on(run: Run) -> None:
    program = "const s = 'y'.repeat(100_000); for (let i = 0; i < 1000; i++) console.log(s); return 'done'"
    result = await run(program)
    assert result.value == "done"
    assert sum(len(entry.text) for entry in result.logs) <= 65536


@pytest.mark.parametrize(
    "program",
    [
        "return eval('1 + 1') + new Function('return typeof tools')().length",
        "return (async () => {}).constructor('return typeof process')().then((t) => 2 + t.length - 3)",
    ],
)
async def test_dynamic_code_runs_in_the_same_realm_and_sees_nothing_more(
    run: Run, program: str
) -> None:
    assert (await run(program)).value == 8


async def test_runs_share_nothing(run: Run) -> None:
    await run("globalThis.leak = 1; Array.prototype.leak = 2; JSON.leak = 3; return 1")
    result = await run("return [typeof leak, [].leak, JSON.leak, 'leak' in globalThis]")
    assert result.value == ["undefined", None, None, False]
