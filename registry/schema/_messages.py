"""The text of one violation: where, what is wanted, what came; written for a model to repair its call."""

import json
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final, cast

from ._graph import CLOSING
from ._text import as_dict, as_list, child, is_number, kind, listed, number_text, path_text, quoted
from ._unions import branch_label, nearest, wanted_types

if TYPE_CHECKING:
    from jsonschema import ValidationError

    from ._keywords import Choices
    from ._patterns import Pattern

_MAX_TEXT = 500
_MAX_UNION_DEPTH = 8
_ARTICLES: Final = {
    "object": "an object",
    "array": "a list",
    "string": "a string",
    "number": "a number",
    "integer": "an integer",
    "boolean": "a boolean",
    "null": "null",
}
_LIMITS: Final[Mapping[str, str]] = {
    "maximum": "must be at most {}",
    "exclusiveMaximum": "must be less than {}",
    "minimum": "must be at least {}",
    "exclusiveMinimum": "must be greater than {}",
    "multipleOf": "must be a multiple of {}",
}
_SIZES: Final[Mapping[str, tuple[str, str, str]]] = {
    "maxLength": ("at most", "character", "characters"),
    "minLength": ("at least", "character", "characters"),
    "maxItems": ("at most", "item", "items"),
    "minItems": ("at least", "item", "items"),
    "maxProperties": ("at most", "property", "properties"),
    "minProperties": ("at least", "property", "properties"),
}


def describe(error: "ValidationError", root: str) -> list[str]:
    """The texts of ``error``; several when a union's nearest branch has several faults."""
    found = [error]
    notes = ""
    for _ in range(_MAX_UNION_DEPTH):
        if len(found) != 1 or not found[0].context:
            break
        union = found[0]
        branch = nearest(union)
        if branch is None:
            break
        label = branch_label(union, branch[0])
        notes = f"{notes}, {label}" if notes else label
        found = branch
    suffix = f" ({notes[:160]})" if notes else ""
    return [_one(item, root, suffix) for item in found[:10]]


def _one(error: "ValidationError", root: str, suffix: str) -> str:
    keys: list[object] = list(cast("Iterable[object]", error.absolute_path))
    word = cast("str", error.validator)
    if word == "required":
        name = _named(path_text([*keys, error.message], root))
        return f"missing required property {name}{suffix}"
    if word == "dependentRequired":
        missing, _, present = error.message.partition("\n")
        name, beside = (_named(path_text([*keys, key], root)) for key in (missing, present))
        return f"missing property {name}, which is required beside {beside}{suffix}"
    if word in CLOSING:
        name = _named(path_text([*keys, error.message], root))
        near = _near(error.message, cast("dict[str, object]", error.schema))
        return f"{name} is not a declared property ({word}: false){near}{suffix}"
    text = f"{_named(path_text(keys, root))} {_fault(word, error)}{suffix}"
    return text if len(text) <= _MAX_TEXT else f"{text[: _MAX_TEXT - 1]}…"


def _named(path: str) -> str:
    return f'"{path}"'


def _fault(word: str, error: "ValidationError") -> str:
    value, instance = cast("object", error.validator_value), cast("object", error.instance)
    if word == "type":
        return type_fault(cast("tuple[str, ...]", value), instance)
    if word in ("anyOf", "oneOf"):
        return _union_fault(word, error)
    if word in ("enum", "const"):
        choices = cast("Choices", value)
        wanted = f"one of {choices.text}" if word == "enum" else quoted(choices.values[0], 200)
        return f"must be {wanted}, got {quoted(instance)}"
    if word in _LIMITS:
        return f"{_LIMITS[word].format(number_text(cast('float', value)))}, got {quoted(instance)}"
    if word in _SIZES:
        how, one, many = _SIZES[word]
        unit = one if value == 1 else many
        return f"must have {how} {value} {unit}, has {len(cast('str', instance))}"
    if word == "pattern":
        source = quoted(cast("Pattern", value).source, 120)
        return f"must match the pattern {source}, got {quoted(instance)}"
    return _STRUCTURE[word](error)


_STRUCTURE: Final[Mapping[str, Callable[["ValidationError"], str]]] = {
    "never": lambda error: "is not allowed",
    "not": lambda error: f"must not match the schema under `not`, got {quoted(error.instance)}",
    "uniqueItems": lambda error: "must not have the same item twice",
    "contains": lambda error: f"must have {error.message} items of the kind that `contains` wants",
    "propertyNames": lambda error: (
        f"has a property name that is not allowed: {quoted(error.message)}"
    ),
}


def type_fault(types: tuple[str, ...], instance: object) -> str:
    """The text for a value that has none of ``types``, with a hint for JSON sent as text."""
    wanted = " or ".join(_ARTICLES[name] for name in types)
    return f"must be {wanted}, got {kind(instance)}{_json_hint(types, instance)}"


def _json_hint(types: tuple[str, ...], instance: object) -> str:
    if type(instance) is not str or len(instance) > 100_000:
        return ""
    try:
        held = cast("object", json.loads(instance))
    except (ValueError, RecursionError):
        return ""
    if as_list(held) is not None and "array" in types:
        return "; pass a list, not its JSON text"
    if as_dict(held) is not None and "object" in types:
        return "; pass an object, not its JSON text"
    if is_number(held) and ("number" in types or "integer" in types):
        return "; pass the number, not its text"
    if instance in ("true", "false") and "boolean" in types:
        return "; pass true or false, not its text"
    return ""


def _union_fault(word: str, error: "ValidationError") -> str:
    if not error.context:
        return f"must match exactly one of the forms under `oneOf`, matches forms {error.message}"
    types = wanted_types(error)
    if types is not None:
        return type_fault(types, error.instance)
    count = len(cast("tuple[object, ...]", error.validator_value))
    labels = [branch_label(error, item) for item in _first_of_each(error)]
    return f"matches none of the {count} forms it can have: {'; '.join(labels)[:300]}"


def _first_of_each(error: "ValidationError") -> "list[ValidationError]":
    seen: dict[object, ValidationError] = {}
    for item in error.context:
        seen.setdefault(item.relative_schema_path[0], item)
    return list(seen.values())[:6]


def _near(name: str, schema: dict[str, object]) -> str:
    declared = list(cast("dict[str, object]", schema.get("properties", {})))[:500]
    if not declared:
        return ""
    close = get_close_matches(name[:100], declared, n=3, cutoff=0.5)
    if close:
        return f"; did you mean {' or '.join(quoted(child('', item)) for item in close)}?"
    return f"; declared are {listed(declared, 120)}"
