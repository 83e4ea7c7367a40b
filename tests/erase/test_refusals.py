"""What is refused, where, and what the message says to write instead."""

import pytest

from .conftest import RunAll
from .oracle.eraser import Eraser, Status

# Text, line, column, and words of the message.
REFUSED = [
    ("const x = 1\nnamespace A { export const x = 1 }", 2, 1, "use a plain object or functions"),
    ("namespace A { namespace B { f() } }", 1, 1, "a namespace with values is not supported"),
    ("global { }", 1, 1, "write `declare global`"),
    ("@dec class A {}", 1, 1, "call the function yourself, as in `const b = wrap(a)`"),
    ("class A {\n  @dec() x = 1 }", 2, 3, "decorators are not supported"),
    ("class A { f(@dec x) {} }", 1, 13, "decorators are not supported"),
    ("class A { accessor v = 1 }", 1, 11, "write a getter and a setter"),
    ("import fs from 'fs'", 1, 1, "import of 'fs' is not available"),
    ("import fs from 'fs'", 1, 1, "the tools are the global `tools.*`"),
    (
        'type A = 1\nimport { type B, c } from "d"',
        2,
        1,
        "remove the import (`import type` may stay)",
    ),
    ("import * as z from 'zod'", 1, 1, "import of 'zod'"),
    ("import 'x'", 1, 1, "import of 'x'"),
    ("import x = require('y')", 1, 1, "import of 'y'"),
    ("f(import x)", 1, 3, "import is not available"),
    ("export { a }", 1, 1, "the program is the body of a function; use return"),
    ("export * from 'x'", 1, 1, "use return"),
    ("export = 1", 1, 1, "use return"),
    ("export default 1\nfoo()", 1, 1, "`export default` must come last: move it to the end"),
    ("export default 1\nexport default 2", 2, 1, "there can only be one"),
    ("function f() { export const x = 1 }", 1, 16, "only possible at the top level"),
    ("const el = <div>hi</div>", 1, 12, "JSX is not supported; return plain data or text"),
    ("return <Foo bar={1} />", 1, 8, "JSX is not supported"),
    ("return <>a</>", 1, 8, "JSX is not supported"),
    ("enum E { [x] = 1 }", 1, 10, "write a plain name"),
    ("enum E { A = 'a', B }", 1, 19, "needs a value of its own, as in `A = 1`"),
    ("enum E { 'a\\\nb' = 1 }", 1, 10, "must not have a line break in it"),
    ("if (a) enum E { A }", 1, 8, "put it into { }"),
    ("class B extends A { constructor(public x) { } }", 1, 21, "need super(...) as a statement"),
    ("function f(public x) {}", 1, 12, "declare a field and assign it in the constructor"),
]

SYNTAX = [
    ("const a = 1;\nconst b = foo(a, 2;", 2, 19, "to close the '(' at line 2, column 14"),
    ("if (a {\n}", 1, 7, "expected ')' before '{', to close the '(' at line 1, column 4"),
    ("foo({ a: 1, b: [1, 2 })", 1, 22, "to close the '[' at line 1, column 16"),
    ("class A {\n  f() {\n}\n", 4, 1, "before the end of the program, to close the '{' at line 1"),
    ("let x: { a: number\n", 2, 1, "to close the '{' at line 1, column 8"),
    ("`a ${b", 1, 7, "to close the '${' at line 1, column 4"),
    ("const x = 1;\nreturn x);", 2, 9, "unexpected ')'"),
    ("let y: number = 3 +* 2", 1, 20, "unexpected '*'"),
    ("const o = { a: 1, b 2 }", 1, 21, "expected ',' or '}' before '2'"),
    ("[1].forEach(x => { await f(x) })", 1, 20, "write `async` before the function around it"),
    ("/* open", 1, 1, "this comment is not closed: expected '*/'"),
    ("const a = 'x\ny'", 1, 11, "a text of several lines needs `...`"),
    ("const a = `x\ny", 1, 11, "this template literal is not closed: expected '`'"),
    ("const a = /x\ny/", 1, 11, "this regular expression is not closed on its line"),
    ("const f = ()\n=> 1", 2, 1, "a line break must not come before '=>'"),
    ("x = <T", 1, 5, "an assertion is better written as `value as Type`"),
    ("function () {}\nfoo()", 1, 1, "needs a name, unless it is the whole program"),
    ("{ function () {} }", 1, 3, "a function declaration needs a name"),
    ("def main():\n    return 1", 1, 5, "expected ';' before 'main'"),
    ("let x = #;", 1, 9, "unexpected '#'"),
    ("let x: { a: 1 * 2 }", 1, 15, "unexpected '*'"),
    ("let x = 1\r\n\u2028  y z", 3, 5, "expected ';' before 'z'"),
]


@pytest.mark.parametrize(("source", "line", "column", "words"), REFUSED)
def test_a_construct_is_refused_with_what_to_write_instead(
    source: str, line: int, column: int, words: str, eraser: Eraser
) -> None:
    erased = eraser.erase(source)
    assert (erased.status, erased.line, erased.column) == (Status.REFUSED, line, column)
    assert words in erased.text


@pytest.mark.parametrize(("source", "line", "column", "words"), SYNTAX)
def test_a_slip_is_reported_where_it_is(
    source: str, line: int, column: int, words: str, eraser: Eraser
) -> None:
    erased = eraser.erase(source)
    assert (erased.status, erased.line, erased.column) == (Status.SYNTAX, line, column)
    assert words in erased.text


def test_the_report_of_a_run_has_the_line_and_a_caret(run_all: RunAll) -> None:
    (result,) = run_all(["const a: number = 1\n  @dec class A {}"])
    assert result.error is not None
    assert (result.error.line, result.error.column) == (2, 3)
    lines = result.error.message.split("\n")
    assert "decorators are not supported" in lines[0]
    assert lines[1].endswith("@dec class A {}")
    assert lines[2].index("^") == lines[1].index("@")


def test_a_message_is_short_and_well_formed_whatever_the_text(eraser: Eraser) -> None:
    """A quoted token is cut, and bytes that are no text are replaced."""
    for source in (
        b"let " + b"x" * 1000 + b" y",
        b"a \xff\xfe b",
        b"import a from '" + b"\xc3" * 99 + b"'",
    ):
        erased = eraser.erase_bytes(source)
        assert erased.status is not Status.OK
        assert len(erased.output) < 240
        assert erased.output.decode("utf-8").isprintable()
