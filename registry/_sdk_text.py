"""The text of ``tools:sdk``, kept until the tools change: rendering thousands of tools takes a while."""

from typing import TYPE_CHECKING

from ..sdkgen import render_tools_sdk
from .discovery import DISCOVERY_TEXT, sdk_tools

if TYPE_CHECKING:
    from .code_mode import CodeMode
    from .scope import ToolScope


def sdk_text(scope: "ToolScope", options: "CodeMode") -> str:
    """The text for one caller. It is kept with the caller's view of the tools, and goes with it."""
    key = ("sdk", options.sdk_detail, options.sdk_max_tokens)
    kept = scope.keep(key)
    if isinstance(kept, str):
        return kept
    text = _render(scope, options)
    scope.keep(key, text)
    return text


def _render(scope: "ToolScope", options: "CodeMode") -> str:
    tools = sdk_tools(scope)
    text = render_tools_sdk(tools, detail=options.sdk_detail, max_tokens=options.sdk_max_tokens)
    is_full = options.sdk_detail == "full" and (
        options.sdk_max_tokens is None or text == render_tools_sdk(tools)
    )
    return text if is_full else f"{text}\n{DISCOVERY_TEXT}"
