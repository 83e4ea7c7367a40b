"""Checks a value against the schema subset for structured output."""

from typing import Final

from ._equality import json_key
from ._json import is_json, is_lossless
from ._text import as_dict, as_list, child, is_integer, quoted

_MAX_VIOLATIONS: Final = 1_000
_MAX_STEPS: Final = 1_000_000
_WANTED: Final = {
    "object": "an object",
    "array": "an array",
    "string": "a string",
    "number": "a finite number",
    "integer": "an integer",
    "boolean": "a boolean",
    "null": "null",
}


def validate_structured_value(schema: object, value: object) -> list[str]:
    """All violations of ``value`` (the first 1,000), with paths from ``value``; empty when valid.

    Only plain dicts, lists and JSON scalars count; NaN, infinities and -0.0 are no JSON numbers, 3.0
    is an integer, True is not. ``schema`` should have passed ``assert_supported_output_schema``; what
    that refuses accepts every value here. Never raises.
    """
    check = _Check()
    check.run(schema, value)
    return check.violations


class _Check:
    def __init__(self) -> None:
        self.violations: list[str] = []
        self._work: list[tuple[object, object, str]] = []

    def run(self, schema: object, value: object) -> None:
        self._work.append((schema, value, "value"))
        steps = 0
        while self._work:
            steps += 1
            if steps > _MAX_STEPS or len(self.violations) >= _MAX_VIOLATIONS:
                self.violations.append('"value" is not checked further')
                return
            words, item, path = self._work.pop()
            if (node := as_dict(words)) is not None:
                self._value(node, item, path)
            elif words is _UNDECLARED:
                self.violations.append(
                    f'"{path}" is not a declared property (additionalProperties: false)'
                )
            elif words is _MISSING:
                self.violations.append(f'missing required property "{path}"')

    def _value(self, words: dict[object, object], value: object, path: str) -> None:
        kind = words.get("type")
        if type(kind) is str and kind in _WANTED and not _is(kind, value):
            self.violations.append(f'"{path}" must be {_WANTED[kind]}')
        elif kind == "object":
            self._object(words, value, path)
        elif kind == "array":
            items = as_list(value) or []
            if "items" in words:
                sub = words["items"]
                work = [(sub, item, child(path, index)) for index, item in enumerate(items)]
                self._work.extend(reversed(work))
        else:
            self._scalar(words, value, path)

    def _object(self, words: dict[object, object], value: object, path: str) -> None:
        members = as_dict(value) or {}
        declared = as_dict(words.get("properties")) or {}
        work: list[tuple[object, object, str]] = [
            (_MISSING, None, child(path, name))
            for name in as_list(words.get("required")) or ()
            if type(name) is str and name not in members
        ]
        work += [
            (sub, members[name], child(path, name))
            for name, sub in declared.items()
            if name in members
        ]
        if words.get("additionalProperties") is False:
            work += [
                (_UNDECLARED, None, child(path, name)) for name in members if name not in declared
            ]
        self._work.extend(reversed(work))

    def _scalar(self, words: dict[object, object], value: object, path: str) -> None:
        choices = as_list(words.get("enum"))
        if choices is not None and not any(_same(value, choice) for choice in choices):
            self.violations.append(f'"{path}" must be one of {quoted(choices, 1_000_000)}')
        if "const" in words and not _same(value, words["const"]):
            self.violations.append(f'"{path}" must be {quoted(words["const"], 1_000_000)}')


_UNDECLARED: Final = object()
_MISSING: Final = object()


def _is(kind: str, value: object) -> bool:
    if kind == "object":
        return type(value) is dict
    if kind == "array":
        return type(value) is list
    if kind == "string":
        return type(value) is str
    if kind == "boolean":
        return type(value) is bool
    if kind == "null":
        return value is None
    if type(value) is float and not is_lossless(value):
        return False
    return is_integer(value) if kind == "integer" else type(value) in (int, float)


def _same(value: object, choice: object) -> bool:
    return (
        is_json(value)
        and not isinstance(value, dict | list)
        and json_key(value) == json_key(choice)
    )
