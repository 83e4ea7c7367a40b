"""The calls of one program, in order: one queue, in which only bodies may overlap.

A call's stages are: queued, policy (pre-execute and guards), body, commit (post-execute and the log's
entry). Policy and commit never overlap with another call's, and commits keep the order in which the
calls were made. An exclusive call overlaps with nothing, from its policy to the end of its commit.
"""

from collections.abc import Callable
from enum import Enum, auto

import anyio


class _At(Enum):
    QUEUED = auto()
    POLICY = auto()
    BODY = auto()
    DONE_BODY = auto()
    COMMIT = auto()


class Ticket:
    """One call's place. It is a ``Lane``."""

    __slots__ = (
        "_is_parallel",
        "_lanes",
        "_wake",
        "at",
        "is_abandoned",
        "may_overlap",
        "open_question",
    )

    def __init__(self, lanes: "Lanes", may_overlap: Callable[[], bool]) -> None:
        self._lanes = lanes
        self._wake: anyio.Event | None = None
        self.at = _At.QUEUED
        self.may_overlap = may_overlap
        self._is_parallel = False
        self.is_abandoned = False
        self.open_question: str | None = None

    @property
    def is_parallel(self) -> bool:
        return self._is_parallel

    def begin(self, is_parallel: bool) -> None:
        self._is_parallel = is_parallel
        self.go(_At.POLICY)

    def go(self, at: _At) -> None:
        self.at = at
        if self._wake is not None:
            self._wake.set()

    async def turn(self) -> None:
        """Returns when the call may begin; or when the lanes are closed: look at ``Lanes.is_closed``."""
        await self._until(lambda: self.at is not _At.QUEUED)

    def policy_ends(self) -> None:
        if self.at is _At.POLICY:
            self.at = _At.BODY
            self._lanes.advance()

    async def commit(self) -> None:
        self.at = _At.DONE_BODY
        self._lanes.advance()
        await self._until(lambda: self.at is _At.COMMIT)

    async def _until(self, is_so: Callable[[], bool]) -> None:
        while not is_so() and not self._lanes.is_closed:
            self._wake = anyio.Event()
            await self._wake.wait()
        self._wake = None

    def wake(self) -> None:
        if self._wake is not None:
            self._wake.set()

    def end(self) -> None:
        """The call has ended, or will not begin."""
        self._lanes.leave(self)


class Lanes:
    """The queue. ``most_parallel`` bounds the bodies that overlap."""

    __slots__ = ("_idle", "_most_parallel", "_tickets", "is_closed")

    def __init__(self, most_parallel: int) -> None:
        self._most_parallel = most_parallel
        self._tickets: dict[Ticket, None] = {}  # in the order of the calls
        self._idle: anyio.Event | None = None
        self.is_closed = False

    def enter(self, may_overlap: Callable[[], bool]) -> Ticket:
        """A place behind all others. ``may_overlap`` is asked right before the call begins."""
        ticket = Ticket(self, may_overlap)
        self._tickets[ticket] = None
        self.advance()
        return ticket

    def leave(self, ticket: Ticket) -> None:
        self._tickets.pop(ticket, None)
        if self._tickets:
            self.advance()
        elif self._idle is not None:
            self._idle.set()

    def advance(self) -> None:
        """Lets every call go on that may."""
        if self.is_closed:
            return
        for place, ticket in enumerate(self._tickets):
            if ticket.at in (_At.POLICY, _At.COMMIT):
                return  # one at a time
            if ticket.at is _At.DONE_BODY and place == 0:
                ticket.go(_At.COMMIT)
                return
            if ticket.at is _At.QUEUED:
                self._begin(ticket, place)
                return
            if not ticket.is_parallel:
                return

    def _begin(self, ticket: Ticket, before: int) -> None:
        """``before`` counts the calls ahead, those that wait to commit too: what waits is bounded."""
        is_parallel = self._most_parallel > 1 and ticket.may_overlap()
        if before == 0 or (is_parallel and before < self._most_parallel):
            ticket.begin(is_parallel)

    def close(self) -> None:
        """Nothing begins any more; everybody who waits goes on to find that out."""
        self.is_closed = True
        for ticket in self._tickets:
            ticket.wake()

    @property
    def waiting(self) -> int:
        return len(self._tickets)

    async def wait_idle(self) -> None:
        """Returns when every call has ended."""
        while self._tickets:
            self._idle = anyio.Event()
            await self._idle.wait()
