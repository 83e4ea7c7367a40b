"""The event loop under a run, when it is trio; imported only then. See _loop.py."""

from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import suppress
from contextvars import copy_context
from typing import Any

import trio


class _TrioTask:
    __slots__ = ("_scope",)

    def __init__(self, scope: trio.CancelScope) -> None:
        self._scope = scope

    def cancel(self) -> None:
        self._scope.cancel()


class _TrioWake:
    __slots__ = ("_event",)

    def __init__(self) -> None:
        self._event = trio.Event()

    def set(self) -> None:
        self._event.set()

    async def wait(self, deadline: float) -> None:
        with trio.CancelScope(deadline=deadline):
            await self._event.wait()
        self._event = trio.Event()


class TrioLoop:
    def __init__(self) -> None:
        self._token = trio.lowlevel.current_trio_token()
        self._bodies: deque[tuple[trio.CancelScope, Coroutine[Any, Any, None]]] = deque()

    def time(self) -> float:
        return trio.current_time()

    def spawn(self, body: Coroutine[Any, Any, None]) -> _TrioTask:
        scope = trio.CancelScope()
        self._bodies.append((scope, body))
        trio.lowlevel.spawn_system_task(self._run_oldest, context=copy_context())
        return _TrioTask(scope)

    async def _run_oldest(self) -> None:
        # trio starts tasks in any order; the bodies start in theirs, which keeps runs reproducible.
        scope, body = self._bodies.popleft()
        with scope:
            await body

    def wake(self) -> _TrioWake:
        return _TrioWake()

    def call_soon(self, function: Callable[[], None]) -> None:
        self._token.run_sync_soon(function)

    def call_from_thread(self, function: Callable[[], None]) -> None:
        with suppress(trio.RunFinishedError):
            self._token.run_sync_soon(function)

    async def checkpoint(self) -> None:
        await trio.lowlevel.checkpoint()
