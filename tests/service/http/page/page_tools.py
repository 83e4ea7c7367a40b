"""The tools of the service whose page is tested: some ask a person, one waits to be told."""

import asyncio

from codemode.registry import Ask, ToolRegistry

registry = ToolRegistry(mode="both")
_gate = asyncio.Event()


@registry.tool
async def add(a: int, b: int) -> int:
    """Adds."""
    return a + b


@registry.tool
async def hold() -> str:
    """Waits for ``release``."""
    await _gate.wait()
    return "held"


@registry.tool
async def release() -> None:
    """Lets whoever holds go on."""
    global _gate
    _gate.set()
    _gate = asyncio.Event()


@registry.tool
async def note(text: object) -> None:
    """Takes anything."""


@registry.tool
async def send(to: str, text: str = "") -> str:
    """Sends, when a person allows it."""
    return f"sent to {to}"


@registry.tool
async def edit_file(path: str, old_string: str, new_string: str) -> str:
    """Edits, when a person allows it."""
    return "edited"


registry.on_pre_execute(
    lambda exec, next: (
        Ask("this is for a person to allow") if exec.name in ("send", "edit_file") else next()
    )
)
