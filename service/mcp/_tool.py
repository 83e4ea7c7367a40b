"""One entry of a server's tool list, read from its raw JSON."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, cast

from ...registry.types import JsonSchema
from ...runtime import JsonValue
from ._names import name_problem
from ._schemas import input_schema, output_schema
from ._secrets import Secrets

_HINTS: Final = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")


class BadEntryError(ValueError):
    """An entry that is no tool; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolHints:
    """A server's own words about a tool; None where it says nothing. Nobody has checked them."""

    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class McpTool:
    """A tool as its server declares it.

    ``name`` is the server's own spelling, ``full_name`` the one in the registry. ``output`` is the schema
    of its value, with FastMCP's wrapper taken off where ``is_wrapped``. ``digest`` covers all that the
    server says of the tool. ``entry`` is the raw entry.
    """

    server: str
    name: str
    full_name: str = ""
    description: str = ""
    parameters: JsonSchema
    output: JsonSchema | None
    is_wrapped: bool
    hints: ToolHints
    digest: str
    warnings: tuple[str, ...]
    entry: Mapping[str, JsonValue] = field(repr=False)


def canonical(value: JsonValue) -> str:
    """The same text for the same JSON, in ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def digest_of(value: JsonValue) -> str:
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def read_tool(server: str, raw: object, secrets: Secrets) -> McpTool:
    """The tool that an entry declares. What is missing or wrong beside the name is replaced and told.

    Raises:
        BadEntryError: it is no object, or has no name that can be used.
    """
    if not isinstance(raw, dict):
        raise BadEntryError("it is not an object")
    entry = cast("dict[str, JsonValue]", raw)
    name = entry.get("name")
    problem = name_problem(name)
    if problem is not None:
        raise BadEntryError(problem)
    assert isinstance(name, str)
    try:
        entry = {**secrets.hide_in_data(_whole(entry)), "name": name}  # it is called by that
        digest = digest_of(
            {key: entry[key] for key in sorted(entry) if key not in ("_meta", "icons")}
        )
    except (RecursionError, TypeError, ValueError):
        raise BadEntryError("it is nested too deeply, or is not JSON") from None
    warnings: list[str] = []
    output, is_wrapped = output_schema(entry, warnings)
    return McpTool(
        server=server,
        name=name,
        description=_description(entry, warnings),
        parameters=input_schema(entry, warnings),
        output=output,
        is_wrapped=is_wrapped,
        hints=_hints(entry, warnings),
        digest=digest,
        warnings=tuple(warnings),
        entry=entry,
    )


def _whole(value: JsonValue) -> dict[str, JsonValue]:
    """The entry with half characters replaced: they have no bytes, and would fail wherever it is written."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        value = _mended(value)
    return cast("dict[str, JsonValue]", value)


def _mended(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_mended(item) for item in value]
    if isinstance(value, dict):
        return {str(_mended(key)): _mended(item) for key, item in value.items()}
    return value


def _description(entry: Mapping[str, JsonValue], warnings: list[str]) -> str:
    text = entry.get("description")
    if isinstance(text, str) and text:
        return text
    if text is not None and not isinstance(text, str):
        warnings.append("the description is not a text")
    title = entry.get("title")
    return title if isinstance(title, str) else ""


def _hints(entry: Mapping[str, JsonValue], warnings: list[str]) -> ToolHints:
    given = entry.get("annotations")
    if given is None:
        return ToolHints()
    if not isinstance(given, dict):
        warnings.append("the annotations are not an object")
        return ToolHints()
    found: list[bool | None] = []
    for key in _HINTS:
        value = given.get(key)
        if value is not None and not isinstance(value, bool):
            warnings.append(f"the annotation {key} is not true or false")
        found.append(value if isinstance(value, bool) else None)
    return ToolHints(
        read_only=found[0], destructive=found[1], idempotent=found[2], open_world=found[3]
    )
