"""The nearest of many names, quickly: what a wrong name was probably meant to be."""

import difflib
from collections.abc import Iterable
from typing import Final

LONGEST: Final = 80
_COMPARED: Final = 40  # names that are compared letter by letter


def nearest(name: str, names: Iterable[str], most: int = 3) -> list[str]:
    """At most ``most`` names that are like it, the likeliest first."""
    wanted = name[:LONGEST].lower()
    pairs = _pairs(wanted)
    scored = sorted(
        (-len(pairs & _pairs(known[:LONGEST].lower())), abs(len(known) - len(wanted)), known)
        for known in names
    )
    likely = {known.lower(): known for shared, _, known in scored[:_COMPARED] if shared}
    return [likely[each] for each in difflib.get_close_matches(wanted, likely, n=most)]


def _pairs(text: str) -> set[str]:
    return {text[at : at + 2] for at in range(len(text) - 1)}


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """``; did you mean 'a' or 'b'?``, or nothing."""
    near = nearest(name, names)
    return f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
