"""What the store keeps, as values. What people, programs and tools wrote is JSON text."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any, Final, Literal

RunState = Literal["running", "succeeded", "failed", "aborted", "interrupted"]
"""``interrupted``: the service ended while the run was in progress."""
ApprovalState = Literal["pending", "allowed", "denied", "cancelled", "expired"]
EventKind = Literal["start", "log", "sub-call", "approval", "result"]

RUN_STATES: Final[tuple[RunState, ...]] = (
    "running",
    "succeeded",
    "failed",
    "aborted",
    "interrupted",
)
APPROVAL_STATES: Final[tuple[ApprovalState, ...]] = (
    "pending",
    "allowed",
    "denied",
    "cancelled",
    "expired",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """One run in a list; ``title`` is a JSON text."""

    id: str
    owner: str
    token: str
    state: RunState
    error_kind: str | None
    title: str
    created_ms: int
    ended_ms: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord(RunSummary):
    """One run. ``request`` and ``outcome`` are JSON objects as text; ``outcome`` is None until its end."""

    request: str
    outcome: str | None
    idempotency_key: str | None
    request_hash: str
    stored_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRecord:
    """One thing that happened in a run; ``seq`` counts from 0 without gaps. ``data`` is a JSON object."""

    run_id: str
    seq: int
    at_ms: int
    kind: EventKind
    data: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRecord:
    """A question to a person; ``data`` is a JSON object with the call's tool and arguments."""

    id: str
    run_id: str
    owner: str
    state: ApprovalState
    asked_ms: int
    decided_ms: int | None = None
    decided_by: str | None = None
    data: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRecord:
    """A bearer token, of which the store has the hash alone. ``grants`` is a JSON object."""

    id: str
    name: str
    owner: str
    hash: str
    created_ms: int
    expires_ms: int | None
    revoked_ms: int | None
    grants: str

    def is_valid(self, now_ms: float) -> bool:
        """Whether it opens anything at that time."""
        return self.revoked_ms is None and (self.expires_ms is None or now_ms < self.expires_ms)


Record = RunRecord | EventRecord | ApprovalRecord | TokenRecord
_MEMBERS: Final[dict[type[Record], tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]]] = {
    kind: (names, attrgetter(*names))
    for kind in (RunRecord, EventRecord, ApprovalRecord, TokenRecord)
    for names in [tuple(field.name for field in fields(kind))]
}


def row_of(record: Record) -> dict[str, Any]:
    """The record as a row of its table. ``dataclasses.asdict`` would copy every text of it, and is slow."""
    names, values = _MEMBERS[type(record)]
    return dict(zip(names, values(record), strict=True))
