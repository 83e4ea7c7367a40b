"""Secrets of a server's description, and their removal by value from whatever is said about it.

Three things leave a server: messages (errors, statuses, warnings), log records of the SDK, and results.
From messages and log records every configured value goes, and a URL's user, password and query within an
argument. From results and tool lists only what is given as a secret goes (what a configuration took from the
environment, headers, the server's URL's user, password and query, variables whose name says so), and of that
no short text, small number or ``true``: a result that names a configured folder is of use only as it is.

A text is cut after it was redacted, never before: half of a secret is not found.
"""

import logging
import re
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, TypeVar, cast

from ...runtime import JsonValue
from ._describe import McpServer
from ._given import SHORTEST_SECRET, forms, given_by, is_hideable, is_telling

REDACTED: Final = "[redacted]"
_LOGGERS: Final = (
    "client",
    "httpx2",
    "httpcore2.connection",
    "httpcore2.http11",
    "httpcore2.proxy",
    "mcp.client.sse",
    "mcp.client.stdio",
    "mcp.client.streamable_http",
    "mcp.shared.jsonrpc_dispatcher",
)
J = TypeVar("J", bound=JsonValue)


class _Hidden:
    """Texts to hide, the longest first."""

    def __init__(self, texts: Iterable[str]) -> None:
        found = sorted(texts, key=lambda text: (-len(text), text))
        self._pattern = re.compile("|".join(map(re.escape, found))) if found else None

    def __bool__(self) -> bool:
        return self._pattern is not None

    def hide(self, text: str) -> str:
        return text if self._pattern is None else self._pattern.sub(REDACTED, text)

    def is_in(self, text: str) -> bool:
        return self._pattern is not None and self._pattern.search(text) is not None


class Secrets:
    """What must not be said of one server: what its description holds, and ``more``."""

    def __init__(self, server: McpServer, more: Iterable[str] = ()) -> None:
        plain, strong = given_by(server)
        strong = [*strong, *more]
        said = (text for text in (*plain, *strong) if is_hideable(text, SHORTEST_SECRET))
        self._all = _Hidden(form for form in forms(said) if is_hideable(form, SHORTEST_SECRET))
        self._strong = _Hidden(
            form for form in forms(filter(is_telling, strong)) if is_telling(form)
        )

    def hide(self, text: str) -> str:
        """The text for a message."""
        return self._all.hide(text)

    def hide_in_data(self, value: J) -> J:
        """A result, or an entry of a list. The same object if there is nothing to hide."""
        if not self._strong or not self._is_in(value):
            return value
        return cast("J", self._without(value))

    def _is_in(self, value: JsonValue) -> bool:
        todo: list[JsonValue] = [value]
        while todo:
            item = todo.pop()
            if isinstance(item, str):
                if self._strong.is_in(item):
                    return True
            elif isinstance(item, Mapping):
                todo.extend(item.keys())
                todo.extend(item.values())
            elif isinstance(item, list):
                todo.extend(item)
        return False

    def _without(self, value: JsonValue) -> JsonValue:
        if isinstance(value, str):
            return self._strong.hide(value)
        if isinstance(value, Mapping):
            return {self._strong.hide(key): self._without(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._without(item) for item in value]
        return value


_current: ContextVar[Secrets | None] = ContextVar("codemode_mcp_secrets", default=None)


@contextmanager
def speaking_of(secrets: Secrets) -> Generator[None]:
    """What the SDK logs within, also in tasks that it starts there, is about this server."""
    token = _current.set(secrets)
    try:
        yield
    finally:
        _current.reset(token)


class _RedactingFilter(logging.Filter):
    """Hides the secrets of the server that a record of the SDK is about.

    Exceptions that the SDK logs are dropped: the status, or the call's error, tells them, in one line.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        secrets = _current.get()
        if secrets is None:
            return True
        if record.exc_info and record.name.startswith(("mcp.", "client")):
            return False
        try:
            text = record.getMessage()
            if record.exc_info:
                text = f"{text}\n{logging.Formatter().formatException(record.exc_info)}"
        except Exception:  # noqa: BLE001  # a record that cannot be formatted says nothing
            text = "(a message that cannot be formatted)"
        record.msg, record.args = secrets.hide(text), ()
        record.exc_info = record.exc_text = None
        return True


_filter: Final = _RedactingFilter()


def guard_logs() -> None:
    """Puts the filter on the SDK's loggers. It lets records through that are not about our servers, so
    it is installed once and stays."""
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_filter)  # adding it twice changes nothing
