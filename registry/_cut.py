"""Cutting by structure: fewer items, whole ones, and valid JSON still."""

from typing import Final

from ..runtime import JsonValue
from ._json import pretty

DEEPEST: Final = 60  # levels that are shown; below, a count stands for the rest
_LADDER: Final = (10_000, 3_000, 1_000, 300, 100, 50, 25, 12, 6, 3, 2, 1)
_TEXTS: Final = (1_000_000, 20_000, 5_000, 1_000, 200, 60)


def cut_value(value: JsonValue, most_bytes: int) -> tuple[str, str]:
    """The value as JSON text of at most ``most_bytes``, and what was left out.

    Items of long lists and objects are left out from the end, long texts from theirs.
    """
    for most_text in _TEXTS:
        best = _most_items(value, most_text, most_bytes)
        if best is not None:
            return best
    return pretty(f"({_kind(value)}: nothing of it fits)"), "the value is left out"


def _most_items(value: JsonValue, most_text: int, most_bytes: int) -> tuple[str, str] | None:
    for most_items in _LADDER:
        cut = _Cut(most_items, most_text)
        text = pretty(cut.copy(value, 0))
        if len(text.encode("utf-8", "surrogatepass")) <= most_bytes:
            return text, cut.note()
    return None


class _Cut:
    def __init__(self, most_items: int, most_text: int) -> None:
        self._most_items = most_items
        self._most_text = most_text
        self._items = self._members = self._characters = self._deep = 0

    def copy(self, value: JsonValue, depth: int) -> JsonValue:
        if isinstance(value, str):
            if len(value) <= self._most_text:
                return value
            left = len(value) - self._most_text
            self._characters += left
            return f"{value[: self._most_text]}… ({left} more characters)"
        if isinstance(value, list):
            if depth >= DEEPEST:
                self._deep += 1
                return f"({_kind(value)}: nested too deeply to show)"
            kept = [self.copy(item, depth + 1) for item in value[: self._most_items]]
            if len(value) > len(kept):
                self._items += len(value) - len(kept)
                kept.append(f"… {len(value) - len(kept)} more items of {len(value)}")
            return kept
        if isinstance(value, dict):
            if depth >= DEEPEST:
                self._deep += 1
                return f"({_kind(value)}: nested too deeply to show)"
            names = list(value)[: self._most_items]
            members = {self._name(name): self.copy(value[name], depth + 1) for name in names}
            if len(value) > len(names):
                self._members += len(value) - len(names)
                members["…"] = f"{len(value) - len(names)} more members of {len(value)}"
            return members
        return value

    def _name(self, name: str) -> str:
        return name if len(name) <= self._most_text else f"{name[: self._most_text]}…"

    def note(self) -> str:
        parts = [
            f"{count} {what}"
            for count, what in (
                (self._items, "list items"),
                (self._members, "object members"),
                (self._characters, "characters of texts"),
                (self._deep, "deeply nested values"),
            )
            if count
        ]
        return f"left out of the value: {', '.join(parts)}" if parts else ""


def _kind(value: JsonValue) -> str:
    if isinstance(value, list):
        return f"a list of {len(value)} items"
    if isinstance(value, dict):
        return f"an object of {len(value)} members"
    return "a text" if isinstance(value, str) else "a value"


def cut_text(text: str, most_bytes: int) -> tuple[str, str]:
    """The beginning of a text, in whole characters, and what was left out."""
    kept = text.encode("utf-8", "surrogatepass")[: max(most_bytes, 0)].decode("utf-8", "ignore")
    return kept, f"left out of the text: {len(text) - len(kept)} of {len(text)} characters"


def cut_lines(text: str, most_bytes: int) -> tuple[str, str]:
    """The first lines and the last, and how many between them were left out."""
    lines = text.split("\n")
    room, head, tail = most_bytes - 40, list[str](), list[str]()
    first, last = 0, len(lines)
    while first < last:
        takes_head = len(head) <= len(tail)
        line = lines[first] if takes_head else lines[last - 1]
        size = len(line.encode("utf-8", "surrogatepass")) + 1
        if size > room:
            break
        room -= size
        if takes_head:
            head.append(line)
            first += 1
        else:
            tail.append(line)
            last -= 1
    left = last - first
    if not head and not tail:
        return cut_text(text, most_bytes)
    shown = [*head, f"… {left} lines left out …", *reversed(tail)]
    return "\n".join(shown), f"left out of the log: {left} of {len(lines)} lines"
