"""The exceptions of this package.

::

    CodeRuntimeError
    ├── InvalidRequestError    also a ValueError: the caller's request or limits are wrong
    ├── RuntimeClosedError     run() after aclose()
    └── RuntimeUnavailableError  the guest or its compiled form cannot be had; says what to do
    BindingError               raised *by* a binding, to reject its call with a message and a code

A program's own failure is never an exception: see ``RunResult.error``.
"""

from typing import Final

MOST_MESSAGE_CHARACTERS: Final = 4096


class CodeRuntimeError(Exception):
    """Base of what this package raises."""


class InvalidRequestError(CodeRuntimeError, ValueError):
    """A request or a limit that cannot be run as it is; the message says what to change."""


class RuntimeClosedError(CodeRuntimeError):
    """The runtime was closed before this run."""


class RuntimeUnavailableError(CodeRuntimeError):
    """The runtime cannot start here; the message says what to do."""


class BindingError(Exception):
    """Raised by a binding to reject its call.

    The program catches an error of the namespace's class with this ``message`` and, if given, ``code``.
    Any other exception rejects the call too, with its text as the message.
    """

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code


def describe(error: BaseException) -> str:
    """A short text for the program; never raises, whatever the exception does."""
    try:
        name = str.__str__(type(error).__name__)
        text = str.__str__(str(error))  # a plain str, also of a subclass
    except BaseException:  # noqa: BLE001  # the exception's own code may do anything
        try:
            return str.__str__(type(error).__name__)
        except BaseException:  # noqa: BLE001  # as above
            return "an exception without a text"
    if not text.strip():
        return name
    return text if len(text) <= MOST_MESSAGE_CHARACTERS else text[:MOST_MESSAGE_CHARACTERS] + "…"
