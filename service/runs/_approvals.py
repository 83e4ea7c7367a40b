"""Questions of runs to people: kept, shown, answered once."""

import asyncio
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import anyio

from ...registry import ApprovalOutcome, ApprovalQuestion, Approver, ToolScope
from ...registry.json_text import compact_text
from ...registry.log import ApprovalDecidedEntry
from ..store import ApprovalRecord, ApprovalState, Store, now_ms
from ._edits import card_of
from ._live import LiveRun
from ._redact import Redaction
from .errors import ConflictError, NotFoundError
from .grants import Caller

if TYPE_CHECKING:
    from ...runtime import JsonValue

_log = logging.getLogger("codemode.service")
_STATES: Final[dict[str, ApprovalState]] = {
    "allowed-once": "allowed",
    "rejected": "denied",
    "expired": "expired",
}
LARGEST_SHOWN: Final = 256 * 1024
"""Characters of a question's arguments as JSON. A person cannot judge what cannot be shown: more is denied."""


@dataclass(frozen=True, slots=True)
class _Pending:
    owner: str
    answer: "asyncio.Future[ApprovalOutcome]"


class ApprovalDesk:
    """The open questions of one service."""

    def __init__(
        self, store: Store, redaction: Redaction, on_change: Callable[[LiveRun], None]
    ) -> None:
        self._store = store
        self._on_change = on_change
        self._redaction = redaction
        self._pending: dict[str, _Pending] = {}
        self._decided_by: dict[str, str] = {}

    @property
    def pending(self) -> int:
        return len(self._pending)

    def approver(self, run: LiveRun, scope: ToolScope, patience_ms: float) -> Approver:
        """Who answers the questions of a run: whoever may, through :meth:`decide`. ``patience_ms`` is for a
        question that no program's run bounds."""

        async def approve(question: ApprovalQuestion) -> ApprovalOutcome:
            left_ms = patience_ms if question.left_ms is None else question.left_ms
            arguments = self._redaction.of(question.tool, question.arguments)
            if len(compact_text(arguments)) > LARGEST_SHOWN:
                _log.warning("a question about %s is too large to be shown", question.tool)
                return "rejected"
            asked: dict[str, JsonValue] = {
                "id": question.question_id,
                "subCall": question.call_id,
                "tool": question.tool,
                "reason": question.reason,
                "isConfirmation": question.is_confirmation,
                "expiresMs": round(now_ms() + left_ms),
            }
            shown: dict[str, JsonValue] = {
                "arguments": arguments,
                "card": card_of(scope, question.tool, arguments),
            }
            pending = _Pending(run.owner, asyncio.get_running_loop().create_future())
            self._pending[question.question_id] = pending
            try:
                run.journal.add("approval", {**asked, "state": "pending"}, **shown)
                await self._store.ask(
                    ApprovalRecord(
                        id=question.question_id,
                        run_id=run.id,
                        owner=run.owner,
                        state="pending",
                        asked_ms=now_ms(),
                        data=compact_text({**asked, **shown}),
                    )
                ).wait()
                self._on_change(run)
                with anyio.move_on_after(left_ms / 1000):
                    return await pending.answer
                return "expired"
            finally:
                del self._pending[question.question_id]

        return approve

    def decided(self, run: LiveRun, entry: ApprovalDecidedEntry) -> None:
        """Keeps how a question of a run ended."""
        state = _STATES.get(entry.outcome, "cancelled")
        data: dict[str, JsonValue] = {
            "id": entry.question_id,
            "subCall": entry.call_id,
            "state": state,
            "by": self._decided_by.pop(entry.question_id, None),
        }
        run.journal.add("approval", data)
        self._store.decide(entry.question_id, state, None)  # changes nothing after an answer
        self._on_change(run)

    async def decide(self, caller: Caller, approval_id: str, *, allow: bool) -> ApprovalRecord:
        """Answers a question; the run goes on when the answer is durable. Gives the question as it is then.

        Raises:
            NotFoundError: this caller has no such question.
            ConflictError: it has its answer, or nobody waits for one any more.
        """
        pending = self._pending.get(approval_id)
        if pending is None or pending.owner != caller.owner:
            raise await self._refusal(caller, approval_id)
        state: ApprovalState = "allowed" if allow else "denied"
        if not await self._store.decide(approval_id, state, caller.name).wait():
            raise await self._refusal(caller, approval_id)
        self._decided_by[approval_id] = caller.name
        if not pending.answer.done():
            pending.answer.set_result("allowed-once" if allow else "rejected")
        return await self.get(caller, approval_id)

    async def get(self, caller: Caller, approval_id: str) -> ApprovalRecord:
        """A question of this caller's owner.

        Raises:
            NotFoundError: there is none.
        """
        record = await self._store.approval(approval_id)
        if record is None or record.owner != caller.owner:
            raise NotFoundError(f"there is no approval {json.dumps(approval_id[:100])}")
        return record

    async def _refusal(self, caller: Caller, approval_id: str) -> ConflictError:
        record = await self.get(caller, approval_id)
        if record.state == "pending":  # asked about in this moment, or its run ends in this moment
            return ConflictError("the question cannot be answered now: look at it again")
        return ConflictError(f"the question is {record.state} already")
