"""Descriptions of MCP servers: what to start or where to connect, and how far to trust it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """What every kind of server has.

    ``name`` is what messages call it, and the prefix of its tools' names. ``tool_timeout_ms`` bounds
    one call, ``start_timeout_ms`` one start: connecting, the handshake and listing the tools.
    ``include`` and ``exclude`` are globs over the server's own tool names; a tool is taken if an
    ``include`` matches and no ``exclude`` does. ``trust_annotations`` lets the server's hints make
    things easier (calls that overlap, calls that are not asked about); without it they can only make
    them stricter. ``prefix`` replaces ``<name>__`` in front of its tools' names; ``""`` leaves it out.
    """

    name: str
    tool_timeout_ms: float = 60_000
    start_timeout_ms: float = 30_000
    include: Sequence[str] = ("*",)
    exclude: Sequence[str] = ()
    trust_annotations: bool = False
    prefix: str | None = None

    def __post_init__(self) -> None:
        if not self.name or not self.name.isprintable() or self.name != self.name.strip():
            raise ValueError(f"a server's name is a printable text, not {self.name!r:.80}")
        for which in ("tool_timeout_ms", "start_timeout_ms"):
            value = getattr(self, which)
            if not (math.isfinite(value) and value > 0):
                raise ValueError(f'server "{self.name}": {which} is more than 0, not {value!r:.40}')
        for which in ("include", "exclude"):
            if isinstance(getattr(self, which), str):
                raise TypeError(f'server "{self.name}": {which} is a list of globs, not a text')


@dataclass(frozen=True, slots=True, kw_only=True)
class StdioServer(ServerOptions):
    """A server that is a process of ours.

    It is run without a shell. Its environment is ``env`` on top of the few variables that the SDK holds
    safe (``PATH``, ``HOME``, ``USER`` …), and nothing else of ours. The values of ``env``, of
    arguments whose name says that they are secret, and a URL's user, password and query within an argument
    appear in no message.
    """

    command: str
    args: Sequence[str] = field(default=(), repr=False)
    env: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    cwd: str | None = None

    def __post_init__(self) -> None:
        ServerOptions.__post_init__(self)
        if isinstance(self.args, str):
            raise TypeError(f'server "{self.name}": args is a list of texts, not a text')
        if not self.command:
            raise ValueError(f'server "{self.name}": the command is empty')
        texts = [self.command, *self.args, *self.env.keys(), *self.env.values(), self.cwd or ""]
        if any("\0" in text for text in texts) or any("=" in key or not key for key in self.env):
            raise ValueError(
                f'server "{self.name}": the command, its arguments and its environment hold no NUL, '
                "and a variable's name is not empty and holds no ="
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpServer(ServerOptions):
    """A server behind a URL: streamable HTTP, or the older HTTP with server-sent events (``sse``).

    The values of ``headers`` and the URL's user, password and query appear in no message.
    """

    url: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    transport: Literal["http", "sse"] = "http"

    def __post_init__(self) -> None:
        ServerOptions.__post_init__(self)
        if self.transport not in ("http", "sse"):
            raise ValueError(
                f'server "{self.name}": transport is "http" or "sse", not {self.transport!r:.40}'
            )
        try:
            parts = urlsplit(self.url)
            is_good = parts.scheme in ("http", "https") and bool(parts.hostname)
            _ = parts.port
        except ValueError:
            is_good = False
        if not is_good:
            raise ValueError(f'server "{self.name}": the url is not an http(s) URL')


McpServer: TypeAlias = StdioServer | HttpServer


def place_of(server: McpServer) -> str:
    """Where the server is, without anything secret: its command, or scheme, host, port and path."""
    if isinstance(server, StdioServer):
        return server.command
    parts = urlsplit(server.url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    port = "" if parts.port is None else f":{parts.port}"
    return f"{parts.scheme}://{host}{port}{parts.path}"
