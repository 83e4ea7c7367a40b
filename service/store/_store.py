"""The store: what a service writes while it runs, and what it reads."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Final, TypeVar

import anyio.to_thread
from anyio import CapacityLimiter
from sqlalchemy import Connection, bindparam, select, update
from sqlalchemy.exc import SQLAlchemyError

from ._database import READERS, Database, open_database, problem_of, sole_writer
from ._jobs import claim, decide_approval, interrupt_running, prune
from ._reads import (
    list_approvals,
    list_events,
    list_runs,
    one_approval,
    one_run,
    read_tokens,
)
from ._tables import approvals, events, runs
from ._writer import Write, Writer
from .errors import StoreUnavailableError
from .records import (
    ApprovalRecord,
    ApprovalState,
    EventRecord,
    RunRecord,
    RunSummary,
    TokenRecord,
    row_of,
)

T = TypeVar("T")
_END: Final = (
    update(runs)
    .where(runs.c.id == bindparam("the_id"))
    .values(
        state=bindparam("the_state"),
        error_kind=bindparam("the_error_kind"),
        ended_ms=bindparam("the_ended_ms"),
        outcome=bindparam("the_outcome"),
        stored_bytes=bindparam("the_bytes"),
    )
)


def now_ms() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class Store:
    """Runs, events, approvals and tokens. Make it with :func:`open_store`; use it on one event loop.

    Writes are asked for at once and done in order; what returns a ``Write`` is durable after its ``wait``.
    Reads are done in threads and see what is durable.
    """

    def __init__(self, database: Database, writer: Writer) -> None:
        self._database = database
        self._writer = writer
        self._readers = CapacityLimiter(READERS)

    @property
    def shown(self) -> str:
        """Where it is, without passwords."""
        return self._database.shown

    # --- writes

    async def accept(self, run: RunRecord) -> RunRecord | None:
        """Keeps a new run and its first event. None if it is kept; or the run that has its idempotency key already.

        Raises:
            StoreUnavailableError: it is not kept.
        """
        data = f'{{"run":"{run.id}"}}'
        start = EventRecord(run_id=run.id, seq=0, at_ms=run.created_ms, kind="start", data=data)
        if run.idempotency_key is not None:
            return await self._writer.job(lambda connection: claim(connection, run, start)).wait()
        self._writer.insert(runs, [row_of(run)])
        return await self._writer.insert(events, [row_of(start)]).wait()

    def append(self, events_: Sequence[EventRecord], settled: Callable[[Write], None]) -> Write:
        """Keeps events of runs; ``settled`` is called when they are there, or lost (``Write.error``)."""
        return self._writer.insert(events, [row_of(each) for each in events_], settled)

    def end(self, run: RunRecord) -> Write:
        """Keeps how a run ended."""
        return self._writer.update(
            _END,
            {
                "the_id": run.id,
                "the_state": run.state,
                "the_error_kind": run.error_kind,
                "the_ended_ms": run.ended_ms,
                "the_outcome": run.outcome,
                "the_bytes": run.stored_bytes,
            },
        )

    def ask(self, approval: ApprovalRecord) -> Write:
        """Keeps a question to a person."""
        return self._writer.insert(approvals, [row_of(approval)])

    def decide(self, approval_id: str, state: ApprovalState, by: str | None) -> Write:
        """Keeps an answer; the write gives False, and changes nothing, where there was one before."""
        return self._writer.job(
            lambda connection: decide_approval(connection, approval_id, state, by, now_ms())
        )

    async def prune(self, *, ended_before_ms: int | None, most_bytes: int | None) -> int:
        """Forgets ended runs: those that ended before a time, and the oldest while all take more than so many
        bytes. Gives how many; call it again until it gives 0."""
        return await self._writer.job(
            lambda connection: prune(connection, ended_before_ms, most_bytes)
        ).wait()

    async def recover(self) -> list[str]:
        """Ends what an earlier service left running as ``interrupted``; gives the runs' ids."""
        return await self._writer.job(
            lambda connection: interrupt_running(connection, now_ms())
        ).wait()

    # --- reads

    async def run(self, run_id: str) -> RunRecord | None:
        return await self._read(lambda connection: one_run(connection, run_id))

    async def runs(
        self, owner: str | None, *, limit: int, before: str | None = None, state: str | None = None
    ) -> list[RunSummary]:
        """Runs of an owner (None: of all), the newest first; ``before`` is the last id of a page before."""
        return await self._read(
            lambda connection: list_runs(connection, owner, limit, before, state)
        )

    async def events(
        self, run_id: str, *, after: int = -1, limit: int = 1_000, kind: str | None = None
    ) -> list[EventRecord]:
        """Events of a run in order, those behind ``after``."""
        return await self._read(
            lambda connection: list_events(connection, run_id, after, limit, kind)
        )

    async def approval(self, approval_id: str) -> ApprovalRecord | None:
        return await self._read(lambda connection: one_approval(connection, approval_id))

    async def approvals(
        self, owner: str | None, *, limit: int, state: str | None = None, before: str | None = None
    ) -> list[ApprovalRecord]:
        """Questions of an owner (None: of all), the newest first."""
        return await self._read(
            lambda connection: list_approvals(connection, owner, limit, state, before)
        )

    async def tokens(self) -> list[TokenRecord]:
        return await self._read(read_tokens)

    async def ping(self) -> None:
        """Raises StoreUnavailableError unless the store can be read and written now."""
        await self._writer.job(lambda connection: connection.execute(select(1)).scalar()).wait()

    async def _read(self, query: Callable[[Connection], T]) -> T:
        def work() -> T:
            with self._database.readers.connect() as connection:
                return query(connection)

        try:
            return await anyio.to_thread.run_sync(work, limiter=self._readers)
        except SQLAlchemyError as error:
            raise StoreUnavailableError(f"the store cannot be read: {problem_of(error)}") from None


@asynccontextmanager
async def open_store(where: str) -> AsyncGenerator[Store]:
    """Opens a store for one service, and ends what an earlier one left running.

    ``where`` is a file (SQLite), or a URL: ``sqlite:///file`` or ``postgresql://user@host/name``.

    Raises:
        StoreUnavailableError: it cannot be opened.
        StoreInUseError: another service has it.
        StoreVersionError: a newer codemode made it.
    """
    database = open_database(where)
    try:
        with sole_writer(database):
            writer = Writer(database.writer, asyncio.get_running_loop())
            try:
                yield Store(database, writer)
            finally:
                writer.close()
    finally:
        database.close()
