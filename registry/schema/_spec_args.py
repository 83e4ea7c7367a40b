"""Checks a call's arguments against the parameter DSL, with the original system's texts."""

from typing import TYPE_CHECKING, Final, cast

from ._assertions import TYPE_TESTS
from ._equality import TooLarge, json_key
from ._spec import SchemaSpec, is_required
from ._text import as_dict, as_list, entries, quoted

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_STEPS: Final = 150_000
_ALL: Final = 1_000_000  # characters: the lists of an enum are given whole
_WANTED: Final = {
    "string": "a string",
    "number": "a number",
    "integer": "an integer",
    "boolean": "a boolean",
    "null": "null",
    "object": "an object",
    "array": "an array",
}


def validate_args(spec: SchemaSpec, args: object) -> list[str]:
    """All violations of ``args``, in the order of declaration; empty when they are valid.

    Extra keys are allowed, defaults are not applied, None is a value. Never raises; a faulty part of
    ``spec`` accepts every value. What is too large or too deep to be checked is refused.
    """
    members = as_dict(args)
    if members is None:
        return ['"arguments" must be an object']
    check = _Check()
    try:
        check.run([lambda: check.members(spec, members, "", True)])
    except (RecursionError, MemoryError):
        check.violations.append('"arguments" is nested too deeply to be checked further')
    except _TooLong:
        check.violations.append('"arguments" is too large to be checked further')
    return check.violations


class _TooLong(Exception):
    """The check took more steps than it may."""


class _Check:
    def __init__(self, steps: int = MAX_STEPS) -> None:
        self.violations: list[str] = []
        self.steps = steps
        self._work: list[Callable[[], None]] = []
        self._next: list[Callable[[], None]] = []

    def run(self, work: "list[Callable[[], None]]") -> None:
        """Does the work, and what it adds, depth first and in order; without recursion."""
        self._work = work
        while self._work:
            self.steps -= 1
            if self.steps < 0:
                raise _TooLong
            self._work.pop()()
            self._work.extend(reversed(self._next))
            self._next.clear()

    def members(self, spec: object, members: dict[object, object], path: str, rest: object) -> None:
        declared = entries(spec) or {}
        for name, prop in declared.items():
            where = f"{path}.{name}" if path else name
            if name in members:
                self._later(prop, members[name], where)
            elif is_required(prop):
                self._next.append(
                    lambda where=where: self._fault(f'missing required property "{where}"')
                )
        if rest is True:
            return
        for name, value in members.items():
            if name not in declared and type(name) is str:
                where = f"{path}.{name}" if path else name
                if rest is False:
                    text = f'"{where}" is not a declared property (additionalProperties: false)'
                    self._next.append(lambda text=text: self._fault(text))
                else:
                    self._later(rest, value, where)

    def _later(self, prop: object, value: object, path: str) -> None:
        self._next.append(lambda: self._value(prop, value, path))

    def _fault(self, text: str) -> None:
        self.violations.append(text)

    def _value(self, prop: object, value: object, path: str) -> None:
        given = entries(prop)
        if given is None:
            return
        name = given.get("type")
        if type(name) is str and name in _WANTED and not _is(name, value):
            self._fault(f'"{path}" must be {_WANTED[name]}')
            return
        if name == "object":
            rest = given.get("additionalProperties", True)
            members = cast("dict[object, object]", value)
            self.members(given.get("properties"), members, path, rest)
        elif name == "array":
            if "items" in given:
                for index, item in enumerate(as_list(value) or ()):
                    self._later(given["items"], item, f"{path}[{index}]")
        elif "enum" in given and (choices := as_list(given["enum"])) is not None:
            if not _among(value, choices):
                self._fault(f'"{path}" must be one of {quoted(choices, _ALL)}')
        elif "const" in given and not _among(value, [given["const"]]):
            self._fault(f'"{path}" must be {quoted(given["const"], _ALL)}')
        if (forms := as_list(given.get("oneOf"))) is not None:
            count = sum(self._matches(form, value, path) for form in forms)
            if count != 1:
                self._fault(
                    f'"{path}" must match exactly one of {len(forms)} forms, matches {count}'
                )

    def _matches(self, form: object, value: object, path: str) -> bool:
        inner = _Check(self.steps)
        inner.run([lambda: inner._value(form, value, path)])  # of its own class
        self.steps = inner.steps
        return not inner.violations


def _is(name: str, value: object) -> bool:
    # As in JavaScript, NaN is a number here. Arguments come from JSON, which has none.
    if name == "number":
        return type(value) in (int, float)
    return TYPE_TESTS[name](value)


def _among(value: object, choices: list[object]) -> bool:
    try:
        key = json_key(value)
        return any(json_key(choice) == key for choice in choices)
    except TooLarge:
        return False
