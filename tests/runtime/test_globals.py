"""What a program finds, and what it does not."""

import pytest

from codemode.runtime._names import PROGRAM_GLOBALS  # the list this test keeps true
from support import Run, ValueOf, kind, message

pytestmark = pytest.mark.anyio


async def test_the_globals_are_the_reviewed_list(value_of: ValueOf) -> None:
    names = await value_of("return Object.getOwnPropertyNames(globalThis)")
    assert isinstance(names, list)
    assert set(map(str, names)) == PROGRAM_GLOBALS | {"tools", "ToolCallError"}


@pytest.mark.parametrize(
    "name",
    [
        "fetch",
        "process",
        "require",
        "module",
        "exports",
        "Deno",
        "Bun",
        "WebAssembly",
        "SharedArrayBuffer",
        "Atomics",
        "setInterval",
        "setImmediate",
        "XMLHttpRequest",
        "WebSocket",
        "Worker",
        "importScripts",
        "navigator",
        "window",
        "self",
        "global",
        "std",
        "os",
        "print",
        "scriptArgs",
        "gc",
        "__dirname",
    ],
)
async def test_a_global_of_another_host_is_absent(value_of: ValueOf, name: str) -> None:
    assert await value_of(f"return typeof {name}") == "undefined"


async def test_require_is_answered_with_the_way(run: Run) -> None:
    result = await run("const fs = require('fs')\nreturn 1")
    assert kind(result) == "exception"
    assert "there are no modules here" in message(result).lower()


@pytest.mark.parametrize(
    ("program", "value"),
    [
        (
            "return new URL('../x y?q=1#h', 'https://u:p@ex.com:8080/a/b/c').href",
            "https://u:p@ex.com:8080/a/x%20y?q=1#h",
        ),
        ("return new URL('HTTPS://EX.com:443/a/./b/../c').href", "https://ex.com/a/c"),
        ("return new URL('http://0x7f.1/').hostname", "127.0.0.1"),
        ("return new URL('http://[2001:db8:0:0::1]/').host", "[2001:db8::1]"),
        ("return new URL('mailto:a@b.c').pathname", "a@b.c"),
        ("return new URL('file:///C:/a/../b').pathname", "/C:/b"),
        ("return [URL.canParse('nope'), URL.canParse('a:b')]", [False, True]),
        (
            "const u = new URL('https://a.b/'); u.searchParams.append('k', 'a b&c'); u.hash = 'x'; return u.href",
            "https://a.b/?k=a+b%26c#x",
        ),
        (
            "const u = new URL('https://a.b/?x=1'); u.search = '?y=2'; return u.searchParams.get('y')",
            "2",
        ),
        (
            "const u = new URL('https://a.b:1/p'); u.port = '443'; u.pathname = 'q'; return u.href",
            "https://a.b/q",
        ),
        ("return new URL('https://a.b/c').origin", "https://a.b"),
        ("return [...new URLSearchParams('a=1&b=2&a=3')]", [["a", "1"], ["b", "2"], ["a", "3"]]),
        ("return new URLSearchParams({ a: 'ü', b: 2 }).toString()", "a=%C3%BC&b=2"),
        (
            "const p = new URLSearchParams('b=2&a=1&a=0'); p.sort(); p.set('a', 9); return `${p}`",
            "a=9&b=2",
        ),
        ("return new URLSearchParams('?a=%F0%9F%8E%89+x').get('a')", "🎉 x"),
        ("return [...new TextEncoder().encode('é\\ud800')]", [195, 169, 239, 191, 189]),
        (
            "return new TextDecoder().decode(new Uint8Array([0xEF, 0xBB, 0xBF, 0xC3, 0xA9, 0xFF, 0xE2, 0x82]))",
            "é\ufffd\ufffd",
        ),
        (
            "try { new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([255])) } catch (e) { return e.name }",
            "TypeError",
        ),
        ("return new TextEncoder().encodeInto('aé', new Uint8Array(2))", {"read": 1, "written": 1}),
        ("return [btoa('hi'), atob('aGk=')]", ["aGk=", "hi"]),
        (
            "const a = { d: new Date(0), m: new Map([[1, { x: 1 }]]) }; a.self = a; const b = structuredClone(a); return [b !== a, b.self === b, b.d.getTime(), b.m.get(1).x]",
            [True, True, 0, 1],
        ),
        (
            "try { structuredClone(() => 1) } catch (e) { return [e.name, e instanceof DOMException] }",
            ["DataCloneError", True],
        ),
        (
            "const e = structuredClone(new RangeError('m')); return [e instanceof RangeError, e.message]",
            [True, "m"],
        ),
        (
            "const b = structuredClone(new Uint8Array([1, 2])); return [b instanceof Uint8Array, [...b]]",
            [True, [1, 2]],
        ),
        (
            "return /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID())",
            True,
        ),
        ("const a = crypto.getRandomValues(new Uint8Array(16)); return a.some((n) => n > 0)", True),
        ("const o = []; queueMicrotask(() => o.push(2)); o.push(1); await null; return o", [1, 2]),
        ("return new FinalizationRegistry(() => {}).register({}, 1) === undefined", True),
    ],
)
async def test_the_extra_globals_do_what_a_browsers_do(
    value_of: ValueOf, program: str, value: object
) -> None:
    assert await value_of(program) == value


@pytest.mark.parametrize(
    "text",
    ["", "http://", "http://a b/", "http://[::1", "http://1.2.3.999/", "//x", "http://a:99999/"],
)
async def test_what_is_no_url_throws(value_of: ValueOf, text: str) -> None:
    import json

    program = f"try {{ return new URL({json.dumps(text)}).href }} catch (e) {{ return e.name }}"
    assert await value_of(program) == "TypeError"
