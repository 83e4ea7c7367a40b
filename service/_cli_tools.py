"""``codemode sdk`` and ``codemode tools``: what a model would be told."""

import json
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Annotated

import anyio
import typer

from ..registry import RUN_CODE_NAME, ToolRegistry, tool_catalog
from ..sdkgen import Detail, estimate_tokens
from . import _terminal
from ._cli_app import ConfigOption, ToolsOption, app, configured, one_of
from ._interrupt import InterruptedBySignalError, until_interrupted
from ._load import LoadError
from ._open import MissingExtraError, open_registry, say
from .config import ConfigError


def _show(
    tools: str | None, config: str | None, text_of: Callable[[ToolRegistry], str], *, as_json: bool
) -> None:
    one_of(tools, config)
    read = configured(config)

    async def work() -> str:
        async with open_registry(tools, read, quiet=not sys.stderr.isatty()) as registry:
            return text_of(registry)

    try:
        text = anyio.run(until_interrupted, work)
    except (LoadError, ConfigError, MissingExtraError) as error:
        raise typer.BadParameter(str(error)) from None
    except InterruptedBySignalError as error:
        raise typer.Exit(error.exit_code) from None
    _terminal.write_line(sys.stdout, text if as_json else _terminal.inert(text.rstrip("\n")))


@app.command()
def sdk(
    tools: ToolsOption = None,
    config: ConfigOption = None,
    detail: Annotated[
        Detail | None, typer.Option(help="How much each tool is told [the registry's own].")
    ] = None,
    max_tokens: Annotated[
        int | None,
        typer.Option(min=1, help="Tell less of some tools, to stay within so many tokens."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="The text and its cost in tokens, as JSON.")
    ] = False,
) -> None:
    """Print the text that tells a model of the tools: the prompt's section tools:sdk.

    Its cost in tokens goes to standard error, beside that of the same tools as function definitions.
    """

    def text_of(registry: ToolRegistry) -> str:
        own = registry.code_mode
        wanted = replace(
            own,
            sdk_detail=detail or own.sdk_detail,
            sdk_max_tokens=max_tokens if max_tokens is not None else own.sdk_max_tokens,
        )
        text = registry.sdk_text(code_mode=wanted)
        native = json.dumps(_definitions(registry), ensure_ascii=False, separators=(",", ":"))
        costs = {"tokens": estimate_tokens(text), "native_tokens": estimate_tokens(native)}
        if as_json:
            return json.dumps({"sdk": text, **costs})
        say(f"about {costs['tokens']} tokens; {costs['native_tokens']} as function definitions")
        return text

    _show(tools, config, text_of, as_json=as_json)


@app.command("tools")
def list_tools(
    tools: ToolsOption = None,
    config: ConfigOption = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="The whole catalogue, as a Markdown document.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Names, descriptions and parameters, as JSON.")
    ] = False,
) -> None:
    """List the tools of a registry, or of the servers of a configuration."""

    def text_of(registry: ToolRegistry) -> str:
        if as_json:
            return json.dumps(_definitions(registry), indent=2)
        shown = [tool for tool in registry.visible() if tool.name != RUN_CODE_NAME]
        if markdown:
            return tool_catalog(shown)
        width = max((len(tool.name) for tool in shown), default=0)
        lines = [
            f"{tool.name:{width}}  {(tool.description.strip().splitlines() or [''])[0]}".rstrip()
            for tool in sorted(shown, key=lambda tool: tool.name)
        ]
        return "\n".join(lines)

    _show(tools, config, text_of, as_json=as_json)


def _definitions(registry: ToolRegistry) -> list[dict[str, object]]:
    return [asdict(schema) for schema in registry.schemas() if schema.name != RUN_CODE_NAME]
