"""Cutting by structure: fewer items, whole ones, and valid JSON still.

The work is bounded by what is shown, not by the value, which a program chooses: sizes are measured only as
far as the room goes.
"""

from dataclasses import dataclass
from typing import Final

from ..runtime import JsonValue
from ._json import INDENTED, compact, pretty

DEEPEST: Final = 60  # levels that are shown; below, a count stands for the rest
_FEW: Final = 8  # items of a list that share the room, where not even so many fit whole
_LEAST: Final = 24  # bytes worth giving to an item
_MARK: Final = 64  # room for the mark that counts what is left out
_LONGEST_NAME: Final = 200


def cut_value(value: JsonValue, most_bytes: int) -> tuple[str, str]:
    """The value as JSON text of at most ``most_bytes``, and what was left out.

    Lists keep their first items whole, as many as fit; an object's members share the room; long texts lose
    their end.
    """
    cut = _Cut()
    text = pretty(cut.fit(value, 0, most_bytes))
    if _bytes(text) <= most_bytes:
        return text, cut.note()
    return pretty(f"({_kind(value)}: nothing of it fits)"), "the value is left out"


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _indent(depth: int) -> int:
    """The bytes of an item's own line, with its comma; deep down there is one line for all."""
    return 2 * depth + 2 if depth <= INDENTED else 2


def measure(value: JsonValue, depth: int, most: int) -> int:
    """The bytes of the value as ``pretty`` writes it there, at least; more than ``most`` is not counted
    out. What is nested too deeply to be shown counts as too large."""
    size, todo = 0, [(value, depth)]
    while todo and size <= most:
        item, level = todo.pop()
        size += _indent(level)
        if isinstance(item, str):
            size += len(item) + 2 if len(item) > most else _bytes(compact(item))
        elif isinstance(item, list | dict):
            size += _indent(level)
            if level >= DEEPEST or len(item) > most:
                return most + 1
            if isinstance(item, dict):
                size += sum(
                    len(name) + 4 if len(name) > most else _bytes(compact(name)) + 2
                    for name in item
                )
            todo += [
                (each, level + 1) for each in (item.values() if isinstance(item, dict) else item)
            ]
        else:
            size += len(compact(item))
    return size


@dataclass(slots=True)
class _Cut:
    """One cutting, and what it has left out."""

    items: int = 0
    members: int = 0
    characters: int = 0
    deep: int = 0

    def fit(self, value: JsonValue, depth: int, room: int) -> JsonValue:
        """The value, or what fits of it."""
        if measure(value, depth, room) <= room:
            return value
        if isinstance(value, str):
            return self._text(value, room - _indent(depth))
        if not isinstance(value, list | dict):
            return value
        if depth >= DEEPEST:
            self.deep += 1
            return f"({_kind(value)}: nested too deeply to show)"
        room -= 2 * _indent(depth)
        if isinstance(value, list):
            return self._list(value, depth, room)
        return self._object(value, depth, room)

    def _text(self, value: str, room: int) -> str:
        kept = value.encode("utf-8", "surrogatepass")[: max(room - 40, 0)].decode("utf-8", "ignore")
        while (
            kept and _bytes(compact(kept)) > room - 38
        ):  # escapes take more room than what they stand for
            kept = kept[: len(kept) * 3 // 4]
        self.characters += len(value) - len(kept)
        return f"{kept}… ({len(value) - len(kept)} more characters)"

    def _list(self, value: list[JsonValue], depth: int, room: int) -> list[JsonValue]:
        kept: list[JsonValue] = []
        left = room - _MARK
        for item in value:
            size = measure(item, depth + 1, left)
            if size > left:
                break
            kept.append(item)
            left -= size
        few = [(item, 0) for item in value[:_FEW]]
        if len(kept) < len(few):
            marked = 0 if len(few) == len(value) else _MARK
            kept = self._shared(few, depth, room - marked, room - _MARK) or kept
        if len(kept) < len(value):
            self.items += len(value) - len(kept)
            kept.append(f"… {len(value) - len(kept)} more items of {len(value)}")
        return kept

    def _object(self, value: dict[str, JsonValue], depth: int, room: int) -> dict[str, JsonValue]:
        most = max(room // _LEAST, 0)
        names = {  # by what is shown of them: two long names may be alike when shortened
            name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…": name
            for name in [*value][:most][::-1]
        }
        shown_names = [*names][::-1]
        costs = [(value[names[name]], _bytes(compact(name)) + 2) for name in shown_names]
        marked = 0 if len(costs) == len(value) else _MARK
        shown = self._shared(costs, depth, room - marked, room - _MARK)
        members = dict(zip(shown_names, shown, strict=False))
        self.characters += sum(max(0, len(names[name]) - _LONGEST_NAME) for name in members)
        left = len(value) - len(members)
        if left:
            self.members += left
            mark = "…"
            while mark in members:
                mark += "…"
            members[mark] = f"{left} more members of {len(value)}"
        return members

    def _shared(
        self, values: list[tuple[JsonValue, int]], depth: int, room: int, if_fewer: int
    ) -> list[JsonValue]:
        """What fits of the first values, each with the cost of its name: the small ones whole, the large
        ones in equal parts of the rest. ``if_fewer`` is the room beside a mark for those left out."""
        own = [cost + _indent(depth + 1) for _, cost in values]
        count = len(values)
        while count and room // count < _LEAST + sum(own[:count]) // count:
            count -= max(1, count // 8)
            room = if_fewer
        values = values[:count]
        if not values:
            return []
        share = room // count
        sizes = [cost + measure(value, depth + 1, share) for value, cost in values]
        large = [place for place, size in enumerate(sizes) if size > share]
        rest = room - sum(size for size in sizes if size <= share)
        parts: list[JsonValue] = []
        for value, cost in values:
            part = share if cost + measure(value, depth + 1, share) <= share else rest // len(large)
            parts.append(self.fit(value, depth + 1, part - cost))
        return parts

    def note(self) -> str:
        parts = [
            f"{count} {what}"
            for count, what in (
                (self.items, "list items"),
                (self.members, "object members"),
                (self.characters, "characters of texts"),
                (self.deep, "deeply nested values"),
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
