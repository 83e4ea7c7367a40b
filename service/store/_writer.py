"""The one thread that writes: what is asked for meanwhile goes into the next transaction together.

What holds:

- a write that has settled without an error survives the end of the process, however it ends;
- writes are applied in the order in which they were asked for, but rows before jobs within one transaction:
  who needs a job's outcome waits for it anyway;
- one write that the database refuses (a row that breaks a rule) fails alone; the others are written;
- a database that is away for a moment is waited for; writes fail together when it stays away.
"""

import asyncio
import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Compiled, Connection, Engine, Table, Update, insert
from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError
from sqlalchemy.sql.expression import Insert

from ._database import problem_of
from .errors import StoreUnavailableError

MOST_WRITES: Final = 1_000  # in one transaction
MANY_WRITES: Final = 8
GATHER_S: Final = 0.001
"""After a transaction of many writes the next one waits this long for more: each costs as much as ten rows."""
PATIENCE_S: Final = 10.0
"""How long a database that does not answer is tried again before the writes that wait for it fail."""
PAUSE_S: Final = 0.25

Row = Mapping[str, Any]
Job = Callable[[Connection], Any]


class Write:
    """What was asked for, and whether it is done. ``settled`` is called on the loop's thread."""

    __slots__ = ("_future", "error", "is_done", "job", "result", "rows", "settled", "statement")

    def __init__(
        self,
        *,
        statement: Insert | Update | None = None,
        rows: Sequence[Row] = (),
        job: Job | None = None,
        settled: "Callable[[Write], None] | None" = None,
    ) -> None:
        self.statement = statement
        self.rows = rows
        self.job = job
        self.settled = settled
        self.is_done = False
        self.result: Any = None
        self.error: Exception | None = None
        self._future: asyncio.Future[None] | None = None

    async def wait(self) -> Any:
        """Returns what the job gave, when it is written.

        Raises:
            StoreUnavailableError: it was not.
        """
        if not self.is_done:
            if self._future is None:
                self._future = asyncio.get_running_loop().create_future()
            await asyncio.shield(self._future)
        if self.error is not None:
            raise self.error
        return self.result

    def settle(self) -> None:
        self.is_done = True
        if self._future is not None and not self._future.done():
            self._future.set_result(None)
        if self.settled is not None:
            self.settled(self)


class Writer:
    """Writes for one event loop."""

    def __init__(self, engine: Engine, loop: asyncio.AbstractEventLoop) -> None:
        self._engine = engine
        self._loop = loop
        self._queue: queue.SimpleQueue[Write | None] = queue.SimpleQueue()
        self._statements: dict[Table, Insert] = {}
        self._compiled: dict[int, Compiled] = {}
        self._closed = False
        self._thread = threading.Thread(target=self._work, name="codemode-store", daemon=True)
        self._thread.start()

    def insert(
        self, table: Table, rows: Sequence[Row], settled: Callable[[Write], None] | None = None
    ) -> Write:
        """Asks for new rows."""
        statement = self._statements.get(table)
        if statement is None:
            statement = self._statements[table] = insert(table)
        return self._ask(Write(statement=statement, rows=rows, settled=settled))

    def update(self, statement: Update, row: Row) -> Write:
        """Asks for a change; ``row`` has the statement's parameters."""
        return self._ask(Write(statement=statement, rows=[row]))

    def job(self, job: Job) -> Write:
        """Asks for anything else: ``job(connection)`` is called on the writer's thread."""
        return self._ask(Write(job=job))

    def _ask(self, write: Write) -> Write:
        if self._closed:
            raise StoreUnavailableError("the store is closed")
        self._queue.put(write)
        return write

    def close(self) -> None:
        """Writes what was asked for and ends the thread. Blocks meanwhile."""
        if not self._closed:
            self._closed = True
            self._queue.put(None)
            self._thread.join()

    # --- on the writer's thread

    def _work(self) -> None:
        is_open, size = True, 0
        while is_open:
            first = self._queue.get()
            if first is None:
                return
            if size >= MANY_WRITES:
                time.sleep(GATHER_S)
            batch = [first]
            while len(batch) < MOST_WRITES:
                try:
                    write = self._queue.get_nowait()
                except queue.Empty:
                    break
                if write is None:
                    is_open = False
                    break
                batch.append(write)
            size = len(batch)
            self._write(batch)
            try:
                self._loop.call_soon_threadsafe(_settle, batch)
            except RuntimeError:  # the loop is closed: nobody waits any more
                return

    def _write(self, batch: list[Write]) -> None:
        """Writes them together; or, where one of them cannot be, each by itself."""
        problem = self._try(batch)
        if problem is None:
            return
        if len(batch) == 1 or isinstance(problem, OperationalError):
            for write in batch:
                write.error = StoreUnavailableError(
                    f"the store cannot be written: {problem_of(problem)}"
                )
            return
        for write in batch:
            self._write([write])

    def _try(self, batch: list[Write]) -> SQLAlchemyError | None:
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                with self._engine.begin() as connection:
                    self._apply(connection, batch)
                return None
            except SQLAlchemyError as error:
                is_away = isinstance(error, OperationalError) or (
                    isinstance(error, DBAPIError) and error.connection_invalidated
                )
                if not is_away or self._closed or time.monotonic() >= deadline:
                    return error
            except Exception as error:  # noqa: BLE001  # a value that the driver cannot carry
                return SQLAlchemyError(str(error))
            time.sleep(PAUSE_S)

    def _apply(self, connection: Connection, batch: list[Write]) -> None:
        grouped: dict[int, tuple[Insert | Update, list[Row]]] = {}
        for write in batch:
            if write.statement is not None:
                grouped.setdefault(id(write.statement), (write.statement, []))[1].extend(write.rows)
        for statement, rows in grouped.values():
            self._execute(connection, statement, rows)
        for write in batch:
            if write.job is not None:
                with connection.begin_nested():
                    write.result = write.job(connection)

    def _execute(
        self, connection: Connection, statement: Insert | Update, rows: Sequence[Row]
    ) -> None:
        """``connection.execute`` for statements that are kept, of plain texts and numbers: a third of its
        price."""
        compiled = self._compiled.get(id(statement))
        if compiled is None:
            columns = list(rows[0]) if isinstance(statement, Insert) else None
            compiled = statement.compile(dialect=connection.dialect, column_keys=columns)
            self._compiled[id(statement)] = compiled
        order = getattr(compiled, "positiontup", None)
        parameters = rows if order is None else [tuple(row[name] for name in order) for row in rows]
        connection.exec_driver_sql(str(compiled), parameters)


def _settle(batch: list[Write]) -> None:
    for write in batch:
        write.settle()
