"""Rows about the caller's signal: where it fires, and what is asked, run and logged after that.

A call that was aborted has no result for anybody to judge; a tool that failed by itself has.
"""

from typing import Any

import anyio

from codemode.registry import (
    Accept,
    Allow,
    Ask,
    ExecContext,
    Next,
    NextExecute,
    NextPost,
    PreToolDecision,
    ToolError,
    ToolExecutionResult,
)

from .conformance import AROUND, BODY, GUARD, NAME, POST, PRE, RESULT, Row, World
from .conformance_gate import ASK, gated

ONE: dict[str, Any] = {"n": 1}
JUDGED_NOTHING = frozenset({"Allow"})
DROPPED = (PRE, GUARD, AROUND, BODY, RESULT)  # an aborted call is not judged


def abort(world: World) -> None:
    world.controller.abort("stopped")


def abort_before_any_stage(world: World) -> None:
    world.tool()
    world.log.on_begin = lambda: abort(world)


def abort_in_a_gate(world: World) -> None:
    async def gate(exec: ExecContext, next: Next) -> PreToolDecision:
        abort(world)
        await anyio.sleep_forever()
        return Allow()

    world.tool()
    world.pre(gate)


def abort_that_the_gate_does_not_notice(world: World) -> None:
    world.tool()
    world.pre(lambda exec, next: abort(world) or Allow())


def abort_while_a_person_is_asked(world: World) -> None:
    async def approver(question: object) -> Any:
        abort(world)
        await anyio.sleep_forever()

    gated(Ask("it costs"))(world)
    world.scope = world.registry.scope("asked", approver=approver)


def abort_as_the_person_answers(world: World) -> None:
    async def approver(question: object) -> Any:
        abort(world)
        return "allowed-once"

    gated(Ask("it costs"))(world)
    world.scope = world.registry.scope("asked", approver=approver)


def abort_in_a_wrapper(world: World) -> None:
    async def wrap(exec: ExecContext, next: NextExecute) -> ToolExecutionResult:
        abort(world)
        return await next()

    world.tool()
    world.around(wrap)


def abort_in_the_body(world: World) -> None:
    async def body(args: Any, exec: ExecContext) -> str:
        abort(world)
        assert exec.signal.aborted
        await anyio.sleep_forever()
        return "never"

    world.tool(body)


def abort_that_the_body_ignores(world: World) -> None:
    async def body(args: Any, exec: ExecContext) -> str:
        abort(world)
        with anyio.CancelScope(shield=True):
            for _ in range(5):
                await anyio.lowlevel.checkpoint()
        return "too late"

    world.tool(body)


async def half_written(world: World) -> str:
    abort(world)
    try:
        await anyio.sleep_forever()
    finally:
        raise ValueError("half written")


def abort_in_a_shielded_part(world: World) -> None:
    async def body(args: Any, exec: ExecContext) -> str:
        with anyio.CancelScope(shield=True):
            abort(world)
            for _ in range(20):
                await anyio.lowlevel.checkpoint()
        raise ToolError("half of it is written", code="HALF")

    world.tool(body)


def clean_up_under_a_shield(world: World) -> None:
    async def body(args: Any, exec: ExecContext) -> str:
        abort(world)
        try:
            await anyio.sleep_forever()
        finally:
            with anyio.CancelScope(shield=True):
                for _ in range(20):
                    await anyio.lowlevel.checkpoint()
            raise ToolError("rolled back", code="ROLLED_BACK")

    world.tool(body)


def failure_of_the_bodys_own(world: World) -> None:
    world.tool(lambda args, exec: half_written(world))


def failure_of_the_bodys_own_judged(world: World) -> None:
    async def slowly(exec: ExecContext, result: ToolExecutionResult, next: NextPost) -> Any:
        for _ in range(5):
            await anyio.lowlevel.checkpoint()
        return Accept(content="Error: judged")

    failure_of_the_bodys_own(world)
    world.post(slowly)


def abort_in_post_execute(world: World) -> None:
    async def judge(exec: ExecContext, result: ToolExecutionResult, next: NextPost) -> Any:
        abort(world)
        await anyio.sleep_forever()

    world.tool()
    world.post(judge)


def aborted_row(build: Any, by: str, stages: tuple[str, ...], *, ran: bool, **fields: Any) -> Row:
    fields = {
        "bodies": (ONE,) if ran else (),
        "code": "ABORTED" if ran else "ABORTED_BEFORE_DISPATCH",
        "text": "tool call aborted" if ran else "tool call aborted before dispatch",
        "decides": JUDGED_NOTHING,
        **fields,
    }
    return Row(build=build, by=by, stages=stages, aborts=True, **fields)


ABORTS: dict[str, Row] = {
    "aborted before any stage": aborted_row(
        abort_before_any_stage, RESULT, (RESULT,), ran=False, decides=frozenset[str]()
    ),
    "aborted in pre-execute": aborted_row(
        abort_in_a_gate, PRE, (PRE, RESULT), ran=False, decides=frozenset[str]()
    ),
    "aborted in pre-execute, unnoticed": aborted_row(
        abort_that_the_gate_does_not_notice, PRE, (PRE, GUARD, AROUND, RESULT), ran=False
    ),
    "aborted while a person is asked": aborted_row(
        abort_while_a_person_is_asked, PRE, (PRE, RESULT), ran=False,
        audit=((False, "cancelled"),), decides=frozenset({"Ask"}),
    ),
    "aborted in a wrapper": aborted_row(
        abort_in_a_wrapper, AROUND, (PRE, GUARD, AROUND, RESULT), ran=False
    ),
    "aborted in the body": aborted_row(abort_in_the_body, BODY, DROPPED, ran=True),
    "aborted in a body that goes on": aborted_row(
        abort_that_the_body_ignores, BODY, DROPPED, ran=True
    ),
    "aborted in a part of the body that is shielded": aborted_row(
        abort_in_a_shielded_part, BODY, (PRE, GUARD, AROUND, BODY, POST, RESULT), ran=True,
        code="HALF", text="half of it is written", decides=frozenset({"Allow", "Accept"}),
    ),
    "aborted, and the body cleans up under a shield": aborted_row(
        clean_up_under_a_shield, BODY, (PRE, GUARD, AROUND, BODY, POST, RESULT), ran=True,
        code="ROLLED_BACK", text="rolled back", decides=frozenset({"Allow", "Accept"}),
    ),
    "aborted, and the body fails by itself": aborted_row(
        failure_of_the_bodys_own, BODY, (PRE, GUARD, AROUND, BODY, POST, RESULT), ran=True,
        code="TOOL_FAILED", text="half written", decides=frozenset({"Allow", "Accept"}),
    ),
    "aborted, the body fails by itself, and post-execute takes its time": aborted_row(
        failure_of_the_bodys_own_judged, POST, (PRE, GUARD, AROUND, BODY, POST, RESULT), ran=True,
        code="TOOL_FAILED", text="judged", decides=frozenset({"Allow", "Accept"}),
    ),
    "aborted in post-execute": aborted_row(
        abort_in_post_execute, POST, (PRE, GUARD, AROUND, BODY, POST, RESULT), ran=True
    ),
    "aborted as the person answers": aborted_row(
        abort_as_the_person_answers, PRE, (PRE, POST, RESULT), ran=False,
        code="DENIED", text=f'approval for tool "{NAME}" was cancelled',
        audit=((False, "cancelled"),), decides=ASK,
    ),
}  # fmt: skip
