"""Whatever JSON a server sends, nothing but the documented errors comes of it."""

import contextlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp_types import jsonrpc_message_adapter
from pydantic import ValidationError

from codemode.registry import ToolError, ToolRegistry
from codemode.service.mcp import StdioServer
from codemode.service.mcp._listing import read_listing
from codemode.service.mcp._result import read_result
from codemode.service.mcp._secrets import Secrets
from codemode.service.mcp._seen import Seen
from codemode.service.mcp._stream import reread
from codemode.service.mcp._tool import read_tool
from codemode.service.mcp._toolset import ToolSet

SERVER = StdioServer(name="s", command="none", env={"API_KEY": "secret"})
SECRETS = Secrets(SERVER)
WORDS = ("name", "inputSchema", "outputSchema", "type", "object", "properties", "result", "$ref", "#/$defs/A",
    "$defs", "items", "annotations", "readOnlyHint", "x-fastmcp-wrap-result", "enum", "description", "required",
    "content", "structuredContent", "isError", "text", "image", "data", "mimeType", "_meta", "resultType",
    "jsonrpc", "2.0", "id", "error", "code", "message", "secret")  # fmt: skip
LETTERS = st.text(st.characters(), max_size=4)  # unpaired surrogates, too
NAMES = st.sampled_from(WORDS) | LETTERS
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | NAMES
ANY: st.SearchStrategy[Any] = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=5)
)
OBJECTS = st.dictionaries(NAMES, ANY, max_size=6)


def _named(name: str, rest: dict[str, Any]) -> dict[str, Any]:
    return {**rest, "name": name}


ENTRIES = st.builds(_named, st.sampled_from(["a", "b c", "\ud800", "", "d"]), OBJECTS)


async def never(*args: object) -> Any:
    raise AssertionError


@given(st.lists(ENTRIES | ANY, max_size=6))
@settings(max_examples=150)
def test_any_list_can_be_read_registered_and_told(entries: list[Any]) -> None:
    listing = read_listing(SERVER, "s__", "exact", entries, SECRETS)
    registry = ToolRegistry()
    tools = ToolSet(registry, SERVER, never, None, Seen())
    refused = tools.update(listing)
    assert len(tools) + len(refused) == len(listing.tools)
    registry.sdk_text().encode()
    assert tools.update(listing) == refused
    tools.close()
    assert registry.known_names() == frozenset()


@given(OBJECTS, st.booleans())
@settings(max_examples=200)
def test_any_result_is_an_output_or_a_tool_error(raw: dict[str, Any], is_wrapped: bool) -> None:
    schema: dict[str, Any] = {"properties": {"result": {}}, "x-fastmcp-wrap-result": is_wrapped}
    tool = read_tool("s", {"name": "a", "outputSchema": schema}, SECRETS)
    with contextlib.suppress(ToolError):
        read_result(tool, SECRETS.hide_in_data(raw))


@given(
    st.text(st.characters(exclude_categories=("Cs",)))
    | OBJECTS.map(lambda o: repr(o))
    | OBJECTS.map(str)
)
def test_any_line_is_read_again_without_an_exception(line: str) -> None:
    try:
        jsonrpc_message_adapter.validate_json(line.encode("utf-8", "replace"))
    except ValidationError as error:
        reread(error)


@pytest.mark.parametrize("depth", [100, 250, 900, 5_000, 100_000])
def test_any_depth_is_read_again_without_an_exception(depth: int) -> None:
    line = '{"jsonrpc":"2.0","id":3,"result":{"a":' + "[" * depth + "]" * depth + "}}"
    try:
        message: Any = jsonrpc_message_adapter.validate_json(line)
    except ValidationError as error:
        message = reread(error)
    assert message is not None
    assert message.id == 3
