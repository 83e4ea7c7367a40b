"""Views as JSON, in the field names of DSH's views (camelCase), and back."""

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar, cast

from ...runtime.types import JsonValue
from ..content import ContentBlock, block_from_json, block_to_json
from ._views import (
    DiffCall,
    DiffResult,
    FileDiff,
    GenericCall,
    GenericResult,
    Location,
    TerminalCall,
    TerminalResult,
    ToolCallView,
    ToolKind,
    ToolResultView,
)

_T = TypeVar("_T")


def view_to_json(view: ToolCallView | ToolResultView) -> dict[str, JsonValue]:
    """The view as a JSON object; fields that say nothing are left out."""
    match view:
        case GenericCall():
            members: dict[str, JsonValue] = {"title": view.title, "kind": view.kind}
            if view.raw_input is not None:
                members["rawInput"] = view.raw_input
            if view.content:
                members["content"] = _blocks(view.content)
            if view.locations:
                members["locations"] = _locations(view.locations)
        case TerminalCall():
            members = _present(title=view.title, description=view.description, cwd=view.cwd)
        case DiffCall():
            members = {"title": view.title, "diffs": _diffs(view.diffs)}
            if view.locations:
                members["locations"] = _locations(view.locations)
        case GenericResult():
            content = None if view.content is None else _blocks(view.content)
            members = _present(title=view.title, content=content)
        case TerminalResult():
            members = _present(
                title=view.title, output=view.output, exitCode=view.exit_code, signal=view.signal
            )
        case _:  # a DiffResult
            members = _present(title=view.title, diffs=_diffs(view.diffs))
    return {"card": view.card, **members}


def call_view_from_json(value: object) -> ToolCallView | None:
    """The call view that a JSON value is; None if it is none. Never raises."""
    return _soft(_call_view, value)


def result_view_from_json(value: object) -> ToolResultView | None:
    """The result view that a JSON value is; None if it is none. Never raises."""
    return _soft(_result_view, value)


def _soft(read: Callable[[Mapping[str, JsonValue]], _T | None], value: object) -> _T | None:
    try:
        if not isinstance(value, Mapping):
            return None
        return read(cast("Mapping[str, JsonValue]", value))
    except (KeyError, TypeError, ValueError, AttributeError):
        return None  # display must not break a replay of an older or damaged log


def _call_view(value: Mapping[str, JsonValue]) -> ToolCallView | None:
    match value.get("card"):
        case "generic":
            return GenericCall(
                title=cast("str", value["title"]),
                kind=cast("ToolKind", value.get("kind", "other")),
                raw_input=value.get("rawInput"),
                content=_blocks_from(value.get("content", [])),
                locations=_locations_from(value.get("locations", [])),
            )
        case "terminal":
            return TerminalCall(
                title=cast("str", value["title"]),
                description=cast("str | None", value.get("description")),
                cwd=cast("str | None", value.get("cwd")),
            )
        case "diff":
            return DiffCall(
                title=cast("str", value["title"]),
                diffs=_diffs_from(value["diffs"]),
                locations=_locations_from(value.get("locations", [])),
            )
        case _:
            return None


def _result_view(value: Mapping[str, JsonValue]) -> ToolResultView | None:
    title = cast("str | None", value.get("title"))
    match value.get("card"):
        case "generic":
            content = value.get("content")
            blocks = None if content is None else _blocks_from(content)
            return GenericResult(title=title, content=blocks)
        case "terminal":
            return TerminalResult(
                title=title,
                output=cast("str | None", value.get("output")),
                exit_code=cast("int | None", value.get("exitCode")),
                signal=cast("str | None", value.get("signal")),
            )
        case "diff":
            return DiffResult(title=title, diffs=_diffs_from(value["diffs"]))
        case _:
            return None


def _present(**members: JsonValue) -> dict[str, JsonValue]:
    return {name: value for name, value in members.items() if value is not None}


def _blocks(blocks: Iterable[ContentBlock]) -> list[JsonValue]:
    return [block_to_json(block) for block in blocks]


def _locations(locations: Iterable[Location]) -> list[JsonValue]:
    return [_present(path=place.path, line=place.line) for place in locations]


def _diffs(diffs: Iterable[FileDiff]) -> list[JsonValue]:
    return [
        {"path": diff.path, "oldText": diff.old_text, "newText": diff.new_text} for diff in diffs
    ]


def _each(value: JsonValue, read: Callable[[dict[str, JsonValue]], _T]) -> tuple[_T, ...]:
    if not isinstance(value, list):
        raise TypeError("not a list")
    return tuple(read(cast("dict[str, JsonValue]", item)) for item in value)


def _blocks_from(value: JsonValue) -> tuple[ContentBlock, ...]:
    return cast("tuple[ContentBlock, ...]", _each(value, block_from_json))


def _locations_from(value: JsonValue) -> tuple[Location, ...]:
    return _each(
        value,
        lambda item: Location(
            path=cast("str", item["path"]), line=cast("int | None", item.get("line"))
        ),
    )


def _diffs_from(value: JsonValue) -> tuple[FileDiff, ...]:
    return _each(
        value,
        lambda item: FileDiff(
            path=cast("str", item["path"]),
            old_text=cast("str | None", item.get("oldText")),
            new_text=cast("str", item["newText"]),
        ),
    )
