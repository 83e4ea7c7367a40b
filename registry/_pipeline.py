"""One call, from request to result: pre-execute, approval, guards, execute, post-execute.

What holds:

- it raises nothing but a cancellation of the caller's task; every failure is a result;
- nothing reaches a tool's body except through every gate, and a gate that fails is a no;
- a call has one result. Once its signal has fired it ends as aborted, unless the tool had failed by
  itself; a body that has begun is awaited first;
- with a log, a call that is logged as begun is logged as ended.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import anyio

from ..runtime.errors import describe
from . import approval
from ._dispatch import aborted, dispatch, has_fired, is_abort, unknown
from ._entries import begun, ended
from ._json import NotJsonError, copy_json
from ._post import judge
from ._results import failure, failure_of, jsonable
from ._signals import cancelled_by, is_from_outside
from ._waterfall import Waterfall
from .content import as_blocks
from .context import Call, ExecContext, Lane
from .errors import ListenerError, ToolDeniedError, ToolError
from .types import (
    Allow,
    Ask,
    Deny,
    PreToolDecision,
    ToolErrorInfo,
    ToolExecution,
    ToolExecutionResult,
)

if TYPE_CHECKING:
    from .scope import ToolScope

LATE_POST_SECONDS = 1.0
"""How long post-execute may take over a tool's own failure when the call is already aborted."""
_log = logging.getLogger("codemode.registry")
_ALLOW = Allow()


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
    view = ExecContext(call)
    early = _admit(root, call)
    log = scope.log
    started_at = anyio.current_time() if log is not None else 0.0
    if log is not None:
        try:
            log.append(begun(call))
        except Exception as error:  # noqa: BLE001  # what cannot be audited does not run
            text = f"the session log cannot be written: {describe(error)}"
            return failure(execution.call_id, text, "ToolDeniedError", "DENIED")
    result = early
    try:
        if result is None:
            result = refuse(call) if not has_fired(execution.signal) else None
        if result is None:
            result = await _stages(call, view)
    finally:
        call.is_over = True
        final = _final(call, aborted(call) if result is None else result)
        if not (lane is not None and lane.is_abandoned):
            _tell(call, view, final, started_at)
    return final


def _tell(call: Call, view: ExecContext, result: ToolExecutionResult, started_at: float) -> None:
    """Logs and shows a result; what fails here changes nothing of it."""
    log = call.scope.log
    if log is not None:
        try:
            log.append(ended(call, result, (anyio.current_time() - started_at) * 1000))
        except Exception:  # noqa: BLE001  # told, and kept from the result
            _log.exception("the session log cannot be written")
    for listener in call.scope.listeners("tools/result"):
        try:
            listener.function(view, result)
        except Exception:  # noqa: BLE001  # as above
            _log.exception("tools/result observer %r failed", listener.name)


def _admit(root: "ToolScope", call: Call) -> ToolExecutionResult | None:
    """Takes the arguments in, or says why the call cannot begin."""
    execution, scope = call.execution, call.scope
    try:
        call.arguments = copy_json(execution.arguments, "arguments")
    except NotJsonError as error:
        text = f"invalid arguments: {error}"
        return failure(execution.call_id, text, "ToolArgsError", "INVALID_ARGS")
    except Exception as error:  # noqa: BLE001  # a mapping of somebody's own making
        text = f"invalid arguments: they cannot be read: {describe(error)}"
        return failure(execution.call_id, text, "ToolArgsError", "INVALID_ARGS")
    if not scope.belongs_to(root):
        text = f'the scope "{scope.name}" belongs to another registry'
        return failure(execution.call_id, text, "ToolDeniedError", "DENIED")
    if scope.is_closed:
        text = f'the scope "{scope.name}" is closed'
        return failure(execution.call_id, text, "ToolDeniedError", "DENIED")
    if execution.parent is not None and execution.parent.is_over:
        return aborted(call)  # nothing is called on behalf of a call that has its result
    return None


async def _stages(call: Call, view: ExecContext) -> ToolExecutionResult:
    result, is_settled = await _up_to_result(call, view)
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


async def _up_to_result(call: Call, view: ExecContext) -> tuple[ToolExecutionResult, bool]:
    """The result that post-execute is to judge; or, and then true, one that no stage follows."""
    signal = call.caller_signal
    if signal is None:
        return await _up_to_execute(call, view), False
    if signal.aborted:
        return aborted(call), True
    result: ToolExecutionResult | None = None
    with anyio.CancelScope() as scope:
        undo = signal.add_listener(lambda: None if call.settles_abort else scope.cancel())
        try:
            result = await _up_to_execute(call, view)
        finally:
            undo()
    result = result or call.failure
    if result is None or (signal.aborted and (not result.is_error or is_abort(result))):
        return aborted(call), True
    return result, False


async def _up_to_execute(call: Call, view: ExecContext) -> ToolExecutionResult:
    try:
        denied = await _gate(call, view)
        if denied is not None:
            return denied
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
        )
        try:
            result = await chain.run()
        finally:
            call.signal = call.caller_signal
        return result if result is call.dispatched else _adopt(call, result)
    except Exception as error:  # noqa: BLE001  # a listener's; every failure is a result
        return failure_of(call.execution.call_id, error)


async def _gate(call: Call, view: ExecContext) -> ToolExecutionResult | None:
    """None if the call may be dispatched."""
    scope, call_id = call.scope, call.execution.call_id
    listeners = scope.listeners("tools/pre-execute")
    decision: PreToolDecision = _ALLOW
    if listeners:
        chain = Waterfall[PreToolDecision](
            "tools/pre-execute",
            listeners,
            lambda function, asking: function(ExecContext(call), asking),
            _allow,
            (Allow, Deny, Ask),
        )
        decision = await chain.run()
    if isinstance(decision, Deny):
        return failure(call_id, decision.reason, "ToolDeniedError", "DENIED")
    if isinstance(decision, Ask):
        entry = scope.entries().get(call.execution.name)
        if entry is None:
            return unknown(call)  # nobody is asked about what cannot run
        if not entry.argument_violations(call.arguments):
            await approval.ask(view, decision, scope.log)
    if scope.listeners("guard"):
        await _guards(call)
    return None


async def _allow() -> PreToolDecision:
    return _ALLOW


async def _guards(call: Call) -> None:
    """Asks every guard, also one that a guard before it adds.

    Raises:
        ToolError: one of them denies, or failed.
    """
    asked: set[int] = set()
    while True:
        guard = next((g for g in call.scope.listeners("guard") if g.order not in asked), None)
        if guard is None:
            return
        asked.add(guard.order)
        try:
            reason: Any = guard.function(ExecContext(call))
            if hasattr(reason, "__await__"):
                reason = await reason
        except ToolError:
            raise
        except (Exception, asyncio.CancelledError) as error:
            if is_from_outside(error):
                raise
            raise ListenerError(f'guard "{guard.name}" failed: {describe(error)}') from error
        if isinstance(reason, str):
            raise ToolDeniedError(reason)
        if reason is not None:
            kind = type(reason).__name__
            raise ListenerError(
                f'guard "{guard.name}" returned a value of type {kind}: return a reason or None'
            )


def _adopt(call: Call, result: ToolExecutionResult) -> ToolExecutionResult:
    """A result that a wrapper made or changed, checked like a tool's own."""
    call_id = call.execution.call_id
    content, context = as_blocks(result.content), as_blocks(result.additional_context)
    if content is None or context is None:
        raise ListenerError(
            "a tools/execute listener returned a result whose content is not blocks"
        )
    try:
        meta = jsonable(result.meta, "meta")
        value = jsonable(result.value, "value") if result.has_value else None
    except NotJsonError as error:
        raise ListenerError(
            f"a tools/execute listener returned a result that is not JSON: {error}"
        ) from error
    if result.is_error:
        error = result.error or ToolErrorInfo("ToolError", "TOOL_FAILED")
        return ToolExecutionResult(
            call_id=call_id, content=content, is_error=True, error=error,
            meta=meta, additional_context=context,
        )  # fmt: skip
    entry = call.scope.entries().get(call.execution.name)
    violations = result.violations
    if entry is not None and result.has_value:
        violations = tuple(entry.output_violations(value))
        if violations and entry.definition.strict_output:
            raise ListenerError(
                "a tools/execute listener returned a value that breaks the tool's output schema: "
                f"{'; '.join(violations[:5])}"
            )
    return replace(
        result, call_id=call_id, content=content, error=None, value=value, meta=meta,
        additional_context=context, violations=violations,
    )  # fmt: skip


def _final(call: Call, result: ToolExecutionResult) -> ToolExecutionResult:
    if call.deferred:
        context = (*call.deferred, *result.additional_context)
        result = replace(result, additional_context=context)
    return result
