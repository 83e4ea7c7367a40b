"""The exact output for short texts where an eraser goes wrong."""

import pytest

from .oracle.eraser import Eraser
from .oracle.snippets import Hazard, hazards, outcome, samples

CASES = hazards()

# Texts that a data file cannot hold, because editors and git change them.
SPECIAL = [
    ("\ufeffconst a: number = 1\r\nreturn a\r\n", "\ufeffconst a         = 1\r\nreturn a\r\n"),
    ("type A =\r\n  | B\r\n  | C\r\n(x)", ";       \r\n     \r\n     \r\n(x)"),
    ("let x: T\rlet y: U\r(z)", "let x;  \rlet y;  \r(z)"),
    ("let x: T\u2028(y)", "let x;  \u2028(y)"),
    ("let x = y as T\u2029(z)", "let x = y ;   \u2029(z)"),
    ("let x: /* \u2028 */ T = 1\n(y)", "let x     \u2028      = 1\n(y)"),
    ("const a = '\u2028'; return a.length as T", "const a = '\u2028'; return a.length ;   "),
    ("const s = 'x\0y' as T", "const s = 'x\0y' ;   "),
    ("let\u00a0x\u3000:\u00a0T\u2003= 1", "let\u00a0x\u3000   \u2003= 1"),
    ("let x = 'a\\\r\nb' as T", "let x = 'a\\\r\nb' ;   "),
    ("#!/usr/bin/env x\nlet x: T", "                \nlet x;  "),
    ("let x: '\U0001f642' = '\U0001f642' as T; y", "let x       = '\U0001f642'     ; y"),
    ("f((a)\n: \u00dc => x)", "f((a \n  ) => x)"),
    ("class A { \U0001d4b3(): void; b() {} }", "class A { ;           b() {} }"),
    ("x + y as \U0001d4b3 * 2", ";(x + y     ) * 2"),
    ("return 5 as T /* done */", "return 5 ;    /* done */"),
    ("// only a comment", "// only a comment"),
    ("", ""),
]


@pytest.mark.parametrize(
    "case", CASES, ids=[f"{case.topic}-{number}" for number, case in enumerate(CASES)]
)
def test_a_hazard_is_erased_to_exactly_this_text(case: Hazard, eraser: Eraser) -> None:
    assert outcome(eraser.erase(case.source)) == case.expected


@pytest.mark.parametrize(("source", "expected"), SPECIAL)
def test_odd_characters_keep_their_lines_and_columns(
    source: str, expected: str, eraser: Eraser
) -> None:
    """Line ends of every kind stay, and a character of two UTF-16 units leaves two spaces."""
    assert outcome(eraser.erase(source)) == expected


def test_bytes_that_are_no_text_come_through(eraser: Eraser) -> None:
    """Lone surrogates, stray bytes and NULs are not the eraser's to judge."""
    source = b"const s = '\xed\xa0\x80 \xff \0' as T; let \x80: T = 1"
    erased = eraser.erase_bytes(source)
    assert erased.output == b"const s = '\xed\xa0\x80 \xff \0'     ; let \x80    = 1"


@pytest.mark.parametrize("name", [name for name, _ in samples()])
def test_erasing_a_program_twice_changes_nothing_more(name: str, eraser: Eraser) -> None:
    """What is left is JavaScript."""
    once = eraser.erase(dict(samples())[name])
    assert eraser.erase(once.text).text == once.text
