"""A schema's keywords read with the wrong-typed ones taken for absent."""

from typing import TypeAlias, cast

from . import _kinds as kinds

Node: TypeAlias = dict[str, object]


def as_node(schema: object) -> Node | None:
    """The schema as a mapping of keywords, None for a boolean or for what is no schema at all."""
    return cast("Node", schema) if isinstance(schema, dict) else None


def declared_kinds(node: Node) -> int:
    """The kinds that `type` admits; all of them where it is absent or is not understood."""
    declared = node.get("type")
    if isinstance(declared, str):
        return kinds.of_name(declared)
    if not isinstance(declared, list):
        return kinds.ALL
    names = cast("list[object]", declared)
    mask = kinds.union_of(kinds.of_name(x) if isinstance(x, str) else kinds.ALL for x in names)
    return mask or kinds.ALL


def allowed_values(node: Node, mask: int) -> list[object]:
    """The values of `const` or `enum` that are of these kinds; none where there are no such keywords,
    or where they and the kinds contradict each other."""
    listed = [node["const"]] if "const" in node else node.get("enum")
    if not isinstance(listed, list):
        return []
    return [value for value in cast("list[object]", listed) if kinds.of_value(value) & mask]


def branches_of(node: Node, keyword: str) -> list[object]:
    """The schemas that the keyword lists."""
    value = node.get(keyword)
    return cast("list[object]", value) if isinstance(value, list) else []


def schemas_of(node: Node, keyword: str) -> Node:
    """The schemas that the keyword holds by name."""
    value = as_node(node.get(keyword)) or {}
    names = cast("dict[object, object]", value)  # JSON has string keys; what else comes may not
    if all(isinstance(name, str) for name in names):
        return value
    return {name: schema for name, schema in names.items() if isinstance(name, str)}
