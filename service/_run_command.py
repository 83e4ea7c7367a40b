"""``codemode run``: one program, its logs as they come, its value, an exit code that says how it ended."""

import contextlib
import signal
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import anyio
from anyio.abc import TaskStatus

from ..registry import ToolRegistry
from ..runtime import (
    AbortController,
    Binding,
    BindingNamespace,
    FailureKind,
    Limits,
    LogEntry,
    QuickJSRuntime,
    RunRequest,
    RunResult,
)
from . import _terminal
from ._registry_run import run_in_registry

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


async def _abort_on_signal(
    controller: AbortController, *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED
) -> None:
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        task_status.started()
        async for number in signals:
            controller.abort(f"interrupted by {signal.Signals(number).name}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Job:
    program: str
    tools: ToolRegistry | Mapping[str, Binding]
    limits: Limits
    seed: int | None
    on_log: Callable[[LogEntry], None]


async def _run(job: _Job) -> RunResult:
    controller = AbortController()
    result: RunResult | None = None
    async with (
        QuickJSRuntime(limits=job.limits, max_runs=1) as runtime,
        anyio.create_task_group() as group,
    ):
        await group.start(_abort_on_signal, controller)
        if isinstance(job.tools, ToolRegistry):
            result = await run_in_registry(
                job.tools,
                runtime,
                job.program,
                signal=controller.signal,
                on_log=job.on_log,
                limits=job.limits,
                seed=job.seed,
            )
        else:
            result = await runtime.run(
                RunRequest(
                    program=job.program,
                    bindings=[BindingNamespace(name="tools", functions=job.tools)],
                    signal=controller.signal,
                    on_log=job.on_log,
                    seed=job.seed,
                )
            )
        group.cancel_scope.cancel()
    assert result is not None
    return result


def run_program(
    program: str,
    *,
    tools: ToolRegistry | Mapping[str, Binding],
    limits: Limits,
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
        _terminal.write_failure(result.error)
        return EXIT_CODES[result.error.kind]
    if result.has_value:
        text = _terminal.value_text(result, pretty=not for_machine)
        _terminal.write_line(sys.stdout, text)
    return 0
