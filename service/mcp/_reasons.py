"""Why a server cannot be used, in one sentence, of whatever was raised."""

import os
from typing import NamedTuple, cast

import httpx2
from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED
from pydantic import ValidationError

from ...runtime.errors import describe
from ._connection import NestedError
from ._describe import McpServer, StdioServer, place_of
from ._listing import ProtocolError
from ._transports import Wire

_LONGEST = 1_200
_FINAL_HTTP = ("HTTP 400", "HTTP 401", "HTTP 403", "HTTP 404", "HTTP 405", "HTTP 406", "HTTP 410")


class Reason(NamedTuple):
    """``is_final``: trying again by itself is of no use."""

    text: str
    is_final: bool = False


def root_cause(error: BaseException) -> BaseException:
    """The first exception in a group that is not only a consequence of another."""
    while isinstance(error, BaseExceptionGroup):
        inner = cast("tuple[BaseException, ...]", error.exceptions)
        error = next((each for each in inner if isinstance(each, Exception)), inner[0])
    return error


def reason_of(error: BaseException, server: McpServer, wire: Wire) -> Reason:
    """The reason, without secrets."""
    reason = _reason(root_cause(error), server, wire)
    return Reason(with_tail(reason.text, wire), reason.is_final)


def with_tail(text: str, wire: Wire) -> str:
    """The text and the last lines of the process, without secrets."""
    tail = "" if wire.stderr is None else wire.stderr.lines()
    text = f"{text}; its last lines: {tail}" if tail else text
    return wire.hide(text)[:_LONGEST]


def _reason(error: BaseException, server: McpServer, wire: Wire) -> Reason:
    if wire.broken:
        return Reason(wire.broken)
    if isinstance(error, NestedError):
        return Reason(str(error), is_final=True)
    if isinstance(error, OSError) and isinstance(server, StdioServer) and wire.stderr is not None:
        return _spawn_reason(error, server)
    if isinstance(error, ProtocolError):
        return Reason(f"protocol error: {error}")
    if isinstance(error, NotImplementedError):
        return Reason(str(error), is_final=True)
    if isinstance(error, ValidationError):
        return Reason("protocol error: its answer to the handshake is not valid")
    if wire.http_status and not isinstance(error, httpx2.TransportError):
        is_final = wire.http_status.startswith(_FINAL_HTTP)
        return Reason(f"{place_of(server)} answered {wire.http_status}", is_final)
    if isinstance(error, httpx2.ConnectError):
        return Reason(f"cannot connect to {place_of(server)}: {describe(error)}")
    if isinstance(error, httpx2.HTTPError):
        return Reason(f"{place_of(server)}: {type(error).__name__}: {describe(error)}")
    if isinstance(error, MCPError):
        if error.code == CONNECTION_CLOSED:
            return Reason("it ended before it was ready")
        return Reason(f"protocol error: it answered the handshake with {error.code}: {error}")
    return Reason(f"protocol error: {type(error).__name__}: {describe(error)}")


def _spawn_reason(error: OSError, server: StdioServer) -> Reason:
    if server.cwd is not None and not os.path.isdir(server.cwd):
        return Reason(f'its folder "{server.cwd}" does not exist', is_final=True)
    if isinstance(error, FileNotFoundError):
        return Reason(f'the command "{server.command}" does not exist', is_final=True)
    if isinstance(error, PermissionError):
        return Reason(f'the command "{server.command}" may not be run', is_final=True)
    return Reason(f'the command "{server.command}" cannot be started: {error.strerror}')
