"""The keywords that apply schemas, as functions for the PyPI package ``jsonschema``.

The package walks and builds the tree of errors; these functions replace its own because they charge
every step to the check's budget and put no ``repr`` of a value or schema into a message. An error's
``message`` holds the detail a text needs (a property's name, a number); ``_messages`` makes the text.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, cast

from jsonschema import ValidationError

from ._budget import current
from ._evaluated import evaluated_items, evaluated_properties
from ._text import as_dict, as_list
from ._walker import Apply, Errors, Walker, holds

if TYPE_CHECKING:
    from ._patterns import Pattern


def _never(walker: Walker, value: object, instance: object, schema: dict[str, object]) -> Errors:
    yield ValidationError("")


def _ref(walker: Walker, value: object, instance: object, schema: dict[str, object]) -> Errors:
    yield from walker.descend(instance, value)


def _all_of(walker: Walker, value: object, instance: object, schema: dict[str, object]) -> Errors:
    for index, sub in enumerate(cast("tuple[object, ...]", value)):
        yield from walker.descend(instance, sub, schema_path=index)


def _any_of(walker: Walker, value: object, instance: object, schema: dict[str, object]) -> Errors:
    context: list[ValidationError] = []
    for index, sub in enumerate(cast("tuple[object, ...]", value)):
        errors = list(walker.descend(instance, sub, schema_path=index))
        if not errors:
            return
        context += errors
    yield ValidationError("", context=context)


def _one_of(walker: Walker, value: object, instance: object, schema: dict[str, object]) -> Errors:
    context: list[ValidationError] = []
    matched: list[int] = []
    for index, sub in enumerate(cast("tuple[object, ...]", value)):
        errors = list(walker.descend(instance, sub, schema_path=index))
        context += errors
        if not errors:
            matched.append(index)
    if not matched:
        yield ValidationError("", context=context)
    elif len(matched) > 1:
        yield ValidationError(" and ".join(str(index + 1) for index in matched[:4]))


def _not(walker: Walker, value: object, instance: object, schema: dict[str, object]) -> Errors:
    if holds(walker, instance, value):
        yield ValidationError("")


def _if(walker: Walker, value: object, instance: object, schema: dict[str, object]) -> Errors:
    branch = "then" if holds(walker, instance, value) else "else"
    if branch in schema:
        yield from walker.descend(instance, schema[branch], schema_path=branch)


def _depends(walker: Walker, value: object, instance: object, schema: dict[str, object]) -> Errors:
    members = as_dict(instance) or {}
    for name, sub in cast("dict[str, object]", value).items():
        if name in members:
            yield from walker.descend(instance, sub, schema_path=name)


def _prefix(walker: Walker, value: object, instance: object, schema: dict[str, object]) -> Errors:
    pairs = zip(as_list(instance) or (), cast("tuple[object, ...]", value), strict=False)
    for index, (item, sub) in enumerate(pairs):
        yield from walker.descend(item, sub, path=index, schema_path=index)


def _items(walker: Walker, value: object, instance: object, schema: dict[str, object]) -> Errors:
    start = len(cast("tuple[object, ...]", schema.get("prefixItems", ())))
    for index, item in enumerate((as_list(instance) or [])[start:], start):
        yield from walker.descend(item, value, path=index)


def _contains(walker: Walker, value: object, instance: object, schema: dict[str, object]) -> Errors:
    items = as_list(instance)
    if items is None:
        return
    least = cast("int", schema.get("minContains", 1))
    most = cast("int | None", schema.get("maxContains"))
    count = sum(1 for item in items if holds(walker, item, value))
    if count < least:
        yield ValidationError(f"at least {least}")
    if most is not None and count > most:
        yield ValidationError(f"at most {most}")


def _required(walker: Walker, value: object, instance: object, schema: dict[str, object]) -> Errors:
    members = as_dict(instance)
    if members is not None:
        for name in cast("tuple[str, ...]", value):
            if name not in members:
                yield ValidationError(name)


def _needs(walker: Walker, value: object, instance: object, schema: dict[str, object]) -> Errors:
    members = as_dict(instance) or {}
    for name, needed in cast("dict[str, tuple[str, ...]]", value).items():
        if name in members:
            for other in needed:
                if other not in members:
                    yield ValidationError(f"{other}\n{name}")


def _properties(
    walker: Walker, value: object, instance: object, schema: dict[str, object]
) -> Errors:
    members = as_dict(instance) or {}
    for name, sub in cast("dict[str, object]", value).items():
        if name in members:
            yield from walker.descend(members[name], sub, path=name, schema_path=name)


def _patterned(
    walker: Walker, value: object, instance: object, schema: dict[str, object]
) -> Errors:
    for name, member in (as_dict(instance) or {}).items():
        if type(name) is str:
            for pattern, sub in cast("tuple[tuple[Pattern, object], ...]", value):
                if current().search(pattern, name):
                    yield from walker.descend(member, sub, path=name)


def _others(walker: Walker, value: object, instance: object, schema: dict[str, object]) -> Errors:
    declared = cast("dict[str, object]", schema.get("properties", {}))
    patterns = cast("tuple[tuple[Pattern, object], ...]", schema.get("patternProperties", ()))
    for name, member in (as_dict(instance) or {}).items():
        if type(name) is str and name not in declared:
            current().spend()
            if not any(current().search(pattern, name) for pattern, _ in patterns):
                yield from _rest(walker, value, name, member)


def _names(walker: Walker, value: object, instance: object, schema: dict[str, object]) -> Errors:
    for name in as_dict(instance) or {}:
        if type(name) is str and not holds(walker, name, value):
            yield ValidationError(name)


def _free_properties(
    walker: Walker, value: object, instance: object, schema: dict[str, object]
) -> Errors:
    members = as_dict(instance)
    if members is not None:
        done = evaluated_properties(walker, schema, members)
        for name, member in members.items():
            if type(name) is str and name not in done:
                yield from _rest(walker, value, name, member)


def _free_items(
    walker: Walker, value: object, instance: object, schema: dict[str, object]
) -> Errors:
    items = as_list(instance)
    if items is not None:
        done = evaluated_items(walker, schema, items)
        for index, item in enumerate(items):
            if index not in done:
                yield from walker.descend(item, value, path=index)


def _rest(walker: Walker, value: object, name: str, member: object) -> Errors:
    if value is False:
        yield ValidationError(name)
    else:
        yield from walker.descend(member, value, path=name)


APPLY: Final[Mapping[str, Apply]] = {
    "never": _never,
    "$ref": _ref,
    "allOf": _all_of,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "not": _not,
    "if": _if,
    "dependentSchemas": _depends,
    "dependentRequired": _needs,
    "prefixItems": _prefix,
    "items": _items,
    "contains": _contains,
    "required": _required,
    "properties": _properties,
    "patternProperties": _patterned,
    "additionalProperties": _others,
    "propertyNames": _names,
    "unevaluatedProperties": _free_properties,
    "unevaluatedItems": _free_items,
}
