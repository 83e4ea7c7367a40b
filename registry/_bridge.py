"""One program's calls: the bridge from the runtime's bindings to the registry's pipeline.

What holds:

- a nested call is a call: it is resolved anew and runs through the same ``ToolRegistry.execute``, with the
  program's ``run_code`` call as its parent;
- calls begin in the order in which the program made them (``_lanes``), with ids ``<parent>:code:<n>``;
- when the run has settled, however it did, the run-scoped signal fires, calls that have not begun are
  abandoned, those in flight are cancelled and awaited, and nothing is logged afterwards.
"""

import asyncio
import logging
from functools import partial
from typing import TYPE_CHECKING

import anyio

from ..runtime import (
    AbortController,
    Binding,
    BindingError,
    BindingNamespace,
    CodeRuntimeError,
    JsonValue,
    LogEntry,
    RunRequest,
    WallPause,
)
from ..runtime.errors import describe
from ._lanes import Lanes, Ticket
from ._listening import Channel
from ._run_text import failure_text, result_text
from ._signals import contain, on_asyncio
from .content import ContentBlock, ImageBlock, content_text
from .discovery import Discovery
from .errors import CodeRunFailedError, ToolAbortedError
from .log import ApprovalDecidedEntry, CodeDispatchEntry
from .types import RUN_CODE_NAME, ToolErrorInfo, ToolExecution, ToolExecutionResult, ToolOutput

if TYPE_CHECKING:
    from ..runtime import CodeRuntime, RunResult
    from .code_mode import CodeMode
    from .context import ExecContext
    from .log import SessionLog
    from .registry import ToolRegistry

SETTLED = "run_code settled"
_log = logging.getLogger("codemode.registry")


class Bridge:
    """One run."""

    def __init__(
        self,
        registry: "ToolRegistry",
        runtime: "CodeRuntime",
        options: "CodeMode",
        exec: "ExecContext",
    ) -> None:
        self._registry = registry
        self._runtime = runtime
        self._options = options
        self._exec = exec
        self._controller = AbortController()
        self._pause = WallPause(options.approval_ms)
        self._lanes = Lanes(options.max_parallel_sub_calls)
        self._begun = 0
        self._in_flight: dict[str, tuple[Ticket, str, JsonValue]] = {}
        self._over = ""
        self._deferred_bytes = self._left_out = 0
        self._loop = asyncio.get_running_loop() if on_asyncio() else None
        self._tasks: set[asyncio.Task[None]] = set()  # the loop itself holds them weakly

    async def run(self, code: str) -> ToolOutput:
        """Runs the program.

        Raises:
            CodeRunFailedError: it failed; the text has the kind, the message and what it had printed.
        """
        signal = self._exec.signal
        release = self._exec.hold_while_asking(self._pause)
        forget = signal.add_listener(lambda: self._end(signal.reason or "aborted"))
        try:
            result = await self._run(code)
        finally:
            forget()
            self._end(SETTLED)
            await self._drain()
            release()
        self._tell("run/end", result)
        if self._left_out:
            self._exec.add_context(
                f"({self._left_out} images and texts of tools are left out: more than "
                f"{self._options.context_bytes} bytes together)"
            )
        if result.error is not None:
            raise CodeRunFailedError(
                failure_text(result, self._options.output_bytes), kind=result.error.kind
            )
        value: dict[str, JsonValue] = {"logs": [entry.text for entry in result.logs]}
        if result.has_value:
            value["result"] = result.value
        return ToolOutput(content=result_text(result, self._options.output_bytes), value=value)

    async def _run(self, code: str) -> "RunResult":
        functions = self._functions()
        discovery = Discovery(self._exec.scope, functions.keys())
        helpers = {"$search": discovery.search, "$describe": discovery.describe}
        for name in helpers.keys() & functions.keys():
            del helpers[name]  # a tool of that name is the program's to call
        request = RunRequest(
            program=code,
            bindings=[BindingNamespace(name="tools", functions=functions, helpers=helpers)],
            signal=self._controller.signal,
            limits=self._options.limits,
            seed=self._options.seed,
            on_log=partial(self._tell, "run/log")
            if self._exec.scope.listeners("run/log")
            else None,
            pause=self._pause,
        )
        try:
            return await self._runtime.run(request)
        except CodeRuntimeError as error:
            raise CodeRunFailedError(
                f"code run failed (worker-exit): {error}", kind="worker-exit"
            ) from error

    def _tell(self, channel: Channel, what: "LogEntry | RunResult") -> None:
        for listener in self._exec.scope.listeners(channel):
            try:
                listener.function(self._exec, what)
            except Exception:  # noqa: BLE001  # somebody's display is no reason to end a run
                _log.exception("%s listener %r failed", channel, listener.name)

    def _functions(self) -> dict[str, Binding]:
        names = self._exec.scope.entries()
        call = self._call if self._loop is None else self._call_apart
        return {name: partial(call, name) for name in names if name != RUN_CODE_NAME}

    def _call_apart(self, name: str, argument: JsonValue) -> "asyncio.Future[JsonValue]":
        """The call as a task of its own, on asyncio: the end of a run cancels the runtime's task, and
        asyncio's cancellation knows no shield. A body is cancelled by its signal alone, as a direct one is.
        """
        assert self._loop is not None
        answer: asyncio.Future[JsonValue] = self._loop.create_future()
        task = self._loop.create_task(self._answer(answer, name, argument))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return answer

    async def _answer(
        self, answer: "asyncio.Future[JsonValue]", name: str, argument: JsonValue
    ) -> None:
        try:
            result = await self._call(name, argument)
        except BaseException as error:  # the program's to catch, whatever it is  # noqa: BLE001
            if not answer.done():
                answer.set_exception(_rejection(error))
        else:
            if not answer.done():
                answer.set_result(result)

    async def _call(self, name: str, argument: JsonValue) -> JsonValue:
        if self._over:
            raise BindingError(
                f"run_code run is over ({self._over}); {name} not dispatched", code="ABORTED"
            )
        ticket = self._lanes.enter(partial(self._may_overlap, name, argument))
        try:
            await ticket.turn()
            if self._over:
                raise BindingError(
                    f"run_code run is over ({self._over}); tool call abandoned", code="ABORTED"
                )
            result = await self._dispatch(ticket, name, argument)
        finally:
            ticket.end()
        if self._over:
            raise BindingError(
                f"run_code run is over ({self._over}); {name} result discarded", code="ABORTED"
            )
        if result.is_error:
            code = "TOOL_FAILED" if result.error is None else result.error.code
            text = content_text(result.content).removeprefix("Error: ")
            raise BindingError(text or "the tool failed", code=code)
        return result.value if result.has_value else content_text(result.content)

    async def _dispatch(
        self, ticket: Ticket, name: str, argument: JsonValue
    ) -> ToolExecutionResult:
        self._begun += 1
        call_id = f"{self._exec.call_id}:code:{self._begun}"
        self._in_flight[call_id] = (ticket, name, argument)
        try:
            result = await self._registry.execute_in(
                ToolExecution(
                    call_id=call_id,
                    name=name,
                    arguments=argument,
                    scope=self._exec.scope,
                    signal=self._controller.signal,
                    parent=self._exec,
                ),
                ticket,
            )
        finally:
            del self._in_flight[call_id]
        if not self._over:  # what the model is to see beside the program's own output
            images = [block for block in result.content if isinstance(block, ImageBlock)]
            self._defer([*result.additional_context, *images])
        return result

    def _defer(self, blocks: list[ContentBlock]) -> None:
        """Keeps what the model is to see after the run, up to ``context_bytes``."""
        for block in blocks:
            size = len(block.data) if isinstance(block, ImageBlock) else len(content_text([block]))
            if self._deferred_bytes + size > self._options.context_bytes:
                self._left_out += 1
                continue
            self._deferred_bytes += size
            self._exec.add_context([block])

    def _may_overlap(self, name: str, argument: JsonValue) -> bool:
        entry = self._exec.scope.entries().get(name)
        return entry is not None and entry.is_concurrency_safe(argument)

    def _end(self, reason: str) -> None:
        if not self._over:
            self._over = reason
            self._lanes.close()
            self._controller.abort(reason)

    async def _drain(self) -> None:
        """Waits for calls in flight, at most ``drain_ms``. A body that goes on is reported and left."""
        if self._lanes.waiting:
            interrupted: asyncio.CancelledError | None = None
            deadline = anyio.current_time() + self._options.drain_ms / 1000
            with anyio.CancelScope(shield=True, deadline=deadline):
                while self._lanes.waiting:
                    try:
                        await self._lanes.wait_idle()
                    except asyncio.CancelledError as error:  # asyncio's own knows no shield
                        if anyio.current_time() >= deadline:
                            raise
                        interrupted = error
            if interrupted is not None:
                raise interrupted
        left = list(self._in_flight.items())
        for _, (ticket, _, _) in left:
            ticket.is_abandoned = True
        log = self._exec.scope.log
        for call_id, (ticket, name, argument) in left:
            if log is not None:
                self._log_left_behind(log, call_id, ticket, name, argument)

    def _log_left_behind(
        self, log: "SessionLog", call_id: str, ticket: Ticket, name: str, argument: JsonValue
    ) -> None:
        """The end of a call that has none yet, and of the question that it waits for; it logs no other."""
        try:
            if ticket.open_question is not None:
                log.append(
                    ApprovalDecidedEntry(
                        call_id=call_id, question_id=ticket.open_question, outcome="cancelled"
                    )
                )
            log.append(
                CodeDispatchEntry(
                    root_call_id=self._exec.root_call_id,
                    parent_call_id=self._exec.call_id,
                    sub_call_id=call_id,
                    name=name,
                    arguments=argument,
                    is_error=True,
                    error=ToolErrorInfo.of(ToolAbortedError),
                    content=(),
                    result_summary="(left running)",
                    duration_ms=0.0,
                )
            )
        except BaseException as error:  # the run's own result must not be lost for it  # noqa: BLE001
            contain(error)
            _log.exception("the session log cannot be written")


def _rejection(error: BaseException) -> Exception:
    """What a program catches of whatever ended a call."""
    if isinstance(error, BindingError):
        return error
    if isinstance(error, asyncio.CancelledError):
        return BindingError("the call was cancelled", code="ABORTED")
    return BindingError(describe(error), code="TOOL_FAILED")
