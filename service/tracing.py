"""OpenTelemetry spans of runs: run → sub-call → stage.

::

    trace_calls(registry)  # spans go to the process's tracer provider

A call's span is the child of the span of the call that it is made from, by id and not by what happens to be
current: so it is under overlap too. The body runs with its ``execute`` span as the current one, so what it does
with instrumented libraries is below that. No span has arguments, results or program text.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

from opentelemetry import context, propagate, trace
from opentelemetry.trace import Span, Status, StatusCode, Tracer, set_span_in_context
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from ..registry import (
    RUN_CODE_NAME,
    ExecContext,
    Next,
    NextExecute,
    PostToolDecision,
    PreToolDecision,
    ToolExecutionResult,
    ToolScope,
)
from ..registry.log import ApprovalAskedEntry, ApprovalDecidedEntry
from ..registry.types import NextPost

T = TypeVar("T")
NAME: Final = "codemode"


def trace_calls(scope: ToolScope, tracer: Tracer | None = None) -> "CallTracing":
    """Makes spans of every call of the scope (mostly the registry itself)."""
    tracing = CallTracing(tracer or trace.get_tracer(NAME))
    scope.on_pre_execute(tracing.pre_execute, name="tracing", prepend=True)
    scope.on_execute(tracing.execute, name="tracing", prepend=True)
    scope.on_post_execute(tracing.post_execute, name="tracing", prepend=True)
    scope.on_result(tracing.ended, name="tracing")
    return tracing


class CallTracing:
    """The spans of the calls in progress."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer
        self._runs: dict[str, dict[str, Span]] = {}  # of each outermost call, by call
        self._questions: dict[str, Span] = {}

    def _span(self, exec: ExecContext) -> Span:
        """The call's own span, begun when it is first asked for."""
        spans = self._runs.setdefault(exec.root_call_id, {})
        span = spans.get(exec.call_id)
        if span is None:
            parent = None if exec.parent is None else spans.get(exec.parent.call_id)
            is_run = exec.name == RUN_CODE_NAME
            span = spans[exec.call_id] = self._tracer.start_span(
                "codemode.run" if is_run else f"codemode.call {exec.name}"[:100],
                context=None if parent is None else set_span_in_context(parent),
                attributes={
                    "codemode.run.id": exec.root_call_id,
                    "codemode.call.id": exec.call_id,
                    "codemode.tool": exec.name[:200],
                },
            )
        return span

    async def _stage(self, exec: ExecContext, name: str, work: Callable[[], Awaitable[T]]) -> T:
        around = set_span_in_context(self._span(exec))
        with self._tracer.start_as_current_span(
            name, context=around, record_exception=False, set_status_on_exception=False
        ):
            return await work()

    async def pre_execute(self, exec: ExecContext, next: Next) -> PreToolDecision:
        """A listener."""
        return await self._stage(exec, "pre-execute", next)

    async def execute(self, exec: ExecContext, next: NextExecute) -> ToolExecutionResult:
        """A listener."""
        return await self._stage(exec, "execute", next)

    async def post_execute(
        self, exec: ExecContext, result: ToolExecutionResult, next: NextPost
    ) -> PostToolDecision:
        """A listener."""
        return await self._stage(exec, "post-execute", next)

    def ended(self, exec: ExecContext, result: ToolExecutionResult) -> None:
        """An observer of results. With the outermost call, what it left running ends too."""
        spans = self._runs.get(exec.root_call_id, {})
        _end(spans.pop(exec.call_id, None), None if result.error is None else result.error.code)
        if exec.parent is None:
            for span in spans.values():
                _end(span, "LEFT_RUNNING")
            self._runs.pop(exec.root_call_id, None)

    def logged(self, root_call_id: str, entry: Any) -> None:
        """Makes spans of questions to people, from a session log's entries."""
        if isinstance(entry, ApprovalAskedEntry):
            call = self._runs.get(root_call_id, {}).get(entry.call_id)
            if call is not None:
                self._questions[entry.question_id] = self._tracer.start_span(
                    "approval", context=set_span_in_context(call)
                )
        elif isinstance(entry, ApprovalDecidedEntry):
            span = self._questions.pop(entry.question_id, None)
            if span is not None:
                span.set_attribute("codemode.outcome", entry.outcome)
                span.end()


def _end(span: Span | None, code: str | None) -> None:
    if span is not None:
        if code is not None:
            span.set_attribute("error.type", code)
            span.set_status(Status(StatusCode.ERROR))
        span.end()


class RemoteParent:
    """ASGI: makes the span that a request names (``traceparent``) the parent of the run that it begins."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        token = context.attach(propagate.extract(dict(Headers(scope=scope))))
        try:
            await self._app(scope, receive, send)
        finally:
            context.detach(token)
