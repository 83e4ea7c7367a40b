"""What the server offers: ``run_code`` and, by choice, search and description of the tools behind it."""

from typing import Any, Final

import mcp_types as types

from ...registry import RUN_CODE_NAME, ToolRegistry
from ...registry.code_mode import OUTPUT
from ...runtime import JsonValue

SEARCH_NAME: Final = "search_tools"
DESCRIBE_NAME: Final = "describe_tool"

_HINTS: Final = types.ToolAnnotations(
    read_only_hint=True, idempotent_hint=True, open_world_hint=False
)


def run_code_tool(registry: ToolRegistry) -> types.Tool:
    """The definition of ``run_code`` for a client, with the schema of its structured result."""
    definition = registry.get(RUN_CODE_NAME)
    assert definition is not None, "a registry in native mode"
    return types.Tool(
        name=RUN_CODE_NAME,
        title="Run a program",
        description=definition.description
        + " The tools are declared in this server's instructions; inside a program "
        '`tools.$search("words")` and `tools.$describe("name")` tell of all of them.',
        input_schema=_plain(definition.parameters),
        output_schema=_plain(OUTPUT),
    )


def discovery_tools() -> list[types.Tool]:
    """The two that tell of tools without running a program."""
    text = {"type": "string"}
    return [
        types.Tool(
            name=SEARCH_NAME,
            title="Search the tools",
            description="Finds tools that programs of run_code can call, by words.",
            input_schema={
                "type": "object",
                "properties": {"query": text, "limit": {"type": "integer", "minimum": 1}},
                "required": ["query"],
            },
            annotations=_HINTS,
        ),
        types.Tool(
            name=DESCRIBE_NAME,
            title="Describe a tool",
            description="Gives the TypeScript declaration of one tool that programs of run_code can call.",
            input_schema={"type": "object", "properties": {"name": text}, "required": ["name"]},
            annotations=_HINTS,
        ),
    ]


def _plain(schema: Any) -> dict[str, JsonValue]:
    return dict(schema)
