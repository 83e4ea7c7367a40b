"""Many MCP servers as tools of one registry."""

from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

import anyio
import anyio.to_thread

from ...registry import ToolDefinition, ToolScope
from ._backoff import Backoff
from ._cache import ListCache
from ._describe import McpServer
from ._member import Member, Shared
from ._names import NameStyle, check_prefixes, prefixes
from ._secrets import guard_logs
from ._seen import Seen
from ._status import OnChange, OnProgressed, OnStatus, ServerStatus, ToolChange
from ._tool import McpTool

if TYPE_CHECKING:
    from anyio.abc import TaskGroup

    from ...runtime import JsonValue


class McpServers:
    """Keeps MCP servers connected, and their tools registered in ``scope``, for the length of a block::

        async with McpServers(registry, [StdioServer(name="time", command="mcp-server-time")]) as servers:
            await servers.wait_settled()

    Servers start at the same time; one that is down, slow or wrong holds up no other, and its status says
    why. A server that goes away rejects the calls in flight with ``MCP_SERVER_DOWN``, keeps its tools and
    is connected again, with growing pauses; a call meanwhile waits for it, at most 5 s.

    ``names`` is the spelling of tools' names (``_names``). With ``cache_dir`` lists are kept on disk, and
    a known server's tools are there at once; their calls wait for the connection. ``seed`` makes the
    pauses repeatable. ``secrets`` are more texts that are shown nowhere, neither in messages nor in results:
    what a configuration took from the environment. The listeners are called on the event loop; what they raise is logged.

    The block is entered and left in one task, on asyncio or trio (there without streamable HTTP, which the
    SDK does not do; the server's status says so). When it has been left no process,
    connection or task is left, and the tools are gone from the registry. Not thread-safe.
    """

    def __init__(
        self,
        scope: ToolScope,
        servers: Sequence[McpServer],
        *,
        cache_dir: str | PathLike[str] | None = None,
        names: NameStyle = "exact",
        backoff: Backoff | None = None,
        seed: int | None = None,
        secrets: Iterable[str] = (),
        on_status: OnStatus | None = None,
        on_change: OnChange | None = None,
        on_progress: OnProgressed | None = None,
    ) -> None:
        """
        Raises:
            ValueError: two servers have one name or prefix, or ``names`` is none of the styles.
            TypeError: ``secrets`` is a text.
        """
        if isinstance(secrets, str):
            raise TypeError("secrets is a list of texts, not a text")
        if names not in ("exact", "safe"):
            raise ValueError(f'names is "exact" or "safe", not {names!r:.40}')
        given = [server.name for server in servers]
        twice = sorted({name for name in given if given.count(name) > 1})
        if twice:
            raise ValueError(f"two servers have the name {', '.join(map(repr, twice))}")
        self._unsaved = anyio.Event()
        shared = Shared(
            scope=scope,
            names=names,
            backoff=backoff or Backoff(),
            seed=seed,
            secrets=tuple(secrets),
            seen=Seen(),
            on_status=on_status,
            on_change=on_change,
            on_progress=on_progress,
            save_soon=lambda: self._unsaved.set(),
        )
        made = prefixes(servers)
        check_prefixes(made, names)
        self._members = {
            server.name: Member(shared, server, made[server.name]) for server in servers
        }
        self._cache = None if cache_dir is None else ListCache(Path(cache_dir))
        self._tasks: TaskGroup | None = None

    # --- life

    async def __aenter__(self) -> Self:
        """Returns when the servers have been told to start, not when they have.

        Raises:
            RuntimeError: it was entered before.
        """
        if self._tasks is not None:
            raise RuntimeError("McpServers is entered once")
        guard_logs()
        if self._cache is not None:
            known = await anyio.to_thread.run_sync(self._read_cache, self._cache)
            for name, entries in known.items():
                self._members[name].cached(entries)
        self._tasks = anyio.create_task_group()
        await self._tasks.__aenter__()
        for member in self._members.values():
            self._tasks.start_soon(member.supervisor.run, name=f"mcp {member.server.name}")
        if self._cache is not None:
            self._tasks.start_soon(self._keep_saved, self._cache)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Ends every connection. Each process is asked to end, and killed after 4 s."""
        assert self._tasks is not None
        self._tasks.cancel_scope.cancel()
        try:
            await self._tasks.__aexit__(
                None, None, None
            )  # the block's own exception stays as it is
        finally:
            for member in self._members.values():
                member.tools.close()
            if self._cache is not None:
                with anyio.move_on_after(1, shield=True):
                    await self._save(self._cache)

    async def wait_settled(self) -> None:
        """Returns when every server is ready or has failed: at the latest after the longest
        ``start_timeout_ms``."""
        for member in self._members.values():
            await member.supervisor.settled.wait()

    # --- what there is

    def status(self) -> list[ServerStatus]:
        """Every server's status, in the order given."""
        return [member.status() for member in self._members.values()]

    def tools(self) -> list[McpTool]:
        """Every registered tool, server by server."""
        return [tool for member in self._members.values() for tool in member.tools.tools()]

    def tool(self, full_name: str) -> McpTool | None:
        """The tool of this name in the registry, None if it is none of these servers'."""
        member = self._of(full_name)
        return None if member is None else member.tools.get(full_name)

    def definition(self, full_name: str) -> ToolDefinition | None:
        """What is registered under the name."""
        member = self._of(full_name)
        return None if member is None else member.tools.definition(full_name)

    def change_of(self, full_name: str) -> ToolChange | None:
        """How the tool has changed since it was last called; None if it has not."""
        member = self._of(full_name)
        return None if member is None else member.tools.changed.get(full_name)

    def is_trusted(self, server: str) -> bool:
        """Whether the server's annotations are trusted."""
        return self._members[server].server.trust_annotations

    def _of(self, full_name: str) -> Member | None:
        for member in self._members.values():
            if member.tools.get(full_name) is not None:
                return member
        return None

    # --- the cache

    def _read_cache(self, cache: ListCache) -> "dict[str, list[JsonValue]]":
        found: dict[str, list[JsonValue]] = {}
        for name, member in self._members.items():
            entries = cache.read(member.server)
            if entries is not None:
                found[name] = entries
        return found

    async def _keep_saved(self, cache: ListCache) -> None:
        while True:
            await self._unsaved.wait()
            self._unsaved = anyio.Event()
            await self._save(cache)

    async def _save(self, cache: ListCache) -> None:
        for member in self._members.values():
            entries = member.unsaved
            if entries is not None:
                await anyio.to_thread.run_sync(cache.write, member.server, entries)
                if member.unsaved is entries:
                    member.unsaved = None
