"""One call, from request to result: pre-execute, approval, guards, execute, post-execute.

What holds:

- it raises nothing but a cancellation of the caller's task; every failure is a result;
- nothing reaches a tool's body except through every gate, and a gate that fails is a no;
- a call has one result. Once its signal has fired it ends as aborted, unless the tool had failed by
  itself; a body that has begun is awaited first;
- with a log, a call that is logged as begun is logged as ended.
"""

import logging
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import anyio

from ..runtime.errors import describe
from ._adopt import adopt
from ._dispatch import aborted, closed, dispatch, has_fired, is_abort
from ._entries import begun, ended
from ._gate import gate
from ._json import NotJsonError, copy_json, copy_known
from ._post import judge
from ._results import failure, failure_of
from ._signals import cancelled_by, contain
from ._waterfall import Waterfall
from .context import Call, ExecContext, Lane
from .errors import LogFailedError, ToolArgsError, ToolDeniedError
from .log import DurableLog
from .types import ToolExecution, ToolExecutionResult

if TYPE_CHECKING:
    from .log import SessionLog
    from .scope import ToolScope

LATE_POST_SECONDS = 1.0
"""How long post-execute may take over a tool's own failure when the call is already aborted."""
_log = logging.getLogger("codemode.registry")


async def execute(
    root: "ToolScope",
    execution: ToolExecution,
    refuse: Callable[[Call], ToolExecutionResult | None],
    lane: Lane | None = None,
) -> ToolExecutionResult:
    """Runs one call. ``refuse`` may end it before any policy runs; ``lane`` orders it among others."""
    parent = execution.parent
    scope = execution.scope or (root if parent is None else parent.scope)
    call = Call(execution, scope)
    call.lane = lane
    stranger = _stranger(root, call)
    if stranger is not None:
        return stranger  # before anything of another registry hears of it
    result = _admit(call)
    log = call.log = scope.log
    started_at = anyio.current_time() if log is not None else 0.0
    if log is not None:
        try:
            log.append(begun(call))
        except BaseException as error:  # noqa: BLE001  # what cannot be audited does not run
            contain(error)
            text = f"the session log cannot be written: {describe(error)}"
            return failure(execution.call_id, text, ToolDeniedError)
    if parent is not None and lane is None:
        parent.begin_child(call)
    try:
        if result is None:
            result = refuse(call) if not has_fired(call.caller_signal) else None
        if result is None:
            result = await _stages(call)
    finally:
        call.is_over = True
        if parent is not None and lane is None:
            parent.end_child(call)
        final = _final(call, aborted(call) if result is None else result)
        if not (lane is not None and lane.is_abandoned):
            _tell(call, log, final, started_at)
    return final


def _stranger(root: "ToolScope", call: Call) -> ToolExecutionResult | None:
    parent = call.execution.parent
    for who, scope in (
        ("scope", call.scope),
        ("calling tool", None if parent is None else parent.scope),
    ):
        if scope is not None and not scope.belongs_to(root):
            text = f'the {who} "{scope.name}" belongs to another registry'
            return failure(call.execution.call_id, text, ToolDeniedError)
    return None


def _admit(call: Call) -> ToolExecutionResult | None:
    """Takes the arguments in, or says why the call cannot begin."""
    execution = call.execution
    try:
        call.arguments = copy_json(execution.arguments, "arguments")
    except NotJsonError as error:
        text = f"invalid arguments: {error}"
        return failure(execution.call_id, text, ToolArgsError)
    except BaseException as error:  # noqa: BLE001  # a mapping of somebody's own making
        contain(error)
        text = f"invalid arguments: they cannot be read: {describe(error)}"
        return failure(execution.call_id, text, ToolArgsError)
    if call.scope.is_closed:
        return closed(call)
    if execution.parent is not None and execution.parent.is_over:
        return aborted(call)  # nothing is called on behalf of a call that has its result
    return None


def _tell(
    call: Call, log: "SessionLog | None", result: ToolExecutionResult, started_at: float
) -> None:
    """Logs and shows a result; what fails here changes nothing of it."""
    if log is not None:
        duration_ms = (anyio.current_time() - started_at) * 1000
        try:
            log.append(ended(call, result, duration_ms))
        except BaseException as error:  # noqa: BLE001  # told, and kept from the result
            contain(error)
            _log.exception("a result cannot be logged as it is")
            try:  # the end itself must not be lost
                text = f"the result cannot be logged: {describe(error)}"
                lost = failure(call.execution.call_id, text, LogFailedError)
                log.append(ended(call, lost, duration_ms))
            except BaseException as again:  # noqa: BLE001  # as above
                contain(again)
                _log.exception("the session log cannot be written")
    for listener in call.scope.listeners("tools/result"):
        try:
            listener.function(ExecContext(call), _shown(result))
        except BaseException as error:  # noqa: BLE001  # it can only see
            contain(error)
            _log.exception("tools/result observer %r failed", listener.name)


def _shown(result: ToolExecutionResult) -> ToolExecutionResult:
    """The result with containers of its own: changing them changes nobody else's."""
    if isinstance(result.value, dict | list) or isinstance(result.meta, dict | list):
        return replace(result, value=copy_known(result.value), meta=copy_known(result.meta))
    return result


async def _stages(call: Call) -> ToolExecutionResult:
    result, is_settled = await _up_to_result(call)
    if call.lane is not None:
        await call.lane.commit()
    listeners = call.scope.listeners("tools/post-execute")
    if is_settled or not listeners:
        return result
    signal = call.caller_signal
    if signal is None:
        return await judge(call, result, listeners)
    judged: list[ToolExecutionResult] = []
    if signal.aborted:
        with anyio.move_on_after(LATE_POST_SECONDS, shield=True):
            judged.append(await judge(call, result, listeners))
    else:
        with cancelled_by(signal):
            judged.append(await judge(call, result, listeners))
    if not judged or (signal.aborted and not judged[0].is_error):
        return aborted(call)
    return judged[0]


async def _up_to_result(call: Call) -> tuple[ToolExecutionResult, bool]:
    """The result that post-execute is to judge; or, and then true, one that no stage follows."""
    signal = call.caller_signal
    if signal is None:
        return await _up_to_execute(call), False
    if signal.aborted:
        return aborted(call), True
    result: ToolExecutionResult | None = None
    with anyio.CancelScope() as scope:
        undo = signal.add_listener(lambda: None if call.settles_abort else scope.cancel())
        try:
            result = await _up_to_execute(call)
        finally:
            undo()
    result = result or call.failure
    if result is None or (signal.aborted and (not result.is_error or is_abort(result))):
        return aborted(call), True
    return result, False


async def _up_to_execute(call: Call) -> ToolExecutionResult:
    try:
        denied = await gate(call)
        if denied is not None:
            return denied
        if call.log is not None and isinstance(call.log, DurableLog):
            await _made_durable(call.log)
        if call.lane is not None:
            call.lane.policy_ends()
        listeners = call.scope.listeners("tools/execute")
        if not listeners:
            return await dispatch(call)
        chain = Waterfall[ToolExecutionResult](
            "tools/execute",
            listeners,
            lambda function, asking: function(ExecContext(call), asking),
            lambda: dispatch(call),
            (ToolExecutionResult,),
            ends_detached=True,
        )
        try:
            result = await chain.run()
        finally:
            call.signal = call.caller_signal
        is_as_it_was = result is call.dispatched and not (
            isinstance(result.value, dict | list) or isinstance(result.meta, dict | list)
        )
        is_ours = len(listeners) == 1 and listeners[0].order == sys.maxsize
        is_safe = is_as_it_was or (is_ours and result is call.dispatched)
        return result if is_safe else adopt(call, result)
    except BaseException as error:  # noqa: BLE001  # a listener's; every failure is a result
        contain(error)
        return failure_of(call.execution.call_id, error)


async def _made_durable(log: DurableLog) -> None:
    """Raises ToolDeniedError: what cannot be audited does not run."""
    try:
        await log.durable()
    except BaseException as error:
        contain(error)
        text = f"the session log cannot be written: {describe(error)}"
        raise ToolDeniedError(text) from error


def _final(call: Call, result: ToolExecutionResult) -> ToolExecutionResult:
    if call.deferred:
        context = (*call.deferred, *result.additional_context)
        result = replace(result, additional_context=context)
    return result
