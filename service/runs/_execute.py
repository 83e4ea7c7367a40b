"""One run through the registry: a scope of its own, its limits, its log, its approver."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from ...registry import RUN_CODE_NAME, ExecContext, ToolExecution, ToolRegistry, ToolScope
from ...registry.log import LogEntry as SessionEntry
from ...runtime import JsonValue, Limits, LogEntry, RunResult
from ._approvals import ApprovalDesk
from ._live import LiveRun
from ._log import RunLog
from ._outcome import Outcome, outcome_of
from ._redact import Redaction

LogObserver = Callable[[str, SessionEntry], None]
"""Hears the id of a run and each entry of its session log."""


class Executor:
    """Carries runs out."""

    def __init__(
        self,
        registry: ToolRegistry,
        redaction: Redaction,
        approvals: ApprovalDesk,
        observer: LogObserver | None,
    ) -> None:
        self._observer = observer
        self._registry = registry
        self._redaction = redaction
        self._approvals = approvals

    async def execute(
        self, run: LiveRun, parent: ToolScope, limits: Limits, approval_ms: float
    ) -> Outcome:
        """Runs it to its end, below the scope of its token."""
        raw: list[RunResult] = []
        mode = replace(
            self._registry.code_mode, limits=limits, approval_ms=approval_ms, seed=run.new.seed
        )
        observer = None if self._observer is None else partial(self._observer, run.id)
        decided = partial(self._approvals.decided, run)
        log = RunLog(run.journal, self._redaction, decided, observer)
        approver = self._approvals.approver(run, parent, approval_ms)
        with parent.scope(run.id, approver=approver, log=log, code_mode=mode) as scope:

            def on_log(exec: ExecContext, entry: LogEntry) -> None:
                members: dict[str, JsonValue] = {
                    "source": entry.source,
                    "level": entry.level,
                    "text": entry.text,
                }
                run.journal.add("log", members)

            scope.on_run_log(on_log)
            scope.on_run_end(lambda exec, result: raw.append(result))
            result = await self._registry.execute(self._execution(run, scope))
        return outcome_of(result, raw[0] if raw else None, is_program=run.new.is_program)

    def _execution(self, run: LiveRun, scope: ToolScope) -> ToolExecution:
        new = run.new
        name, arguments = new.tool, new.arguments
        if new.is_program:
            name, arguments = RUN_CODE_NAME, {"code": new.program}
            if new.description is not None:
                arguments["description"] = new.description
        return ToolExecution(
            call_id=run.id,
            name=name,
            arguments=arguments,
            scope=scope,
            signal=run.controller.signal,
        )
