"""A program of the command line, run by a registry's ``run_code``: the whole pipeline, its logs as they come."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from ..registry import RUN_CODE_NAME, ToolExecution, ToolRegistry, content_text
from ..runtime import (
    AbortSignal,
    CodeRuntime,
    Limits,
    LogEntry,
    RunFailure,
    RunRequest,
    RunResult,
)


class TappedRuntime:
    """A runtime whose runs show their logs, and whose last result is kept."""

    def __init__(
        self,
        runtime: CodeRuntime,
        *,
        on_log: Callable[[LogEntry], None],
        limits: Limits | None,
        seed: int | None,
    ) -> None:
        self._runtime: Final = runtime
        self._on_log = on_log
        self._limits = limits
        self._seed = seed
        self.result: RunResult | None = None

    @property
    def language(self) -> str:
        return self._runtime.language

    @property
    def isolation(self) -> str:
        return self._runtime.isolation

    async def run(self, request: RunRequest) -> RunResult:
        """See ``CodeRuntime.run``."""
        limits = request.limits if self._limits is None else self._limits
        tapped = replace(request, on_log=self._on_log, limits=limits, seed=self._seed)
        self.result = await self._runtime.run(tapped)
        return self.result

    async def aclose(self) -> None:
        """Closes the runtime behind it."""
        await self._runtime.aclose()


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
    before = registry.runtime
    tapped = TappedRuntime(before or runtime, on_log=on_log, limits=limits, seed=seed)
    registry.runtime = tapped
    try:
        result = await registry.execute(
            ToolExecution(
                call_id="cli", name=RUN_CODE_NAME, arguments={"code": program}, signal=signal
            )
        )
    finally:
        registry.runtime = before
    raw = tapped.result
    if result.is_error:
        if raw is not None and raw.error is not None:
            return raw
        text = content_text(result.content).removeprefix("Error: ")
        return RunResult(error=RunFailure(kind="exception", message=text))
    value = result.value if isinstance(result.value, dict) else {}
    return RunResult(value=value.get("result"), has_value="result" in value)
