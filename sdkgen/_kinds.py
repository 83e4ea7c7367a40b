"""Which of JSON's six kinds of value a schema admits, as a set of bits."""

from collections.abc import Iterable
from typing import Final, cast

NULL: Final = 1
BOOLEAN: Final = 2
NUMBER: Final = 4
STRING: Final = 8
ARRAY: Final = 16
OBJECT: Final = 32
ALL: Final = 63

ORDER: Final = (OBJECT, ARRAY, STRING, NUMBER, BOOLEAN, NULL)

_KINDS: Final = {
    "string": STRING,
    "number": NUMBER,
    "integer": NUMBER,
    "boolean": BOOLEAN,
    "null": NULL,
    "object": OBJECT,
    "array": ARRAY,
    "any": ALL,
}

# Not JSON Schema, but seen in function lists that were written by hand or made from Python and Java.
_FOREIGN: Final = {
    **dict.fromkeys(("str", "char"), STRING),
    **dict.fromkeys(("bool",), BOOLEAN),
    **dict.fromkeys(("none",), NULL),
    **dict.fromkeys(("int", "long", "short", "byte", "float", "double", "decimal"), NUMBER),
    **dict.fromkeys(("dict", "map", "hashmap"), OBJECT),
    **dict.fromkeys(("list", "tuple", "arraylist"), ARRAY),
}
_ANNOTATIONS: Final = frozenset(("type", "title", "description", "$comment"))


def of_name(name: str) -> int:
    """The kinds that a type name stands for; all of them for a name that nobody knows."""
    found = _KINDS.get(name)
    if found is None:
        lower = name.lower()
        found = _KINDS.get(lower) or _FOREIGN.get(lower, ALL)
    return found


def of_value(value: object) -> int:
    """The kind of a JSON value; 0 for what is none."""
    if value is None:
        return NULL
    if isinstance(value, bool):
        return BOOLEAN
    if isinstance(value, (int, float)):
        return NUMBER
    if isinstance(value, str):
        return STRING
    if isinstance(value, list):
        return ARRAY
    return OBJECT if isinstance(value, dict) else 0


def excluded(negated: object) -> int:
    """The kinds that `not: negated` rules out altogether."""
    if negated is True:
        return ALL
    if not isinstance(negated, dict):
        return 0
    schema = cast("dict[str, object]", negated)
    if not _ANNOTATIONS.issuperset(schema):
        return 0
    declared = schema.get("type")
    names = cast("list[object]", declared) if isinstance(declared, list) else [declared]
    kinds = 0
    for name in names:
        if isinstance(name, str) and name in _KINDS and name not in ("integer", "any"):
            kinds |= _KINDS[name]
    return kinds if "type" in schema else ALL


def union_of(masks: Iterable[int]) -> int:
    """All the kinds that any of the sets has."""
    whole = 0
    for mask in masks:
        whole |= mask
    return whole
