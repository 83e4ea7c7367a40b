"""The runs of a service: admitted, kept, carried out, watched, aborted.

What holds:

- a run that is accepted is in the store before its caller hears of it, and a call of a program is there
  before its tool's body begins;
- no run waits for admission: one that cannot begin now is refused;
- a run goes on when its caller goes away; it ends by itself, by a limit, by an abort, or with the service;
- nothing that a run does raises out of its task.
"""

import asyncio
import hashlib
import logging
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

import anyio
from anyio.abc import TaskGroup

from ...registry import ToolRegistry, ToolScope
from ...registry.json_text import compact_text
from ...runtime import Limits
from ..store import RunRecord, Store, StoreError, new_id, now_ms
from ._approvals import ApprovalDesk
from ._callers import Callers
from ._execute import Executor, LogObserver
from ._live import LiveRun
from ._outcome import Outcome, failed
from ._redact import Redaction
from ._scopes import TokenScopes
from .errors import (
    BusyError,
    ClosingError,
    ForbiddenError,
    IdempotencyError,
    InvalidRunError,
    NotFoundError,
)
from .grants import Caller, NewRun, Permission, limits_for

_log = logging.getLogger("codemode.service")
Mode = Literal["code", "native"]
LONGEST_TITLE: Final = 120  # characters
HOUSE_S: Final = 1.0
"""Seconds from one round of housekeeping to the next."""
PRUNE_S: Final = 30.0
STUBBORN_S: Final = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceOptions:
    """How a service runs.

    ``max_runs`` bounds the runs in progress, ``max_runs_per_token`` those of one token that has no bound of
    its own. Ended runs are kept for ``keep_ms``, and the newest ``keep_bytes`` of them; None keeps all.
    ``redact`` names arguments that are kept and shown nowhere. ``observe_log`` hears the entries of each run's
    session log, with the run's id.
    """

    max_runs: int = 128
    max_runs_per_token: int = 64
    keep_ms: float | None = None
    keep_bytes: int | None = None
    limits: Limits = field(default_factory=Limits)
    redact: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    observe_log: LogObserver | None = None


class RunService:
    """Make it with :func:`open_service`; use it on one event loop."""

    def __init__(
        self, registry: ToolRegistry, store: Store, options: ServiceOptions, tasks: TaskGroup
    ) -> None:
        self.registry: Final = registry
        self.store: Final = store
        self.options: Final = options
        self.callers: Final = Callers(store)
        self._redaction = Redaction(options.redact)
        self.approvals: Final = ApprovalDesk(store, self._redaction, self._tell)
        self._executor = Executor(registry, self._redaction, self.approvals, options.observe_log)
        self._tasks = tasks
        self._scopes = TokenScopes(registry)
        self._live: dict[str, LiveRun] = {}
        self._by_key: dict[tuple[str, str], LiveRun] = {}
        self._watchers: dict[object, Callable[[LiveRun], None]] = {}
        self._is_idle = anyio.Event()
        self._prune_at = 0.0
        self.is_draining = False

    # --- what callers ask

    @property
    def live(self) -> int:
        """How many runs are in progress."""
        return len(self._live)

    def modes(self, caller: Caller) -> frozenset[Mode]:
        """How a caller may run tools."""
        both: frozenset[Mode] = frozenset(("code", "native"))
        registry = self.registry.mode
        here = both if registry == "both" else both & {registry}
        granted = caller.grants.mode
        return here if granted in (None, "both") else here & {granted}

    def scope(self, caller: Caller) -> ToolScope:
        """The tools that a caller sees."""
        return self._scopes.of(caller)

    def must(self, caller: Caller, permission: Permission) -> None:
        """Raises ForbiddenError unless the caller's token has the permission."""
        if permission not in caller.grants.may:
            raise ForbiddenError(f'this token may not "{permission}"')

    async def submit(
        self, caller: Caller, new: NewRun, key: str | None = None
    ) -> LiveRun | RunRecord:
        """Accepts a run and begins it; or gives the run that was accepted under the same key.

        A run that is accepted goes on, also if the caller's task is cancelled.

        Raises:
            RequestError: it is refused.
            StoreUnavailableError: it cannot be kept, and does not run.
        """
        self.must(caller, "run")
        key_hash: str | None = None
        asked: dict[str, Any] = new.model_dump(exclude_unset=True, exclude_none=True)
        if not new.is_program:
            asked["arguments"] = new.arguments
        request = compact_text(asked)
        request_hash = hashlib.sha256(request.encode()).hexdigest()
        if key is not None:
            key_hash = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
            known = self._by_key.get((caller.owner, key_hash))
            if known is not None:
                return self._begun(known, await known.wait_accepted(), request_hash)
        if not new.is_program:
            asked["arguments"] = self._redaction.of(new.tool, new.arguments)
            request = compact_text(asked)
        run = self._admit(caller, new, request, request_hash, key_hash)
        return self._begun(run, await run.wait_accepted(), request_hash)

    def _begun(
        self, run: LiveRun, existing: RunRecord | None, request_hash: str
    ) -> LiveRun | RunRecord:
        """The run that answers a request: the one that was begun, or the one that has its key."""
        record = existing or run.record
        if record.request_hash != request_hash:
            raise IdempotencyError(
                "the idempotency key belongs to another request: use a new key for each request"
            )
        return run if existing is None else self.find(existing.id) or existing

    def find(self, run_id: str) -> LiveRun | None:
        """The run, if it is in progress."""
        return self._live.get(run_id)

    async def get(self, caller: Caller, run_id: str) -> RunRecord:
        """A run of this caller's owner.

        Raises:
            NotFoundError: there is none.
        """
        record = await self.store.run(run_id)
        if record is None or record.owner != caller.owner:
            raise NotFoundError("there is no such run")
        return record

    async def abort(self, caller: Caller, run_id: str) -> RunRecord:
        """Ends a run, and gives it as it is then. One that has ended stays as it is.

        Raises:
            NotFoundError: there is none.
        """
        live = self._live.get(run_id)
        if live is not None and live.owner == caller.owner:
            live.controller.abort(f'aborted by "{caller.name}"')
            await live.ended.wait()
        return await self.get(caller, run_id)

    def watch(self, listener: Callable[[LiveRun], None]) -> Callable[[], None]:
        """Calls ``listener`` when a run begins, asks, or ends; returns the way to undo it."""
        key = object()
        self._watchers[key] = listener
        return lambda: self._watchers.pop(key, None) and None

    # --- life

    async def drain(self, patience_s: float) -> None:
        """Takes no more runs, waits for those in progress, and aborts what is left after ``patience_s``. A
        tool's body that does not stop then is waited for a little, and left: ``live`` counts its run."""
        self.is_draining = True
        for run in list(self._live.values()):
            self._tell(run)  # who follows all runs may look again, and finds that the service ends
        with anyio.move_on_after(patience_s):
            await self._idle()
        for run in list(self._live.values()):
            run.controller.abort("the service ends")
        with anyio.move_on_after(STUBBORN_S):
            await self._idle()

    async def _idle(self) -> None:
        while self._live:
            await self._is_idle.wait()

    async def keep_house(self) -> None:
        """One round of what is to be done now and then: runs of tokens that were revoked are aborted, runs
        that are too old or too much are forgotten."""
        await self.callers.refresh()
        for run in list(self._live.values()):
            if not self.callers.is_valid(run.caller):
                run.controller.abort("the token of this run is not valid any more")
        if anyio.current_time() < self._prune_at:
            return
        self._prune_at = anyio.current_time() + PRUNE_S
        keep_ms, keep_bytes = self.options.keep_ms, self.options.keep_bytes
        before = None if keep_ms is None else round(now_ms() - keep_ms)
        while await self.store.prune(ended_before_ms=before, most_bytes=keep_bytes):
            pass

    # --- one run

    def _admit(
        self, caller: Caller, new: NewRun, request: str, request_hash: str, key: str | None
    ) -> LiveRun:
        if self.is_draining:
            raise ClosingError("the service ends and takes no more runs")
        mode: Mode = "code" if new.is_program else "native"
        if mode not in self.modes(caller):
            allowed = " or ".join(sorted(self.modes(caller))) or "none"
            raise ForbiddenError(f'this token may not run in the mode "{mode}" (it may: {allowed})')
        own = self.registry.code_mode
        base = own.limits or self.options.limits
        limits, approval_ms = limits_for(new.limits, caller.grants.limits, base, own.approval_ms)
        if len(new.program.encode("utf-8", "replace")) > limits.source_bytes:
            raise InvalidRunError(f"the program has more than {limits.source_bytes} bytes")
        self._must_have_room(caller)
        record = RunRecord(
            id=new_id("run"),
            owner=caller.owner,
            token=caller.token,
            state="running",
            error_kind=None,
            title=compact_text(_title(new)),
            created_ms=now_ms(),
            ended_ms=None,
            request=request,
            outcome=None,
            idempotency_key=key,
            request_hash=request_hash,
            stored_bytes=len(request),
        )
        run = LiveRun(self.store, record, caller, new)
        self._live[run.id] = run
        if key is not None:
            self._by_key[caller.owner, key] = run
        self._tasks.start_soon(self._carry, run, limits, approval_ms)
        return run

    def _must_have_room(self, caller: Caller) -> None:
        most = caller.grants.max_runs or self.options.max_runs_per_token
        mine = sum(run.caller.token == caller.token for run in self._live.values())
        if mine >= most:
            raise BusyError(f"this token has {mine} runs in progress, of {most} that it may have")
        if len(self._live) >= self.options.max_runs:
            raise BusyError("the service has as many runs in progress as it takes")

    async def _carry(self, run: LiveRun, limits: Limits, approval_ms: float) -> None:
        """The run's task, from acceptance to the end."""
        try:
            try:
                run.existing = await self.store.accept(run.record)
            except StoreError as error:
                run.refusal = error
            if run.refusal is not None or run.existing is not None:
                return
            run.accepted.set()
            self._tell(run)
            try:
                outcome = await self._executor.execute(
                    run, self._scopes.of(run.caller), limits, approval_ms
                )
            except Exception:  # noqa: BLE001  # the process and the other runs live on
                _log.exception("a run failed inside the service", extra={"run": run.id})
                outcome = failed("worker-exit", "the service failed to carry the run out")
            except asyncio.CancelledError:
                task = asyncio.current_task()
                if task is None or self._tasks.cancel_scope.cancel_called:
                    raise
                while task.uncancel():  # a tool has cancelled the task that it was called in
                    pass
                outcome = failed("worker-exit", "a tool cancelled the run that it was called from")
            await self._end(run, outcome)
        finally:
            self._live.pop(run.id, None)
            if run.record.idempotency_key is not None:
                self._by_key.pop((run.owner, run.record.idempotency_key), None)
            if run.refusal is None and not run.accepted.is_set() and run.existing is None:
                run.refusal = ClosingError("the service ends and takes no more runs")
            run.end()
            if run.final is not None:
                _log.info("run ended", extra=_told(run, run.final))
            if not self._live:
                self._is_idle.set()
                self._is_idle = anyio.Event()
            self._tell(run)

    async def _end(self, run: LiveRun, outcome: Outcome) -> None:
        """Keeps the end. When it cannot be kept the run stays as it is in the store, and the next service
        finds it interrupted; whoever waits is told."""
        run.final = replace(
            run.record,
            state=outcome.state,
            error_kind=outcome.error_kind,
            ended_ms=now_ms(),
            outcome=outcome.data,
            stored_bytes=len(run.record.request) + len(outcome.data) + run.journal.bytes,
        )
        try:
            run.journal.add("result", {"state": outcome.state})  # the rest is the run's own
            await self.store.end(run.final).wait()
            await run.journal.durable()
        except StoreError as error:
            run.refusal = error
            _log.error("the end of a run cannot be kept: %s", error, extra={"run": run.id})

    def _tell(self, run: LiveRun) -> None:
        for watcher in list(self._watchers.values()):
            try:
                watcher(run)
            except Exception:  # noqa: BLE001  # who looks on is no reason to end a run
                _log.exception("a watcher of runs failed", extra={"run": run.id})


def _told(run: LiveRun, final: RunRecord) -> dict[str, Any]:
    """What the log says of a run."""
    members = {"run": run.id, "token": run.caller.name, "state": final.state}
    if final.error_kind is not None:
        members["error"] = final.error_kind
    return {**members, "ms": (final.ended_ms or 0) - final.created_ms}


def _title(new: NewRun) -> str:
    """What a list shows of a run: what the caller says of it, the tool's name, or the first line of text."""
    if new.description or not new.is_program:
        return new.description or new.tool
    lines = (line.strip() for line in new.program.splitlines())
    return next((line[:LONGEST_TITLE] for line in lines if line), "(empty)")


@asynccontextmanager
async def open_service(
    registry: ToolRegistry, store: Store, options: ServiceOptions | None = None
) -> AsyncGenerator[RunService]:
    """A service over a registry and a store. Runs that an earlier service left are ended as interrupted;
    those in progress when the block ends are aborted and awaited."""
    interrupted = await store.recover()
    for run_id in interrupted:
        _log.warning(
            "a run was interrupted by the end of an earlier service", extra={"run": run_id}
        )
    raised: Exception | None = None
    async with anyio.create_task_group() as tasks:
        service = RunService(registry, store, options or ServiceOptions(), tasks)
        tasks.start_soon(_keep_house, service)
        try:
            yield service
        except Exception as error:  # noqa: BLE001  # raised below, out of the group
            raised = error
        finally:
            with anyio.CancelScope(shield=True):
                await service.drain(0)
            tasks.cancel_scope.cancel()
    if raised is not None:
        raise raised


async def _keep_house(service: RunService) -> None:
    while True:
        try:
            await service.keep_house()
        except StoreError as error:
            _log.error("the store cannot be looked after: %s", error)
        except Exception:  # noqa: BLE001  # the runs go on without it
            _log.exception("the store cannot be looked after")
        await anyio.sleep(HOUSE_S)
