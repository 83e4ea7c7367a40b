"""Refuses a parameter DSL that says something else than its author can have meant."""

from typing import TYPE_CHECKING, Final

from ..errors import RegistrationError
from ._assertions import TYPE_TESTS
from ._json import is_json
from ._spec import PropertySpec
from ._text import as_dict, as_list, child, is_scalar, kind, quoted

if TYPE_CHECKING:
    from ._spec import SchemaSpec

_MAX_FAULTS = 20
_KEYS: Final = PropertySpec.__required_keys__ | PropertySpec.__optional_keys__
_TYPES: Final = (*TYPE_TESTS, "json")


def check_schema_spec(spec: "SchemaSpec") -> None:
    """Raises :class:`RegistrationError` with every fault of ``spec`` (at most 20) and its path.

    Refused: what is no plain dict, unknown keys and types, a ``required`` that is no bool, an ``enum``
    or ``const`` that the type excludes, a ``default`` that is not JSON, and rings.
    """
    faults = _Faults()
    faults.run(spec)
    if faults.texts:
        raise RegistrationError(f"wrong parameters: {'; '.join(faults.texts[:_MAX_FAULTS])}")


class _Faults:
    def __init__(self) -> None:
        self.texts: list[str] = []
        self._open: set[int] = set()
        self._done: set[int] = set()
        # A value, its path, and whether it is a mapping of properties; no path: leave the value.
        self._work: list[tuple[object, str | None, bool]] = []

    def run(self, spec: object) -> None:
        self._work.append((spec, "parameters", True))
        while self._work:
            value, path, named = self._work.pop()
            if path is None:
                self._open.discard(id(value))
                self._done.add(id(value))
                continue
            given = as_dict(value)
            if given is None:
                self._fault(path, f"must be a plain dict, not {kind(value)}")
            elif id(value) in self._open:
                self._fault(path, "is circular")
            elif id(value) not in self._done:
                self._open.add(id(value))
                self._work.append((value, None, False))
                if named:
                    self._names(given, path)
                else:
                    self._property(given, path)

    def _fault(self, path: str, text: str) -> None:
        self.texts.append(
            f"{path[:80]}…{path[-80:]} {text}" if len(path) > 200 else f"{path} {text}"
        )

    def _names(self, named: dict[object, object], path: str) -> None:
        later: list[tuple[object, str | None, bool]] = []
        for name, prop in named.items():
            if type(name) is str:
                later.append((prop, _under(path, name), False))
            else:
                self._fault(path, f"has a name that is no string: {quoted(name)}")
        self._work.extend(reversed(later))

    def _property(self, given: dict[object, object], path: str) -> None:
        for key in given:
            if type(key) is not str or key not in _KEYS:
                self._fault(
                    path, f"has an unknown key {quoted(key)}; known are {', '.join(sorted(_KEYS))}"
                )
        name = given.get("type", "json")
        if "type" not in given and not {"oneOf", "enum", "const"} & given.keys():
            self._fault(path, "has neither a type nor oneOf, enum or const")
        elif type(name) is not str or name not in _TYPES:
            self._fault(
                _under(path, "type"), f"must be one of {', '.join(_TYPES)}, not {quoted(name)}"
            )
            name = "json"
        if "required" in given and type(given["required"]) is not bool:
            self._fault(
                _under(path, "required"), f"must be True or False, not {quoted(given['required'])}"
            )
        if "description" in given and type(given["description"]) is not str:
            self._fault(_under(path, "description"), "must be a string")
        if "default" in given and not is_json(given["default"]):
            self._fault(_under(path, "default"), "must be JSON data")
        self._choices(given, str(name), path)
        self._parts(given, str(name), path)

    def _choices(self, given: dict[object, object], name: str, path: str) -> None:
        for word in {"enum", "const"} & given.keys():
            where = _under(path, str(word))
            members = [given[word]] if word == "const" else as_list(given[word])
            if members is None:
                self._fault(where, f"must be a list, not {kind(given[word])}")
            elif name in ("object", "array"):
                self._fault(where, f"is for scalars, not for the type {name}")
            else:
                for member in members:
                    if not is_scalar(member):
                        self._fault(where, f"must hold scalars only, not {kind(member)}")
                    elif name != "json" and not TYPE_TESTS[name](member):
                        self._fault(where, f"has {quoted(member)}, which is not of the type {name}")

    def _parts(self, given: dict[object, object], name: str, path: str) -> None:
        owners = {"properties": "object", "additionalProperties": "object", "items": "array"}
        for word, owner in owners.items():
            if word in given and name != owner:
                self._fault(_under(path, word), f"is for the type {owner} only")
        if "oneOf" in given:
            forms = as_list(given["oneOf"])
            if forms is None or len(forms) < 2:
                self._fault(_under(path, "oneOf"), "must be a list of at least two properties")
            elif "type" in given:
                self._fault(_under(path, "oneOf"), "stands instead of type, not beside it")
            for index, form in enumerate(forms or ()):
                self._work.append((form, child(_under(path, "oneOf"), index), False))
        if "items" in given:
            self._work.append((given["items"], _under(path, "items"), False))
        if "additionalProperties" in given and type(given["additionalProperties"]) is not bool:
            self._work.append(
                (given["additionalProperties"], _under(path, "additionalProperties"), False)
            )
        if "properties" in given:
            self._work.append((given["properties"], _under(path, "properties"), True))


def _under(path: str, key: str) -> str:
    # A path of thousands of steps would make a deep spec cost its depth squared.
    return child(path if len(path) < 400 else f"{path[:100]}…{path[-100:]}", key)
