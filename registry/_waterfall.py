"""A chain of listeners, each of which may ask the ones after it: nothing else.

Every fault is told by the listener's name, and none is read as consent: a listener that raises, gives
something else than it must, asks twice, or asks after it has answered.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeVar

from ..runtime.errors import describe
from ._listening import Listener
from ._signals import is_from_outside
from .errors import ListenerError, ToolError

R = TypeVar("R")


class Waterfall(Generic[R]):
    """One stage of one call.

    ``invoke(function, next)`` calls a listener; ``base`` is what the last one's ``next`` does;
    ``accepts`` are the types that a listener may answer with.
    """

    __slots__ = ("_accepts", "_base", "_fault", "_invoke", "_listeners", "_stage")

    def __init__(
        self,
        stage: str,
        listeners: tuple[Listener, ...],
        invoke: Callable[[Callable[..., Any], "Asking[R]"], Any],
        base: Callable[[], Awaitable[R]],
        accepts: tuple[type, ...],
    ) -> None:
        self._stage = stage
        self._listeners = listeners
        self._invoke = invoke
        self._base = base
        self._accepts = accepts
        self._fault: ListenerError | None = None

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
        except (Exception, asyncio.CancelledError) as error:
            if is_from_outside(error):
                raise
            raise self._name(index, f"failed: {describe(error)}") from error
        finally:
            asking.close()
        if not isinstance(answer, self._accepts):
            wanted = ", ".join(kind.__name__ for kind in self._accepts)
            gave = "nothing" if answer is None else f"a value of type {type(answer).__name__}"
            raise self._name(index, f"returned {gave}: return {wanted}, or `await next()`")
        return answer

    def fault(self, index: int, text: str) -> ListenerError:
        """Notes that a listener broke the protocol; the stage fails with it."""
        self._fault = self._fault or self._name(index, text)
        return self._fault

    def _name(self, index: int, text: str) -> ListenerError:
        return ListenerError(f'{self._stage} listener "{self._listeners[index].name}" {text}')


_MAY_ASK, _ASKING, _HAS_ASKED, _CLOSED = range(4)


class Asking(Generic[R]):
    """``next``: asks the listeners after the one that holds it."""

    __slots__ = ("_chain", "_index", "_state")

    def __init__(self, chain: Waterfall[R], index: int) -> None:
        self._chain = chain
        self._index = index
        self._state = _MAY_ASK

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

    def close(self) -> None:
        """The listener has answered."""
        self._state = _CLOSED
