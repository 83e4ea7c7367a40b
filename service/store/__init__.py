"""The run store: runs, what happened in them, questions to people, and tokens, in SQLite or PostgreSQL.

::

    async with open_store("runs.sqlite") as store:
        await store.accept(run)

One service at a time has a store. What is durable survives the end of the process, however it ends.
"""

from ._database import default_store
from ._ids import new_id
from ._store import Store, now_ms, open_store
from ._writer import Write
from .errors import StoreError, StoreInUseError, StoreUnavailableError, StoreVersionError
from .records import (
    APPROVAL_STATES,
    RUN_STATES,
    ApprovalRecord,
    ApprovalState,
    EventKind,
    EventRecord,
    RunRecord,
    RunState,
    RunSummary,
    TokenRecord,
)
from .tokens import TokenBook, hash_token, open_tokens

__all__ = [
    "APPROVAL_STATES",
    "RUN_STATES",
    "ApprovalRecord",
    "ApprovalState",
    "EventKind",
    "EventRecord",
    "RunRecord",
    "RunState",
    "RunSummary",
    "Store",
    "StoreError",
    "StoreInUseError",
    "StoreUnavailableError",
    "StoreVersionError",
    "TokenBook",
    "TokenRecord",
    "Write",
    "default_store",
    "hash_token",
    "new_id",
    "now_ms",
    "open_store",
    "open_tokens",
]
