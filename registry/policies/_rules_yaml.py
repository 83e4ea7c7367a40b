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

from ...runtime.types import JsonValue
from ..errors import RegistrationError

MOST_CHARACTERS: Final = 1_000_000
DEEPEST: Final = 50

_TAG: Final = "tag:yaml.org,2002:"
_READ: Final = ("bool", "int", "float", "timestamp", "value")
_INT: Final = re.compile(r"[-+]?(0|[1-9][0-9]{0,399})")
_FLOAT: Final = re.compile(r"[-+]?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]{1,3})?")


def yaml_to_json(text: str) -> JsonValue:
    """The one document of the text.

    Raises:
        RegistrationError: it is not YAML, or a part of it is refused; the message has the line.
    """
    if len(text) > MOST_CHARACTERS:
        raise RegistrationError(f"approval rules: YAML longer than {MOST_CHARACTERS} characters")
    try:
        _check_events(text)
        node = _compose(text)
    except yaml.MarkedYAMLError as error:
        where = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        problem = ", ".join(part for part in (error.context, error.problem) if part)
        raise RegistrationError(f"approval rules: not YAML: {where}{problem}") from None
    except yaml.YAMLError as error:
        raise RegistrationError(f"approval rules: not YAML: {error}") from None
    return None if node is None else _value(node)


def _compose(text: str) -> yaml.Node | None:
    compose = yaml.compose  # pyright: ignore[reportUnknownMemberType,reportUnknownVariableType] # its stub
    return cast("yaml.Node | None", compose(text, Loader=yaml.SafeLoader))


def _events(text: str) -> Iterator[yaml.Event]:
    parse = yaml.parse  # pyright: ignore[reportUnknownMemberType,reportUnknownVariableType] # its stub
    return cast("Iterator[yaml.Event]", parse(text, Loader=yaml.SafeLoader))


def _refuse(node: yaml.Node | yaml.Event, problem: str) -> NoReturn:
    mark = node.start_mark
    line = "" if mark is None else f"line {mark.line + 1}: "
    raise RegistrationError(f"approval rules: {line}{problem}")


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


def _value(node: yaml.Node) -> JsonValue:
    if isinstance(node, yaml.MappingNode) and node.tag == f"{_TAG}map":
        return _mapping(node)
    if isinstance(node, yaml.SequenceNode) and node.tag == f"{_TAG}seq":
        return [_value(item) for item in cast("list[yaml.Node]", node.value)]
    if isinstance(node, yaml.ScalarNode):
        return _scalar(node)
    _refuse(node, f"the tag {node.tag} is refused; use plain mappings, lists and scalars")


def _mapping(node: yaml.MappingNode) -> JsonValue:
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
        members[name] = _value(item)
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
