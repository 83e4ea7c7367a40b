"""The entries of a session log. What DSH logs under the same ``type`` has the same fields.

``at_ms`` is milliseconds since 1970; 0 means that the log fills it in when the entry is appended.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from ..runtime.types import JsonValue
from .content import ContentBlock
from .types import ToolErrorInfo

SUMMARY_UNITS: Final = 200
"""UTF-16 units of a result that ``result_summary`` keeps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallEntry:
    """A call as it was made; ``scope`` is who made it, None for the global scope."""

    call_id: str
    name: str
    arguments: JsonValue
    scope: str | None = None
    at_ms: float = 0.0
    type: Literal["tool/call"] = field(default="tool/call", init=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResultEntry:
    """How a call ended. ``meta`` is what the tool left for its presentation, ``violations`` what broke
    its schema."""

    call_id: str
    content: tuple[ContentBlock, ...]
    is_error: bool = False
    error: ToolErrorInfo | None = None
    meta: JsonValue = None
    violations: tuple[str, ...] = ()
    at_ms: float = 0.0
    type: Literal["tool/result"] = field(default="tool/result", init=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalAskedEntry:
    """A question to a person; ``confirm`` says that it asks a second time, ``level`` what asked for it."""

    call_id: str
    question_id: str
    name: str
    reason: str
    confirm: bool = False
    level: str = "ask"
    at_ms: float = 0.0
    type: Literal["approval/asked"] = field(default="approval/asked", init=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalDecidedEntry:
    """How a question ended."""

    call_id: str
    question_id: str
    outcome: str
    at_ms: float = 0.0
    type: Literal["approval/decided"] = field(default="approval/decided", init=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeDispatchStartEntry:
    """A program's call of a tool begins. ``root_call_id`` is the outermost ``run_code`` call."""

    root_call_id: str
    parent_call_id: str
    sub_call_id: str
    name: str
    arguments: JsonValue
    at_ms: float = 0.0
    type: Literal["tool/code-dispatch-start"] = field(
        default="tool/code-dispatch-start", init=False
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeDispatchEntry:
    """A program's call of a tool has ended; ``result_summary`` is what :func:`summarize` makes."""

    root_call_id: str
    parent_call_id: str
    sub_call_id: str
    name: str
    arguments: JsonValue
    is_error: bool
    content: tuple[ContentBlock, ...]
    result_summary: str
    duration_ms: float
    error: ToolErrorInfo | None = None
    at_ms: float = 0.0
    type: Literal["tool/code-dispatch"] = field(default="tool/code-dispatch", init=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownEntry:
    """An entry of a type that this version does not know, as its JSON object."""

    type: str
    value: Mapping[str, JsonValue]
    at_ms: float = 0.0


LogEntry: TypeAlias = (
    ToolCallEntry
    | ToolResultEntry
    | ApprovalAskedEntry
    | ApprovalDecidedEntry
    | CodeDispatchStartEntry
    | CodeDispatchEntry
    | UnknownEntry
)


def summarize(text: str) -> str:
    """The first 200 UTF-16 units and ``…``, or the whole text; a character is never cut in two."""
    room = SUMMARY_UNITS
    for index, character in enumerate(text):
        room -= 2 if ord(character) > 0xFFFF else 1
        if room < 0:
            return text[:index] + "…"
    return text
