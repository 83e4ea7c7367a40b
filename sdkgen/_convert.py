"""Schema to type. Every rule keeps one promise: a value that the schema admits fits the type.

Each node is read by itself, by the rules of whatever draft it seems to be; what TypeScript cannot say is
left out or `unknown`. `domain` carries down which kinds of value (see `_kinds`) can stand at a node at
all, so that the branches of `anyOf` under `type: object` are objects without saying so.
"""

from typing import Final, cast

from . import _kinds as kinds
from ._admitted import Admitted
from ._document import Document, Target
from ._literals import literal_type
from ._prose import Docs, whole_comment
from ._schema import Node, allowed_values, as_node, branches_of, declared_kinds
from ._structures import OF_ARRAYS, OF_OBJECTS, Structures
from ._types import (
    ANY_LIST,
    ANY_OBJECT,
    BOOLEAN,
    NEVER,
    NULL,
    NUMBER,
    STRING,
    UNKNOWN,
    Described,
    Intersection,
    Named,
    Type,
    Types,
    Union,
)

MAX_DEPTH: Final = 64
MAX_NODES: Final = 200_000

_PLAIN: Final = {
    "string": (kinds.STRING, STRING),
    "number": (kinds.NUMBER, NUMBER),
    "integer": (kinds.NUMBER, NUMBER),
    "boolean": (kinds.BOOLEAN, BOOLEAN),
}
_OF_KIND: Final[dict[int, Type]] = {
    kinds.STRING: STRING,
    kinds.NUMBER: NUMBER,
    kinds.BOOLEAN: BOOLEAN,
    kinds.NULL: NULL,
    kinds.ARRAY: ANY_LIST,
    kinds.OBJECT: ANY_OBJECT,
}
_DECIDING: Final = frozenset(
    ("enum", "const", "$ref", "allOf", "anyOf", "oneOf", "not", "nullable", "$id", "id")
)
_BESIDE_A_REF: Final = OF_OBJECTS | OF_ARRAYS | (_DECIDING - {"$ref", "$id", "id"}) | {"type"}


class Converter:
    """Converts the schemas of one document into the nodes of `types`."""

    def __init__(
        self,
        schema: object,
        types: Types,
        *,
        docs: Docs | None = whole_comment,
        hint: str = "Root",
        max_literals: int | None = None,
    ) -> None:
        self._document = Document(schema)
        self._root = schema
        self._hint = hint
        self._beside: list[Node] = []
        self._types = types
        self._docs = docs
        self._max_literals = max_literals
        self._resource = self._document.resource
        self._nodes = 0
        self._structures = Structures(types, self._inside, self._describe)
        self._done: dict[tuple[int, int], Type] = {}
        self._open: dict[tuple[int, int], tuple[int, list[Named]]] = {}
        self._admitted = Admitted(self._document)

    def root(self, domain: int = kinds.ALL) -> Type:
        """The type of the whole document."""
        admitted = self._admitted.kinds_of(self._root, self._resource)
        if not admitted & domain or not admitted & ~domain:
            domain = kinds.ALL
        return self._convert(self._root, domain, 0)

    def _referred(self, target: Target, domain: int, depth: int) -> Type:
        """The schema that a reference leads to, with its own description and name."""
        if not self._admitted.kinds_of(target.schema, target.resource) & ~domain:
            domain = kinds.ALL  # it keeps to the domain by itself: one conversion serves everywhere
        outer = self._resource
        self._resource = target.resource
        made = self._convert(target.schema, domain, depth, target.name)
        self._resource = outer
        node = as_node(target.schema)
        if node is None or isinstance(made, Named) or not target.name:
            return made
        made = self._describe(node, made)
        self._types.define(made, target.name)
        return made

    def _convert(self, schema: object, domain: int, depth: int, name: str = "") -> Type:
        """Converts a schema once. One that is met again inside itself gets a name there, `name` if it
        has one."""
        node = as_node(schema)
        if node is None:
            return NEVER if schema is False else self._of_kinds(domain)
        declared = node.get("type")
        plain = _DECIDING.isdisjoint(node)
        if plain and isinstance(declared, str) and declared in _PLAIN:
            kind, type = _PLAIN[declared]
            return type if kind & domain else NEVER
        key = (id(node), domain)
        done = self._done.get(key)
        if done is not None:
            return done
        opened = self._open.get(key)
        if opened is not None:
            nesting, named = opened
            if nesting == self._structures.nesting:
                return UNKNOWN  # it is itself, not something that contains itself
            if not named:
                named.append(Named(name or self._hint, UNKNOWN, cyclic=True, width=16))
            return named[0]
        self._nodes += 1
        if depth > MAX_DEPTH or self._nodes > MAX_NODES:
            return UNKNOWN
        self._open[key] = (self._structures.nesting, named := [])
        if plain:
            made = self._own(node, declared_kinds(node) & domain, domain, depth)
        else:
            outer = self._resource
            self._resource = self._document.enter(node, outer)
            made = self._deciding(node, domain, depth)
            self._resource = outer
        del self._open[key]
        if named:
            named[0].body = UNKNOWN if _is_itself(made, named[0]) else self._describe(node, made)
            made = named[0]
        self._done[key] = made
        return made

    def _deciding(self, node: Node, domain: int, depth: int) -> Type:
        """A node with keywords that may decide the type by themselves."""
        if "$ref" in node:
            ref = node["$ref"]
            target = self._document.find(ref, self._resource)
            made = UNKNOWN if target is None else self._referred(target, domain, depth + 1)
            if not _BESIDE_A_REF.isdisjoint(node) and self._document.siblings_apply(ref):
                beside = {key: value for key, value in node.items() if key not in ("$ref", "$id")}
                self._beside.append(beside)  # kept: results are remembered by identity
                mask = domain & self._admitted.kinds_of(node, self._resource)
                other = self._convert(beside, mask, depth + 1)
                if other is not UNKNOWN:
                    made = self._types.intersection((made, other))
        else:
            made = self._constrained(node, domain, depth)
        if node.get("nullable") is True and made is not UNKNOWN:
            return self._types.union((made, NULL))
        return made

    def _constrained(self, node: Node, domain: int, depth: int) -> Type:
        types = self._types
        mask = (
            self._admitted.kinds_of(node, self._resource)
            & domain
            & ~kinds.excluded(node.get("not"))
        )
        values = allowed_values(node, declared_kinds(node) & domain)
        if values:
            texts = [literal_type(value) for value in values]
            too_many = self._max_literals is not None and len(texts) > self._max_literals
            if too_many or "unknown" in texts:
                return self._of_kinds(kinds.union_of(kinds.of_value(value) for value in values))
            return types.literals(texts)
        if not mask:
            return NEVER
        parts: list[Type] = []
        for keyword in ("allOf", "anyOf", "oneOf"):
            branches = branches_of(node, keyword)
            if branches:
                made = [self._branch(branch, mask, depth) for branch in branches]
                parts.extend(made if keyword == "allOf" else [types.union(made)])
        if not (parts and OF_OBJECTS.isdisjoint(node) and OF_ARRAYS.isdisjoint(node)):
            parts.insert(0, self._own(node, mask, domain, depth))
        made = parts[0] if len(parts) == 1 else types.intersection(parts)
        return self._of_kinds(mask) if made is UNKNOWN else made

    def _branch(self, branch: object, domain: int, depth: int) -> Type:
        made = self._convert(branch, domain, depth + 1)
        node = as_node(branch)
        return made if node is None else self._describe(node, made)

    def _own(self, node: Node, mask: int, domain: int, depth: int) -> Type:
        """The type by the node's own `type`, object and array keywords."""
        declared = node.get("type")
        if isinstance(declared, list):
            return self._listed(cast("list[object]", declared), node, mask, domain, depth)
        objects = mask & kinds.OBJECT and not OF_OBJECTS.isdisjoint(node)
        arrays = mask & kinds.ARRAY and not OF_ARRAYS.isdisjoint(node)
        if not objects and not arrays:
            return self._of_kinds(mask)
        return self._types.union(
            self._of_kind(kind, node, domain, depth) for kind in kinds.ORDER if kind & mask
        )

    def _listed(
        self, declared: list[object], node: Node, mask: int, domain: int, depth: int
    ) -> Type:
        """A list under `type`: names, or whole schemas (draft 3), in the order given."""
        parts: list[Type] = []
        for one in declared:
            if not isinstance(one, str):
                parts.append(self._convert(one, domain, depth + 1))
                continue
            named = kinds.of_name(one)
            if named == kinds.ALL:
                return self._of_kinds(mask)
            if named & mask:
                parts.append(self._of_kind(named, node, domain, depth))
        return self._types.union(parts) if parts else self._of_kinds(mask)

    def _of_kinds(self, mask: int) -> Type:
        if mask == kinds.ALL:
            return UNKNOWN
        return self._types.union(_OF_KIND[kind] for kind in kinds.ORDER if kind & mask)

    def _of_kind(self, kind: int, node: Node, domain: int, depth: int) -> Type:
        if kind == kinds.OBJECT:
            inferred = domain == kinds.ALL and "type" not in node
            return self._structures.object_type(node, depth, inferred=inferred)
        return self._structures.array_type(node, depth) if kind == kinds.ARRAY else _OF_KIND[kind]

    def _inside(self, schema: object, depth: int, name: str = "") -> Type:
        return self._convert(schema, kinds.ALL, depth, name)

    def _describe(self, node: Node, made: Type, name: str = "") -> Type:
        text = self._docs(node["description"], name) if self._docs and "description" in node else ""
        if not text or (isinstance(made, Described) and made.text == text):
            return made
        return self._types.described(text, made)


def _is_itself(type: Type, named: Named) -> bool:
    """Whether the name stands in its own definition with no object or list between, which no type may."""
    waiting = [type]
    seen: set[Type] = set()
    while waiting:
        at = waiting.pop()
        if at is named:
            return True
        if at in seen:
            continue
        seen.add(at)
        if isinstance(at, (Union, Intersection)):
            waiting.extend(at.members)
        elif isinstance(at, Described):
            waiting.append(at.type)
        elif isinstance(at, Named):
            waiting.append(at.body)
    return False
