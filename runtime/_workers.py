"""The threads that long computations run on. Nothing else runs there.

They may be nicer than the rest of the process: what computes for long must not take a core from the loop
that serves the others. A thread that has lowered its priority may never raise it again, so these are not
threads that anything else is given.
"""

import asyncio
import math
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

import anyio
import anyio.lowlevel

if TYPE_CHECKING:
    from ._loop import Loop

T = TypeVar("T")


def _yield_to_others(niceness: int) -> None:
    if niceness and sys.platform == "linux":  # where a thread has a priority of its own
        with suppress(OSError):
            own = os.getpriority(os.PRIO_PROCESS, 0)
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), own + niceness)


class Workers:
    """The threads of one runtime on one event loop."""

    def __init__(self, loop: "Loop", count: int, niceness: int) -> None:
        self._loop = loop
        self._pool = ThreadPoolExecutor(count, "codemode-worker", _yield_to_others, (niceness,))

    async def run(self, work: Callable[[], T]) -> T:
        """Calls ``work`` on a thread. A cancellation waits for its end; one that is pending comes first."""
        await anyio.lowlevel.checkpoint_if_cancelled()
        wake = self._loop.wake()
        future = self._pool.submit(work)
        future.add_done_callback(lambda _: self._loop.call_from_thread(wake.set))
        interrupted: asyncio.CancelledError | None = None
        with anyio.CancelScope(shield=True):
            while not future.done():
                try:
                    await wake.wait(math.inf)
                except asyncio.CancelledError as error:  # asyncio's own knows no shield
                    interrupted = error
        if interrupted is not None:
            raise interrupted
        return future.result()

    def close(self) -> None:
        """Lets the threads end when they have nothing to do."""
        self._pool.shutdown(wait=False)
