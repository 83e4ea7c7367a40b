"""One call of a server's tool, from arguments to output, and every way in which it fails."""

from collections.abc import Awaitable, Callable
from typing import Final

import anyio
from mcp.shared.dispatcher import ProgressFnT
from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED
from pydantic_core import PydanticSerializationError, to_json

from ...registry import ExecContext, ToolError, ToolOutput
from ...runtime import JsonValue
from ._connection import Connection
from ._describe import McpServer
from ._result import read_result
from ._secrets import Secrets
from ._status import OnProgressed, ToolProgress
from ._stream import NOT_AN_ANSWER
from ._tool import McpTool
from ._toolset import log

SERVER_DOWN: Final = "MCP_SERVER_DOWN"
MCP_ERROR: Final = "MCP_ERROR"
MCP_PROTOCOL: Final = "MCP_PROTOCOL"
TOOL_TIMEOUT: Final = "TOOL_TIMEOUT"
_MOST_DATA: Final = 400
_MOST_MESSAGE: Final = 2_000


class Calls:
    """Calls of one server's tools. ``connection`` gives the live connection, or raises ToolError."""

    def __init__(
        self,
        server: McpServer,
        secrets: Secrets,
        connection: Callable[[], Awaitable[Connection]],
        on_progress: OnProgressed | None,
    ) -> None:
        self._server = server
        self._secrets = secrets
        self._connection = connection
        self._on_progress = on_progress

    async def call(self, tool: McpTool, arguments: JsonValue, exec: ExecContext) -> ToolOutput:
        """Calls the tool. Cancelled, it tells the server and gives up.

        Raises:
            ToolError: with the server's text, or with a code of this module.
        """
        try:
            return await self._call(tool, arguments, exec)
        except ToolError as error:
            raise ToolError(self._secrets.hide(error.message), code=error.code) from None

    async def _call(self, tool: McpTool, arguments: JsonValue, exec: ExecContext) -> ToolOutput:
        _check(arguments)
        connection = await self._connection()
        progress = self._progress(tool, exec)
        params: dict[str, JsonValue] = {"name": tool.name, "arguments": arguments}
        with anyio.move_on_after(self._server.tool_timeout_ms / 1000):
            try:
                raw = await connection.request("tools/call", params, progress)
            except MCPError as error:
                if connection.wire.is_session_lost:  # it did not run: the next session may take it
                    connection.lose()
                    connection = await self._connection()
                    raw = await self._again(connection, params, progress)
                else:
                    raise self._failed(error, connection) from None
            except (anyio.ClosedResourceError, anyio.BrokenResourceError):
                raise self._down(connection) from None
            return read_result(tool, self._secrets.hide_in_data(raw), self._secrets.hide)
        fault = f" (it had sent {connection.fault})" if connection.fault else ""
        raise ToolError(
            f'server "{self._server.name}" gave no answer to "{tool.name}" within '
            f"{self._server.tool_timeout_ms:g} ms{fault}",
            code=TOOL_TIMEOUT,
        )

    async def _again(
        self, connection: Connection, params: dict[str, JsonValue], progress: ProgressFnT | None
    ) -> dict[str, JsonValue]:
        try:
            return await connection.request("tools/call", params, progress)
        except MCPError as error:
            raise self._failed(error, connection) from None

    def _down(self, connection: Connection) -> ToolError:
        why = f": {connection.wire.broken}" if connection.wire.broken else ""
        return ToolError(
            f'server "{self._server.name}" went away during the call{why}', code=SERVER_DOWN
        )

    def _failed(self, error: MCPError, connection: Connection) -> ToolError:
        name = self._server.name
        if error.code == CONNECTION_CLOSED and connection.is_lost:
            return self._down(connection)
        message = self._secrets.hide(error.error.message)
        if error.error.data is NOT_AN_ANSWER:
            return ToolError(f'server "{name}" sent {message:.{_MOST_DATA}}', code=MCP_PROTOCOL)
        status = connection.wire.http_status
        where = f", {status}" if status else ""
        text = f'server "{name}": {message[:_MOST_MESSAGE]} (error {error.code}{where})'
        if error.error.data is not None:
            data = to_json(error.error.data, inf_nan_mode="constants", fallback=repr)
            text += f": {self._secrets.hide(data.decode('utf-8', 'replace'))[:_MOST_DATA]}"
        return ToolError(text, code=MCP_ERROR)

    def _progress(self, tool: McpTool, exec: ExecContext) -> ProgressFnT | None:
        tell = self._on_progress
        if tell is None:
            return None

        async def progressed(progress: float, total: float | None, message: str | None) -> None:
            if exec.is_over:
                return
            hidden = None if message is None else self._secrets.hide(message)
            try:
                tell(
                    ToolProgress(
                        server=tool.server,
                        tool=tool.name,
                        call_id=exec.call_id,
                        root_call_id=exec.root_call_id,
                        progress=progress,
                        total=total,
                        message=hidden,
                    )
                )
            except Exception:  # noqa: BLE001  # the listener's own
                log.exception("an on_progress listener failed")

        return progressed


def _check(arguments: JsonValue) -> None:
    """What the transport cannot write ends the connection there; here it costs the call."""
    try:
        to_json(arguments)
    except (PydanticSerializationError, ValueError, RecursionError):
        raise ToolError(
            "invalid arguments: they hold text that is not valid Unicode, or are nested too deeply",
            code="INVALID_ARGS",
        ) from None
