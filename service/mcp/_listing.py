"""A server's tool list: all its pages, entry by entry."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Final, Protocol, cast

from mcp.shared.exceptions import MCPError
from mcp_types import METHOD_NOT_FOUND

from ...runtime import JsonValue
from ._describe import ServerOptions
from ._names import NameStyle, full_names
from ._secrets import Secrets
from ._tool import BadEntryError, McpTool, read_tool

MOST_PAGES: Final = 200
MOST_TOOLS: Final = 5_000
MOST_BYTES: Final = 8 * 1024 * 1024
"""JSON of one list, together: four times the largest seen. Reading its schemas takes the loop's time."""
MOST_WARNINGS: Final = 50
_LONGEST_WARNING: Final = 500


class ProtocolError(Exception):
    """A server answered with what is no answer; the text says with what."""


class Requests(Protocol):
    """What asks the server."""

    async def request(self, method: str, params: dict[str, JsonValue]) -> dict[str, JsonValue]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The tools of one server, in its order, and what is wrong with its list."""

    tools: tuple[McpTool, ...] = ()
    warnings: tuple[str, ...] = ()


async def fetch_entries(server: Requests) -> tuple[list[JsonValue], list[str]]:
    """The raw entries of all pages, and why there may be more.

    A page that fails after the first ends the list with what there is.

    Raises:
        ProtocolError: the first page is no list of tools.
        MCPError: the server refused, or the connection ended, at the first page.
    """
    entries: list[JsonValue] = []
    warnings: list[str] = []
    cursors, size = set[str](), 0
    params: dict[str, JsonValue] = {}
    for page in range(MOST_PAGES):
        try:
            answer = await server.request("tools/list", params)
        except MCPError as error:
            if page == 0 and error.code == METHOD_NOT_FOUND:
                return [], ["it has no tools"]
            if page == 0:
                raise
            warnings.append(
                f"page {page + 1} of its tool list failed ({error.code}): tools may lack"
            )
            return entries, warnings
        tools = answer.get("tools")
        if not isinstance(tools, list):
            if page == 0:
                raise ProtocolError('its answer to tools/list has no list "tools"')
            warnings.append(f"page {page + 1} of its tool list is no list: tools may lack")
            return entries, warnings
        for entry in tools[: MOST_TOOLS - len(entries)]:
            try:
                size += len(json.dumps(entry))
            except (RecursionError, ValueError) as error:  # too deep, a number of too many digits
                warnings.append(f"an entry of its tool list is left out: {error}")
                continue
            if size > MOST_BYTES:
                warnings.append(
                    f"its tool list has more than {MOST_BYTES} bytes: reading stopped at "
                    f"{len(entries)} tools"
                )
                return entries, warnings
            entries.append(entry)
        cursor = answer.get("nextCursor")
        if cursor is None:
            return entries, warnings
        if not isinstance(cursor, str):
            warnings.append("a cursor of its tool list is not a text: the rest is left out")
            return entries, warnings
        if cursor in cursors:  # "" is a cursor like any other
            warnings.append("its tool list gave the same cursor again: reading stopped there")
            return entries, warnings
        if len(entries) >= MOST_TOOLS:
            warnings.append(f"its tool list has no end: reading stopped at {MOST_TOOLS} tools")
            return entries, warnings
        cursors.add(cursor)
        params = {"cursor": cursor}
    warnings.append(f"its tool list has no end: reading stopped at {MOST_PAGES} pages")
    return entries, warnings


def read_listing(
    server: ServerOptions,
    prefix: str,
    style: NameStyle,
    entries: Iterable[object],
    secrets: Secrets,
    warnings: Sequence[str] = (),
) -> Listing:
    """The tools that the entries declare. A bad entry costs itself, with a warning."""
    told = list(warnings)
    found: dict[str, McpTool] = {}
    for index, raw in enumerate(entries):
        try:
            tool = read_tool(server.name, raw, secrets)
        except BadEntryError as error:
            told.append(f"tool {_label(raw, index, secrets)} is left out: {error}")
            continue
        if not _is_taken(server, tool.name):
            continue
        known = found.setdefault(tool.name, tool)
        if known.digest != tool.digest:
            told.append(f"tool {tool.name!r} is listed twice, differently: the first is kept")
    names, refused = full_names(prefix, found, style)
    for name, reason in refused.items():
        told.append(f"tool {secrets.hide(name)!r:.80} is left out: {reason}")
    tools = [_named(found[name], full) for name, full in names.items()]
    order = {name: index for index, name in enumerate(found)}
    tools.sort(key=lambda tool: order[tool.name])
    for tool in tools:
        told.extend(f"tool {tool.name!r}: {text}" for text in tool.warnings)
    if len(told) > MOST_WARNINGS:
        told[MOST_WARNINGS:] = [f"and {len(told) - MOST_WARNINGS} more"]
    shown = (secrets.hide(text)[:_LONGEST_WARNING] for text in told)
    return Listing(tools=tuple(tools), warnings=tuple(shown))


def _named(tool: McpTool, full_name: str) -> McpTool:
    return replace(tool, full_name=full_name)


def _is_taken(server: ServerOptions, name: str) -> bool:
    return any(fnmatchcase(name, glob) for glob in server.include) and not any(
        fnmatchcase(name, glob) for glob in server.exclude
    )


def _label(raw: object, index: int, secrets: Secrets) -> str:
    name = cast("dict[str, object]", raw).get("name") if isinstance(raw, dict) else None
    if not isinstance(name, str) or not name:
        return f"number {index + 1}"
    return f"{secrets.hide(name)!a:.80}"
