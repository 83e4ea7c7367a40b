"""An index of tools by the words of their names, descriptions and parameters."""

import bisect
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final, cast

import anyio.lowlevel

if TYPE_CHECKING:
    from ._entry import Entry

LONGEST_TEXT: Final = 2_000  # characters of a tool's texts that are indexed
MOST_WORDS: Final = 16  # of a query
_MOST_ALIKE: Final = 40  # words of the index that one word of a query stands for
_IN_NAME: Final = 4.0
_AT_ONCE: Final = 50  # tools that are read without letting the loop go on
_WORD: Final = re.compile(r"[^\W_]+")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def words_of(text: str) -> list[str]:
    """The words of a text or name, in lower case and without the s of a plural."""
    found = [word.lower() for word in _WORD.findall(_HUMP.sub(" ", text))]
    return [word[:-1] if len(word) > 3 and word.endswith("s") else word for word in found]


class ToolIndex:
    """The words of some tools. What is searched costs by what is found, not by how many tools there are."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._postings: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
        self._vocabulary: list[str] = []

    @classmethod
    async def of(cls, entries: "Iterable[tuple[str, Entry]]") -> "ToolIndex":
        """Reads the tools, and lets others go on meanwhile."""
        index = cls()
        for number, (name, entry) in enumerate(entries):
            if number % _AT_ONCE == _AT_ONCE - 1:
                await anyio.lowlevel.checkpoint()
            index._add(name, entry)
        index._vocabulary = sorted(index._postings)
        return index

    def _add(self, name: str, entry: "Entry") -> None:
        place = len(self._names)
        self._names.append(name)
        weights: Counter[str] = Counter()
        for word in words_of(_text_of(entry)[:LONGEST_TEXT]):
            weights[word] = min(weights[word] + 1, 3)
        in_name = Counter(words_of(name))
        for word in weights.keys() | in_name.keys():
            weight = weights[word] + _IN_NAME * in_name[word]
            self._postings[word].append((place, float(weight)))

    def search(self, query: str) -> list[str]:
        """The names of the tools that have words of the query, best first: rare words count more."""
        scores: defaultdict[int, float] = defaultdict(float)
        for word in dict.fromkeys(words_of(query[:1_000])[:MOST_WORDS]):
            for known, factor in self._alike(word):
                found = self._postings[known]
                rarity = math.log(1 + len(self._names) / len(found))
                for place, weight in found:
                    scores[place] += factor * rarity * weight
        exact = query.strip().lower()
        ranked = sorted(
            scores,
            key=lambda place: (
                self._names[place].lower() != exact,
                -scores[place],
                self._names[place],
            ),
        )
        return [self._names[place] for place in ranked]

    def _alike(self, word: str) -> list[tuple[str, float]]:
        """The word itself, longer words that begin with it, and shorter ones that it begins with."""
        found = [(word, 1.0)] if word in self._postings else []
        if len(word) < 3:
            return found
        start = bisect.bisect_left(self._vocabulary, word)
        for known in self._vocabulary[start : start + _MOST_ALIKE]:
            if not known.startswith(word):
                break
            if known != word:
                found.append((known, 0.5))
        found += [
            (word[:size], 0.5) for size in range(3, len(word)) if word[:size] in self._postings
        ]
        return found


def _text_of(entry: "Entry") -> str:
    parts = [entry.definition.description[:LONGEST_TEXT]]
    properties = entry.parameters.get("properties")
    if isinstance(properties, Mapping):
        for name, schema in list(properties.items())[:50]:
            parts.append(name)
            if isinstance(schema, Mapping):
                text = cast("Mapping[str, object]", schema).get("description")
                parts.append(text[:200] if isinstance(text, str) else "")
    return " ".join(parts)
