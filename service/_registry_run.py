"""A program of the command line, run by a registry's ``run_code``: the whole pipeline, its logs as they come."""

from collections.abc import Callable
from dataclasses import replace

from ..registry import RUN_CODE_NAME, ToolExecution, ToolRegistry, content_text
from ..runtime import AbortSignal, CodeRuntime, Limits, LogEntry, RunFailure, RunResult


async def run_in_registry(
    registry: ToolRegistry,
    runtime: CodeRuntime,
    program: str,
    *,
    signal: AbortSignal,
    on_log: Callable[[LogEntry], None],
    limits: Limits | None,
    seed: int | None,
) -> RunResult:
    """The result of ``run_code``, as the pipeline leaves it."""
    if registry.runtime is None:
        registry.runtime = runtime
    own = registry.code_mode
    mode = replace(own, limits=limits or own.limits, seed=seed)
    raw: list[RunResult] = []
    with registry.scope("command line", code_mode=mode) as scope:
        scope.on_run_log(lambda exec, entry: on_log(entry))
        scope.on_run_end(lambda exec, result: raw.append(result))
        result = await registry.execute(
            ToolExecution(
                call_id="cli",
                name=RUN_CODE_NAME,
                arguments={"code": program},
                scope=scope,
                signal=signal,
            )
        )
    if result.is_error:
        if raw and raw[0].error is not None:
            return raw[0]
        text = content_text(result.content).removeprefix("Error: ")
        return RunResult(error=RunFailure(kind="exception", message=text))
    value = result.value if isinstance(result.value, dict) else {}
    return RunResult(value=value.get("result"), has_value="result" in value)
