"""JSON text of any depth, with integers of any size and half surrogate pairs, in one line."""

import json
import re
from typing import Final, cast

from ..runtime.types import JsonValue

_HALF: Final = re.compile("[\ud800-\udfff]")
_encoder: Final = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":"), check_circular=True
)
_CHUNK: Final = 4000  # digits; Python turns up to 4300 at once into text


def compact_text(value: JsonValue) -> str:
    """The text; half surrogate pairs are escapes in it, so that it has a UTF-8 form.

    Raises:
        ValueError, TypeError: NaN, an infinity, a ring, or not a JSON type.
    """
    try:
        text = _encoder.encode(value)
    except (RecursionError, ValueError):  # too deep for json, or more than 4300 digits
        text = _carefully(value)
    # Outside ASCII there are only characters of strings, where an escape means the same.
    if text.isascii():
        return text
    return _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def _carefully(value: object) -> str:
    """The same without recursion."""
    parts: list[str] = []
    holders: set[int] = set()
    # What to write before a value, the value, and which container ends there.
    todo: list[tuple[str, object, int]] = [("", value, 0)]
    while todo:
        before, here, ended = todo.pop()
        parts.append(before)
        if ended:
            holders.remove(ended)
        elif isinstance(here, dict | list | tuple):
            if id(cast("object", here)) in holders:
                raise ValueError("a circular reference")
            holders.add(id(cast("object", here)))
            opening, closing, inner = _inside(cast("object", here))
            parts.append(opening)
            todo.append((closing, None, id(cast("object", here))))
            todo += reversed(inner)
        elif isinstance(here, int) and not isinstance(here, bool):
            parts.append(_digits(here))
        else:
            parts.append(_encoder.encode(here))
    return "".join(parts)


def _inside(container: object) -> tuple[str, str, list[tuple[str, object, int]]]:
    inner: list[tuple[str, object, int]] = []
    if not isinstance(container, dict):
        for item in cast("list[object]", container):
            inner.append(("," if inner else "", item, 0))
        return "[", "]", inner
    for key, item in cast("dict[object, object]", container).items():
        if not isinstance(key, str):
            raise TypeError(f"a key of type {type(key).__name__}: JSON keys are text")
        inner.append((f"{',' if inner else ''}{_encoder.encode(key)}:", item, 0))
    return "{", "}", inner


def _digits(number: int) -> str:
    sign, number = ("-", -number) if number < 0 else ("", number)
    chunks: list[str] = []
    while number >= 10**_CHUNK:
        number, rest = divmod(number, 10**_CHUNK)
        chunks.append(f"{rest:0{_CHUNK}d}")
    return sign + str(number) + "".join(reversed(chunks))
