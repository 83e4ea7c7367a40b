"""SIGINT and SIGTERM end a command in order: what it started ends with it."""

import signal
from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio
from anyio.abc import TaskStatus

T = TypeVar("T")


class InterruptedBySignalError(Exception):
    """A signal ended the work; ``exit_code`` is what a shell shows for it."""

    def __init__(self, number: int) -> None:
        super().__init__(f"interrupted by {signal.Signals(number).name}")
        self.exit_code = 128 + number


async def watch(
    on_signal: Callable[[int], None], *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED
) -> None:
    """Calls ``on_signal`` with each SIGINT and SIGTERM, for as long as it runs."""
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        task_status.started()
        async for number in signals:
            on_signal(number)


async def until_interrupted(work: Callable[[], Awaitable[T]]) -> T:
    """Does the work; the first signal cancels it, and it is waited for.

    Raises:
        InterruptedBySignalError: a signal came first.
    """
    outcome: list[T] = []
    raised: list[Exception] = []
    numbers: list[int] = []

    def stop(number: int) -> None:
        numbers.append(number)
        group.cancel_scope.cancel()

    async with anyio.create_task_group() as group:
        await group.start(watch, stop)
        try:
            outcome.append(await work())
        except Exception as error:  # noqa: BLE001  # raised below, out of the group
            raised.append(error)
        group.cancel_scope.cancel()
    if raised:
        raise raised[0]
    if not outcome:
        raise InterruptedBySignalError(numbers[0] if numbers else signal.SIGINT)
    return outcome[0]
