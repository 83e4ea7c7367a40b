"""How types are put together in TypeScript: brackets, separators, the forms of objects and tuples."""

from collections.abc import Callable

from ._names import property_key
from ._types import Intersection, Literals, Object, Tuple, Type, Union, undescribed


def needs_brackets(type: Type) -> bool:
    """Whether the type, spelled out, is a list of alternatives that `[]`, `?` or `&` would split."""
    bare = undescribed(type)
    return isinstance(bare, (Union, Intersection)) or (
        isinstance(bare, Literals) and bare.width > 1
    )


def tuple_text(type: Tuple, operand: Callable[[Type], str], spell: Callable[[Type], str]) -> str:
    """`operand` spells a type in brackets where it needs them, `spell` without."""
    parts = [
        spell(item) if at < type.required else f"{operand(item)}?"
        for at, item in enumerate(type.items)
    ]
    if type.rest is not None:
        parts.append(f"...{operand(type.rest)}[]")
    return f"[{', '.join(parts)}]"


def record_text(type: Object, index: str, keys: str | None) -> str:
    """An object without fields. An alias may contain itself in an index signature, not in a Record."""
    if type.cyclic:
        return f"{{ [key: string]: {index} }}"
    return f"Record<string, {index}>" if keys is None else f"Partial<Record<{keys}, {index}>>"


def member_key(name: str, optional: bool) -> str:
    return f"{property_key(name)}{'?' if optional else ''}:"
