"""Views as Agent Client Protocol session updates: ``tool_call`` and ``tool_call_update``.

The schema is the one of https://agentclientprotocol.com/protocol/tool-calls. Terminal cards use the
``_meta`` convention that Zed reads and that clients announce with the capability
``_meta.terminal_output``: the call carries ``terminal_info {terminal_id, cwd?}`` and a terminal block,
the update carries ``terminal_output {terminal_id, data}`` and ``terminal_exit {terminal_id, exit_code?,
signal?}``, and no content, which would replace the terminal block. The terminal's id is the call's id.
"""

from collections.abc import Iterable

from ...runtime.types import JsonValue
from ..content import ContentBlock
from ._acp_parts import absolute, blocks, console_fence, relative_title, scrub
from ._views import (
    FileDiff,
    GenericCall,
    GenericResult,
    Location,
    TerminalCall,
    TerminalResult,
    ToolCallView,
    ToolResultView,
)


def acp_tool_call(
    call_id: str,
    view: ToolCallView | None,
    *,
    name: str,
    arguments: JsonValue,
    cwd: str | None = None,
    terminal: bool = True,
) -> dict[str, JsonValue]:
    """The update that announces a call, in status ``pending``.

    ``cwd`` is the session's folder: titles are shortened by it, relative paths resolved against it
    (ACP wants absolute ones). ``terminal`` says whether the client shows terminal cards; without it a
    command is an ordinary ``execute`` call. Half surrogate pairs become U+FFFD: ACP is strict UTF-8.
    """
    update: dict[str, JsonValue] = {"sessionUpdate": "tool_call", "toolCallId": call_id}
    match view:
        case None:
            update |= {"title": name, "kind": "other", "rawInput": arguments}
        case GenericCall():
            update |= {"title": _title(view.title, view.locations, (), cwd), "kind": view.kind}
            if view.raw_input is not None:
                update["rawInput"] = view.raw_input
            if view.content:
                update["content"] = blocks(view.content)
            if view.locations:
                update["locations"] = _locations(view.locations, cwd)
        case TerminalCall():
            update |= {"title": view.title, "kind": "execute"}
            content = [] if view.description is None else [_text(view.description)]
            if terminal:
                content.append({"type": "terminal", "terminalId": call_id})
                info: dict[str, JsonValue] = {"terminal_id": call_id}
                if (folder := view.cwd if view.cwd is not None else cwd) is not None:
                    info["cwd"] = absolute(folder, cwd)
                update["_meta"] = {"terminal_info": info}
            if content:
                update["content"] = content
        case _:  # a DiffCall
            places = view.locations or tuple(Location(path=diff.path) for diff in view.diffs)
            update |= {
                "title": _title(view.title, places, view.diffs, cwd),
                "kind": "edit",
                "content": _diffs(view.diffs, cwd),
                "locations": _locations(places, cwd),
            }
    update["status"] = "pending"
    return scrub(update)


def acp_tool_call_update(
    call_id: str,
    view: ToolResultView | None,
    *,
    content: Iterable[ContentBlock],
    is_error: bool,
    cwd: str | None = None,
    terminal: bool = True,
) -> dict[str, JsonValue]:
    """The update that ends a call, in status ``completed`` or ``failed``.

    ``content`` is the result's own, shown when the view has none. ``terminal`` must be what the call's
    announcement had, and False if that was no terminal card: the client would have no terminal to write
    to. Without it a command's output is a fenced ``console`` block.
    """
    status = "failed" if is_error else "completed"
    update: dict[str, JsonValue] = {
        "sessionUpdate": "tool_call_update",
        "toolCallId": call_id,
        "status": status,
    }
    match view:
        case None:
            update["content"] = blocks(content)
        case GenericResult():
            if view.title is not None:
                update["title"] = view.title
            update["content"] = blocks(content if view.content is None else view.content)
        case TerminalResult():
            if view.title is not None:
                update["title"] = view.title
            if terminal:
                update["_meta"] = _terminal_meta(call_id, view)
            elif view.output is None:
                update["content"] = blocks(content)
            else:
                update["content"] = [_text(console_fence(view))]
        case _:  # a DiffResult
            if view.title is not None:
                update["title"] = _title(view.title, (), view.diffs, cwd)
            update["content"] = _diffs(view.diffs, cwd)
    return scrub(update)


def _terminal_meta(call_id: str, view: TerminalResult) -> dict[str, JsonValue]:
    meta: dict[str, JsonValue] = {}
    if view.output is not None:
        meta["terminal_output"] = {"terminal_id": call_id, "data": view.output}
    ended: dict[str, JsonValue] = {"terminal_id": call_id}
    if view.exit_code is not None and 0 <= view.exit_code < 2**32:  # Zed reads a u32
        ended["exit_code"] = view.exit_code
    if view.signal is not None:
        ended["signal"] = view.signal
    meta["terminal_exit"] = ended  # also without a status: the terminal must not look busy
    return meta


def _title(
    title: str, places: Iterable[Location], diffs: Iterable[FileDiff], cwd: str | None
) -> str:
    paths = [*(place.path for place in places), *(diff.path for diff in diffs)]
    return relative_title(title, paths, cwd)


def _text(text: str) -> JsonValue:
    return {"type": "content", "content": {"type": "text", "text": text}}


def _locations(places: Iterable[Location], cwd: str | None) -> list[JsonValue]:
    located: list[JsonValue] = []
    for place in places:
        members: dict[str, JsonValue] = {"path": absolute(place.path, cwd)}
        if place.line is not None:
            members["line"] = place.line
        located.append(members)
    return located


def _diffs(diffs: Iterable[FileDiff], cwd: str | None) -> list[JsonValue]:
    return [
        {
            "type": "diff",
            "path": absolute(diff.path, cwd),
            "oldText": diff.old_text,
            "newText": diff.new_text,
        }
        for diff in diffs
    ]
