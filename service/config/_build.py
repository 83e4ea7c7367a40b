"""From checked words to the limits and options that they mean."""

from typing import Any

from ...registry import CodeMode
from ...runtime import Limits
from ._model import CodeModeConfig, LimitsConfig


def limits_of(given: LimitsConfig) -> Limits:
    """The limits of runs.

    Raises:
        ValueError: one is out of its range.
    """
    return Limits(
        **_given(
            compute_ms=given.compute,
            wall_ms=given.wall,
            memory_bytes=given.memory,
            log_bytes=given.logs,
            value_bytes=given.value,
            calls=given.calls,
        )
    )


def code_mode_of(given: CodeModeConfig) -> CodeMode:
    """How programs run.

    Raises:
        ValueError: a value is out of its range.
    """
    return CodeMode(
        **_given(
            output_bytes=given.output,
            max_parallel_sub_calls=given.max_parallel_sub_calls,
            drain_ms=given.drain,
            approval_ms=given.approval,
            sdk_detail=given.sdk_detail,
            sdk_max_tokens=given.sdk_max_tokens,
        )
    )


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
