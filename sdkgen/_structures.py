"""Objects and lists: the types that have other types inside."""

from collections.abc import Callable
from typing import Final, cast

from . import _kinds as kinds
from ._literals import literal_type
from ._names import in_js_order
from ._schema import Node, allowed_values, as_node, schemas_of
from ._types import (
    ANY_LIST,
    ANY_OBJECT,
    NEVER,
    UNDEFINED,
    UNKNOWN,
    Field,
    Type,
    Types,
    undescribed,
)

OF_OBJECTS: Final = frozenset(
    ("properties", "required", "additionalProperties", "patternProperties", "propertyNames")
)
OF_ARRAYS: Final = frozenset(("items", "prefixItems"))

_MAX_TUPLE: Final = 24
_MAX_INDEX_WIDTH: Final = 4
_INHERITED: Final = frozenset(
    (
        *("constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable"),
        *("toLocaleString", "toString", "valueOf"),
    )
)
"""Members that TypeScript finds on an object that lacks them, and whose type would have to fit."""


class Structures:
    """Builds them from a node's keywords; `convert(schema, depth, name)` gives the types inside, and
    `describe(node, type, name)` puts the description of the member of that name on its type."""

    def __init__(
        self,
        types: Types,
        convert: Callable[[object, int, str], Type],
        describe: Callable[[Node, Type, str], Type],
    ) -> None:
        self._types = types
        self._convert = convert
        self._describe = describe
        self.nesting = 0
        """How many objects and lists the conversion is inside of now."""

    def object_type(self, node: Node, depth: int, *, inferred: bool) -> Type:
        """`inferred` says that nothing but its keywords makes the node an object. What else has such a
        shape is then open too, which TypeScript must be told."""
        if OF_OBJECTS.isdisjoint(node):
            return ANY_OBJECT
        required = _required(node)
        fields: list[Field] = []
        self.nesting += 1
        for name, schema in in_js_order(schemas_of(node, "properties")):
            member = self._member(schema, name, depth)
            optional = name not in required and not _flagged(schema)
            if optional and name in _INHERITED:
                member = self._types.redescribed(member, UNKNOWN)
            fields.append(Field(name, optional, member))
            required.pop(name, None)
        index = self._index(node, fields, depth)
        self.nesting -= 1
        fields.extend(Field(name, False, index or UNKNOWN) for name in required)
        keys = _keys(node) if index is not None and not fields else []
        if index is None and fields and inferred:
            index = UNKNOWN
        names = self._types.literals(keys) if keys else None
        return self._types.object_of(tuple(fields), index, names)

    def array_type(self, node: Node, depth: int) -> Type:
        if OF_ARRAYS.isdisjoint(node):
            return ANY_LIST
        prefix, rest = node.get("prefixItems"), node.get("items")
        if not isinstance(prefix, list):
            prefix, rest = rest, node.get("additionalItems")
        self.nesting += 1
        if isinstance(prefix, list):
            made = self._tuple(cast("list[object]", prefix), rest, node.get("minItems"), depth)
        else:
            made = self._types.list_of(self._element(prefix, depth))
        self.nesting -= 1
        return made

    def _member(self, schema: object, name: str, depth: int) -> Type:
        made = self._convert(schema, depth + 1, name)
        node = as_node(schema)
        if node is None:
            return made
        self._types.suggest(made, name)
        described = self._describe(node, made, name)
        if described is made and (items := as_node(node.get("items"))) is not None:
            described = self._describe(items, made, name)
        if described is not made:
            self._types.suggest(described, name)
        return described

    def _index(self, node: Node, fields: list[Field], depth: int) -> Type | None:
        """The type of the members beyond the fields, wide enough for the fields as TypeScript asks."""
        extra = node.get("additionalProperties")
        patterns = schemas_of(node, "patternProperties").values()
        parts = [self._convert(schema, depth + 1, "") for schema in patterns]
        if isinstance(extra, dict):
            parts.append(self._convert(cast("object", extra), depth + 1, ""))
        elif extra is True or (parts and extra is not False):
            return UNKNOWN
        if not parts:
            return None
        parts.extend(field.type for field in fields)
        if any(field.optional for field in fields):
            parts.append(UNDEFINED)
        made = self._types.union(undescribed(part) for part in parts)
        return UNKNOWN if fields and made.width > _MAX_INDEX_WIDTH else made

    def _element(self, schema: object, depth: int) -> Type:
        return undescribed(self._convert(schema, depth + 1, ""))

    def _tuple(self, prefix: list[object], rest: object, least: object, depth: int) -> Type:
        if len(prefix) > _MAX_TUPLE:
            return ANY_LIST
        after = None if rest is False else self._element(rest, depth)
        if not prefix:
            return self._types.list_of(NEVER if after is None else after)
        items = tuple(self._element(schema, depth) for schema in prefix)
        required = least if isinstance(least, int) else 0
        return self._types.tuple_of(items, max(0, min(required, len(items))), after)


def _required(node: Node) -> dict[str, None]:
    listed = node.get("required")
    if not isinstance(listed, list):
        return {}
    return dict.fromkeys(name for name in cast("list[object]", listed) if isinstance(name, str))


def _flagged(schema: object) -> bool:
    """Draft 3 marks a required member inside its own schema."""
    node = as_node(schema)
    return node is not None and node.get("required") is True


def _keys(node: Node) -> list[str]:
    names = as_node(node.get("propertyNames"))
    return [] if names is None else [literal_type(x) for x in allowed_values(names, kinds.STRING)]
