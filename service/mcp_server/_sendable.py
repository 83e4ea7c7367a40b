"""Values as MCP's messages can carry them: UTF-8, and not too deep."""

import json
from typing import Final

from ...runtime import JsonValue

DEEPEST: Final = 150
"""Levels. The SDK's serialiser gives up at 255, its envelope included."""


def valid_text(text: str) -> str:
    """Text that UTF-8 can carry: a half surrogate becomes U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def sendable(value: JsonValue, depth: int = 0) -> JsonValue:
    """The value, with half surrogates replaced, and what is nested too deeply as its JSON text."""
    if isinstance(value, str):
        return valid_text(value)
    if not isinstance(value, dict | list):
        return value
    if depth == DEEPEST:
        return _as_text(value)
    if isinstance(value, list):
        return [sendable(item, depth + 1) for item in value]
    return {valid_text(name): sendable(item, depth + 1) for name, item in value.items()}


def _as_text(value: JsonValue) -> str:
    try:
        return valid_text(json.dumps(value, ensure_ascii=False))
    except RecursionError:
        return "(nested too deeply to send)"
