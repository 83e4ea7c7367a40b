"""The log's entries about one call. A call made from within another is a code dispatch."""

from typing import TYPE_CHECKING

from ._json import copy_known
from .content import content_text
from .log import (
    CodeDispatchEntry,
    CodeDispatchStartEntry,
    ToolCallEntry,
    ToolResultEntry,
    summarize,
)

if TYPE_CHECKING:
    from .context import Call
    from .types import ToolExecutionResult


def begun(call: "Call") -> ToolCallEntry | CodeDispatchStartEntry:
    execution = call.execution
    arguments = call.logged = copy_known(call.arguments)  # one for both entries
    if execution.parent is None:
        return ToolCallEntry(
            call_id=execution.call_id,
            name=execution.name,
            arguments=arguments,
            scope=None if call.scope.parent is None else call.scope.name,
        )
    return CodeDispatchStartEntry(
        root_call_id=call.root_call_id,
        parent_call_id=execution.parent.call_id,
        sub_call_id=execution.call_id,
        name=execution.name,
        arguments=arguments,
    )


def ended(
    call: "Call", result: "ToolExecutionResult", duration_ms: float
) -> ToolResultEntry | CodeDispatchEntry:
    execution = call.execution
    if execution.parent is None:
        return ToolResultEntry(
            call_id=execution.call_id,
            content=result.content,
            is_error=result.is_error,
            error=result.error,
            meta=result.meta,
            violations=result.violations,
        )
    return CodeDispatchEntry(
        root_call_id=call.root_call_id,
        parent_call_id=execution.parent.call_id,
        sub_call_id=execution.call_id,
        name=execution.name,
        arguments=call.logged,
        is_error=result.is_error,
        error=result.error,
        content=result.content,
        result_summary=summarize(content_text(result.content)),
        duration_ms=duration_ms,
    )
