"""Types as a graph of shared nodes.

Equal types made by one :class:`Types` are the same object, so a type that many tools repeat is one node
however often the schemas spell it out, and the graph of a schema is never larger than the schema.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, cast


@dataclass(eq=False, repr=False, slots=True)
class Type:
    """A node; `width` is how many members it has as a union, `cyclic` whether it names itself."""

    width: int = field(default=1, kw_only=True)
    cyclic: bool = field(default=False, kw_only=True)


@dataclass(eq=False, repr=False, slots=True)
class Keyword(Type):
    """A type without parts: `string`, `unknown` and their like."""

    text: str


@dataclass(eq=False, repr=False, slots=True)
class Literals(Type):
    """A union of literal texts, as given."""

    texts: tuple[str, ...]


@dataclass(eq=False, repr=False, slots=True)
class Union(Type):
    members: tuple[Type, ...]


@dataclass(eq=False, repr=False, slots=True)
class Intersection(Type):
    members: tuple[Type, ...]


@dataclass(eq=False, repr=False, slots=True)
class ListOf(Type):
    item: Type


@dataclass(eq=False, repr=False, slots=True)
class Tuple(Type):
    items: tuple[Type, ...]
    required: int
    rest: Type | None


class Field(NamedTuple):
    name: str
    optional: bool
    type: Type


@dataclass(eq=False, repr=False, slots=True)
class Object(Type):
    """`index` types the members that have no field; `keys` limits which names they may have."""

    fields: tuple[Field, ...]
    index: Type | None
    keys: Type | None


@dataclass(eq=False, repr=False, slots=True)
class Described(Type):
    """A type with the text that says what it is for."""

    text: str
    type: Type


@dataclass(eq=False, repr=False, slots=True)
class Named(Type):
    """A definition that contains itself; printed by its name. `body` is set once it is known."""

    hint: str
    body: Type


UNKNOWN: Final = Keyword("unknown")
NEVER: Final = Keyword("never")
STRING: Final = Keyword("string")
NUMBER: Final = Keyword("number")
BOOLEAN: Final = Keyword("boolean")
NULL: Final = Keyword("null")
UNDEFINED: Final = Keyword("undefined")
ANY_OBJECT: Final = Object((), UNKNOWN, None)
ANY_LIST: Final = ListOf(UNKNOWN)

MAX_WIDTH: Final = 256
"""An intersection multiplies its unions out; beyond this the compiler gets slow, then refuses."""


class Types:
    """Makes nodes, equal ones once, and simplifies what has a simpler spelling."""

    def __init__(self) -> None:
        self._made: dict[object, Type] = {}
        self._hints: dict[Type, str] = {}
        self._definitions: set[Type] = set()

    def suggest(self, type: Type, name: str) -> None:
        """Offers a name for the type, should it get one; the first offer stands."""
        if not isinstance(type, Keyword) and type is not ANY_OBJECT:
            self._hints.setdefault(type, name)
            if isinstance(type, ListOf):
                self.suggest(type.item, name.removesuffix("s") + "Item")

    def define(self, type: Type, name: str) -> None:
        """Says that schemas refer to the type by name, so it is kept whole in intersections."""
        self.suggest(type, name)
        self._definitions.add(undescribed(type))

    def hint(self, type: Type) -> str:
        """The name offered for the type, else one by what is in it."""
        found = self._hints.get(type)
        if found is not None:
            return found
        if isinstance(type, Described):
            return self.hint(type.type)
        if isinstance(type, ListOf):
            return f"{self.hint(type.item)} List"
        if isinstance(type, Object) and type.fields:
            tags = (field.type for field in type.fields if field.type.width == 1)
            tag = next((tag.texts[0] for tag in tags if isinstance(tag, Literals)), None)
            return tag or " ".join(field.name for field in type.fields[:2])
        if isinstance(type, Literals):
            return type.texts[0]
        return "AnyObject" if type is ANY_OBJECT else "Shared"

    def literals(self, texts: Sequence[str]) -> Type:
        """A union of literal texts, in their order."""
        key = tuple(texts)
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = Literals(key, width=len(key))
        return found

    def list_of(self, item: Type) -> Type:
        if item is UNKNOWN:
            return ANY_LIST
        key = (ListOf, item)
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = ListOf(item, cyclic=item.cyclic)
        return found

    def tuple_of(self, items: tuple[Type, ...], required: int, rest: Type | None) -> Type:
        key = (Tuple, items, required, rest)
        found = self._made.get(key)
        if found is None:
            cyclic = any(item.cyclic for item in items) or (rest is not None and rest.cyclic)
            found = self._made[key] = Tuple(items, required, rest, cyclic=cyclic)
        return found

    def object_of(
        self, fields: tuple[Field, ...], index: Type | None = None, keys: Type | None = None
    ) -> Type:
        if not fields and (index is None or (index is UNKNOWN and keys is None)):
            return ANY_OBJECT
        key = (fields, index, keys)
        found = self._made.get(key)
        if found is None:
            cyclic = any(field.type.cyclic for field in fields)
            cyclic = cyclic or (index is not None and index.cyclic)
            found = self._made[key] = Object(fields, index, keys, cyclic=cyclic)
        return found

    def described(self, text: str, type: Type) -> Type:
        if not text:
            return type
        key = (text, type)
        found = self._made.get(key)
        if found is None:
            found = Described(text, type, width=type.width, cyclic=type.cyclic)
            self._made[key] = found
        return found

    def redescribed(self, like: Type, type: Type) -> Type:
        """The type with the description that another has."""
        return self.described(like.text, type) if isinstance(like, Described) else type

    def union(self, members: Iterable[Type]) -> Type:
        """Flat and without repeats; `unknown` swallows the rest, `never` goes."""
        flat: dict[Type, None] = {}
        for member in members:
            bare = undescribed(member)
            if bare is UNKNOWN:
                return UNKNOWN
            if isinstance(bare, Union):
                flat.update(dict.fromkeys(bare.members))
            elif bare is not NEVER:
                flat[member] = None
        parts = tuple(flat)
        if len(parts) < 2:
            return parts[0] if parts else NEVER
        key = (Union, parts)
        found = self._made.get(key)
        if found is None:
            width = sum(part.width for part in parts)
            cyclic = any(part.cyclic for part in parts)
            found = self._made[key] = Union(parts, width=width, cyclic=cyclic)
        return found

    def intersection(self, members: Iterable[Type]) -> Type:
        """Objects become one object. A member that would multiply unions too far is left out: the type
        is then wider than the schema, never narrower."""
        flat: dict[Type, None] = {}
        for member in members:
            bare = undescribed(member)
            if bare is NEVER:
                return NEVER
            if isinstance(bare, Intersection):
                flat.update(dict.fromkeys(bare.members))
            elif bare is not UNKNOWN:
                flat[bare] = None
        parts: list[Type] = []
        merged: dict[str, Field] = {}
        at = -1
        width = 1
        for part in flat:
            if part is ANY_OBJECT or (
                isinstance(part, Object) and part.index is None and part not in self._definitions
            ):
                if at < 0:
                    at = len(parts)
                    parts.append(part)
                self._merge(merged, cast("Object", part).fields)
            elif width * part.width <= MAX_WIDTH:
                width *= part.width
                parts.append(part)
        if at >= 0:
            parts[at] = self.object_of(tuple(merged.values()))
            if parts[at] is ANY_OBJECT and len(parts) > 1:
                del parts[at]
        if len(parts) < 2:
            return parts[0] if parts else UNKNOWN
        key = (Intersection, tuple(parts))
        found = self._made.get(key)
        if found is None:
            cyclic = any(part.cyclic for part in parts)
            found = Intersection(tuple(parts), width=width, cyclic=cyclic)
            self._made[key] = found
        return found

    def _merge(self, merged: dict[str, Field], fields: Iterable[Field]) -> None:
        for one in fields:
            other = merged.get(one.name)
            if other is None:
                merged[one.name] = one
                continue
            type = other.type
            if type is UNKNOWN:
                type = one.type
            elif undescribed(type) is not undescribed(one.type):
                both = self.intersection((type, one.type))
                type = self.redescribed(type, both)
            merged[one.name] = Field(one.name, one.optional and other.optional, type)


def undescribed(type: Type) -> Type:
    while isinstance(type, Described):
        type = type.type
    return type
