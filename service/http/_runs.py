"""``/v1/runs``: begin, list, read, follow, abort."""

from typing import Annotated

import anyio
from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import Response
from starlette.responses import StreamingResponse

from ..runs import Caller, LiveRun, NewRun, NotFoundError, RequestError, RunService
from ..store import RunRecord, RunState
from ._documents import (
    event_id,
    numbered_event,
    parse_event_id,
    run_document,
    summary_document,
)
from ._guard import caller_of
from ._metrics import Metrics
from ._models import EventList, Run, RunList
from ._preferences import Preferences, wants_events
from ._responses import ERRORS, STREAM, json_response
from ._sse import run_changes, run_events
from ._streams import Streams

Key = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=255,
        description="A request that is sent again with the same key gives the run of the first.",
    ),
]
LastEvent = Annotated[
    str | None,
    Header(alias="Last-Event-ID", description="Goes on with a stream behind this event."),
]
Prefer = Annotated[
    str | None,
    Header(description="respond-async: answer at once; wait=10: after ten seconds at the latest."),
]
Limit = Annotated[int, Query(ge=1, le=200)]
Cursor = Annotated[str | None, Query(max_length=64)]

LINKS = {
    name: {"operationId": name, "parameters": {"run_id": "$response.body#/id"}}
    for name in ("readRun", "readRunEvents", "abortRun")
}


def router_of(service: RunService, streams: Streams, metrics: Metrics) -> APIRouter:
    """The endpoints."""
    router = APIRouter(prefix="/v1/runs", tags=["runs"])

    @router.post(
        "",
        response_model=Run,
        summary="Run a program",
        operation_id="createRun",
        responses={
            **ERRORS,
            200: {**STREAM[200], "links": LINKS},
            202: {"model": Run, "description": "Accepted; it goes on", "links": LINKS},
        },
    )
    async def create(  # pyright: ignore[reportUnusedFunction]
        request: Request,
        new: NewRun,
        key: Key = None,
        last: LastEvent = None,
        prefer: Prefer = None,
    ) -> Response:
        """Runs a program, or calls one tool, and gives what came of it; or streams what happens, for
        ``Accept: text/event-stream``. The run goes on when the client goes away."""
        caller = caller_of(request)
        resumed = parse_event_id(last)
        if resumed is not None:  # sent again by a client that lost its stream: never a second run
            service.must(caller, "run")
            record = await service.get(caller, resumed[0])
            return streams.response(caller, run_events(service, caller, record.id, resumed[1]))
        try:
            begun = await service.submit(caller, new, key)
        except RequestError as error:
            metrics.refused.labels(error.code).inc()
            raise
        where = {"Location": f"/v1/runs/{begun.id}"}
        if wants_events(request.headers.get("accept")):
            source = run_events(service, caller, begun.id, -1)
            return streams.response(caller, source, where)
        if isinstance(begun, LiveRun):
            wait_s = Preferences.parse(prefer).wait_s
            if wait_s > 0:
                with streams.waiting(caller):
                    await _wait(request, begun, wait_s)
        text, is_over = await _current(service, caller, begun)
        return json_response(text, 200 if is_over else 202, where)

    @router.get("", response_model=RunList, summary="List runs", responses={**STREAM, **ERRORS})
    async def index(  # pyright: ignore[reportUnusedFunction]
        request: Request, limit: Limit = 50, before: Cursor = None, state: RunState | None = None
    ) -> Response:
        """The runs of this token, the newest first; or a stream that tells of each that changes, for
        ``Accept: text/event-stream``."""
        caller = caller_of(request)
        service.must(caller, "read")
        if wants_events(request.headers.get("accept")):
            return streams.response(caller, run_changes(service, caller))
        runs = await service.store.runs(caller.owner, limit=limit, before=before, state=state)
        further = f'"{runs[-1].id}"' if len(runs) == limit else "null"
        listed = ",".join(summary_document(run) for run in runs)
        return json_response(f'{{"runs":[{listed}],"next":{further}}}')

    @router.get(
        "/{run_id}",
        response_model=Run,
        summary="Read a run",
        operation_id="readRun",
        responses={**STREAM, **ERRORS},
    )
    async def read(request: Request, run_id: str, last: LastEvent = None) -> Response:  # pyright: ignore[reportUnusedFunction]
        """A run as it is now; or the stream of its events, for ``Accept: text/event-stream``."""
        caller = caller_of(request)
        service.must(caller, "read")
        record = await service.get(caller, run_id)
        if wants_events(request.headers.get("accept")):
            return _stream(caller, record.id, last)
        return json_response(await _document(service, record))

    @router.get(
        "/{run_id}/events",
        response_model=EventList,
        summary="Read a run's events",
        operation_id="readRunEvents",
        responses={**STREAM, **ERRORS},
    )
    async def events(  # pyright: ignore[reportUnusedFunction]
        request: Request,
        run_id: str,
        limit: Limit = 100,
        after: Cursor = None,
        last: LastEvent = None,
    ) -> Response:
        """What happened in a run, in order; or the same as a stream that follows it."""
        caller = caller_of(request)
        service.must(caller, "read")
        record = await service.get(caller, run_id)
        if wants_events(request.headers.get("accept")):
            return _stream(caller, record.id, last)
        found = await service.store.events(run_id, after=_after(run_id, after), limit=limit)
        texts = [numbered_event(each, record if each.kind == "result" else None) for each in found]
        further = f'"{event_id(found[-1])}"' if len(found) == limit else "null"
        return json_response(f'{{"events":[{",".join(texts)}],"next":{further}}}')

    @router.delete(
        "/{run_id}",
        response_model=Run,
        summary="Abort a run",
        operation_id="abortRun",
        responses=ERRORS,
    )
    async def abort(request: Request, run_id: str) -> Response:  # pyright: ignore[reportUnusedFunction]
        """Ends a run, and gives it as it is then. One that has ended stays as it is."""
        caller = caller_of(request)
        service.must(caller, "run")
        return json_response(await _document(service, await service.abort(caller, run_id)))

    def _stream(caller: Caller, run_id: str, last: str | None) -> StreamingResponse:
        return streams.response(caller, run_events(service, caller, run_id, _after(run_id, last)))

    return router


async def _wait(request: Request, run: LiveRun, seconds: float) -> None:
    """Waits for the end of a run, for as long as its client does."""

    async def watch() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        tasks.cancel_scope.cancel()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(watch)
        with anyio.move_on_after(seconds):
            await run.ended.wait()
        tasks.cancel_scope.cancel()


def _after(run_id: str, event: str | None) -> int:
    """The number that an event's id has in this run."""
    if event is None:
        return -1
    parsed = parse_event_id(event)
    if parsed is None or parsed[0] != run_id:
        raise NotFoundError("the event is none of this run's: give the id of one of its events")
    return parsed[1]


async def _current(
    service: RunService, caller: Caller, begun: LiveRun | RunRecord
) -> tuple[str, bool]:
    if isinstance(begun, LiveRun):
        if begun.refusal is not None:
            raise begun.refusal
        if begun.final is not None and begun.ended.is_set():
            return run_document(begun.final, begun.journal.logs), True
        return run_document(begun.record, begun.journal.logs), False
    return await _document(service, begun), begun.state != "running"


async def _document(service: RunService, record: RunRecord) -> str:
    logs: list[str] = []
    after = -1
    while True:
        page = await service.store.events(record.id, after=after, kind="log")
        logs += [event.data for event in page]
        if len(page) < 1_000:
            return run_document(record, logs)
        after = page[-1].seq
