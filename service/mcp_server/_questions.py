"""Questions to a person as a form of MCP's elicitation, and what an answer means."""

import json
from typing import Final

import mcp_types as types

from ...registry import ApprovalOutcome, ApprovalQuestion
from ...runtime import JsonValue
from .._terminal import inert
from ._sendable import valid_text

LONGEST_SHOWN: Final = 400  # characters of one argument
MOST_SHOWN: Final = 50  # arguments

_FORM: Final[types.ElicitRequestedSchema] = {
    "type": "object",
    "properties": {
        "allow": {"type": "boolean", "title": "Allow this call, once", "default": False}
    },
    "required": ["allow"],
}


def form_of(question: ApprovalQuestion) -> types.ElicitRequestFormParams:
    """What the person is shown: every argument, each shortened by itself, so that none hides another, and
    nothing that acts on their screen."""
    begins = (
        "Please confirm: really call" if question.is_confirmation else "A program wants to call"
    )
    lines = [f"{begins} {question.tool} with", *_arguments(question.arguments)]
    if question.reason:
        lines.append(f"({question.reason})")
    shown = "\n".join(inert(line) for line in lines)
    return types.ElicitRequestFormParams(message=valid_text(shown), requested_schema=_FORM)


def _arguments(arguments: JsonValue) -> list[str]:
    if not isinstance(arguments, dict):
        return [f"  {_short(arguments)}"]
    if not arguments:
        return ["  no arguments"]
    names = list(arguments)
    lines = [f"  {name[:80]}: {_short(arguments[name])}" for name in names[:MOST_SHOWN]]
    left = len(names) - MOST_SHOWN
    return [*lines, f"  … and {left} more arguments, which are NOT shown"] if left > 0 else lines


def _short(value: JsonValue) -> str:
    text = json.dumps(value, ensure_ascii=False)
    if len(text) <= LONGEST_SHOWN:
        return text
    half = LONGEST_SHOWN // 2
    return f"{text[:half]} … ({len(text) - 2 * half} characters left out) … {text[-half:]}"


def outcome_of(answer: object) -> ApprovalOutcome:
    """What the person decided. Only an accepted form with a plain yes allows."""
    if not isinstance(answer, types.ElicitResult):
        return "unavailable"
    if answer.action == "accept":
        return "allowed-once" if (answer.content or {}).get("allow") is True else "rejected"
    return "rejected" if answer.action == "decline" else "cancelled"
