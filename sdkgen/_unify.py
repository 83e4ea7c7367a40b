"""Recursive types that say the same made one, as all other equal types are from the start.

Two of them are the same if their bodies are, wherever they stand for each other. So all are taken for the
same until their bodies differ, again and again, until nothing differs any more.
"""

from collections.abc import Iterable

from ._graph import children, leaves_first
from ._types import (
    Described,
    Field,
    Intersection,
    ListOf,
    Named,
    Object,
    Tuple,
    Type,
    Types,
    Union,
)


def unify(types: Types, roots: Iterable[Type]) -> list[Type]:
    """The roots, with equal recursive types below them replaced by one each."""
    given = list(roots)
    order, _ = leaves_first(given)
    named = [type for type in order if isinstance(type, Named)]
    if len(named) < 2:
        return given
    classes = _classes(order, named)
    first: dict[int, Named] = {}
    for one in named:
        first.setdefault(classes[one], one)
    new: dict[Type, Type] = {one: _at_last(first[classes[one]]) for one in named}
    for type in order:
        if type not in new:
            new[type] = _rebuilt(types, type, new) if type.cyclic else type
    for one in first.values():
        if not isinstance(one.body, Named):
            one.body = new[one.body]
    return [new[root] for root in given]


def _at_last(named: Named) -> Named:
    """What a type that is only another name for a recursive one stands for."""
    while isinstance(named.body, Named):
        named = named.body
    return named


def _classes(order: list[Type], named: list[Named]) -> dict[Type, int]:
    """A number for each type, the same for types that spell the same."""
    classes: dict[Type, int] = {}
    count = 0
    now: dict[Named, object] = {}
    now.update(dict.fromkeys(named))
    while True:
        apart: dict[object, int] = {}
        for one in named:
            classes[one] = -1 - apart.setdefault(now[one], len(apart))
        if len(apart) == count:
            return classes
        count = len(apart)
        numbers: dict[object, int] = {}
        for type in order:
            if not isinstance(type, Named):
                key = _shape(type, classes) if type.cyclic else type
                classes[type] = numbers.setdefault(key, len(numbers))
        now = {one: (classes[one], classes[one.body]) for one in named}


def _shape(type: Type, classes: dict[Type, int]) -> object:
    parts = tuple(classes[child] for child in children(type))
    if isinstance(type, Object):
        fields = tuple((field.name, field.optional) for field in type.fields)
        return (Object, fields, type.index is None, type.keys is None, parts)
    if isinstance(type, Described):
        return (Described, type.text, parts)
    if isinstance(type, Tuple):
        return (Tuple, type.required, type.rest is None, parts)
    return (type.__class__, parts)


def _rebuilt(types: Types, type: Type, new: dict[Type, Type]) -> Type:
    if isinstance(type, Object):
        fields = tuple(Field(name, optional, new[part]) for name, optional, part in type.fields)
        index = None if type.index is None else new[type.index]
        made = types.object_of(fields, index, None if type.keys is None else new[type.keys])
    elif isinstance(type, Described):
        made = types.described(type.text, new[type.type])
    elif isinstance(type, ListOf):
        made = types.list_of(new[type.item])
    elif isinstance(type, Tuple):
        rest = None if type.rest is None else new[type.rest]
        made = types.tuple_of(tuple(new[item] for item in type.items), type.required, rest)
    elif isinstance(type, Union):
        made = types.union(new[member] for member in type.members)
    else:
        assert isinstance(type, Intersection)
        made = types.intersection(new[member] for member in type.members)
    types.suggest(made, types.hint(type))
    return made
