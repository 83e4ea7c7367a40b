"""How many streams and waiting requests a token may have open."""

from collections import Counter
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import contextmanager
from typing import Final

from starlette.responses import StreamingResponse

from ..runs import BusyError, Caller

MOST_STREAMS: Final = 100
MOST_WAITING: Final = 256
"""Requests of one token that wait for a run's end: any number may ask for one run by its key."""
_HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


class Streams:
    """The open streams of one service."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()
        self._waiting: Counter[str] = Counter()

    @property
    def open(self) -> int:
        return self._open.total()

    @contextmanager
    def waiting(self, caller: Caller) -> Generator[None]:
        """Counts a request that waits for a run's end.

        Raises:
            BusyError: this token has as many as it may.
        """
        if self._waiting[caller.token] >= MOST_WAITING:
            raise BusyError(f"{MOST_WAITING} requests of this token wait for runs: come again")
        self._waiting[caller.token] += 1
        try:
            yield
        finally:
            self._waiting[caller.token] -= 1
            if not self._waiting[caller.token]:
                del self._waiting[caller.token]

    def response(
        self, caller: Caller, source: AsyncGenerator[str], headers: Mapping[str, str] | None = None
    ) -> StreamingResponse:
        """A response of server-sent events.

        Raises:
            BusyError: this token has as many as it may.
        """
        if self._open[caller.token] >= MOST_STREAMS:
            raise BusyError(f"this token has {MOST_STREAMS} streams open: close some")
        return StreamingResponse(
            self._counted(caller.token, source),
            media_type="text/event-stream",
            headers={**_HEADERS, **(headers or {})},
        )

    async def _counted(self, token: str, source: AsyncGenerator[str]) -> AsyncGenerator[str]:
        self._open[token] += 1
        try:
            async for frame in source:
                yield frame
        finally:
            self._open[token] -= 1
            if not self._open[token]:
                del self._open[token]
            await source.aclose()
