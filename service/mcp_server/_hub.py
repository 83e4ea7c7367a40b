"""Progress of servers' calls, passed on to whoever waits for the run that they belong to."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..mcp import ToolProgress


class ProgressHub:
    """``publish`` is what ``McpServers(on_progress=…)`` calls."""

    def __init__(self) -> None:
        self._listeners: dict[str, Callable[[str], None]] = {}

    def publish(self, progress: "ToolProgress") -> None:
        """Tells who listens to the progress's run, if anybody does."""
        listener = self._listeners.get(progress.root_call_id)
        if listener is not None:
            of = "" if progress.total is None else f" of {progress.total:g}"
            text = f": {progress.message}" if progress.message else ""
            listener(f"{progress.server}, {progress.tool}: {progress.progress:g}{of}{text}")

    @contextmanager
    def listening(self, root_call_id: str, listener: Callable[[str], None]) -> Generator[None]:
        """Tells ``listener`` a line for each progress of one run, in this block."""
        self._listeners[root_call_id] = listener
        try:
            yield
        finally:
            del self._listeners[root_call_id]
