"""Every check ends: large, deep and slow values are refused, never passed unchecked."""

import inspect
import sys

import pytest

from codemode.registry.schema import compile_schema

Schema = dict[str, object]
pytestmark = pytest.mark.timeout(10)


def nested(depth: int) -> object:
    value: object = 1
    for _ in range(depth):
        value = [value]
    return value


def test_a_value_nested_too_deeply_is_refused() -> None:
    checker = compile_schema({"type": ["array", "integer"], "items": {"$ref": "#"}})
    assert checker.check(nested(50)) == []
    assert checker.check(nested(100_000)) == [
        '"arguments" is nested too deeply to be checked further'
    ]


def test_a_deep_value_where_nothing_is_asked_is_accepted() -> None:
    assert compile_schema({"properties": {"p": {}}}).check({"p": nested(100_000)}) == []


def test_a_value_that_makes_unions_explode_is_refused() -> None:
    schema: Schema = {"type": "string"}
    for _ in range(20):
        schema = {"anyOf": [{"items": schema, "type": "array"}, {"items": schema, "type": "array"}]}
    found = compile_schema(schema).check(nested(20))
    assert found == ['"arguments" is too large to be checked further: pass less at a time']


@pytest.mark.parametrize(
    "pattern", ["^(a+)+$", "^(a|a)*$", "(?=(a+)+b)a", "^(.*a){30}$", "(x+x+)+y"]
)
def test_a_hostile_pattern_ends(pattern: str) -> None:
    checker = compile_schema({"pattern": pattern})
    assert checker.check("a" * 40 + "!" + "x" * 40) != [] or pattern == "(x+x+)+y"


def test_many_slow_matches_end() -> None:
    checker = compile_schema({"items": {"pattern": "(?=(a+)+b)a"}})
    (found,) = checker.check(["a" * 3_000] * 1_000)
    assert "takes too long to match" in found


def test_many_large_items_are_compared_in_linear_time() -> None:
    checker = compile_schema({"uniqueItems": True})
    assert checker.check([{"a": index} for index in range(50_000)]) == []
    assert checker.check([{"a": index % 40_000} for index in range(50_000)]) != []


def test_a_large_plain_list_is_no_problem() -> None:
    assert compile_schema({"items": {"type": "string"}}).check(["x"] * 200_000) == []


def test_a_large_list_of_wrong_items_gives_twenty_faults() -> None:
    found = compile_schema({"items": {"type": "string"}}).check([1] * 200_000)
    assert len(found) == 21
    assert found[-1] == "and over 1000 more"


def test_a_ring_in_the_value_ends() -> None:
    ring: list[object] = []
    ring.append(ring)
    assert compile_schema({"const": [1]}).check(ring) == ['"arguments" is too large to be compared']
    assert len(compile_schema({"type": "array", "items": {"$ref": "#"}}).check(ring)) == 1


def test_a_caller_near_the_recursion_limit_gets_an_answer() -> None:
    checker = compile_schema({"type": ["array", "integer"], "items": {"$ref": "#"}})

    def down(frames: int) -> list[str]:
        return down(frames - 1) if frames else checker.check(nested(60))

    assert down(0) == []
    room = sys.getrecursionlimit() - len(inspect.stack())
    assert down(room - 200) == ['"arguments" is nested too deeply to be checked further']
