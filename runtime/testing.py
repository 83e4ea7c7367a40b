"""A runtime without a sandbox, for the tests of code that runs programs.

The "program" is a Python function of the test's own; what it does with bindings, logs, failure and
abort looks to the caller like a real run. The request's program text is not looked at.
"""

from collections.abc import Awaitable, Callable
from typing import Final

from .abort import AbortSignal
from .errors import BindingError, InvalidRequestError, RuntimeClosedError
from .types import (
    FailureKind,
    JsonValue,
    LogEntry,
    LogLevel,
    RunFailure,
    RunRequest,
    RunResult,
    RunStats,
)

__all__ = ["ScriptedFailureError", "ScriptedProgram", "ScriptedRuntime"]


class ScriptedFailureError(Exception):
    """Raised by a script to fail its run with a kind and a message."""

    def __init__(self, kind: FailureKind, message: str) -> None:
        super().__init__(message)
        self.failure: Final = RunFailure(kind=kind, message=message)


class ScriptedProgram:
    """What a script has of its run."""

    def __init__(self, request: RunRequest) -> None:
        self.request: Final = request
        self.logs: Final[list[LogEntry]] = []
        self.calls = 0

    @property
    def signal(self) -> AbortSignal:
        """The request's signal, or one that never fires."""
        return self.request.signal or AbortSignal()

    def log(self, text: str, level: LogLevel = "log") -> None:
        """What ``console`` does."""
        entry = LogEntry(source="console", level=level, text=text)
        self.logs.append(entry)
        if self.request.on_log is not None:
            self.request.on_log(entry)

    async def call(self, name: str, argument: JsonValue, *, namespace: str = "tools") -> object:
        """Calls a binding and gives its result as it is.

        Raises:
            BindingError: the binding raised, whatever it was.
            InvalidRequestError: the request has no such binding.
        """
        for space in self.request.bindings:
            if space.name == namespace and name in space.functions:
                self.calls += 1
                try:
                    return await space.functions[name](argument)
                except BindingError:
                    raise
                except Exception as error:
                    raise BindingError(str(error) or type(error).__name__) from error
        raise InvalidRequestError(f"the request has no binding {namespace}.{name}")


Script = Callable[[ScriptedProgram], Awaitable[JsonValue]]


class ScriptedRuntime:
    """A ``CodeRuntime`` whose programs are ``script``.

    ``requests`` has every request in order. A script that raises ``ScriptedFailureError`` fails its run
    with that kind; a ``BindingError`` that it lets pass fails it as ``exception``, as an uncaught
    rejection would; any other exception is a fault of the test and propagates.
    """

    def __init__(self, script: Script) -> None:
        self._script = script
        self._closed = False
        self.requests: Final[list[RunRequest]] = []

    @property
    def language(self) -> str:
        return "typescript"

    @property
    def isolation(self) -> str:
        return "none"

    async def run(self, request: RunRequest) -> RunResult:
        """Runs the script; see ``CodeRuntime.run``."""
        if self._closed:
            raise RuntimeClosedError("the runtime is closed")
        self.requests.append(request)
        program = ScriptedProgram(request)
        value: JsonValue = None
        failure: RunFailure | None = None
        if program.signal.aborted:
            failure = RunFailure(kind="abort", message=program.signal.reason)
        else:
            try:
                value = await self._script(program)
            except ScriptedFailureError as error:
                failure = error.failure
            except BindingError as error:
                failure = RunFailure(kind="exception", message=error.message)
        return RunResult(
            value=value,
            has_value=failure is None,
            logs=tuple(program.logs),
            error=failure,
            stats=RunStats(calls=program.calls),
        )

    async def aclose(self) -> None:
        """Refuses later runs."""
        self._closed = True
