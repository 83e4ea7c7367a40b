"""A chain of listeners, each of which may ask the ones after it: nothing else.

Every fault is told by the listener's name, and none is read as consent: a listener that raises, gives
something else than it must, asks twice, or asks after it has answered.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeVar

import anyio

from ..runtime.errors import describe
from ._listening import Listener
from ._signals import contain
from .errors import ListenerError, ToolError

R = TypeVar("R")
DETACHED_SECONDS = 1.0


class Waterfall(Generic[R]):
    """One stage of one call.

    ``invoke(function, next)`` calls a listener; ``base`` is what the last one's ``next`` does;
    ``accepts`` are the types that a listener may answer with.
    ``ends_detached`` looks after a listener that asks in another task and does not wait for it.
    """

    __slots__ = ("_accepts", "_base", "_fault", "_invoke", "_listeners", "_stage", "ends_detached")

    def __init__(
        self,
        stage: str,
        listeners: tuple[Listener, ...],
        invoke: Callable[[Callable[..., Any], "Asking[R]"], Any],
        base: Callable[[], Awaitable[R]],
        accepts: tuple[type, ...],
        *,
        ends_detached: bool = False,
    ) -> None:
        self._stage = stage
        self._listeners = listeners
        self._invoke = invoke
        self._base = base
        self._accepts = accepts
        self._fault: ListenerError | None = None
        self.ends_detached = ends_detached

    async def run(self) -> R:
        """Asks the first listener.

        Raises:
            ToolError: what a listener raised to deny or fail the call; else a ``ListenerError``.
        """
        answer = await self.step(0)
        if self._fault is not None:  # also when the listener caught it
            raise self._fault
        return answer

    async def step(self, index: int) -> R:
        """Asks the listener of that place, or the base behind the last."""
        if index == len(self._listeners):
            return await self._base()
        listener = self._listeners[index]
        asking = Asking(self, index)
        try:
            answer: Any = self._invoke(listener.function, asking)
            if hasattr(answer, "__await__"):
                answer = await answer
        except ToolError:
            raise
        except BaseException as error:
            contain(error)
            raise self._name(index, f"failed: {describe(error)}") from error
        finally:
            detached = asking.close()
            if detached is not None:
                await self._stop(index, detached)
        if not isinstance(answer, self._accepts):
            wanted = ", ".join(kind.__name__ for kind in self._accepts)
            gave = "nothing" if answer is None else f"a value of type {type(answer).__name__}"
            raise self._name(index, f"returned {gave}: return {wanted}, or `await next()`")
        return answer

    async def _stop(self, index: int, detached: "asyncio.Task[Any]") -> None:
        """Ends a dispatch that a listener began in another task and did not wait for."""
        self.fault(index, "answered before `next` had ended: await it, or cancel it")
        detached.cancel()
        with anyio.move_on_after(DETACHED_SECONDS, shield=True):
            await asyncio.wait({detached})

    def fault(self, index: int, text: str) -> ListenerError:
        """Notes that a listener broke the protocol; the stage fails with it."""
        self._fault = self._fault or self._name(index, text)
        return self._fault

    def _name(self, index: int, text: str) -> ListenerError:
        return ListenerError(f'{self._stage} listener "{self._listeners[index].name}" {text}')


_MAY_ASK, _ASKING, _HAS_ASKED, _CLOSED = range(4)


class Asking(Generic[R]):
    """``next``: asks the listeners after the one that holds it."""

    __slots__ = ("_chain", "_index", "_state", "_task")

    def __init__(self, chain: Waterfall[R], index: int) -> None:
        self._chain = chain
        self._index = index
        self._state = _MAY_ASK
        self._task: asyncio.Task[Any] | None = None

    async def __call__(self) -> R:
        if self._state != _MAY_ASK:
            raise self._chain.fault(self._index, self._complaint())
        return await self._ask()

    async def again(self) -> R:
        if self._state != _HAS_ASKED:
            raise self._chain.fault(self._index, self._complaint(again=True))
        return await self._ask()

    async def _ask(self) -> R:
        self._state = _ASKING
        if self._chain.ends_detached:
            with contextlib.suppress(RuntimeError):  # trio's tasks do not outlive their nursery
                self._task = asyncio.current_task()
        try:
            return await self._chain.step(self._index + 1)
        finally:
            if self._state == _ASKING:
                self._state = _HAS_ASKED

    def _complaint(self, *, again: bool = False) -> str:
        if self._state == _CLOSED:
            return "called `next` after it had answered"
        if self._state == _ASKING:
            return "called `next` again before the first call of it had ended"
        if again:
            return "called `next.again()` before `next()`"
        return "called `next` twice: to dispatch again on purpose, use `next.again()`"

    def close(self) -> "asyncio.Task[Any] | None":
        """The listener has answered. Gives the task that asks still, if it is another."""
        is_asking, self._state = self._state == _ASKING, _CLOSED
        if not is_asking or self._task is None or self._task is asyncio.current_task():
            return None
        return self._task
