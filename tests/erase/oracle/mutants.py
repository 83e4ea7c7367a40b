"""Seeded mutants: texts that are a small step away from ones that are known to be right.

The steps are those that break an eraser: semicolons go, line breaks come between tokens or go, lines of
other texts come in, fragments of types are spliced in, tokens are dropped or copied. Most mutants are
still valid programs or fail in one place only.
"""

import random
import re
from collections.abc import Iterator, Sequence
from typing import Final

from .snippets import hazards, samples

FRAGMENTS: Final = (
    *("as any", "as T", "satisfies T", "as const", "!", "?", "as T as U", "** a as T"),
    *(": T", "?: T", "!: T", ": x is T", ": asserts x", ": typeof a", ": () => T", ": [T, U?]"),
    *(
        "<T>",
        "<T,>",
        "<T, U>",
        "a<b>",
        "<T>(x)",
        "<T,>(x: T): T => x",
        "async <T>(x)",
        "<",
        ">",
        ">>",
    ),
    *(
        "(x)",
        "(a)",
        "(a, b)",
        "({ a })",
        "([a])",
        "()",
        "[0]",
        "`a`",
        "`a${b}`",
        "/re/g",
        "{}",
        "[",
        "(",
    ),
    *(
        "? (a) : b",
        "? (a) : b => c",
        "=> x",
        "=> {",
        "case (a): ",
        "...",
        "?.",
        "=",
        ";",
        ",",
        "++",
    ),
    *(
        "+ 1",
        "* 2",
        "** 2",
        "/ 2",
        "- ",
        "typeof ",
        "await ",
        "yield ",
        "new ",
        "delete ",
        "in ",
        "of ",
    ),
    *("type X = Y", "interface I {}", "namespace N {}", "global {}", "enum E { A }", "class A {}"),
    *(
        "declare ",
        "abstract ",
        "private ",
        "readonly ",
        "static ",
        "override ",
        "accessor ",
        "export ",
    ),
    *(
        "async ",
        "get ",
        "set ",
        "function ",
        "class A ",
        "extends B ",
        "implements C ",
        "let ",
        "const ",
    ),
    *(
        "keyof ",
        "infer U ",
        "unique ",
        "is T",
        "asserts x",
        "this: T",
        "this",
        "super",
        "using ",
        "{ ",
    ),
)
WORDS: Final = re.compile(r"\w+|\s+|=>|[^\w\s]")
LARGEST: Final = 3_000


def _spots(pattern: str, text: str) -> list[int]:
    return [match.start() for match in re.finditer(pattern, text)]


class Mutator:
    """An endless supply of different mutants of `texts`; the same seed gives the same ones."""

    def __init__(self, seed: int, texts: Sequence[str]) -> None:
        self._random = random.Random(seed)
        self._texts = [text for text in texts if 5 < len(text) < LARGEST]
        lines = (line for text in self._texts for line in text.split("\n"))
        self._lines = [line for line in lines if 3 < len(line) < 120]
        self._steps = (
            (25, self._drop_semicolon),
            (25, self._break_line),
            (8, self._join_lines),
            (17, self._insert_line),
            (25, self._change_token),
        )

    def _drop_semicolon(self, text: str) -> str:
        spots = _spots(";", text)
        if not spots:
            return self._break_line(text)
        at = self._random.choice(spots)
        return text[:at] + self._random.choice(("", "\n")) + text[at + 1 :]

    def _break_line(self, text: str) -> str:
        spots = _spots(r"\b|(?<=\W)(?=\W)", text)
        at = self._random.choice(spots) if spots else 0
        return f"{text[:at]}\n{text[at:]}"

    def _join_lines(self, text: str) -> str:
        spots = _spots("\n", text)
        if not spots:
            return self._change_token(text)
        at = self._random.choice(spots)
        return f"{text[:at]} {text[at + 1 :]}"

    def _insert_line(self, text: str) -> str:
        lines = text.split("\n")
        lines.insert(self._random.randrange(len(lines) + 1), self._random.choice(self._lines))
        return "\n".join(lines)

    def _change_token(self, text: str) -> str:
        tokens = WORDS.findall(text)
        if len(tokens) < 3:
            return text + self._random.choice(FRAGMENTS)
        at = self._random.randrange(len(tokens))
        kind = self._random.random()
        if kind < 0.25:
            del tokens[at]
        elif kind < 0.7:
            tokens.insert(at, self._random.choice(FRAGMENTS))
        else:
            tokens[at] = self._random.choice(tokens)
        return "".join(tokens)

    def mutant(self) -> str:
        text = self._random.choice(self._texts)
        weights = [weight for weight, _ in self._steps]
        for _ in range(self._random.choice((1, 1, 2, 3))):
            (_, step) = self._random.choices(self._steps, weights)[0]
            text = step(text)
        return text


def chunks(text: str, lines: int = 12) -> list[str]:
    """A program in pieces, because a mutant of a small text breaks in one place only."""
    parts = text.split("\n")
    return ["\n".join(parts[at : at + lines]) for at in range(0, len(parts), lines)]


def own_texts() -> list[str]:
    texts = [case.source for case in hazards()]
    for _, text in samples():
        texts += [text, *chunks(text)]
    return texts


def mutants(seed: int, count: int, texts: Sequence[str] | None = None) -> Iterator[str]:
    """So many different mutants of the given texts, or of the project's own."""
    mutator = Mutator(seed, own_texts() if texts is None else texts)
    seen: set[str] = set()
    while len(seen) < count:
        text = mutator.mutant()
        if text not in seen:
            seen.add(text)
            yield text
