"""Descriptions made shorter: the first sentence, and what many of them begin with said once."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from ._names import comment_text

MAX_SENTENCE: Final = 140
"""Characters of a first sentence; a longer one is cut at a word."""

_STOP: Final = re.compile(r"[.!?。！？](?=\s|$)|[。！？]|:(?= [-*•\d])")
_NO_STOP: Final = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|incl|approx|no|fig|St|Mr|Dr)|\b[A-Z]|\s\d{1,2})\.$", re.IGNORECASE
)
_WORDS: Final = re.compile(r"[a-z]+|[A-Z]+(?![a-z])|[A-Z][a-z]*|\d+")
_LITTLE_WORDS: Final = frozenset(
    ("a", "an", "the", "of", "for", "to", "in", "on", "is", "as", "by", "that", "this", "it")
)
_LABEL_END: Final = re.compile(r"[.:!?] ")

_MIN_PREFIX: Final = 40
_MIN_SHARED_BY: Final = 3
_MAX_ENDS: Final = 8
_MAX_PREFIX: Final = 600


Docs: TypeAlias = Callable[[object, str], str]
"""What to say of a member, from its description and its name; nothing if empty."""


def whole_comment(description: object, name: str) -> str:
    """All of the description. A caller has to fill the member, so every word may count."""
    return comment_text(description)


def short_comment(description: object, name: str) -> str:
    """Its first sentence, unless that only says the name again. A program reads the member; it need not
    know how it comes about."""
    text = first_sentence(comment_text(description))
    return "" if _words(text) - _words(name) <= _LITTLE_WORDS else text


def _words(text: str) -> set[str]:
    """The words in lower case, without a plural's ending."""
    words = {word.lower() for word in _WORDS.findall(text)}
    return {word if word in _LITTLE_WORDS else word.removesuffix("s") for word in words}


def first_sentence(text: str) -> str:
    """The text up to its first full stop that ends a sentence, or a cut with an ellipsis."""
    for stop in _STOP.finditer(text, 0, MAX_SENTENCE + 20):
        end = stop.end()
        if not _NO_STOP.search(text[max(0, end - 12) : end]):
            text = text[:end].rstrip(":")
            break
    if len(text) <= MAX_SENTENCE:
        return text
    cut = text[: MAX_SENTENCE - 1]
    head, space, _ = cut.rpartition(" ")
    return f"{head if space and len(head) > MAX_SENTENCE // 2 else cut}…"


def share_prefixes(texts: Sequence[str]) -> tuple[list[str], list[tuple[int, str]]]:
    """What three or more texts begin with, and each text as (number of its beginning or 0, the rest).

    A beginning ends with a sentence or a label. Which one a text shares depends on the texts that have
    it alone, not on their order.
    """
    counts = Counter(prefix for text in texts for prefix in _beginnings(text))
    chosen = [max(_beginnings(text), key=lambda p: _worth(p, counts), default="") for text in texts]
    by = Counter(prefix for prefix in chosen if prefix and _worth(prefix, counts) > 0)
    shared = sorted(prefix for prefix, count in by.items() if count >= _MIN_SHARED_BY)
    numbers = {prefix: number for number, prefix in enumerate(shared, 1)}
    split = [
        (number, text[len(prefix) :]) if (number := numbers.get(prefix, 0)) else (0, text)
        for prefix, text in zip(chosen, texts, strict=True)
    ]
    return [prefix.rstrip() for prefix in shared], split


def _worth(prefix: str, counts: Counter[str]) -> int:
    count = counts[prefix]
    return (count - 1) * len(prefix) if count >= _MIN_SHARED_BY else 0


def _beginnings(text: str) -> Iterator[str]:
    found = 0
    for end in _LABEL_END.finditer(text, 0, _MAX_PREFIX):
        if end.end() >= _MIN_PREFIX:
            yield text[: end.end()]
            found += 1
            if found == _MAX_ENDS:
                return
