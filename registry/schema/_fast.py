"""The short way: a schema as closures that say whether a value is valid, and not why.

A schema with a keyword that has no closure has no short way; its values all take the long one. The
closures know no budget, so whatever could make them slow is left out: recursion, patterns under
lists, large schemas.

Under ``oneOf`` and ``not`` a wrong "no" would be a wrong "yes", so every closure is exact, or raises.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, cast

from ._assertions import HOLDS, TYPE_TESTS
from ._equality import Key, json_key
from ._graph import NEVER
from ._text import as_list

if TYPE_CHECKING:
    from ._keywords import Choices
    from ._patterns import Pattern

Test = Callable[[object], bool]

MAX_TESTS: Final = 500
_MAX_DEPTH = 30
_MAX_PATTERNS = 10
_MAX_BRANCHES = 40  # of unions under lists and maps, where each is tried for every item
_PATTERN_SECONDS = 0.005


class NoShortWay(Exception):
    """The schema, or this value, has to take the long way."""


def compile_fast(schema: object) -> Test | None:
    """The test of a finished schema, or None. The test may raise :class:`NoShortWay`."""
    try:
        return _Compiler().test(schema, repeated=False, depth=0)
    except NoShortWay:
        return None


def _yes(value: object) -> bool:
    return True


def _no(value: object) -> bool:
    return False


class _Compiler:
    def __init__(self) -> None:
        self._tests = 0
        self._patterns = 0
        self._branches = 0

    def test(self, schema: object, *, repeated: bool, depth: int) -> Test:
        self._tests += 1
        if self._tests > MAX_TESTS or depth > _MAX_DEPTH:
            raise NoShortWay
        if schema is True:
            return _yes
        if schema is False or schema is NEVER:
            return _no
        words = cast("dict[str, object]", schema)
        tests: list[Test] = []
        left = words.keys() - {"type"}
        types = cast("tuple[str, ...] | None", words.get("type"))
        if left & {"properties", "required", "additionalProperties"}:
            left -= {"properties", "required", "additionalProperties"}
            tests.append(self._object(words, types == ("object",), repeated, depth))
            types = None if types == ("object",) else types
        if "items" in left:
            left -= {"items"}
            if "prefixItems" in left:
                raise NoShortWay
            tests.append(self._list(words["items"], types == ("array",), depth))
            types = None if types == ("array",) else types
        if types is not None:
            tests.insert(0, _typed(types))
        tests.extend(self._word(word, words[word], repeated, depth) for word in sorted(left))
        return _all(tests)

    def _word(self, word: str, value: object, repeated: bool, depth: int) -> Test:
        def sub(schema: object) -> Test:
            return self.test(schema, repeated=repeated, depth=depth + 1)

        if word == "$ref":
            return sub(value)
        if word == "allOf":
            return _all([sub(member) for member in cast("tuple[object, ...]", value)])
        if repeated and word in ("anyOf", "oneOf"):
            self._branches += len(cast("tuple[object, ...]", value))
            if self._branches > _MAX_BRANCHES:
                raise NoShortWay
        if word == "anyOf":
            return _any([sub(member) for member in cast("tuple[object, ...]", value)])
        if word == "oneOf":
            return _one([sub(member) for member in cast("tuple[object, ...]", value)])
        if word == "not":
            return _not(sub(value))
        if word in ("enum", "const"):
            return _choice(cast("Choices", value))
        if word == "pattern":
            self._patterns += 1
            if repeated or self._patterns > _MAX_PATTERNS:
                raise NoShortWay
            return _pattern(cast("Pattern", value))
        if word in HOLDS and word != "uniqueItems":
            holds = HOLDS[word]
            return lambda item: holds(value, item)
        raise NoShortWay

    def _object(self, words: dict[str, object], strict: bool, repeated: bool, depth: int) -> Test:
        if "patternProperties" in words:
            raise NoShortWay
        required = cast("tuple[str, ...]", words.get("required", ()))
        declared = {
            name: self.test(sub, repeated=repeated, depth=depth + 1)
            for name, sub in cast("dict[str, object]", words.get("properties", {})).items()
        }
        rest = words.get("additionalProperties", True)
        others = self.test(rest, repeated=True, depth=depth + 1)

        def holds(value: object) -> bool:
            if type(value) is not dict:
                return not strict
            members = cast("dict[str, object]", value)
            for name in required:
                if name not in members:
                    return False
            for name, item in members.items():  # noqa: SIM110  # as in _list
                if not declared.get(name, others)(item):
                    return False
            return True

        return holds

    def _list(self, items: object, strict: bool, depth: int) -> Test:
        each = self.test(items, repeated=True, depth=depth + 1)

        def holds(value: object) -> bool:
            members = as_list(value)
            if members is None:
                return not strict
            for item in members:  # noqa: SIM110  # twice as fast as all() of a generator
                if not each(item):
                    return False
            return True

        return holds


def _typed(types: tuple[str, ...]) -> Test:
    return _any([TYPE_TESTS[name] for name in types])


def _all(tests: list[Test]) -> Test:
    if not tests:
        return _yes
    if len(tests) == 1:
        return tests[0]
    if len(tests) == 2:
        first, second = tests
        return lambda value: first(value) and second(value)
    return lambda value: all([test(value) for test in tests])  # noqa: C419  # a list is faster


def _any(tests: list[Test]) -> Test:
    if len(tests) == 1:
        return tests[0]

    def holds(value: object) -> bool:
        for test in tests:  # noqa: SIM110  # twice as fast as any() of a generator
            if test(value):
                return True
        return False

    return holds


def _one(tests: list[Test]) -> Test:
    return lambda value: sum([test(value) for test in tests]) == 1


def _not(test: Test) -> Test:
    return lambda value: not test(value)


def _choice(choices: "Choices") -> Test:
    texts = frozenset(value for value in choices.values if type(value) is str)
    keys = choices.keys

    def holds(value: object) -> bool:
        if type(value) is str:
            return value in texts
        if type(value) in (dict, list):
            raise NoShortWay
        key: Key = json_key(value)
        return key in keys

    return holds


def _pattern(pattern: "Pattern") -> Test:
    def holds(value: object) -> bool:
        if type(value) is not str:
            return True
        try:
            return pattern.search(value, _PATTERN_SECONDS)
        except TimeoutError:
            raise NoShortWay from None

    return holds
