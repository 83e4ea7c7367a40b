"""Who computes when: short slices on the event loop, long computations on worker threads.

A run starts inline, without a thread hop. The slices that all runs take inline in one cycle of the
loop share a budget, so the loop stays responsive however many runs start at once. A run that keeps
computing moves to one of a few worker threads, for a turn at a time; who has computed least goes
first, so a crowd of hot loops cannot hold up an honest run.
"""

import heapq
import itertools
import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import anyio

from ._workers import Workers

if TYPE_CHECKING:
    from ._loop import Loop

INLINE_SLICES: Final = 2
"""A run's slices on the loop, at the start of each turn of the guest, before it moves to a worker."""

CYCLE_BUDGET_NS: Final = 4_000_000
"""Inline computing in one cycle of the loop."""

SHORTEST_TURN_NS: Final = 2_000_000
LONGEST_TURN_NS: Final = 10_000_000


def turn_ns(consumed_ns: int) -> int:
    """How long a worker computes for one run before others may have it: as long as the run has computed
    so far, within bounds, so that newcomers are through quickly and long computations change seldom."""
    return min(max(consumed_ns, SHORTEST_TURN_NS), LONGEST_TURN_NS)


class Place:
    """A run's place in the queue for a worker; ``deadline`` is of the loop's clock."""

    __slots__ = ("deadline", "event", "is_granted")

    def __init__(self, deadline: float) -> None:
        self.deadline = deadline
        self.event = anyio.Event()
        self.is_granted = False

    def leave(self) -> None:
        """Stops waiting, if the run waits."""
        self.event.set()


class Scheduler:
    """The scheduler of one runtime on one event loop."""

    def __init__(self, loop: "Loop", workers: int | None = None, niceness: int = 0) -> None:
        self._loop = loop
        self._spent_ns = 0
        self._is_reset_due = False
        self._waiting_inline = 0
        count = workers or os.cpu_count() or 1
        self._free = count
        self._workers = Workers(loop, count, niceness)
        self._waiting: list[tuple[int, int, Place]] = []
        self._order = itertools.count()

    def _reset(self) -> None:
        self._spent_ns = 0
        self._is_reset_due = False

    @property
    def is_crowded(self) -> bool:
        """True while runs wait for room on the loop: who has had a slice goes to a worker then."""
        return self._waiting_inline > 0

    async def enter_inline(self) -> None:
        """Returns when this cycle of the loop has room for another inline slice."""
        while self._spent_ns > CYCLE_BUDGET_NS:
            self._waiting_inline += 1
            try:
                await self._loop.checkpoint()
            finally:
                self._waiting_inline -= 1

    def spent_inline(self, began_ns: int) -> None:
        """Charges the loop's current cycle with the time since ``began_ns`` (``perf_counter_ns``)."""
        self._spent_ns += time.perf_counter_ns() - began_ns
        if not self._is_reset_due:
            self._is_reset_due = True
            self._loop.call_soon(self._reset)

    async def work(self, turn: Callable[[], bool], place: Place, consumed_ns: int) -> bool:
        """Calls ``turn`` on a worker thread, when it is this run's turn, and gives its result.

        ``consumed_ns`` is what the run has computed so far; runs of about the same (to a factor of two)
        are served in order. False without a call if the place was left or its deadline passed. A
        cancellation while waiting leaves nothing behind; while the worker computes it waits for the end
        of the turn.
        """
        if not await self._acquire(place, consumed_ns.bit_length()):
            return False
        try:
            return await self._workers.run(turn)
        finally:
            self._release()

    def close(self) -> None:
        """Ends the worker threads; no run may be left."""
        self._workers.close()

    async def _acquire(self, place: Place, level: int) -> bool:
        if self._free:
            self._free -= 1
            return True
        place.event, place.is_granted = anyio.Event(), False
        entry = (level, next(self._order), place)
        heapq.heappush(self._waiting, entry)
        try:
            with anyio.CancelScope(deadline=place.deadline):
                await place.event.wait()
        except BaseException:
            self._give_up(entry)
            raise
        if not place.is_granted:
            self._give_up(entry)
        return place.is_granted

    def _give_up(self, entry: tuple[int, int, Place]) -> None:
        if entry[2].is_granted:
            self._release()  # it was given to us in the same moment
        else:
            self._waiting.remove(entry)
            heapq.heapify(self._waiting)

    def _release(self) -> None:
        if self._waiting:
            place = heapq.heappop(self._waiting)[2]
            place.is_granted = True
            place.event.set()
        else:
            self._free += 1
