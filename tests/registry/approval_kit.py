"""What the tests of approval rules share."""

from codemode.registry.policies._rules import ApprovalRules
from codemode.runtime import JsonValue

SHELL: dict[str, object] = {
    "classify": {
        "argument": "command",
        "classes": {"safe": ["ls", "ls *", "git status", "cat *"], "dangerous": ["rm *", "mv * /"]},
    },
    "safe": "always",
    "moderate": "ask",
    "dangerous": "deny",
    "default": "ask_with_confirm",
}


def one(table: object, arguments: JsonValue) -> tuple[str, str, bool]:
    """The verdict of one tool's table: level, path below the tool, whether it failed closed."""
    verdict = ApprovalRules.from_mapping({"tools": {"t": table}}).decide("t", arguments)
    return verdict.level, verdict.rule.removeprefix("tools.t").lstrip("."), verdict.fails_closed
