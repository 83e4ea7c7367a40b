"""The schemas of a tool's entry, made fit for the registry. What the registry itself can mend is left to it."""

from collections.abc import Iterator, Mapping
from typing import Final, cast
from urllib.parse import unquote

from ...registry.types import JsonSchema
from ...runtime import JsonValue

ANY_OBJECT: Final[JsonSchema] = {"type": "object"}
WRAPPED: Final = "x-fastmcp-wrap-result"
_MOST_SHOWN: Final = 3
_DEEPEST: Final = 200
_REFERENCES: Final = ("$ref",)
_KEPT_OF_ROOT: Final = ("$defs", "definitions", "$schema")


def input_schema(entry: Mapping[str, JsonValue], warnings: list[str]) -> JsonSchema:
    """The schema of the arguments; any object where there is none that can be used."""
    schema = entry.get("inputSchema")
    if schema is None:
        warnings.append("inputSchema is missing: its arguments are any object")
    elif not isinstance(schema, dict):
        warnings.append("inputSchema is not an object: its arguments are any object")
    elif schema.get("type", "object") != "object":
        warnings.append('inputSchema is not of type "object": its arguments are any object')
    elif not _is_shallow(schema):
        warnings.append("inputSchema is nested too deeply: its arguments are any object")
    else:
        return schema
    return ANY_OBJECT


def output_schema(
    entry: Mapping[str, JsonValue], warnings: list[str]
) -> tuple[JsonSchema | None, bool]:
    """The schema of the value, without references that lead nowhere; and whether FastMCP wrapped it."""
    schema = entry.get("outputSchema")
    if schema is None:
        return None, False
    if not isinstance(schema, dict) or not _is_shallow(schema):
        warnings.append("outputSchema cannot be used: its results are not checked")
        return None, False
    loose = sorted({ref for ref in _references(schema) if not _resolves(schema, ref)})
    if loose:
        shown = ", ".join(loose[:_MOST_SHOWN]) + (", …" if len(loose) > _MOST_SHOWN else "")
        warnings.append(f"outputSchema refers to what is not in it ({shown}): not checked there")
        schema = cast("dict[str, JsonValue]", _without(schema, frozenset(loose)))
    properties = schema.get("properties")
    if schema.get(WRAPPED) is not True or not isinstance(properties, dict):
        return schema, False
    inner = properties.get("result")
    if not isinstance(inner, dict):
        return schema, False
    kept = {key: schema[key] for key in _KEPT_OF_ROOT if key in schema and key not in inner}
    return {**inner, **kept}, True


def _is_shallow(schema: JsonValue) -> bool:
    level: list[JsonValue] = [schema]
    for _ in range(_DEEPEST):
        below: list[JsonValue] = []
        for item in level:
            if isinstance(item, dict):
                below.extend(item.values())
            elif isinstance(item, list):
                below.extend(item)
        if not below:
            return True
        level = below
    return False


def _references(value: JsonValue) -> Iterator[str]:
    """References to a place in the document itself; by name or by URI they are the registry's matter."""
    todo = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, dict):
            for key in _REFERENCES:
                text = item.get(key)
                if isinstance(text, str) and (text == "#" or text.startswith("#/")):
                    yield text
            todo.extend(item.values())
        elif isinstance(item, list):
            todo.extend(item)


def _resolves(root: JsonValue, reference: str) -> bool:
    at = root
    for token in reference.split("/")[1:]:
        step = unquote(token).replace("~1", "/").replace("~0", "~")
        if isinstance(at, dict) and step in at:
            at = at[step]
        elif isinstance(at, list) and step.isascii() and step.isdigit() and int(step) < len(at):
            at = at[int(step)]
        else:
            return False
    return isinstance(at, dict | bool)


def _without(value: JsonValue, loose: frozenset[str]) -> JsonValue:
    if isinstance(value, list):
        return [_without(item, loose) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _without(item, loose)
        for key, item in value.items()
        if not (key in _REFERENCES and isinstance(item, str) and item in loose)
    }
