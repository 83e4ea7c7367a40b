"""The exceptions of this package.

::

    ToolError                     base; `code` is stable, for programs; the text is for the model
    ├── ToolNotFoundError         UNKNOWN_TOOL       no such tool for the caller
    ├── ToolArgsError             INVALID_ARGS       the arguments break the tool's schema
    ├── ToolOutputError           INVALID_TOOL_OUTPUT  the tool's value has no JSON form or breaks its schema
    ├── ToolDeniedError           DENIED             a listener, a guard, a person or a policy said no
    │   └── ApprovalExpiredError  APPROVAL_EXPIRED   nobody answered within the run's approval budget
    ├── ToolBlockedError          BLOCKED            post-execute replaced the result by feedback
    ├── ToolAbortedError          ABORTED, ABORTED_BEFORE_DISPATCH
    ├── ToolTimeoutError          TOOL_TIMEOUT
    ├── CodeRunFailedError        CODE_RUN_FAILED    the program that run_code ran failed
    ├── ListenerError             LISTENER_FAILED    a listener raised or broke the protocol
    ├── LogFailedError            LOG_FAILED         in a log alone: the result could not be logged
    └── OutputSchemaError         UNSUPPORTED_SCHEMA
    RegistrationError             also a ValueError: a definition, name, scope or restriction is wrong
    PromptError                   an assembly that cannot be made

``ToolError`` and its subclasses become results (`ToolExecutionResult.error`), never exceptions of
``ToolRegistry.execute``. A tool raises :class:`ToolError` (or any exception) to fail its call.
"""

from collections.abc import Sequence


class ToolError(Exception):
    """A failed call: the text is what the model reads, ``code`` what programs test."""

    code: str = "TOOL_FAILED"

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        if code is not None:
            self.code = code


class ToolNotFoundError(ToolError):
    """The caller sees no tool of this name."""

    code = "UNKNOWN_TOOL"


class ToolArgsError(ToolError):
    """The arguments break the tool's schema; ``violations`` has every fault, each with its path."""

    code = "INVALID_ARGS"

    def __init__(self, violations: Sequence[str]) -> None:
        super().__init__(f"invalid arguments: {'; '.join(violations)}")
        self.violations = tuple(violations)


class ToolOutputError(ToolError):
    """What the tool gave cannot be passed on."""

    code = "INVALID_TOOL_OUTPUT"


class ToolDeniedError(ToolError):
    """The call may not run."""

    code = "DENIED"


class ApprovalExpiredError(ToolDeniedError):
    """A person had to allow the call, and nobody answered in time."""

    code = "APPROVAL_EXPIRED"


class ToolBlockedError(ToolError):
    """The tool ran; a post-execute listener replaced its result by feedback."""

    code = "BLOCKED"


class ToolAbortedError(ToolError):
    """The call's signal fired."""

    code = "ABORTED"


class ToolTimeoutError(ToolError):
    """The tool's own ``timeout_ms`` ran out."""

    code = "TOOL_TIMEOUT"


class CodeRunFailedError(ToolError):
    """A program failed; ``kind`` is its ``RunFailure.kind``."""

    code = "CODE_RUN_FAILED"

    def __init__(self, message: str, *, kind: str) -> None:
        super().__init__(message)
        self.kind = kind


class ListenerError(ToolError):
    """A listener of the pipeline raised, or broke its protocol; the text names it."""

    code = "LISTENER_FAILED"


class LogFailedError(ToolError):
    """In a log alone: the end of a call whose result the log could not take."""

    code = "LOG_FAILED"


class OutputSchemaError(ToolError):
    """A schema outside the subset for structured output; ``violations`` has every fault."""

    code = "UNSUPPORTED_SCHEMA"

    def __init__(self, violations: Sequence[str]) -> None:
        super().__init__(f"unsupported output schema: {'; '.join(violations)}")
        self.violations = tuple(violations)


class RegistrationError(ValueError):
    """A registration that cannot be made as it is; the message says what to change."""


class PromptError(Exception):
    """A prompt assembly that cannot be made; the message says what to change."""
