"""Questions to a person: what ``ask`` becomes."""

import asyncio
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import anyio

from ..runtime import JsonValue, WallPause
from ._json import copy_known
from ._signals import contain
from .errors import ApprovalExpiredError, ToolDeniedError
from .log import ApprovalAskedEntry, ApprovalDecidedEntry

if TYPE_CHECKING:
    from .context import ExecContext, Lane
    from .log import SessionLog
    from .types import Ask

ApprovalOutcome = Literal["allowed-once", "rejected", "cancelled", "unavailable", "expired"]
_OUTCOMES = get_args(ApprovalOutcome)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalQuestion:
    """May this call run, once?

    ``is_confirmation`` marks the second question about one call (``ask_with_confirm``). ``left_ms`` is how
    long the run can wait for the answer; None where no run waits.
    """

    question_id: str
    call_id: str
    root_call_id: str
    scope: str
    tool: str
    arguments: JsonValue
    reason: str
    is_confirmation: bool = False
    left_ms: float | None = None


Approver: TypeAlias = Callable[[ApprovalQuestion], Awaitable[ApprovalOutcome]]
"""Answers a question. It is cancelled with the call; what it raises, or answers otherwise, counts as
``unavailable``, which denies."""


async def ask(
    exec: "ExecContext", decision: "Ask", log: "SessionLog | None", lane: "Lane | None"
) -> None:
    """Returns if the call may run. Every question leaves its pair of entries in the log.

    Raises:
        ToolDeniedError: it may not.
    """
    approver = exec.scope.approver if exec.scope.approvals == "ask" else None
    level = "ask_with_confirm" if decision.confirm else "ask"
    with exec.waiting_for_person() as budget:
        for is_confirmation in (False, True) if decision.confirm else (False,):
            question = ApprovalQuestion(
                question_id=f"{exec.call_id}:ask:{2 if is_confirmation else 1}",
                call_id=exec.call_id,
                root_call_id=exec.root_call_id,
                scope=exec.scope.name,
                tool=exec.name,
                arguments=copy_known(exec.arguments),
                reason=decision.reason,
                is_confirmation=is_confirmation,
                left_ms=None if budget is None else budget.left_s * 1000,
            )
            left_s = math.inf if budget is None else budget.left_s
            outcome = await _one(exec, question, approver, log, level, lane, left_s)
            if outcome == "expired":
                raise ApprovalExpiredError(_expiry(exec, budget))
            if outcome != "allowed-once":
                raise ToolDeniedError(_denial(exec, outcome, decision.reason))


async def _one(
    exec: "ExecContext",
    question: ApprovalQuestion,
    approver: Approver | None,
    log: "SessionLog | None",
    level: str,
    lane: "Lane | None",
    left_s: float,
) -> ApprovalOutcome:
    if lane is not None:
        lane.open_question = question.question_id
    if log is not None:
        log.append(
            ApprovalAskedEntry(
                call_id=question.call_id,
                question_id=question.question_id,
                name=question.tool,
                reason=question.reason,
                confirm=question.is_confirmation,
                level=level,
            )
        )
    outcome: ApprovalOutcome = "cancelled"  # whatever ends the wait before an answer
    try:
        outcome = await _answer(exec, question, approver, left_s)
    finally:
        if lane is not None:
            lane.open_question = None
        if log is not None and not (lane is not None and lane.is_abandoned):
            log.append(
                ApprovalDecidedEntry(
                    call_id=question.call_id, question_id=question.question_id, outcome=outcome
                )
            )
    return outcome


async def _answer(
    exec: "ExecContext", question: ApprovalQuestion, approver: Approver | None, left_s: float
) -> ApprovalOutcome:
    if approver is None:
        return "unavailable"
    answer: ApprovalOutcome = "expired"
    try:
        with anyio.move_on_after(left_s) as patience:
            answer = await approver(question)
    except BaseException as error:  # no consent, whatever it is  # noqa: BLE001
        contain(error)
        return "cancelled" if isinstance(error, asyncio.CancelledError) else "unavailable"
    if exec.signal.aborted:  # a late answer
        return "cancelled"
    if patience.cancel_called:  # also where the approver came to an answer all the same
        return "expired"
    return answer if answer in _OUTCOMES else "unavailable"


def _expiry(exec: "ExecContext", budget: WallPause | None) -> str:
    if budget is None or budget.left_s > 0:  # the approver has a patience of its own
        return f'approval for tool "{exec.name}" expired: nobody answered in time'
    return (
        f'approval for tool "{exec.name}" expired: approval budget exhausted: the run waited for people '
        f"for more than {budget.most_ms:g} ms"
    )


def _denial(exec: "ExecContext", outcome: ApprovalOutcome, reason: str) -> str:
    because = f": {reason}" if reason else ""
    if outcome == "rejected":
        return f'the user rejected tool "{exec.name}"{because}'
    if outcome == "cancelled":
        return f'approval for tool "{exec.name}" was cancelled'
    if exec.scope.approvals == "never":
        return (
            f'tool "{exec.name}" requires approval, and approvals are off for this caller{because}'
        )
    return f'tool "{exec.name}" requires approval, but no approval channel is available{because}'
