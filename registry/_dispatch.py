"""The base of the ``tools/execute`` stage: the tool's body, with whatever it does made a result."""

from typing import TYPE_CHECKING, Any

import anyio

from ..runtime import AbortSignal
from ._json import copy_known
from ._nearest import did_you_mean
from ._results import failure, failure_of, success_of
from ._signals import Fused, cancelled_by, contain
from .context import Call, ExecContext
from .errors import ToolAbortedError, ToolArgsError, ToolDeniedError, ToolNotFoundError
from .types import RUN_CODE_NAME, ToolExecutionResult

if TYPE_CHECKING:
    from ._entry import Entry

CHILDREN_SECONDS = 1.0
"""How long calls that a body left running may take to stop when it has ended."""
ABORTED_BEFORE_DISPATCH = "ABORTED_BEFORE_DISPATCH"


def aborted(call: Call) -> ToolExecutionResult:
    """The result of a call whose signal fired, or whose task was cancelled."""
    if call.bodies:
        return failure(call.execution.call_id, "tool call aborted", ToolAbortedError)
    return failure(
        call.execution.call_id,
        "tool call aborted before dispatch",
        ToolAbortedError,
        code=ABORTED_BEFORE_DISPATCH,
    )


def closed(call: Call) -> ToolExecutionResult:
    """The result of a call whose scope is closed, or was closed on the way to the tool."""
    text = f'the scope "{call.scope.name}" is closed'
    return failure(call.execution.call_id, text, ToolDeniedError)


def is_abort(result: ToolExecutionResult) -> bool:
    """Whether this is what ``aborted`` gives, rather than a failure of the tool's own."""
    return result.error is not None and result.error.name == ToolAbortedError.__name__


def unknown(call: Call) -> ToolExecutionResult:
    """The result for a name that the caller does not see, with the nearest that it does see."""
    name, entries = call.execution.name, call.scope.entries()
    hint = did_you_mean(name, (known for known in entries if known != RUN_CODE_NAME))
    return failure(
        call.execution.call_id,
        f'unknown tool "{name[:200]}"{hint}',
        ToolNotFoundError,
    )


def has_fired(signal: AbortSignal | None) -> bool:
    return signal is not None and signal.aborted


async def dispatch(call: Call) -> ToolExecutionResult:
    """Runs the tool's body once. Raises nothing but a cancellation that is the caller's."""
    if call.scope.is_closed:
        result = call.failure = closed(call)
        return result
    entry = call.entry = call.scope.entries().get(call.execution.name)
    if entry is None:
        result = call.failure = unknown(call)
        return result
    result = _refusal(call, entry)
    if result is None:
        if has_fired(call.caller_signal) or has_fired(call.signal):
            return aborted(call)
        call.bodies += 1
        result = await _with_signals(call, entry)
        if not result.is_error and (has_fired(call.caller_signal) or has_fired(call.signal)):
            return aborted(call)  # it went on to its end all the same; its result has no reader
    call.failure = result if result.is_error else None
    call.dispatched = result
    return result


def _refusal(call: Call, entry: "Entry") -> ToolExecutionResult | None:
    if not entry.definition.validate_arguments:
        return None  # it validates by itself, or leaves it
    try:
        violations = entry.argument_violations(call.arguments)
    except BaseException as error:  # a check of the tool's own  # noqa: BLE001
        contain(error)
        return failure_of(call.execution.call_id, error)
    if violations:
        return failure_of(call.execution.call_id, ToolArgsError(violations))
    return None


async def _with_signals(call: Call, entry: "Entry") -> ToolExecutionResult:
    replaced, own = call.signal, call.caller_signal
    if replaced is own or replaced is None:
        return await _body(call, entry)
    if own is None:
        with cancelled_by(replaced):
            return await _body(call, entry)
        return aborted(call)
    fused = Fused(own, replaced)
    call.signal = fused.signal
    try:
        with cancelled_by(replaced):  # the stages' own scope is cancelled by the caller's signal
            return await _body(call, entry)
        return aborted(call)
    finally:
        fused.close()
        call.signal = replaced


async def _body(call: Call, entry: "Entry") -> ToolExecutionResult:
    call.settles_abort = entry.is_run_code
    try:
        raw: Any = entry.definition.execute(copy_known(call.arguments), ExecContext(call))
        if hasattr(raw, "__await__"):
            raw = await raw
        return success_of(call.execution.call_id, entry, raw)
    except BaseException as error:  # a tool can end no process, and no task but its own  # noqa: BLE001
        contain(error)
        return failure_of(call.execution.call_id, error)
    finally:
        call.settles_abort = False
        if call.children:
            await _end_children(call)


async def _end_children(call: Call) -> None:
    """Stops what a body left running of the calls that it made: they end with it."""
    children = list(call.children.values())
    for child in children:
        child.abort("the call that made it has ended")
    with anyio.move_on_after(CHILDREN_SECONDS, shield=True):
        for child in children:
            await child.ended.wait()
