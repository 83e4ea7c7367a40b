"""Arguments that are to be kept and shown nowhere, by their place.

A rule has a glob of tools and paths: names joined by dots, where ``*`` is any one name or index and ``**``
any number of them. ``{"*": ["**.password"], "send_mail": ["body"]}``
"""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Final, cast

from ...runtime import JsonValue

REDACTED: Final = "[redacted]"
_Path = tuple[str, ...]


class Redaction:
    """The rules of one service."""

    def __init__(self, rules: Mapping[str, Sequence[str]]) -> None:
        self._rules = [
            (glob, [tuple(path.split(".")) for path in paths]) for glob, paths in rules.items()
        ]
        self._known: dict[str, list[_Path]] = {}

    def of(self, tool: str, arguments: JsonValue) -> JsonValue:
        """The arguments, with what a rule names replaced. The value given is not changed."""
        if not self._rules:
            return arguments
        paths = self._known.get(tool)
        if paths is None:
            paths = [path for glob, each in self._rules if fnmatchcase(tool, glob) for path in each]
            if len(self._known) < 10_000:  # names that programs make up are no reason to grow
                self._known[tool] = paths
        return _redacted(arguments, paths) if paths else arguments


def _redacted(value: JsonValue, paths: Sequence[_Path]) -> JsonValue:
    """Without recursion: arguments may be nested as deeply as JSON that crosses."""
    root: list[JsonValue] = [value]
    todo: list[tuple[dict[str, JsonValue] | list[JsonValue], str | int, Sequence[_Path]]] = [
        (root, 0, paths)
    ]
    while todo:
        holder, key, here = todo.pop()
        if any(_ends(path) for path in here):
            holder[key] = REDACTED  # type: ignore[index]
            continue
        child = cast("JsonValue", holder[key])  # type: ignore[index]
        copy: dict[str, JsonValue] | list[JsonValue]
        names: Sequence[str | int]
        if isinstance(child, dict):
            copy = dict(cast("dict[str, JsonValue]", child))
            names = tuple(copy)
        elif isinstance(child, list):
            copy = list(cast("list[JsonValue]", child))
            names = range(len(copy))
        else:
            continue
        holder[key] = copy  # type: ignore[index]
        for name in names:
            below = [rest for path in here for rest in _steps(path, str(name))]
            if below:
                todo.append((copy, name, below))
    return root[0]


def _ends(path: _Path) -> bool:
    return all(step == "**" for step in path)


def _steps(path: _Path, name: str) -> list[_Path]:
    """What is left of a path behind ``name``, in each way in which it fits."""
    if path[0] == "**":
        return [path, *_steps(path[1:], name)] if len(path) > 1 else [path]
    return [path[1:]] if path[0] in ("*", name) else []
