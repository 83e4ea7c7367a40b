"""Runs, events and approvals as JSON text, put together from the texts that the store has.

What programs and tools gave is not parsed again: it may be megabytes, or nested deeper than a parser goes.
"""

import json
from collections.abc import Iterable

from ..store import ApprovalRecord, EventRecord, RunRecord, RunSummary


def _head(run: RunSummary) -> str:
    return f'{{"id":"{run.id}","state":"{run.state}","createdMs":{run.created_ms},"endedMs":{_or_null(run.ended_ms)}'


def _or_null(number: int | None) -> str:
    return "null" if number is None else str(number)


def run_document(run: RunRecord, logs: Iterable[str]) -> str:
    """A run: its head, what was asked for, what came of it, what it printed."""
    outcome = "" if run.outcome is None else f",{run.outcome[1:-1]}"
    return f'{_head(run)},{run.request[1:-1]}{outcome},"logs":[{",".join(logs)}]}}'


def summary_document(run: RunSummary) -> str:
    """A run in a list."""
    kind = json.dumps(run.error_kind)
    return f'{_head(run)},"errorKind":{kind},"title":{run.title}}}'


def event_document(event: EventRecord, run: RunRecord | None = None) -> str:
    """An event's data; the result's has what the run gave."""
    result = "" if run is None or run.outcome is None else f",{run.outcome[1:-1]}"
    return f'{{"atMs":{event.at_ms},{event.data[1:-1]}{result}}}'


def numbered_event(event: EventRecord, run: RunRecord | None = None) -> str:
    """An event in a list."""
    document = event_document(event, run)
    return f'{{"id":"{event_id(event)}","kind":"{event.kind}","data":{document}}}'


def approval_document(approval: ApprovalRecord) -> str:
    """A question to a person."""
    by = json.dumps(approval.decided_by)
    return (
        f'{{"run":"{approval.run_id}","state":"{approval.state}","askedMs":{approval.asked_ms},'
        f'"decidedMs":{_or_null(approval.decided_ms)},"decidedBy":{by},{approval.data[1:-1]}}}'
    )


def event_id(event: EventRecord) -> str:
    """What a client gives as ``Last-Event-ID``: it names the run too, so that a request that is sent again
    to go on with a stream goes on with that run."""
    return f"{event.run_id}-{event.seq}"


def parse_event_id(text: str | None) -> tuple[str, int] | None:
    """The run and the number that an event's id names."""
    run_id, dash, number = (text or "").rpartition("-")
    if not dash or not number.isascii() or not number.isdigit() or len(number) > 9:
        return None
    return run_id, int(number)
