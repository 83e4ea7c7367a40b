"""What happens in one run, as events in the store."""

import asyncio
from typing import Final

from ...registry.json_text import compact_text
from ...runtime import JsonValue
from ..store import EventKind, EventRecord, Store, Write, now_ms

MOST_EVENT_BYTES: Final = 16 * 1024
"""Of one event's arguments or summary; longer ones are kept as the beginning of their JSON."""
MOST_RUN_BYTES: Final = 8 * 1024 * 1024
"""Of all events of one run; further ones say what happened without saying with what."""
PREVIEW: Final = 1_000  # characters


class Journal:
    """Appends events, in order. ``committed`` is the number of the last that is durable."""

    def __init__(self, store: Store, run_id: str, *, first: int) -> None:
        self._store = store
        self._run_id = run_id
        self._next = first
        self._last: Write | None = None
        self._error: Exception | None = None
        self._changed = asyncio.Event()
        self.committed = first - 1
        self.bytes = 0
        self.logs: list[str] = []  # bounded by the run's log_bytes

    def add(self, kind: EventKind, data: dict[str, JsonValue], **large: JsonValue) -> None:
        """Appends an event; ``large`` are members that may be shortened. Does not wait."""
        for name, value in large.items():
            data[name] = self._bounded(value)
        text = compact_text(data)
        if kind == "log":
            self.logs.append(text)
        self.bytes += len(text)
        seq = self._next
        self._next += 1
        event = EventRecord(run_id=self._run_id, seq=seq, at_ms=now_ms(), kind=kind, data=text)
        self._last = self._store.append([event], lambda write: self._settled(seq, write))

    def _bounded(self, value: JsonValue) -> JsonValue:
        if self.bytes > MOST_RUN_BYTES:
            return {"$cut": "this run has more events than are kept whole"}
        text = compact_text(value)
        if len(text) <= MOST_EVENT_BYTES:
            return value
        return {"$cut": f"{len(text)} characters of JSON", "begins": text[:PREVIEW]}

    def _settled(self, seq: int, write: Write) -> None:
        self.committed = seq
        self._error = self._error or write.error
        self.wake()

    def wake(self) -> None:
        """Lets who waits for a change look again."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def durable(self) -> None:
        """Returns when everything appended is durable. After one event that was lost it always raises.

        Raises:
            StoreUnavailableError: it could not be kept.
        """
        if self._last is not None:
            await self._last.wait()
        if self._error is not None:
            raise self._error

    async def changed(self) -> None:
        """Returns when more has become durable, or the run is over."""
        await self._changed.wait()
