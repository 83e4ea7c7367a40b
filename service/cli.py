"""The command ``codemode``."""

import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import Annotated, TypeVar

import typer

from ..registry import RUN_CODE_NAME, ToolRegistry, tool_catalog
from ..runtime import Binding, InvalidRequestError, Limits, RuntimeUnavailableError
from ..sdkgen import Detail
from . import _terminal
from ._load import LoadError, load_registry, load_tools
from ._run_command import read_program, run_program
from ._units import parse_duration_ms, parse_size_bytes

EXIT_OUTPUT_FAILED = 74  # EX_IOERR
EXIT_READER_GONE = 141  # what a shell shows for a process that SIGPIPE ended

app = typer.Typer(
    name="codemode",
    help="Code Mode for Python: runs model-written TypeScript against your tools, in a sandbox.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
)

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


@app.callback()
def _root() -> None:  # pyright: ignore[reportUnusedFunction]  # makes `run` a command of its own
    pass


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
    given = {
        "compute_ms": compute,
        "wall_ms": wall,
        "memory_bytes": memory,
        "log_bytes": logs,
        "value_bytes": value,
        "calls": calls,
    }
    try:
        limits = replace(
            Limits(), **{name: item for name, item in given.items() if item is not None}
        )
        program = read_program(source)
        given_tools: ToolRegistry | Mapping[str, Binding] = load_tools(tools) if tools else {}
    except UnicodeDecodeError as error:
        raise typer.BadParameter(f"{source} is not UTF-8 (byte {error.start})") from None
    except (OSError, LoadError, InvalidRequestError) as error:
        raise typer.BadParameter(str(error)) from None
    if isinstance(given_tools, ToolRegistry) and given_tools.mode == "native":
        raise typer.BadParameter(
            f'{tools} has the mode "native": make it with ToolRegistry(mode="code") to run programs'
        )
    try:
        code = run_program(program, tools=given_tools, limits=limits, as_json=as_json, seed=seed)
    except RuntimeUnavailableError as error:
        raise typer.BadParameter(str(error)) from None
    except BrokenPipeError:
        # The reader of our output went away (`| head`): nobody is left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(EXIT_READER_GONE) from None
    except OSError as error:
        typer.echo(f"codemode: the value cannot be written: {error}", err=True)
        raise typer.Exit(EXIT_OUTPUT_FAILED) from None
    raise typer.Exit(code)


_REGISTRY = Annotated[
    str,
    typer.Option(metavar="MODULE:NAME", help="A ToolRegistry in a module or a file."),
]


def _registry(reference: str) -> ToolRegistry:
    try:
        return load_registry(reference)
    except LoadError as error:
        raise typer.BadParameter(str(error)) from None


@app.command()
def sdk(
    tools: _REGISTRY,
    detail: Annotated[
        Detail | None, typer.Option(help="How much each tool is told [the registry's own].")
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option(help="Tell less of some tools, to stay within so many tokens.")
    ] = None,
) -> None:
    """Print the text that tells a model of the tools: the prompt's section tools:sdk."""
    registry = _registry(tools)
    own = registry.code_mode
    try:
        wanted = replace(
            own,
            sdk_detail=detail or own.sdk_detail,
            sdk_max_tokens=max_tokens if max_tokens is not None else own.sdk_max_tokens,
        )
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    _print(registry.sdk_text(code_mode=wanted))


@app.command("tools")
def list_tools(
    tools: _REGISTRY,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="The whole catalogue, as a Markdown document.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Names, descriptions and parameters, as JSON.")
    ] = False,
) -> None:
    """List the tools of a registry."""
    registry = _registry(tools)
    shown = [tool for tool in registry.visible() if tool.name != RUN_CODE_NAME]
    if markdown:
        _print(tool_catalog(shown))
    elif as_json:
        schemas = [schema for schema in registry.schemas() if schema.name != RUN_CODE_NAME]
        _print(json.dumps([asdict(schema) for schema in schemas], ensure_ascii=False, indent=2))
    else:
        width = max((len(tool.name) for tool in shown), default=0)
        for tool in sorted(shown, key=lambda tool: tool.name):
            first = (tool.description.strip().splitlines() or [""])[0]
            _print(f"{tool.name:{width}}  {first}".rstrip())


def _print(text: str) -> None:
    _terminal.write_line(sys.stdout, _terminal.inert(text.rstrip("\n")))


def main() -> None:
    """The entry point of the console script."""
    app(prog_name="codemode")


if __name__ == "__main__":
    sys.exit(main())
