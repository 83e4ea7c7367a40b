"""The session log."""

import contextlib
import json
import os
import stat
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemode.registry import log as log_module
from codemode.registry.content import ImageBlock, OtherBlock, TextBlock
from codemode.registry.log import (
    SUMMARY_UNITS,
    ApprovalAskedEntry,
    ApprovalDecidedEntry,
    CodeDispatchEntry,
    CodeDispatchStartEntry,
    JsonLinesLog,
    LogEntry,
    LogFormatError,
    MemoryLog,
    ToolCallEntry,
    ToolResultEntry,
    UnknownEntry,
    entry_from_json,
    entry_to_json,
    read_log,
    summarize,
)
from codemode.registry.types import ToolErrorInfo
from codemode.runtime import JsonValue

# Python can hold both halves of a pair as two characters; JSON cannot, so texts here have one at most.
TEXT = st.text(st.characters(exclude_categories=()), max_size=10).map(
    lambda text: text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
)
WHOLE = st.integers() | st.integers(10**4400, 10**4400 + 9).map(lambda n: -n)
JSON = st.recursive(
    st.none() | st.booleans() | WHOLE | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
BLOCKS = st.lists(
    st.builds(TextBlock, TEXT)
    | st.builds(ImageBlock, TEXT, TEXT)
    | TEXT.map(lambda text: OtherBlock({"type": "audio", "data": text})),
    max_size=3,
).map(tuple)
ERRORS = st.none() | st.builds(ToolErrorInfo, name=TEXT, code=TEXT)
NUMBERS = st.floats(0, 1e15)
SUB: dict[str, Any] = {
    "root_call_id": TEXT,
    "parent_call_id": TEXT,
    "sub_call_id": TEXT,
    "name": TEXT,
    "arguments": JSON,
    "at_ms": NUMBERS,
}
ENTRIES: st.SearchStrategy[LogEntry] = (
    st.builds(
        ToolCallEntry,
        call_id=TEXT,
        name=TEXT,
        arguments=JSON,
        scope=st.none() | TEXT,
        at_ms=NUMBERS,
    )
    | st.builds(
        ToolResultEntry,
        call_id=TEXT,
        content=BLOCKS,
        is_error=st.booleans(),
        error=ERRORS,
        meta=JSON,
        violations=st.lists(TEXT, max_size=2).map(tuple),
        at_ms=NUMBERS,
    )
    | st.builds(
        ApprovalAskedEntry,
        call_id=TEXT,
        question_id=TEXT,
        name=TEXT,
        reason=TEXT,
        confirm=st.booleans(),
        level=TEXT,
        at_ms=NUMBERS,
    )
    | st.builds(ApprovalDecidedEntry, call_id=TEXT, question_id=TEXT, outcome=TEXT, at_ms=NUMBERS)
    | st.builds(CodeDispatchStartEntry, **SUB)
    | st.builds(
        CodeDispatchEntry,
        **SUB,
        is_error=st.booleans(),
        error=ERRORS,
        content=BLOCKS,
        result_summary=TEXT,
        duration_ms=NUMBERS,
    )
)


def called(call_id: str = "1", arguments: JsonValue = None) -> ToolCallEntry:
    return ToolCallEntry(call_id=call_id, name="t", arguments=arguments, at_ms=5.0)


def clock_from(start: float) -> Callable[[], float]:
    times = iter(range(int(start), int(start) + 100))
    return lambda: float(next(times))


# --- entries


@given(ENTRIES)
def test_an_entry_survives_its_json(entry: LogEntry) -> None:
    assert entry_from_json(entry_to_json(entry)) == entry


@given(st.lists(ENTRIES, max_size=4))
def test_entries_survive_a_file(
    tmp_path_factory: pytest.TempPathFactory, entries: list[LogEntry]
) -> None:
    path = tmp_path_factory.mktemp("log") / "s.jsonl"
    with JsonLinesLog(path, clock=lambda: 7.0) as log:
        for entry in entries:
            log.append(entry)
    stamped = [entry if entry.at_ms else replace(entry, at_ms=7.0) for entry in entries]
    assert list(read_log(path)) == stamped


def test_the_json_has_the_wire_names() -> None:
    entry = CodeDispatchEntry(
        root_call_id="r",
        parent_call_id="p",
        sub_call_id="p:code:1",
        name="add",
        arguments={"a": 1},
        is_error=True,
        error=ToolErrorInfo("ToolError", "TOOL_FAILED"),
        content=(TextBlock("no"),),
        result_summary="no",
        duration_ms=1.5,
        at_ms=9.0,
    )
    assert entry_to_json(entry) == {
        "type": "tool/code-dispatch",
        "atMs": 9.0,
        "rootCallId": "r",
        "parentCallId": "p",
        "subCallId": "p:code:1",
        "name": "add",
        "arguments": {"a": 1},
        "isError": True,
        "error": {"name": "ToolError", "code": "TOOL_FAILED"},
        "content": [{"type": "text", "text": "no"}],
        "resultSummary": "no",
        "durationMs": 1.5,
    }


def test_what_may_be_left_out_has_its_default() -> None:
    entry = entry_from_json(
        {"type": "tool/call", "atMs": 1, "callId": "1", "name": "t", "arguments": {}}
    )
    assert entry == ToolCallEntry(call_id="1", name="t", arguments={}, at_ms=1.0)
    result = entry_from_json(
        {"type": "tool/result", "atMs": 1, "callId": "1", "content": [], "isError": False, "new": 1}
    )
    assert result == ToolResultEntry(call_id="1", content=(), at_ms=1.0)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"callId": 1}, "tool/result: callId has a wrong value"),
        ({"content": None}, "content has a wrong value"),
        ({"content": [{"type": "text"}]}, "content has a wrong value"),
        ({"isError": 0}, "isError has a wrong value"),
        ({"error": "x"}, "error has a wrong value"),
        ({"error": {"name": 1}}, "error has a wrong value"),
        ({"violations": [1]}, "violations has a wrong value"),
        ({"violations": "x"}, "violations has a wrong value"),
        ({"atMs": True}, "atMs has a wrong value"),
        ({"atMs": 10**400}, "atMs has a wrong value"),
        ({"type": 5}, "must have a text as its type"),
    ],
)
def test_a_wrong_member_is_named(change: dict[str, object], says: str) -> None:
    good: dict[str, object] = {
        "type": "tool/result",
        "atMs": 1,
        "callId": "1",
        "content": list[object](),
        "isError": False,
    }
    with pytest.raises(LogFormatError, match=says):
        entry_from_json({**good, **change})


def test_a_missing_member_is_named() -> None:
    with pytest.raises(LogFormatError, match="approval/decided: outcome is missing"):
        entry_from_json({"type": "approval/decided", "atMs": 1, "callId": "1", "questionId": "2"})
    with pytest.raises(LogFormatError, match="must be a JSON object"):
        entry_from_json([])


@given(JSON, st.sampled_from(["tool/call", "tool/result", "tool/code-dispatch", "later"]))
def test_any_json_is_an_entry_or_a_clear_error(value: JsonValue, kind: str) -> None:
    wires = ("callId", "content", "error", "atMs", "isError", "name", "arguments", "violations")
    for members in ({"type": kind, **dict.fromkeys(wires, value)}, value):
        with contextlib.suppress(LogFormatError):
            entry_from_json(members)


def test_an_entry_of_a_later_version_is_kept_as_it_is(tmp_path: Path) -> None:
    value: dict[str, JsonValue] = {"type": "tool/mood", "atMs": 3.5, "mood": {"good": True}}
    entry = entry_from_json(value)
    assert entry == UnknownEntry(type="tool/mood", value=value, at_ms=3.5)
    assert entry_to_json(entry) == value
    path = tmp_path / "s.jsonl"
    with JsonLinesLog(path) as log:
        log.append(entry)
    assert list(read_log(path)) == [entry]
    assert entry_from_json({"type": "x", "atMs": "soon"}).at_ms == 0.0


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("", ""),
        ("x" * SUMMARY_UNITS, "x" * SUMMARY_UNITS),
        ("x" * 201, "x" * 200 + "…"),
        ("😀" * 100, "😀" * 100),
        ("😀" * 101, "😀" * 100 + "…"),
        ("x" + "😀" * 100, "x" + "😀" * 99 + "…"),
        ("\ud83d" * 201, "\ud83d" * 200 + "…"),
    ],
)
def test_a_summary_is_two_hundred_units(text: str, summary: str) -> None:
    assert summarize(text) == summary


# --- in memory


def test_memory_keeps_entries_in_order_and_stamps_them() -> None:
    log = MemoryLog(clock=clock_from(1_000))
    log.append(replace(called("a"), at_ms=0.0))
    log.append(called("b"))
    log.append(replace(called("c"), at_ms=0.0))
    assert [entry.at_ms for entry in log.entries] == [1_000.0, 5.0, 1_001.0]
    assert log.dropped == 0


def test_bounded_memory_keeps_the_newest() -> None:
    log = MemoryLog(limit=2)
    for name in "abc":
        log.append(called(name))
    assert log.entries == (called("b"), called("c"))
    assert log.dropped == 1


def test_a_limit_must_leave_room() -> None:
    with pytest.raises(ValueError, match="limit must be at least 1, not 0"):
        MemoryLog(limit=0)


def test_the_clock_counts_from_1970() -> None:
    log = MemoryLog()
    log.append(replace(called(), at_ms=0.0))
    assert log.entries[0].at_ms > 1.7e12


# --- in a file


def test_a_line_is_one_json_object(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    with JsonLinesLog(path, fsync=True) as log:
        log.append(called(arguments={"text": "é\n\u2028😀"}))
        log.append(called("2"))
    lines = path.read_bytes().split(b"\n")
    assert len(lines) == 3
    assert lines[2] == b""
    assert json.loads(lines[0])["arguments"] == {"text": "é\n\u2028😀"}
    assert "é".encode() in lines[0]


def test_half_surrogates_and_huge_integers_survive(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    entry = called(arguments={"\ud800": ["x\udfff", 10**5000, -(10**9000) - 7, 2**64]})
    with JsonLinesLog(path) as log:
        log.append(entry)
    path.read_bytes().decode()
    assert list(read_log(path)) == [entry]


def test_arguments_as_deep_as_a_program_may_send_survive(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    deep: JsonValue = "end"
    for turn in range(1_900):
        deep = [deep] if turn % 2 else {"k": deep, "n": [1, True, None]}
    with JsonLinesLog(path) as log:
        log.append(called(arguments=deep))
    (entry,) = read_log(path)
    assert isinstance(entry, ToolCallEntry)
    found: JsonValue = entry.arguments
    for turn in reversed(range(1_900)):
        if turn % 2:
            assert isinstance(found, list)
            found = found[0]
        else:
            assert isinstance(found, dict)
            assert found["n"] == [1, True, None]
            found = found["k"]
    assert found == "end"


RING: list[Any] = []
RING.append(RING)
LONG_AND_ODD: Any = [10**5000, {5: 1}]


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), {1, 2}, RING, LONG_AND_ODD, {"a": object()}]
)
def test_what_is_not_json_is_refused_and_leaves_no_trace(tmp_path: Path, value: Any) -> None:
    path = tmp_path / "s.jsonl"
    with JsonLinesLog(path) as log:
        log.append(called("1"))
        with pytest.raises(ValueError, match="the log entry tool/call is not JSON"):
            log.append(called("2", value))
        log.append(called("3"))
    assert [entry_to_json(entry)["callId"] for entry in read_log(path)] == ["1", "3"]


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
def test_a_new_file_is_private(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    before = os.umask(0)
    try:
        JsonLinesLog(path).close()
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_log_goes_on_where_it_ended(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    for name in "ab":
        with JsonLinesLog(path) as log:
            log.append(called(name))
    assert list(read_log(path)) == [called("a"), called("b")]


def test_closing_twice_is_fine_and_appending_after_it_is_not(tmp_path: Path) -> None:
    log = JsonLinesLog(tmp_path / "s.jsonl")
    log.close()
    log.close()
    with pytest.raises(ValueError, match=r"the log is closed: .*s\.jsonl"):
        log.append(called())


@pytest.mark.skipif(os.name != "posix", reason="locks of POSIX")
def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    with (
        JsonLinesLog(path),
        pytest.raises(BlockingIOError, match="another log has the file open"),
    ):
        JsonLinesLog(path)
    JsonLinesLog(path).close()


@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
def test_a_pipe_or_a_folder_is_no_log(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="must be a regular file"):
        JsonLinesLog(tmp_path / "pipe")
    with pytest.raises(OSError, match="directory"):
        JsonLinesLog(tmp_path)


def test_threads_append_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    with JsonLinesLog(path) as log:
        start = threading.Barrier(4)

        def work(name: str) -> None:
            start.wait(5)
            for index in range(50):
                log.append(called(f"{name}{index}", "x" * 5_000))

        threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
    ids = [str(entry_to_json(entry)["callId"]) for entry in read_log(path)]
    assert len(ids) == 200
    for name in "abcd":
        assert [one for one in ids if one[0] == name] == [f"{name}{at}" for at in range(50)]


def test_a_write_that_fails_leaves_no_part_of_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "s.jsonl"
    real = os.write
    with JsonLinesLog(path) as log:
        log.append(called("1"))
        with monkeypatch.context() as disk:  # a full disk takes a part of what it is given
            disk.setattr(os, "write", lambda file, data: real(file, data[:9]))  # type: ignore[misc] # bytes
            with pytest.raises(OSError, match="only 9 of"):
                log.append(called("2"))
        log.append(called("3"))
    assert list(read_log(path)) == [called("1"), called("3")]


def test_a_disk_that_takes_nothing_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(file: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    path = tmp_path / "s.jsonl"
    with JsonLinesLog(path) as log:
        log.append(called("1"))
        with monkeypatch.context() as disk:
            disk.setattr(os, "write", full)
            with pytest.raises(OSError, match="No space left"):
                log.append(called("2"))
    assert list(read_log(path)) == [called("1")]


# --- reading


def written(path: Path, *names: str) -> bytes:
    with JsonLinesLog(path) as log:
        for name in names:
            log.append(called(name))
    return path.read_bytes()


def test_a_torn_last_line_is_left_out_wherever_it_is_torn(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    whole = written(path, "é1", "é2")
    first = whole.index(b"\n") + 1
    for end in range(first, len(whole) - 1):
        path.write_bytes(whole[:end])
        assert list(read_log(path)) == [called("é1")]
    path.write_bytes(whole[:-1])
    assert list(read_log(path)) == [called("é1"), called("é2")]


def test_a_torn_last_line_is_mended_before_the_next_entry(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    whole = written(path, "1", "2")
    for end, kept in [(len(whole) - 1, "12"), (len(whole) - 9, "1"), (3, ""), (len(whole), "12")]:
        path.write_bytes(whole[:end])
        with JsonLinesLog(path) as log:
            log.append(called("3"))
        assert list(read_log(path)) == [called(name) for name in (*kept, "3")]


def test_a_long_torn_line_is_mended(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    whole = written(path, "1")
    path.write_bytes(whole + b'{"type": "' + b"x" * 200_000)
    JsonLinesLog(path).close()
    assert path.read_bytes() == whole


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b"{", "line 2: not JSON"),
        (b"", "line 2: not JSON"),
        (b"NaN", "line 2: not JSON: NaN is not JSON"),
        (b"\xff", "line 2: not JSON"),
        (b"[" * 100_000, "line 2: not JSON"),
        (b"[]", "line 2: an entry must be a JSON object"),
        (b'{"type":"tool/call","atMs":1}', "line 2: tool/call: callId is missing"),
    ],
)
def test_a_corrupt_line_is_reported_with_its_number(tmp_path: Path, line: bytes, says: str) -> None:
    path = tmp_path / "s.jsonl"
    good = written(path, "1")
    for rest in (good, b""):
        path.write_bytes(good + line + b"\n" + rest)
        entries = read_log(path)
        assert next(entries) == called("1")
        with pytest.raises(LogFormatError, match=says):
            next(entries)


def test_an_empty_file_has_no_entries(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    JsonLinesLog(path).close()
    assert list(read_log(path)) == []


def test_every_public_name_exists() -> None:
    assert all(hasattr(log_module, name) for name in log_module.__all__)
