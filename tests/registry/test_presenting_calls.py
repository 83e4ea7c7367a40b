"""Cards of calls, asked of their tools: pure, and never a reason for a failure."""

from typing import Any

import pytest

from codemode.registry import (
    PresentedResult,
    TextBlock,
    ToolRegistry,
    define_tool,
    present_call,
    present_result,
)
from codemode.registry.presentation import GenericCall, TerminalCall, TerminalResult
from codemode.runtime.testing import ScriptedRuntime

from .kit import Counter, definition

DONE = PresentedResult(content=(TextBlock("out"),), is_error=False, meta={"exit": 0})


async def script(_: object) -> None: ...


def shell(**presenters: Any) -> ToolRegistry:
    registry = ToolRegistry()
    registry.register(
        define_tool(
            name="bash",
            parameters={"command": {"type": "string", "required": True}},
            execute=Counter(),
            **presenters,
        )
    )
    return registry


def as_terminal(args: Any) -> TerminalCall:
    return TerminalCall(title=args["command"], description=f"{len(args['command'])} characters")


def test_a_tool_says_how_its_call_looks_each_time_the_same() -> None:
    registry = shell(present_call=as_terminal)
    view = present_call(registry, "bash", {"command": "ls"})
    assert view == TerminalCall(title="ls", description="2 characters")
    assert present_call(registry, "bash", {"command": "ls"}) == view


def test_a_tool_says_how_its_result_looks() -> None:
    def result(args: Any, result: PresentedResult) -> TerminalResult:
        assert isinstance(result.meta, dict)
        return TerminalResult(title=args["command"], exit_code=0, output="out")

    view = present_result(shell(present_result=result), "bash", {"command": "ls"}, DONE)
    assert view == TerminalResult(title="ls", exit_code=0, output="out")


RING: dict[str, Any] = {}
RING["command"] = RING


@pytest.mark.parametrize(
    "arguments", [{}, None, [], {"command": 7}, RING, {"command": float("nan")}]
)
def test_arguments_that_do_not_fit_give_no_view(arguments: Any) -> None:
    registry = shell(present_call=as_terminal)
    assert present_call(registry, "bash", arguments) is None
    assert present_result(registry, "bash", arguments, DONE) is None


def test_a_large_argument_is_presented_like_any() -> None:
    view = present_call(shell(present_call=as_terminal), "bash", {"command": "x" * 1_000_000})
    assert isinstance(view, TerminalCall)


def test_a_presenter_that_fails_or_gives_junk_gives_no_view() -> None:
    def fails(*_: Any) -> Any:
        raise RuntimeError("display")

    for presenter in (fails, lambda *_: "a title"):  # type: ignore[misc]
        registry = shell(present_call=presenter, present_result=presenter)
        assert present_call(registry, "bash", {"command": "ls"}) is None
        assert present_result(registry, "bash", {"command": "ls"}, DONE) is None


def test_a_presenter_that_changes_its_arguments_changes_only_its_copy() -> None:
    def meddles(args: Any, result: PresentedResult | None = None) -> None:
        args["command"] = "rm"
        if result is not None:
            assert isinstance(result.meta, dict)
            result.meta["exit"] = 9

    registry = shell(present_call=meddles, present_result=meddles)
    arguments = {"command": "ls"}
    assert present_call(registry, "bash", arguments) is None
    assert present_result(registry, "bash", arguments, DONE) is None
    assert (arguments, DONE.meta) == ({"command": "ls"}, {"exit": 0})


def test_a_tool_without_presenters_or_out_of_sight_has_no_view() -> None:
    registry = shell(present_call=as_terminal)
    registry.register(definition("plain"))
    scope = registry.scope("agent")
    scope.restrict(deny=["bash"])
    assert present_call(registry, "plain", {}) is None
    assert present_call(registry, "nothing", {}) is None
    assert present_call(scope, "bash", {"command": "ls"}) is None


def test_a_program_is_shown_by_what_it_is_said_to_do() -> None:
    registry = ToolRegistry(mode="code", runtime=ScriptedRuntime(script))
    arguments = {"code": "return 1", "description": " Adds up. "}
    view = present_call(registry, "run_code", arguments)
    assert view == GenericCall(title="Adds up.", kind="execute", raw_input="return 1")
    bare = present_call(registry, "run_code", {"code": "return 1", "description": "  "})
    assert isinstance(bare, GenericCall)
    assert bare.title == "Run a program"
    assert present_call(registry, "run_code", {"description": "x"}) is None
