"""What is told of servers: their status, changes of their tools, progress of their calls."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

ChangeKind = Literal["added", "changed", "removed"]
ServerState = Literal["starting", "ready", "failed", "reconnecting", "closed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerStatus:
    """One server, now.

    ``reason`` says why it is ``failed`` or ``reconnecting``. ``tools`` counts its registered tools, which it
    keeps while it is down; ``is_from_cache`` until its list has been read in this process. ``warnings``
    are about its list. ``protocol_version`` is empty until it was ready once.
    """

    name: str
    state: ServerState
    reason: str = ""
    tools: int = 0
    is_from_cache: bool = False
    warnings: tuple[str, ...] = ()
    protocol_version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolChange:
    """A tool whose server lists it anew, differently, or no more. Digests cover all that the server
    says of it; one that changed after it was shown is worth a look before its next use."""

    server: str
    tool: str
    full_name: str
    kind: ChangeKind
    old_digest: str | None = None
    new_digest: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolProgress:
    """How far a call is, in the server's own units. ``root_call_id`` is the call of the model's that it
    belongs to."""

    server: str
    tool: str
    call_id: str
    root_call_id: str
    progress: float
    total: float | None = None
    message: str | None = None


OnStatus: TypeAlias = Callable[[ServerStatus], None]
OnChange: TypeAlias = Callable[[ToolChange], None]
OnProgressed: TypeAlias = Callable[[ToolProgress], None]
