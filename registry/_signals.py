"""Abort signals and cancel scopes: one ends when the other fires."""

import asyncio
import sys
from collections.abc import Generator
from contextlib import contextmanager

import anyio

from ..runtime import AbortController, AbortSignal


@contextmanager
def cancelled_by(*signals: AbortSignal | None) -> Generator[anyio.CancelScope]:
    """A cancel scope that is cancelled when any of the signals fires."""
    with anyio.CancelScope() as scope:
        undo = [signal.add_listener(scope.cancel) for signal in signals if signal is not None]
        try:
            yield scope
        finally:
            for each in undo:
                each()


class Fused:
    """A signal that fires with the first of several, until it is closed."""

    __slots__ = ("_undo", "signal")

    def __init__(self, *signals: AbortSignal) -> None:
        controller = AbortController()
        self.signal = controller.signal
        self._undo = [
            signal.add_listener(lambda signal=signal: controller.abort(signal.reason))
            for signal in signals
        ]

    def close(self) -> None:
        for each in self._undo:
            each()


def on_asyncio() -> bool:
    """Whether the current task is one of asyncio's."""
    return anyio.get_cancelled_exc_class() is asyncio.CancelledError


def contain(error: BaseException) -> None:
    """Raises a cancellation of the task again; whatever else somebody's code raised is contained by the
    caller, also what is meant to end a process or a thread."""
    if is_from_outside(error):
        raise error


def is_from_outside(error: BaseException) -> bool:
    """Whether this is a cancellation of the task (or of a scope around it), and not one that somebody
    made up, or met by awaiting what others have cancelled."""
    if isinstance(error, Exception):
        return False
    if isinstance(error, asyncio.CancelledError):
        try:
            task = asyncio.current_task()
        except RuntimeError:  # no loop of asyncio's: somebody made it up
            return False
        return task is None or task.cancelling() > 0
    trio = sys.modules.get("trio")  # its cancellation nobody else can make
    return isinstance(error, GeneratorExit) or (
        trio is not None and isinstance(error, trio.Cancelled)
    )
