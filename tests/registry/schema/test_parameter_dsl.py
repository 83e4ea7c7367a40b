"""The parameter DSL: its JSON Schema, the check of arguments, the check of the DSL itself."""

import contextlib
import json
import math
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codemode.registry.errors import RegistrationError
from codemode.registry.schema import (
    PropertySpec,
    SchemaSpec,
    check_schema_spec,
    compile_schema,
    schema_spec_to_json_schema,
    validate_args,
)

NESTED: SchemaSpec = {
    "a": {
        "type": "object",
        "required": True,
        "properties": {"b": {"type": "string", "required": True}, "c": {"type": "number"}},
    },
    "list": {
        "type": "array",
        "items": {"type": "object", "properties": {"k": {"type": "boolean"}}},
    },
}


def spec(**properties: object) -> SchemaSpec:
    """For the wrong specs too, which no type checker would let pass."""
    return cast("SchemaSpec", properties)


def test_required_stands_in_a_list_beside_the_properties() -> None:
    assert schema_spec_to_json_schema(NESTED) == {
        "type": "object",
        "properties": {
            "a": {
                "type": "object",
                "properties": {"b": {"type": "string"}, "c": {"type": "number"}},
                "required": ["b"],
            },
            "list": {
                "type": "array",
                "items": {"type": "object", "properties": {"k": {"type": "boolean"}}},
            },
        },
        "required": ["a"],
    }


def test_an_empty_spec_has_no_required() -> None:
    assert schema_spec_to_json_schema({}) == {"type": "object", "properties": {}}


@pytest.mark.parametrize(
    ("given_", "schema"),
    [
        (
            {"type": "string", "enum": ["a"], "default": None},
            {"type": "string", "enum": ["a"], "default": None},
        ),
        ({"type": "array"}, {"type": "array"}),
        ({"type": "object"}, {"type": "object"}),
        ({"type": "json", "description": "d"}, {"description": "d"}),
        ({"type": "null"}, {"type": "null"}),
        ({"const": 1}, {"const": 1}),
        ({"type": "integer", "enum": []}, {"type": "integer", "enum": []}),
        ({"oneOf": [{"type": "null"}, {"type": "json"}]}, {"oneOf": [{"type": "null"}, {}]}),
        (
            {"type": "object", "additionalProperties": False},
            {"type": "object", "additionalProperties": False},
        ),
        (
            {"type": "object", "additionalProperties": {"type": "string"}},
            {"type": "object", "additionalProperties": {"type": "string"}},
        ),
        (5, {}),
        ({"type": 5}, {}),
    ],
)
def test_a_property_becomes_its_schema(given_: object, schema: object) -> None:
    assert schema_spec_to_json_schema(spec(p=given_))["properties"] == {"p": schema}


def test_a_ring_becomes_an_empty_schema() -> None:
    ring: dict[str, object] = {"type": "array"}
    ring["items"] = ring
    assert schema_spec_to_json_schema(spec(p=ring))["properties"] == {
        "p": {"type": "array", "items": {}}
    }


def test_a_ring_through_two_properties_is_cut_too() -> None:
    first: dict[str, object] = {"type": "array"}
    second: dict[str, object] = {"type": "array", "items": first}
    first["items"] = second
    json.dumps(schema_spec_to_json_schema(spec(a=first, b=second)))


def test_a_property_in_many_places_is_converted_once() -> None:
    prop: PropertySpec = {"type": "string"}
    for _ in range(60):
        prop = {"oneOf": [prop, prop]}
    schema = cast(
        "dict[str, dict[str, list[object]]]", schema_spec_to_json_schema({"p": prop})["properties"]
    )
    assert len(schema["p"]["oneOf"]) == 2


@pytest.mark.parametrize("args", [[], None, "x", 1, True])
def test_arguments_must_be_an_object(args: object) -> None:
    assert validate_args({}, args) == ['"arguments" must be an object']


@pytest.mark.parametrize(
    ("args", "violations"),
    [
        ({}, ['missing required property "a"']),
        ({"a": {}}, ['missing required property "a.b"']),
        ({"a": {"b": 1, "c": "x"}}, ['"a.b" must be a string', '"a.c" must be a number']),
        ({"a": None}, ['"a" must be an object']),
        ({"a": {"b": "x"}, "list": {}}, ['"list" must be an array']),
        ({"a": {"b": "x"}, "list": [1]}, ['"list[0]" must be an object']),
        ({"a": {"b": "x"}, "list": [{}, {"k": 0}]}, ['"list[1].k" must be a boolean']),
        (
            {"list": [1], "a": {}},
            ['missing required property "a.b"', '"list[0]" must be an object'],
        ),
        ({"a": {"b": "x", "extra": 1}, "extra": 1}, []),
    ],
)
def test_violations_come_with_their_path_in_the_order_of_declaration(
    args: object, violations: list[str]
) -> None:
    assert validate_args(NESTED, args) == violations


EMPTY: list[object] = []
ANY: dict[str, object] = {}


@pytest.mark.parametrize(
    ("prop", "value", "violation"),
    [
        ({"type": "string", "enum": ["a", "b"]}, "c", '"p" must be one of ["a","b"]'),
        ({"type": "string", "enum": ["é", "b"]}, "c", '"p" must be one of ["é","b"]'),
        ({"type": "string", "enum": ["a"]}, 1, '"p" must be a string'),
        ({"type": "string", "enum": EMPTY}, "c", '"p" must be one of []'),
        ({"type": "number", "enum": [1]}, 1.0, None),
        ({"type": "number", "enum": [1.0]}, 2, '"p" must be one of [1]'),
        ({"type": "json", "enum": [1]}, True, '"p" must be one of [1]'),
        ({"type": "number"}, True, '"p" must be a number'),
        ({"type": "number"}, 1.5, None),
        ({"type": "number"}, math.nan, None),
        ({"type": "integer"}, 3.0, None),
        ({"type": "integer"}, 3.5, '"p" must be an integer'),
        ({"type": "integer"}, False, '"p" must be an integer'),
        ({"type": "null"}, 0, '"p" must be null'),
        ({"type": "json"}, [ANY], None),
        ({"type": "boolean", "const": True}, False, '"p" must be true'),
        ({"const": "x"}, "y", '"p" must be "x"'),
        ({"type": "object"}, {"any": 1}, None),
        ({"type": "array"}, [1, "a"], None),
        ({"type": "object", "enum": ["a"]}, ANY, None),
        (
            {"type": "object", "additionalProperties": False},
            {"x": 1},
            '"p.x" is not a declared property (additionalProperties: false)',
        ),
        (
            {"type": "object", "additionalProperties": {"type": "null"}},
            {"x": 1},
            '"p.x" must be null',
        ),
        ({"oneOf": [{"type": "string"}, {"type": "null"}]}, None, None),
        (
            {"oneOf": [{"type": "string"}, {"type": "null"}]},
            1,
            '"p" must match exactly one of 2 forms, matches 0',
        ),
        (
            {"oneOf": [{"type": "integer"}, {"type": "number"}]},
            1,
            '"p" must match exactly one of 2 forms, matches 2',
        ),
        ({"type": "nonsense"}, 1, None),
        (5, 1, None),
    ],
)
def test_a_value_is_checked_against_its_property(
    prop: object, value: object, violation: str | None
) -> None:
    assert validate_args(spec(p=prop), {"p": value}) == ([] if violation is None else [violation])


def test_a_required_none_is_present() -> None:
    assert validate_args({"p": {"type": "null", "required": True}}, {"p": None}) == []


def test_an_inherited_name_satisfies_nothing() -> None:
    assert validate_args({"__class__": {"type": "json", "required": True}}, {}) == [
        'missing required property "__class__"'
    ]


def test_defaults_are_not_applied() -> None:
    args: dict[str, object] = {}
    assert validate_args({"p": {"type": "string", "default": "x"}}, args) == []
    assert args == {}


def test_deep_arguments_are_checked_without_recursion() -> None:
    prop: PropertySpec = {"type": "string"}
    value: object = 5
    for _ in range(3_000):
        prop, value = {"type": "array", "items": prop}, [value]
    (found,) = validate_args({"p": prop}, {"p": value})
    assert found.endswith(" must be a string")


@pytest.mark.timeout(20)
def test_what_is_too_much_to_check_is_refused() -> None:
    prop: PropertySpec = {"type": "string"}
    for _ in range(40):
        prop = {"oneOf": [prop, prop]}
    assert validate_args({"p": prop}, {"p": 1}) == [
        '"arguments" is too large to be checked further'
    ]


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"p": {"type": "text"}}, "parameters.p.type must be one of"),
        ({"p": {}}, "parameters.p has neither a type nor oneOf, enum or const"),
        ({"p": {"type": []}}, "parameters.p.type must be one of"),
        ({"p": 5}, "parameters.p must be a plain dict, not an integer"),
        ([], "parameters must be a plain dict, not a list"),
        ({1: {"type": "string"}}, "parameters has a name that is no string: 1"),
        ({"p": {"type": "string", "required": 1}}, "parameters.p.required must be True or False"),
        ({"p": {"type": "string", "minLength": 1}}, 'parameters.p has an unknown key "minLength"'),
        (
            {"p": {"type": "string", "enum": ["a", 1]}},
            "parameters.p.enum has 1, which is not of the type",
        ),
        ({"p": {"type": "integer", "enum": [True]}}, "parameters.p.enum has true, which is not"),
        ({"p": {"type": "string", "enum": "a"}}, "parameters.p.enum must be a list"),
        ({"p": {"type": "object", "enum": [1]}}, "parameters.p.enum is for scalars"),
        ({"p": {"type": "json", "const": []}}, "parameters.p.const must hold scalars only"),
        ({"p": {"type": "string", "const": None}}, "parameters.p.const has null"),
        ({"p": {"type": "json", "default": {1}}}, "parameters.p.default must be JSON data"),
        ({"p": {"type": "json", "default": math.nan}}, "parameters.p.default must be JSON data"),
        ({"p": {"type": "string", "description": 5}}, "parameters.p.description must be a string"),
        (
            {"p": {"type": "string", "items": {"type": "null"}}},
            "parameters.p.items is for the type array",
        ),
        (
            {"p": {"type": "array", "properties": {}}},
            "parameters.p.properties is for the type object",
        ),
        ({"p": {"oneOf": [{"type": "null"}]}}, "parameters.p.oneOf must be a list of at least two"),
        (
            {"p": {"type": "null", "oneOf": [{"type": "null"}] * 2}},
            "parameters.p.oneOf stands instead",
        ),
        ({"p": {"oneOf": [{"type": "null"}, {"type": "?"}]}}, "parameters.p.oneOf[1].type must be"),
        (
            {"p": {"type": "object", "additionalProperties": 5}},
            "parameters.p.additionalProperties must",
        ),
        (
            {"p": {"type": "object", "properties": {"q": {"type": "x"}}}},
            "parameters.p.properties.q.type must be one of",
        ),
        ({"p": {"type": "array", "items": []}}, "parameters.p.items must be a plain dict"),
    ],
)
def test_a_wrong_spec_is_refused_with_its_path(wrong: object, text: str) -> None:
    with pytest.raises(RegistrationError) as caught:
        check_schema_spec(cast("SchemaSpec", wrong))
    assert str(caught.value).startswith(f"wrong parameters: {text}")


def test_every_fault_of_a_spec_is_named() -> None:
    with pytest.raises(RegistrationError, match=r"parameters\.a\.type.*parameters\.b\.type"):
        check_schema_spec(spec(a={"type": "x"}, b={"type": "y"}))


def test_a_ring_is_refused() -> None:
    ring: dict[str, object] = {"type": "array"}
    ring["items"] = ring
    with pytest.raises(RegistrationError, match=r"parameters\.p\.items is circular"):
        check_schema_spec(spec(p=ring))


def test_the_same_property_may_stand_in_two_places() -> None:
    shared: PropertySpec = {"type": "string"}
    check_schema_spec({"a": shared, "b": shared, "c": {"type": "array", "items": shared}})


def test_a_right_spec_passes() -> None:
    check_schema_spec(NESTED)
    check_schema_spec(
        {"p": {"oneOf": [{"const": 1}, {"enum": ["a", None]}], "default": {"a": [1]}}}
    )


SCALARS = st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-9, 9) | st.text(max_size=3)
KINDS = {
    "string": st.text(max_size=3),
    "number": st.integers(-9, 9) | st.floats(-9, 9),
    "integer": st.integers(-9, 9),
    "boolean": st.booleans(),
    "null": st.none(),
    "json": SCALARS,
}
Pair = tuple[dict[str, object], object]


def _leaf(name: str) -> st.SearchStrategy[Pair]:
    return KINDS[name].map(lambda value: ({"type": name}, value))


def _nest(inner: st.SearchStrategy[Pair]) -> st.SearchStrategy[Pair]:
    lists = inner.map(lambda pair: ({"type": "array", "items": pair[0]}, [pair[1], pair[1]]))
    objects = st.dictionaries(st.text(max_size=2), inner, max_size=3).map(_as_object)
    return cast("st.SearchStrategy[Pair]", lists | objects)


def _as_object(members: dict[str, Pair]) -> Pair:
    properties = {name: {**pair[0], "required": True} for name, pair in members.items()}
    return {"type": "object", "properties": properties}, {n: p[1] for n, p in members.items()}


PAIRS = st.dictionaries(
    st.text(max_size=3),
    st.recursive(st.sampled_from(sorted(KINDS)).flatmap(_leaf), _nest, max_leaves=5),
    max_size=3,
).map(_as_object)
JUNK = st.recursive(
    SCALARS | st.builds(object) | st.just(math.nan),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "items", "properties", "enum", "oneOf", "p"]), inner
        )
    ),
    max_leaves=8,
)


@settings(max_examples=80, deadline=None)
@given(PAIRS)
def test_valid_arguments_pass_here_and_under_the_json_schema(pair: Pair) -> None:
    properties = cast("SchemaSpec", pair[0]["properties"])
    check_schema_spec(properties)
    assert validate_args(properties, pair[1]) == []
    checker = compile_schema(schema_spec_to_json_schema(properties))
    assert checker.warnings == ()
    assert checker.check(pair[1]) == []


@settings(max_examples=60, deadline=None)
@given(PAIRS, st.data())
def test_dropping_a_required_key_always_fails(pair: Pair, data: st.DataObject) -> None:
    args = cast("dict[str, object]", pair[1])
    properties = cast("SchemaSpec", pair[0]["properties"])
    if args:
        dropped = data.draw(st.sampled_from(sorted(args)))
        rest = {name: value for name, value in args.items() if name != dropped}
        assert validate_args(properties, rest) == [f'missing required property "{dropped}"']


@settings(max_examples=100, deadline=None)
@given(JUNK, JUNK)
def test_conversion_and_checks_never_raise(junk: object, args: object) -> None:
    wrong = cast("SchemaSpec", junk)
    compile_schema(schema_spec_to_json_schema(wrong))
    validate_args(wrong, args)
    with contextlib.suppress(RegistrationError):
        check_schema_spec(wrong)


def test_forms_nested_too_deeply_are_refused() -> None:
    prop: PropertySpec = {"type": "string"}
    for _ in range(3_000):
        prop = {"oneOf": [prop, {"type": "null"}]}
    assert validate_args({"p": prop}, {"p": 1}) == [
        '"arguments" is nested too deeply to be checked further'
    ]


def test_a_choice_too_large_to_compare_is_no_match() -> None:
    prop: PropertySpec = {"type": "json", "enum": [1]}
    assert validate_args({"p": prop}, {"p": list(range(200_000))}) == ['"p" must be one of [1]']


def test_names_that_are_no_strings_are_no_properties() -> None:
    prop: PropertySpec = {"type": "object", "additionalProperties": False}
    assert validate_args({"p": prop}, {"p": {1: 2}}) == []
