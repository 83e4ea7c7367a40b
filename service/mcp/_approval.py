"""Which calls of MCP tools are asked about."""

from typing import TYPE_CHECKING

from ...registry import Ask, ExecContext, Next, PreToolDecision

if TYPE_CHECKING:
    from ...registry import PreListener
    from ._client import McpServers


def mcp_approval(servers: "McpServers", *, ask_unless_harmless: bool = False) -> "PreListener":
    """A pre-execute listener, for ``registry.on_pre_execute``. Other tools and calls pass on to the next.

    It asks before a call of a tool

    - whose description or schema has changed since it was last used (its server may have been replaced);
    - that says of itself that it is destructive;
    - with ``ask_unless_harmless``: that is not known to be harmless. Harmless is a tool of a trusted
      server that is read-only, or idempotent and expressly not destructive.

    Hints of a server that is not trusted never spare a question.
    """

    async def approve(exec: ExecContext, next: Next) -> PreToolDecision:
        tool = servers.tool(exec.name)
        registered = servers.definition(exec.name)
        if tool is None or registered is None or exec.tool is not registered:
            return await next()  # not ours, or shadowed by another's
        where = f'"{tool.name}" of server "{tool.server}"'
        if servers.change_of(exec.name) is not None:
            return Ask(f"{where} has changed since it was last used")
        hints = tool.hints
        if hints.destructive is True:
            return Ask(f"{where} says that it may destroy something")
        is_harmless = servers.is_trusted(tool.server) and (
            hints.read_only is True or (hints.idempotent is True and hints.destructive is False)
        )
        if ask_unless_harmless and not is_harmless:
            return Ask(f"{where} is not known to be harmless")
        return await next()

    return approve
