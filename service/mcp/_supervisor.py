"""One server's life: start, listing, loss, reconnection. It never raises, and never holds up another."""

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING

import anyio
from mcp.shared.exceptions import MCPError

from ...registry import ToolError
from ._backoff import Backoff
from ._calls import SERVER_DOWN
from ._connection import Connection, NestedError, connected
from ._describe import McpServer
from ._listing import ProtocolError, fetch_entries
from ._reasons import Reason, reason_of, with_tail
from ._secrets import Secrets
from ._status import ServerState
from ._toolset import log
from ._transports import Wire

if TYPE_CHECKING:
    from ...runtime import JsonValue

LONGEST_WAIT_MS = 5_000.0
"""How long a call waits for a server that is reconnecting."""
_RELIST_PAUSE_S = 0.05  # a server that adds ten tools says so ten times

_BAD_STARTS = (MCPError, ProtocolError, NestedError, RuntimeError, ValueError)

Listed = Callable[[list["JsonValue"], list[str]], None]


class Supervisor:
    """Keeps one server connected, while :meth:`run` runs."""

    def __init__(
        self,
        server: McpServer,
        secrets: Secrets,
        *,
        backoff: Backoff,
        rng: Random,
        on_listed: Listed,
        on_moved: Callable[[], None],
    ) -> None:
        self.server = server
        self.state: ServerState = "starting"
        self.reason = ""
        self.protocol_version = ""
        self.settled = anyio.Event()
        self._secrets = secrets
        self._backoff = backoff
        self._rng = rng
        self._on_listed = on_listed
        self._on_moved = on_moved
        self._connection: Connection | None = None
        self._moved = anyio.Event()
        self._failures = 0  # in a row
        self._failed_starts = 0  # ever
        self._next_at = 0.0
        self._is_final = False
        self._ready_at: float | None = None
        self._is_dormant = False
        self._wanted = anyio.Event()

    async def run(self) -> None:
        """Until it is cancelled."""
        try:
            while True:
                await self._attempt()
                delay_ms = None
                if not self._is_final:
                    delay_ms = self._backoff.delay_ms(max(1, self._failures), self._rng)
                if delay_ms is None:
                    self._is_dormant, self._wanted = True, anyio.Event()
                    if self.state == "reconnecting":
                        self._move("failed", self.reason)
                    await self._wanted.wait()
                    self._is_dormant, self._failures = False, 0
                else:
                    self._next_at = anyio.current_time() + delay_ms / 1000
                    await anyio.sleep(delay_ms / 1000)
                    self._next_at = 0.0
        finally:
            self._connection = None
            self._move("closed", "")
            self.settled.set()

    def _move(self, state: ServerState, reason: str) -> None:
        self.state, self.reason = state, self._secrets.hide(reason)
        if state in ("ready", "failed"):
            self.settled.set()
        moved, self._moved = self._moved, anyio.Event()
        moved.set()
        self._on_moved()

    # --- one attempt

    async def _attempt(self) -> None:
        wire = Wire(self._secrets.hide)
        self._is_final = False
        is_told = False
        with anyio.CancelScope() as limit:
            limit.deadline = anyio.current_time() + self.server.start_timeout_ms / 1000
            try:
                async with connected(self.server, self._secrets, wire) as connection:
                    try:
                        await self._begin(connection)
                    except _BAD_STARTS as error:
                        if wire.stderr is not None:
                            await wire.stderr.settle()
                        is_told = True  # before the process is stopped, which may take a while
                        self._fail(reason_of(error, self.server, wire))
                        raise
                    except anyio.get_cancelled_exc_class():
                        if limit.cancel_called:
                            is_told = True
                            self._fail(self._late(wire))
                        raise
                    limit.deadline = float("inf")
                    await self._serve(connection)
                    is_told = True
                    self._lost(wire)
            except (Exception, BaseExceptionGroup) as error:  # noqa: BLE001  # a transport's end
                if not is_told:
                    reason = reason_of(error, self.server, wire)
                    if self._connection is None:
                        self._fail(reason)
                    else:
                        self._lost(wire, reason.text)
                if isinstance(error, BaseExceptionGroup):
                    _, cancelled = error.split(Exception)
                    if cancelled is not None:  # it broke as the block was left
                        raise cancelled from None
        if limit.cancelled_caught and not is_told:
            self._fail(self._late(wire))

    async def _begin(self, connection: Connection) -> None:
        await connection.shake_hands()
        entries, warnings = await fetch_entries(connection)
        self._on_listed(entries, warnings)
        self.protocol_version = connection.protocol_version
        self._connection = connection
        self._ready_at = anyio.current_time()
        self._move("ready", "")

    async def _serve(self, connection: Connection) -> None:
        while True:
            await connection.wait_news()
            if connection.is_lost:
                return
            await anyio.sleep(_RELIST_PAUSE_S)
            connection.wants_listing = False
            await self._list_again(connection)

    async def _list_again(self, connection: Connection) -> None:
        try:
            with anyio.fail_after(self.server.start_timeout_ms / 1000):
                entries, warnings = await fetch_entries(connection)
        except (MCPError, ProtocolError, TimeoutError) as error:
            if not connection.is_lost:
                text = self._secrets.hide(str(error) or "no answer")
                log.warning(
                    "server %r: its changed list cannot be read: %s", self.server.name, text
                )
            return
        self._on_listed(entries, warnings)
        self._on_moved()

    def _late(self, wire: Wire) -> Reason:
        late = f"it was not ready within {self.server.start_timeout_ms:g} ms"
        return Reason(with_tail(wire.broken or late, wire))

    def _fail(self, reason: Reason) -> None:
        self._failures += 1
        self._failed_starts += 1
        self._is_final = reason.is_final
        known = self.reason
        self._move("failed" if self._ready_at is None else "reconnecting", reason.text)
        if self.reason != known:
            log.warning('server "%s" %s: %s', self.server.name, self.state, self.reason)

    def _lost(self, wire: Wire, reason: str = "") -> None:
        began = self._ready_at or 0.0
        self._connection = None
        if (anyio.current_time() - began) * 1000 >= self._backoff.reset_after_ms:
            self._failures = 0
        self._failures += 1
        if not reason:
            what = "its session has ended" if wire.is_session_lost else "it went away"
            reason = with_tail(wire.broken or what, wire)
        self._move("reconnecting", reason)
        log.warning('server "%s" reconnecting: %s', self.server.name, self.reason)

    # --- calls

    async def connection(self) -> Connection:
        """The live connection, which may take a while to come.

        Raises:
            ToolError: the server is down, and stays so for as long as a call waits.
        """
        if self._connection is not None and not self._connection.is_lost:
            return self._connection
        if self._is_dormant:
            self._wanted.set()
        limit_s = LONGEST_WAIT_MS / 1000
        if not self.settled.is_set():
            limit_s = self.server.start_timeout_ms / 1000
        elif self._next_at - anyio.current_time() > limit_s:
            limit_s = 0.0
        failed = self._failed_starts
        with anyio.move_on_after(limit_s):
            while self.state != "closed" and self._failed_starts == failed:
                if self._connection is not None and not self._connection.is_lost:
                    return self._connection
                await self._moved.wait()
        why = f": {self.reason}" if self.reason else ""
        raise ToolError(f'server "{self.server.name}" is {self.state}{why}', code=SERVER_DOWN)
