"""Plain JavaScript comes back byte for byte."""

from pathlib import Path

import pytest

from .oracle.eraser import Eraser, Status
from .oracle.node import install_tools
from .oracle.snippets import SAMPLES

SNIPPETS = [
    "let type = 1, as = 2, of = 3, is = 4, satisfies = 5, abstract = 6, declare = 7, global = 8",
    "type\nA = 1\ninterface\nB\nnamespace\nC\ndeclare\nlet D",
    "abstract\nclass A { declare; readonly; abstract = 1; static async; get; set }",
    "a = b ? (c) : d => e",
    "a = b ? (c) : d ? (e) => f : g",
    "a < b > c; a < b, c > d; a << b >> c >>> d; a <= b >= c; a<b>>c",
    "if (a < b && c > (d)) e",
    "for (var i = 0, n = (1 in a); i < n; i++);",
    "for (async of => 1; false;); for (let of of of);",
    "x = /[/<>]/g, y = a / b / c, z = a++ / 2",
    "x = `a${`b${c}`}` + `\\`` + tag`<T>(${x})`",
    "async(x); async (x) => x; async\nx",
    "({ async, get, set, async a() {}, get b() { return 1 }, set b(v) {}, *c() {}, [d]: 1, ...e })",
    "class A extends (B, C) { static { this.x = 1 } #p = 1; static async *#q() {} 'constructor'() {} }",
    "label: for (;;) { continue label }",
    "x = a?.[b]?.(c)?.d ?? e; y = a ?.5 : 1",
    "var { a = 1, b: [c, ...d], ...e } = f; [a.b, c[d]] = e",
    "a ? (b, c) : d; (a, b) => c; (a = 1, { b }, [c] = []) => {}",
    "x = function* () { yield\n(a); yield* b; yield /re/ }",
    "y = 1_000n ** 2n + 0x1F + .5e+3 + 1..toString()",
    "return\n1",
    "a <!-- b\n--> c",
    "new.target; import.meta; import('x'); new new A()(); delete a.b, void 0, typeof a",
    "var yield_, let_\nlet\nx = 1",
    "\\u0061bc = caf\u00e9 + \u5909\u6570 + $_",
    "// a: T\n/* b: U */ 'c: V' // as any",
    "try { a } catch { b } finally { c }",
    "with_ = { if: 1, class: 2, type: 3, enum: 4 }.enum",
]


@pytest.mark.parametrize("source", SNIPPETS)
def test_plain_javascript_comes_back_unchanged(source: str, eraser: Eraser) -> None:
    erased = eraser.erase(source)
    assert (erased.status, erased.text) == (Status.OK, source)


def test_a_whole_program_in_javascript_comes_back_unchanged(eraser: Eraser) -> None:
    source = (SAMPLES / "plain.ts").read_text(encoding="utf-8")
    assert eraser.erase(source).text == source


@pytest.mark.usefixtures("typescript")
def test_the_javascript_of_typescript_and_acorn_comes_back_unchanged(eraser: Eraser) -> None:
    """Some 20 MB that other people wrote; none of it has imports or exports."""
    modules = install_tools() / "node_modules"
    files = [
        *sorted((modules / "typescript" / "lib").glob("*.js")),
        modules / "acorn/dist/acorn.js",
    ]
    assert sum(path.stat().st_size for path in files) > 10_000_000
    assert [path.name for path in files if not is_identity(path, eraser)] == []


def is_identity(path: Path, eraser: Eraser) -> bool:
    source = path.read_bytes()
    if source.startswith(b"#!"):
        source = source.partition(b"\n")[2]
    return eraser.erase_bytes(source).output == source
