"""Cards as values, and as JSON."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemode.registry.content import ImageBlock, OtherBlock, TextBlock
from codemode.registry.presentation import (
    TOOL_KINDS,
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
    call_view_from_json,
    result_view_from_json,
    view_to_json,
)

TEXT = st.text(st.characters(), max_size=12)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
BLOCKS = st.lists(
    st.builds(TextBlock, TEXT)
    | st.builds(ImageBlock, TEXT, TEXT)
    | st.just(OtherBlock({"type": "audio", "data": "AAAA", "mimeType": "audio/wav"})),
    max_size=3,
).map(tuple)
PLACES = st.lists(
    st.builds(Location, path=TEXT, line=st.none() | st.integers(0, 2**32 - 1)), max_size=3
).map(tuple)
DIFFS = st.lists(
    st.builds(FileDiff, path=TEXT, old_text=st.none() | TEXT, new_text=TEXT), max_size=3
).map(tuple)
CALLS = (
    st.builds(
        GenericCall,
        title=TEXT,
        kind=st.sampled_from(TOOL_KINDS),
        raw_input=JSON,
        content=BLOCKS,
        locations=PLACES,
    )
    | st.builds(TerminalCall, title=TEXT, description=st.none() | TEXT, cwd=st.none() | TEXT)
    | st.builds(DiffCall, title=TEXT, diffs=DIFFS, locations=PLACES)
)
RESULTS = (
    st.builds(GenericResult, title=st.none() | TEXT, content=st.none() | BLOCKS)
    | st.builds(
        TerminalResult,
        title=st.none() | TEXT,
        output=st.none() | TEXT,
        exit_code=st.none() | st.integers(),
        signal=st.none() | TEXT,
    )
    | st.builds(DiffResult, title=st.none() | TEXT, diffs=DIFFS)
)


@given(CALLS)
def test_a_call_view_survives_its_json(view: ToolCallView) -> None:
    assert call_view_from_json(json.loads(json.dumps(view_to_json(view)))) == view


@given(RESULTS)
def test_a_result_view_survives_its_json(view: ToolResultView) -> None:
    assert result_view_from_json(json.loads(json.dumps(view_to_json(view)))) == view


def test_the_json_has_the_wire_names() -> None:
    call = DiffCall(title="Edit", diffs=(FileDiff(path="a", old_text=None, new_text="n"),))
    assert view_to_json(call) == {
        "card": "diff",
        "title": "Edit",
        "diffs": [{"path": "a", "oldText": None, "newText": "n"}],
    }
    assert view_to_json(TerminalResult(output="", exit_code=0)) == {
        "card": "terminal",
        "output": "",
        "exitCode": 0,
    }
    assert view_to_json(GenericResult(content=())) == {"card": "generic", "content": []}


@pytest.mark.parametrize(
    "junk",
    [
        None,
        7,
        "generic",
        [],
        {},
        {"card": "hologram", "title": "x"},
        {"card": ["generic"]},
        {"card": "generic"},
        {"card": "generic", "title": 3},
        {"card": "generic", "title": "t", "kind": "knit"},
        {"card": "generic", "title": "t", "kind": ["read"]},
        {"card": "generic", "title": "t", "content": "text"},
        {"card": "generic", "title": "t", "content": [{"type": "hologram"}]},
        {"card": "generic", "title": "t", "locations": [{"path": "a", "line": -1}]},
        {"card": "generic", "title": "t", "locations": [{"path": "a", "line": True}]},
        {"card": "generic", "title": "t", "locations": [7]},
        {"card": "generic", "title": "t", "locations": {}},
        {"card": "terminal", "title": "t", "cwd": 5},
        {"card": "diff", "title": "t"},
        {"card": "diff", "title": "t", "diffs": [{"path": "a", "oldText": "x"}]},
    ],
)
def test_junk_is_no_call_view(junk: object) -> None:
    assert call_view_from_json(junk) is None


@pytest.mark.parametrize(
    "junk",
    [
        None,
        {"card": "terminal", "exitCode": "1"},
        {"card": "terminal", "exitCode": True},
        {"card": "diff", "diffs": None},
        {"card": "generic", "content": [None]},
        {"card": "no"},
    ],
)
def test_junk_is_no_result_view(junk: object) -> None:
    assert result_view_from_json(junk) is None


@given(JSON)
def test_reading_never_raises(value: object) -> None:
    call_view_from_json(value)
    result_view_from_json(value)
    for card in ("generic", "terminal", "diff"):
        call_view_from_json({"card": card, "title": value, "diffs": value, "content": value})
        result_view_from_json({"card": card, "diffs": value, "content": value, "output": value})


def test_lists_become_tuples() -> None:
    places: Any = [Location(path="a")]
    assert GenericCall(title="t", locations=places).locations == (Location(path="a"),)


def bad(make: Any, **fields: Any) -> tuple[Any, dict[str, Any]]:
    return make, fields


@pytest.mark.parametrize(
    ("made", "error", "says"),
    [
        (bad(GenericCall, title=4), TypeError, "GenericCall.title must be text, not int"),
        (bad(GenericCall, title="t", kind="reed"), ValueError, "must be one of read, edit"),
        (bad(GenericCall, title="t", content="x"), TypeError, "content must be a tuple of"),
        (bad(GenericCall, title="t", content=["x"]), TypeError, r"content\[0\] must be a TextB"),
        (bad(GenericCall, title="t", locations=["a"]), TypeError, r"locations\[0\] must be a Lo"),
        (bad(Location, path="a", line=-1), ValueError, "Location.line must be in 0"),
        (bad(Location, path="a", line=1.5), TypeError, "must be a whole number, not float"),
        (bad(Location, path="a", line=True), TypeError, "must be a whole number, not bool"),
        (bad(Location, path=None), TypeError, "Location.path must be text"),
        (bad(TerminalCall, title="t", cwd=b"/"), TypeError, "TerminalCall.cwd must be text"),
        (bad(DiffCall, title="t", diffs=[1]), TypeError, r"diffs\[0\] must be a FileDiff"),
        (bad(DiffResult, diffs=None), TypeError, "DiffResult.diffs must be a tuple of FileDiff"),
        (bad(FileDiff, path="a", old_text=None, new_text=None), TypeError, "new_text must be text"),
        (bad(TerminalResult, exit_code="0"), TypeError, "exit_code must be a whole number"),
        (bad(GenericResult, title=1), TypeError, "GenericResult.title must be text"),
    ],
)
def test_a_wrong_view_cannot_be_made(
    made: tuple[Any, dict[str, Any]], error: type[Exception], says: str
) -> None:
    make, fields = made
    with pytest.raises(error, match=says):
        make(**fields)
