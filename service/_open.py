"""The registry that a command of the command line is about: from ``--tools`` or from ``--config``."""

import logging
import math
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import anyio

from ..registry import ToolRegistry
from ._load import load_registry
from ._terminal import inert, write_line
from .config import ConfigError, Loaded, load_config

if TYPE_CHECKING:
    from .mcp import ServerStatus, ToolProgress


class MissingExtraError(Exception):
    """MCP is not installed; the message says how it is."""


def read_config(file: str) -> tuple[Loaded, Path]:
    """The configuration and the folder that its paths are relative to. Warnings go to standard error.

    Raises:
        ConfigError: it cannot be used.
    """
    path = Path(file)
    loaded = load_config(path)
    for warning in loaded.warnings:
        say(f"warning: {warning}")
    return loaded, path.resolve().parent


class SayHandler(logging.Handler):
    """What the packages log (servers that fail, schemas that are not understood), said as ``say`` does."""

    def emit(self, record: logging.LogRecord) -> None:
        """Says the record's message."""
        try:
            say(record.getMessage())
        except (OSError, ValueError):
            self.handleError(record)


def say(text: str) -> None:
    """A line for the person, on standard error."""
    write_line(sys.stderr, inert(f"codemode: {text}"))


@asynccontextmanager
async def open_registry(
    tools: str | None,
    config: tuple[Loaded, Path] | None,
    *,
    quiet: bool = False,
    settle_seconds: float = math.inf,
    on_progress: "Callable[[ToolProgress], None] | None" = None,
) -> AsyncGenerator[ToolRegistry]:
    """The registry, with its servers settled: each is there or has said why not; or as they are after
    ``settle_seconds``.

    Raises:
        LoadError: there is no registry at ``tools``.
        ConfigError: the configuration's tools do not fit, or all its servers have failed.
        MissingExtraError: it has servers, and MCP is not installed.
    """
    if config is None:
        assert tools is not None
        yield load_registry(tools)
        return
    try:
        from ._app import open_app  # brings the MCP SDK with it
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            f"{error.name} is not installed: pip install 'codemode-runtime[mcp]'"
        ) from error
    loaded, folder = config

    def told(status: "ServerStatus") -> None:
        if status.state == "ready" and not quiet:
            say(f"{status.name}: {status.tools} tools")

    async with open_app(loaded, folder=folder, on_status=told, on_progress=on_progress) as app:
        if app.servers is not None:
            with anyio.move_on_after(settle_seconds):
                await app.servers.wait_settled()
            states = [status.state for status in app.servers.status()]
            if states and all(state == "failed" for state in states) and not loaded.config.tools:
                raise ConfigError("none of the servers is there; each has said why")
        yield app.registry
