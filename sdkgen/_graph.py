"""Walks over types and their parts, without recursion."""

from collections.abc import Iterable, Iterator

from ._types import Described, Intersection, ListOf, Named, Object, Tuple, Type, Union


def children(type: Type) -> Iterator[Type]:
    """The parts of a type; a recursive one counts as having none."""
    if isinstance(type, Object):
        for field in type.fields:
            yield field.type
        if type.index is not None:
            yield type.index
        if type.keys is not None:
            yield type.keys
    elif isinstance(type, (Union, Intersection)):
        yield from type.members
    elif isinstance(type, Described):
        yield type.type
    elif isinstance(type, ListOf):
        yield type.item
    elif isinstance(type, Tuple):
        yield from type.items
        if type.rest is not None:
            yield type.rest


def leaves_first(roots: Iterable[Type]) -> tuple[list[Type], dict[Type, int]]:
    """Every type under the roots after its parts (but a recursive one), and how often it is used."""
    order: list[Type] = []
    uses: dict[Type, int] = {}
    starts = list(roots)
    for start in starts:  # grows: the body of a recursive type is visited after all that led to it
        uses[start] = uses.get(start, 0) + 1
        if uses[start] > 1:
            continue
        waiting: list[tuple[Type, Iterator[Type]]] = [(start, children(start))]
        while waiting:
            at, parts = waiting[-1]
            for child in parts:
                seen = uses.get(child, 0)
                uses[child] = seen + 1
                if not seen:
                    waiting.append((child, children(child)))
                    break
            else:
                order.append(at)
                waiting.pop()
                if isinstance(at, Named):
                    starts.append(at.body)
    return order, uses
