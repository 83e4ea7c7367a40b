"""Questions to a person as a form of MCP's elicitation, and what an answer means."""

import json
from typing import Final

import mcp_types as types

from ...registry import ApprovalOutcome, ApprovalQuestion

LONGEST_SHOWN: Final = 2_000

_FORM: Final[types.ElicitRequestedSchema] = {
    "type": "object",
    "properties": {
        "allow": {"type": "boolean", "title": "Allow this call, once", "default": False}
    },
    "required": ["allow"],
}


def form_of(question: ApprovalQuestion) -> types.ElicitRequestFormParams:
    """What the person is shown."""
    shown = json.dumps(question.arguments, ensure_ascii=False)
    if len(shown) > LONGEST_SHOWN:
        shown = f"{shown[:LONGEST_SHOWN]}… ({len(shown)} characters)"
    begins = (
        "Please confirm: really call" if question.is_confirmation else "A program wants to call"
    )
    message = f"{begins} {question.tool} with {shown}"
    if question.reason:
        message += f"\n({question.reason})"
    return types.ElicitRequestFormParams(
        message=message.encode("utf-8", "replace").decode(), requested_schema=_FORM
    )


def outcome_of(answer: object) -> ApprovalOutcome:
    """What the person decided. Only an accepted form with a plain yes allows."""
    if not isinstance(answer, types.ElicitResult):
        return "unavailable"
    if answer.action == "accept":
        return "allowed-once" if (answer.content or {}).get("allow") is True else "rejected"
    return "rejected" if answer.action == "decline" else "cancelled"
