"""Numbers of the service, in Prometheus' form. No label names a token, an owner or a program."""

from typing import Final

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)

from ...registry import ExecContext, ToolExecutionResult
from ..runs import LiveRun, RunService
from ._streams import Streams

_SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 600)


class Metrics:
    """Counts from the moment it is made."""

    media_type: Final = CONTENT_TYPE_LATEST

    def __init__(self, service: RunService, streams: Streams) -> None:
        numbers = self._numbers = CollectorRegistry()
        self._ended = Counter(
            "codemode_runs", "Runs that have ended.", ["state", "kind"], registry=numbers
        )
        self._seconds = Histogram(
            "codemode_run_seconds",
            "From acceptance to the end.",
            buckets=_SECONDS,
            registry=numbers,
        )
        self._calls = Counter(
            "codemode_sub_calls", "Calls of programs.", ["outcome"], registry=numbers
        )
        self.refused = Counter(
            "codemode_refused_runs", "Runs that were not accepted.", ["code"], registry=numbers
        )
        for name, text, read in (
            ("codemode_live_runs", "Runs in progress.", lambda: service.live),
            ("codemode_pending_approvals", "Open questions.", lambda: service.approvals.pending),
            ("codemode_streams", "Open streams.", lambda: streams.open),
        ):
            Gauge(name, text, registry=numbers).set_function(read)
        service.watch(self._run)
        service.registry.on_result(self._call, name="metrics")

    def _run(self, run: LiveRun) -> None:
        final = run.final
        if final is not None and run.ended.is_set() and final.ended_ms is not None:
            self._ended.labels(final.state, final.error_kind or "").inc()
            self._seconds.observe((final.ended_ms - final.created_ms) / 1000)

    def _call(self, exec: ExecContext, result: ToolExecutionResult) -> None:
        if exec.parent is not None:
            code = "ok" if result.error is None else result.error.code
            self._calls.labels(code if code in _KNOWN else "other").inc()

    def text(self) -> bytes:
        """All of it."""
        return generate_latest(self._numbers)


_KNOWN: Final = frozenset(
    (
        "ok", "UNKNOWN_TOOL", "INVALID_ARGS", "INVALID_TOOL_OUTPUT", "DENIED", "APPROVAL_EXPIRED",
        "BLOCKED", "ABORTED", "ABORTED_BEFORE_DISPATCH", "TOOL_TIMEOUT", "TOOL_FAILED",
        "LISTENER_FAILED",
    )
)  # fmt: skip
"""Codes that are labels of their own; tools may make up any number of others."""
