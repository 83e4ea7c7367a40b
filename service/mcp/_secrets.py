"""Secrets of a server's description, and their removal by value from whatever is said about it.

Three things leave a server: messages (errors, statuses, warnings), log records of the SDK, and results.
From messages and log records every configured value goes. From results and tool lists only what is given as a
secret goes (headers, a URL's user, password and query, variables whose name says so): a result that names
a configured folder is of use only as it is.
"""

import base64
import json
import logging
import re
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, TypeVar, cast
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from ...runtime import JsonValue
from ._describe import McpServer, StdioServer

REDACTED: Final = "[redacted]"
_SHORTEST: Final = 6  # of a value that may be a mode or a number
_SHORTEST_SECRET: Final = 4
_SAYS_SO: Final = re.compile(
    r"key|token|secret|pass|pwd|auth|cred|dsn|bearer|private|cookie", re.IGNORECASE
)
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
    """Texts to hide, longest first, in every form in which they may come back."""

    def __init__(self, values: Iterable[str]) -> None:
        forms = set[str]()
        for value in values:
            forms.update((value, unquote(value)))
            forms.update((quote(value, safe="", errors="replace"), quote(value, errors="replace")))
            forms.add(json.dumps(value)[1:-1])
            forms.add(base64.b64encode(value.encode("utf-8", "replace")).decode())
        found = sorted(
            (form for form in forms if len(form) >= _SHORTEST_SECRET),
            key=lambda form: (-len(form), form),
        )
        self._pattern = re.compile("|".join(map(re.escape, found))) if found else None

    def hide(self, text: str) -> str:
        return text if self._pattern is None else self._pattern.sub(REDACTED, text)

    def is_in(self, text: str) -> bool:
        return self._pattern is not None and self._pattern.search(text) is not None


class Secrets:
    """What must not be said of one server."""

    def __init__(self, server: McpServer) -> None:
        plain, strong = _of_process(server) if isinstance(server, StdioServer) else _of_url(server)
        strong = [value for value in strong if len(value) >= _SHORTEST_SECRET]
        self._all = _Hidden([*strong, *(value for value in plain if len(value) >= _SHORTEST)])
        self._strong = _Hidden(strong)
        self._has_strong = bool(strong)

    def hide(self, text: str) -> str:
        """The text for a message."""
        return self._all.hide(text)

    def hide_in_data(self, value: J) -> J:
        """A result, or an entry of a list. The same object if there is nothing to hide."""
        if not self._has_strong or not self._is_in(value):
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


def _of_process(server: StdioServer) -> tuple[list[str], list[str]]:
    strong = [value for key, value in server.env.items() if _SAYS_SO.search(key)]
    before = ""
    for argument in server.args:  # --api-key=abc, or --api-key abc
        key, has_value, value = argument.partition("=")
        if key.startswith("-") and has_value and _SAYS_SO.search(key):
            strong.append(value)
        elif before.startswith("-") and "=" not in before and _SAYS_SO.search(before):
            strong.append(argument)
        before = argument
    return list(server.env.values()), strong


def _of_url(server: McpServer) -> tuple[list[str], list[str]]:
    assert not isinstance(server, StdioServer)
    values = list(server.headers.values())
    for value in server.headers.values():  # "Bearer abc": also abc alone
        values.extend(value.split()[1:])
    parts = urlsplit(server.url)
    if parts.username is not None:
        user, password = unquote(parts.username), unquote(parts.password or "")
        values.extend((password or user, f"{user}:{password}"))
    values.extend(value for _, value in parse_qsl(parts.query))
    if parts.query:
        values.append(parts.query)
    return [], values


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
