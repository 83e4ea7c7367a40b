"""Unions: the message points at the branch that nearly fits."""

from typing import TYPE_CHECKING

from codemode.registry.schema import compile_schema

if TYPE_CHECKING:
    from collections.abc import Sequence

RANGE = {
    "type": "object",
    "properties": {"kind": {"const": "range"}, "low": {"type": "integer"}},
    "required": ["kind", "low"],
}
EXACT = {
    "type": "object",
    "properties": {"kind": {"const": "exact"}, "text": {"type": "string"}},
    "required": ["kind", "text"],
}


def faults(word: str, branches: "Sequence[object]", value: object) -> list[str]:
    checker = compile_schema({"type": "object", "properties": {"f": {word: branches}}})
    return checker.check({"f": value})


def test_the_branch_is_told_by_its_constant() -> None:
    for word in ("anyOf", "oneOf"):
        (found,) = faults(word, [EXACT, RANGE, {"type": "null"}], {"kind": "range", "low": "x"})
        assert found == '"f.low" must be an integer, got a string (branch kind = "range")'


def test_a_branch_behind_a_reference_is_told_as_well() -> None:
    schema = {
        "$defs": {"r": RANGE, "e": EXACT},
        "oneOf": [{"$ref": "#/$defs/e"}, {"$ref": "#/$defs/r"}],
    }
    assert compile_schema(schema).check({"kind": "range"}) == [
        'missing required property "low" (branch kind = "range")'
    ]


def test_a_constant_of_no_branch_lists_the_branches() -> None:
    (found,) = faults("oneOf", [EXACT, RANGE], {"kind": "other", "low": 1, "text": "x"})
    assert found == (
        '"f" matches none of the 2 forms it can have: branch kind = "exact"; branch kind = "range"'
    )


def test_a_value_of_no_branch_s_type_is_told_the_types() -> None:
    (found,) = faults("anyOf", [EXACT, {"type": "null"}], 5)
    assert found == '"f" must be an object or null, got an integer'


def test_the_only_branch_of_the_value_s_type_is_the_nearest() -> None:
    branches: list[object] = [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]
    assert faults("anyOf", branches, ["a", 1]) == [
        '"f[1]" must be a string, got an integer (branch 2, array)'
    ]


def test_all_faults_of_the_nearest_branch_are_reported() -> None:
    branches = [EXACT, {"type": "null"}]
    assert len(faults("anyOf", branches, {"kind": "exact", "text": 1} | {"kind": "exact"})) == 1
    assert len(faults("anyOf", branches, {})) == 2


def test_a_union_within_a_union_is_followed() -> None:
    inner = {"type": "object", "properties": {"g": {"anyOf": [RANGE, {"type": "null"}]}}}
    (found,) = faults("anyOf", [inner, {"type": "null"}], {"g": {"kind": "range", "low": []}})
    assert found.startswith('"f.g.low" must be an integer, got a list')


def test_more_than_one_match_of_one_of_is_said() -> None:
    (found,) = faults("oneOf", [{"type": "integer"}, {"minimum": 1}], 5)
    assert found == '"f" must match exactly one of the forms under `oneOf`, matches forms 1 and 2'


def test_the_text_stays_short_for_wide_unions() -> None:
    branches: list[object] = [
        {"type": "object", "properties": {"kind": {"const": f"{i}" * 40}}, "required": ["kind"]}
        for i in range(100)
    ]
    (found,) = faults("anyOf", branches, {"kind": "none"})
    assert len(found) < 600


def test_unions_nested_without_end_are_followed_some_way() -> None:
    schema: dict[str, object] = {"type": "array", "items": {"type": "string"}}
    value: object = [1]
    for _ in range(12):
        schema = {"anyOf": [{"type": "array", "items": schema}, {"type": "null"}]}
        value = [value]
    (found,) = compile_schema(schema).check(value)
    assert "[0][0][0]" in found


def test_a_branch_behind_many_references_is_told_by_its_number() -> None:
    defs: dict[str, object] = {"r0": RANGE}
    for level in range(1, 12):
        defs[f"r{level}"] = {"$ref": f"#/$defs/r{level - 1}"}
    checker = compile_schema({"$defs": defs, "anyOf": [{"$ref": "#/$defs/r11"}, {"type": "null"}]})
    assert checker.check({"kind": "range"}) == ['missing required property "low" (branch 1)']
