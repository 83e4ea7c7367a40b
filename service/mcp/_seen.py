"""What every name stood for when it was last registered: a tool that comes back must be the tool that went."""

from typing import Final

from ._tool import McpTool

_MOST: Final = 100_000


class Seen:
    """The tools of all servers, by full name, for as long as the servers are kept.

    It never forgets. When it is full, a name that it does not know counts as one that has changed: a server
    that makes up names without end gets a question for each, and not the memory.
    """

    def __init__(self) -> None:
        self._tools: dict[str, tuple[str, str, str]] = {}

    def put(self, tool: McpTool) -> tuple[bool, str | None]:
        """Whether the name stood for something else before, and the digest of that."""
        is_full = len(self._tools) >= _MOST
        now = (tool.server, tool.name, tool.digest)
        before = self._tools.get(tool.full_name)
        if before is not None or not is_full:
            self._tools[tool.full_name] = now
        if before is None:
            return is_full, None
        return before != now, before[2]
