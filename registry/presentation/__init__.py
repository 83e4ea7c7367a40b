"""How a tool's calls look in a user interface, as typed values: cards, their JSON, their ACP form.

A tool gives a *call view* while its call is pending and a *result view* when it has ended; ``None``
stands for the generic presentation. Views are provider-neutral; :func:`acp_tool_call` and
:func:`acp_tool_call_update` map them to the Agent Client Protocol.
"""

from ._acp import acp_tool_call, acp_tool_call_update
from ._json import call_view_from_json, result_view_from_json, view_to_json
from ._views import (
    TOOL_KINDS,
    DiffCall,
    DiffResult,
    FileDiff,
    GenericCall,
    GenericResult,
    Location,
    TerminalCall,
    TerminalResult,
    ToolCallView,
    ToolKind,
    ToolResultView,
)

__all__ = [
    "TOOL_KINDS",
    "DiffCall",
    "DiffResult",
    "FileDiff",
    "GenericCall",
    "GenericResult",
    "Location",
    "TerminalCall",
    "TerminalResult",
    "ToolCallView",
    "ToolKind",
    "ToolResultView",
    "acp_tool_call",
    "acp_tool_call_update",
    "call_view_from_json",
    "result_view_from_json",
    "view_to_json",
]
