"""Enums and parameter properties: what cannot be erased but is written out in JavaScript."""

import pytest

from codemode.runtime import JsonValue

from .conftest import RunAll
from .oracle.eraser import Eraser

PROGRAMS: list[tuple[str, JsonValue]] = [
    (
        "enum A { X, Y = 5, Z, W = 'w', V = `t` }\nreturn A",
        {"0": "X", "5": "Y", "6": "Z", "X": 0, "Y": 5, "Z": 6, "W": "w", "V": "t"},
    ),
    (
        "enum A { X = 1 << 3, Y = X | 2, 'q-r' = Y + 1, T = A.X }\nreturn [A.Y, A['q-r'], A.T]",
        [10, 11, 8],
    ),
    ("const enum B { P = -1, Q }\nreturn [B.P, B.Q, B[0], B[-1]]", [-1, 0, "Q", "P"]),
    ("enum E { A = 'x'.length, B = 4 }\nreturn E.A", 1),
    ("enum E { A }\nenum E { B = 7 }\nreturn E", {"0": "A", "7": "B", "A": 0, "B": 7}),
    ("function f() { enum L { a = 2, b } return L.b }\nreturn f()", 3),
    ("enum S { A = 'a', B = A }\nreturn S", {"A": "a", "B": "a"}),
    ("enum In { delete, default = 4, class }\nreturn [In.delete, In.default, In.class]", [0, 4, 5]),
    ("enum A { yield, let, eval, arguments }\nreturn A.arguments", 3),
    ("enum E { E = 1, F = E + 1 }\nreturn [E.F, E[1]]", [2, "E"]),
    ("enum A { 'x' = 2, Y = x * 2, 'a b' }\nreturn [A.Y, A['a b']]", [4, 5]),
    ("enum A { X = 1, Y = ((X) => X)(5) }\nreturn A.Y", 5),
    ("enum E { 'caf\u00e9' = 1, b2 = 2 }\nreturn E.caf\u00e9", 1),
    ("enum A { X = 'a', Y = X as any }\nreturn A.Y", "a"),
    ("enum E { A, B, /* c */ C, // d\n D }\nreturn E.D", 3),
    ("declare enum D { A }\nreturn typeof D", "undefined"),
    ("function f(E: number) { { enum E { A } } return E }\nreturn f(3)", 3),
    ("{ enum E { A = 1 } }\n{ enum E { B = 2 }\nreturn Object.keys(E) }", ["2", "B"]),
    ("let E = 1; switch (E) { case 1: enum E { A } }\nreturn E", 1),
    ("try { throw 1 } catch (E) { { enum E { A } } return E }", 1),
    (
        (
            "class P { constructor(public x: number, private readonly y = x + 1) {} sum() "
            "{ return this.x + this.y } }\nreturn [new P(1).sum(), Object.keys(new P(1))]"
        ),
        [3, ["x", "y"]],
    ),
    (
        (
            "class A { n = 1 }\nclass B extends A { constructor(readonly q: string) "
            "{ super(); this.n = q.length } }\nreturn [new B('abc').n, new B('z').q]"
        ),
        [3, "z"],
    ),
    (
        (
            "class B { z = 3; constructor(protected a: number, b?: string) { this.z += a } }\n"
            "return new B(2).z"
        ),
        5,
    ),
    (
        (
            "class A { constructor(a) { this.q = a } } class B extends A { x = 5; constructor(public y: number) "
            "{ const z = y + 1; super(z); this.x += y } }\nconst b: any = new B(2)\nreturn [b.q, b.x, b.y]"
        ),
        [3, 7, 2],
    ),
    (
        (
            "class A {} class B extends A { constructor(public y: number) { super()\n  ;[1].map(x => x) } }\n"
            "return new B(3).y"
        ),
        3,
    ),
    ("class P { 'constructor'(public x: number) {} }\nreturn new P(3).x", 3),
    (
        "class P { constructor(public x: number); constructor(public x: any) {} }\nreturn new P(3).x",
        3,
    ),
    (
        "class X { constructor(private a: string)\n  { }\n  get v() { return this.a } }\nreturn new X('k').v",
        "k",
    ),
    (
        (
            "class P { constructor(public f = class { constructor(public g = 2) {} }) {} }\n"
            "return new (new P().f)().g"
        ),
        2,
    ),
]


@pytest.mark.parametrize(("program", "value"), PROGRAMS)
def test_a_lowered_program_means_what_typescript_means(
    program: str, value: JsonValue, run_all: RunAll
) -> None:
    (result,) = run_all([program])
    assert result.error is None, result.error.message
    assert result.value == value


@pytest.mark.parametrize("program", [program for program, _ in PROGRAMS])
def test_lowering_keeps_every_line(program: str, eraser: Eraser) -> None:
    assert eraser.erase(program).text.count("\n") == program.count("\n")


@pytest.mark.parametrize(
    ("program", "name"),
    [
        ("enum E { A = 1 }\nenum E { B = A }\nreturn E.B", "ReferenceError"),
        ("{ enum E { A }\nenum E { B } }", "SyntaxError"),
    ],
)
def test_what_lowering_cannot_do_fails_loudly(program: str, name: str, run_all: RunAll) -> None:
    (result,) = run_all([program])
    assert result.error is not None
    assert (result.error.name, result.error.line) == (name, 2)
