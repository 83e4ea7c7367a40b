"""What a program prints, as progress notifications, while it runs."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import anyio

from ...runtime import LogEntry
from ._held import Context

MOST_WAITING = 1_000
LONGEST_LINE = 4_000


@asynccontextmanager
async def progress_of(
    context: Callable[[], Context | None],
) -> AsyncGenerator[Callable[[LogEntry], None]]:
    """A function that sends an entry to the client, in order, without holding the program up. Where the
    client cannot take them as fast as they come, lines are left out and counted. ``context`` is the
    request that waits now."""
    send, receive = anyio.create_memory_object_stream[str](MOST_WAITING)
    left_out = 0

    def show(entry: LogEntry) -> None:
        nonlocal left_out
        try:
            send.send_nowait(entry.text[:LONGEST_LINE])
        except anyio.WouldBlock:
            left_out += 1

    async def forward() -> None:
        number = 0
        async with receive:
            async for line in receive:
                number += 1
                await tell(number, line)
        if left_out:
            await tell(number + 1, f"({left_out} lines left out)")

    async def tell(number: int, line: str) -> None:
        now = context()
        if now is not None:  # between two requests of a held run there is nobody to tell
            await now.session.report_progress(number, None, line)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(forward)
        try:
            yield show
        finally:
            send.close()
