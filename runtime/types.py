"""The seam between a program's runtime and whoever runs programs: types, no behaviour.

Backends implement :class:`CodeRuntime`; consumers see nothing else of them. A failed program is a
value (:class:`RunFailure`), never an exception.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from .abort import AbortSignal
    from .limits import Limits
    from .pause import WallPause

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"

Binding: TypeAlias = Callable[[JsonValue], Awaitable[object]]
"""A host function that a program can call: it takes the call's one argument as a JSON value that
nobody else holds, and returns a JSON value. To reject the call, raise; see ``BindingError``."""

FailureKind = Literal[
    "exception",  # the program threw, or its text cannot run
    "timeout",  # a budget ran out; `RunFailure.budget` says which
    "abort",  # the request's signal fired, or the runtime was closed
    "memory-limit",  # the program's memory ran out
    "output-limit",  # the completion value is larger than the limit
    "invalid-output",  # the completion value is not JSON
    "worker-exit",  # the substrate died under the program
]
FAILURE_KINDS: Final[tuple[FailureKind, ...]] = (
    "exception",
    "timeout",
    "abort",
    "memory-limit",
    "output-limit",
    "invalid-output",
    "worker-exit",
)

LogSource = Literal["console", "runtime"]
LogLevel = Literal["log", "info", "warn", "error", "debug"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BindingErrorClass:
    """The class that a namespace's rejections have in the program.

    ``name`` is a global of the program (``e instanceof ToolCallError``); ``member`` is the property
    that holds the called function's name.
    """

    name: str = "ToolCallError"
    member: str = "toolName"


@dataclass(frozen=True, slots=True, kw_only=True)
class BindingNamespace:
    """A global object of the program whose members are host functions.

    ``name`` must be an identifier that is not taken; the functions' names may be any text. In the
    program the object is frozen and has no prototype. ``helpers`` are functions beside the named ones:
    they are not enumerable, and take any number of arguments, which reach Python as one list.
    """

    name: str
    functions: Mapping[str, Binding]
    helpers: Mapping[str, Binding] = field(default_factory=dict[str, Binding])
    error_class: BindingErrorClass = BindingErrorClass()


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """One line of the run's log: what the program printed, or what the runtime has to say."""

    source: LogSource
    level: LogLevel
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """One program to run.

    ``seed`` and ``clock_ms`` (milliseconds since 1970) make a run reproducible: the same text, seed,
    clock and binding results give the same run. With ``clock_ms`` the program's clock stands still,
    except that a timer's end moves it on.

    ``pause`` lets whoever asks a person meanwhile hold the run's wall budget.

    ``on_log`` is called on the event loop with each log entry as soon as the host has it, also while
    the program computes. An exception from it ends the run and is raised by ``run``.
    """

    program: str
    bindings: Sequence[BindingNamespace] = ()
    signal: "AbortSignal | None" = None
    on_log: Callable[[LogEntry], None] | None = None
    limits: "Limits | None" = None  # instead of the runtime's own
    seed: int | None = None
    clock_ms: float | None = None
    pause: "WallPause | None" = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFailure:
    """Why a program has no value.

    ``message`` is for the model: what happened, where in its own text, and what to write instead where
    that is known; at most a few kB. The other fields are the same facts for code.
    """

    kind: FailureKind
    message: str
    name: str = ""  # the error's class name in the program
    line: int | None = None  # from 1
    column: int | None = None  # from 1, in UTF-16 units
    budget: Literal["compute", "wall"] | None = None  # of a timeout


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStats:
    """What a run used."""

    compute_ms: float = 0.0  # CPU time inside the guest
    wall_ms: float = 0.0  # what counts against the budget
    paused_ms: float = 0.0  # what does not: see `RunRequest.pause`
    peak_memory_bytes: int = 0  # of the guest's linear memory
    calls: int = 0  # calls that reached a binding
    output_bytes: int = 0  # log texts and the completion value's JSON, UTF-8


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """What a run gave: the completion value or an error, and in both cases the logs.

    ``value`` is None for ``null`` and for no value; ``has_value`` tells them apart.
    """

    value: JsonValue = None
    has_value: bool = False
    logs: tuple[LogEntry, ...] = ()
    error: RunFailure | None = None
    stats: RunStats = field(default_factory=RunStats)


class CodeRuntime(Protocol):
    """Runs programs. Runs share nothing; any number may be in flight.

    ``language`` is the language of the programs; ``isolation`` says what stands between a program and
    the host ("wasm", "process", ...), for information.
    """

    @property
    def language(self) -> str: ...

    @property
    def isolation(self) -> str: ...

    async def run(self, request: RunRequest) -> RunResult:
        """Runs one program to its end and gives its result, however it ended.

        When it returns, no binding of the run is in flight: at the end of a run, calls without an
        answer are cancelled and awaited, for a bounded time. The same happens when the task that
        awaits ``run`` is cancelled; the cancellation then goes on.

        Raises:
            InvalidRequestError: the request cannot be run as it is (a binding's name, a limit).
            RuntimeClosedError: the runtime was closed.
        """
        ...

    async def aclose(self) -> None:
        """Ends every run in flight as ``abort``, waits for them, and refuses later ones."""
        ...
