"""Which tool is said in how much detail, so that the whole stays within a number of tokens.

Fair over groups (the servers, as far as names tell): every group may take up to the same share,
and what a small one leaves goes to the others. Within a group all tools get their one line before any gets
more, short ones first. Shares come from a ladder, and a tool's cost is its own text's alone: a tool added
elsewhere changes nothing until it pushes the total past a rung.
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping
from itertools import accumulate
from typing import Final, TypeAlias

from ._listing import server_of
from ._tools import Detail

DETAILS: Final[tuple[Detail, ...]] = ("names", "compact", "full")
Levels: TypeAlias = Mapping[str, Detail]

_RUNGS: Final = tuple(round(2 ** (rung / 8)) for rung in range(24, 192))


def richest_within(
    max_tokens: int,
    costs: Mapping[str, tuple[int, ...]],
    detail: Detail,
    render: Callable[[Levels], str],
    estimate: Callable[[str], int],
) -> str:
    """The text of the most detailed levels that stays within `max_tokens`; names alone where none does.

    `costs` has the tokens of each tool by itself at each of `DETAILS`. What tools share makes the real
    text shorter, so the allowance for the sum of costs is searched by rendering.
    """
    highest = DETAILS.index(detail)
    groups: dict[str, dict[str, tuple[int, ...]]] = {}
    for name, levels in costs.items():
        groups.setdefault(server_of(name), {})[name] = levels
    best = render(dict.fromkeys(costs, DETAILS[0]))
    if not highest:
        return best
    shares = [_Share(members, highest) for members in groups.values()]
    low, high = 0, len(_RUNGS)
    while low < high:
        middle = (low + high) // 2
        text = render(_levels(shares, _RUNGS[middle]))
        if estimate(text) <= max_tokens:
            best = text
            low = middle + 1
        else:
            high = middle
    return best


class _Share:
    """One group's tools, and what they cost in all after each step up that one of them takes: first every
    tool to its line, then to its full text, the cheap ones first."""

    def __init__(self, members: Mapping[str, tuple[int, ...]], highest: int) -> None:
        self._names = list(members)
        self._steps = [
            (levels[level], name, level, max(0, levels[level] - levels[level - 1]))
            for name, levels in members.items()
            for level in range(1, highest + 1)
        ]
        self._steps.sort(key=lambda step: (step[2], step[0], step[1]))
        start = sum(levels[0] for levels in members.values())
        self._totals = list(accumulate((step[3] for step in self._steps), initial=start))

    def steps_within(self, share: int) -> int:
        """How many steps up the group can take within its share."""
        return max(0, bisect_right(self._totals, share) - 1)

    def cost(self, steps: int) -> int:
        return self._totals[steps]

    def levels(self, steps: int) -> dict[str, Detail]:
        found: dict[str, Detail] = {}
        found.update(dict.fromkeys(self._names, DETAILS[0]))
        found.update((name, DETAILS[level]) for _, name, level, _ in self._steps[:steps])
        return found


def _levels(shares: list[_Share], allowance: int) -> Levels:
    for share in reversed(_RUNGS):
        steps = [group.steps_within(share) for group in shares]
        if sum(group.cost(at) for group, at in zip(shares, steps, strict=True)) <= allowance:
            break
    else:
        steps = [0] * len(shares)
    return {
        name: detail
        for group, at in zip(shares, steps, strict=True)
        for name, detail in group.levels(at).items()
    }
