"""What the commands that talk to a service share."""

import json
import os
import sys
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from ._terminal import inert, write_json, write_line

if TYPE_CHECKING:
    from collections.abc import Generator

    from ._remote import Remote

DEFAULT_SERVER: Final = "http://127.0.0.1:8321"
ServerOption = Annotated[
    str,
    typer.Option(metavar="URL", envvar="CODEMODE_SERVER", help="The service."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@contextmanager
def service_at(server: str) -> "Generator[Remote]":
    """The service, with the token of the environment; what goes wrong ends the command with 1."""
    try:
        from ._remote import Remote, RemoteError  # brings its own extra
    except ModuleNotFoundError as error:
        raise typer.BadParameter(
            f"{error.name} is not installed: pip install 'codemode-runtime[serve]'"
        ) from None
    try:
        with Remote(server, os.environ.get("CODEMODE_TOKEN") or None) as remote:
            yield remote
    except RemoteError as error:
        write_line(sys.stderr, inert(f"codemode: {error}"))
        raise typer.Exit(1) from None


def show(value: Any, *, as_json: bool, text: str) -> None:
    """Prints a value as JSON, or the text that stands for it."""
    if as_json:
        write_json(value)
    else:
        write_line(sys.stdout, inert(text))


def moment(ms: float | None) -> str:
    """A time as people write it, in UTC."""
    if ms is None:
        return "-"
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")


def pretty(value: Any) -> str:
    """JSON for people."""
    return json.dumps(value, ensure_ascii=False, indent=2)
