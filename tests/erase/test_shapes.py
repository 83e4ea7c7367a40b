"""What the eraser says of a program's shape, and what the runtime makes of it."""

import pytest

from codemode.runtime import JsonValue

from .conftest import RunAll
from .oracle.eraser import Eraser, Last, Shape

EMPTY, BODY, EXPRESSION = Shape.EMPTY, Shape.BODY, Shape.EXPRESSION

SHAPES = [
    ("", EMPTY, Last.NONE, ""),
    (";;", EMPTY, Last.NONE, ""),
    ("// nothing", EMPTY, Last.NONE, ""),
    ("type A = 1\ninterface B {}", EMPTY, Last.NONE, ""),
    ("export {}", EMPTY, Last.NONE, ""),
    ("import type { A } from 'b'", EMPTY, Last.NONE, ""),
    ("1 + 1", EXPRESSION, Last.EXPRESSION, "1 + 1"),
    (";1 + 1;;", EXPRESSION, Last.EXPRESSION, "1 + 1;"),
    ("type A = 1\nx as A\ninterface B {}", EXPRESSION, Last.EXPRESSION, "x as A"),
    ("async () => { return 1 }", EXPRESSION, Last.EXPRESSION, "async () => { return 1 }"),
    ("async function () { return 1 }", EXPRESSION, Last.FUNCTION, "async function () { return 1 }"),
    ("function f(): T {}", EXPRESSION, Last.FUNCTION, "function f(): T {}"),
    ("function f(): T\nfunction f() {}", EXPRESSION, Last.FUNCTION, "function f() {}"),
    ("[1, 2] as const", EXPRESSION, Last.EXPRESSION, "[1, 2] as const"),
    ("{ a: 1 }", BODY, Last.OTHER, "{ a: 1 }"),
    ("const a = 1\na", BODY, Last.EXPRESSION, "a"),
    ("const f = () => 1\nf()", BODY, Last.EXPRESSION, "f()"),
    ("a\nfunction f() {}", BODY, Last.FUNCTION, "function f() {}"),
    ("a;\nreturn a as T;", BODY, Last.RETURN, "return a as T;"),
    ("throw a", BODY, Last.OTHER, "throw a"),
    ("enum E { A }", BODY, Last.OTHER, "enum E { A }"),
    ("export const a: T = 1", BODY, Last.OTHER, "export const a: T = 1"),
]

VALUES: list[tuple[str, JsonValue]] = [
    ("1 + 1", 2),
    ("const x: number = 'not checked'\nreturn x", "not checked"),
    ("type A = number\n;(40 as A) + 2", 42),
    ("(n: number = 20): number => n * 2 + 2", 42),
    ("async (): Promise<number> => { const x: number = 41; return x + 1 }", 42),
    ("async function main(): Promise<number> { return 42 }", 42),
    ("function (): number { return 42 }", 42),
    ("(async () => 42 as number)()", 42),
    ("export default 42 as number", 42),
    ("export default { a: 42 } as T", {"a": 42}),
    ("export default async (): Promise<number> => 42", 42),
    ("export default function (): number { return 42 }", 42),
    ("export default async function main(): Promise<number> { return 42 }", 42),
    ("const x: number = 42\nexport default x as number", 42),
    ("const x: number = 42\nexport default { x } // done", {"x": 42}),
    ("const x = 42\nexport default async () => x!", 42),
    (
        (
            "const x = 40\nfunction y(): number { return 2 }\n"
            "export default async function main(): Promise<number> { return x + y() }"
        ),
        42,
    ),
    ("export const x: number = 42\nreturn x", 42),
    ("export enum E { A = 42 }\nreturn E.A", 42),
    ("export async function main() { return 42 }", 42),
    ("import type { A } from 'b'\nimport { type B } from 'c'\nreturn 42 as A & B", 42),
    ("```ts\nconst x: number = 42\nreturn x\n```", 42),
    ("a < b > (c)\nfunction a(x: number) { return x }\ntype b = number\nvar c = 1", None),
]


@pytest.mark.parametrize(("source", "shape", "last", "statement"), SHAPES)
def test_the_shape_and_the_last_statement_are_reported(
    source: str, shape: Shape, last: Last, statement: str, eraser: Eraser
) -> None:
    erased = eraser.erase(source)
    start, end = erased.last_span
    assert (erased.shape, erased.last) == (shape, last)
    assert source[start:end] == statement


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("export default a as T", "               a     "),
        ("const a = 1\nexport default a as T", "const a = 1\n       return( a     )"),
        ("let a\nexport default () => a", "let a\n       return( () => a)"),
        ("let a\nexport default class A {}", "let a\n               class A {}\nreturn A"),
        ("let a\nexport default class {}", "let a\n       return( class {})"),
        ("f()\nexport default function f() {}", "f()\n               function f() {}\nreturn f"),
    ],
)
def test_export_default_becomes_the_value_on_its_own_line(
    source: str, expected: str, eraser: Eraser
) -> None:
    erased = eraser.erase(source)
    assert erased.text == expected
    assert erased.calls_default


@pytest.mark.parametrize(("program", "value"), VALUES)
def test_the_program_has_the_value_that_its_shape_means(
    program: str, value: JsonValue, run_all: RunAll
) -> None:
    (result,) = run_all([program])
    assert result.error is None, result.error.message
    assert result.value == value
