"""Changes that look before they write. Each runs inside one of the writer's transactions."""

from typing import Final

from sqlalchemy import Connection, delete, func, insert, select, update

from ...registry.json_text import compact_text
from ._tables import approvals, events, runs
from .records import ApprovalState, EventRecord, RunRecord, row_of

PRUNED_AT_ONCE: Final = 200
"""Runs: others wait for the transaction to end."""
INTERRUPTED: Final = (
    "the service ended while this run was in progress; what it had logged and called until then is kept, "
    "and what it was doing then may have happened or not"
)


def claim(connection: Connection, run: RunRecord, start: EventRecord) -> RunRecord | None:
    """Keeps a run unless its idempotency key is taken; then gives the run that has it."""
    taken = (
        connection.execute(
            select(runs).where(
                runs.c.owner == run.owner, runs.c.idempotency_key == run.idempotency_key
            )
        )
        .mappings()
        .first()
    )
    if taken is not None:
        return RunRecord(**taken)
    connection.execute(insert(runs), [row_of(run)])
    connection.execute(insert(events), [row_of(start)])
    return None


def decide_approval(
    connection: Connection, approval_id: str, state: ApprovalState, by: str | None, at_ms: int
) -> bool:
    changed = connection.execute(
        update(approvals)
        .where(approvals.c.id == approval_id, approvals.c.state == "pending")
        .values(state=state, decided_by=by, decided_ms=at_ms)
    )
    return changed.rowcount == 1


def interrupt_running(connection: Connection, at_ms: int) -> list[str]:
    ids = list(connection.execute(select(runs.c.id).where(runs.c.state == "running")).scalars())
    outcome = compact_text({"error": {"kind": "worker-exit", "message": INTERRUPTED}})
    for run_id in ids:
        last = connection.execute(
            select(func.max(events.c.seq)).where(events.c.run_id == run_id)
        ).scalar()
        data = compact_text(
            {"state": "interrupted", "error": {"kind": "worker-exit", "message": INTERRUPTED}}
        )
        connection.execute(
            insert(events),
            [
                {
                    "run_id": run_id,
                    "seq": -1 if last is None else last + 1,
                    "at_ms": at_ms,
                    "kind": "result",
                    "data": data,
                }
            ],
        )
        connection.execute(
            update(runs)
            .where(runs.c.id == run_id)
            .values(state="interrupted", error_kind="worker-exit", ended_ms=at_ms, outcome=outcome)
        )
    connection.execute(
        update(approvals)
        .where(approvals.c.state == "pending")
        .values(state="cancelled", decided_ms=at_ms)
    )
    return ids


def prune(connection: Connection, ended_before_ms: int | None, most_bytes: int | None) -> int:
    ids: list[str] = []
    oldest = (
        select(runs.c.id, runs.c.stored_bytes)
        .where(runs.c.ended_ms.is_not(None))
        .order_by(runs.c.ended_ms)
        .limit(PRUNED_AT_ONCE)
    )
    if ended_before_ms is not None:
        ids += connection.execute(oldest.where(runs.c.ended_ms < ended_before_ms)).scalars()
    if not ids and most_bytes is not None:
        excess = (
            int(connection.execute(select(func.sum(runs.c.stored_bytes))).scalar() or 0)
            - most_bytes
        )
        for run_id, size in connection.execute(oldest) if excess > 0 else ():
            ids.append(run_id)
            excess -= size
            if excess <= 0:
                break
    if ids:
        for table in (events, approvals):
            connection.execute(delete(table).where(table.c.run_id.in_(ids)))
        connection.execute(delete(runs).where(runs.c.id.in_(ids)))
        if connection.dialect.name == "sqlite":
            connection.exec_driver_sql("PRAGMA incremental_vacuum(2000)").close()
    return len(ids)
