"""The event loop under a run: asyncio or trio, behind four verbs.

A run must be able to leave a binding behind that ignores its cancellation, and must not pay more than
a bare task for one call. Structured concurrency gives neither, so bindings are plain tasks of the loop
here; everything else in this package is anyio. Each task's exceptions are contained by its body
(_calls.py): nothing reaches the loop's own handler.
"""

import asyncio
import contextlib
import math
import sys
from collections.abc import Callable, Coroutine
from typing import Any, Protocol


class Task(Protocol):
    def cancel(self) -> None:
        """Asks the task to stop, once."""
        ...


class Wake(Protocol):
    """A flag that one task waits for. ``set`` may come first."""

    def set(self) -> None: ...

    async def wait(self, deadline: float) -> None:
        """Returns when the flag is set, and clears it; or at ``deadline`` (of the loop's clock)."""
        ...


class Loop(Protocol):
    def time(self) -> float: ...

    def spawn(self, body: Coroutine[Any, Any, None]) -> Task:
        """Runs ``body`` as a task of the loop, in a copy of the caller's context."""
        ...

    def wake(self) -> Wake: ...

    def call_soon(self, function: Callable[[], None]) -> None:
        """Calls ``function`` in the loop's next cycle."""
        ...

    def call_from_thread(self, function: Callable[[], None]) -> None:
        """The same, from any thread; does nothing when the loop is gone."""
        ...

    async def checkpoint(self) -> None: ...


class _AsyncioWake:
    __slots__ = ("_future", "_is_set", "_loop")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._is_set = False
        self._future: asyncio.Future[None] | None = None

    def set(self) -> None:
        self._is_set = True
        if self._future is not None and not self._future.done():
            self._future.set_result(None)

    async def wait(self, deadline: float) -> None:
        if not self._is_set:
            self._future = future = self._loop.create_future()
            timer = None if deadline == math.inf else self._loop.call_at(deadline, _finish, future)
            try:
                await future
            finally:
                self._future = None
                if timer is not None:
                    timer.cancel()
        self._is_set = False


def _finish(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


class AsyncioLoop:
    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.time = self._loop.time

    def spawn(self, body: Coroutine[Any, Any, None]) -> Task:
        return _AsyncioTask(self._loop.create_task(body))

    def wake(self) -> Wake:
        return _AsyncioWake(self._loop)

    def call_soon(self, function: Callable[[], None]) -> None:
        self._loop.call_soon(function)

    def call_from_thread(self, function: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(function)

    async def checkpoint(self) -> None:
        await asyncio.sleep(0)


class _AsyncioTask:
    __slots__ = ("_task",)

    def __init__(self, task: asyncio.Task[None]) -> None:
        self._task = task

    def cancel(self) -> None:
        self._task.cancel()


def current() -> Loop:
    """The loop that runs the current task.

    Raises:
        RuntimeError: none does.
    """
    trio = sys.modules.get("trio")  # a loop of a library that nobody imported does not run
    if trio is not None and trio.lowlevel.in_trio_run():
        from ._loop_trio import TrioLoop

        return TrioLoop()
    return AsyncioLoop()


__all__ = ["AsyncioLoop", "Loop", "Task", "Wake", "current"]
