"""The parameter DSL of first-party tools: a mapping of names to properties, and its JSON Schema."""

from collections.abc import Mapping
from typing import Literal, TypedDict

from ._text import as_list, entries

SpecType = Literal["string", "number", "integer", "boolean", "null", "object", "array", "json"]
Scalar = str | int | float | bool | None


class PropertySpec(TypedDict, total=False):
    """One parameter, or a part of one. ``json`` takes any JSON value.

    ``required`` counts under ``properties`` only. ``enum`` and ``const`` are for scalars. ``default``
    is told to the model and never applied. Objects are open unless ``additionalProperties`` says
    otherwise; ``oneOf`` stands instead of ``type``, and exactly one of its forms must match.
    """

    type: SpecType
    required: bool
    description: str
    enum: list[Scalar]
    const: Scalar
    default: object
    properties: "Mapping[str, PropertySpec]"
    items: "PropertySpec"
    oneOf: "list[PropertySpec]"
    additionalProperties: "bool | PropertySpec"


SchemaSpec = Mapping[str, PropertySpec]

_COPIED = ("description", "enum", "const", "default")


def schema_spec_to_json_schema(spec: SchemaSpec) -> dict[str, object]:
    """The JSON Schema of a call's arguments: an open object with these properties.

    Keys that are not given are left out; so is an empty ``required``. Never raises: a part that is
    no property becomes ``{}``, and so does a ring (``check_schema_spec`` refuses both).
    """
    root: dict[str, object] = {"type": "object"}
    _Conversion().run(spec, root)
    return root


class _Conversion:
    def __init__(self) -> None:
        self._done: dict[int, dict[str, object]] = {}
        self._open: dict[int, dict[str, object]] = {}
        self._work: list[tuple[object, dict[str, object] | None]] = []

    def run(self, spec: object, root: dict[str, object]) -> None:
        self._properties(spec, root)
        while self._work:
            prop, out = self._work.pop()
            if out is None:
                self._done[id(prop)] = self._open.pop(id(prop))
                continue
            if id(prop) in self._done:
                # What stands in many places is converted once: its copies could be without number.
                out.update(self._done[id(prop)])
            elif id(prop) not in self._open:
                self._open[id(prop)] = out
                self._work.append((prop, None))
                self._fill(prop, out)

    def _fill(self, prop: object, out: dict[str, object]) -> None:
        given = entries(prop) or {}
        if type(given.get("type")) is str and given["type"] != "json":
            out["type"] = given["type"]
        out.update((key, given[key]) for key in _COPIED if key in given)
        if (forms := as_list(given.get("oneOf"))) is not None:
            out["oneOf"] = [self._part(form) for form in forms]
        if "properties" in given:
            self._properties(given["properties"], out)
        if "additionalProperties" in given:
            rest = given["additionalProperties"]
            out["additionalProperties"] = rest if type(rest) is bool else self._part(rest)
        if "items" in given:
            out["items"] = self._part(given["items"])

    def _properties(self, spec: object, out: dict[str, object]) -> None:
        named = entries(spec) or {}
        out["properties"] = {name: self._part(prop) for name, prop in named.items()}
        required = [name for name, prop in named.items() if is_required(prop)]
        if required:
            out["required"] = required

    def _part(self, prop: object) -> dict[str, object]:
        part: dict[str, object] = {}
        if entries(prop) is not None:
            self._work.append((prop, part))
        return part


def is_required(prop: object) -> bool:
    """Whether ``prop`` says ``required: True``."""
    return (entries(prop) or {}).get("required") is True
