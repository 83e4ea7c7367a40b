"""Runs as streams of server-sent events."""

from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING

import anyio

from ..runs import Caller, LiveRun, RunService
from ._documents import event_document, event_id

if TYPE_CHECKING:
    from ..store import EventRecord

ALIVE_SECONDS = 15.0
"""How long a stream is silent before a comment shows that it lives."""
MOST_CHANGES = 1_000
"""Of which a reader that was slow is told one by one; when there were more it reads the list again."""


async def run_events(
    service: RunService, caller: Caller, run_id: str, after: int
) -> AsyncGenerator[str]:
    """The events of a run behind ``after``: those that were, then each as it comes, to the result. They are
    read from the store, so a reader that is slow holds nothing up and costs no memory."""
    yield ": stream of a run\n\n"
    while service.callers.is_valid(caller):
        live = service.find(run_id)
        events: list[EventRecord] | None = None
        with anyio.move_on_after(ALIVE_SECONDS):
            if live is None:
                events = await service.store.events(run_id, after=after)
            else:
                events = await live.events(after)
        if events is None:
            yield ": alive\n\n"
            continue
        for event in events:
            after = event.seq
            run = await service.store.run(run_id) if event.kind == "result" else None
            yield _frame(event.kind, event_document(event, run), event_id(event))
        if not events and live is None:
            return


async def run_changes(service: RunService, caller: Caller) -> AsyncGenerator[str]:
    """A ``run`` event for each run of the caller's owner that begins, asks, is answered or ends."""
    changed: dict[str, None] = {}
    news = anyio.Event()

    def note(run: LiveRun) -> None:
        if run.owner == caller.owner:
            if len(changed) <= MOST_CHANGES:
                changed[run.id] = None
            news.set()

    forget = service.watch(note)
    try:
        yield ": stream of runs\n\n"
        while service.callers.is_valid(caller) and not service.is_draining:
            with anyio.move_on_after(ALIVE_SECONDS):
                await news.wait()
            ids, news = list(changed), anyio.Event()
            changed.clear()
            if not ids:
                yield ": alive\n\n"
            elif len(ids) > MOST_CHANGES:
                yield _frame("many", "{}")
            for run_id in ids[:MOST_CHANGES]:
                yield _frame("run", f'{{"id":"{run_id}"}}')
    finally:
        forget()


_LINE_ENDS = {code: f"\\u{code:04x}" for code in (0x85, 0x2028, 0x2029)}
"""What some readers of streams take for the end of a line. In JSON they are in strings alone."""


def _frame(kind: str, data: str, number: str | None = None) -> str:
    if not data.isascii():
        data = data.translate(_LINE_ENDS)
    head = "" if number is None else f"id: {number}\n"
    return f"{head}event: {kind}\ndata: {data}\n\n"
