"""The ``tools/post-execute`` stage: what listeners make of a result."""

from dataclasses import replace
from typing import TYPE_CHECKING

from ._json import copy_known
from ._results import failure_of, jsonable, render
from ._signals import contain
from ._waterfall import Waterfall
from .content import TextBlock, as_blocks
from .context import Call, ExecContext
from .errors import ListenerError, ToolBlockedError
from .types import (
    UNCHANGED,
    Accept,
    Block,
    PostToolDecision,
    ToolErrorInfo,
    ToolExecutionResult,
    Unchanged,
)

if TYPE_CHECKING:
    from ._listening import Listener
    from .content import ContentBlock

_ACCEPT = Accept()


async def _accept() -> PostToolDecision:
    return _ACCEPT


async def judge(
    call: Call, result: ToolExecutionResult, listeners: "tuple[Listener, ...]"
) -> ToolExecutionResult:
    """The result that the listeners leave. Their decision is the only channel: changing the result
    that they are shown changes nothing."""
    shown = result
    if isinstance(result.value, dict | list) or isinstance(result.meta, dict | list):
        shown = replace(result, value=copy_known(result.value), meta=copy_known(result.meta))
    chain = Waterfall[PostToolDecision](
        "tools/post-execute",
        listeners,
        lambda function, asking: function(ExecContext(call), shown, asking),
        _accept,
        (Accept, Block),
    )
    try:
        decision = await chain.run()
        if decision is _ACCEPT:
            return result
        return _decided(call, result, decision)
    except BaseException as error:  # noqa: BLE001  # a listener's; every failure is a result
        contain(error)
        return failure_of(call.execution.call_id, error)


def _context(given: object) -> "tuple[ContentBlock, ...]":
    blocks = as_blocks(given)
    if blocks is None:
        raise ListenerError("additional_context of a post-execute decision is not text or blocks")
    return blocks


def _decided(
    call: Call, result: ToolExecutionResult, decision: PostToolDecision
) -> ToolExecutionResult:
    context = _context(decision.additional_context)
    if isinstance(decision, Block):
        call.deferred.clear()  # what came with the withheld result is withheld
        return ToolExecutionResult(
            call_id=result.call_id,
            content=(TextBlock(decision.feedback),),
            is_error=True,
            error=ToolErrorInfo.of(ToolBlockedError),
            additional_context=context,
        )
    context = (*result.additional_context, *context)
    has_content, has_value = decision.content is not UNCHANGED, decision.value is not UNCHANGED
    if has_content and has_value:
        raise ListenerError("an Accept has content or a value, not both: content is made from it")
    if has_value:
        return replace(_with_value(call, result, decision.value), additional_context=context)
    if has_content and not isinstance(decision.content, Unchanged):
        content = as_blocks(decision.content)
        if content is None:
            raise ListenerError("the content of an Accept is not a text or content blocks")
        # a program reads the value where there is one: what content replaces must not reach it so
        return replace(
            result, content=content, value=None, has_value=False, violations=(),
            additional_context=context,
        )  # fmt: skip
    return replace(result, additional_context=context)


def _with_value(call: Call, result: ToolExecutionResult, given: object) -> ToolExecutionResult:
    entry = call.entry
    if result.is_error or entry is None or entry.definition.output is None:
        raise ListenerError(
            "an Accept can replace the value of a successful, structured result only"
        )
    try:
        value = jsonable(given, "value")
    except ValueError as error:
        raise ListenerError(f"the value of an Accept is not JSON: {error}") from error
    violations = tuple(entry.output_violations(value))
    if violations and entry.definition.strict_output:
        raise ListenerError(
            f"the value of an Accept breaks the tool's output schema: {'; '.join(violations[:5])}"
        )
    return replace(result, value=value, content=render(value), violations=violations)
