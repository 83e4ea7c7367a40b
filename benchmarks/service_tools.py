"""The tools that benchmarks/service.py serves."""

from codemode.registry import ToolRegistry

registry = ToolRegistry(mode="code")


@registry.tool
async def add(a: int, b: int) -> str:
    """Adds two numbers."""
    return str(a + b)
