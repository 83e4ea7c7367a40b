"""What each JSON Schema keyword must look like, and its value in the form the checker uses.

The rules are those of the 2020-12 meta-schemas; a reader raises :class:`BadKeyword` with the reason.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from ._ecma import PatternError
from ._equality import Key, TooLarge, json_key
from ._patterns import compile_pattern
from ._text import elements, entries, is_integer, is_number, kind, listed, quoted

TYPES: Final = frozenset(("object", "array", "string", "number", "integer", "boolean", "null"))

ONE: Final = frozenset(
    (
        "not",
        "if",
        "then",
        "else",
        "items",
        "contains",
        "additionalProperties",
        "propertyNames",
        "unevaluatedItems",
        "unevaluatedProperties",
    )
)
"""Keywords whose value is a schema."""
MANY: Final = frozenset(("allOf", "anyOf", "oneOf", "prefixItems"))
"""Keywords whose value is a list of schemas."""
NAMED: Final = frozenset(("properties", "patternProperties", "dependentSchemas"))
"""Keywords whose value maps names to schemas."""


class BadKeyword(Exception):
    """The keyword's value breaks the rules; the text is the reason."""


@dataclass(frozen=True, slots=True)
class Choices:
    """The values of ``enum`` or ``const``: their equality keys, and the text for messages."""

    keys: frozenset[Key]
    values: tuple[object, ...]
    text: str


def _type(value: object) -> object:
    names = elements(value)
    found: list[str] = []
    for name in [value] if names is None else names:
        if type(name) is not str or name not in TYPES:
            raise BadKeyword(f"unknown type {quoted(name)}")
        found.append(name)
    if not found:
        raise BadKeyword("lists no type")
    return tuple(found)


def _enum(value: object) -> object:
    values = elements(value)
    if values is None:
        raise BadKeyword(f"must be a list, not {kind(value)}")
    return _choices(tuple(values))


def _const(value: object) -> object:
    return _choices((value,))


def _choices(values: tuple[object, ...]) -> Choices:
    try:
        keys = frozenset(json_key(value) for value in values)
    except TooLarge:
        raise BadKeyword("is too large") from None
    return Choices(keys, values, listed(values))


def _number(value: object) -> object:
    if not is_number(value):
        raise BadKeyword(f"must be a number, not {kind(value)}")
    return value


def _positive(value: object) -> object:
    if not is_number(value) or not isinstance(value, int | float) or value <= 0:
        raise BadKeyword("must be a number greater than 0")
    return value


def _count(value: object) -> object:
    if not is_integer(value) or not isinstance(value, int | float) or value < 0:
        raise BadKeyword(f"must be an integer of at least 0, not {quoted(value)}")
    return int(value)


def _boolean(value: object) -> object:
    if type(value) is not bool:
        raise BadKeyword(f"must be a boolean, not {kind(value)}")
    return value


def _names(value: object) -> object:
    members = elements(value)
    if members is None:
        raise BadKeyword(f"must be a list of property names, not {kind(value)}")
    names = [name for name in members if type(name) is str]
    if len(names) != len(members):
        raise BadKeyword("has a member that is no string")
    return tuple(dict.fromkeys(names))


def _dependent(value: object) -> object:
    members = entries(value)
    if members is None:
        raise BadKeyword(f"must be an object, not {kind(value)}")
    return {name: _names(names) for name, names in members.items()}


def _pattern(value: object) -> object:
    if type(value) is not str:
        raise BadKeyword(f"must be a string, not {kind(value)}")
    try:
        return compile_pattern(value)
    except PatternError as error:
        raise BadKeyword(f"{quoted(value)} {error}") from None


ASSERTIONS: Final[Mapping[str, Callable[[object], object]]] = {
    "type": _type,
    "enum": _enum,
    "const": _const,
    "multipleOf": _positive,
    "maximum": _number,
    "exclusiveMaximum": _number,
    "minimum": _number,
    "exclusiveMinimum": _number,
    "maxLength": _count,
    "minLength": _count,
    "pattern": _pattern,
    "maxItems": _count,
    "minItems": _count,
    "uniqueItems": _boolean,
    "maxContains": _count,
    "minContains": _count,
    "maxProperties": _count,
    "minProperties": _count,
    "required": _names,
    "dependentRequired": _dependent,
}
