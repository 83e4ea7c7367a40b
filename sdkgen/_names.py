"""Text that comes from outside, made safe to stand in TypeScript: keys, literals, comments, type names.

Whatever comes in, the result is valid Unicode (no lone surrogate) and holds no three backticks in a
row, so neither a comment nor a Markdown fence around it can be closed early.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Final, TypeVar

from ._globals import RESERVED_TYPE_NAMES

_V = TypeVar("_V")

_BARE_KEY: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*", re.ASCII)
_INDEX_KEY: Final = re.compile(r"0|[1-9][0-9]{0,9}", re.ASCII)
_MAX_INDEX: Final = 2**32 - 2

# What JavaScript's \s matches; Python's differs (it adds U+0085 and U+001C-1F, and lacks U+FEFF).
_JS_SPACE: Final = "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_SPACES: Final = re.compile(f"[{_JS_SPACE}]+")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_BACKTICKS: Final = re.compile("`{3,}")
_DIRECTIVE: Final = re.compile(r"[/*\s]*@ts-")
_UNSAFE_IN_COMMENT: Final = re.compile("[\ud800-\udfff\x00]")
_WORD: Final = re.compile(r"[A-Za-z0-9]+", re.ASCII)
_LEADING_DIGITS: Final = re.compile(r"[0-9]+", re.ASCII)


def utf16_key(name: str) -> bytes:
    """The sort key that orders text as JavaScript's `<` does: by UTF-16 code units."""
    return name.encode("utf-16-be", "surrogatepass")


def string_literal(value: str) -> str:
    """A double-quoted literal, escaped as JSON.stringify does, and U+2028/2029 and fences besides."""
    text = json.dumps(value, ensure_ascii=False)
    if not text.isascii():
        text = _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text)
        text = text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return text.replace("```", "``\\u0060")


def property_key(name: str) -> str:
    """The name as a member of a type: bare where it is an ASCII identifier, otherwise quoted."""
    return name if _BARE_KEY.fullmatch(name) else string_literal(name)


def comment_text(value: object) -> str:
    """One line that no description can break out of; empty where there is nothing to say."""
    if not isinstance(value, str):
        return ""
    text = _SPACES.sub(" ", value).strip(" ")
    if "*/" in text:
        text = text.replace("*/", "*\\/")
    if "```" in text:
        text = _BACKTICKS.sub("``", text)
    if "@ts-" in text and _DIRECTIVE.match(text):
        text = text.replace("@ts-", "\\@ts-", 1)  # the compiler obeys @ts-ignore in a comment
    return text if text.isascii() and "\x00" not in text else _UNSAFE_IN_COMMENT.sub("\ufffd", text)


def in_js_order(properties: Mapping[str, _V]) -> Iterable[tuple[str, _V]]:
    """The entries as JavaScript enumerates own keys: array indices ascending, then as inserted."""
    indices = [k for k in properties if _INDEX_KEY.fullmatch(k) and int(k) <= _MAX_INDEX]
    if not indices:
        return properties.items()
    indices.sort(key=int)
    first = set(indices)
    rest = [k for k in properties if k not in first]
    return [(key, properties[key]) for key in (*indices, *rest)]


def type_name(hint: str) -> str:
    """PascalCase made of the hint's ASCII words; never empty, never a global type's name."""
    words = _WORD.findall(hint)
    name = "".join(word[0].upper() + word[1:] for word in words)[:60]
    name = _LEADING_DIGITS.sub("", name) if name[:1].isdigit() else name
    name = name[:1].upper() + name[1:]
    return f"{name}Type" if not name or name in RESERVED_TYPE_NAMES else name
