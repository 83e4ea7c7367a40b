"""What a checker says about a call's arguments."""

import math

import pytest

from codemode.registry.schema import compile_schema

Schema = dict[str, object]


def prop(schema: object) -> Schema:
    return {"type": "object", "properties": {"p": schema}}


@pytest.mark.parametrize(
    ("schema", "value", "text"),
    [
        ({"type": "integer"}, "x", '"p" must be an integer, got a string'),
        ({"type": "array"}, {}, '"p" must be a list, got an object'),
        ({"type": ["string", "null"]}, 1, '"p" must be a string or null, got an integer'),
        ({"enum": ["a", "b"]}, "c", '"p" must be one of ["a","b"], got "c"'),
        ({"enum": ["x" * 99] * 9}, "c", "and 6 more]"),
        ({"const": [[[[[[[[[[[[[[[[[[[[[[0]]]]]]]]]]]]]]]]]]]]]]}, 1, "…"),
        ({"type": "boolean"}, "[1]", "must be a boolean, got a string"),
        ({"enum": []}, "c", '"p" must be one of [], got "c"'),
        ({"const": 5}, 6, '"p" must be 5, got 6'),
        ({"minimum": 2}, 1, '"p" must be at least 2, got 1'),
        ({"maximum": 2}, 3, '"p" must be at most 2, got 3'),
        ({"exclusiveMinimum": 2}, 2, '"p" must be greater than 2, got 2'),
        ({"exclusiveMaximum": 2}, 2, '"p" must be less than 2, got 2'),
        ({"multipleOf": 0.5}, 0.7, '"p" must be a multiple of 0.5, got 0.7'),
        ({"minLength": 3}, "ab", '"p" must have at least 3 characters, has 2'),
        ({"maxLength": 1}, "ab", '"p" must have at most 1 character, has 2'),
        ({"minItems": 1}, [], '"p" must have at least 1 item, has 0'),
        ({"maxItems": 0}, [1], '"p" must have at most 0 items, has 1'),
        ({"minProperties": 1}, {}, '"p" must have at least 1 property, has 0'),
        ({"maxProperties": 0}, {"k": 1}, '"p" must have at most 0 properties, has 1'),
        ({"uniqueItems": True}, [1, 1.0], '"p" must not have the same item twice'),
        ({"pattern": "^a"}, "b", '"p" must match the pattern "^a", got "b"'),
        ({"required": ["q"]}, {}, 'missing required property "p.q"'),
        ({"items": {"type": "string"}}, ["a", 1], '"p[1]" must be a string, got an integer'),
        ({"prefixItems": [{"type": "null"}]}, [0], '"p[0]" must be null, got an integer'),
        ({"not": {"type": "string"}}, "a", '"p" must not match the schema under `not`, got "a"'),
        ({"contains": {"const": 1}}, [2], '"p" must have at least 1 items of the kind'),
        (
            {"propertyNames": {"maxLength": 1}},
            {"ab": 1},
            'a property name that is not allowed: "ab"',
        ),
        (
            {"dependentRequired": {"a": ["b"]}},
            {"a": 1},
            'missing property "p.b", which is required',
        ),
        ({"properties": {"q": False}}, {"q": 1}, '"p.q" is not allowed'),
        ({"patternProperties": {"^n": {"type": "null"}}}, {"n1": 1}, '"p.n1" must be null'),
        ({"if": {"type": "string"}, "then": {"minLength": 2}}, "a", '"p" must have at least 2'),
        ({"dependentSchemas": {"a": {"required": ["b"]}}}, {"a": 1}, 'required property "p.b"'),
        ({"unevaluatedItems": False}, [1], '"p[0]" is not allowed'),
        ({"unevaluatedProperties": False}, {"k": 1}, '"p.k" is not a declared property'),
        (
            {"properties": {"odd name": {"type": "null"}}},
            {"odd name": 1},
            '"p["odd name"]" must be',
        ),
    ],
)
def test_a_violation_names_the_path_and_what_is_wanted(
    schema: Schema, value: object, text: str
) -> None:
    (found,) = compile_schema(prop(schema)).check({"p": value})
    assert text in found


def test_every_violation_is_reported() -> None:
    schema = {"properties": {"a": {"type": "string"}, "b": {"type": "null"}}, "required": ["c"]}
    assert len(compile_schema(schema).check({"a": 1, "b": 2})) == 3


def test_the_root_is_called_arguments_or_as_the_caller_says() -> None:
    checker = compile_schema({"type": "object"})
    assert checker.check([]) == ['"arguments" must be an object, got a list']
    assert checker.check([], root="result") == ['"result" must be an object, got a list']


def test_violations_are_bounded_in_number_and_length() -> None:
    found = compile_schema({"items": {"const": "x" * 900}}).check(["y" * 900] * 50)
    assert len(found) == 21
    assert found[-1] == "and 30 more"
    assert all(len(text) < 600 for text in found)


def test_an_extra_key_is_named_with_the_nearest_declared_name() -> None:
    schema = {"properties": {"limit": True, "offset": True}, "additionalProperties": False}
    (found,) = compile_schema(schema).check({"limt": 1})
    assert found == (
        '"limt" is not a declared property (additionalProperties: false); did you mean "limit"?'
    )


def test_an_extra_key_like_none_is_answered_with_the_declared_names() -> None:
    schema = {"properties": {"limit": True, "offset": True}, "additionalProperties": False}
    (found,) = compile_schema(schema).check({"zzzz": 1})
    assert found.endswith('; declared are ["limit","offset"]')


@pytest.mark.parametrize(
    ("schema", "value", "hint"),
    [
        ({"type": "array"}, '["a"]', "pass a list, not its JSON text"),
        ({"type": "object"}, '{"a":1}', "pass an object, not its JSON text"),
        ({"anyOf": [{"type": "object"}, {"type": "null"}]}, '{"a":1}', "pass an object, not its"),
        ({"type": "integer"}, "12", "pass the number, not its text"),
        ({"type": "boolean"}, "true", "pass true or false, not its text"),
    ],
)
def test_json_sent_as_text_is_refused_with_a_hint(schema: Schema, value: str, hint: str) -> None:
    (found,) = compile_schema(prop(schema)).check({"p": value})
    assert hint in found


def test_text_that_is_not_json_gets_no_hint() -> None:
    assert compile_schema(prop({"type": "array"})).check({"p": "a,b"}) == [
        '"p" must be a list, got a string'
    ]


def test_a_string_that_holds_json_is_a_string() -> None:
    assert compile_schema(prop({"type": "string"})).check({"p": '{"keep":"as text"}'}) == []


@pytest.mark.parametrize(
    ("schema", "value", "valid"),
    [
        ({"type": "integer"}, True, False),
        ({"type": "number"}, False, False),
        ({"type": "integer"}, 3.0, True),
        ({"type": "integer"}, 3.5, False),
        ({"type": "integer"}, 10**400, True),
        ({"type": "number"}, math.nan, False),
        ({"type": "number"}, math.inf, False),
        ({"enum": [1]}, True, False),
        ({"enum": [False]}, 0, False),
        ({"enum": [1]}, 1.0, True),
        ({"const": [True]}, [1], False),
        ({"const": {"a": 1, "b": 2}}, {"b": 2.0, "a": 1}, True),
        ({"const": "__proto__"}, "__proto__", True),
        ({"uniqueItems": True}, [1, True, "1", None, [1], {"a": 1}], True),
        ({"uniqueItems": True}, [{"a": [1]}, {"a": [1]}], False),
        ({"multipleOf": 0.01}, 19.99, True),
        ({"multipleOf": 0.01}, 19.995, False),
        ({"multipleOf": 1e-300}, 1e300, True),
        ({"minimum": 5, "exclusiveMinimum": True}, 5, False),
        ({"minimum": 5, "exclusiveMinimum": True}, 6, True),
        ({"maximum": 5, "exclusiveMaximum": False}, 5, True),
        ({"minLength": 2}, "😀", False),
        ({"minLength": 3}, 5, True),
        ({"type": "string", "format": "email"}, "nope", True),
        ({}, None, True),
        ({"required": ["toString"]}, {}, False),
        ({"type": "object", "required": ["__proto__"]}, {"__proto__": 1}, True),
    ],
)
def test_values_are_judged_as_json(schema: Schema, value: object, valid: bool) -> None:
    assert (compile_schema(schema).check(value) == []) is valid


def test_defaults_are_never_filled_in() -> None:
    arguments: Schema = {}
    assert compile_schema(prop({"type": "integer", "default": 20})).check(arguments) == []
    assert arguments == {}


@pytest.mark.parametrize(
    ("dialect", "schema", "valid", "invalid"),
    [
        ("draft-04", {"minimum": 1, "exclusiveMinimum": True}, 2, 1),
        ("draft-07", {"items": [{"type": "null"}], "additionalItems": False}, [None], [None, 1]),
        ("draft-07", {"items": [], "additionalItems": {"type": "null"}}, [None], [1]),
        ("draft-07", {"dependencies": {"a": ["b"]}}, {"a": 1, "b": 1}, {"a": 1}),
        ("draft-07", {"dependencies": {"a": {"required": ["b"]}}}, {"b": 1}, {"a": 1}),
        ("draft-07", {"definitions": {"s": {"type": "null"}}, "$ref": "#/definitions/s"}, None, 1),
    ],
)
def test_an_older_draft_is_honoured_when_declared(
    dialect: str, schema: Schema, valid: object, invalid: object
) -> None:
    declared = {"$schema": f"http://json-schema.org/{dialect}/schema#", **schema}
    checker = compile_schema(declared)
    assert checker.warnings == ()
    assert checker.check(valid) == []
    assert checker.check(invalid) != []


@pytest.mark.parametrize(
    "value", [type("Forged", (dict,), {})(), type("Forged", (list,), {})(), object(), (1,), {1}]
)
def test_a_value_that_json_does_not_have_has_no_type(value: object) -> None:
    checker = compile_schema({"type": ["object", "array", "string", "number", "boolean", "null"]})
    (found,) = checker.check(value)
    assert found.endswith("got a value that JSON does not have")


def test_names_that_are_no_strings_are_no_properties() -> None:
    closed = {"patternProperties": {"": False}, "additionalProperties": False}
    assert compile_schema(closed).check({1: 2}) == []
    assert compile_schema({"const": {"a": 1}}).check({"a": 1, 2: 3}) != []


def test_unions_of_many_branches_under_lists_are_checked() -> None:
    checker = compile_schema({"items": {"anyOf": [{"const": index} for index in range(60)]}})
    assert checker.check([0, 59]) == []
    assert checker.check([60]) != []
