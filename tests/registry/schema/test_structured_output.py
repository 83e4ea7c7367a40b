"""The schema subset for structured output, and values under it."""

import contextlib
import datetime
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codemode.registry.errors import OutputSchemaError
from codemode.registry.schema import assert_supported_output_schema, validate_structured_value

Schema = dict[str, object]
EMPTY: list[object] = []
ANY: Schema = {}
Forged = type("Forged", (dict,), {})


def violations(schema: object) -> tuple[str, ...]:
    with pytest.raises(OutputSchemaError) as caught:
        assert_supported_output_schema(schema)
    return caught.value.violations


def under(schema: object) -> Schema:
    return {"type": "object", "properties": {"x": schema}}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object"},
        under({"type": "string", "enum": ["a"], "title": "t", "description": "d"}),
        under({"type": "integer", "const": 1, "default": {"a": [None]}, "examples": [1, "x"]}),
        under({"type": "array", "items": {"type": "null"}}),
        under({"type": "array"}),
        {
            "type": "object",
            "properties": {"toString": {"type": "boolean"}},
            "required": ["toString"],
        },
        {"type": "object", "additionalProperties": False},
    ],
)
def test_the_subset_is_accepted(schema: Schema) -> None:
    assert_supported_output_schema(schema)


@pytest.mark.parametrize(
    ("schema", "violation"),
    [
        ({"type": "string"}, 'schema.type must be "object" (structured output is object-rooted)'),
        (5, "schema must be a schema object"),
        (Forged(type="object"), "schema must be a schema object"),
        (under(True), "schema.properties.x must be a schema object"),
        (under({"type": ["string", "null"]}), "schema.properties.x.type must be a single type"),
        (under({"type": "any"}), "schema.properties.x.type must be one of"),
        (under(ANY), "schema.properties.x.type must be one of"),
        (
            under({"type": "string", "pattern": "a"}),
            'schema.properties.x has an unsupported keyword "pattern"',
        ),
        ({"type": "object", "items": {}}, 'schema.items is not supported on type "object"'),
        ({"type": "object", "enum": [1]}, 'schema.enum is not supported on type "object"'),
        (
            under({"type": "array", "const": 1}),
            'schema.properties.x.const is not supported on type "array"',
        ),
        (
            under({"type": "null", "required": EMPTY}),
            'schema.properties.x.required is not supported on type "null"',
        ),
        ({"type": "object", "required": "x"}, "schema.required must be an array of strings"),
        ({"type": "object", "required": [1]}, "schema.required must be an array of strings"),
        (
            {"type": "object", "required": ["toString"]},
            'schema.required names "toString", which is not',
        ),
        (
            {"type": "object", "additionalProperties": {}},
            "schema.additionalProperties must be a boolean",
        ),
        ({"type": "object", "properties": []}, "schema.properties must be an object of schemas"),
        (
            under({"type": "string", "enum": EMPTY}),
            "schema.properties.x.enum must be a non-empty array",
        ),
        (
            under({"type": "string", "enum": [EMPTY]}),
            "schema.properties.x.enum must be a non-empty array",
        ),
        (
            under({"type": "number", "const": math.nan}),
            "schema.properties.x.const must be a scalar",
        ),
        (under({"type": "number", "const": ANY}), "schema.properties.x.const must be a scalar"),
        ({"type": "object", "title": 5}, "schema.title must be a string"),
        ({"type": "object", "description": None}, "schema.description must be a string"),
        (
            {"type": "object", "default": datetime.date(2026, 1, 1)},
            "schema.default must be JSON data",
        ),
        ({"type": "object", "examples": [{1: 2}]}, "schema.examples must be JSON data"),
        ({"type": "object", "examples": [-0.0]}, "schema.examples must be JSON data"),
    ],
)
def test_what_would_not_be_enforced_is_refused(schema: object, violation: str) -> None:
    (found,) = violations(schema)
    assert found.startswith(violation)


def test_every_violation_is_listed_in_the_message() -> None:
    schema = {"type": "object", "title": 1, "properties": {"a": 1, "b": {"type": "string", "x": 1}}}
    assert len(violations(schema)) == 3
    with pytest.raises(
        OutputSchemaError, match=r"^unsupported output schema: schema\.title .*; .*; "
    ):
        assert_supported_output_schema(schema)


def test_the_root_s_type_is_reported_only_when_nothing_else_is_wrong() -> None:
    assert violations({"type": "array", "items": 5}) == ("schema.items must be a schema object",)


def test_a_cycle_is_refused_and_the_same_schema_twice_is_not() -> None:
    shared: Schema = {"type": "string"}
    assert_supported_output_schema({"type": "object", "properties": {"a": shared, "b": shared}})
    ring: Schema = {"type": "array"}
    ring["items"] = ring
    assert violations(under(ring)) == ("schema.properties.x.items is circular",)


def test_deep_schemas_and_values_do_not_overflow() -> None:
    schema: Schema = {"type": "integer"}
    value: object = "leaf"
    for _ in range(5_000):
        schema, value = {"type": "array", "items": schema}, [value]
    assert_supported_output_schema(under(schema))
    (found,) = validate_structured_value(under(schema), {"x": value})
    assert found.endswith('" must be an integer')


@pytest.mark.parametrize(
    ("schema", "value", "violation"),
    [
        ({"type": "string"}, 1, '"value.x" must be a string'),
        ({"type": "number"}, math.nan, '"value.x" must be a finite number'),
        ({"type": "number"}, math.inf, '"value.x" must be a finite number'),
        ({"type": "number"}, -0.0, '"value.x" must be a finite number'),
        ({"type": "number"}, True, '"value.x" must be a finite number'),
        ({"type": "integer"}, 1.5, '"value.x" must be an integer'),
        ({"type": "integer"}, True, '"value.x" must be an integer'),
        ({"type": "integer"}, 3.0, None),
        ({"type": "boolean"}, 0, '"value.x" must be a boolean'),
        ({"type": "null"}, False, '"value.x" must be null'),
        ({"type": "object"}, [], '"value.x" must be an object'),
        ({"type": "object"}, Forged(), '"value.x" must be an object'),
        ({"type": "array"}, [1, "a"], None),
        ({"type": "array"}, {}, '"value.x" must be an array'),
        ({"type": "array"}, (1,), '"value.x" must be an array'),
        ({"type": "array", "items": {"type": "null"}}, [None, 1], '"value.x[1]" must be null'),
        ({"type": "string", "enum": ["a", "b"]}, "c", '"value.x" must be one of ["a","b"]'),
        ({"type": "number", "enum": [1]}, 1.0, None),
        ({"type": "number", "const": 1}, 2, '"value.x" must be 1'),
        ({"type": "string", "const": "é"}, "e", '"value.x" must be "é"'),
        ({"type": "null", "const": None}, None, None),
    ],
)
def test_a_value_is_checked_with_its_path(
    schema: Schema, value: object, violation: str | None
) -> None:
    found = validate_structured_value(under(schema), {"x": value})
    assert found == ([] if violation is None else [violation])


def test_required_and_undeclared_properties_are_told() -> None:
    schema: Schema = {**under({"type": "string"}), "required": ["x"], "additionalProperties": False}
    assert validate_structured_value(schema, {"y": 1}) == [
        'missing required property "value.x"',
        '"value.y" is not a declared property (additionalProperties: false)',
    ]
    assert validate_structured_value(schema, []) == ['"value" must be an object']


def test_undeclared_properties_are_allowed_unless_said() -> None:
    assert validate_structured_value(under({"type": "string"}), {"y": object()}) == []


def test_only_own_properties_count() -> None:
    schema: Schema = {
        "type": "object",
        "properties": {"items": {"type": "null"}},
        "required": ["items"],
    }
    assert validate_structured_value(schema, {}) == ['missing required property "value.items"']


class Hostile:
    def __getattribute__(self, name: str) -> object:
        raise ValueError(name)


def test_a_hostile_object_is_a_violation() -> None:
    assert validate_structured_value(under({"type": "string"}), {"x": Hostile()}) == [
        '"value.x" must be a string'
    ]
    assert len(violations({"type": "object", "default": Hostile(), "properties": Hostile()})) == 2


def test_a_ring_in_the_value_is_not_followed_further_than_the_schema() -> None:
    ring: list[object] = []
    ring.append(ring)
    schema = under({"type": "array", "items": {"type": "string"}})
    assert validate_structured_value(schema, {"x": ring}) == ['"value.x[0]" must be a string']


KEYS = ["type", "properties", "items", "enum", "const", "required", "additionalProperties", "x"]
JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.floats()
    | st.sampled_from(["object", "array", "x"])
    | st.builds(object),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner),
    max_leaves=8,
)


@settings(max_examples=100, deadline=None)
@given(JUNK, JUNK)
def test_neither_function_raises_anything_else(schema: object, value: object) -> None:
    assert all(type(text) is str for text in validate_structured_value(schema, value))
    with contextlib.suppress(OutputSchemaError):
        assert_supported_output_schema(schema)


def test_violations_are_bounded_in_number() -> None:
    schema = under({"type": "array", "items": {"type": "null"}})
    found = validate_structured_value(schema, {"x": [1] * 5_000})
    assert len(found) == 1_001
    assert found[-1] == '"value" is not checked further'


def test_a_ring_in_an_annotation_is_not_json() -> None:
    ring: list[object] = []
    ring.append(ring)
    assert violations({"type": "object", "examples": ring}) == (
        "schema.examples must be JSON data",
    )
    assert_supported_output_schema({"type": "object", "examples": [EMPTY, EMPTY]})
