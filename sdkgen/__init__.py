"""JSON Schema to TypeScript, and a tool set to the text that a model writes programs against.

Pure functions over plain data: no I/O, nothing of ours imported, the same text for the same input.
"""

from ._expression import json_schema_to_ts
from ._instructions import INSTRUCTIONS
from ._sdk import estimate_tokens, render_tools_sdk
from ._tools import Detail

__all__ = [
    "INSTRUCTIONS",
    "Detail",
    "estimate_tokens",
    "json_schema_to_ts",
    "render_tools_sdk",
]
