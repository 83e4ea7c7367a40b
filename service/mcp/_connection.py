"""One live connection to a server: the SDK's session, with raw answers."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

import anyio
from mcp.client.session import ClientSession
from mcp.shared.dispatcher import CallOptions, ProgressFnT
from mcp.shared.exceptions import MCPError
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp_types import (
    METHOD_NOT_FOUND,
    UNSUPPORTED_PROTOCOL_VERSION,
    Implementation,
    Request,
    RequestId,
    Result,
)

from ...runtime import JsonValue
from ._answers import FLOOD, Answers
from ._describe import McpServer
from ._outgoing import BoundedStream
from ._secrets import Secrets, speaking_of
from ._stream import CheckedStream
from ._transports import Wire, opened

OUR_NAME: Final = "codemode"
"""What we call ourselves, as a client and as a server."""
_RAW: Final = ("tools/list", "tools/call")


class _Answer(Exception):
    """Carries a raw result past the session's validation: there one bad tool costs the list, and absent
    and null are the same. It is caught where the request is made."""

    def __init__(self, raw: dict[str, Any]) -> None:
        self.raw = raw


class _RawDispatcher(JSONRPCDispatcher):
    async def send_raw_request(
        self,
        method: str,
        params: Mapping[str, Any] | None,
        opts: CallOptions | None = None,
        *,
        _related_request_id: RequestId | None = None,
    ) -> dict[str, Any]:
        raw = await super().send_raw_request(
            method, params, opts, _related_request_id=_related_request_id
        )
        if method in _RAW:
            raise _Answer(raw)
        return raw


class NestedError(Exception):
    """The server is Code Mode itself."""


class _RawRequest(Request[dict[str, Any], str]):
    pass


class Connection:
    """A session that has shaken hands, until ``is_lost``."""

    def __init__(
        self, session: ClientSession, stream: CheckedStream, wire: Wire, secrets: Secrets
    ) -> None:
        self._session = session
        self._stream = stream
        self._secrets = secrets
        self.wire = wire
        self.is_lost = False
        self.wants_listing = False
        self._news = anyio.Event()
        stream.on_end = self.lose
        stream.on_list_changed = self.want_listing
        stream.on_flood = self._flooded

    @property
    def fault(self) -> str:
        """The last thing that came and was no message."""
        return self._stream.fault

    @property
    def protocol_version(self) -> str:
        return self._session.protocol_version or ""

    async def shake_hands(self) -> None:
        """The handshake: the one of 2025, which nearly all servers speak, or else the newer.

        Raises:
            NestedError: a program would be the argument of a program's call, and ask its own user.
            MCPError: the server refused, or the connection has ended.
        """
        try:
            await self._session.initialize()
        except MCPError as error:
            if error.code not in (UNSUPPORTED_PROTOCOL_VERSION, METHOD_NOT_FOUND):
                raise
            await self._session.discover()
        server = self._session.server_info
        if server is not None and server.name == OUR_NAME:
            raise NestedError(
                f'it is "{OUR_NAME}" itself: nested code mode is refused; name its servers here instead'
            )

    async def request(
        self, method: str, params: dict[str, JsonValue], on_progress: ProgressFnT | None = None
    ) -> dict[str, JsonValue]:
        """The raw result of a request. A cancelled one is cancelled at the server, too.

        Raises:
            MCPError: the server answered with an error, or the connection has ended.
        """
        with speaking_of(self._secrets):
            try:
                await self._session.send_request(
                    _RawRequest(method=method, params=params), Result, progress_callback=on_progress
                )
            except _Answer as answer:
                return answer.raw
        raise AssertionError(f"{method} is not answered raw")

    def lose(self) -> None:
        """The connection is of no use any more."""
        self.is_lost = True
        self._news.set()

    def _flooded(self) -> None:
        self.wire.broken = FLOOD

    def want_listing(self) -> None:
        self.wants_listing = True
        self._news.set()

    async def wait_news(self) -> None:
        """Returns when the connection is lost or the server's list has changed."""
        while not (self.is_lost or self.wants_listing):
            self._news = anyio.Event()
            await self._news.wait()


@asynccontextmanager
async def connected(server: McpServer, secrets: Secrets, wire: Wire) -> AsyncGenerator[Connection]:
    """A connection before its handshake.

    Raises:
        Exception: what ``opened`` raises; also later, when the transport breaks.
    """
    with speaking_of(secrets):
        async with opened(server, wire) as (read, write):
            answers = Answers(write)
            stream = CheckedStream(read, answers)
            session = ClientSession(
                dispatcher=_RawDispatcher(stream, BoundedStream(write, stream.end)),
                client_info=Implementation(name=OUR_NAME, version=_our_version()),
            )
            connection = Connection(session, stream, wire, secrets)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(answers.run)
                async with session:
                    try:
                        yield connection
                    finally:
                        connection.lose()  # before the session wakes those who wait for an answer
                tasks.cancel_scope.cancel()


def _our_version() -> str:
    try:
        return version("codemode-runtime")
    except PackageNotFoundError:
        return "0"
