"""What a program prints, as progress notifications, while it runs."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import anyio

from ._held import Context
from ._sendable import valid_text

MOST_WAITING = 1_000
LONGEST_LINE = 4_000


@asynccontextmanager
async def progress_of(
    context: Callable[[], Context | None],
) -> AsyncGenerator[Callable[[str], None]]:
    """A function that sends a line to the client, in order, without holding the program up. Where the
    client cannot take them as fast as they come, lines are left out and counted. ``context`` is the
    request that waits now."""
    send, receive = anyio.create_memory_object_stream[str](MOST_WAITING)
    left_out = 0

    def show(text: str) -> None:
        nonlocal left_out
        try:
            send.send_nowait(valid_text(text[:LONGEST_LINE]))
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
