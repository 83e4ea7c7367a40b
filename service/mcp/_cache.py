"""Tool lists on disk, so that tools are there at once after a restart, with the same bytes.

A file is a hint: what is in it goes through the same reading as a server's own answer, and the server's next
list replaces it. The folder is private (0700, ours); files are written whole. A folder that is not so, or
a file that cannot be read, is as good as none.
"""

import contextlib
import json
import os
import stat
import tempfile
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

from ...runtime import JsonValue
from ._describe import McpServer, StdioServer, place_of
from ._tool import digest_of

_FORMAT = 1


def server_digest(server: McpServer) -> str:
    """Stands for the server as described, without its secrets: names of variables, headers and query
    parameters count, their values do not."""
    what: dict[str, JsonValue] = {
        "name": server.name,
        "place": place_of(server),
        "include": [*server.include],
        "exclude": [*server.exclude],
    }
    if isinstance(server, StdioServer):
        what |= {"args": [*server.args], "env": [*sorted(server.env)], "cwd": server.cwd}
    else:
        query = urlsplit(server.url).query
        what |= {
            "transport": server.transport,
            "headers": [*sorted(server.headers)],
            "query": [*sorted(part.split("=")[0] for part in query.split("&") if part)],
        }
    return digest_of(what)


class ListCache:
    """The lists in one folder. Its methods touch the disk: call them on a thread."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, server: McpServer) -> list[JsonValue] | None:
        """The entries of the server's last list, None if there is no whole one."""
        try:
            if not self._is_private():
                return None
            read: object = json.loads(self._path(server).read_bytes())
        except (OSError, ValueError, RecursionError):
            return None
        if not isinstance(read, dict):
            return None
        kept = cast("dict[str, JsonValue]", read)
        entries = kept.get("tools")
        if (
            kept.get("format") != _FORMAT
            or kept.get("server") != server_digest(server)
            or not isinstance(entries, list)
            or kept.get("digest") != digest_of(entries)
        ):
            return None
        return entries

    def write(self, server: McpServer, entries: list[JsonValue]) -> None:
        """Keeps a list. A disk that is full, or a folder that is not ours, leaves it as it was."""
        kept: JsonValue = {
            "format": _FORMAT,
            "server": server_digest(server),
            "digest": digest_of(entries),
            "tools": entries,
        }
        with contextlib.suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self._is_private():
                return
            handle, name = tempfile.mkstemp(dir=self._folder, suffix=".tmp")  # 0600
            try:
                with os.fdopen(handle, "w", encoding="ascii") as file:
                    json.dump(kept, file, separators=(",", ":"))
                os.replace(name, self._path(server))
            except BaseException:
                os.unlink(name)
                raise

    def _path(self, server: McpServer) -> Path:
        return self._folder / f"mcp-{server_digest(server)[:32]}.json"

    def _is_private(self) -> bool:
        found = self._folder.lstat()
        if not stat.S_ISDIR(found.st_mode):
            return False
        if os.name == "nt":
            return True
        return found.st_uid == os.geteuid() and stat.S_IMODE(found.st_mode) & 0o077 == 0
