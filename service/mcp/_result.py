"""What a raw ``tools/call`` result means. One table:

1. ``structuredContent``, if it is there (``null`` too): that value;
2. one text block that is a JSON object or list: that value;
3. text blocks alone, or nothing: their text, a line each;
4. otherwise: the blocks, as JSON.

The model's content is the blocks as the server sent them. An error is its text, and no schema is applied to it.
Presence is read from the raw message: the SDK's models do not tell ``null`` from absent.
"""

import json
from collections.abc import Callable, Mapping
from typing import Final, NoReturn, cast

from ...registry import ContentBlock, TextBlock, ToolError, ToolOutput, content_text
from ...registry.content import block_from_json, block_to_json
from ...runtime import JsonValue
from ._tool import McpTool

LONGEST_ERROR: Final = 8_000
_PLAIN_TYPES: Final = frozenset(("integer", "number", "boolean", "null"))


def read_result(
    tool: McpTool, raw: Mapping[str, JsonValue], hide: Callable[[str], str] = str
) -> ToolOutput:
    """The output of a call. ``hide`` redacts the text of an error.

    Raises:
        ToolError: the server says that the call failed.
    """
    blocks = _blocks(raw.get("content"))
    if raw.get("isError") is True:
        raise ToolError(_cut(hide(_error_text(tool, raw, blocks))))
    if raw.get("resultType", "complete") != "complete":
        raise ToolError(
            f'tool "{tool.name}" of server "{tool.server}" wants input from a person, which cannot be '
            "given here"
        )
    value = _value(tool, raw, blocks)
    meta = raw.get("_meta")
    return ToolOutput(
        content=blocks or None, value=value, meta=meta if isinstance(meta, dict) else None
    )


def _blocks(content: JsonValue) -> list[ContentBlock]:
    """The blocks; what is none is kept as its JSON text, and a missing list is an empty one."""
    if isinstance(content, str):
        return [TextBlock(content)]
    if not isinstance(content, list):
        return []
    made: list[ContentBlock] = []
    for item in content:
        block = block_from_json(item)
        made.append(TextBlock(json.dumps(item)) if block is None else block)
    return made


def _error_text(tool: McpTool, raw: Mapping[str, JsonValue], blocks: list[ContentBlock]) -> str:
    text = content_text(blocks).strip()
    structured = raw.get("structuredContent")
    if not text and structured is not None:
        text = json.dumps(structured)
    if not text:
        return f'tool "{tool.name}" of server "{tool.server}" failed without saying why'
    return text


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_ERROR else f"{text[:LONGEST_ERROR]}…"


def _value(tool: McpTool, raw: Mapping[str, JsonValue], blocks: list[ContentBlock]) -> JsonValue:
    if "structuredContent" in raw:
        value = raw["structuredContent"]
        if tool.is_wrapped and isinstance(value, dict) and value.keys() == {"result"}:
            return value["result"]
        return value
    if all(isinstance(block, TextBlock) for block in blocks):
        text = content_text(blocks)
        return _parsed(tool, text) if len(blocks) == 1 else text
    return [block_to_json(block) for block in blocks]


def _parsed(tool: McpTool, text: str) -> JsonValue:
    """The JSON that a text is, or the text itself. A bare number is JSON only where the schema says so:
    else it may well be an id."""
    start = text.lstrip()[:1]
    kind = None if tool.output is None else tool.output.get("type")
    if start not in ("{", "[") and not (isinstance(kind, str) and kind in _PLAIN_TYPES):
        return text
    try:
        return cast("JsonValue", json.loads(text, parse_constant=_refuse, parse_float=_finite))
    except (ValueError, RecursionError):  # NaN, 1e400, 5,000 digits, or no JSON: it stays a text
        return text


def _refuse(word: str) -> NoReturn:
    raise ValueError(word)


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError(text)
    return number
