"""What the registry and its users say to each other: types, no behaviour.

The names are the original's (dsh-tools) where it has one.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, Self, TypeAlias, runtime_checkable

from ..runtime import JsonValue
from .content import ContentBlock, must_be_text

if TYPE_CHECKING:
    from ..runtime import AbortSignal, LogEntry, RunResult
    from .context import ExecContext
    from .errors import ToolError
    from .presentation import ToolCallView, ToolResultView
    from .scope import ToolScope

JsonSchema: TypeAlias = Mapping[str, JsonValue]

ToolMode = Literal["native", "code", "both"]
"""How tools reach the model: as function definitions, as ``run_code`` and an SDK text, or both ways."""

ExecutionMode = Literal["exclusive", "parallel"]

RUN_CODE_NAME = "run_code"
"""The reserved name of the tool that runs programs. It cannot be registered, shadowed or restricted."""

ToolBody: TypeAlias = "Callable[[JsonValue, ExecContext], Awaitable[object] | object]"
"""A tool's work: ``execute(args, exec)``. ``args`` is the call's own copy, to keep or change. It
returns a text, content blocks, a JSON value (or what pydantic can make one of), or a ``ToolOutput``;
it raises to fail the call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutput:
    """What a tool returns when content alone does not say it.

    ``content`` is for the model; without it, it is made from ``value``. ``value`` is the structured
    result, for programs. ``meta`` is JSON for the presenter, kept with the logged result. ``context``
    is more for the model to read, after the results of the step.
    """

    content: str | Sequence[ContentBlock] | None = None
    value: object = None
    meta: JsonValue = None
    context: str | Sequence[ContentBlock] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PresentedResult:
    """What ``present_result`` has of a call's result."""

    content: tuple[ContentBlock, ...]
    is_error: bool
    meta: JsonValue = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDefinition:
    """A tool.

    ``parameters`` and ``output`` are JSON Schemas; without ``output`` the result is text.
    ``validate_arguments=False`` leaves the arguments to the tool (a server that validates its own
    input). ``check_arguments`` replaces validation by the schema: it gives every violation.
    ``strict_output`` fails a call whose value contradicts ``output``; otherwise the value is passed on
    and the contradiction reported in ``ToolExecutionResult.violations``.
    ``timeout_ms`` bounds one dispatch. ``concurrency_safe`` says that bodies of calls may overlap with
    others; a function decides per call, and only ``True`` counts.
    ``present_call`` and ``present_result`` are pure, and say how a UI shows a call.
    """

    name: str
    execute: "ToolBody"
    description: str = ""
    parameters: JsonSchema = field(default_factory=lambda: {"type": "object", "properties": {}})
    output: JsonSchema | None = None
    strict_output: bool = False
    validate_arguments: bool = True
    check_arguments: Callable[[JsonValue], Sequence[str]] | None = None
    timeout_ms: float | None = None
    concurrency_safe: bool | Callable[[JsonValue], bool] = False
    present_call: "Callable[[JsonValue], ToolCallView | None] | None" = None
    present_result: "Callable[[JsonValue, PresentedResult], ToolResultView | None] | None" = None


@runtime_checkable
class DefinesTool(Protocol):
    """Anything that has a definition, such as a function decorated with ``tool``."""

    @property
    def definition(self) -> ToolDefinition: ...


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """What a model is told of a tool as a function definition."""

    name: str
    description: str
    parameters: dict[str, JsonValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolExecution:
    """One call to execute.

    ``scope`` is who calls; without it, a caller that sees the global tools. ``parent`` is the call from
    whose body this one is made: it carries the right to call tools that the model may not call itself.
    """

    call_id: str
    name: str
    arguments: object = field(default_factory=dict[str, JsonValue])
    scope: "ToolScope | None" = None
    signal: "AbortSignal | None" = None
    parent: "ExecContext | None" = None

    def __post_init__(self) -> None:
        must_be_text("call_id", self.call_id)
        must_be_text("name", self.name)
        for (
            which,
            value,
            member,
        ) in (  # by what they do: their classes are defined above this module
            ("scope", self.scope, "entries"),
            ("signal", self.signal, "add_listener"),
            ("parent", self.parent, "root_call_id"),
        ):
            if value is not None and not hasattr(value, member):
                raise TypeError(f"{which} is not a {type(value).__name__}")


@dataclass(frozen=True, slots=True)
class ToolErrorInfo:
    """The class of a failure: the exception's name, and the stable code."""

    name: str
    code: str

    @classmethod
    def of(cls, kind: "type[ToolError]") -> "Self":
        """That of one of our own classes."""
        return cls(kind.__name__, kind.code)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolExecutionResult:
    """How a call ended.

    ``content`` is what the model reads. ``value`` is the structured result where ``has_value``.
    ``additional_context`` is more for the model, to be placed after the results of the step.
    ``violations`` says where the value contradicts the tool's output schema.
    """

    call_id: str
    content: tuple[ContentBlock, ...] = ()
    is_error: bool = False
    error: ToolErrorInfo | None = None
    value: JsonValue = None
    has_value: bool = False
    meta: JsonValue = None
    additional_context: tuple[ContentBlock, ...] = ()
    violations: tuple[str, ...] = ()


# --- decisions


@dataclass(frozen=True, slots=True)
class Allow:
    """The call may run."""


@dataclass(frozen=True, slots=True)
class Deny:
    """The call must not run; the model reads ``reason``."""

    reason: str

    def __post_init__(self) -> None:
        must_be_text("the reason of a Deny", self.reason)


@dataclass(frozen=True, slots=True)
class Ask:
    """A person must allow the call; ``confirm`` asks a second time."""

    reason: str = ""
    confirm: bool = False

    def __post_init__(self) -> None:
        must_be_text("the reason of an Ask", self.reason)


PreToolDecision: TypeAlias = Allow | Deny | Ask


class Unchanged:
    """The default of ``Accept``: leave the result's content or value as it is."""

    def __repr__(self) -> str:
        return "UNCHANGED"


UNCHANGED = Unchanged()


@dataclass(frozen=True, slots=True, kw_only=True)
class Accept:
    """The result goes on, with ``content`` or ``value`` in place of its own; an empty list of content
    replaces too. Never both: content is made from a new value, and new content leaves no value, so that
    a program gets its text."""

    content: str | Sequence[ContentBlock] | Unchanged = UNCHANGED
    value: object = UNCHANGED
    additional_context: str | Sequence[ContentBlock] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """The result is withheld; the model reads ``feedback`` as an error."""

    feedback: str
    additional_context: str | Sequence[ContentBlock] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        must_be_text("the feedback of a Block", self.feedback)


PostToolDecision: TypeAlias = Accept | Block

# --- listeners


class Next(Protocol):
    """What a pre-execute listener calls, at most once, to hear the listeners after it."""

    def __call__(self) -> Awaitable[PreToolDecision]: ...


class NextExecute(Protocol):
    """What a ``tools/execute`` listener calls to dispatch. A second dispatch must be meant: ``again``."""

    def __call__(self) -> Awaitable[ToolExecutionResult]: ...

    def again(self) -> Awaitable[ToolExecutionResult]:
        """Dispatches once more, after the first has ended: for retries."""
        ...


class NextPost(Protocol):
    """What a post-execute listener calls, at most once, to hear the listeners after it."""

    def __call__(self) -> Awaitable[PostToolDecision]: ...


PreListener: TypeAlias = (
    "Callable[[ExecContext, Next], Awaitable[PreToolDecision] | PreToolDecision]"
)
ExecuteListener: TypeAlias = (
    "Callable[[ExecContext, NextExecute], Awaitable[ToolExecutionResult] | ToolExecutionResult]"
)
PostListener: TypeAlias = "Callable[[ExecContext, ToolExecutionResult, NextPost], Awaitable[PostToolDecision] | PostToolDecision]"
Guard: TypeAlias = "Callable[[ExecContext], Awaitable[str | None] | str | None]"
"""Gives the reason why a call that was allowed must not run after all, or None. It can only deny."""
ResultObserver: TypeAlias = "Callable[[ExecContext, ToolExecutionResult], None]"
RunLogListener: TypeAlias = "Callable[[ExecContext, LogEntry], None]"
RunEndListener: TypeAlias = "Callable[[ExecContext, RunResult], None]"
ChangeListener: TypeAlias = "Callable[[ToolScope], None]"
