"""``codemode mcp``, ``codemode config check`` and ``codemode doctor``."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import anyio
import typer

from . import _terminal
from ._cli_app import ConfigOption, ToolsOption, app, configured, one_of
from ._doctor import Finding, examine
from ._interrupt import InterruptedBySignalError, until_interrupted
from ._load import LoadError
from ._open import MissingExtraError, say
from .config import ConfigError, load_config

config_app = typer.Typer(name="config", help="Look at a configuration.", no_args_is_help=True)
app.add_typer(config_app)


@app.command()
def mcp(
    tools: ToolsOption = None,
    config: ConfigOption = None,
    http: Annotated[
        int | None,
        typer.Option(
            metavar="PORT", min=0, max=65535, help="Serve streamable HTTP here, not stdio."
        ),
    ] = None,
    host: Annotated[str, typer.Option(help="Where to listen, of this machine.")] = "127.0.0.1",
    tokens: Annotated[
        int, typer.Option(min=100, help="Budget of the tools' text in the instructions.")
    ] = 8_000,
    discovery: Annotated[
        bool, typer.Option("--discovery", help="Also offer search_tools and describe_tool.")
    ] = False,
) -> None:
    """Serve run_code to an MCP client, over standard input and output or HTTP."""
    one_of(tools, config)
    read = configured(config)
    try:
        from ._app import refuse_nesting
        from ._mcp_command import McpCommand, run

        refuse_nesting()
        run(
            McpCommand(
                tools=tools, config=read, host=host, port=http, tokens=tokens, discovery=discovery
            )
        )
    except ModuleNotFoundError as error:
        raise typer.BadParameter(
            f"{error.name} is not installed: pip install 'codemode-runtime[mcp]'"
        ) from None
    except (LoadError, ConfigError, MissingExtraError) as error:
        raise typer.BadParameter(str(error)) from None
    except InterruptedBySignalError as error:
        raise typer.Exit(error.exit_code) from None


@config_app.command()
def check(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The configuration.")],
    as_json: Annotated[bool, typer.Option("--json", help="What was read, as JSON.")] = False,
) -> None:
    """Check a configuration without starting anything."""
    try:
        loaded = load_config(Path(file))
    except ConfigError as error:
        faults = str(error).splitlines()
        if as_json:
            _terminal.write_json({"faults": faults, "warnings": [], "servers": [], "tools": []})
        else:
            _terminal.write_line(sys.stderr, _terminal.inert("\n".join(faults)))
        raise typer.Exit(2) from None
    config = loaded.config
    if as_json:
        _terminal.write_json(
            {
                "faults": [],
                "warnings": list(loaded.warnings),
                "servers": list(config.servers),
                "tools": config.tools,
            }
        )
        return
    for warning in loaded.warnings:
        say(f"warning: {warning}")
    _print(f"{file}: {len(config.servers)} servers, {len(config.tools)} tool modules")


@app.command()
def doctor(
    config: ConfigOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="The findings, as JSON.")] = False,
) -> None:
    """Check the sandbox and, with --config, its servers and tools; say what to do."""
    try:
        found = anyio.run(until_interrupted, lambda: examine(config))
    except InterruptedBySignalError as error:
        raise typer.Exit(error.exit_code) from None
    if as_json:
        _terminal.write_json([asdict(each) for each in found])
    else:
        for each in found:
            _print(_line(each))
    raise typer.Exit(0 if all(each.is_well for each in found) else 1)


def _line(finding: Finding) -> str:
    mark = "ok  " if finding.is_well else "BAD "
    advice = f"\n     -> {finding.advice}" if finding.advice else ""
    return f"{mark} {finding.name}: {finding.detail}{advice}"


def _print(text: str) -> None:
    _terminal.write_line(sys.stdout, _terminal.inert(text))
