"""Facts that hold for every schema and every value."""

from typing import Final, cast

from hypothesis import example, given, settings
from hypothesis import strategies as st

from codemode.registry.schema import compile_schema

NAMES = st.sampled_from(["a", "b", "c", "__proto__", "x y"])
NUMBERS = st.integers(-3, 12) | st.sampled_from([0.0, 1.0, 1.5, 2.5, 10**20])
SCALARS = st.none() | st.booleans() | NUMBERS | st.sampled_from(["", "a", "ab", "12", "é"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=8,
)
JUNK = st.recursive(
    SCALARS | st.just(float("nan")) | st.builds(object) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3)
    ),
    max_leaves=6,
)
TYPES: Final = ["object", "array", "string", "number", "integer", "boolean", "null"]
COUNTS = st.integers(0, 3)


def _object(inner: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    some = st.lists(inner, min_size=1, max_size=3)
    named = st.dictionaries(NAMES, inner, max_size=3)
    words: dict[str, st.SearchStrategy[object]] = {
        "type": st.sampled_from(TYPES) | st.lists(st.sampled_from(TYPES), min_size=1, max_size=2),
        "enum": st.lists(VALUES, max_size=3),
        "const": VALUES,
        "minimum": NUMBERS,
        "exclusiveMaximum": NUMBERS,
        "multipleOf": st.sampled_from([1, 2, 0.5]),
        "minLength": COUNTS,
        "maxLength": COUNTS,
        "pattern": st.sampled_from(["^a", "b$", "\\d"]),
        "minItems": COUNTS,
        "maxItems": COUNTS,
        "minProperties": COUNTS,
        "properties": named,
        "required": st.lists(NAMES, max_size=2),
        "additionalProperties": inner,
        "items": inner,
        "anyOf": some,
        "oneOf": some,
        "allOf": some,
        "not": inner,
    }
    chosen = st.lists(st.sampled_from(sorted(words)), unique=True, max_size=4)
    return cast(
        "st.SearchStrategy[object]",
        chosen.flatmap(lambda names: st.fixed_dictionaries({name: words[name] for name in names})),
    )


LEAVES: st.SearchStrategy[object] = st.booleans() | st.builds(dict[str, object])
SCHEMAS = st.recursive(LEAVES, _object, max_leaves=8)
KEYWORDS: Final = """
    type enum const minimum multipleOf maxLength pattern uniqueItems required properties items
    prefixItems contains anyOf oneOf allOf not if then $ref $id $anchor $schema $dynamicRef $defs
    additionalProperties patternProperties unevaluatedProperties unevaluatedItems dependentSchemas
"""
WORDS = st.sampled_from(KEYWORDS.split())
BROKEN = st.recursive(
    JUNK,
    lambda inner: st.dictionaries(
        WORDS, inner | st.sampled_from(["#", "#/$defs/a", "string"]), max_size=5
    ),
    max_leaves=10,
)


@settings(max_examples=300, deadline=None)
@given(SCHEMAS, st.lists(VALUES, min_size=3, max_size=6))
@example({"not": {"type": "string"}}, [1])
@example({"oneOf": [{"const": 1}, {"enum": [True, 1.0]}]}, [1])
@example({"required": ["a"]}, [{"b": 1}])
@example({"enum": ["a"]}, ["a", "b"])
@example({"type": "object", "required": ["a"]}, [1, {}])
@example({"type": "array", "items": True}, [1, {}])
def test_a_schema_means_the_same_on_the_short_way_and_the_long(
    schema: object, values: list[object]
) -> None:
    # `if` has no short way, so the second checker walks the whole schema with the full validator.
    short, long = compile_schema(schema), compile_schema({"if": True, "allOf": [schema]})
    assert short.warnings == ()
    for value in values:
        assert short.check(value) == long.check(value)


@settings(max_examples=200, deadline=None)
@given(BROKEN, JUNK)
def test_compiling_and_checking_never_raise(schema: object, value: object) -> None:
    checker = compile_schema(schema)
    found = checker.check(value)
    assert all(type(text) is str and len(text) < 600 for text in [*found, *checker.warnings])


@settings(max_examples=100, deadline=None)
@given(SCHEMAS, VALUES)
def test_the_texts_can_be_sent_as_utf8(schema: object, value: object) -> None:
    for text in compile_schema(schema).check(value):
        text.encode()


@settings(max_examples=100, deadline=None)
@given(VALUES)
def test_a_value_satisfies_its_own_constant(value: object) -> None:
    assert compile_schema({"const": value}).check(value) == []
    assert compile_schema({"enum": [value]}).check(value) == []
    assert compile_schema({"not": {"const": value}}).check(value) != []
