"""MCP servers as tools of a registry, on the official SDK.

::

    registry = ToolRegistry(mode="code", runtime=QuickJSRuntime())
    async with McpServers(registry, [StdioServer(name="git", command="mcp-server-git")]) as servers:
        await servers.wait_settled()

A tool is called ``<server>__<tool>``, in the server's own spelling. Its value is the structured content of a result,
else the JSON or the text of its blocks. Failures are ``ToolError``; the code is

=================== ==========================================================================
``TOOL_FAILED``     the server says that the tool failed; the text is the server's
``MCP_ERROR``       the server answered with a JSON-RPC error
``MCP_PROTOCOL``    the server answered with what is no result
``MCP_SERVER_DOWN`` the server went away during the call, or is not there
``TOOL_TIMEOUT``    ``tool_timeout_ms`` ran out
``INVALID_ARGS``    the arguments break the schema, or cannot be sent
=================== ==========================================================================

A server's hints about its tools are untrusted unless its description says ``trust_annotations``: they can then
make nothing easier. Values of environment variables and headers, a URL's user, password and query, and ``secrets``
are taken out of every text that is made here; what is known to be secret, out of results, too.

A server that is Code Mode itself is refused. One that asks us without end, and reads no answer, is dropped.
"""

from ._approval import mcp_approval
from ._backoff import Backoff
from ._client import McpServers
from ._describe import HttpServer, McpServer, ServerOptions, StdioServer
from ._names import NameStyle
from ._status import ServerState, ServerStatus, ToolChange, ToolProgress
from ._tool import McpTool, ToolHints

__all__ = [
    "Backoff",
    "HttpServer",
    "McpServer",
    "McpServers",
    "McpTool",
    "NameStyle",
    "ServerOptions",
    "ServerState",
    "ServerStatus",
    "StdioServer",
    "ToolChange",
    "ToolHints",
    "ToolProgress",
    "mcp_approval",
]
