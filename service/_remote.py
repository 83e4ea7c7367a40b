"""A service that runs elsewhere, as the command line sees it."""

import json
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

import httpx2

SECONDS = 60.0  # streams excepted: they are silent for as long as nothing happens


class RemoteError(Exception):
    """The service cannot be reached, or refuses; the message says why."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a stream."""

    id: str | None
    kind: str
    data: dict[str, Any]


class Remote:
    """One service, with one token. Use it as a context manager."""

    def __init__(self, server: str, token: str | None) -> None:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self._server = server.rstrip("/")
        self._client = httpx2.Client(base_url=self._server, headers=headers, timeout=SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def get(self, path: str, **parameters: str | int | None) -> Any:
        """What a GET answers."""
        given = {name: value for name, value in parameters.items() if value is not None}
        return self._ask("GET", path, params=given)

    def post(self, path: str, body: object) -> Any:
        """What a POST answers."""
        return self._ask("POST", path, json=body)

    def delete(self, path: str) -> Any:
        """What a DELETE answers; it waits for as long as the service does."""
        return self._ask("DELETE", path, timeout=None)

    def _ask(self, method: str, path: str, **options: Any) -> Any:
        with self._told():
            response = self._client.request(method, path, **options)
            return _answer(response)

    def events(self, path: str) -> Iterator[Event]:
        """A stream of events, to its end. One that breaks is gone on with where it broke."""
        last: str | None = None
        while True:
            headers = {"Accept": "text/event-stream"}
            if last is not None:
                headers["Last-Event-ID"] = last
            try:
                with (
                    self._told(),
                    self._client.stream("GET", path, headers=headers, timeout=None) as response,
                ):
                    if response.status_code != 200:
                        response.read()
                        _answer(response)
                    for event in _parse(response.iter_lines()):
                        last = event.id or last
                        yield event
                    return
            except _BrokenError:
                if last is None:
                    raise

    @contextmanager
    def _told(self) -> Generator[None]:
        try:
            yield
        except httpx2.RemoteProtocolError as error:
            raise _BrokenError(f"{self._server} ended the connection: {error}") from None
        except (httpx2.HTTPError, httpx2.InvalidURL, UnicodeError) as error:
            raise RemoteError(
                f"{self._server} cannot be reached ({error}): is codemode serve running there? --server and "
                "CODEMODE_SERVER say where it is"
            ) from None


class _BrokenError(RemoteError):
    pass


def _answer(response: httpx2.Response) -> Any:
    try:
        value: Any = response.json()
    except ValueError:
        raise RemoteError(
            f"{response.url} answers with {response.status_code} and no JSON: is it a codemode service?"
        ) from None
    if response.status_code < 400:
        return value
    try:
        message = str(value["error"]["message"])
    except (KeyError, TypeError):
        message = response.text[:200]
    if response.status_code == 401:
        message += " (CODEMODE_TOKEN)"
    raise RemoteError(message)


def _parse(lines: Iterator[str]) -> Iterator[Event]:
    fields: dict[str, str] = {}
    for line in lines:
        if line.startswith(":"):
            continue
        if line:
            name, _, value = line.partition(":")
            fields[name] = value.removeprefix(" ")
        elif "data" in fields:
            yield Event(
                fields.get("id"), fields.get("event", "message"), json.loads(fields["data"])
            )
            fields = {}
