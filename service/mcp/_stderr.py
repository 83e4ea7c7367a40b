"""The last lines that a server process wrote to its standard error."""

import os
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Final, TextIO

import anyio

_KEPT: Final = 65_536
_LINES: Final = 5
_LONGEST: Final = 300
_SETTLE_S: Final = 0.2


class Tail:
    """The end of what was written so far."""

    def __init__(self, hide: Callable[[str], str]) -> None:
        self._hide = hide
        self._bytes = b""
        self._is_cut = False
        self._ended = anyio.Event()

    def lines(self) -> str:
        """At most five lines, joined by `` | ``, without secrets."""
        kept = self._bytes
        if self._is_cut:  # the rest of a line may be the rest of a secret
            kept = kept.partition(b"\n")[2] or b"(a line too long to be kept)"
        text = self._hide(kept.decode("utf-8", "replace"))
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        return " | ".join(
            "".join(c if c.isprintable() else "�" for c in line[:_LONGEST])
            for line in lines[-_LINES:]
        )

    async def settle(self) -> None:
        """Waits, briefly, until the process has closed its standard error."""
        with anyio.move_on_after(_SETTLE_S):
            await self._ended.wait()

    async def _read(self, source: int) -> None:
        try:
            while True:
                await anyio.wait_readable(source)
                try:
                    chunk = os.read(source, 65_536)
                except BlockingIOError:
                    continue
                if not chunk:
                    return
                self._is_cut = self._is_cut or len(self._bytes) + len(chunk) > _KEPT
                self._bytes = (self._bytes + chunk)[-_KEPT:]
        finally:
            self._ended.set()


@asynccontextmanager
async def stderr_tail(hide: Callable[[str], str]) -> AsyncGenerator[tuple[TextIO, Tail]]:
    """A file to be a process' standard error, and the tail of it. Close the file when the process has it.

    Where pipes cannot be awaited (Windows) nothing is kept.
    """
    tail = Tail(hide)
    if os.name == "nt":
        with open(os.devnull, "w") as nowhere:  # noqa: ASYNC230  # it never blocks
            tail._ended.set()  # pyright: ignore[reportPrivateUsage]
            yield nowhere, tail
        return
    source, sink = os.pipe()
    os.set_blocking(source, False)
    file = os.fdopen(sink, "w")
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(tail._read, source)  # pyright: ignore[reportPrivateUsage]
            try:
                yield file, tail
            finally:
                tasks.cancel_scope.cancel()
    finally:
        file.close()
        with suppress(OSError):
            os.close(source)
