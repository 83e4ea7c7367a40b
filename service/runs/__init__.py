"""The runs of a service: who may ask for what, and what becomes of it. HTTP is one way to ask.

::

    async with open_store("runs.sqlite") as store, open_service(registry, store) as service:
        run = await service.submit(caller, NewRun(program="return 1"))
"""

from ._callers import NOBODY_IN_PARTICULAR, Callers
from ._execute import LogObserver
from ._live import LiveRun
from ._service import RunService, ServiceOptions, open_service
from .errors import (
    BusyError,
    ClosingError,
    ConflictError,
    ForbiddenError,
    IdempotencyError,
    InvalidRunError,
    NotFoundError,
    RequestError,
)
from .grants import PERMISSIONS, Caller, Grants, NewRun, Permission, RunLimits, Wire

__all__ = [
    "NOBODY_IN_PARTICULAR",
    "PERMISSIONS",
    "BusyError",
    "Caller",
    "Callers",
    "ClosingError",
    "ConflictError",
    "ForbiddenError",
    "Grants",
    "IdempotencyError",
    "InvalidRunError",
    "LiveRun",
    "LogObserver",
    "NewRun",
    "NotFoundError",
    "Permission",
    "RequestError",
    "RunLimits",
    "RunService",
    "ServiceOptions",
    "Wire",
    "open_service",
]
