"""The shapes of responses, for the OpenAPI document; the responses themselves are put together as text."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from ...runtime import FailureKind
from ..store import ApprovalState, EventKind, RunState


class Shape(BaseModel):
    """A response; what is not always there has a default."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid")


class ErrorDetail(Shape):
    code: str
    message: str


class ErrorBody(Shape):
    """Why a request was refused, and what to change."""

    error: ErrorDetail


class RunError(Shape):
    """Why a run has no result. ``kind`` is the runtime's; ``code`` the pipeline's."""

    kind: FailureKind
    message: str
    code: str = ""
    name: str = ""
    line: int = 0
    column: int = 0
    budget: Literal["compute", "wall"] = "wall"


class RunNumbers(Shape):
    """What a run used. ``wallMs`` is what counts against its budget; ``pausedMs`` it waited for people."""

    compute_ms: float
    wall_ms: float
    paused_ms: float
    peak_memory_bytes: int
    calls: int
    output_bytes: int


class LogLine(Shape):
    source: Literal["console", "runtime"]
    level: Literal["log", "info", "warn", "error", "debug"]
    text: str


class Run(Shape):
    """A run. ``output`` is what a model is to read of it; ``result`` is there if it gave a value."""

    id: str
    state: RunState
    created_ms: int
    ended_ms: int | None
    program: str = ""
    tool: str = ""
    arguments: Any = None
    description: str = ""
    limits: dict[str, float] = {}
    seed: int = 0
    output: str = ""
    result: Any = None
    error: RunError | None = None
    stats: RunNumbers | None = None
    logs: list[LogLine]


class RunInList(Shape):
    id: str
    state: RunState
    created_ms: int
    ended_ms: int | None
    error_kind: FailureKind | None
    title: str


class RunList(Shape):
    """The newest first; ``next`` is the ``before`` of the page behind this one."""

    runs: list[RunInList]
    next: str | None


class Event(Shape):
    """One thing that happened in a run; what ``data`` has depends on the kind."""

    id: str
    kind: EventKind
    data: dict[str, Any]


class EventList(Shape):
    events: list[Event]
    next: str | None


class Approval(Shape):
    """A question to a person: may this call run, once? ``card`` shows it (a diff, for an edit)."""

    id: str
    run: str
    state: ApprovalState
    asked_ms: int
    decided_ms: int | None
    decided_by: str | None
    sub_call: str
    tool: str
    reason: str
    is_confirmation: bool
    expires_ms: int
    arguments: Any
    card: dict[str, Any] | None


class ApprovalList(Shape):
    approvals: list[Approval]
    next: str | None


class Decision(Shape):
    """``allow`` is for this one call."""

    decision: Literal["allow", "deny"]


class Tool(Shape):
    name: str
    description: str
    parameters: dict[str, Any]
    output: dict[str, Any] | None = None


class ToolList(Shape):
    """The tools of this token, and how it may run them."""

    modes: list[Literal["code", "native"]]
    tools: list[Tool]


class Health(Shape):
    status: Literal["ok", "ending", "no store"]
