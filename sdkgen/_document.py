"""Where a `$ref` leads inside one schema document. Nothing outside the document is ever looked at."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, cast
from urllib.parse import unquote, urldefrag, urljoin

from ._schema import Node, as_node

_MAPS: Final = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_LISTS: Final = ("allOf", "anyOf", "oneOf", "prefixItems", "items")
_SINGLES: Final = (
    *("items", "additionalProperties", "additionalItems", "not", "if", "then", "else", "contains"),
    *("propertyNames", "unevaluatedItems", "unevaluatedProperties", "contentSchema"),
)
_ARRAY_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,8}", re.ASCII)
_NEW_DIALECT: Final = re.compile(r"json-schema\.org/(draft/(20[2-9]\d|2019)|v[1-9])")
_ROOT_URI: Final = "schema:///root"


@dataclass(frozen=True, slots=True)
class Resource:
    """A schema that `#` means from inside: the document, or a part of it with an `$id` of its own."""

    uri: str
    root: object


@dataclass(frozen=True, slots=True)
class Target:
    """What a reference leads to. `name` is the last step of the way there."""

    schema: object
    resource: Resource
    name: str


def identifier(schema: Node) -> str | None:
    """The `$id` (`id` up to draft 4) that makes the schema a resource of its own, if it does."""
    for keyword in ("$id", "id"):
        value = schema.get(keyword)
        if isinstance(value, str) and value and not value.startswith("#"):
            return value
    return None


class Document:
    """One schema as sent, with the resources and anchors inside it (indexed only when first asked)."""

    def __init__(self, schema: object) -> None:
        uri = _ROOT_URI
        node = as_node(schema)
        if node is not None:
            uri = _resolve(uri, identifier(node) or "") or uri
        self.resource = Resource(uri, schema)
        self._index: tuple[dict[str, Resource], dict[tuple[str, str], Target]] | None = None

    def enter(self, schema: Node, resource: Resource) -> Resource:
        """The resource that the schema is in, itself perhaps being one. Up to draft 7 an `$id` beside a
        `$ref` means nothing."""
        name = identifier(schema)
        if name is None or schema is resource.root:
            return resource
        if "$ref" in schema and not self.siblings_apply(schema["$ref"]):
            return resource
        return Resource(_resolve(resource.uri, name) or resource.uri, schema)

    def find(self, ref: object, resource: Resource) -> Target | None:
        """The schema that `ref` means where `resource` is current; None where it leads nowhere."""
        if not isinstance(ref, str):
            return None
        if ref.startswith("#"):
            fragment = ref[1:]
        else:
            uri, _, fragment = ref.partition("#")
            full = _resolve(resource.uri, uri)
            found = None if full is None else self._resources()[0].get(full)
            if found is None:
                return None
            resource = found
        if not fragment:
            return Target(resource.root, resource, "")
        if fragment.startswith("/"):
            return self._walk(fragment, resource)
        return self._resources()[1].get((resource.uri, unquote(fragment)))

    def siblings_apply(self, ref: object) -> bool:
        """Whether keywords beside the `$ref` count: from 2019-09 on. Without a `$schema` the place
        where the definitions are kept tells."""
        root = as_node(self.resource.root)
        dialect = None if root is None else root.get("$schema")
        if isinstance(dialect, str):
            return _NEW_DIALECT.search(dialect) is not None
        return isinstance(ref, str) and ref.startswith("#/$defs/")

    def _walk(self, pointer: str, resource: Resource) -> Target | None:
        at = resource.root
        step = ""
        for raw in pointer.split("/")[1:]:
            step = unquote(raw).replace("~1", "/").replace("~0", "~")
            node = as_node(at)
            if node is not None:
                if step not in node:
                    return None
                resource = self.enter(node, resource)
                at = node[step]
            elif isinstance(at, list) and _ARRAY_INDEX.fullmatch(step):
                items = cast("list[object]", at)
                if int(step) >= len(items):
                    return None
                at = items[int(step)]
            else:
                return None
        return Target(at, resource, step)

    def _resources(self) -> tuple[dict[str, Resource], dict[tuple[str, str], Target]]:
        if self._index is None:
            resources = {self.resource.uri: self.resource}
            anchors: dict[tuple[str, str], Target] = {}
            seen: set[int] = set()
            waiting = [(self.resource.root, self.resource)]
            while waiting:
                schema, resource = waiting.pop()
                node = as_node(schema)
                if node is None or id(node) in seen:
                    continue
                seen.add(id(node))
                resource = self.enter(node, resource)
                resources.setdefault(resource.uri, resource)
                for name in _anchors(node):
                    anchors.setdefault((resource.uri, name), Target(node, resource, name))
                waiting.extend((child, resource) for child in _children(node))
            self._index = (resources, anchors)
        return self._index


def _resolve(base: str, ref: str) -> str | None:
    try:
        return urldefrag(urljoin(base, ref))[0]
    except ValueError:  # not a URI at all
        return None


def _anchors(schema: Node) -> Iterator[str]:
    for keyword in ("$anchor", "$dynamicAnchor"):
        value = schema.get(keyword)
        if isinstance(value, str):
            yield value
    for keyword in ("$id", "id"):
        value = schema.get(keyword)
        if isinstance(value, str) and value.startswith("#") and len(value) > 1:
            yield value[1:]


def _children(schema: Node) -> Iterator[object]:
    for keyword in _MAPS:
        yield from (as_node(schema.get(keyword)) or {}).values()
    for keyword in _LISTS:
        value = schema.get(keyword)
        if isinstance(value, list):
            yield from cast("list[object]", value)
    for keyword in _SINGLES:
        yield schema.get(keyword)
