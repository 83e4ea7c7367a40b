"""One server of many, and all that belongs to it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from ...registry import ToolScope
from ._backoff import Backoff
from ._calls import Calls
from ._describe import McpServer
from ._listing import Listing, read_listing
from ._names import NameStyle
from ._secrets import Secrets
from ._seen import Seen
from ._status import OnChange, OnProgressed, OnStatus, ServerStatus
from ._supervisor import Supervisor
from ._tool import digest_of
from ._toolset import ToolSet, log

if TYPE_CHECKING:
    from ...runtime import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """What all servers have in common."""

    scope: ToolScope
    names: NameStyle
    backoff: Backoff
    seed: int | None
    secrets: tuple[str, ...]
    seen: Seen
    on_status: OnStatus | None
    on_change: OnChange | None
    on_progress: OnProgressed | None
    save_soon: Callable[[], None]


class Member:
    """One server and all that belongs to it."""

    def __init__(self, shared: Shared, server: McpServer, prefix: str) -> None:
        self.server = server
        self.prefix = prefix
        self.secrets = Secrets(server, shared.secrets)
        self.supervisor = Supervisor(
            server,
            self.secrets,
            backoff=shared.backoff,
            rng=Random(None if shared.seed is None else f"{shared.seed}:{server.name}"),
            on_listed=self.listed,
            on_moved=self.moved,
        )
        calls = Calls(server, self.secrets, self.supervisor.connection, shared.on_progress)
        self.tools = ToolSet(shared.scope, server, calls.call, shared.on_change, shared.seen)
        self.warnings: tuple[str, ...] = ()
        self.is_from_cache = False
        self.unsaved: list[JsonValue] | None = None
        self._raw_digest = ""
        self._shared = shared

    def register(self, entries: "list[JsonValue]", warnings: Sequence[str]) -> None:
        listing: Listing = read_listing(
            self.server, self.prefix, self._shared.names, entries, self.secrets, warnings
        )
        refused = self.tools.update(listing)
        told = (*listing.warnings, *(self.secrets.hide(text) for text in refused))
        for text in told:
            if text not in self.warnings:
                log.warning('server "%s": %s', self.server.name, text)
        self.warnings = told

    def listed(self, entries: "list[JsonValue]", warnings: list[str]) -> None:
        """The server's own list is there."""
        if not warnings and self._raw_digest and self._raw_digest == _digest(entries):
            self.is_from_cache = False
            return
        self.register(entries, warnings)
        self.is_from_cache = False
        self._raw_digest = _digest(entries)
        self.unsaved = self._kept()
        self._shared.save_soon()

    def cached(self, entries: "list[JsonValue]") -> None:
        self.register(entries, ())
        self.is_from_cache = True
        self._raw_digest = _digest(entries)

    def _kept(self) -> "list[JsonValue]":
        return [dict(tool.entry) for tool in self.tools.tools()]

    def status(self) -> ServerStatus:
        supervisor = self.supervisor
        return ServerStatus(
            name=self.server.name,
            state=supervisor.state,
            reason=supervisor.reason,
            tools=len(self.tools),
            is_from_cache=self.is_from_cache,
            warnings=self.warnings,
            protocol_version=supervisor.protocol_version,
        )

    def moved(self) -> None:
        tell = self._shared.on_status
        if tell is not None:
            try:
                tell(self.status())
            except Exception:  # noqa: BLE001  # the listener's own
                log.exception("an on_status listener failed")


def _digest(entries: "list[JsonValue]") -> str:
    try:
        return digest_of(entries)
    except RecursionError:
        return ""
