"""Runs that outlive a request, for clients to which a server cannot send requests of its own.

From 2026-07-28 on a server asks its client by ending the request with what it needs; the client repeats the
request with the answers (SEP-2322). A run cannot be begun again: it is held while the client asks its
user, and the repeated request goes on with it. The state by which a client names its run cannot be guessed.
"""

import secrets
from collections.abc import Awaitable, Callable
from typing import Any, Final

import anyio
import mcp_types as types
from anyio.abc import TaskGroup
from mcp.server.context import ServerRequestContext

from ...registry import ApprovalOutcome, ApprovalQuestion
from ._questions import form_of, outcome_of

HELD_SECONDS = 300.0
"""How long a question may wait for the client to come back."""
MOST_HELD = 100
"""Runs that wait for answers, together: well below the sandboxes that a runtime has."""

Context = ServerRequestContext[Any, Any]
Work = Callable[["HeldRun"], Awaitable[types.CallToolResult]]


class HeldRun:
    """One run. ``context`` is the request that waits for it now, None between two."""

    def __init__(self, context: Context, request: str) -> None:
        self.context: Context | None = context
        self.request: Final = request  # what was asked for: a state goes on with nothing else
        self.scope = anyio.CancelScope()
        self._question: ApprovalQuestion | None = None
        self._outcome: ApprovalOutcome | None = None
        self._result: types.CallToolResult | None = None
        self._changed = anyio.Event()

    def _change(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()

    async def approve(self, question: ApprovalQuestion) -> ApprovalOutcome:
        """An approver: the question goes out with the end of the request that waits."""
        self._question, self._outcome = question, None
        self._change()
        with anyio.move_on_after(HELD_SECONDS):
            while self._outcome is None:
                await self._changed.wait()
        self._question = None
        return self._outcome or "unavailable"

    def answer(self, responses: types.InputResponses | None) -> None:
        """What the client's user said, with the repeated request."""
        if self._question is not None and self._outcome is None:
            given = (responses or {}).get(self._question.question_id)
            self._outcome = outcome_of(given)
            self._change()

    async def settle(self, work: Work) -> None:
        """Runs the work to its end."""
        with self.scope:
            self._result = await work(self)
        self._result = self._result or types.CallToolResult(
            content=[types.TextContent(text="the call was cancelled")], is_error=True
        )
        self._change()

    async def question_or_result(
        self, state: str
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Waits for the next thing that the client must hear."""
        while self._result is None:
            if self._question is not None and self._outcome is None:
                request = types.ElicitRequest(params=form_of(self._question))
                return types.InputRequiredResult(
                    input_requests={self._question.question_id: request}, request_state=state
                )
            await self._changed.wait()
        return self._result


class HeldRuns:
    """The runs of one server, as tasks of its own life."""

    def __init__(self, tasks: TaskGroup) -> None:
        self._tasks = tasks
        self._runs: dict[str, HeldRun] = {}

    async def begin(
        self, context: Context, request: str, work: Work
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Starts a run and waits for its first question or its result. ``request`` is what was asked for."""
        if sum(run.context is None for run in self._runs.values()) >= MOST_HELD:
            text = f"{MOST_HELD} runs wait for answers: try again later"
            return types.CallToolResult(content=[types.TextContent(text=text)], is_error=True)
        state, run = secrets.token_urlsafe(32), HeldRun(context, request)
        self._runs[state] = run
        self._tasks.start_soon(self._keep, state, run, work)
        return await self._wait(state, run)

    async def go_on(
        self, context: Context, request: str, state: str, responses: types.InputResponses | None
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Answers the question of a held run and waits for what comes next."""
        run = self._runs.get(state)
        if run is None or run.request != request:
            text = (
                "there is no such run: it has ended, or its question was left unanswered too long"
            )
            return types.CallToolResult(content=[types.TextContent(text=text)], is_error=True)
        run.context = context
        run.answer(responses)
        return await self._wait(state, run)

    async def _wait(
        self, state: str, run: HeldRun
    ) -> types.CallToolResult | types.InputRequiredResult:
        try:
            return await run.question_or_result(state)
        except anyio.get_cancelled_exc_class():
            run.scope.cancel()  # the client gave the call up, not only this request
            raise
        finally:
            run.context = None

    async def _keep(self, state: str, run: HeldRun, work: Work) -> None:
        try:
            await run.settle(work)
        finally:
            self._runs.pop(state, None)
