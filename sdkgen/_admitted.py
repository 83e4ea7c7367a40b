"""Which kinds of value a schema can admit, through references and branches, without converting it."""

from typing import Final

from . import _kinds as kinds
from ._document import Document, Resource
from ._schema import Node, allowed_values, as_node, branches_of, declared_kinds

_MAX_DEPTH: Final = 64


class Admitted:
    """Remembers by identity, so its answers hold as long as the document's schemas live."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._known: dict[int, int] = {}

    def kinds_of(self, schema: object, resource: Resource, depth: int = 0) -> int:
        """A set that has every kind that the schema admits, and perhaps others."""
        node = as_node(schema)
        if node is None or depth > _MAX_DEPTH:
            return 0 if schema is False else kinds.ALL
        known = self._known.get(id(node))
        if known is None:
            self._known[id(node)] = kinds.ALL  # what a way back to here may assume
            known = self._judge(node, self._document.enter(node, resource), depth + 1)
            if node.get("nullable") is True:
                known |= kinds.NULL
            self._known[id(node)] = known
        return known

    def _judge(self, node: Node, resource: Resource, depth: int) -> int:
        if "$ref" in node:
            target = self._document.find(node["$ref"], resource)
            if target is None:
                return kinds.ALL
            return self.kinds_of(target.schema, target.resource, depth)
        mask = declared_kinds(node)
        values = allowed_values(node, mask)
        if values:
            mask = kinds.union_of(kinds.of_value(value) for value in values)
        for branch in branches_of(node, "allOf"):
            mask &= self.kinds_of(branch, resource, depth)
        for keyword in ("anyOf", "oneOf"):
            branches = branches_of(node, keyword)
            if branches:
                mask &= kinds.union_of(self.kinds_of(each, resource, depth) for each in branches)
        return mask
