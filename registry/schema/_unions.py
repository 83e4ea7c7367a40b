"""Which branch of a union a value was meant for, told from the errors of all of them.

A branch whose ``const`` or ``enum`` property matches is the one that was meant; next, the one with the
fewest errors, and of these the one whose errors lie deepest.
"""

from typing import TYPE_CHECKING, cast

from ._keywords import Choices
from ._text import as_dict, child, entries, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jsonschema import ValidationError


def nearest(union: "ValidationError") -> "list[ValidationError] | None":
    """The errors of the branch that nearly fits; None if no branch is nearer than the others."""
    branches: dict[object, list[ValidationError]] = {}
    for error in union.context:
        branches.setdefault(error.relative_schema_path[0], []).append(error)
    ranked = sorted(branches.values(), key=_distance)
    best = ranked[0]
    if _misses_kind(best):
        return None
    if len(ranked) > 1 and _distance(best) == _distance(ranked[1]) and not _same_place(ranked[:2]):
        return None
    return None if _misses_tag(best) and _tag_everywhere(ranked) else best


def _distance(errors: "list[ValidationError]") -> tuple[bool, bool, int, int]:
    depth = min(len(error.relative_path) for error in errors)
    return (_misses_kind(errors), _misses_tag(errors), len(errors), -depth)


def _misses_kind(errors: "list[ValidationError]") -> bool:
    """Whether the value as a whole is of another type than the branch, or none of its constants."""
    return any(
        not error.relative_path and error.validator in ("type", "enum", "const", "never")
        for error in errors
    )


def _misses_tag(errors: "list[ValidationError]") -> bool:
    """Whether a property of the value says that another branch was meant."""
    return any(
        len(error.relative_path) == 1 and error.validator in ("const", "enum") for error in errors
    )


def _tag_everywhere(ranked: "list[list[ValidationError]]") -> bool:
    return len(ranked) > 1 and all(_misses_tag(e) or _misses_kind(e) for e in ranked)


def _same_place(ranked: "list[list[ValidationError]]") -> bool:
    first, second = ([(list(e.relative_path), e.message) for e in errors] for errors in ranked)
    return first == second


def wanted_types(union: "ValidationError") -> tuple[str, ...] | None:
    """The types a union takes, if every branch fails because of the value's type; else None."""
    types: dict[str, None] = {}
    failed: set[object] = set()
    for error in union.context:
        if error.validator == "type" and not error.relative_path:
            types.update(dict.fromkeys(cast("tuple[str, ...]", error.validator_value)))
            failed.add(error.relative_schema_path[0])
    return (
        tuple(types)
        if len(failed) == len(cast("tuple[object, ...]", union.validator_value))
        else None
    )


def branch_label(union: "ValidationError", error: "ValidationError") -> str:
    """How to name the branch that ``error`` comes from: by its constants, its type or its number."""
    index = cast("int", error.relative_schema_path[0])
    branch = cast("tuple[object, ...]", union.validator_value)[index]
    for _ in range(8):
        if "$ref" not in (words := entries(branch) or {}):
            break
        branch = words["$ref"]
    schema = entries(branch) or {}
    tags = [
        f"{child('', name)} = {words}"
        for name, sub in cast("dict[str, object]", schema.get("properties", {})).items()
        if (words := _constant(sub))
    ]
    if tags:
        return f"branch {', '.join(tags[:2])}"
    if own := _constant(schema):
        return f"branch {own}"
    if "type" in schema:
        names = " or ".join(cast("Iterable[str]", schema["type"]))
        return f"branch {index + 1}, {names}"
    return f"branch {index + 1}"


def _constant(schema: object) -> str:
    words = as_dict(schema)
    if words is None:
        return ""
    choices = words.get("const", words.get("enum"))
    if not isinstance(choices, Choices) or not 0 < len(choices.values) <= 3:
        return ""
    return " or ".join(quoted(value, 30) for value in choices.values)
