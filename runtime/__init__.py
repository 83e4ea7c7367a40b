"""The sandbox: runs one model-written TypeScript program with host functions bound into it.

::

    async with QuickJSRuntime(limits=Limits(compute_ms=500)) as runtime:
        result = await runtime.run(RunRequest(
            program="return await tools.add({ a: 1, b: 2 })",
            bindings=[BindingNamespace(name="tools", functions={"add": add})],
        ))

The seam is :class:`CodeRuntime` and the types it speaks; :class:`QuickJSRuntime` is the backend that
ships here.
"""

from .abort import AbortController, AbortSignal
from .errors import (
    BindingError,
    CodeRuntimeError,
    InvalidRequestError,
    RuntimeClosedError,
    RuntimeUnavailableError,
)
from .limits import Limits
from .pause import WallPause
from .quickjs import QuickJSRuntime
from .types import (
    FAILURE_KINDS,
    Binding,
    BindingErrorClass,
    BindingNamespace,
    CodeRuntime,
    FailureKind,
    JsonValue,
    LogEntry,
    LogLevel,
    LogSource,
    RunFailure,
    RunRequest,
    RunResult,
    RunStats,
)

__all__ = [
    "FAILURE_KINDS",
    "AbortController",
    "AbortSignal",
    "Binding",
    "BindingError",
    "BindingErrorClass",
    "BindingNamespace",
    "CodeRuntime",
    "CodeRuntimeError",
    "FailureKind",
    "InvalidRequestError",
    "JsonValue",
    "Limits",
    "LogEntry",
    "LogLevel",
    "LogSource",
    "QuickJSRuntime",
    "RunFailure",
    "RunRequest",
    "RunResult",
    "RunStats",
    "RuntimeClosedError",
    "RuntimeUnavailableError",
    "WallPause",
]
