"""json_schema_to_ts: the original's text for the original's schemas, and nothing that stops it."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codemode.sdkgen import json_schema_to_ts

from .strategies import json_values, schemas


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"type": "string"}, "string"),
        ({"type": "number"}, "number"),
        ({"type": "boolean"}, "boolean"),
        ({"type": "string", "enum": ["a", "b"]}, '"a" | "b"'),
        ({"type": "string", "enum": ["only"]}, '"only"'),
        ({"type": "string", "enum": ["a", "a"]}, '"a" | "a"'),
        ({"type": "string", "enum": []}, "string"),
        (
            {"type": "string", "enum": ['say "hi"', "it's", "x\ny"]},
            '"say \\"hi\\"" | "it\'s" | "x\\ny"',
        ),
        ({"type": "string", "enum": ["olá", "😀", "\ud800"]}, '"olá" | "😀" | "\\ud800"'),
        ({"enum": []}, "unknown"),
        ({"type": "array"}, "unknown[]"),
        ({"type": "array", "items": {"type": "number"}}, "number[]"),
        ({"type": "array", "items": {"type": "string", "enum": ["x", "y"]}}, '("x" | "y")[]'),
        (
            {"type": "array", "items": {"type": "array", "items": {"enum": ["x", "y"]}}},
            '("x" | "y")[][]',
        ),
        ({"type": "array", "items": {"type": "array", "items": {"type": "string"}}}, "string[][]"),
        ({"type": "object"}, "Record<string, unknown>"),
        ({"type": "object", "properties": {}}, "Record<string, unknown>"),
        ({"type": "object", "additionalProperties": False}, "Record<string, unknown>"),
        ({"type": "object", "properties": {"weird": 5}}, "{\n  weird?: unknown;\n}"),
        ({"type": "string", "format": "uri"}, "string"),
        ({}, "unknown"),
        (True, "unknown"),
        (None, "unknown"),
        ("str", "unknown"),
    ],
)
def test_the_original_subset_has_the_original_text(schema: object, text: str) -> None:
    assert json_schema_to_ts(schema) == text


def test_members_stand_as_javascript_enumerates_them() -> None:
    schema: Any = {"type": "object", "properties": {"b": {}, "10": {}, "2": {}, "a": {}, "01": {}}}
    keys = [line.split("?")[0].strip() for line in json_schema_to_ts(schema).splitlines()[1:-1]]
    assert keys == ['"2"', '"10"', "b", "a", '"01"']


def test_white_space_collapses_as_javascript_sees_it() -> None:
    """U+0085 is no white space there, U+FEFF is."""
    schema = {"type": "object", "properties": {"a": {"description": "\ufeffx\u00a0\t y\u0085z "}}}
    assert "/** x y\u0085z */" in json_schema_to_ts(schema)


def test_a_recursive_type_is_unrolled_once_or_named() -> None:
    tree = {
        "$ref": "#/$defs/Tree",
        "$defs": {"Tree": {"type": "object", "properties": {"kid": {"$ref": "#/$defs/Tree"}}}},
    }
    assert json_schema_to_ts(tree) == "{\n  kid?: unknown;\n}"
    named: dict[str, str] = {"Tree": "string"}
    assert json_schema_to_ts(tree, named=named) == "Tree2"
    assert named == {"Tree": "string", "Tree2": "{\n  kid?: Tree2;\n}"}


@given(schemas | json_values)
@settings(max_examples=400)
def test_every_json_value_gives_one_text(schema: object) -> None:
    text = json_schema_to_ts(schema)
    assert text
    assert text == json_schema_to_ts(schema)
    assert len(text) < 100_000
    assert "```" not in text
    text.encode()  # no lone surrogate


@given(schemas)
@settings(max_examples=200)
def test_names_hold_all_that_is_not_spelled_out(schema: object) -> None:
    named: dict[str, str] = {}
    text = json_schema_to_ts(schema, named=named)
    assert text
    assert all(body and "```" not in body for body in named.values())


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), pytest.param(10**5000, id="huge"), {1, 2}, b"x"],
)
def test_values_that_are_not_json_do_no_harm(value: Any) -> None:
    assert json_schema_to_ts({"enum": [value, "a"]}) in ('number | "a"', '"a"')
    assert json_schema_to_ts({"type": value, "properties": {value if value == 1 else "a": value}})
    assert json_schema_to_ts({"properties": {1: {"type": "string"}, "a": {}}, "type": "object"})


def test_a_schema_that_contains_itself_as_an_object_ends() -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {}}
    schema["properties"] = {"a": schema, "b": {"anyOf": [schema, schema]}}
    assert json_schema_to_ts(schema).startswith("{")


@given(st.integers(1, 40))
def test_shared_parts_cost_once(depth: int) -> None:
    """Each step would double the text."""
    defs: dict[str, Any] = {"d0": {"type": "string"}}
    for at in range(depth):
        ref = {"$ref": f"#/$defs/d{at}"}
        defs[f"d{at + 1}"] = {"type": "object", "properties": {"l": ref, "r": ref}}
    text = json_schema_to_ts({"$ref": f"#/$defs/d{depth}", "$defs": defs})
    assert len(text) < 400_000
