"""The Typer application that the commands are added to, and what they share."""

from pathlib import Path
from typing import Annotated

import typer

from ._open import read_config
from .config import ConfigError, Loaded

app = typer.Typer(
    name="codemode",
    help="Code Mode for Python: runs model-written TypeScript against your tools, in a sandbox.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
)

ToolsOption = Annotated[
    str | None,
    typer.Option(
        metavar="MODULE:NAME", help="A ToolRegistry in a module or a file (tools.py:registry)."
    ),
]
ConfigOption = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="A configuration: YAML, or JSON with mcpServers."),
]


@app.callback()
def _root() -> None:  # pyright: ignore[reportUnusedFunction]  # commands stay commands, also alone
    pass


def configured(config: str | None) -> tuple[Loaded, Path] | None:
    """The configuration that an option names.

    Raises:
        typer.BadParameter: it cannot be used.
    """
    if config is None:
        return None
    try:
        return read_config(config)
    except ConfigError as error:
        raise typer.BadParameter(str(error)) from None


def one_of(tools: str | None, config: str | None, *, is_needed: bool = True) -> None:
    """Raises typer.BadParameter unless one of the two options is given."""
    if tools is not None and config is not None:
        raise typer.BadParameter(
            "give --tools or --config, not both: a configuration names its tools"
        )
    if is_needed and tools is None and config is None:
        raise typer.BadParameter("say whose tools: --tools MODULE:NAME or --config FILE")
