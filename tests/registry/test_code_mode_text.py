"""What one run gives the model to read: the log, then the value, never more than the cap."""

import json
import re
import sys
from collections.abc import Callable
from typing import Any

import pytest

from codemode.registry._cut import cut_value
from codemode.registry._json import pretty
from codemode.runtime import Limits, QuickJSRuntime

from .codekit import registry_of, run
from .kit import code, text

pytestmark = pytest.mark.anyio
CAP = 4_000


async def shown(runtime: QuickJSRuntime, program: str, cap: int = CAP) -> str:
    result = await run(registry_of(runtime, output_bytes=cap), program)
    assert not result.is_error, text(result)
    return text(result)


def size(shown: str) -> int:
    return len(shown.encode("utf-8", "surrogatepass"))


def parts(shown: str) -> tuple[Any, str]:
    """The value that is still JSON after the cut, and the note behind it."""
    at = shown.rindex("\n[")
    assert shown.endswith("]")
    return json.loads(shown[:at]), shown[at + 2 : -1]


def left_out(note: str, what: str) -> int:
    found = re.search(rf"(\d+) {what}", note)
    return int(found[1]) if found else 0


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("return 'plain \"text\"'", 'plain "text"'),
        ("return { a: [1, { b: null }], ü: 'ß' }", '{\n  "a": [\n    1,\n    {\n      "b": null\n    }\n  ],\n  "ü": "ß"\n}'),
        ("return null", "null"),
        ("return 0", "0"),
        ("return false", "false"),
        ("return []", "[]"),
        ("console.log('one'); console.log({ a: 1 }); return 2", "one\n{ a: 1 }\n2"),
        ("console.log('only this')", "only this"),
        ("console.warn('w'); console.error('e'); return ''", "w\ne"),
        ("return ''", "(run_code completed with no output)"),
    ],
)  # fmt: skip
async def test_the_log_comes_first_and_then_the_value(
    runtime: QuickJSRuntime, program: str, expected: str
) -> None:
    assert await shown(runtime, program) == expected


async def test_a_value_that_just_fits_is_whole_and_one_byte_more_is_cut(
    runtime: QuickJSRuntime,
) -> None:
    assert await shown(runtime, f"return 'x'.repeat({CAP})") == "x" * CAP
    cut = await shown(runtime, f"return 'x'.repeat({CAP + 1})")
    assert size(cut) <= CAP
    assert "left out of the text" in cut


@pytest.mark.parametrize(
    "program",
    [
        "return Array.from({ length: 100000 }, (_, i) => i)",
        "return Array.from({ length: 300 }, (_, i) => ({ id: i, name: 'name ' + i, ok: i % 2 == 0 }))",
        "return Object.fromEntries(Array.from({ length: 5000 }, (_, i) => ['k' + i, i]))",
        "return { head: 'h', rows: Array.from({ length: 2000 }, (_, i) => [i, 'é'.repeat(20)]) }",
        "return ['x'.repeat(100000), 1, 2]",
        "return { text: '😀'.repeat(30000) }",
        "return Object.fromEntries(Array.from({ length: 9 }, (_, i) => [i + 'k'.repeat(9000), i]))",
        "return [[Array(5000).fill({ a: Array(50).fill('y'.repeat(30)) })]]",
        "let deep = 1; for (let i = 0; i < 900; i++) deep = { next: deep }; return deep",
        "let deep = []; for (let i = 0; i < 1100; i++) deep = [deep, i]; return deep",
        "return Array(40).fill('\\ud800'.repeat(200))",
    ],
)
@pytest.mark.parametrize("cap", [CAP, 32 * 1024])
async def test_a_value_that_is_cut_is_json_still_and_within_the_cap(
    runtime: QuickJSRuntime, program: str, cap: int
) -> None:
    whole = await shown(runtime, program, 8 << 20)
    cut = await shown(runtime, program, cap)
    if size(whole) > cap:
        assert size(cut) <= cap
        _, note = parts(cut)
        assert note.startswith(("left out of the value: ", "the value is left out"))
    else:
        assert cut == whole


async def test_items_that_are_left_out_are_counted(runtime: QuickJSRuntime) -> None:
    value, note = parts(await shown(runtime, "return Array.from({ length: 100000 }, (_, i) => i)"))
    *kept, mark = value
    assert kept == list(range(len(kept)))
    assert len(kept) > 10
    assert left_out(note, "list items") == 100_000 - len(kept)
    assert mark == f"… {100_000 - len(kept)} more items of 100000"


async def test_members_that_are_left_out_are_counted(runtime: QuickJSRuntime) -> None:
    program = "return Object.fromEntries(Array.from({ length: 5000 }, (_, i) => ['k' + i, i]))"
    value, note = parts(await shown(runtime, program))
    mark = value.pop("…")
    assert list(value) == [f"k{i}" for i in range(len(value))]
    assert left_out(note, "object members") == 5000 - len(value)
    assert mark == f"{5000 - len(value)} more members of 5000"


async def test_characters_that_are_left_out_are_counted(runtime: QuickJSRuntime) -> None:
    value, note = parts(await shown(runtime, "return ['é'.repeat(50000), 'short']"))
    kept = value[0].count("é")
    assert value[1] == "short"
    assert left_out(note, "characters of texts") == 50_000 - kept
    assert f"({50_000 - kept} more characters)" in value[0]


async def test_counts_are_those_of_all_levels_together(runtime: QuickJSRuntime) -> None:
    value, note = parts(
        await shown(runtime, "return [Array(3000).fill('abcdef'), Array(2000).fill('abcdef')]")
    )
    kept = [len([item for item in row if item == "abcdef"]) for row in value]
    assert left_out(note, "list items") == 5000 - sum(kept)


async def test_members_whose_long_names_begin_alike_are_all_accounted_for(
    runtime: QuickJSRuntime,
) -> None:
    program = """return Object.fromEntries(
        Array.from({ length: 5 }, (_, i) => ['k'.repeat(9000) + i, i]))"""
    value, note = parts(await shown(runtime, program))
    kept = [name for name in value if name != "…"]
    assert len(kept) + left_out(note, "object members") == 5


async def test_a_member_that_is_called_like_the_mark_is_not_lost(runtime: QuickJSRuntime) -> None:
    program = "return { '…': 'mine', ...Object.fromEntries(Array.from({ length: 5000 }, (_, i) => ['k' + i, i])) }"
    value, _ = parts(await shown(runtime, program))
    assert "mine" in json.dumps(value, ensure_ascii=False)
    assert "more members of 5001" in json.dumps(value, ensure_ascii=False)


@pytest.mark.parametrize("character", ["x", "é", "€", "😀"])
async def test_a_text_is_cut_between_characters(runtime: QuickJSRuntime, character: str) -> None:
    cut = await shown(runtime, f"return {json.dumps(character)}.repeat(20000)")
    assert size(cut) <= CAP
    kept = cut.count(character) if character != "x" else len(cut.split("\n")[0])
    assert cut.split("\n")[0] == character * kept
    assert f"{20_000 - kept} of 20000 characters" in cut


async def test_of_a_long_log_the_first_and_the_last_lines_are_kept(runtime: QuickJSRuntime) -> None:
    program = "for (let i = 0; i < 1000; i++) console.log('line', i); return { n: 1000 }"
    cut = await shown(runtime, program)
    assert size(cut) <= CAP
    lines = cut.split("\n")
    assert lines[0] == "line 0"
    assert "line 999" in lines
    assert '  "n": 1000' in lines
    said = re.search(r"… (\d+) lines left out …", cut)
    assert said is not None
    kept = len([line for line in lines if line.startswith("line ")])
    assert int(said[1]) == 1000 - kept
    assert f"left out of the log: {1000 - kept} of 1000 lines" in cut


async def test_a_long_log_leaves_room_to_the_value(runtime: QuickJSRuntime) -> None:
    program = """for (let i = 0; i < 500; i++) console.log('line', i)
        return Array.from({ length: 5000 }, (_, i) => 'item ' + i)"""
    cut = await shown(runtime, program)
    assert size(cut) <= CAP
    assert size(cut[cut.index("[\n") :]) > CAP / 4
    assert "line 0" in cut
    assert "list items" in cut
    assert "lines" in cut


async def test_one_endless_line_of_the_log_is_cut_too(runtime: QuickJSRuntime) -> None:
    cut = await shown(runtime, "console.log('é'.repeat(20000)); return 7")
    assert size(cut) <= CAP
    assert "\n7\n" in cut
    assert cut.startswith("é")


@pytest.mark.parametrize(
    "program",
    [
        "return 'x'.repeat(5000)",
        "return Array(5000).fill(1)",
        "console.log('y'.repeat(5000)); return Array(5000).fill(1)",
        "for (let i = 0; i < 500; i++) console.log('line', i); return 1",
    ],
)
@pytest.mark.parametrize("cap", [256, 300, 700])
async def test_the_smallest_caps_hold(runtime: QuickJSRuntime, program: str, cap: int) -> None:
    assert size(await shown(runtime, program, cap)) <= cap


# --- failures


async def test_a_failure_has_its_kind_its_reason_and_what_was_printed(
    runtime: QuickJSRuntime,
) -> None:
    program = "console.log('step 1'); console.log({ a: 1 }); throw new RangeError('inner')"
    result = await run(registry_of(runtime), program)
    assert (result.is_error, code(result)) == (True, "CODE_RUN_FAILED")
    assert text(result).startswith("Error: code run failed (exception): ")
    assert "inner" in text(result)
    assert text(result).endswith("\nCaptured output:\nstep 1\n{ a: 1 }")


@pytest.mark.parametrize(
    ("program", "kind", "limits"),
    [
        ("for (;;) {}", "timeout", Limits(compute_ms=5)),
        ("await new Promise((done) => setTimeout(done, 60000))", "timeout", Limits(wall_ms=5)),
        ("return 'x'.repeat(9000)", "output-limit", Limits(value_bytes=1000)),
        ("const all = []; for (;;) all.push(new Array(100000).fill(1))", "memory-limit", Limits(memory_bytes=8 << 20)),
        ("return { n: NaN }", "invalid-output", None),
        ("return 1 +", "exception", None),
    ],
)  # fmt: skip
async def test_each_kind_of_failure_is_named_and_keeps_the_log(
    runtime: QuickJSRuntime, program: str, kind: str, limits: Limits | None
) -> None:
    begin = "" if "+" in program else "console.log('before');"
    result = await run(registry_of(runtime, limits=limits), begin + program)
    assert code(result) == "CODE_RUN_FAILED"
    assert text(result).startswith(f"Error: code run failed ({kind}): ")
    assert ("\nCaptured output:\nbefore" in text(result)) == bool(begin)


async def test_the_log_of_a_failure_is_cut_by_lines(runtime: QuickJSRuntime) -> None:
    program = "for (let i = 0; i < 1000; i++) console.log('line', i); throw new Error('late')"
    result = await run(registry_of(runtime, output_bytes=CAP), program)
    assert size(text(result)) <= CAP
    assert "late" in text(result)
    assert "line 0\n" in text(result)
    assert "line 999" in text(result)
    assert "lines left out" in text(result)


async def test_a_failure_with_a_long_message_is_within_the_cap_too(runtime: QuickJSRuntime) -> None:
    program = (
        "for (let i = 0; i < 300; i++) console.log('line', i); throw new Error('m'.repeat(9000))"
    )
    result = await run(registry_of(runtime, output_bytes=1_000), program)
    assert text(result).startswith("Error: code run failed (exception): ")
    assert size(text(result)) <= 1_000


def work(function: Callable[[], object]) -> int:
    """How many Python calls a function makes."""
    calls = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(None)
    return calls


def test_cutting_a_value_is_not_much_more_work_than_writing_it() -> None:
    value: Any = "x"
    for _ in range(7):
        value = dict.fromkeys("abc", value)
    assert work(lambda: cut_value(value, 1_000)) < 5 * work(lambda: pretty(value))
