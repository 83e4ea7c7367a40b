"""Whether a value is JSON data: plain dicts, lists and scalars, finite, without rings."""

import math

from ._text import as_dict, as_list


def is_json(value: object) -> bool:
    """Whether ``value`` survives the way through JSON text unchanged; -0.0, NaN and rings do not."""
    open_ids: set[int] = set()
    done: set[int] = set()
    work: list[tuple[object, bool]] = [(value, True)]
    while work:
        item, entering = work.pop()
        if not entering:
            open_ids.discard(id(item))
            done.add(id(item))
            continue
        if item is None or type(item) in (str, bool, int):
            continue
        if type(item) is float:
            if not is_lossless(item):
                return False
            continue
        if (members := as_dict(item)) is not None:
            if any(type(name) is not str for name in members):
                return False
            parts = list(members.values())
        elif (items := as_list(item)) is not None:
            parts = items
        else:
            return False
        if id(item) in open_ids:
            return False
        if id(item) not in done:
            open_ids.add(id(item))
            work.append((item, False))
            work.extend((part, True) for part in parts)
    return True


def is_lossless(value: float) -> bool:
    """Whether the float has a JSON form that reads back as itself: finite, and not -0.0."""
    return math.isfinite(value) and not (value == 0 and math.copysign(1, value) < 0)
