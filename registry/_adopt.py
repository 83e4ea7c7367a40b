"""A result that went through somebody's hands, checked like a tool's own."""

from dataclasses import replace

from ._json import NotJsonError
from ._results import jsonable
from .content import as_blocks
from .context import Call
from .errors import ListenerError, ToolError
from .types import ToolErrorInfo, ToolExecutionResult

_WHO = "a tools/execute listener returned a result"


def adopt(call: Call, result: ToolExecutionResult) -> ToolExecutionResult:
    """The result that a wrapper made or may have changed.

    Raises:
        ListenerError: it is none that can be passed on.
    """
    call_id = call.execution.call_id
    content, context = as_blocks(result.content), as_blocks(result.additional_context)
    if content is None or context is None:
        raise ListenerError(f"{_WHO} whose content is not blocks")
    try:
        meta = jsonable(result.meta, "meta")
        value = jsonable(result.value, "value") if result.has_value else None
    except NotJsonError as error:
        raise ListenerError(f"{_WHO} that is not JSON: {error}") from error
    if result.is_error:
        error = result.error or ToolErrorInfo.of(ToolError)
        if not isinstance(error, ToolErrorInfo):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ListenerError(f"{_WHO} whose error is no ToolErrorInfo")
        return ToolExecutionResult(
            call_id=call_id, content=content, is_error=True, error=error,
            meta=meta, additional_context=context,
        )  # fmt: skip
    entry, violations = call.entry, tuple(result.violations)
    if entry is not None and result.has_value:
        violations = tuple(entry.output_violations(value))
        if violations and entry.definition.strict_output:
            raise ListenerError(
                "a tools/execute listener returned a value that breaks the tool's output schema: "
                f"{'; '.join(violations[:5])}"
            )
    return replace(
        result, call_id=call_id, content=content, error=None, value=value, meta=meta,
        additional_context=context, violations=violations,
    )  # fmt: skip
