"""What can be wrong with a request to the service.

::

    RequestError               base; `code` is stable, `status` is HTTP's
    ├── InvalidRunError        INVALID_RUN         422  what is asked for cannot be run as it is
    ├── IdempotencyError       KEY_REUSED          409  the key was used for something else
    ├── ForbiddenError         FORBIDDEN           403  the token may not do this
    ├── NotFoundError          NOT_FOUND           404  there is none, or it is another owner's
    ├── ConflictError          ALREADY_DECIDED     409  it was decided before
    ├── BusyError              TOO_MANY_RUNS       429  admission is full: come again
    └── ClosingError           SHUTTING_DOWN       503  the service ends
"""


class RequestError(Exception):
    """A request that is refused; the message says what to change."""

    code: str = "REFUSED"
    status: int = 400
    retry_after_s: int | None = None


class InvalidRunError(RequestError):
    """What is asked for cannot be run as it is."""

    code = "INVALID_RUN"
    status = 422


class IdempotencyError(RequestError):
    """The idempotency key belongs to another request."""

    code = "KEY_REUSED"
    status = 409


class ForbiddenError(RequestError):
    """The token may not do this."""

    code = "FORBIDDEN"
    status = 403


class NotFoundError(RequestError):
    """There is no such thing for this caller."""

    code = "NOT_FOUND"
    status = 404


class ConflictError(RequestError):
    """It was decided before."""

    code = "ALREADY_DECIDED"
    status = 409


class BusyError(RequestError):
    """As many runs as may be at one time are in progress."""

    code = "TOO_MANY_RUNS"
    status = 429
    retry_after_s = 1


class ClosingError(RequestError):
    """The service takes no more runs: it ends."""

    code = "SHUTTING_DOWN"
    status = 503
    retry_after_s = 5
