"""YAML text as a JSON value, without the parts of YAML that surprise or that can explode.

PyYAML's safe loader reads YAML 1.1: ``no``, ``on`` are booleans, ``010`` is 8, ``1:30`` is 90, a second
key silently wins, ten aliases can stand for a billion nodes. Here each of them is refused, with its
line. The work is bounded by the text: there are no aliases, and nesting is bounded before composing.
"""

import re
from collections.abc import Iterator
from math import isfinite
from typing import Final, NoReturn, cast

import yaml

from ..runtime.types import JsonValue

MOST_CHARACTERS: Final = 1_000_000
DEEPEST: Final = 50

_TAG: Final = "tag:yaml.org,2002:"
_READ: Final = ("bool", "int", "float", "timestamp", "value")
_INT: Final = re.compile(r"[-+]?(0|[1-9][0-9]{0,399})")
_FLOAT: Final = re.compile(r"[-+]?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]{1,3})?")


Path = tuple[str | int, ...]


class YamlError(ValueError):
    """Text that is refused; the message says what to change, ``line`` where, from 1, if that is known."""

    def __init__(self, problem: str, line: int | None = None) -> None:
        super().__init__(problem if line is None else f"line {line}: {problem}")
        self.problem = problem
        self.line = line


def read_yaml(text: str, lines: dict[Path, int] | None = None) -> JsonValue:
    """The one document of the text. ``lines`` gets the line of each key and item, from 1, by its path.

    Raises:
        YamlError: it is not YAML, or a part of it is refused.
    """
    if len(text) > MOST_CHARACTERS:
        raise YamlError(f"YAML longer than {MOST_CHARACTERS} characters")
    try:
        _check_events(text)
        node = _compose(text)
    except yaml.MarkedYAMLError as error:
        problem = ", ".join(part for part in (error.context, error.problem) if part)
        mark = error.problem_mark
        raise YamlError(f"not YAML: {problem}", None if mark is None else mark.line + 1) from None
    except yaml.YAMLError as error:
        raise YamlError(f"not YAML: {error}") from None
    return None if node is None else _value(node, (), {} if lines is None else lines)


def _compose(text: str) -> yaml.Node | None:
    compose = yaml.compose  # pyright: ignore[reportUnknownMemberType,reportUnknownVariableType] # its stub
    return cast("yaml.Node | None", compose(text, Loader=yaml.SafeLoader))


def _events(text: str) -> Iterator[yaml.Event]:
    parse = yaml.parse  # pyright: ignore[reportUnknownMemberType,reportUnknownVariableType] # its stub
    return cast("Iterator[yaml.Event]", parse(text, Loader=yaml.SafeLoader))


def _refuse(node: yaml.Node | yaml.Event, problem: str) -> NoReturn:
    mark = node.start_mark
    raise YamlError(problem, None if mark is None else mark.line + 1)


def _check_events(text: str) -> None:
    depth = 0
    for event in _events(text):
        if isinstance(event, yaml.AliasEvent):
            _refuse(event, f"the alias *{event.anchor} is refused; write the value out")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > DEEPEST:
                _refuse(event, f"nesting deeper than {DEEPEST} levels")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _value(node: yaml.Node, path: Path, lines: dict[Path, int]) -> JsonValue:
    if node.start_mark is not None:
        lines.setdefault(path, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode) and node.tag == f"{_TAG}map":
        return _mapping(node, path, lines)
    if isinstance(node, yaml.SequenceNode) and node.tag == f"{_TAG}seq":
        items = cast("list[yaml.Node]", node.value)
        return [_value(item, (*path, index), lines) for index, item in enumerate(items)]
    if isinstance(node, yaml.ScalarNode):
        return _scalar(node)
    _refuse(node, f"the tag {node.tag} is refused; use plain mappings, lists and scalars")


def _mapping(node: yaml.MappingNode, path: Path, lines: dict[Path, int]) -> JsonValue:
    members: dict[str, JsonValue] = {}
    for key, item in cast("list[tuple[yaml.Node, yaml.Node]]", node.value):
        if not isinstance(key, yaml.ScalarNode):
            _refuse(key, "a key must be text")
        name = cast("str", key.value)
        if key.tag != f"{_TAG}str":
            kind = key.tag.removeprefix(_TAG)
            _refuse(key, f'YAML reads the key `{name}` as {kind}; write "{name}" with quotes')
        if name in members:
            _refuse(key, f"the key {name!r} stands twice in one mapping; keep one of them")
        if key.start_mark is not None:
            lines[(*path, name)] = key.start_mark.line + 1
        members[name] = _value(item, (*path, name), lines)
    return members


def _scalar(node: yaml.ScalarNode) -> JsonValue:
    text, kind = cast("str", node.value), node.tag.removeprefix(_TAG)
    if kind == "str":
        return text
    if kind == "null":
        return None
    if kind == "bool" and text.lower() in ("true", "false"):
        return text.lower() == "true"
    if kind == "int" and _INT.fullmatch(text):
        return int(text)
    if kind == "float" and _FLOAT.fullmatch(text) and isfinite(float(text)):
        return float(text)
    if kind not in _READ:
        _refuse(node, f"the tag {node.tag} is refused; use plain mappings, lists and scalars")
    _refuse(node, f'YAML reads `{text[:80]}` as {kind}; write "{text[:80]}" with quotes for text')
