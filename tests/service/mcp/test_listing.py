"""Tool lists: paging, and reading them entry by entry."""

import json
from pathlib import Path
from typing import Any

import pytest

from codemode.registry import ToolRegistry
from codemode.runtime import JsonValue
from codemode.service.mcp import StdioServer
from codemode.service.mcp._listing import (
    MOST_BYTES,
    MOST_TOOLS,
    Listing,
    ProtocolError,
    fetch_entries,
    read_listing,
)
from codemode.service.mcp._secrets import Secrets

from .kit import fleet, scripted, tool, value

pytestmark = pytest.mark.anyio


class Pages:
    """A server's answers by cursor; ``None`` is the first page."""

    def __init__(self, pages: dict[str | None, dict[str, Any]]) -> None:
        self._pages = pages
        self.asked: list[object] = []

    async def request(self, method: str, params: dict[str, JsonValue]) -> dict[str, JsonValue]:
        assert method == "tools/list"
        cursor = params.get("cursor")
        assert cursor is None or isinstance(cursor, str)
        self.asked.append(cursor)
        return self._pages[cursor]


class Endless:
    """A new cursor each time."""

    async def request(self, method: str, params: dict[str, JsonValue]) -> dict[str, JsonValue]:
        page = int(str(params.get("cursor", "0")))
        return {"tools": [tool(f"t{page}_{i}") for i in range(90)], "nextCursor": str(page + 1)}


async def test_a_list_of_more_bytes_than_any_is_read_as_far_as_they_go() -> None:
    large = {**tool("large"), "description": "x" * (MOST_BYTES // 3)}
    pages = Pages({None: {"tools": [tool("small"), large, large, large, tool("late")]}})
    entries, warnings = await fetch_entries(pages)
    assert names(entries) == ["small", "large", "large"]
    assert warnings == [
        f"its tool list has more than {MOST_BYTES} bytes: reading stopped at 3 tools"
    ]


async def test_an_entry_that_cannot_be_measured_is_left_out_and_told() -> None:
    deep: JsonValue = {}
    for _ in range(5_000):
        deep = {"x": deep}
    pages = Pages(
        {
            None: {
                "tools": [
                    {**tool("deep"), "inputSchema": deep},
                    {**tool("long"), "inputSchema": {"minimum": 10**5000}},
                    tool("good"),
                ]
            }
        }
    )
    entries, warnings = await fetch_entries(pages)
    assert names(entries) == ["good"]
    assert len(warnings) == 2
    assert all(w.startswith("an entry of its tool list is left out: ") for w in warnings)


def page(*names: str, **fields: Any) -> dict[str, Any]:
    return {"tools": [tool(name) for name in names], **fields}


def listing(*entries: object, **options: Any) -> Listing:
    server = StdioServer(name="s", command="none", **options)
    return read_listing(server, "s__", "exact", entries, Secrets(server))


def names(entries: list[JsonValue]) -> list[object]:
    return [entry["name"] for entry in entries if isinstance(entry, dict)]


async def test_pages_are_read_until_there_is_no_cursor() -> None:
    pages = Pages({None: page("a", nextCursor="1"), "1": page("b", nextCursor="2"), "2": page("c")})
    entries, warnings = await fetch_entries(pages)
    assert (names(entries), warnings) == (["a", "b", "c"], [])


async def test_an_empty_cursor_is_a_cursor() -> None:
    pages = Pages({None: page("a", nextCursor=""), "": page("b")})
    entries, warnings = await fetch_entries(pages)
    assert (names(entries), warnings, pages.asked) == (["a", "b"], [], [None, ""])


async def test_a_null_cursor_ends_the_list() -> None:
    entries, warnings = await fetch_entries(Pages({None: page("a", nextCursor=None)}))
    assert (names(entries), warnings) == (["a"], [])


@pytest.mark.parametrize("cursor", ["x", ""])
async def test_reading_stops_at_a_cursor_that_comes_again(cursor: str) -> None:
    pages = Pages({None: page("a", nextCursor=cursor), cursor: page("a", nextCursor=cursor)})
    entries, warnings = await fetch_entries(pages)
    assert len(warnings) == 1
    assert "same cursor" in warnings[0]
    assert [each.name for each in listing(*entries).tools] == ["a"]


async def test_reading_stops_when_a_list_has_no_end() -> None:
    entries, warnings = await fetch_entries(Endless())
    assert len(entries) == MOST_TOOLS
    assert "no end" in warnings[0]


async def test_a_later_page_that_is_no_list_keeps_the_pages_before() -> None:
    pages = Pages({None: page("a", nextCursor="1"), "1": {"tools": 5}})
    entries, warnings = await fetch_entries(pages)
    assert names(entries) == ["a"]
    assert "page 2" in warnings[0]


async def test_a_first_page_that_is_no_list_is_a_protocol_error() -> None:
    with pytest.raises(ProtocolError, match="no list"):
        await fetch_entries(Pages({None: {}}))


async def test_a_cursor_that_is_no_text_ends_the_list_with_a_warning() -> None:
    entries, warnings = await fetch_entries(Pages({None: page("a", nextCursor=7)}))
    assert (names(entries), len(warnings)) == (["a"], 1)


@pytest.mark.parametrize(
    "bad",
    [None, 7, "text", [], {}, {"name": 5}, {"name": ""}, {"name": "\ud800"}, {"name": "a\u202eb"}],
    ids=repr,
)
def test_an_entry_that_is_no_tool_costs_only_itself(bad: object) -> None:
    made = listing(tool("before"), bad, tool("after"))
    assert [each.name for each in made.tools] == ["before", "after"]
    assert len(made.warnings) == 1
    assert "left out" in made.warnings[0]


@pytest.mark.parametrize("schema", [None, 5, [], {"type": "array"}, {"type": ["object", "null"]}])
def test_a_tool_without_a_usable_input_schema_takes_any_object(schema: object) -> None:
    made = listing({"name": "a", "inputSchema": schema})
    assert made.tools[0].parameters == {"type": "object"}
    assert "inputSchema" in made.warnings[0]


def test_a_schema_that_is_nested_without_end_is_left_out() -> None:
    deep: Any = {}
    for _ in range(400):
        deep = {"items": deep}
    made = listing(tool("a", outputSchema=deep), {"name": "b", "inputSchema": deep}, tool("c"))
    assert [each.name for each in made.tools] == ["a", "b", "c"]
    assert len(made.warnings) == 2


def test_a_tool_seen_twice_is_kept_once_and_told_only_if_it_differs() -> None:
    made = listing(tool("a"), tool("a"), tool("a", description="another"))
    assert [(each.name, each.description) for each in made.tools] == [("a", "")]
    assert len(made.warnings) == 1
    assert "twice" in made.warnings[0]


def test_globs_choose_tools_by_the_servers_own_names() -> None:
    entries = [tool(name) for name in ("get_a", "get_b", "set_a")]
    made = listing(*entries, include=["get_*"], exclude=["*_b"])
    assert [each.name for each in made.tools] == ["get_a"]


def test_references_that_lead_nowhere_are_told_once_and_taken_out() -> None:
    schema = {
        "type": "object",
        "properties": {
            "a": {"$ref": "#/$defs/No"},
            "b": {"$ref": "#/$defs/Yes"},
            "c": {"$ref": "#/x"},
        },
        "$defs": {"Yes": {"type": "string"}},
    }
    made = listing(tool("a", outputSchema=schema))
    assert len(made.warnings) == 1
    assert "#/$defs/No" in made.warnings[0]
    output = made.tools[0].output
    assert output is not None
    assert output["properties"] == {"a": {}, "b": {"$ref": "#/$defs/Yes"}, "c": {}}


def test_the_wrapper_of_fastmcp_is_taken_off_the_schema() -> None:
    schema = {
        "type": "object",
        "properties": {"result": {"type": "array", "items": {"$ref": "#/$defs/N"}}},
        "$defs": {"N": {"type": "integer"}},
        "x-fastmcp-wrap-result": True,
    }
    made = listing(tool("a", outputSchema=schema)).tools[0]
    assert made.is_wrapped
    assert made.output == {
        "type": "array",
        "items": {"$ref": "#/$defs/N"},
        "$defs": {"N": {"type": "integer"}},
    }


def test_hints_that_are_not_true_or_false_count_for_nothing() -> None:
    made = listing(tool("a", annotations={"readOnlyHint": "yes", "destructiveHint": True}))
    hints = made.tools[0].hints
    assert (hints.read_only, hints.destructive) == (None, True)
    assert "readOnlyHint" in made.warnings[0]


def test_half_characters_in_a_description_are_replaced() -> None:
    made = listing(tool("a", description="x\ud800y"))
    assert made.tools[0].description == "x\ufffdy"


def test_many_warnings_are_cut() -> None:
    assert len(listing(*[None] * 500).warnings) == 51


async def test_a_list_whose_line_the_sdk_cannot_read_is_read_all_the_same(tmp_path: Path) -> None:
    tools = [tool("good"), tool("half \ud800"), tool("also", description="\udfff")]
    registry = ToolRegistry()
    async with fleet(registry, scripted(tmp_path, "s", {"tools": tools})) as servers:
        await servers.wait_settled()
        assert [each.name for each in servers.tools()] == ["good", "also"]
        assert "surrogate" in servers.status()[0].warnings[0]
        json.dumps(registry.sdk_text(), ensure_ascii=False).encode()


async def test_an_endless_list_of_a_process_is_stopped(tmp_path: Path) -> None:
    registry = ToolRegistry()
    async with fleet(registry, scripted(tmp_path, "s", {"endless": 100})) as servers:
        await servers.wait_settled()
        status = servers.status()[0]
        assert (status.state, status.tools) == ("ready", MOST_TOOLS)
        assert await value(registry, "s__t3_7", {"a": 1}) == {"a": 1}


async def test_a_server_without_tools_is_ready(tmp_path: Path) -> None:
    error = {"error": {"code": -32601, "message": "Method not found"}}
    scenario = {"pages": {"-": error}}
    async with fleet(ToolRegistry(), scripted(tmp_path, "s", scenario)) as servers:
        await servers.wait_settled()
        assert [(s.state, s.warnings) for s in servers.status()] == [
            ("ready", ("it has no tools",))
        ]
