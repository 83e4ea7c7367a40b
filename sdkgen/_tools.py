"""The tools as they are given: mappings or objects, read once and without trust."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, cast

from . import _kinds as kinds
from ._convert import Converter
from ._names import comment_text, utf16_key
from ._prose import Docs, short_comment, whole_comment
from ._types import STRING, Object, Type, Types, undescribed

Detail: TypeAlias = Literal["full", "compact", "names"]

RUN_CODE: Final = "run_code"
"""The tool that the text is for; it is not among those that a program may call."""

_COMPACT_LITERALS: Final = 24


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    description: str
    parameters: object
    output: object


def read_tools(tools: Iterable[Any]) -> list[Tool]:
    """The callable tools in the order of their names' UTF-16 code units. An entry without a name is
    left out; of two with one name the later stands."""
    found: dict[str, Tool] = {}
    for given in tools:
        name = _get(given, "name")
        if isinstance(name, str) and name != RUN_CODE:
            text = comment_text(_get(given, "description"))
            found[name] = Tool(name, text, _get(given, "parameters"), _get(given, "output"))
    return sorted(found.values(), key=lambda tool: utf16_key(tool.name))


def _get(given: object, key: str) -> object:
    if isinstance(given, Mapping):
        return cast("Mapping[str, object]", given).get(key)
    return getattr(given, key, None)


def argument_type(tool: Tool, types: Types, detail: Detail) -> Type:
    """The type of a call's argument. A program passes an object, so the schema need not say so."""
    schema: object = True if tool.parameters is None else tool.parameters
    docs = whole_comment if detail == "full" else None
    made = _converter(schema, types, detail, docs, f"{tool.name}Args").root(kinds.OBJECT)
    _suggest(types, made, "Args")
    return made


def result_type(tool: Tool, types: Types, detail: Detail) -> Type:
    """The type of a call's result: text, for a tool that declares no output."""
    if tool.output is None:
        return STRING
    docs = short_comment if detail == "full" else None
    made = _converter(tool.output, types, detail, docs, f"{tool.name}Result").root()
    _suggest(types, made, "Result")
    return made


def _suggest(types: Types, type: Type, role: str) -> None:
    """A name by what is in it, for tools may share it."""
    bare = undescribed(type)
    if isinstance(bare, Object) and bare.fields:
        types.suggest(type, " ".join(field.name for field in bare.fields[:2]) + f" {role}")


def _converter(
    schema: object, types: Types, detail: Detail, docs: Docs | None, hint: str
) -> Converter:
    limit = None if detail == "full" else _COMPACT_LITERALS
    return Converter(schema, types, docs=docs, hint=hint, max_literals=limit)
