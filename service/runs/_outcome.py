"""How a run ended, from what the pipeline and the runtime say."""

from dataclasses import dataclass, fields
from typing import Final

from pydantic.alias_generators import to_camel

from ...registry import ToolExecutionResult, content_text
from ...registry.json_text import compact_text
from ...runtime import JsonValue, RunFailure, RunResult, RunStats
from ..store import RunState

_PROGRAM_FAILED: Final = "CODE_RUN_FAILED"

_STATS: Final = tuple((each.name, to_camel(each.name)) for each in fields(RunStats))


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """``data`` is the outcome's JSON object as text."""

    state: RunState
    error_kind: str | None
    data: str


def outcome_of(result: ToolExecutionResult, raw: RunResult | None, *, is_program: bool) -> Outcome:
    """The end of a run. ``raw`` is what the runtime gave, if the program came to run."""
    data: dict[str, JsonValue] = {"output": content_text(result.content)}
    if not result.is_error:
        value = result.value
        if is_program:
            members = value if isinstance(value, dict) else {}
            if "result" in members:
                data["result"] = members["result"]
        elif result.has_value:
            data["result"] = value
    error = _error(result, raw)
    if error is not None:
        data["error"] = error
    if raw is not None:
        data["stats"] = {wire: getattr(raw.stats, name) for name, wire in _STATS}
    kind = None if error is None else str(error["kind"])
    state: RunState = "succeeded" if error is None else "aborted" if kind == "abort" else "failed"
    return Outcome(state=state, error_kind=kind, data=compact_text(data))


def failed(kind: str, message: str) -> Outcome:
    """The end of a run that nothing else is known of."""
    data = compact_text({"error": {"kind": kind, "message": message}})
    return Outcome(state="failed", error_kind=kind, data=data)


def _error(result: ToolExecutionResult, raw: RunResult | None) -> dict[str, JsonValue] | None:
    if not result.is_error:
        return None
    text = content_text(result.content).removeprefix("Error: ")
    code = "TOOL_FAILED" if result.error is None else result.error.code
    failure = None if raw is None or code != _PROGRAM_FAILED else raw.error
    if failure is None:
        kind = "abort" if code.startswith("ABORTED") else "exception"
        return {"kind": kind, "message": text, "code": code}
    # a policy may have replaced what the program's error said: then its message is not for the caller
    message = failure.message if failure.message in text else text
    return {"kind": failure.kind, "message": message, "code": code, **_place(failure)}


def _place(failure: RunFailure) -> dict[str, JsonValue]:
    members: dict[str, JsonValue] = {
        "name": failure.name or None,
        "line": failure.line,
        "column": failure.column,
        "budget": failure.budget,
    }
    return {name: item for name, item in members.items() if item is not None}
