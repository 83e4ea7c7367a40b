"""Questions to a person: who answers, what counts as yes, what is left in the log."""

import asyncio
from typing import Any, get_args

import anyio
import pytest

from codemode.registry import (
    Allow,
    ApprovalOutcome,
    ApprovalQuestion,
    Ask,
    Deny,
    RegistrationError,
    ToolRegistry,
)
from codemode.registry.log import ApprovalAskedEntry, ApprovalDecidedEntry, MemoryLog
from codemode.registry.policies import ApprovalRules, approval_policy
from codemode.runtime import AbortController

from .kit import Counter, call, code, definition, text

pytestmark = pytest.mark.anyio


class Person:
    """An approver that gives the same answers in turn."""

    def __init__(self, *answers: Any) -> None:
        self.questions: list[ApprovalQuestion] = []
        self._answers = list(answers)

    async def __call__(self, question: ApprovalQuestion) -> ApprovalOutcome:
        self.questions.append(question)
        return self._answers[min(len(self.questions), len(self._answers)) - 1]


def asking(confirm: bool = False, **options: Any) -> tuple[ToolRegistry, Counter]:
    registry, body = ToolRegistry(**options), Counter()
    registry.register(definition(execute=body))
    registry.on_pre_execute(lambda exec, next: Ask("it costs money", confirm))
    return registry, body


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        ("rejected", 'the user rejected tool "write": it costs money'),
        ("cancelled", 'approval for tool "write" was cancelled'),
        ("unavailable", "no approval channel is available"),
        ("allow_always", "no approval channel is available"),
        (True, "no approval channel is available"),
        (None, "no approval channel is available"),
    ],
)
async def test_everything_but_allowed_once_denies(outcome: Any, said: str) -> None:
    registry, body = asking(approver=Person(outcome))
    result = await call(registry)
    assert said in text(result)
    assert (code(result), body.calls) == ("DENIED", [])


async def test_allowed_once_runs_this_call_and_asks_for_the_next() -> None:
    person = Person("allowed-once")
    registry, body = asking(approver=person)
    assert text(await call(registry, arguments={"n": 1})) == "done"
    await call(registry, arguments={"n": 2}, call_id="c2")
    assert [question.arguments for question in person.questions] == [{"n": 1}, {"n": 2}]
    assert person.questions[0].reason == "it costs money"
    assert (person.questions[0].tool, person.questions[0].call_id) == ("write", "c1")
    assert len(body.calls) == 2


async def test_an_approver_that_raises_is_no_consent() -> None:
    async def broken(question: ApprovalQuestion) -> ApprovalOutcome:
        raise ConnectionError("the person's window is gone")

    registry, body = asking(approver=broken)
    assert "no approval channel" in text(await call(registry))
    assert body.calls == []


async def test_an_approver_whose_own_wait_is_cancelled_has_cancelled() -> None:
    async def gone(question: ApprovalQuestion) -> ApprovalOutcome:
        raise asyncio.CancelledError

    registry, body = asking(approver=gone)
    result = await call(registry)
    assert (text(result), code(result)) == (
        'Error: approval for tool "write" was cancelled',
        "DENIED",
    )
    assert body.calls == []


async def test_a_hanging_approver_ends_with_the_call() -> None:
    controller, log = AbortController(), MemoryLog()

    async def hangs(question: ApprovalQuestion) -> ApprovalOutcome:
        controller.abort()
        await anyio.sleep_forever()
        return "allowed-once"

    registry, body = asking(approver=hangs, log=log)
    assert code(await call(registry, signal=controller.signal)) == "ABORTED_BEFORE_DISPATCH"
    assert body.calls == []
    assert [entry.outcome for entry in log.entries if isinstance(entry, ApprovalDecidedEntry)] == [
        "cancelled"
    ]


async def test_a_late_yes_is_discarded() -> None:
    controller = AbortController()

    async def late(question: ApprovalQuestion) -> ApprovalOutcome:
        controller.abort()
        return "allowed-once"

    registry, body = asking(approver=late)
    assert (await call(registry, signal=controller.signal)).is_error
    assert body.calls == []


async def test_a_confirmation_is_a_second_question() -> None:
    person, log = Person("allowed-once", "allowed-once"), MemoryLog()
    registry, body = asking(confirm=True, approver=person, log=log)
    assert not (await call(registry)).is_error
    assert [question.is_confirmation for question in person.questions] == [False, True]
    asked = [entry for entry in log.entries if isinstance(entry, ApprovalAskedEntry)]
    decided = [entry for entry in log.entries if isinstance(entry, ApprovalDecidedEntry)]
    assert [entry.question_id for entry in asked] == [entry.question_id for entry in decided]
    assert len({entry.question_id for entry in asked}) == 2
    assert len(body.calls) == 1


async def test_a_confirmation_that_is_refused_denies() -> None:
    registry, body = asking(confirm=True, approver=Person("allowed-once", "rejected"))
    assert code(await call(registry)) == "DENIED"
    assert body.calls == []


@pytest.mark.parametrize("outcome", get_args(ApprovalOutcome))
async def test_every_question_leaves_its_pair_between_call_and_result(outcome: Any) -> None:
    log = MemoryLog()
    registry, _ = asking(approver=Person(outcome), log=log)
    await call(registry)
    assert [entry.type for entry in log.entries] == [
        "tool/call", "approval/asked", "approval/decided", "tool/result",
    ]  # fmt: skip
    decided = log.entries[2]
    assert isinstance(decided, ApprovalDecidedEntry)
    assert decided.outcome == outcome


async def test_with_approvals_never_nobody_is_asked_here_or_below() -> None:
    person = Person("allowed-once")
    registry, body = asking(approver=person)
    delegate = registry.scope("delegate", approvals="never")
    below = delegate.scope("below", approver=person, approvals="ask")
    for scope in (delegate, below):
        result = await call(registry, scope=scope)
        assert "approvals are off for this caller" in text(result)
    assert (person.questions, body.calls) == ([], [])


async def test_the_nearest_approver_answers() -> None:
    far, near = Person("rejected"), Person("allowed-once")
    registry, _ = asking(approver=far)
    scope = registry.scope("agent", approver=near).scope("below")
    assert not (await call(registry, scope=scope)).is_error
    assert (len(far.questions), len(near.questions)) == (0, 1)


async def test_nobody_is_asked_about_a_call_that_cannot_run() -> None:
    person = Person("allowed-once")
    registry, _ = asking(approver=person)
    registry.register(definition("strict", parameters={"type": "object", "required": ["a"]}))
    assert code(await call(registry, "unknown")) == "UNKNOWN_TOOL"
    assert code(await call(registry, "strict")) == "INVALID_ARGS"
    assert person.questions == []


async def test_a_question_has_its_own_copy_of_the_arguments() -> None:
    async def meddles(question: ApprovalQuestion) -> ApprovalOutcome:
        assert isinstance(question.arguments, dict)
        question.arguments["n"] = 99
        return "allowed-once"

    registry, body = asking(approver=meddles)
    await call(registry, arguments={"n": 1})
    assert body.calls == [{"n": 1}]


def test_approvals_has_two_values() -> None:
    with pytest.raises(RegistrationError, match='"ask" or "never"'):
        ToolRegistry(approvals="always")  # type: ignore[arg-type]


# --- the declarative policy in the pipeline

RULES = """
approval:
  default: deny
  tools:
    write:
      level: ask
      rules:
        - {match: {path: {under: drafts}}, level: always}
        - {match: {path: {under: secret}}, level: deny}
        - {match: {path: {under: shared}}, level: ask_with_confirm}
"""


def ruled(**options: Any) -> tuple[ToolRegistry, Counter]:
    registry, body = ToolRegistry(**options), Counter()
    registry.register(definition(execute=body))
    registry.register(definition("other", body))
    registry.on_pre_execute(approval_policy(ApprovalRules.from_yaml(RULES)))
    return registry, body


async def test_rules_decide_by_arguments() -> None:
    person = Person("allowed-once")
    registry, body = ruled(approver=person)
    for path in ("drafts/a", "notes/b", "shared/c"):
        assert not (await call(registry, arguments={"path": path})).is_error
    denied = await call(registry, arguments={"path": "secret/x"})
    assert "is denied by the approval rule" in text(denied)
    assert code(await call(registry, "other")) == "DENIED"
    assert len(person.questions) == 3
    assert [args["path"] for args in body.calls] == ["drafts/a", "notes/b", "shared/c"]


async def test_a_rule_that_cannot_be_evaluated_permits_nothing() -> None:
    registry, body = ruled()
    for arguments in ({}, {"path": 7}, {"path": None}, {"path": "drafts/../secret/x"}):
        assert (await call(registry, arguments=arguments)).is_error
    assert body.calls == []


async def test_a_listener_after_the_policy_can_still_deny_what_it_permits() -> None:
    registry, body = ruled()
    registry.on_pre_execute(lambda exec, next: Deny("frozen"))
    assert text(await call(registry, arguments={"path": "drafts/a"})) == "Error: frozen"
    assert body.calls == []


async def test_a_listener_after_the_policy_can_ask_and_neither_confirms_the_other_away() -> None:
    person = Person("allowed-once")
    registry, _ = ruled(approver=person)
    registry.on_pre_execute(lambda exec, next: Ask("mine") if exec.arguments else Allow())
    await call(registry, arguments={"path": "shared/c"})
    assert [(q.reason, q.is_confirmation) for q in person.questions] == [
        ("mine", False),
        ("mine", True),
    ]
