"""The conditions of a ``match``: true, false, or None for what cannot be evaluated (see ``_rules``)."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import isnan
from typing import Final, TypeAlias

from ...runtime.types import JsonValue
from ._rules_glob import compile_glob
from ._rules_levels import check_keys, read_table, refuse, show
from ._rules_values import Absent, Argument, fold, folder, kind, look_up, read_argument, same_json

DEEPEST: Final = 16


Condition: TypeAlias = Callable[[Argument], bool | None]
Match: TypeAlias = Callable[[JsonValue], bool | None]
_OPERATORS: Final = (
    "equals",
    "any",
    "glob",
    "prefix",
    "under",
    "not",
    "min",
    "max",
    "present",
    "default",
)


def read_match(value: JsonValue, path: str) -> Match:
    """All of a rule's conditions, joined by *and*."""
    what = "a match must name arguments and what they must be"
    table = read_table(value, path, what)
    conditions = [
        (read_argument(name, f"{path}.{name}"), _condition(item, f"{path}.{name}", 0))
        for name, item in table.items()
    ]
    return lambda arguments: _all(test(look_up(arguments, steps)) for steps, test in conditions)


def _all(results: Iterable[bool | None]) -> bool | None:
    """Kleene's *and*: one false decides, whatever cannot be evaluated."""
    found = set(results)
    return False if False in found else None if None in found else True


def _any(results: Iterable[bool | None]) -> bool | None:
    found = set(results)
    return True if True in found else None if None in found else False


@dataclass(frozen=True, slots=True)
class _OneOf:
    """One of the values. A value of a kind that none of them has, or text that differs from one in case,
    width or outer space only, is unknown: the tool may well take it for the one that is meant."""

    values: tuple[JsonValue, ...]

    def __call__(self, value: Argument) -> bool | None:
        if isinstance(value, Absent):
            return None
        if any(same_json(value, mine) for mine in self.values):
            return True
        if isinstance(value, str):
            folded = fold(value)
            if any(isinstance(mine, str) and fold(mine) == folded for mine in self.values):
                return None
        kinds = {kind(mine) for mine in self.values}
        return False if kind(value) in kinds or kinds == {"null"} else None


def _condition(value: JsonValue, path: str, depth: int) -> Condition:
    if depth > DEEPEST:
        refuse(path, f"conditions nested deeper than {DEEPEST} levels")
    if isinstance(value, dict):
        return _operators(value, path, depth)
    if not isinstance(value, list):
        return _OneOf((value,))
    if not value:
        refuse(path, "an empty list matches nothing; name at least one value")
    plain = tuple(item for item in value if not isinstance(item, dict | list))
    tests: list[Condition] = [_OneOf(plain)] if plain else []
    tests.extend(
        _condition(item, f"{path}[{index}]", depth + 1)
        for index, item in enumerate(value)
        if isinstance(item, dict | list)
    )
    return lambda argument: _any(test(argument) for test in tests)


def _operators(table: dict[str, JsonValue], path: str, depth: int) -> Condition:
    what = "an object is read as operators such as {glob: …}; for equality write {equals: {…}}"
    if not table:
        refuse(path, what)
    for name in table:
        if name not in _OPERATORS:
            check_keys({name: None}, _OPERATORS, f"{path} ({what})")
    tests = [
        _operator(name, item, f"{path}.{name}", depth)
        for name, item in table.items()
        if name != "default"
    ]
    if not tests:
        refuse(path, "default says what an absent argument stands for; add an operator beside it")
    if "default" not in table:
        return lambda argument: _all(test(argument) for test in tests)
    if "present" in table:
        refuse(path, "present and default exclude each other; keep one of them")
    default = table["default"]

    def test_all(argument: Argument) -> bool | None:
        value = default if isinstance(argument, Absent) else argument
        return _all(test(value) for test in tests)

    return test_all


def _operator(name: str, value: JsonValue, path: str, depth: int) -> Condition:
    match name:
        case "equals":
            return _OneOf((value,))
        case "any":
            if not isinstance(value, list):
                refuse(path, f"any needs a list, not {show(value)}")
            return _condition(value, path, depth + 1)
        case "not":
            test = _condition(value, path, depth + 1)
            return lambda argument: None if (held := test(argument)) is None else not held
        case "present":
            if not isinstance(value, bool):
                refuse(path, f"present is true or false, not {show(value)}")
            return lambda argument: (
                None if argument is None else (not isinstance(argument, Absent)) == value
            )
        case "min" | "max":
            return _bound(value, path, low=name == "min")
        case _:
            if not isinstance(value, str) or not value:
                refuse(path, f"{name} needs text, not {show(value)}")
            return _of_text(name, value, path)


def _of_text(name: str, text: str, path: str) -> Condition:
    if name == "under":
        base = folder(text)
        if base is None:
            refuse(path, "under needs a path without .., ~ or backslashes, such as src/")
        return lambda argument: _under(argument, base)
    if name == "prefix":
        return lambda argument: argument.startswith(text) if isinstance(argument, str) else None
    whole = compile_glob(text).fullmatch
    return lambda argument: whole(argument) is not None if isinstance(argument, str) else None


def _bound(bound: JsonValue, path: str, *, low: bool) -> Condition:
    if isinstance(bound, bool) or not isinstance(bound, int | float):
        refuse(path, f"a bound is a number, not {show(bound)}")

    def test(value: Argument) -> bool | None:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        if isinstance(value, float) and isnan(value):
            return None
        return value >= bound if low else value <= bound

    return test


def _under(path: Argument, base: tuple[bool, tuple[str, ...]]) -> bool | None:
    found = folder(path) if isinstance(path, str) else None
    if found is None or found[0] != base[0]:
        return None  # relative to what? only the tool knows
    return found[1][: len(base[1])] == base[1]
