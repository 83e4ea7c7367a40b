"""JSON equality as hashable keys: 1 equals 1.0, but not true; objects are equal in any order."""

import math
from collections.abc import Callable
from typing import Final

from ._text import as_dict, as_list

MAX_KEY_NODES: Final = 100_000

Key = object
"""Equal for equal JSON values, hashable, and cheap to compare."""


class TooLarge(Exception):
    """The value has more parts than a key may have."""


def json_key(value: object, spend: Callable[[int], None] | None = None) -> Key:
    """The key of ``value``; walks without recursion, calls ``spend`` once with the number of parts.

    A value that JSON does not have is equal to itself only. Raises :class:`TooLarge` past
    ``MAX_KEY_NODES`` parts, which ends rings too.
    """
    scalar = _scalar_key(value)
    if scalar is not None:
        return scalar
    # A container becomes one flat tuple of brackets, names and scalars: no nesting, so neither
    # hashing nor comparing can recurse.
    out: list[object] = []
    stack: list[object] = [value]
    count = 0
    while stack:
        count += 1
        if count > MAX_KEY_NODES:
            raise TooLarge
        item = stack.pop()
        if type(item) is _Mark:
            out.append(item.key)
        elif (items := as_list(item)) is not None:
            out.append("[")
            stack.append(_LIST_END)
            stack.extend(reversed(items))
        elif (members := as_dict(item)) is not None:
            out.append("{")
            stack.append(_DICT_END)
            # Names that are no strings cannot be sorted; they are told apart by identity.
            names = sorted((n for n in members if type(n) is str), reverse=True)
            for name in names:
                stack.append(members[name])
                stack.append(_Mark(("n", name)))
            if len(names) != len(members):
                stack.append(_Mark(("?", id(members))))
        else:
            out.append(_scalar_key(item))
    if spend is not None:
        spend(count)
    return tuple(out)


class _Mark:
    __slots__ = ("key",)

    def __init__(self, key: object) -> None:
        self.key = key


_LIST_END = _Mark("]")
_DICT_END = _Mark("}")


def _scalar_key(value: object) -> Key | None:
    if type(value) is str:
        return ("s", value)
    if value is None or type(value) is bool:
        return ("b", value)
    if type(value) is int or (type(value) is float and math.isfinite(value)):
        return ("d", value)
    if type(value) is dict or type(value) is list:
        return None
    return ("?", id(value))
