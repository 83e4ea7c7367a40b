"""What a raw result means to a program, and to the model."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemode.registry import ToolError, ToolOutput
from codemode.runtime import JsonValue
from codemode.service.mcp import StdioServer
from codemode.service.mcp._result import read_result
from codemode.service.mcp._secrets import Secrets
from codemode.service.mcp._tool import McpTool, read_tool

SECRETS = Secrets(StdioServer(name="s", command="none"))
IMAGE = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
LINK = {"type": "resource_link", "uri": "file:///a", "name": "a"}
RESOURCE = {"type": "resource", "resource": {"uri": "file:///a", "text": "hi"}}


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


def of(output: object = None) -> McpTool:
    entry: dict[str, object] = {"name": "find", "inputSchema": {"type": "object"}}
    if output is not None:
        entry["outputSchema"] = output
    return read_tool("s", entry, SECRETS)


def value_of(raw: dict[str, Any], output: object = None) -> object:
    return read_result(of(output), raw).value


def error_of(raw: dict[str, Any], output: object = None) -> str:
    with pytest.raises(ToolError) as caught:
        read_result(of(output), raw)
    return caught.value.message


WRAPPED = {
    "type": "object",
    "properties": {"result": {"type": "integer"}},
    "required": ["result"],
    "x-fastmcp-wrap-result": True,
}


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ({"content": [], "structuredContent": None}, None),
        ({"content": []}, ""),
        ({}, ""),
        ({"content": None}, ""),
        ({"content": [], "structuredContent": [1, 2]}, [1, 2]),
        ({"structuredContent": {"a": 1}}, {"a": 1}),
        ({"content": [text('{"b":2}')], "structuredContent": {"a": 1}}, {"a": 1}),
        ({"content": [text('{"b":2}')]}, {"b": 2}),
        ({"content": [text(" [1,2] ")]}, [1, 2]),
        ({"content": [text("{not json}")]}, "{not json}"),
        ({"content": [text("42")]}, "42"),
        ({"content": [text("0042")]}, "0042"),
        ({"content": [text("null")]}, "null"),
        ({"content": [text("a"), text("b")]}, "a\nb"),
        ({"content": [text("{}"), text("{}")]}, "{}\n{}"),
        ({"content": "plain"}, "plain"),
        ({"content": [IMAGE]}, [IMAGE]),
        ({"content": [text("see"), IMAGE, LINK, RESOURCE]}, [text("see"), IMAGE, LINK, RESOURCE]),
        ({"content": [{"type": "new", "x": 1}]}, {"type": "new", "x": 1}),
        ({"content": [text('{"n":NaN}')]}, '{"n":NaN}'),
        ({"content": [text('{"n":1e400}')]}, '{"n":1e400}'),
        ({"content": [text('{"n":9007199254740993}')]}, {"n": 9007199254740993}),
        ({"content": [text("[" * 100_000)]}, "[" * 100_000),
        ({"content": [text('{"n":' + "9" * 5_000 + "}")]}, '{"n":' + "9" * 5_000 + "}"),
    ],
    ids=lambda raw: repr(raw)[:60],
)
def test_the_table_of_results(raw: dict[str, Any], value: object) -> None:
    found = value_of(raw)
    assert found == value
    assert type(found) is type(value)


def test_null_and_absent_are_told_apart_under_an_output_schema() -> None:
    schema = {"type": ["object", "null"]}
    assert value_of({"content": [], "structuredContent": None}, schema) is None
    assert value_of({"content": []}, schema) == ""


def test_the_wrapper_of_fastmcp_is_taken_off_the_value() -> None:
    assert value_of({"structuredContent": {"result": 7}}, WRAPPED) == 7
    assert value_of({"structuredContent": {"result": None}}, WRAPPED) is None
    assert value_of({"structuredContent": {"result": 7, "more": 1}}, WRAPPED) == {
        "result": 7,
        "more": 1,
    }


def test_a_wrapped_number_that_came_as_text_is_a_number() -> None:
    assert value_of({"content": [text("9007199254740993")]}, WRAPPED) == 9007199254740993


def test_an_object_with_a_result_is_left_as_it_is_without_the_mark() -> None:
    schema = {"type": "object", "properties": {"result": {"type": "integer"}}}
    assert value_of({"structuredContent": {"result": 7}}, schema) == {"result": 7}


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_structured_content_comes_through_as_it_is(value: JsonValue) -> None:
    assert value_of({"structuredContent": value}) == value


@given(
    st.dictionaries(
        st.text(), st.integers() | st.text() | st.floats(allow_nan=False, allow_infinity=False)
    )
)
def test_json_texts_come_through_as_their_value(value: JsonValue) -> None:
    assert value_of({"content": [text(json.dumps(value))]}) == value


def test_the_model_reads_the_blocks_as_they_were_sent() -> None:
    raw: dict[str, Any] = {"content": [text("see"), IMAGE], "structuredContent": 1}
    made: ToolOutput = read_result(of(), raw)
    assert made.content is not None
    assert len(made.content) == 2


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ({"isError": True, "content": [text("no such item 42")]}, "no such item 42"),
        (
            {"isError": True, "content": [text("quota")], "structuredContent": {"code": 429}},
            "quota",
        ),
        ({"isError": True, "content": [], "structuredContent": {"code": 429}}, '{"code": 429}'),
    ],
)
def test_an_error_is_its_text_whatever_the_output_schema(
    raw: dict[str, Any], expected: str
) -> None:
    schema = {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}}
    assert error_of(raw, schema) == expected


@pytest.mark.parametrize("content", [[], [text("  ")], None])
def test_an_error_without_a_text_names_the_tool_and_the_server(content: object) -> None:
    told = error_of({"isError": True, "content": content})
    assert '"find"' in told
    assert '"s"' in told


def test_a_long_error_is_cut() -> None:
    assert len(error_of({"isError": True, "content": [text("x" * 100_000)]})) < 10_000


def test_a_result_that_wants_a_person_is_an_error() -> None:
    assert "input from a person" in error_of({"resultType": "input_required", "inputRequests": {}})
