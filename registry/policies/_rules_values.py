"""Arguments of a call and the values in them: where they are, and when two are the same."""

import re
import unicodedata
from typing import Final, TypeAlias

from ...runtime.types import JsonValue
from ._rules_levels import refuse, show


class Absent:
    """The type of ABSENT."""


ABSENT: Final = Absent()
"""The value of an argument that is not there."""

Argument: TypeAlias = "JsonValue | Absent"
Path: TypeAlias = tuple[str, ...]

_STEP: Final = re.compile(r"\\[.\\]|[^.\\]")


def read_argument(name: JsonValue, path: str) -> Path:
    """The steps to an argument: names with dots between them; a dot in a name is ``\\.``."""
    if not isinstance(name, str) or not name:
        refuse(path, f"an argument is named by text such as request.method, not {show(name)}")
    steps = [""]
    at = 0
    while at < len(name):
        if name[at] == ".":
            steps.append("")
            at += 1
            continue
        found = _STEP.match(name, at)
        if found is None:
            refuse(path, r"a backslash stands before a dot or a backslash only")
        steps[-1] += found[0][-1]
        at = found.end()
    if "" in steps:
        refuse(path, "there is a dot without a name beside it")
    return tuple(steps)


def look_up(arguments: JsonValue, steps: Path) -> Argument:
    """The argument; in a list a step is an index. ABSENT where there is none."""
    here = arguments
    for step in steps:
        if isinstance(here, dict) and step in here:
            here = here[step]
        elif (
            isinstance(here, list) and step.isdecimal() and len(step) < 8 and int(step) < len(here)
        ):
            here = here[int(step)]
        else:
            return ABSENT
    return here


def folder(path: str) -> tuple[bool, tuple[str, ...]] | None:
    """Whether a path is absolute, and its parts; None for one that may lead elsewhere than it says."""
    parts = tuple(part for part in path.split("/") if part not in ("", "."))
    odd = not path or path.startswith("~") or "\\" in path or "\0" in path or ".." in parts
    return None if odd else (path.startswith("/"), parts)


def fold(text: str) -> str:
    """What two spellings of a word have in common."""
    return unicodedata.normalize("NFKC", text).strip().casefold()


def kind(value: JsonValue) -> str:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int | float):
        return "number"
    return "null" if value is None else type(value).__name__


def same_json(left: JsonValue, right: JsonValue) -> bool:
    """Equality of JSON: 1 is 1.0, true is not 1. Only as deep as both are."""
    todo = [(left, right)]
    while todo:
        one, other = todo.pop()
        if kind(one) != kind(other):
            return False
        if isinstance(one, dict) and isinstance(other, dict):
            if one.keys() != other.keys():
                return False
            todo.extend((one[key], other[key]) for key in one)
        elif isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                return False
            todo.extend(zip(one, other, strict=True))
        elif one != other:
            return False
    return True
