"""The schema subset for structured output, which refuses what its validator would not enforce."""

from typing import Final

from ..errors import OutputSchemaError
from ._assertions import TYPE_TESTS
from ._json import is_json
from ._text import as_dict, as_list, child, is_scalar, quoted

_MAX_FAULTS: Final = 50
_ANNOTATIONS: Final = ("title", "description", "default", "examples")
_OBJECT: Final = ("properties", "required", "additionalProperties")
_SCALAR: Final = ("enum", "const")
_KNOWN: Final = frozenset(("type", "items", *_OBJECT, *_SCALAR, *_ANNOTATIONS))


def assert_supported_output_schema(schema: object) -> None:
    """Raises :class:`OutputSchemaError` with every violation (the first 50), paths from ``schema``.

    Supported: a single ``type``; ``properties``, ``required``, a boolean ``additionalProperties``;
    ``items``; ``enum`` and ``const`` of scalars; the annotations ``title``, ``description``,
    ``default`` and ``examples``. The root must be an object. Never raises anything else.
    """
    walk = _Walk()
    walk.run(schema)
    root = as_dict(schema)
    if not walk.faults and root is not None and root.get("type") != "object":
        walk.faults.append('schema.type must be "object" (structured output is object-rooted)')
    if walk.faults:
        raise OutputSchemaError(walk.faults[:_MAX_FAULTS])


class _Walk:
    def __init__(self) -> None:
        self.faults: list[str] = []
        self._open: set[int] = set()
        self._done: set[int] = set()
        self._work: list[tuple[object, str | None]] = []  # without a path: the node is left

    def run(self, schema: object) -> None:
        self._work.append((schema, "schema"))
        while self._work:
            node, path = self._work.pop()
            words = as_dict(node)
            if path is None:
                self._open.discard(id(node))
                self._done.add(id(node))
            elif words is None:
                self.faults.append(f"{path} must be a schema object")
            elif id(node) in self._open:
                self.faults.append(f"{path} is circular")
            elif id(node) not in self._done:
                self._open.add(id(node))
                self._work.append((node, None))
                self._node(words, path)

    def _node(self, words: dict[object, object], path: str) -> None:
        kind = self._type(words, path)
        later: list[tuple[object, str | None]] = []
        for key, value in words.items():
            if type(key) is not str or key not in _KNOWN:
                self.faults.append(f"{path} has an unsupported keyword {quoted(key)}")
            elif key in _ANNOTATIONS:
                self._annotation(key, value, path)
            elif kind is not None and key != "type":
                if kind not in _owners(key):
                    self.faults.append(f'{path}.{key} is not supported on type "{kind}"')
                elif key == "properties":
                    later += self._properties(value, path)
                elif key == "items":
                    later.append((value, _under(path, "items")))
                else:
                    self._assertion(key, value, words, path)
        self._work.extend(reversed(later))

    def _type(self, words: dict[object, object], path: str) -> str | None:
        kind = words.get("type")
        if type(kind) is str and kind in TYPE_TESTS:
            return kind
        if type(kind) is list:
            self.faults.append(f"{path}.type must be a single type (type arrays are not supported)")
        else:
            self.faults.append(f"{path}.type must be one of {', '.join(TYPE_TESTS)}")
        return None

    def _annotation(self, key: str, value: object, path: str) -> None:
        if key in ("title", "description"):
            if type(value) is not str:
                self.faults.append(f"{path}.{key} must be a string")
        elif not is_json(value):
            self.faults.append(f"{path}.{key} must be JSON data")

    def _properties(self, value: object, path: str) -> list[tuple[object, str | None]]:
        named = as_dict(value)
        if named is None or any(type(name) is not str for name in named):
            self.faults.append(f"{path}.properties must be an object of schemas")
            return []
        under = _under(path, "properties")
        return [(sub, child(under, name)) for name, sub in named.items()]

    def _assertion(self, key: str, value: object, words: dict[object, object], path: str) -> None:
        members = as_list(value)
        if key == "additionalProperties":
            if type(value) is not bool:
                self.faults.append(f"{path}.{key} must be a boolean")
        elif key == "const":
            if not _is_scalar(value):
                self.faults.append(f"{path}.const must be a scalar")
        elif key == "enum":
            if not members or not all(_is_scalar(member) for member in members):
                self.faults.append(f"{path}.enum must be a non-empty array of scalars")
        elif members is None or any(type(member) is not str for member in members):
            self.faults.append(f"{path}.required must be an array of strings")
        else:
            declared = as_dict(words.get("properties")) or {}
            self.faults.extend(
                f"{path}.required names {quoted(name)}, which is not a declared property"
                for name in members
                if name not in declared
            )


def _owners(key: str) -> tuple[str, ...]:
    if key in _OBJECT:
        return ("object",)
    if key == "items":
        return ("array",)
    return ("string", "number", "integer", "boolean", "null")


def _is_scalar(value: object) -> bool:
    return is_scalar(value) and is_json(value)


def _under(path: str, key: str) -> str:
    # A path of thousands of steps would make a deep schema cost its depth squared.
    return child(path if len(path) < 400 else f"{path[:100]}…{path[-100:]}", key)
