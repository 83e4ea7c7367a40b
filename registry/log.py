"""The session log: what happened to every call, as typed entries; in memory, or in a file.

::

    with JsonLinesLog("session.jsonl") as log:
        log.append(ToolCallEntry(call_id="1", name="add", arguments={"a": 1}))
    entries = list(read_log("session.jsonl"))

A tool's presentation can be made again from its logged arguments, content and ``meta``.
"""

from ._log_entries import (
    SUMMARY_UNITS,
    ApprovalAskedEntry,
    ApprovalDecidedEntry,
    CodeDispatchEntry,
    CodeDispatchStartEntry,
    LogEntry,
    ToolCallEntry,
    ToolResultEntry,
    UnknownEntry,
    summarize,
)
from ._log_files import DurableLog, JsonLinesLog, MemoryLog, SessionLog, now_ms, read_log
from ._log_json import LogFormatError, entry_from_json, entry_to_json

__all__ = [
    "SUMMARY_UNITS",
    "ApprovalAskedEntry",
    "ApprovalDecidedEntry",
    "CodeDispatchEntry",
    "CodeDispatchStartEntry",
    "DurableLog",
    "JsonLinesLog",
    "LogEntry",
    "LogFormatError",
    "MemoryLog",
    "SessionLog",
    "ToolCallEntry",
    "ToolResultEntry",
    "UnknownEntry",
    "entry_from_json",
    "entry_to_json",
    "now_ms",
    "read_log",
    "summarize",
]
