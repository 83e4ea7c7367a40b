"""The keywords that look at one value and nothing under it, as predicates: True means it holds.

A keyword holds for values that are not of its kind (2020-12 validation, section 3).
"""

from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Final, cast

from ._budget import BudgetSpent, current
from ._equality import Key, TooLarge, json_key
from ._text import as_dict, as_list, is_integer, is_number

if TYPE_CHECKING:
    from ._keywords import Choices
    from ._patterns import Pattern

Holds = Callable[[object, object], bool]

TYPE_TESTS: Final[Mapping[str, Callable[[object], bool]]] = {
    "object": lambda value: type(value) is dict,
    "array": lambda value: type(value) is list,
    "string": lambda value: type(value) is str,
    "number": is_number,
    "integer": is_integer,
    "boolean": lambda value: type(value) is bool,
    "null": lambda value: value is None,
}


def is_multiple(value: float, step: float) -> bool:
    """Whether ``value`` is a multiple of ``step``, both read as the decimals they are written as."""
    if type(value) is int and type(step) is int:
        return value % step == 0
    return (_exact(value) / _exact(step)).denominator == 1


def _exact(value: float) -> Fraction:
    return Fraction(value) if type(value) is int else Fraction(Decimal(repr(value)))


def _type(names: object, value: object) -> bool:
    return any(TYPE_TESTS[name](value) for name in cast("tuple[str, ...]", names))


def _choice(choices: object, value: object) -> bool:
    return _key(value) in cast("Choices", choices).keys


def _key(value: object) -> Key:
    try:
        return json_key(value, _spend_on_key)
    except TooLarge:
        raise BudgetSpent("is too large to be compared") from None


def _spend_on_key(parts: int) -> None:
    # Making a key is far cheaper than trying a keyword.
    current().spend(parts // 8)


def _unique(wanted: object, value: object) -> bool:
    items = as_list(value)
    if items is None or not wanted:
        return True
    current().spend(len(items) // 8)
    seen: set[Key] = set()
    for item in items:
        key = _key(item)
        if key in seen:
            return False
        seen.add(key)
    return True


def _pattern(pattern: object, value: object) -> bool:
    return type(value) is not str or current().search(cast("Pattern", pattern), value)


def _numeric(test: Callable[[float, float], bool]) -> Holds:
    def holds(limit: object, value: object) -> bool:
        return not is_number(value) or test(cast("float", value), cast("float", limit))

    return holds


def _sized(size: Callable[[object], int | None], test: Callable[[int, int], bool]) -> Holds:
    def holds(limit: object, value: object) -> bool:
        found = size(value)
        return found is None or test(found, cast("int", limit))

    return holds


def length(value: object) -> int | None:
    """A string's length in characters (code points, as the standard counts); None for others."""
    return len(value) if type(value) is str else None


def _items(value: object) -> int | None:
    return None if (items := as_list(value)) is None else len(items)


def _properties(value: object) -> int | None:
    return None if (members := as_dict(value)) is None else len(members)


def _at_least(found: float, limit: float) -> bool:
    return found >= limit


def _at_most(found: float, limit: float) -> bool:
    return found <= limit


HOLDS: Final[Mapping[str, Holds]] = {
    "type": _type,
    "enum": _choice,
    "const": _choice,
    "multipleOf": _numeric(is_multiple),
    "maximum": _numeric(_at_most),
    "exclusiveMaximum": _numeric(lambda found, limit: found < limit),
    "minimum": _numeric(_at_least),
    "exclusiveMinimum": _numeric(lambda found, limit: found > limit),
    "maxLength": _sized(length, _at_most),
    "minLength": _sized(length, _at_least),
    "pattern": _pattern,
    "maxItems": _sized(_items, _at_most),
    "minItems": _sized(_items, _at_least),
    "uniqueItems": _unique,
    "maxProperties": _sized(_properties, _at_most),
    "minProperties": _sized(_properties, _at_least),
}
