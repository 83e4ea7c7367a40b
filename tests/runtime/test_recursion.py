"""Recursion of every kind ends as an error that the program can catch, never as a dead sandbox."""

from collections.abc import Callable

import pytest

from support import Run, kind, message

pytestmark = pytest.mark.anyio

RECURSIONS = {
    "function": "const f = () => f() + 1; f()",
    "async function": "const f = async () => { await f() }; await f()",
    "constructor": "class A { constructor() { new A() } }; new A()",
    "class chain": "let C = class {}; for (let i = 0; i < 50000; i++) C = class extends C {}; new C()",
    "getter": "const o = { get a() { return o.a } }; o.a",
    "toString": "const o = { toString() { return '' + o } }; '' + o",
    "valueOf": "const o = { valueOf() { return +o } }; +o",
    "toPrimitive": "const o = { [Symbol.toPrimitive]() { return `${o}` } }; `${o}`",
    "proxy chain": "let t = {}; for (let i = 0; i < 50000; i++) t = new Proxy(t, {}); t.x",
    "proxy get": "const p = new Proxy({}, { get(t, k, r) { return r[k] } }); p.x",
    "proxy has": "const p = new Proxy({}, { has() { return 1 in p } }); 1 in p",
    "proxy ownKeys": "const p = new Proxy({}, { ownKeys() { return Reflect.ownKeys(p) } }); Reflect.ownKeys(p)",
    "proxy as its own prototype": "const p = new Proxy(() => {}, {}); p.__proto__ = p; p + 1",
    "map": "const f = () => [1].map(f); f()",
    "sort": "const f = () => [2, 1].sort(f); f()",
    "replace": "const f = () => 'x'.replace(/x/, f); f()",
    "Reflect.apply": "const f = () => Reflect.apply(f, null, []); f()",
    "reviver": "const f = () => JSON.parse('[1]', f); f()",
    "toJSON": "const o = { toJSON() { return JSON.stringify(o) } }; JSON.stringify(o)",
    "generator": "const f = function* () { yield* f() }; [...f()]",
    "iterator": "const o = { [Symbol.iterator]() { return [...o][Symbol.iterator]() } }; [...o]",
    "Map.forEach": "const m = new Map([[1, 1]]); const f = () => m.forEach(f); f()",
    "flat": "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; a.flat(Infinity)",
    "join": "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; String(a)",
    "JSON.parse": "JSON.parse('['.repeat(1e5))",
    "JSON.stringify": "let o = []; for (let i = 0; i < 1e5; i++) o = [o]; JSON.stringify(o)",
    "structuredClone": "let o = {}; for (let i = 0; i < 1e5; i++) o = { o }; structuredClone(o)",
    "parentheses": "eval('('.repeat(20000) + '1' + ')'.repeat(20000))",
    "brackets": "eval('['.repeat(20000))",
    "arrows": "eval('x=>'.repeat(20000) + '1')",
    "unary": "eval('!'.repeat(2e5) + '1')",
    "templates": "eval('`${'.repeat(20000) + '1' + '}`'.repeat(20000))",
    "regex": "new RegExp('(?:a|'.repeat(20000) + ')'.repeat(20000))",
    "bound functions": "let g = () => 1; for (let i = 0; i < 5000; i++) g = g.bind(null); while (true) g = g.bind(g())",
    "getter then": "const o = {}; Object.defineProperty(o, 'then', { get() { return o.then } }); await o",
    "Function": "const f = new Function('f', 'return f(f)'); f(f)",
    "hasInstance": "class A { static [Symbol.hasInstance](x) { return x instanceof A } } 1 instanceof A",
}


@pytest.mark.parametrize("program", RECURSIONS.values(), ids=RECURSIONS.keys())
async def test_a_recursion_without_end_can_be_caught(run: Run, program: str) -> None:
    uncaught = await run(program)
    assert kind(uncaught) in ("exception", "memory-limit"), message(uncaught)
    caught = await run(f"try {{ {program} }} catch (e) {{ return e.name }}")
    assert caught.error is None, message(caught)
    assert caught.value in ("RangeError", "InternalError", "SyntaxError")


NESTED: dict[str, Callable[[int], str]] = {
    "parentheses": lambda n: "(" * n + "1" + ")" * n,
    "brackets": lambda n: "[" * n + "1" + "]" * n,
    "unary": lambda n: "!" * n + "1",
    "conditional": lambda n: "0?1:" * n + "1",
    "templates": lambda n: "`${" * n + "1" + "}`" * n,
    "objects": lambda n: "({a:" * n + "1" + "})" * n,
}


@pytest.mark.parametrize("nest", list(NESTED.values()), ids=list(NESTED))
async def test_source_nested_five_hundred_deep_runs_and_deeper_is_refused_by_name(
    run: Run, nest: Callable[[int], str]
) -> None:
    assert (await run(f"const x = {nest(500)}; return 'ran'")).value == "ran"
    result = await run(f"const x = {nest(100_000)}; return 'ran'")
    assert kind(result) == "exception"
    assert "deep" in message(result) or "stack" in message(result)


async def test_ordinary_depths_of_recursion_work(run: Run) -> None:
    program = """
      const sum = (n) => (n === 0 ? 0 : n + sum(n - 1))
      const deep = async (n) => (n === 0 ? 0 : 1 + (await deep(n - 1)))
      return [sum(2500), await deep(900)]"""
    assert (await run(program)).value == [3126250, 900]
