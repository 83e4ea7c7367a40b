"""The database behind the store: its URL, its connections, its version, and who may write to it.

SQLite has two engines, since a transaction that is to write must say so when it begins: one that was
opened to read cannot always become one.
"""

import contextlib
import os
from collections.abc import Generator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from .errors import StoreInUseError, StoreUnavailableError, StoreVersionError

try:
    import fcntl
except ImportError:  # pragma: no cover # Windows: a second service is not noticed there
    fcntl = None

READERS: Final = 4
BUSY_MS: Final = 10_000
CHECKPOINT_PAGES: Final = 4_000
"""Pages of write-ahead log (4 KiB each) before SQLite writes them back: each time costs a sync."""
_LOCK_KEY: Final = 0x636F_6465_6D6F_6465  # "codemode", for PostgreSQL's advisory locks
_MIGRATE_KEY: Final = _LOCK_KEY + 1


@dataclass(frozen=True, slots=True)
class Database:
    """``shown`` is the URL without its password."""

    shown: str
    path: Path | None
    writer: Engine
    readers: Engine

    def close(self) -> None:
        self.writer.dispose()
        self.readers.dispose()


def default_store() -> Path:
    """Where runs are kept when nothing is said: the user's state folder."""
    state = os.environ.get("XDG_STATE_HOME")
    folder = Path(state) if state else Path.home() / ".local" / "state"
    return folder / "codemode" / "runs.sqlite"


def open_database(where: str) -> Database:
    """Opens a store, makes it where there is none, and brings it to this version.

    ``where`` is a file (SQLite), or a URL: ``sqlite:///file`` or ``postgresql://user@host/name``.

    Raises:
        StoreUnavailableError: it cannot be opened.
        StoreVersionError: a newer codemode made it.
    """
    url = _url(where)
    try:
        if url.get_backend_name() == "sqlite":
            database = _sqlite(url)
        else:
            database = _postgres(url)
    except ModuleNotFoundError as error:
        raise StoreUnavailableError(
            f"{error.name} is not installed: pip install 'codemode-runtime[postgres]'"
        ) from None
    try:
        _migrate(database)
    except BaseException:
        database.close()
        raise
    return database


def _url(where: str) -> URL:
    if "://" not in where:
        return URL.create("sqlite", database=str(Path(where).expanduser()))
    try:
        url = make_url(where)
        name = url.get_backend_name()
    except (ArgumentError, ValueError, NoSuchModuleError):
        raise StoreUnavailableError(
            f"{where.partition('://')[0]}://… is not a URL of a store"
        ) from None
    if name == "sqlite" and url.database not in (None, "", ":memory:"):
        return URL.create("sqlite", database=url.database)
    if name in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    raise StoreUnavailableError(
        f"a store is a file (SQLite) or postgresql://user@host/name, not {name}://…"
    )


def _sqlite(url: URL) -> Database:
    path = Path(str(url.database)).absolute()
    with _told(str(path)):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # programs and their data: for this user alone, also in the moment in which SQLite makes the file
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    options: dict[str, Any] = {
        "hide_parameters": True,
        "connect_args": {"check_same_thread": False, "timeout": BUSY_MS / 1000},
    }
    writer = create_engine(url, pool_size=1, max_overflow=0, **options)
    readers = create_engine(url, pool_size=READERS, max_overflow=0, **options)
    for engine, begin in ((writer, "BEGIN IMMEDIATE"), (readers, "BEGIN")):
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", partial(_begin, begin))
    return Database(str(path), path, writer, readers)


def _begin(how: str, connection: Connection) -> None:
    connection.exec_driver_sql(how)


def _prepare_sqlite(connection: Any, record: object) -> None:
    connection.isolation_level = None  # the driver's own transactions leave out DDL
    for pragma in (
        "auto_vacuum=INCREMENTAL",
        "journal_mode=WAL",
        "synchronous=NORMAL",
        f"wal_autocheckpoint={CHECKPOINT_PAGES}",
    ):
        connection.execute(f"PRAGMA {pragma}").close()


def _postgres(url: URL) -> Database:
    options: dict[str, Any] = {
        "hide_parameters": True,
        "pool_pre_ping": True,
        "connect_args": {"connect_timeout": 10, "application_name": "codemode"},
    }
    writer = create_engine(url, pool_size=1, max_overflow=0, **options)
    readers = create_engine(url, pool_size=READERS, max_overflow=0, **options)
    return Database(url.render_as_string(hide_password=True), None, writer, readers)


def _migrate(database: Database) -> None:
    config = Config()
    config.set_main_option("script_location", "codemode.service.store:migrations")
    try:
        with _told(database.shown), database.writer.begin() as connection:
            if database.path is None:  # two that start at once: one after the other
                connection.execute(
                    text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATE_KEY}
                )
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
    except CommandError as error:
        raise StoreVersionError(
            f"{database.shown} was made by a newer codemode ({error}): update this one"
        ) from None


@contextlib.contextmanager
def _told(shown: str) -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise StoreUnavailableError(f"{shown}: {error.strerror or error}") from None
    except SQLAlchemyError as error:
        raise StoreUnavailableError(f"{shown}: {problem_of(error)}") from None


def problem_of(error: SQLAlchemyError) -> str:
    """What the database itself said, on one line."""
    said = str(getattr(error, "orig", None) or error).strip()
    return said.splitlines()[0] if said else type(error).__name__


@contextlib.contextmanager
def sole_writer(database: Database) -> Generator[None]:
    """Holds the store for one service, until the block or the process ends.

    Raises:
        StoreInUseError: another service has it.
    """
    if database.path is not None:
        with _sole_file(database.path):
            yield
        return

    # The lock is the writing connection's own: a service that lost its connection, and with it the lock, takes
    # both again, or writes no more.
    def take(connection: Any, record: object) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(%s)", (_LOCK_KEY,))
            if not cursor.fetchone()[0]:
                raise _in_use(database.shown)
        connection.commit()

    database.writer.dispose()
    event.listen(database.writer, "connect", take)
    with _told(database.shown), database.writer.connect():
        pass
    yield


@contextlib.contextmanager
def _sole_file(path: Path) -> Generator[None]:
    lock = path.with_name(path.name + ".lock")
    with _told(str(lock)):
        number = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if fcntl is not None:
            try:
                fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise _in_use(str(path)) from None
        yield
    finally:
        os.close(number)


def _in_use(shown: str) -> StoreInUseError:
    return StoreInUseError(
        f"{shown} is used by another codemode serve: stop it, or give this one another --store"
    )
