"""Where entries go: a log in memory, and a file with a line of JSON for each."""

import contextlib
import os
import stat
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Protocol, runtime_checkable

from ._closing import Closing
from ._log_entries import LogEntry
from ._log_json import LogFormatError, entry_from_line, entry_to_line

try:
    import fcntl
except ImportError:  # pragma: no cover # Windows: a second writer is not noticed there
    fcntl = None


class SessionLog(Protocol):
    """Takes entries, in order. Called on the event loop: it must not wait for anything slow."""

    def append(self, entry: LogEntry) -> None:
        """Keeps the entry; fills ``at_ms`` in if it is 0."""
        ...


@runtime_checkable
class DurableLog(SessionLog, Protocol):
    """A log that takes its time. A call's body does not begin before what was appended is durable."""

    async def durable(self) -> None:
        """Returns when everything appended so far is durable; raises if it cannot be made so."""
        ...


Clock = Callable[[], float]


def now_ms() -> float:
    """Milliseconds since 1970."""
    return time.time() * 1000


def _stamped(entry: LogEntry, clock: Clock) -> LogEntry:
    return entry if entry.at_ms else replace(entry, at_ms=clock())


class MemoryLog:
    """Entries in memory: all of them, or the newest ``limit``."""

    def __init__(self, *, limit: int | None = None, clock: Clock = now_ms) -> None:
        if limit is not None and limit < 1:
            raise ValueError(f"limit must be at least 1, not {limit}")
        self._entries = deque[LogEntry](maxlen=limit)
        self._clock = clock
        self._dropped = 0

    @property
    def entries(self) -> tuple[LogEntry, ...]:
        """What is kept, the oldest first."""
        return tuple(self._entries)

    @property
    def dropped(self) -> int:
        """How many entries the limit has pushed out."""
        return self._dropped

    def append(self, entry: LogEntry) -> None:
        """Keeps the entry."""
        if len(self._entries) == self._entries.maxlen:
            self._dropped += 1
        self._entries.append(_stamped(entry, self._clock))


class JsonLinesLog(Closing):
    """An append-only file, one JSON object a line; read it with :func:`read_log`.

    A new file is readable and writable by its owner only (0600). Every entry is one write of a whole
    line; a write that fails leaves no part of it. What a crash left of a last line is removed when the
    file is opened. One writer at a time has the file. ``fsync`` makes every entry survive a power cut,
    at the price of a wait for the disk. Appending is safe from several threads.

    Raises:
        OSError: the file cannot be opened or written; BlockingIOError if another log has it open.
        ValueError: the path is no regular file; after ``close``; an entry is not JSON.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, fsync: bool = False, clock: Clock = now_ms
    ) -> None:
        self.path = os.fspath(path)
        self._fsync = fsync
        self._clock = clock
        self._lock = threading.Lock()
        # O_NONBLOCK: opening a pipe that nobody reads must fail, not wait.
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT
        flags |= getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
        flags |= getattr(os, "O_BINARY", 0)
        self._file: int | None = os.open(self.path, flags, 0o600)
        try:
            self._take()
        except BaseException:
            self.close()
            raise

    def _take(self) -> None:
        assert self._file is not None
        status = os.fstat(self._file)
        if not stat.S_ISREG(status.st_mode):
            raise ValueError(f"a log must be a regular file: {self.path}")
        if fcntl is not None:  # pragma: no branch # Windows
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                message = "another log has the file open; close it first"
                raise BlockingIOError(error.errno, message, self.path) from None
            except OSError:  # pragma: no cover # a file system without locks
                pass
        self._mend(os.fstat(self._file).st_size)

    def _mend(self, size: int) -> None:
        """Ends a whole last line that lacks its newline; removes what is only a part of one."""
        assert self._file is not None
        tail, start = b"", size
        while start and b"\n" not in tail:
            step = min(start, 65_536)
            start -= step
            os.lseek(self._file, start, os.SEEK_SET)
            tail = os.read(self._file, step) + tail
        torn = tail.rpartition(b"\n")[2]
        if not torn:
            return
        try:
            entry_from_line(torn)
        except LogFormatError:
            os.ftruncate(self._file, size - len(torn))
        else:
            os.write(self._file, b"\n")

    def append(self, entry: LogEntry) -> None:
        """Writes the entry."""
        line = entry_to_line(_stamped(entry, self._clock))
        with self._lock:
            if self._file is None:
                raise ValueError(f"the log is closed: {self.path}")
            size = os.fstat(self._file).st_size
            written = 0
            try:
                written = os.write(self._file, line)
                if written != len(line):
                    raise OSError(f"only {written} of {len(line)} bytes written to {self.path}")
            except OSError:
                if written:
                    with contextlib.suppress(OSError):
                        os.ftruncate(self._file, size)
                raise
            if self._fsync:
                os.fsync(self._file)

    def close(self) -> None:
        """Closes the file; a second time does nothing."""
        with self._lock:
            if self._file is not None:
                file, self._file = self._file, None
                os.close(file)


def read_log(path: str | os.PathLike[str]) -> Iterator[LogEntry]:
    """The entries of a file, as it is read. A torn last line, without its newline, is left out.

    Raises:
        LogFormatError: another line is no entry; the message has the line's number.
        OSError: the file cannot be read.
    """
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            try:
                yield entry_from_line(line.removesuffix(b"\n"))
            except LogFormatError as error:
                if not line.endswith(b"\n"):
                    return  # only the last line can be without
                raise LogFormatError(f"{os.fspath(path)}, line {number}: {error}") from None
