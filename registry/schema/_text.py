"""Short, exact texts about values: paths, kinds, JSON. Nothing here raises, or calls a value's own code."""

import json
import math
import re
from collections.abc import Iterable
from typing import TypeGuard, cast

_NAME = re.compile(r"(?:[^\W\d]|\$)[\w$-]*\Z")
_MAX_DEPTH = 20


def as_dict(value: object) -> dict[object, object] | None:
    """``value`` if it is a plain dict; a subclass could run code of its own."""
    return cast("dict[object, object]", value) if type(value) is dict else None


def as_list(value: object) -> list[object] | None:
    """``value`` if it is a plain list."""
    return cast("list[object]", value) if type(value) is list else None


def is_dict(value: object) -> TypeGuard[dict[object, object]]:
    """Whether ``value`` is a dict or of a subclass; `isinstance` would ask the value's own code."""
    return issubclass(type(value), dict)


def is_list(value: object) -> TypeGuard[list[object]]:
    """Whether ``value`` is a list or of a subclass; see :func:`is_dict`."""
    return issubclass(type(value), list)


def entries(value: object) -> dict[str, object] | None:
    """A copy of a dict's (or its subclass's) entries under names that are strings; else None."""
    if not is_dict(value):
        return None
    pairs = cast("Iterable[tuple[object, object]]", dict[object, object].items(value))
    return {key: item for key, item in pairs if type(key) is str}


def elements(value: object) -> list[object] | None:
    """A copy of a list (or its subclass); else None."""
    return list[object](list[object].__iter__(value)) if is_list(value) else None


def is_number(value: object) -> bool:
    """Whether ``value`` is a JSON number: an int or a finite float, never a bool."""
    return type(value) is int or (type(value) is float and math.isfinite(value))


def is_integer(value: object) -> bool:
    """Whether ``value`` is a JSON integer; 3.0 is one."""
    return type(value) is int or (type(value) is float and value.is_integer())


def is_scalar(value: object) -> bool:
    """Whether ``value`` is a JSON string, number, boolean or null."""
    return value is None or type(value) in (str, bool) or is_number(value)


def kind(value: object) -> str:
    """What ``value`` is, with its article, in JSON's words."""
    if value is None:
        return "null"
    if type(value) is bool:
        return "a boolean"
    if type(value) is str:
        return "a string"
    if type(value) is dict:
        return "an object"
    if type(value) is list:
        return "a list"
    if type(value) is int:
        return "an integer"
    if type(value) is float:
        return "a number" if math.isfinite(value) else "a number that JSON does not have"
    return "a value that JSON does not have"


def child(path: str, key: object) -> str:
    """``path`` extended by a property name or a list index; an odd name is quoted in brackets."""
    if type(key) is int:
        return f"{path}[{key}]"
    if type(key) is str and _NAME.match(key):
        return f"{path}.{key}" if path else key
    return f"{path}[{quoted(key)}]"


def path_text(keys: Iterable[object], root: str) -> str:
    """The keys from the root to a value as one path; ``root`` itself when there are none."""
    path = ""
    for key in keys:
        path = child(path, key)
    if not path:
        return root
    return path if len(path) <= 160 else f"{path[:75]}…{path[-75:]}"


def quoted(value: object, limit: int = 60) -> str:
    """``value`` as compact JSON, at most ``limit`` characters, cut with an ellipsis."""
    text = _compact(value, limit, 0)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def listed(values: Iterable[object], limit: int = 200) -> str:
    """The values as a compact JSON list of about ``limit`` characters; says how many it left out."""
    members = list(values)
    parts: list[str] = []
    size = 0
    for value in members:
        part = quoted(value)
        size += len(part) + 1
        if size > limit and parts:
            return f"[{','.join(parts)}, and {len(members) - len(parts)} more]"
        parts.append(part)
    return f"[{','.join(parts)}]"


def number_text(value: float) -> str:
    """``value`` as JavaScript prints it: ``1`` for 1.0."""
    if type(value) is float:
        if not math.isfinite(value):
            return "null"
        if value.is_integer() and abs(value) < 1e21:
            return str(int(value))
        return re.sub(r"e([+-])0+", r"e\1", repr(value))
    # Python refuses to print integers of thousands of digits.
    return str(value) if abs(value) < 10**400 else "an integer of over 400 digits"


def _compact(value: object, room: int, depth: int) -> str:
    if value is None:
        return "null"
    if type(value) is bool:
        return "true" if value else "false"
    if type(value) is str:
        # Lone surrogates would break the text's way to the model.
        text = json.dumps(value[: room + 1], ensure_ascii=False)
        return text.encode("utf-8", "backslashreplace").decode()
    if type(value) is int or type(value) is float:
        return number_text(value)
    if depth >= _MAX_DEPTH:
        return "…"
    parts: list[str] = []
    used = 0
    if (items := as_list(value)) is not None:
        for item in items:
            if used > room:
                break
            parts.append(_compact(item, room - used, depth + 1))
            used += len(parts[-1]) + 1
        return f"[{','.join(parts)}]"
    if (members := as_dict(value)) is not None:
        for name, item in members.items():
            if used > room:
                break
            head = _compact(name, room - used, depth + 1)
            parts.append(f"{head}:{_compact(item, room - used, depth + 1)}")
            used += len(parts[-1]) + 1
        return f"{{{','.join(parts)}}}"
    return "a value that JSON does not have"
