"""The command ``codemode``."""

import logging
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Annotated, TypeVar

import typer

from ..registry import ToolRegistry
from ..runtime import Binding, InvalidRequestError, Limits, RuntimeUnavailableError
from . import _cli_approvals, _cli_mcp, _cli_runs, _cli_serve, _cli_tokens, _cli_tools
from ._cli_app import ConfigOption, app, configured, one_of
from ._load import LoadError, load_tools
from ._open import MissingExtraError, SayHandler
from ._run_command import Tools, read_program, run_program
from ._units import parse_duration_ms, parse_size_bytes
from .config import ConfigError

EXIT_OUTPUT_FAILED = 74  # EX_IOERR
EXIT_READER_GONE = 141  # what a shell shows for a process that SIGPIPE ended
COMMANDS = (
    _cli_approvals,
    _cli_mcp,
    _cli_runs,
    _cli_serve,
    _cli_tokens,
    _cli_tools,
)  # they add themselves

_Quantity = TypeVar("_Quantity", int, float)


def _quantity(parse: Callable[[str], _Quantity]) -> Callable[[str], _Quantity]:
    def convert(text: str) -> _Quantity:
        try:
            return parse(text)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None

    return convert


_duration = _quantity(parse_duration_ms)
_size = _quantity(parse_size_bytes)


@app.command()
def run(
    source: Annotated[
        str, typer.Argument(metavar="FILE", help="The program's file; - for standard input.")
    ],
    tools: Annotated[
        str | None,
        typer.Option(
            metavar="MODULE:NAME",
            help="A ToolRegistry, or a mapping of names to async functions, in a module or a file "
            "(tools.py:registry).",
        ),
    ] = None,
    config: ConfigOption = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the value's JSON on one line, also on a terminal.")
    ] = False,
    compute: Annotated[
        float | None, typer.Option(parser=_duration, metavar="TIME", help="CPU budget [60s].")
    ] = None,
    wall: Annotated[
        float | None, typer.Option(parser=_duration, metavar="TIME", help="Time budget [600s].")
    ] = None,
    memory: Annotated[
        int | None, typer.Option(parser=_size, metavar="SIZE", help="Memory [128MiB].")
    ] = None,
    logs: Annotated[
        int | None, typer.Option(parser=_size, metavar="SIZE", help="Log output [64KiB].")
    ] = None,
    value: Annotated[
        int | None, typer.Option(parser=_size, metavar="SIZE", help="Completion value [8MiB].")
    ] = None,
    calls: Annotated[int | None, typer.Option(help="Calls in the whole run [100000].")] = None,
    seed: Annotated[
        int | None, typer.Option(help="Makes Math.random and crypto repeat themselves.")
    ] = None,
) -> None:
    """Run one program.

    Exit codes: 0 finished, 1 exception, 2 wrong usage, 3 timeout, 4 memory-limit, 5 output-limit,
    6 invalid-output, 7 worker-exit, 130 abort.
    """
    one_of(tools, config, is_needed=False)
    given = {
        "compute_ms": compute,
        "wall_ms": wall,
        "memory_bytes": memory,
        "log_bytes": logs,
        "value_bytes": value,
        "calls": calls,
    }
    chosen = {name: item for name, item in given.items() if item is not None}
    try:
        limits = replace(Limits(), **chosen) if chosen else None
        program = read_program(source)
        given_tools = _tools(tools, config)
    except UnicodeDecodeError as error:
        raise typer.BadParameter(f"{source} is not UTF-8 (byte {error.start})") from None
    except (OSError, LoadError, InvalidRequestError) as error:
        raise typer.BadParameter(str(error)) from None
    try:
        code = run_program(program, tools=given_tools, limits=limits, as_json=as_json, seed=seed)
    except (RuntimeUnavailableError, ConfigError, MissingExtraError) as error:
        raise typer.BadParameter(str(error)) from None
    except BrokenPipeError:
        # The reader of our output went away (`| head`): nobody is left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(EXIT_READER_GONE) from None
    except OSError as error:
        typer.echo(f"codemode: the value cannot be written: {error}", err=True)
        raise typer.Exit(EXIT_OUTPUT_FAILED) from None
    raise typer.Exit(code)


def _tools(tools: str | None, config: str | None) -> Tools:
    read = configured(config)
    if read is not None:
        return read
    nothing: Mapping[str, Binding] = {}
    found = nothing if tools is None else load_tools(tools)
    if isinstance(found, ToolRegistry) and found.mode == "native":
        raise typer.BadParameter(
            f'{tools} has the mode "native": make it with ToolRegistry(mode="code") to run programs'
        )
    return found


def main() -> None:
    """The entry point of the console script."""
    logging.getLogger("codemode").addHandler(SayHandler(logging.WARNING))
    app(prog_name="codemode")


if __name__ == "__main__":
    sys.exit(main())
