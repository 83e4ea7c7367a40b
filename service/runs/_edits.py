"""How a call that waits for a person is shown: the tool's own card, or a diff where it edits a text."""

from collections.abc import Iterator
from typing import Final

from ...registry import ToolScope, present_call
from ...registry.presentation import DiffCall, FileDiff, ToolCallView, view_to_json
from ...runtime import JsonValue

_PATHS: Final = ("path", "file_path", "filePath", "file", "filename", "uri")
_OLD: Final = ("old_string", "old_str", "oldText", "old_text", "oldString", "search", "before")
_NEW: Final = ("new_string", "new_str", "newText", "new_text", "newString", "replace", "after")


def card_of(scope: ToolScope, tool: str, arguments: JsonValue) -> JsonValue:
    """The card's JSON, or None where the arguments say it best."""
    view: ToolCallView | None = present_call(scope, tool, arguments)
    if view is None:
        diffs = tuple(_diffs(arguments))
        view = DiffCall(title=tool, diffs=diffs) if diffs else None
    return None if view is None else view_to_json(view)


def _diffs(arguments: JsonValue) -> Iterator[FileDiff]:
    """Of arguments in the forms that editing tools have: a path, and pairs of an old and a new text, or the
    whole of a file."""
    if not isinstance(arguments, dict):
        return
    path = _text(arguments, _PATHS)
    if path is None:
        return
    several = arguments.get("edits")
    for edit in several if isinstance(several, list) else [arguments]:
        if not isinstance(edit, dict):
            continue
        old, new = _text(edit, _OLD), _text(edit, _NEW)
        if old is not None and new is not None:
            yield FileDiff(path=path, old_text=old, new_text=new)


def _text(members: dict[str, JsonValue], names: tuple[str, ...]) -> str | None:
    return next((value for name in names if isinstance(value := members.get(name), str)), None)
