"""Schemas with a value that each of them admits, and text that tries to break out."""

from typing import Any, Final

from hypothesis import strategies as st

Pair = tuple[Any, Any]
"""A schema and a value that fits it."""

ATTACKS: Final = [
    "*/ } declare const stolen: number; /**",
    "*/", "/*", "**/", "*\\/", "//", "```", "```\n\n```ts\ndeclare const stolen: number;\n",
    "\n", "\r\n", "\u2028declare const stolen: number;\u2028", "\u2029", "\u0085", "\ufeff", "\0",
    '"', "'", "`", "\\", '"; declare const stolen: number; "', "${stolen}", "</script>", "@ts-ignore",
    "@ts-expect-error", "/ @ts-expect-error", "\ud800", "\udfff", "\U0001f600", "__proto__",
    "constructor", "then", "new", "[1] x", "{@link x}", "",
]  # fmt: skip
hostile: Final = st.lists(
    st.sampled_from(ATTACKS) | st.text(max_size=6), min_size=1, max_size=3
).map("".join)
names: Final = st.sampled_from(["a", "b", "c", "d-e", "1", "10", "class", "__proto__"])
scalars: Final = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=4)
)
json_values: Final = st.recursive(
    scalars | hostile,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(hostile | names, inner, max_size=3),
    max_leaves=12,
)
KEYWORDS: Final = [
    "type", "properties", "required", "additionalProperties", "patternProperties", "propertyNames",
    "items", "prefixItems", "additionalItems", "minItems", "anyOf", "oneOf", "allOf", "not", "enum",
    "const", "nullable", "$ref", "$defs", "definitions", "$id", "id", "$anchor", "$schema",
    "description", "title", "default", "format", "if", "then",
]  # fmt: skip
WORDS: Final = [
    "object", "array", "string", "number", "integer", "null", "boolean", "any", "#", "#/$defs/a",
    "#/properties/a", "#/items", "#x", "a", "https://json-schema.org/draft/2020-12/schema", True, False,
]  # fmt: skip
schemas: Final = st.recursive(
    scalars
    | st.sampled_from(WORDS)
    | st.lists(st.sampled_from(["a", "b", "string", "null"]), max_size=3),
    lambda inner: (
        st.dictionaries(st.sampled_from(KEYWORDS), inner, max_size=5)
        | st.dictionaries(names | hostile, inner, max_size=3)
        | st.lists(inner, max_size=3)
    ),
    max_leaves=25,
)
"""Anything at all, but mostly of the words that schemas are made of."""


def _typed(name: str, values: st.SearchStrategy[Any]) -> st.SearchStrategy[Pair]:
    return values.map(lambda value: ({"type": name}, value))


_leaves: Final[st.SearchStrategy[Pair]] = st.one_of(
    _typed("string", st.text(max_size=4)),
    _typed("integer", st.integers(-1000, 1000)),
    _typed("number", st.floats(-1e6, 1e6)),
    _typed("boolean", st.booleans()),
    _typed("null", st.none()),
    scalars.map(lambda value: ({"const": value}, value)),
    st.lists(json_values, min_size=1, max_size=4).map(lambda values: ({"enum": values}, values[0])),
    json_values.map(lambda value: ({}, value)),
    json_values.map(lambda value: (True, value)),
    st.none().map(lambda _: ({"$ref": "#/$defs/tree"}, {"kids": [{"kids": []}, {}]})),
    st.text(max_size=3).map(lambda text: ({"$ref": "#/$defs/word"}, text)),
)


@st.composite
def _objects(draw: st.DrawFn, inner: st.SearchStrategy[Pair]) -> Pair:
    members = draw(st.dictionaries(names, inner, max_size=4))
    present = [name for name in members if draw(st.booleans())]
    required = [name for name in present if draw(st.booleans())]
    schema: dict[str, Any] = {"properties": {name: pair[0] for name, pair in members.items()}}
    value = {name: members[name][1] for name in present}
    if required:
        schema["required"] = required
    if draw(st.booleans()):
        schema["type"] = "object"
    extra = draw(st.none() | inner)
    if extra is not None:
        schema["additionalProperties"] = extra[0]
        value["extra"] = extra[1]
    return schema, value


@st.composite
def _lists(draw: st.DrawFn, inner: st.SearchStrategy[Pair]) -> Pair:
    prefix = draw(st.lists(inner, max_size=3))
    rest = draw(inner)
    values = [value for _, value in prefix][: draw(st.integers(0, 3))]
    schema: dict[str, Any] = {"type": "array"}
    if not prefix:
        return {**schema, "items": rest[0]}, [rest[1]] * draw(st.integers(0, 2))
    if len(values) == len(prefix):
        values += [rest[1]] * draw(st.integers(0, 2))
    old = draw(st.booleans())
    schema["items" if old else "prefixItems"] = [each for each, _ in prefix]
    schema["additionalItems" if old else "items"] = rest[0]
    if draw(st.booleans()):
        schema["minItems"] = len(values)
    return schema, values


@st.composite
def _unions(draw: st.DrawFn, inner: st.SearchStrategy[Pair]) -> Pair:
    pairs = draw(st.lists(inner, min_size=1, max_size=3))
    value = draw(st.sampled_from(pairs))[1]
    if draw(st.booleans()):
        return {"type": "string", "nullable": True}, draw(st.none() | st.text(max_size=3))
    return {draw(st.sampled_from(["anyOf", "oneOf"])): [schema for schema, _ in pairs]}, value


@st.composite
def _intersections(draw: st.DrawFn, inner: st.SearchStrategy[Pair]) -> Pair:
    schema, value = draw(inner)
    wider = {"anyOf": [schema, {"type": "null"}]}
    parts = draw(st.permutations([schema, wider, {}]))
    return {"allOf": list(parts)}, value


_pairs: Final[st.SearchStrategy[Pair]] = st.recursive(
    _leaves,
    lambda inner: _objects(inner) | _lists(inner) | _unions(inner) | _intersections(inner),
    max_leaves=10,
)


def _document(pair: Pair) -> Pair:
    tree = {
        "type": "object",
        "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/tree"}}},
    }
    return {"allOf": [pair[0]], "$defs": {"tree": tree, "word": {"type": "string"}}}, pair[1]


documents: Final[st.SearchStrategy[Pair]] = _pairs.map(_document)
