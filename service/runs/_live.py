"""A run that is in progress."""

import asyncio
from typing import Final

from ...runtime import AbortController
from ..store import EventRecord, RunRecord, Store
from ._journal import Journal
from .grants import Caller, NewRun


class LiveRun:
    """``accepted`` is set when the run is kept, or refused (``refusal``), or known already (``existing``);
    ``ended`` when it is over and its end is kept."""

    def __init__(self, store: Store, record: RunRecord, caller: Caller, new: NewRun) -> None:
        self.record: Final = record
        self.caller: Final = caller
        self.new: Final = new
        self.controller: Final = AbortController()
        self.journal: Final = Journal(store, record.id, first=1)  # 0 is the start
        self.accepted: Final = asyncio.Event()
        self.ended: Final = asyncio.Event()
        self.refusal: Exception | None = None
        self.existing: RunRecord | None = None
        self.final: RunRecord | None = None  # as it ended
        self._store = store

    @property
    def id(self) -> str:
        return self.record.id

    @property
    def owner(self) -> str:
        return self.record.owner

    async def wait_accepted(self) -> RunRecord | None:
        """None when the run is kept and goes; or the run that has its idempotency key.

        Raises:
            RequestError, StoreError: it is not kept.
        """
        await self.accepted.wait()
        if self.refusal is not None:
            raise self.refusal
        return self.existing

    def end(self) -> None:
        """Says that the run is over."""
        self.accepted.set()
        self.ended.set()
        self.journal.wake()

    async def events(self, after: int) -> list[EventRecord]:
        """The events behind ``after``, as soon as there are some; none when there will be no more."""
        while self.journal.committed <= after and not self.ended.is_set():
            await self.journal.changed()
        return await self._store.events(self.id, after=after)
