"""The approval policy: rules that say which calls a person must allow, as a pre-execute listener."""

from typing import TYPE_CHECKING

from ..types import RUN_CODE_NAME, Ask, Deny
from ._rules import ApprovalRules, ApprovalVerdict

if TYPE_CHECKING:
    from ..context import ExecContext
    from ..types import Next, PreListener, PreToolDecision


def approval_policy(rules: ApprovalRules) -> "PreListener":
    """A listener that allows, asks or denies by ``rules``.

    It only adds to what the listeners after it decide: where they deny, the call is denied, and where
    either wants a person to be asked (twice), a person is asked (twice). ``run_code`` is not a tool that a
    default is about: each call of a program is decided by itself.
    """

    async def approval(exec: "ExecContext", next: "Next") -> "PreToolDecision":
        if exec.name == RUN_CODE_NAME and exec.name not in rules.tools:
            return await next()
        verdict = rules.decide(exec.name, exec.arguments)
        if verdict.level == "deny":
            return Deny(f'tool "{exec.name}" is denied by the approval rule {verdict.rule}')
        decision = await next()
        if verdict.level == "always" or isinstance(decision, Deny):
            return decision
        confirm = verdict.level == "ask_with_confirm"
        if isinstance(decision, Ask):
            return Ask(decision.reason or _reason(verdict), decision.confirm or confirm)
        return Ask(_reason(verdict), confirm)

    return approval


def _reason(verdict: ApprovalVerdict) -> str:
    unsure = ", which cannot be decided for these arguments" if verdict.fails_closed else ""
    return f"approval rule {verdict.rule}{unsure}"
