"""Listeners that see every call at every stage of the pipeline, and change nothing."""

from typing import TYPE_CHECKING, cast

from bfcl_data import Call
from bfcl_json import same

from codemode.registry import (
    RUN_CODE_NAME,
    ExecContext,
    Next,
    NextExecute,
    NextPost,
    PostToolDecision,
    PreToolDecision,
    ToolExecutionResult,
    ToolRegistry,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from codemode.runtime import JsonValue


class Witness:
    """A listener at each stage that changes nothing and notes every call but ``run_code`` itself."""

    def __init__(self, registry: ToolRegistry) -> None:
        self.gated: list[Call] = []
        self.dispatched: list[Call] = []
        self.judged: list[Call] = []
        self.results: list[ToolExecutionResult] = []
        self.programs = 0
        registry.on_pre_execute(self._pre)
        registry.on_execute(self._around)
        registry.on_post_execute(self._post)

    async def _pre(self, exec: ExecContext, next: Next) -> PreToolDecision:
        self._note(self.gated, exec)
        return await next()

    async def _around(self, exec: ExecContext, next: NextExecute) -> ToolExecutionResult:
        self._note(self.dispatched, exec)
        return await next()

    async def _post(
        self, exec: ExecContext, result: ToolExecutionResult, next: NextPost
    ) -> PostToolDecision:
        if self._note(self.judged, exec):
            self.results.append(result)
        else:
            self.programs += 1
        return await next()

    def _note(self, seen: list[Call], exec: ExecContext) -> bool:
        if exec.name == RUN_CODE_NAME:
            return False
        seen.append(Call(exec.name, cast("Mapping[str, JsonValue]", exec.arguments)))
        return True

    def missed(self, calls: "Sequence[Call]") -> str | None:
        """The stage that did not see exactly these calls, in this order."""
        for stage, seen in (
            ("pre-execute", self.gated), ("execute", self.dispatched), ("post-execute", self.judged),
        ):  # fmt: skip
            named = [(call.name, call.arguments) for call in seen]
            if not same(named, [(call.name, call.arguments) for call in calls]):
                return f"{stage} saw {len(seen)} calls, not the {len(calls)} that were made"
        return None
