"""The measure of one check: work, depth and time spent on patterns, each with an end.

Work is counted, not timed, so the same call gets the same answer on any machine. Only a pattern's
match is timed, by its engine.
"""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from time import perf_counter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ._patterns import Pattern

MAX_WORK: Final = 60_000
"""Keywords that one check may try; about a third of a second at most."""
MAX_DEPTH: Final = 200
"""Schemas within schemas that one check may be in; three Python frames each."""
MAX_PATTERN_SECONDS: Final = 0.1
"""The time of all pattern matches of one check."""
_SHORTEST = 1e-4  # the engine takes no timeout of nothing


class BudgetSpent(Exception):
    """The check has to end; the text says of what there was too much."""


class Budget:
    """What is left for one check."""

    __slots__ = ("_depth", "_seconds", "_work")

    def __init__(self) -> None:
        self._work = MAX_WORK
        self._depth = 0
        self._seconds = MAX_PATTERN_SECONDS

    def spend(self, work: int = 1) -> None:
        """Takes ``work`` units off; raises :class:`BudgetSpent` when there are none left."""
        self._work -= work
        if self._work < 0:
            raise BudgetSpent("is too large to be checked further: pass less at a time")

    def enter(self) -> None:
        """One schema deeper."""
        self.spend()
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise BudgetSpent("is nested too deeply to be checked further")

    def leave(self) -> None:
        """One schema back up."""
        self._depth -= 1

    def search(self, pattern: "Pattern", text: str) -> bool:
        """Whether ``pattern`` occurs in ``text``; raises :class:`BudgetSpent` if that takes too long."""
        self.spend()
        started = perf_counter()
        try:
            return pattern.search(text, max(self._seconds, _SHORTEST))
        except TimeoutError:
            raise BudgetSpent("has text that takes too long to match its patterns") from None
        finally:
            self._seconds -= perf_counter() - started


_CURRENT: ContextVar[Budget] = ContextVar("codemode_schema_budget")


def current() -> Budget:
    """The budget of the check that is running."""
    return _CURRENT.get()


@contextmanager
def budget() -> Generator[Budget, None, None]:
    """A fresh budget for the body."""
    token = _CURRENT.set(new := Budget())
    try:
        yield new
    finally:
        _CURRENT.reset(token)
