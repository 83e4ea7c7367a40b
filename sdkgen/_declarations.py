"""Types on one line each, the large and the repeated ones by name: what the SDK text is made of.

Works from the leaves up without recursion, so neither depth nor sharing costs more than the size of the
graph. A type gets a name where saying it once and naming it is shorter than repeating it; a type that
contains itself always does.
"""

from collections.abc import Iterable
from typing import Final

from ._graph import leaves_first
from ._names import type_name
from ._spelling import member_key, needs_brackets, record_text, tuple_text
from ._types import (
    Described,
    Intersection,
    Keyword,
    ListOf,
    Literals,
    Named,
    Object,
    Tuple,
    Type,
    Types,
    Union,
)

_DECLARATION_CHARS: Final = 8
"""What `type X = …;` costs besides the name and the type."""
_USE_CHARS: Final = 2
"""What a name costs a reader at each use, besides its letters."""

_MIN_COMPOSED: Final = 40
"""Characters of a union or list that is worth a name: `string | null` says more than any name would."""
_MANY_LITERALS: Final = 8
"""From here on `["a","b"][number]` takes two thirds of the tokens of `"a"|"b"`; to the compiler they
are the same type."""


class Declarations:
    """The spelling of the types under `roots`, and the declarations that it needs."""

    def __init__(self, types: Types, roots: Iterable[Type]) -> None:
        self._types = types
        self._texts: dict[Type, str] = {}
        self._names: dict[Type, str] = {}
        self._taken: set[str] = set()
        self.declared: dict[str, str] = {}
        order, self._uses = leaves_first(roots)
        self._bodies: dict[Type, str] = {}
        recursive = [type for type in order if isinstance(type, Named)]
        for type in recursive:
            name = self._bodies.get(type.body) or self._new_name(type.hint)
            self._names[type] = self._texts[type] = name
            if not isinstance(type.body, (Keyword, Named)):
                self._bodies[type.body] = name
        for type in order:
            if not isinstance(type, Named):
                self._settle(type)
        for type in recursive:
            if isinstance(type.body, (Keyword, Named)):
                self._declare(self._names[type], type.body)

    def spell(self, type: Type) -> str:
        """The type's name, or its text on one line."""
        return self._texts[type]

    def members(self, type: Object) -> list[str]:
        """The members of an object, each with its description before it."""
        found = [self._member(name, optional, member) for name, optional, member in type.fields]
        if type.index is not None:
            found.append(f"[key:string]:{self._texts[type.index]}")
        return found

    def is_named(self, type: Type) -> bool:
        return type in self._names

    def _settle(self, type: Type) -> None:
        text = self._compose(type)
        self._texts[type] = text
        if type in self._bodies:
            self._name(type, self._bodies[type])
            return
        uses = self._uses[type]
        size = len(text)
        if isinstance(type, Described):
            size += len(type.text) + 8
        elif not isinstance(type, (Object, Literals)) and size < _MIN_COMPOSED:
            return
        if uses < 2:
            return
        name = type_name(self._types.hint(type))
        once = size + len(name) + _DECLARATION_CHARS + uses * (len(name) + _USE_CHARS)
        if once < uses * size:
            self._name(type, self._new_name(name))

    def _name(self, type: Type, name: str) -> None:
        self._declare(name, type)
        self._texts[type] = self._names[type] = name

    def _new_name(self, hint: str) -> str:
        stem = name = type_name(hint)
        count = 1
        while name in self._taken:
            count += 1
            name = f"{stem}{count}"
        self._taken.add(name)
        return name

    def _declare(self, name: str, type: Type) -> None:
        docs, bare = self._documented(type, within=True)
        self.declared[name] = f"{_comment(docs)}type {name} = {self._texts[bare]};"

    def _documented(self, type: Type, *, within: bool = False) -> tuple[list[str], Type]:
        """The descriptions on a type, outermost first, and the type; a named one keeps its own."""
        docs: list[str] = []
        while isinstance(type, Described) and (within or type not in self._names):
            within = False
            if type.text not in docs:
                docs.append(type.text)
            type = type.type
        return docs, type

    def _member(self, name: str, optional: bool, type: Type) -> str:
        docs, bare = self._documented(type)
        return f"{_comment(docs)}{member_key(name, optional)}{self._texts[bare]}"

    def _operand(self, type: Type) -> str:
        text = self._texts[type]
        return f"({text})" if needs_brackets(type) and not self._by_name(type) else text

    def _by_name(self, type: Type) -> bool:
        while type not in self._names and isinstance(type, Described):
            type = type.type
        return type in self._names

    def _compose(self, type: Type) -> str:
        if isinstance(type, Keyword):
            return type.text
        if isinstance(type, Literals):
            many = len(type.texts) >= _MANY_LITERALS
            return f"[{','.join(type.texts)}][number]" if many else "|".join(type.texts)
        if isinstance(type, Described):
            return self._texts[type.type]
        if isinstance(type, ListOf):
            return f"{self._operand(type.item)}[]"
        if isinstance(type, Union):
            return " | ".join(self._alternative(member) for member in type.members)
        if isinstance(type, Intersection):
            return " & ".join(self._operand(member) for member in type.members)
        if isinstance(type, Tuple):
            return tuple_text(type, self._operand, self._texts.__getitem__)
        assert isinstance(type, Object)
        if not type.fields:
            index = "unknown" if type.index is None else self._texts[type.index]
            return record_text(type, index, None if type.keys is None else self._texts[type.keys])
        return f"{{ {'; '.join(self.members(type))} }}"

    def _alternative(self, type: Type) -> str:
        docs, bare = self._documented(type)
        return f"{_comment(docs)}{self._texts[bare]}"


def _comment(docs: list[str]) -> str:
    return f"/** {' '.join(docs)} */ " if docs else ""
