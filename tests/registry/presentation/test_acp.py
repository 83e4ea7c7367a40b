"""Views as Agent Client Protocol updates, checked against the protocol's own models."""

import json
from typing import Any, cast

import pytest
from acp.schema import ToolCallProgress, ToolCallStart
from hypothesis import given
from hypothesis import strategies as st

from codemode.registry.content import ContentBlock, ImageBlock, OtherBlock, TextBlock
from codemode.registry.presentation import (
    DiffCall,
    DiffResult,
    FileDiff,
    GenericCall,
    GenericResult,
    Location,
    TerminalCall,
    TerminalResult,
    ToolCallView,
    ToolResultView,
    acp_tool_call,
    acp_tool_call_update,
)
from codemode.runtime import JsonValue


def _said(model: Any) -> Any:
    return _without_none(json.loads(model.model_dump_json(by_alias=True)))


def _without_none(value: Any) -> Any:
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        return {key: _without_none(item) for key, item in members.items() if item is not None}
    if isinstance(value, list):
        return [_without_none(item) for item in cast("list[Any]", value)]
    return value


def call(view: ToolCallView | None, **options: Any) -> dict[str, Any]:
    options = {"name": "tool", "arguments": {"a": 1}, **options}
    update = acp_tool_call("c1", view, **options)
    # The models forgive wrong parts by dropping them, so what they kept is compared as well.
    assert _said(ToolCallStart.model_validate(update)) == _without_none(update)
    return cast("dict[str, Any]", update)


def result(
    view: ToolResultView | None,
    content: tuple[ContentBlock, ...] = (TextBlock("raw"),),
    is_error: bool = False,
    **options: Any,
) -> dict[str, Any]:
    update = acp_tool_call_update("c1", view, content=content, is_error=is_error, **options)
    assert _said(ToolCallProgress.model_validate(update)) == _without_none(update)
    return cast("dict[str, Any]", update)


def text(value: str) -> dict[str, Any]:
    return {"type": "content", "content": {"type": "text", "text": value}}


def test_without_a_view_a_call_is_its_name_and_its_arguments() -> None:
    assert call(None) == {
        "sessionUpdate": "tool_call",
        "toolCallId": "c1",
        "title": "tool",
        "kind": "other",
        "rawInput": {"a": 1},
        "status": "pending",
    }


def test_without_a_view_a_result_is_its_content() -> None:
    assert result(None) == {
        "sessionUpdate": "tool_call_update",
        "toolCallId": "c1",
        "status": "completed",
        "content": [text("raw")],
    }
    assert result(None, is_error=True)["status"] == "failed"


def test_a_generic_call_says_only_what_it_has() -> None:
    view = GenericCall(
        title="Read",
        kind="read",
        raw_input={"id": 7},
        content=(TextBlock("look"), ImageBlock("AAAA", "image/png")),
        locations=(Location(path="/w/a.py", line=3), Location(path="/w/b.py")),
    )
    update = call(view)
    assert update["kind"] == "read"
    assert update["rawInput"] == {"id": 7}
    assert update["locations"] == [{"path": "/w/a.py", "line": 3}, {"path": "/w/b.py"}]
    assert update["content"][1]["content"]["mimeType"] == "image/png"
    assert "rawInput" not in call(GenericCall(title="x"))


@pytest.mark.parametrize(
    ("title", "paths", "short"),
    [
        ("Read /home/me/p/src/a.py", ["/home/me/p/src/a.py"], "Read src/a.py"),
        ("Read /home/me/p/src/a.py:3", ["/home/me/p/src/a.py"], "Read src/a.py:3"),
        ("Read /etc/passwd", ["/etc/passwd"], "Read /etc/passwd"),
        ("Read /home/me/p2/a.py", ["/home/me/p2/a.py"], "Read /home/me/p2/a.py"),
        ("Read /home/me/p/a.pyc", ["/home/me/p/a.py"], "Read /home/me/p/a.pyc"),
        ("List /home/me/p", ["/home/me/p"], "List /home/me/p"),
        ("Read /home/me/p/../x", ["/home/me/p/../x"], "Read /home/me/p/../x"),
        (
            "Join /home/me/p/a and /home/me/p/a/b",
            ["/home/me/p/a", "/home/me/p/a/b"],
            "Join a and a/b",
        ),
        ("Read src/a.py", ["src/a.py"], "Read src/a.py"),
        ("Read /srv/home/me/p/a", ["/home/me/p/a"], "Read /srv/home/me/p/a"),
    ],
)
def test_a_title_gives_files_from_the_session_folder(
    title: str, paths: list[str], short: str
) -> None:
    view = GenericCall(title=title, locations=tuple(Location(path=path) for path in paths))
    assert call(view, cwd="/home/me/p/")["title"] == short
    assert call(view)["title"] == title


@pytest.mark.parametrize("cwd", ["/", ".", "", "C:\\"])
def test_a_title_stays_as_it_is_in_a_root_folder(cwd: str) -> None:
    view = GenericCall(title="Read /etc/hosts", locations=(Location(path="/etc/hosts"),))
    assert call(view, cwd=cwd)["title"] == "Read /etc/hosts"


def test_a_title_gives_windows_files_from_the_session_folder() -> None:
    diff = FileDiff(path=r"C:\p\src\a.ts", old_text="x", new_text="y")
    view = DiffCall(title=r"Edit C:\p\src\a.ts", diffs=(diff,))
    update = call(view, cwd=r"C:\p")
    assert update["title"] == r"Edit src\a.ts"
    assert update["content"][0]["path"] == r"C:\p\src\a.ts"


def test_a_diff_call_is_diff_blocks_and_their_files() -> None:
    diffs = (
        FileDiff(path="/p/new.py", old_text=None, new_text="x\n"),
        FileDiff(path="lib/old.py", old_text="a", new_text="b"),
    )
    update = call(DiffCall(title="Write /p/new.py", diffs=diffs), cwd="/p")
    assert update["title"] == "Write new.py"
    assert update["kind"] == "edit"
    assert update["content"] == [
        {"type": "diff", "path": "/p/new.py", "oldText": None, "newText": "x\n"},
        {"type": "diff", "path": "/p/lib/old.py", "oldText": "a", "newText": "b"},
    ]
    assert update["locations"] == [{"path": "/p/new.py"}, {"path": "/p/lib/old.py"}]


def test_a_diff_call_prefers_its_own_locations() -> None:
    diff = FileDiff(path="/p/a", old_text="", new_text="")
    view = DiffCall(title="t", diffs=(diff,), locations=(Location(path="/p/a", line=9),))
    assert call(view)["locations"] == [{"path": "/p/a", "line": 9}]


def test_a_diff_result_replaces_the_pending_diff() -> None:
    diff = FileDiff(path="/p/a", old_text="1", new_text="2")
    update = result(DiffResult(title="Edited /p/a", diffs=(diff,)), cwd="/p")
    assert update["title"] == "Edited a"
    assert update["content"] == [{"type": "diff", "path": "/p/a", "oldText": "1", "newText": "2"}]
    assert "title" not in result(DiffResult(diffs=(diff,)))


def test_a_terminal_card_announces_a_terminal_and_then_fills_it() -> None:
    update = call(TerminalCall(title="make", description="Builds it"), cwd="/p")
    assert update["title"] == "make"
    assert update["kind"] == "execute"
    assert update["content"] == [text("Builds it"), {"type": "terminal", "terminalId": "c1"}]
    assert update["_meta"] == {"terminal_info": {"terminal_id": "c1", "cwd": "/p"}}

    ended = result(TerminalResult(output="ok\n", exit_code=2), is_error=True)
    assert ended["status"] == "failed"
    assert "content" not in ended
    assert ended["_meta"] == {
        "terminal_output": {"terminal_id": "c1", "data": "ok\n"},
        "terminal_exit": {"terminal_id": "c1", "exit_code": 2},
    }


@pytest.mark.parametrize(
    ("own", "session", "shown"),
    [("/x", "/p", "/x"), ("sub", "/p", "/p/sub"), (None, None, None), ("sub", None, "sub")],
)
def test_a_terminal_has_the_folder_of_its_command(
    own: str | None, session: str | None, shown: str | None
) -> None:
    update = call(TerminalCall(title="ls", cwd=own), cwd=session)
    assert update["_meta"]["terminal_info"].get("cwd") == shown


def test_a_terminal_ends_also_without_a_status() -> None:
    assert result(TerminalResult())["_meta"] == {"terminal_exit": {"terminal_id": "c1"}}
    killed = result(TerminalResult(signal="SIGKILL", exit_code=-9, title="done"))
    assert killed["_meta"]["terminal_exit"] == {"terminal_id": "c1", "signal": "SIGKILL"}
    assert killed["title"] == "done"


def test_a_client_without_terminals_gets_a_console_fence() -> None:
    update = call(TerminalCall(title="make", description="Builds it"), terminal=False)
    assert update["content"] == [text("Builds it")]
    assert "_meta" not in update
    assert "content" not in call(TerminalCall(title="make"), terminal=False)

    ended = result(TerminalResult(output="all good", exit_code=0), terminal=False)
    assert ended["content"] == [text("```console\nall good\n```")]
    assert "_meta" not in ended


def test_the_fence_says_how_a_command_failed() -> None:
    failed = result(TerminalResult(output="no\n", exit_code=3), terminal=False)
    assert failed["content"] == [text("```console\nno\n```\n\nexit code 3")]
    killed = result(TerminalResult(output="", signal="SIG\nTERM"), terminal=False)
    assert killed["content"] == [text("```console\n```\n\nended by SIG TERM")]


def test_without_output_a_client_without_terminals_gets_the_content() -> None:
    assert result(TerminalResult(exit_code=1), terminal=False)["content"] == [text("raw")]


@given(st.text("`a\n ", max_size=30))
def test_no_output_closes_the_fence(output: str) -> None:
    ended = result(TerminalResult(output=output), terminal=False)
    said: str = ended["content"][0]["content"]["text"]
    fence = said[: said.index("console")]
    inside = said.split("\n")[1:-1]
    assert said.endswith(fence)
    assert not any(fence in line for line in inside)


def test_a_generic_result_replaces_title_and_content() -> None:
    update = result(GenericResult(title="3 hits", content=(TextBlock("hits"),)))
    assert update["title"] == "3 hits"
    assert update["content"] == [text("hits")]
    assert result(GenericResult())["content"] == [text("raw")]
    assert result(GenericResult(content=()))["content"] == []


AUDIO: dict[str, JsonValue] = {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"}
LINK: dict[str, JsonValue] = {"type": "resource_link", "name": "n", "uri": "file:///a"}
EMBEDDED: dict[str, JsonValue] = {"type": "resource", "resource": {"uri": "u:a", "text": "t"}}
BLOB: dict[str, JsonValue] = {"type": "resource", "resource": {"uri": "u:a", "blob": "AA"}}


@pytest.mark.parametrize("value", [AUDIO, LINK, EMBEDDED, BLOB])
def test_blocks_that_acp_knows_pass(value: dict[str, JsonValue]) -> None:
    update = result(None, (OtherBlock(value),))
    assert update["content"] == [{"type": "content", "content": value}]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ({"type": "audio"}, "[audio content]"),
        ({"type": "resource", "resource": {"uri": "u:a"}}, "[resource content]"),
        ({"type": "resource", "resource": 5}, "[resource content]"),
        ({"type": "resource_link", "name": 5, "uri": "u:a"}, "[resource_link content]"),
        ({"type": "video"}, "[video content]"),
        ({}, "[unknown content]"),
    ],
)
def test_blocks_that_acp_would_refuse_are_named(value: dict[str, JsonValue], shown: str) -> None:
    assert result(None, (OtherBlock(value),))["content"] == [text(shown)]


def test_half_surrogates_do_not_reach_the_wire() -> None:
    update = call(None, name="a\ud800", arguments={"k\udfff": ["\ud83d", 1, {"x": None}]})
    assert update["title"] == "a\ufffd"
    assert update["rawInput"] == {"k\ufffd": ["\ufffd", 1, {"x": None}]}


def test_deep_arguments_do_not_exhaust_the_stack() -> None:
    deep: JsonValue = []
    for _ in range(5_000):
        deep = [deep]
    update = acp_tool_call("c1", None, name="t", arguments=deep)
    assert update["title"] == "t"


def test_an_update_shares_nothing_with_the_arguments() -> None:
    arguments: dict[str, JsonValue] = {"list": [1]}
    update = call(None, arguments=arguments)
    update["rawInput"]["list"].append(2)
    assert arguments == {"list": [1]}
