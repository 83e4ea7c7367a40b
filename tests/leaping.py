"""Faked time: an event loop whose clock can be moved on."""

import asyncio

import trio
import trio.testing


class LeapingLoop(asyncio.SelectorEventLoop):
    """An asyncio loop whose clock can be moved on."""

    leapt = 0.0

    def time(self) -> float:
        return super().time() + self.leapt


def leap(seconds: float) -> None:
    """Moves the clock of the running loop on: a ``LeapingLoop``, or trio with a ``MockClock``."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        clock = trio.lowlevel.current_clock()
        assert isinstance(clock, trio.testing.MockClock)
        clock.jump(seconds)
    else:
        assert isinstance(loop, LeapingLoop)
        loop.leapt += seconds
