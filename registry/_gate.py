"""What stands before a tool's body: pre-execute listeners, a person where one is asked, and guards."""

from typing import TYPE_CHECKING, Any

from ..runtime.errors import describe
from . import approval
from ._dispatch import closed, unknown
from ._results import failure, failure_of
from ._signals import contain
from ._waterfall import Waterfall
from .context import Call, ExecContext
from .errors import ListenerError, ToolArgsError, ToolDeniedError, ToolError
from .types import Allow, Ask, Deny, PreToolDecision, ToolExecutionResult

if TYPE_CHECKING:
    from ._entry import Entry

_ALLOW = Allow()


async def gate(call: Call) -> ToolExecutionResult | None:
    """None if the call may be dispatched.

    Raises:
        ToolError: a listener, guard or person said no, or one of them failed.
    """
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
        return failure(call_id, decision.reason, ToolDeniedError)
    asked: Entry | None = None
    if isinstance(decision, Ask):
        asked = scope.entries().get(call.execution.name)
        if asked is None:
            return unknown(call)  # nobody is asked about what cannot run
        violations = asked.argument_violations(call.arguments)
        if violations:
            return failure_of(call_id, ToolArgsError(violations))
        await approval.ask(ExecContext(call), decision, scope.log, call.lane)
    if scope.listeners("guard"):
        await _guards(call)
    if scope.is_closed:
        return closed(call)  # what it forbade it cannot allow by going away
    if asked is not None and scope.entries().get(call.execution.name) is not asked:
        text = f'tool "{call.execution.name}" was replaced while a person was asked: call it again'
        return failure(call_id, text, ToolDeniedError)
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
        except BaseException as error:
            contain(error)
            raise ListenerError(f'guard "{guard.name}" failed: {describe(error)}') from error
        if isinstance(reason, str):
            raise ToolDeniedError(reason)
        if reason is not None:
            kind = type(reason).__name__
            raise ListenerError(
                f'guard "{guard.name}" returned a value of type {kind}: return a reason or None'
            )
