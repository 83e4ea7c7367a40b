"""Errors keep the line and the column of the program as it was written."""

import random

import pytest

from .conftest import RunAll
from .oracle.eraser import Eraser
from .oracle.mutants import own_texts

LINES = 300
# Each is one line, valid behind any other; `@` is the place of an expression.
PATTERNS = [
    "const {n}: number = @ as any as number",
    "let {n}: {{ a: string; b?: number[] }} | undefined = @ satisfies unknown",
    "const {n} = <T,>(a: T, b?: T): T => @, {n}b = {n}<number>(1 as number)",
    "function {n}<T extends object = {{}}>(this: void, a?: T): a is T {{ return !!(@) }}; {n}()",
    "class {n} {{ private readonly a: number = @; static b?: T; declare c: U }}; new {n}()",
    "type {n}<T> = T extends (infer U)[] ? U : never; var {n}v: {n}<T> = @!",
    "interface {n} extends A<B> {{ a(): void }} var {n}v = <any>(@)",
    "declare const {n}: unknown; var {n}v = [@ as T, 2!] as const",
    "/* \U0001f642: T */ var {n}: '\U0001f642' | T = (@) as T // caf\u00e9 as any",
    "for (const {n} of [1] as number[]) {{ var {n}v: T = @ as T }}",
    "try {{ var {n}: T = (@ as any) }} catch ({n}e: unknown) {{ throw {n}e as Error }}",
    "var {n} = ((a: number): string => `${{@ as any}}${{a!}}` as string)(1)",
]


def program(marked: int | None = None) -> str:
    """300 lines of TypeScript; the marked one throws a marker at its place."""
    lines: list[str] = []
    for number in range(LINES):
        pattern = PATTERNS[number % len(PATTERNS)].format(n=f"n{number}")
        lines.append(pattern.replace("@", "mark()" if number == marked else "0"))
    return "\n".join(lines)


def place_of(marked: int) -> tuple[int, int]:
    """Line and column of the marker's name, both from 1, in UTF-16 units."""
    line = program(marked).split("\n")[marked]
    before = line[: line.index("mark()")]
    return marked + 1, len(before.encode("utf-16-le")) // 2 + 1


def test_a_marker_thrown_on_every_line_reports_its_own_line_and_column(run_all: RunAll) -> None:
    """`mark` is not defined, so the engine itself says where it stands."""
    results = run_all([program(number) for number in range(LINES)])
    found = [result.error and (result.error.line, result.error.column) for result in results]
    assert found == [place_of(number) for number in range(LINES)]


def test_the_program_without_a_marker_runs(run_all: RunAll) -> None:
    (result,) = run_all([program()])
    assert result.error is None


def test_a_thrown_error_points_to_its_own_text(run_all: RunAll) -> None:
    (result,) = run_all(
        ["type A = {\n  b: C\n}\nconst x: A = 1 as any\nthrow new Error('here' as string)"]
    )
    assert result.error is not None
    assert result.error.line == 5
    assert "throw new Error('here' as string)" in result.error.message


@pytest.mark.parametrize(
    ("source", "line", "column"),
    [
        ("const a: number = 1\nlet b: T = await = 2", 2, None),  # the engine's own early errors
        ("const a: number = 1\nlet a: string = ''", 2, None),
        ("const a: number = 1\nconst b: RegExp = /(/", 2, None),
        ("const a: T = 1;\n\n  return a +;", 3, 13),  # the eraser's
        ("let x: T = 1\r\nfoo(x as T, 2", 2, 14),
        ("let x: T = 1\r  mark()", 2, 3),
        ("let x: T = 1\u2028  mark()", 2, 3),
        ("let x: T = 1\u2029  )", 2, 3),
        ("/* \U0001f642 */ let x: T = )", 1, 21),
    ],
)
def test_an_error_reports_the_place_in_the_text_as_sent(
    source: str, line: int, column: int | None, run_all: RunAll
) -> None:
    (result,) = run_all([source])
    assert result.error is not None
    assert result.error.line == line
    assert column is None or result.error.column == column


def test_every_token_that_stays_keeps_its_line(eraser: Eraser) -> None:
    """Also in texts that are cut off anywhere, as far as they are programs."""
    choose = random.Random(5)
    for text in own_texts():
        cut = text[: choose.randrange(len(text) + 1)]
        erased = eraser.erase(cut)
        if erased.status == 0 and not erased.calls_default:
            assert erased.text.count("\n") == cut.count("\n"), cut
