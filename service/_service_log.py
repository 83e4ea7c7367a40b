"""The service's own log on standard error: text for people, or one JSON object a line."""

import contextlib
import json
import logging
import queue
import sys
from collections.abc import Generator
from datetime import UTC, datetime
from logging.handlers import QueueHandler, QueueListener
from typing import Final, Literal

from ._terminal import inert, write_line

MOST_WAITING: Final = 10_000  # records
_STANDARD: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class _Handler(logging.Handler):
    """What a record has beyond its text (``run``, ``token``, …) is a member of its own."""

    def __init__(self, form: Literal["text", "json"]) -> None:
        super().__init__(logging.INFO)
        self._form = form

    def emit(self, record: logging.LogRecord) -> None:
        """Writes one line."""
        try:
            write_line(sys.stderr, self._line(record))
        except (OSError, ValueError):
            self.handleError(record)

    def _line(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        more = {name: item for name, item in vars(record).items() if name not in _STANDARD}
        text = record.getMessage()
        trace = (
            "" if record.exc_info is None else logging.Formatter().formatException(record.exc_info)
        )
        if self._form == "json":
            entry = {"at": at, "level": record.levelname.lower(), "message": text, **more}
            if trace:
                entry["exception"] = trace
            return json.dumps(entry, ensure_ascii=True, default=str)
        told = "".join(f" {name}={item}" for name, item in more.items())
        return inert(f"{at} {record.levelname.lower():7} {text}{told}") + (
            f"\n{trace}" if trace else ""
        )


class _Sender(QueueHandler):
    """Hands records to the thread that writes them. Nobody waits for a reader of the log: what does not fit
    is dropped."""

    def prepare(self, record: logging.LogRecord) -> logging.LogRecord:
        return record

    def enqueue(self, record: logging.LogRecord) -> None:
        with contextlib.suppress(queue.Full):
            self.queue.put_nowait(record)


@contextlib.contextmanager
def log_to_stderr(form: Literal["text", "json"]) -> Generator[None]:
    """Sends what the packages log to standard error while the block lasts, instead of where it went."""
    records: queue.Queue[logging.LogRecord] = queue.Queue(MOST_WAITING)
    sender, writer = _Sender(records), QueueListener(records, _Handler(form))
    logger = logging.getLogger("codemode")
    handlers, level = list(logger.handlers), logger.level
    logger.handlers = [sender]
    logger.setLevel(logging.INFO)
    writer.start()
    try:
        yield
    finally:
        writer.stop()
        logger.handlers = handlers
        logger.setLevel(level)
