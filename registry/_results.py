"""How a call's outcome becomes its result: what a tool gave, what it raised, what stopped it."""

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError, to_jsonable_python

from ..runtime import BindingError, JsonValue
from ..runtime.errors import describe
from ._json import NotJsonError, SameKeyError, compact, copy_json
from .content import ContentBlock, TextBlock, as_blocks, content_text
from .errors import ToolError, ToolOutputError
from .types import ToolErrorInfo, ToolExecutionResult, ToolOutput

if TYPE_CHECKING:
    from ._entry import Entry

MOST_VIOLATIONS = 20


def failure(
    call_id: str, message: str, kind: type[ToolError], *, code: str | None = None
) -> ToolExecutionResult:
    """An error of a class, with its code or another, that the model reads as ``Error: <message>``."""
    return _failed(call_id, message, kind.__name__, code or kind.code)


def _failed(call_id: str, message: str, name: str, code: str) -> ToolExecutionResult:
    return ToolExecutionResult(
        call_id=call_id,
        content=(TextBlock(f"Error: {message}"),),
        is_error=True,
        error=ToolErrorInfo(name, code),
    )


def failure_of(call_id: str, error: BaseException) -> ToolExecutionResult:
    """The result of whatever was raised. Total: the exception's own code may do anything."""
    code = "TOOL_FAILED"
    if isinstance(error, ToolError | BindingError):
        try:
            code = str.__str__(error.code or code)
        except BaseException:  # noqa: BLE001  # a subclass may have made anything of it
            code = "TOOL_FAILED"
    if isinstance(error, asyncio.CancelledError):
        return _failed(call_id, "the call was cancelled from within", "CancelledError", code)
    name = describe_class(error)
    return _failed(call_id, describe(error), name, code)


def describe_class(error: BaseException) -> str:
    try:
        return str.__str__(type(error).__name__)
    except BaseException:  # noqa: BLE001  # a metaclass of somebody's own
        return "Exception"


def success_of(call_id: str, entry: "Entry", raw: object) -> ToolExecutionResult:
    """The result of what a tool's body returned.

    Raises:
        ToolOutputError: it has no JSON form, or the tool is strict and its value breaks its schema.
    """
    output = raw if isinstance(raw, ToolOutput) else _object_form(entry, raw)
    if output is None:
        return _of_value(call_id, entry, raw)
    content = None if output.content is None else _blocks(entry, output.content)
    meta, context = _json(entry, output.meta, "meta"), _blocks(entry, output.context)
    if entry.definition.output is None and (output.value is None or content is not None):
        return ToolExecutionResult(
            call_id=call_id, content=content or (), meta=meta, additional_context=context
        )
    return _of_value(call_id, entry, output.value, content, meta, context)


_OF_MCP = frozenset(("isError", "structuredContent", "_meta"))


def _object_form(entry: "Entry", raw: object) -> ToolOutput | None:
    """Content and what belongs to it as one object: DSH's ``{content, meta}``, or a result of MCP, as JSON
    or as the SDK's own class.

    Raises:
        ToolError: it says that it is an error.
    """
    if isinstance(raw, BaseModel) and type(raw).__name__ == "CallToolResult":
        raw = raw.model_dump(mode="json", by_alias=True, exclude_none=True)
    if not isinstance(raw, dict):
        return None
    members = cast("dict[str, Any]", raw)
    content = members.get("content")
    is_mcp = bool(members.keys() & _OF_MCP)
    is_ours = entry.definition.output is None and members.keys() <= {"content", "meta"}
    if not isinstance(content, list) or not (is_mcp or is_ours):
        return None
    blocks = as_blocks(cast("list[object]", content))
    if blocks is None:
        return None
    if members.get("isError") is True:
        raise ToolError(content_text(blocks) or "the tool failed")
    return ToolOutput(
        content=blocks,
        value=members.get("structuredContent"),
        meta=members.get("meta", members.get("_meta")),
    )


def _of_value(
    call_id: str,
    entry: "Entry",
    raw: object,
    content: tuple[ContentBlock, ...] | None = None,
    meta: JsonValue = None,
    context: tuple[ContentBlock, ...] = (),
) -> ToolExecutionResult:
    if entry.definition.output is None:
        if content is None:
            content = _unstructured(entry, raw)
        return ToolExecutionResult(
            call_id=call_id, content=content, meta=meta, additional_context=context
        )
    value = cast("JsonValue", raw) if entry.is_run_code else _json(entry, raw, "value")
    violations = tuple(entry.output_violations(value))
    if violations and entry.definition.strict_output:
        raise ToolOutputError(
            f"{entry.definition.name} gave a result that breaks its output schema: "
            f"{'; '.join(violations[:MOST_VIOLATIONS])}"
        )
    return ToolExecutionResult(
        call_id=call_id,
        content=render(value) if content is None else content,
        value=value,
        has_value=True,
        meta=meta,
        additional_context=context,
        violations=violations,
    )


def _unstructured(entry: "Entry", raw: Any) -> tuple[ContentBlock, ...]:
    if raw is None:
        return ()
    if isinstance(raw, str):
        return (TextBlock(str.__str__(raw)),)
    if raw != [] and not isinstance(raw, Mapping):  # an empty list is data, an object is too
        blocks = as_blocks(raw)
        if blocks is not None:
            return blocks
    return render(_json(entry, cast("object", raw), "value"))


def render(value: JsonValue) -> tuple[ContentBlock, ...]:
    """A value as text: a text as it is, anything else as JSON on one line."""
    try:
        return (TextBlock(value if isinstance(value, str) else compact(value)),)
    except RecursionError:
        return (TextBlock("(a value that is nested too deeply to show)"),)


def _blocks(entry: "Entry", given: object) -> tuple[ContentBlock, ...]:
    blocks = as_blocks(given)
    if blocks is None:
        raise ToolOutputError(
            f"{entry.definition.name} gave content that is neither a text nor content blocks"
        )
    return blocks


def _json(entry: "Entry", raw: object, root: str) -> JsonValue:
    try:
        return jsonable(raw, root)
    except NotJsonError as error:
        raise ToolOutputError(
            f"{entry.definition.name} gave a result that is not JSON: {error}"
        ) from error


def jsonable(raw: object, root: str) -> JsonValue:
    """A JSON copy of a value, or of what pydantic makes of it (models, dataclasses, dates, sets, bytes).

    Raises:
        NotJsonError: there is none; the message says what and where.
    """
    try:
        return copy_json(raw, root)
    except SameKeyError:
        raise
    except NotJsonError as problem:
        try:
            made = to_jsonable_python(raw, inf_nan_mode="constants")
        except PydanticSerializationError:
            raise problem from None
        except Exception as error:
            raise NotJsonError(describe(error)) from error
        return copy_json(made, root)
    except Exception as error:
        raise NotJsonError(describe(error)) from error
