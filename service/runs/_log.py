"""The session log of a run: its sub-calls and the ends of its questions, as events."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...registry.log import (
    ApprovalDecidedEntry,
    CodeDispatchEntry,
    CodeDispatchStartEntry,
    LogEntry,
)
from ._journal import Journal
from ._redact import Redaction

if TYPE_CHECKING:
    from ...runtime import JsonValue


class RunLog:
    """A ``DurableLog``. The run's own call is left out: its start and its result are events already."""

    def __init__(
        self,
        journal: Journal,
        redaction: Redaction,
        on_decided: Callable[[ApprovalDecidedEntry], None],
        observer: Callable[[LogEntry], None] | None = None,
    ) -> None:
        self._observer = observer
        self._journal = journal
        self._redaction = redaction
        self._on_decided = on_decided

    def append(self, entry: LogEntry) -> None:
        """Keeps the entry."""
        if self._observer is not None:
            self._observer(entry)
        match entry:
            case CodeDispatchStartEntry():
                self._journal.add(
                    "sub-call",
                    {"id": entry.sub_call_id, "tool": entry.name, "state": "started"},
                    arguments=self._redaction.of(entry.name, entry.arguments),
                )
            case CodeDispatchEntry():
                data: dict[str, JsonValue] = {
                    "id": entry.sub_call_id,
                    "tool": entry.name,
                    "state": "failed" if entry.is_error else "succeeded",
                    "durationMs": round(entry.duration_ms, 3),
                    "summary": entry.result_summary,
                }
                if entry.error is not None:
                    data["code"] = entry.error.code
                self._journal.add("sub-call", data)
            case ApprovalDecidedEntry():
                self._on_decided(entry)
            case _:
                pass

    async def durable(self) -> None:
        """Returns when everything appended is in the store: no tool's body begins before."""
        await self._journal.durable()
