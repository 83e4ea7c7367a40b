"""Schemas that are wrong, hostile or larger than any: a warning, and calls go on."""

import builtins
import socket
import urllib.request
from typing import Never

import pytest

from codemode.registry.schema import compile_schema

Schema = dict[str, object]
ANY: Schema = {}
NOTHING: list[object] = []


class Hostile:
    def __getattribute__(self, name: str) -> Never:
        raise ValueError(name)

    def __eq__(self, other: object) -> Never:
        raise ValueError

    def __hash__(self) -> int:
        return hash("type")


@pytest.mark.parametrize(
    ("schema", "place"),
    [
        ({"required": True}, "properties.p.required"),
        ({"type": "any"}, "properties.p.type"),
        ({"type": NOTHING}, "properties.p.type"),
        ({"type": ["string", 5]}, "properties.p.type"),
        ({"properties": NOTHING}, "properties.p.properties"),
        ({"properties": {"q": 5}}, "properties.p.properties.q"),
        ({"enum": None}, "properties.p.enum"),
        ({"required": [5]}, "properties.p.required"),
        ({"dependentRequired": 5}, "properties.p.dependentRequired"),
        ({"enum": [list(range(200_000))]}, "properties.p.enum"),
        ({"$ref": "#nowhere"}, "properties.p.$ref"),
        ({"$ref": "#/type/x"}, "properties.p.$ref"),
        ({"$ref": "#/type"}, "properties.p.$ref"),
        ({"minItems": "0"}, "properties.p.minItems"),
        ({"minLength": -1}, "properties.p.minLength"),
        ({"maximum": "9"}, "properties.p.maximum"),
        ({"multipleOf": 0}, "properties.p.multipleOf"),
        ({"exclusiveMinimum": True}, "properties.p.exclusiveMinimum"),
        ({"items": [{"type": "string"}]}, "properties.p.items"),
        ({"anyOf": NOTHING}, "properties.p.anyOf"),
        ({"allOf": ANY}, "properties.p.allOf"),
        ({"allOf": [5]}, "properties.p.allOf[0]"),
        ({"oneOf": [ANY, 5]}, "properties.p.oneOf[1]"),
        ({"not": 5}, "properties.p.not"),
        ({"uniqueItems": "yes"}, "properties.p.uniqueItems"),
        ({"pattern": "["}, "properties.p.pattern"),
        ({"pattern": 5}, "properties.p.pattern"),
        ({"patternProperties": {"(": ANY}}, "properties.p.patternProperties"),
        ({"dependentRequired": {"a": "b"}}, "properties.p.dependentRequired"),
        ({"$ref": 5}, "properties.p.$ref"),
        ({"$ref": "#/$defs/Nope"}, "properties.p.$ref"),
        ({"$ref": "#/%zz/~9"}, "properties.p.$ref"),
        ({"$ref": "http://[bad"}, "properties.p.$ref"),
        ({"$ref": "http://[bad#x"}, "properties.p.$ref"),
        ({"$ref": "#/properties/p"}, "properties.p.$ref"),
        ({"allOf": [{"$ref": "#/properties/p"}]}, "properties.p.allOf"),
    ],
)
def test_a_broken_keyword_warns_with_its_place_and_the_good_ones_work(
    schema: Schema, place: str
) -> None:
    good = {"type": "object", "properties": {"p": schema, "good": {"type": "null"}}}
    checker = compile_schema(good)
    assert checker.warnings[0].startswith(place)
    assert "not checked here" in checker.warnings[0]
    assert checker.check({"p": [1], "good": None}) == []
    assert checker.check({"p": [1], "good": 1}) == ['"good" must be null, got an integer']


def test_a_good_keyword_of_the_same_schema_still_works() -> None:
    checker = compile_schema({"type": "string", "pattern": "(", "minLength": 2})
    assert len(checker.warnings) == 1
    assert len(checker.check("a")) == 1
    assert len(checker.check(5)) == 1


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"not": {"type": "any"}}, 1),
        ({"oneOf": [{"type": "string"}, {"pattern": "("}]}, "a"),
        ({"if": {"pattern": "("}, "then": False}, "a"),
        ({"properties": [], "additionalProperties": False}, {"a": 1}),
        ({"patternProperties": {"(": {}}, "additionalProperties": False}, {"a": 1}),
        ({"properties": {"a": 5}, "additionalProperties": False}, {"a": 1}),
        ({"$ref": "http://x/y", "unevaluatedProperties": False}, {"a": 1}),
        ({"contains": {"pattern": "("}, "maxContains": 0}, [1]),
        ({"prefixItems": [], "items": False}, [1]),
    ],
)
def test_a_part_left_out_never_makes_the_rest_refuse_more(schema: Schema, value: object) -> None:
    checker = compile_schema(schema)
    assert checker.warnings
    assert checker.check(value) == []


def test_the_schema_false_refuses_everything() -> None:
    assert compile_schema(False).check(None) == ['"arguments" is not allowed']


@pytest.mark.parametrize("schema", [None, 42, "object", [], object()])
def test_what_is_no_schema_accepts_everything_with_a_warning(schema: object) -> None:
    checker = compile_schema(schema)
    assert checker.check({"a": 1}) == []
    assert len(checker.warnings) == 1


def test_hostile_objects_are_refused_without_running_their_code() -> None:
    checker = compile_schema({"properties": {"a": {"enum": [Hostile(), 1]}, "b": Hostile()}})
    assert len(checker.check({"a": Hostile(), "b": 1})) == 1
    assert compile_schema(Hostile()).check(1) == []
    assert compile_schema({Hostile(): 1}).check(1) == []
    assert compile_schema({"required": ["type"]}).check({Hostile(): 1}) != []


def test_a_ring_of_python_objects_is_a_recursive_schema() -> None:
    node: Schema = {"type": "object"}
    node["properties"] = {"next": node}
    assert compile_schema(node).check({"next": {"next": 1}}) == [
        '"next.next" must be an object, got an integer'
    ]


def test_a_diamond_of_python_objects_is_read_once() -> None:
    node: Schema = {"type": "string"}
    for _ in range(60):
        node = {"properties": {"a": node, "b": node}}
    assert compile_schema(node).check({"a": {"b": 1}}) == []


def test_a_recursive_reference_is_followed() -> None:
    tree = {"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#"}}}}
    checker = compile_schema(tree)
    assert checker.warnings == ()
    assert checker.check({"kids": [{"kids": NOTHING}]}) == []
    assert checker.check({"kids": [{"kids": [1]}]}) == [
        '"kids[0].kids[0]" must be an object, got an integer'
    ]


@pytest.mark.parametrize(
    "reference", ["#name", "child", "child#/properties/x", "#/$defs/a~1b", "#/x/0"]
)
def test_references_inside_the_document_are_followed(reference: str) -> None:
    schema = {
        "$id": "http://tools/root",
        "properties": {"p": {"$ref": reference}},
        "x": [{"type": "null"}],
        "$defs": {
            "a": {"$anchor": "name", "type": "null"},
            "a/b": {"type": "null"},
            "c": {"$id": "child", "type": ["null"], "properties": {"x": {"type": "null"}}},
        },
    }
    checker = compile_schema(schema)
    assert checker.warnings == ()
    assert checker.check({"p": 1}) == ['"p" must be null, got an integer']


@pytest.mark.parametrize(
    "uri",
    [
        "http://127.0.0.1:9/s.json",
        "file:///etc/hostname",
        "s.json",
        "https://json-schema.org/draft/2020-12/schema",
    ],
)
def test_a_reference_to_elsewhere_is_never_fetched(
    uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    touched: list[object] = []

    def refuse(*arguments: object, **_: object) -> Never:
        touched.append(arguments)
        raise OSError

    monkeypatch.setattr(urllib.request, "urlopen", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(builtins, "open", refuse)
    checker = compile_schema(
        {"properties": {"a": {"$ref": uri}, "b": {"$id": "http://h/", "$ref": "o"}}}
    )
    assert checker.check({"a": 1, "b": 1}) == []
    assert len(checker.warnings) == 2
    assert touched == []


@pytest.mark.timeout(5)
def test_a_doubling_chain_is_cut() -> None:
    defs: Schema = {"l0": {"type": "integer"}}
    for level in range(1, 26):
        defs[f"l{level}"] = {"allOf": [{"$ref": f"#/$defs/l{level - 1}"}] * 2}
    checker = compile_schema({"$ref": "#/$defs/l25", "$defs": defs})
    assert "too many schemas apply to the same value; not checked here" in checker.warnings[0]
    assert checker.check(1) == []


@pytest.mark.timeout(20)
def test_a_schema_nested_without_measure_is_read() -> None:
    deep: Schema = {}
    for _ in range(20_000):
        deep = {"items": deep}
    assert compile_schema(deep).check([NOTHING]) == []
    deep = {"type": "null"}
    for _ in range(20_000):
        deep = {"allOf": [deep]}
    checker = compile_schema(deep)
    assert len(checker.warnings) == 51
    assert checker.check(1) == []


@pytest.mark.timeout(20)
def test_a_schema_of_a_hundred_thousand_parts_is_read() -> None:
    schema = {"properties": {f"p{i}": {"type": "string"} for i in range(100_000)}}
    checker = compile_schema(schema)
    assert checker.check({"p99998": 1}) == ['"p99998" must be a string, got an integer']
    assert checker.warnings == (
        "properties.p99999: the schema has over 100000 parts; not checked here",
    )
    assert checker.check({"p99999": 1}) == []


@pytest.mark.parametrize("dialect", ["http://example.org/mine", 5])
def test_an_unknown_dialect_is_read_as_the_latest_with_a_warning(dialect: object) -> None:
    checker = compile_schema({"$schema": dialect, "type": "null"})
    assert checker.warnings[0].endswith("read as draft 2020-12")
    assert checker.check(1) != []


def test_a_key_whose_comparison_raises_makes_the_schema_unreadable() -> None:
    class Key(Hostile):
        def __hash__(self) -> int:
            return hash("x")

    checker = compile_schema({"$ref": "#/$defs/x", "$defs": {Key(): 1}})
    assert checker.warnings == ("the schema cannot be read (ValueError); not checked here",)


def test_references_beside_each_other_all_count() -> None:
    schema = {
        "$ref": "#/$defs/a",
        "$dynamicRef": "#b",
        "$defs": {"a": {"minimum": 1}, "b": {"$dynamicAnchor": "b", "maximum": 3}},
    }
    checker = compile_schema(schema)
    assert checker.warnings == ()
    assert [bool(checker.check(value)) for value in (0, 2, 4)] == [True, False, True]


def test_a_newer_keyword_means_nothing_to_an_older_draft() -> None:
    schema = {"$schema": "http://json-schema.org/draft-07/schema#", "$dynamicRef": "#none"}
    assert compile_schema(schema).warnings == ()
