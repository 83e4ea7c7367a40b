"""``codemode run``: one program, its logs as they come, its value, an exit code that says how it ended."""

import contextlib
import signal
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import anyio

from ..registry import ToolRegistry
from ..runtime import (
    AbortController,
    AbortSignal,
    Binding,
    BindingNamespace,
    FailureKind,
    Limits,
    LogEntry,
    QuickJSRuntime,
    RunFailure,
    RunRequest,
    RunResult,
)
from . import _terminal
from ._interrupt import watch
from ._open import open_registry
from ._registry_run import run_in_registry
from .config import Loaded

EXIT_CODES: Final[Mapping[FailureKind, int]] = {
    "exception": 1,
    "timeout": 3,
    "memory-limit": 4,
    "output-limit": 5,
    "invalid-output": 6,
    "worker-exit": 7,
    "abort": 130,
}
"""0: the program finished. 2: the command line is wrong (typer's own)."""


def read_program(source: str) -> str:
    """The text of a file, or of standard input for ``-``.

    Raises:
        OSError: it cannot be read.
        UnicodeDecodeError: it is not UTF-8.
    """
    if source == "-":
        return sys.stdin.buffer.read().decode()
    return Path(source).read_bytes().decode()


Tools = ToolRegistry | Mapping[str, Binding] | tuple[Loaded, Path]
"""A registry, a mapping of functions, or a configuration with its folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Job:
    program: str
    tools: Tools
    limits: Limits | None
    seed: int | None
    on_log: Callable[[LogEntry], None]


async def _run(job: _Job) -> RunResult:
    controller, starting = AbortController(), anyio.CancelScope()
    result: RunResult | Exception = RunResult(
        error=RunFailure(kind="abort", message="interrupted before the program began")
    )

    def stop(number: int) -> None:
        controller.abort(f"interrupted by {signal.Signals(number).name}")
        if not has_begun:
            starting.cancel()

    has_begun = not isinstance(job.tools, tuple)
    async with anyio.create_task_group() as group:
        await group.start(watch, stop)
        try:
            if isinstance(job.tools, tuple):
                with starting:
                    async with open_registry(
                        None, job.tools, quiet=not sys.stderr.isatty()
                    ) as found:
                        has_begun = True
                        result = await _run_with(job, found, controller.signal)
            else:
                result = await _run_with(job, job.tools, controller.signal)
        except Exception as error:  # noqa: BLE001  # raised below, out of the group
            result = error
        group.cancel_scope.cancel()
    if isinstance(result, Exception):
        raise result
    return result


async def _run_with(
    job: _Job, tools: ToolRegistry | Mapping[str, Binding], signal: AbortSignal
) -> RunResult:
    async with QuickJSRuntime(limits=job.limits, max_runs=1) as runtime:
        if isinstance(tools, ToolRegistry):
            return await run_in_registry(
                tools,
                runtime,
                job.program,
                signal=signal,
                on_log=job.on_log,
                limits=job.limits,
                seed=job.seed,
            )
        return await runtime.run(
            RunRequest(
                program=job.program,
                bindings=[BindingNamespace(name="tools", functions=tools)],
                signal=signal,
                on_log=job.on_log,
                seed=job.seed,
            )
        )


def run_program(
    program: str,
    *,
    tools: Tools,
    limits: Limits | None,
    as_json: bool,
    seed: int | None,
) -> int:
    """Runs a program for the command line and gives the exit code.

    On a terminal the logs and the value go to standard output. When it is piped, or with ``as_json``,
    standard output carries the value's JSON alone, and the logs go to standard error.
    """
    for_machine = as_json or not sys.stdout.isatty()
    log_stream = sys.stderr if for_machine else sys.stdout

    def show(entry: LogEntry) -> None:
        with contextlib.suppress(OSError):  # a log that nobody reads is no reason to stop
            _terminal.write_log(log_stream, entry)

    job = _Job(program=program, tools=tools, limits=limits, seed=seed, on_log=show)
    result = anyio.run(_run, job)
    if result.error is not None:
        if as_json:
            error = {"kind": result.error.kind, "message": result.error.message}
            _terminal.write_json({"error": error})
        _terminal.write_failure(result.error)
        return EXIT_CODES[result.error.kind]
    if result.has_value:
        text = _terminal.value_text(result, pretty=not for_machine)
        _terminal.write_line(sys.stdout, text)
    return 0
