"""The timeout policy: a tool's ``timeout_ms``, kept by a ``tools/execute`` listener.

The deadline is the dispatch's alone: policy stages before and after it have their own time, and so does a
person who is asked a question meanwhile. Cooperative: at the deadline the body's signal fires and its
task is cancelled; a body that goes on is awaited, and its result replaced.
"""

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import anyio

from ...runtime import AbortController
from .._results import failure
from ..errors import ToolTimeoutError

if TYPE_CHECKING:
    from ..context import ExecContext
    from ..types import ExecuteListener, NextExecute, ToolExecutionResult


def timeout_policy(*, default_ms: float | None = None) -> "ExecuteListener":
    """A listener that ends a dispatch after the tool's ``timeout_ms``, as ``TOOL_TIMEOUT``.

    ``default_ms`` bounds tools that name none.
    """

    async def timeout(exec: "ExecContext", next: "NextExecute") -> "ToolExecutionResult":
        tool = exec.tool
        budget_ms = default_ms if tool is None or tool.timeout_ms is None else tool.timeout_ms
        if budget_ms is None:
            return await next()
        return await _Deadline(exec, budget_ms).run(next)

    return timeout


class _Deadline:
    def __init__(self, exec: "ExecContext", budget_ms: float) -> None:
        self._exec = exec
        self._budget_ms = budget_ms
        self._left = budget_ms / 1000
        self._waiting = 0
        self._moved = anyio.Event()
        self._resumed_at = anyio.current_time()
        self._controller = AbortController()
        self._work = anyio.CancelScope()
        self._has_passed = False

    def _pause(self) -> None:
        if self._waiting == 0:
            self._left -= anyio.current_time() - self._resumed_at
        self._waiting += 1
        self._moved.set()

    def _resume(self) -> None:
        self._waiting -= 1
        if self._waiting == 0:
            self._resumed_at = anyio.current_time()
        self._moved.set()

    async def _watch(self) -> None:
        while True:
            self._moved = anyio.Event()
            at = math.inf if self._waiting else self._resumed_at + self._left
            with anyio.CancelScope(deadline=at) as until:
                await self._moved.wait()
            if until.cancelled_caught:
                break
        if self._exec.signal.aborted:  # the caller's abort came first
            return
        self._has_passed = True
        result = self._timed_out()
        self._exec.settle_as(result)
        self._controller.abort("the tool's timeout has passed")
        self._work.cancel()

    def _timed_out(self) -> "ToolExecutionResult":
        text = f"tool call timed out after {self._budget_ms:g}ms"
        return failure(self._exec.call_id, text, ToolTimeoutError)

    async def run(self, next: "NextExecute") -> "ToolExecutionResult":
        before = self._exec.signal
        undo = before.add_listener(lambda: self._controller.abort(before.reason))
        forget = self._exec.add_clock(self._pause, self._resume)
        result: ToolExecutionResult | None = None
        raised: Exception | None = None
        self._exec.signal = self._controller.signal
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._watch)
                with self._work:
                    try:
                        result = await next()
                    except Exception as error:  # noqa: BLE001  # raised below, out of the group
                        raised = error
                tasks.cancel_scope.cancel()
        finally:
            if self._has_passed:  # whatever the body came to afterwards
                self._exec.settle_as(self._timed_out())
            self._exec.signal = before
            forget()
            undo()
        if self._has_passed:
            context = () if result is None else result.additional_context
            return replace(self._timed_out(), additional_context=context)
        if result is None:
            raise raised or AssertionError("a dispatch without an end")
        return result
