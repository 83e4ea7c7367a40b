"""Scripted servers, and a watch on what is told of them."""

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio

from codemode.registry import ToolExecution, ToolExecutionResult, ToolRegistry, content_text
from codemode.service.mcp import (
    Backoff,
    McpServers,
    ServerState,
    ServerStatus,
    StdioServer,
    ToolChange,
    ToolProgress,
)

SCRIPT = Path(__file__).with_name("scripted_server.py")
SOON = Backoff(initial_ms=10, max_ms=50)
Scenario = Mapping[str, Any]


def tool(name: str, **fields: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object"}, **fields}


def scripted(folder: Path, name: str, scenario: Scenario, **options: Any) -> StdioServer:
    """A server that does what the scenario says (scripted_server.py)."""
    path = folder / f"{name}.json"
    path.write_text(json.dumps(scenario))
    return StdioServer(
        name=name, command=sys.executable, args=["-I", "-S", str(SCRIPT), str(path)], **options
    )


class Watch:
    """Everything that a fleet of servers tells, and the way to wait for it."""

    def __init__(self) -> None:
        self.statuses: list[ServerStatus] = []
        self.changes: list[ToolChange] = []
        self.progress: list[ToolProgress] = []
        self._moved = anyio.Event()

    def __call__(self, told: ServerStatus | ToolChange | ToolProgress) -> None:
        if isinstance(told, ServerStatus):
            self.statuses.append(told)
        elif isinstance(told, ToolChange):
            self.changes.append(told)
        else:
            self.progress.append(told)
        moved, self._moved = self._moved, anyio.Event()
        moved.set()

    def states(self, name: str) -> list[ServerState]:
        return [status.state for status in self.statuses if status.name == name]

    async def until_state(self, name: str, *states: ServerState) -> None:
        """Returns when the server has been in these states, in this order."""
        with anyio.fail_after(20):
            while not _is_within(list(states), self.states(name)):
                await self._moved.wait()

    async def until_changes(self, count: int) -> None:
        with anyio.fail_after(20):
            while len(self.changes) < count:
                await self._moved.wait()

    async def until_progress(self, count: int) -> None:
        with anyio.fail_after(20):
            while len(self.progress) < count:
                await self._moved.wait()


def _is_within(wanted: list[ServerState], seen: list[ServerState]) -> bool:
    rest = iter(seen)
    return all(state in rest for state in wanted)


def fleet(
    registry: ToolRegistry, *servers: Any, watch: Watch | None = None, **options: Any
) -> McpServers:
    """Servers that come back at once, and tell the watch."""
    if watch is not None:
        options |= {"on_status": watch, "on_change": watch, "on_progress": watch}
    options.setdefault("backoff", SOON)
    return McpServers(registry, servers, seed=1, **options)


async def call(
    registry: ToolRegistry, name: str, arguments: Mapping[str, object] | None = None
) -> ToolExecutionResult:
    with anyio.fail_after(30):
        return await registry.execute(
            ToolExecution(call_id="c1", name=name, arguments=dict(arguments or {}))
        )


async def value(
    registry: ToolRegistry, name: str, arguments: Mapping[str, object] | None = None
) -> Any:
    result = await call(registry, name, arguments)
    assert not result.is_error, content_text(result.content)
    return result.value


def failure(result: ToolExecutionResult) -> tuple[str | None, str]:
    """The code and the text of a call that failed."""
    assert result.is_error, result
    return None if result.error is None else result.error.code, content_text(result.content)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
