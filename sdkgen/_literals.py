"""JSON values as literal types."""

import json
import math
from typing import Final, cast

from ._names import in_js_order, property_key, string_literal

_MAX_LITERAL: Final = 400
"""Characters of a list or object written as a literal type; larger ones become `unknown`."""
_MAX_DEPTH: Final = 8
_MAX_SAFE: Final = 2**53


def literal_type(value: object) -> str:
    """The type of exactly this value, or a wider one where TypeScript has no such literal."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return string_literal(value)
    if isinstance(value, (int, float)):
        return _number(value)
    text = _structure(value, 0)
    return text if text is not None and len(text) <= _MAX_LITERAL else "unknown"


def _number(value: float) -> str:
    if isinstance(value, int) and abs(value) <= _MAX_SAFE:
        return str(int(value))
    try:
        number = float(value)
    except OverflowError:
        return "number"
    if not math.isfinite(number):
        return "number"
    if number.is_integer() and abs(number) <= _MAX_SAFE:
        return str(int(number))
    mantissa, exponent, power = json.dumps(number).partition("e")
    return f"{mantissa}e{int(power):+d}" if exponent else mantissa


def _structure(value: object, depth: int) -> str | None:
    """None where the value is too deep or too large to be worth it, or is no JSON value."""
    if depth > _MAX_DEPTH:
        return None
    parts: list[str] = []
    size = 0
    if isinstance(value, list):
        items = [("", item) for item in cast("list[object]", value)]
    elif isinstance(value, dict):
        members = cast("dict[object, object]", value)
        if not all(isinstance(name, str) for name in members):
            return None
        named = in_js_order(cast("dict[str, object]", value))
        items = [(f"{property_key(name)}: ", item) for name, item in named]
    elif value is None or isinstance(value, (str, int, float)):
        return literal_type(value)
    else:
        return None
    for prefix, item in items:
        text = _structure(item, depth + 1)
        if text is None:
            return None
        size += len(prefix) + len(text)
        if size > _MAX_LITERAL:
            return None
        parts.append(prefix + text)
    if isinstance(value, list):
        return f"[{', '.join(parts)}]"
    return f"{{ {'; '.join(parts)} }}" if parts else "{}"
