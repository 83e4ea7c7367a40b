"""Equality of JSON values, and what it does not tell apart."""

import json
from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from collections.abc import Sequence

    from codemode.runtime import JsonValue

LARGEST_SAFE_INTEGER: Final = 2**53 - 1


def same(left: object, right: object) -> bool:
    """Equality of JSON values: numbers by their exact value, a bool is no number, null is a value and
    not a missing member, lists in order, members in any."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        ours, theirs = cast("dict[str, object]", left), cast("dict[str, object]", right)
        return ours.keys() == theirs.keys() and all(same(ours[k], theirs[k]) for k in ours)
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        items, others = cast("Sequence[object]", left), cast("Sequence[object]", right)
        return len(items) == len(others) and all(map(same, items, others))
    return left == right


def as_program_sees(value: "JsonValue") -> "JsonValue":
    """A result inside a program: integers that its numbers cannot tell apart are decimal text."""
    if isinstance(value, dict):
        return {name: as_program_sees(each) for name, each in value.items()}
    if isinstance(value, list):
        return [as_program_sees(each) for each in value]
    is_big = isinstance(value, int) and abs(value) > LARGEST_SAFE_INTEGER
    return str(value) if is_big else value


def sorted_text(value: "JsonValue") -> str:
    """The text of a value whatever the order of its members: ``36`` and ``36.0`` are not alike."""
    return json.dumps(value, sort_keys=True)


def member_names(value: "JsonValue") -> list[str]:
    """The members' names in their order, depth first."""
    if isinstance(value, dict):
        return [*value, *(name for each in value.values() for name in member_names(each))]
    return (
        [name for each in value for name in member_names(each)] if isinstance(value, list) else []
    )
