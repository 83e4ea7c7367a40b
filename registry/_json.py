"""Copies of JSON values: what a call's arguments and results become before anybody else sees them.

Unlike what crosses to a program (``runtime.jsonvalue``), integers keep every digit here.
"""

import json
from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any, Final, cast

from ..runtime import JsonValue

DEEPEST: Final = 1_200  # levels; the default of Limits.depth
_SHALLOW: Final = 64
_PLAIN: Final = (str, int, bool, type(None))


class NotJsonError(ValueError):
    """A value that has no JSON form; the message says what and where."""


class SameKeyError(NotJsonError):
    """Two keys that are one in JSON: an entry would be lost, whoever writes it."""


def copy_json(value: object, root: str = "value") -> JsonValue:
    """A copy that shares no container with ``value``: dicts, lists, and plain scalars.

    Tuples become lists and subclasses of the JSON types become those types. A key that is a number, a
    bool or None becomes the text that ``json`` writes for it.

    Raises:
        NotJsonError: NaN, an infinity, a ring, nesting deeper than 1,200, or not a JSON type.
    """
    try:
        return _copy(value, _SHALLOW)
    except _CarefullyError:
        return _copy_carefully(value, root)


class _CarefullyError(Exception):
    pass


def _copy(value: Any, room: int) -> Any:
    kind: type[object] = type(value)  # pyright: ignore[reportUnknownVariableType]
    if kind in _PLAIN:
        return value
    if room == 0:
        raise _CarefullyError
    if kind is dict:
        copied = dict[str, Any]()
        for key, item in value.items():
            if type(key) is not str:
                raise _CarefullyError
            copied[key] = item if type(item) in _PLAIN else _copy(item, room - 1)
        return copied
    if kind is list:
        return [item if type(item) in _PLAIN else _copy(item, room - 1) for item in value]
    if kind is float and isfinite(value):
        return value
    raise _CarefullyError


def copy_known(value: JsonValue) -> JsonValue:
    """A copy of what ``copy_json`` gave."""
    if type(value) in _PLAIN or type(value) is float:
        return value
    return copy_json(value)


def _step(path: str, key: object) -> str:
    if isinstance(key, int):
        return f"{path}[{key}]"
    text = str(key)[:80]
    return f"{path}.{text}" if text.isidentifier() else f"{path}[{json.dumps(text)}]"


def _key(key: object, path: str) -> str:
    if isinstance(key, str):
        return str.__str__(key)
    if key is None or isinstance(key, bool | int) or (isinstance(key, float) and isfinite(key)):
        return json.dumps(key)
    raise NotJsonError(f"a key of type {type(key).__name__} at {path}: JSON keys are text")


def _scalar(value: object, path: str) -> JsonValue:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if not isfinite(value):
            raise NotJsonError(f"{float.__repr__(value)} at {path} is not JSON")
        return float(value)
    raise NotJsonError(f"a value of type {type(value).__name__} at {path} is not JSON")


def _copy_carefully(value: object, root: str) -> JsonValue:
    """The same without recursion, with the place of what is wrong."""
    made: list[JsonValue] = [None]
    # (source, where to put it, under which key, its path, the ids of what holds it)
    todo: list[tuple[object, Any, Any, str, int]] = [(value, made, 0, root, 0)]
    holders: list[int] = []
    while todo:
        source, target, key, path, depth = todo.pop()
        del holders[depth:]
        if not isinstance(source, Mapping | list | tuple):
            target[key] = _scalar(source, path)
            continue
        if depth >= DEEPEST:
            raise NotJsonError(f"nesting deeper than {DEEPEST} levels at {path[:200]}…")
        if id(cast("object", source)) in holders:
            raise NotJsonError(f"a circular reference at {path[:200]}")
        holders.append(id(cast("object", source)))
        short = path if depth < 24 else f"{path[:200]}…" if len(path) < 200 else path
        if isinstance(source, Mapping):
            members = cast("Mapping[object, object]", source)
            copied: dict[str, JsonValue] = {}
            entries = [(_key(name, path), item) for name, item in members.items()]
            for name, _ in entries:
                if name in copied:
                    raise SameKeyError(
                        f"two keys at {path} are both {json.dumps(name[:80])} in JSON"
                    )
                copied[name] = None
            target[key] = copied
            todo.extend(
                (item, copied, name, _step(short, name), depth + 1)
                for name, item in reversed(entries)
            )
        else:
            items = list(cast("list[object]", source))
            listed: list[JsonValue] = [None] * len(items)
            target[key] = listed
            todo.extend(
                (items[index], listed, index, _step(short, index), depth + 1)
                for index in range(len(items) - 1, -1, -1)
            )
    return made[0]


def compact(value: JsonValue) -> str:
    """JSON text in one line, with non-ASCII text as it is."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


INDENTED: Final = 5  # levels; below, indentation costs more tokens than it tells


def pretty(value: JsonValue) -> str:
    """JSON text with an indent of two spaces, at most ten; what is deeper stands on one line."""
    return "".join(_pretty(value, "\n", INDENTED))


def _pretty(value: JsonValue, line: str, levels: int) -> Iterator[str]:
    if not value or not isinstance(value, dict | list) or levels == 0:
        yield compact(value) if levels else _spaced(value)
        return
    inner = line + "  "
    if isinstance(value, list):
        yield "["
        for index, item in enumerate(value):
            yield f",{inner}" if index else inner
            yield from _pretty(item, inner, levels - 1)
        yield f"{line}]"
        return
    yield "{"
    for index, (name, item) in enumerate(value.items()):
        yield f"{',' if index else ''}{inner}{compact(name)}: "
        yield from _pretty(item, inner, levels - 1)
    yield f"{line}}}"


def _spaced(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)
