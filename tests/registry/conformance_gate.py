"""Rows about what decides whether a call runs: pre-execute, approvals, guards and scopes."""

from typing import Any

from codemode.registry import (
    Accept,
    Allow,
    ApprovalOutcome,
    ApprovalQuestion,
    Approver,
    Ask,
    Deny,
    ExecContext,
    ToolDeniedError,
    ToolError,
)

from .conformance import (
    DENIED_IN_GATE,
    GUARD,
    NAME,
    POST,
    PRE,
    RESULT,
    UNDISPATCHED,
    Row,
    World,
)

DENY = frozenset({"Deny", "Accept"})
ASK = frozenset({"Ask", "Accept"})
GUARDED = (PRE, GUARD, POST, RESULT)
OTHERS: dict[str, Any] = {"type": "object", "properties": {"n": {"type": "integer"}}}


def answers(*outcomes: Any) -> Approver:
    """Gives each question of a call its outcome; a repeated answer is not an answer to another call."""

    async def approver(question: ApprovalQuestion) -> ApprovalOutcome:
        assert question.tool == NAME
        assert question.arguments == {"n": 1}
        return outcomes[1 if question.is_confirmation else 0]

    return approver


async def broken(question: ApprovalQuestion) -> ApprovalOutcome:
    raise RuntimeError("the window is gone")


def gated(decision: object, **tool: Any) -> Any:
    def build(world: World) -> None:
        world.tool(**tool)
        world.pre(lambda exec, next: decision)

    return build


def raising(error: Exception) -> Any:
    def build(world: World) -> None:
        world.tool()
        world.pre(_raiser(error))

    return build


def guarded(decide: Any) -> Any:
    def build(world: World) -> None:
        world.tool()
        world.guard(decide)

    return build


def _raiser(error: Exception) -> Any:
    def raises(*_: object) -> None:
        raise error

    return raises


def denied_row(build: Any, text: str, code: str = "DENIED", **fields: Any) -> Row:
    fields = {"by": PRE, "stages": DENIED_IN_GATE, "bodies": (), **fields}
    return Row(build=build, code=code, text=text, **fields)


# --- scopes


def gate_of_another_scope(world: World) -> None:
    world.tool()
    other = world.registry.scope("other")
    world.pre(lambda exec, next: Deny("not here"), other)
    world.guard(lambda exec: "nor here", other)
    world.post(lambda exec, result, next: Accept(content="or here"), other)


def gate_of_the_callers_scope(world: World) -> None:
    world.tool()
    world.pre(lambda exec, next: Deny("not for you"), world.scope)


def gate_below_the_caller(world: World) -> None:
    world.tool()
    world.pre(lambda exec, next: Deny("not for the child"), world.scope.scope("child"))


def gate_above_the_caller(world: World) -> None:
    world.tool()
    team = world.registry.scope("team")
    world.pre(lambda exec, next: Deny("not in this team"), team)
    world.scope = team.scope("member")


def guard_above_the_caller(world: World) -> None:
    world.tool()
    team = world.registry.scope("team")
    world.guard(lambda exec: "the team is frozen", team)
    world.scope = team.scope("member")


async def scoped_body(args: Any, exec: ExecContext) -> str:
    return f"the caller's own, in {exec.scope.name}"


def shadowed(world: World) -> None:
    world.tool()
    world.tool(scoped_body, world.scope)


def shadowed_for_another(world: World) -> None:
    world.tool()
    world.tool(scoped_body, world.registry.scope("other"))


def inherited(world: World) -> None:
    team = world.registry.scope("team")
    world.tool(scoped_body, team)
    world.scope = team.scope("member")


def own_tool(world: World) -> None:
    world.tool()
    world.tool(scoped_body, world.scope)


def plain(world: World) -> None:
    world.tool()


def member(world: World) -> None:
    world.tool()
    world.scope = world.registry.scope("team").scope("member")


def replacing_the_tool(world: World) -> None:
    """The tool is another when the person has answered."""
    world.tool()
    world.pre(lambda exec, next: Ask("it costs money"))  # pyright: ignore[reportUnknownLambdaType]

    async def person(question: ApprovalQuestion) -> ApprovalOutcome:
        assert world.registration is not None
        world.registration.close()
        world.tool()
        return "allowed-once"

    world.registry._approver = person  # pyright: ignore[reportPrivateUsage]


def restrict_caller(world: World) -> None:
    world.scope.restrict(deny=[NAME])


def restrict_above(world: World) -> None:
    assert world.scope.parent is not None
    world.scope.parent.restrict(deny=[NAME])


def approver_of_the_scope(world: World) -> None:
    gated(Ask("a scope"))(world)
    world.scope = world.registry.scope("asked", approver=answers("allowed-once"))


def approvals_off_above(world: World) -> None:
    gated(Ask("a scope"))(world)
    team = world.registry.scope("team", approvals="never", approver=answers("allowed-once"))
    world.scope = team.scope("member", approvals="ask", approver=answers("allowed-once"))


UNKNOWN = f'unknown tool "{NAME}"'
NO_CHANNEL = f'tool "{NAME}" requires approval, but no approval channel is available: it costs'
COSTS = Ask("it costs")
TWICE = Ask("it costs", confirm=True)

GATE: dict[str, Row] = {
    # --- pre-execute
    "allow": Row(build=gated(Allow()), by=PRE),
    "deny": denied_row(gated(Deny("no writes")), "no writes", decides=DENY),
    "a gate raises": denied_row(
        raising(OSError("no policy server")),
        'tools/pre-execute listener "gate" failed: no policy server',
        "LISTENER_FAILED",
        decides=frozenset({"Accept"}),
    ),
    "a gate raises a denial": denied_row(
        raising(ToolDeniedError("said the gate")), "said the gate", decides=frozenset({"Accept"})
    ),
    "a gate raises a code of its own": denied_row(
        raising(ToolError("quota", code="QUOTA")), "quota", "QUOTA", decides=frozenset({"Accept"})
    ),
    "a gate answers with junk": denied_row(
        gated(True),
        'tools/pre-execute listener "gate" returned a value of type bool: return Allow, Deny, Ask,'
        " or `await next()`",
        "LISTENER_FAILED",
        decides=frozenset({"Accept"}),
    ),
    # --- approvals
    "ask, allowed once": Row(
        build=gated(COSTS), by=PRE, approver=answers("allowed-once"),
        audit=((False, "allowed-once"),), decides=ASK,
    ),
    "ask, rejected": denied_row(
        gated(COSTS), f'the user rejected tool "{NAME}": it costs', approver=answers("rejected"),
        audit=((False, "rejected"),), decides=ASK,
    ),
    "ask, cancelled": denied_row(
        gated(COSTS), f'approval for tool "{NAME}" was cancelled', approver=answers("cancelled"),
        audit=((False, "cancelled"),), decides=ASK,
    ),
    "ask, answered as unavailable": denied_row(
        gated(COSTS), NO_CHANNEL, approver=answers("unavailable"),
        audit=((False, "unavailable"),), decides=ASK,
    ),
    "ask, nobody answered in time": denied_row(
        gated(COSTS), f'approval for tool "{NAME}" expired: nobody answered in time',
        "APPROVAL_EXPIRED", approver=answers("expired"), audit=((False, "expired"),), decides=ASK,
    ),
    "ask, nobody there": denied_row(
        gated(COSTS), NO_CHANNEL, audit=((False, "unavailable"),), decides=ASK
    ),
    "ask, the approver raises": denied_row(
        gated(COSTS), NO_CHANNEL, approver=broken, audit=((False, "unavailable"),), decides=ASK
    ),
    "ask, the approver says yes in its own way": denied_row(
        gated(COSTS), NO_CHANNEL, approver=answers("yes"),
        audit=((False, "unavailable"),), decides=ASK,
    ),
    "ask, the answer cannot be compared": denied_row(
        gated(COSTS), NO_CHANNEL, approver=answers(["allowed-once"]),
        audit=((False, "unavailable"),), decides=ASK,
    ),
    "ask, approvals are off": denied_row(
        gated(COSTS),
        f'tool "{NAME}" requires approval, and approvals are off for this caller: it costs',
        approver=answers("allowed-once"), approvals="never",
        audit=((False, "unavailable"),), decides=ASK,
    ),
    "ask twice, allowed both times": Row(
        build=gated(TWICE), by=PRE, approver=answers("allowed-once", "allowed-once"),
        audit=((False, "allowed-once"), (True, "allowed-once")), decides=ASK,
    ),
    "ask twice, the second refused": denied_row(
        gated(TWICE), f'the user rejected tool "{NAME}": it costs',
        approver=answers("allowed-once", "rejected"),
        audit=((False, "allowed-once"), (True, "rejected")), decides=ASK,
    ),
    "ask twice, the first refused": denied_row(
        gated(TWICE), f'the user rejected tool "{NAME}": it costs',
        approver=answers("rejected", "allowed-once"),
        audit=((False, "rejected"),), decides=ASK,
    ),
    "ask about arguments that cannot run": Row(
        build=gated(COSTS, parameters=OTHERS), by=PRE, approver=answers("allowed-once"),
        arguments={"n": "one"}, stages=DENIED_IN_GATE, bodies=(), code="INVALID_ARGS",
        text='invalid arguments: "n" must be an integer, got a string', decides=ASK,
    ),
    "ask about a tool that is gone": denied_row(
        gated(COSTS), UNKNOWN, "UNKNOWN_TOOL", approver=answers("allowed-once"),
        before=restrict_caller, is_gone=True, decides=ASK,
    ),
    "the tool is replaced while a person is asked": Row(
        build=replacing_the_tool, by=PRE, bodies=(), stages=(PRE, GUARD, POST, RESULT),
        code="DENIED", text=f'tool "{NAME}" was replaced while a person was asked: call it again',
        audit=((False, "allowed-once"),), decides=ASK,
    ),
    # --- guards
    "a guard denies": denied_row(
        guarded(lambda exec: "frozen"), "frozen", by=GUARD, stages=GUARDED  # pyright: ignore[reportUnknownLambdaType]
    ),
    "a guard allows": Row(build=guarded(lambda exec: None), by=GUARD),  # pyright: ignore[reportUnknownLambdaType]
    "a guard raises": denied_row(
        guarded(_raiser(KeyError("rules"))), "guard \"watchman\" failed: 'rules'",
        "LISTENER_FAILED", by=GUARD, stages=GUARDED,
    ),
    "a guard answers with junk": denied_row(
        guarded(lambda exec: False),  # pyright: ignore[reportUnknownLambdaType]
        'guard "watchman" returned a value of type bool: return a reason or None',
        "LISTENER_FAILED", by=GUARD, stages=GUARDED,
    ),
    # --- scopes
    "a listener of another scope": Row(build=gate_of_another_scope, by="scope"),
    "a listener of a scope below": Row(build=gate_below_the_caller, by="scope"),
    "a listener of the caller's scope": denied_row(
        gate_of_the_callers_scope, "not for you", by="scope", decides=DENY
    ),
    "a listener of a scope above": denied_row(
        gate_above_the_caller, "not in this team", by="scope", decides=DENY
    ),
    "a guard of a scope above": denied_row(
        guard_above_the_caller, "the team is frozen", by="scope", stages=GUARDED
    ),
    "a shadowed tool": Row(build=shadowed, by="scope", value="the caller's own, in caller"),
    "a tool that another scope shadows": Row(build=shadowed_for_another, by="scope"),
    "a tool of the scope above": Row(
        build=inherited, by="scope", value="the caller's own, in member"
    ),
    "restricted away": Row(
        build=plain, by="scope", before=restrict_caller, is_gone=True,
        stages=UNDISPATCHED, bodies=(), code="UNKNOWN_TOOL", text=UNKNOWN,
    ),
    "restricted away above": Row(
        build=member, by="scope", before=restrict_above, is_gone=True,
        stages=UNDISPATCHED, bodies=(), code="UNKNOWN_TOOL", text=UNKNOWN,
    ),
    "restricted, but the caller's own": Row(
        build=own_tool, by="scope", before=restrict_caller, value="the caller's own, in caller"
    ),
    "the scope has its own approver": Row(
        build=approver_of_the_scope, by="scope", approver=answers("rejected"),
        audit=((False, "allowed-once"),), decides=ASK,
    ),
    "approvals are off above": denied_row(
        approvals_off_above,
        f'tool "{NAME}" requires approval, and approvals are off for this caller: a scope',
        by="scope", approver=answers("allowed-once"),
        audit=((False, "unavailable"),), decides=ASK,
    ),
}  # fmt: skip
