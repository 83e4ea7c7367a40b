"""Policies that decide on calls or bound them: listeners of the pipeline, to be registered where they count."""

from ._approval import approval_policy
from ._rules import ApprovalRules, ApprovalVerdict
from ._rules_levels import LEVELS, ApprovalLevel
from .timeout import timeout_policy

__all__ = [
    "LEVELS",
    "ApprovalLevel",
    "ApprovalRules",
    "ApprovalVerdict",
    "approval_policy",
    "timeout_policy",
]
