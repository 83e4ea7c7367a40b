"""One server's tools in the registry: registered by difference, so that only what changed moves."""

import logging
from collections.abc import Awaitable, Callable
from typing import Final

from ...registry import (
    ExecContext,
    Registration,
    ToolDefinition,
    ToolOutput,
    ToolScope,
)
from ...runtime import JsonValue
from ...runtime.errors import describe
from ._describe import McpServer
from ._listing import Listing
from ._seen import Seen
from ._status import ChangeKind, OnChange, ToolChange
from ._tool import McpTool

log: Final = logging.getLogger("codemode.service.mcp")
CallTool = Callable[[McpTool, JsonValue, ExecContext], Awaitable[ToolOutput]]


class ToolSet:
    """The tools of one server. Calls that have begun end with the definition they began with."""

    def __init__(
        self,
        scope: ToolScope,
        server: McpServer,
        call: CallTool,
        on_change: OnChange | None,
        seen: Seen,
    ) -> None:
        self._scope = scope
        self._server = server
        self._call = call
        self._on_change = on_change
        self._seen = seen
        self._registered: dict[str, tuple[McpTool, ToolDefinition, Registration]] = {}
        self._was_filled = False
        self.changed: dict[str, ToolChange] = {}
        """Tools, by full name, that have changed since they were last called."""

    def tools(self) -> list[McpTool]:
        return [tool for tool, _, _ in self._registered.values()]

    def __len__(self) -> int:
        return len(self._registered)

    def get(self, full_name: str) -> McpTool | None:
        found = self._registered.get(full_name)
        return None if found is None else found[0]

    def definition(self, full_name: str) -> ToolDefinition | None:
        found = self._registered.get(full_name)
        return None if found is None else found[1]

    def update(self, listing: Listing) -> list[str]:
        """Registers what is new or changed and takes away what is gone; gives what could not be."""
        refused: list[str] = []
        changes: list[ToolChange] = []
        replaced: dict[str, McpTool] = {}
        wanted = {tool.full_name: tool for tool in listing.tools}
        for full_name, (tool, _, registration) in list(self._registered.items()):
            new = wanted.get(full_name)
            if new is not None and new.digest == tool.digest and new.name == tool.name:
                continue
            registration.close()
            del self._registered[full_name]
            if new is None:
                changes.append(self._change(tool, "removed"))
            else:
                replaced[full_name] = tool
        for full_name, tool in wanted.items():
            if full_name in self._registered:
                continue
            definition = self._definition(tool)
            try:
                registration = self._scope.register(definition)
            except Exception as error:  # noqa: BLE001  # a name that is taken, a listener
                refused.append(f"tool {tool.name!r} is left out: {describe(error)}")
                if full_name in replaced:
                    changes.append(self._change(replaced[full_name], "removed"))
                continue
            self._registered[full_name] = (tool, definition, registration)
            is_changed, old = self._seen.put(tool)
            if is_changed:
                change = self._change(tool, "changed", old)
                changes.append(change)
                self.changed[full_name] = change
            elif self._was_filled:
                changes.append(self._change(tool, "added"))
        self._was_filled = True
        for change in changes:
            self._tell(change)
        return refused

    def close(self) -> None:
        for _, _, registration in self._registered.values():
            registration.close()
        self._registered.clear()

    def _definition(self, tool: McpTool) -> ToolDefinition:
        async def execute(arguments: JsonValue, exec: ExecContext) -> ToolOutput:
            self.changed.pop(tool.full_name, None)
            return await self._call(tool, arguments, exec)

        is_trusted = self._server.trust_annotations
        return ToolDefinition(
            name=tool.full_name,
            description=tool.description,
            parameters=tool.parameters,
            output={} if tool.output is None else tool.output,
            execute=execute,
            concurrency_safe=is_trusted
            and tool.hints.read_only is True
            and tool.hints.destructive is not True,
        )

    @staticmethod
    def _change(tool: McpTool, kind: ChangeKind, old: str | None = None) -> ToolChange:
        is_gone = kind == "removed"
        return ToolChange(
            server=tool.server,
            tool=tool.name,
            full_name=tool.full_name,
            kind=kind,
            old_digest=tool.digest if is_gone else old,
            new_digest=None if is_gone else tool.digest,
        )

    def _tell(self, change: ToolChange) -> None:
        if change.kind == "changed":
            log.warning(
                "server %r: the description or the schema of tool %r has changed",
                change.server,
                change.tool,
            )
        if self._on_change is not None:
            try:
                self._on_change(change)
            except Exception:  # the listener's own
                log.exception("an on_change listener failed")
