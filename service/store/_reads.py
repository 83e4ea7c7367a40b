"""The queries. Each gives records; none changes anything."""

from dataclasses import fields
from typing import Any, TypeVar

from sqlalchemy import Connection, Select, select

from ._tables import approvals, events, runs, tokens
from .records import ApprovalRecord, EventRecord, RunRecord, RunSummary, TokenRecord

R = TypeVar("R", RunRecord, RunSummary, EventRecord, ApprovalRecord, TokenRecord)

_SUMMARY = [runs.c[field.name] for field in fields(RunSummary)]


def _all(connection: Connection, query: Select[Any], record: type[R]) -> list[R]:
    return [record(**row) for row in connection.execute(query).mappings()]


def _one(connection: Connection, query: Select[Any], record: type[R]) -> R | None:
    row = connection.execute(query).mappings().first()
    return None if row is None else record(**row)


def one_run(connection: Connection, run_id: str) -> RunRecord | None:
    return _one(connection, select(runs).where(runs.c.id == run_id), RunRecord)


def list_runs(
    connection: Connection, owner: str | None, limit: int, before: str | None, state: str | None
) -> list[RunSummary]:
    query = select(*_SUMMARY).order_by(runs.c.id.desc()).limit(limit)
    if owner is not None:
        query = query.where(runs.c.owner == owner)
    if before is not None:
        query = query.where(runs.c.id < before)
    if state is not None:
        query = query.where(runs.c.state == state)
    return _all(connection, query, RunSummary)


def list_events(
    connection: Connection, run_id: str, after: int, limit: int, kind: str | None
) -> list[EventRecord]:
    query = (
        select(events)
        .where(events.c.run_id == run_id, events.c.seq > after)
        .order_by(events.c.seq)
        .limit(limit)
    )
    if kind is not None:
        query = query.where(events.c.kind == kind)
    return _all(connection, query, EventRecord)


def one_approval(connection: Connection, approval_id: str) -> ApprovalRecord | None:
    return _one(connection, select(approvals).where(approvals.c.id == approval_id), ApprovalRecord)


def list_approvals(
    connection: Connection, owner: str | None, limit: int, state: str | None, before: str | None
) -> list[ApprovalRecord]:
    query = select(approvals).order_by(approvals.c.id.desc()).limit(limit)
    if owner is not None:
        query = query.where(approvals.c.owner == owner)
    if state is not None:
        query = query.where(approvals.c.state == state)
    if before is not None:
        query = query.where(approvals.c.id < before)
    return _all(connection, query, ApprovalRecord)


def read_tokens(connection: Connection) -> list[TokenRecord]:
    return _all(connection, select(tokens).order_by(tokens.c.id), TokenRecord)
