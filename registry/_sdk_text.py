"""The text of ``tools:sdk``, kept until the tools change: rendering thousands of tools takes a while."""

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from ..sdkgen import render_tools_sdk
from .discovery import DISCOVERY_TEXT, sdk_tools

if TYPE_CHECKING:
    from .code_mode import CodeMode
    from .scope import ToolScope


class SdkText:
    """The SDK texts of one registry's scopes."""

    def __init__(self, options: "CodeMode") -> None:
        self._options = options
        self._texts: WeakKeyDictionary[ToolScope, tuple[object, str]] = WeakKeyDictionary()

    def text(self, scope: "ToolScope") -> str:
        view = scope.entries()
        known = self._texts.get(scope)
        if known is not None and known[0] is view:  # a view lives until what is seen changes
            return known[1]
        text = self._render(scope)
        self._texts[scope] = (view, text)
        return text

    def _render(self, scope: "ToolScope") -> str:
        options = self._options
        tools = sdk_tools(scope)
        text = render_tools_sdk(tools, detail=options.sdk_detail, max_tokens=options.sdk_max_tokens)
        is_full = options.sdk_detail == "full" and (
            options.sdk_max_tokens is None or text == render_tools_sdk(tools)
        )
        return text if is_full else f"{text}\n{DISCOVERY_TEXT}"
