"""Rows about how a call that may run ends: wrappers, results, failures and cancellation."""

from dataclasses import replace
from typing import Any

import anyio

from codemode.registry import (
    Accept,
    Block,
    CodeRunFailedError,
    ExecContext,
    NextExecute,
    OutputSchemaError,
    TextBlock,
    ToolError,
    ToolExecutionResult,
    ToolOutput,
)
from codemode.runtime import AbortController

from .conformance import (
    AROUND,
    BODY,
    GUARD,
    NAME,
    POST,
    PRE,
    RESULT,
    UNDISPATCHED,
    Around,
    Body,
    Row,
    World,
)
from .conformance_gate import plain

N: dict[str, Any] = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
ONE: dict[str, Any] = {"n": 1}
JUDGED_NOTHING = frozenset({"Allow"})
DROPPED = (PRE, GUARD, AROUND, BODY, RESULT)  # an aborted call is not judged


def with_body(body: Body, **tool: Any) -> Any:
    def build(world: World) -> None:
        world.tool(body, **tool)

    return build


def giving(value: object) -> Body:
    async def body(args: Any, exec: ExecContext) -> object:
        return value

    return body


def failing(error: BaseException) -> Body:
    async def body(args: Any, exec: ExecContext) -> object:
        raise error

    return body


def wrapped(wrap: Around, **tool: Any) -> Any:
    def build(world: World) -> None:
        world.tool(**tool)
        world.around(wrap)

    return build


def judged(decide: Any, body: Body | None = None, **tool: Any) -> Any:
    def build(world: World) -> None:
        world.tool(body, **tool)
        world.post(decide)

    return build


# --- wrappers


async def cached(exec: ExecContext, next: NextExecute) -> ToolExecutionResult:
    return ToolExecutionResult(call_id="of another", content=(TextBlock("from the cache"),))


async def breaks(exec: ExecContext, next: NextExecute) -> ToolExecutionResult:
    await next()
    raise ZeroDivisionError("rate")


async def careless(exec: ExecContext, next: NextExecute) -> ToolExecutionResult:
    await next()
    return await next()


async def stale(exec: ExecContext, next: NextExecute) -> ToolExecutionResult:
    return replace(await next(), value={"n": "seven"})


def stale_value(world: World) -> None:
    world.tool(giving(ONE), output=N, strict_output=True)
    world.around(stale)


def retry(world: World) -> None:
    async def flaky(args: Any, exec: ExecContext) -> str:
        args["n"] = "spoiled"
        if len(world.bodies) < 3:
            raise OSError("try again")
        return "at last"

    async def again(exec: ExecContext, next: NextExecute) -> ToolExecutionResult:
        result = await next()
        while result.is_error:
            result = await next.again()
        return result

    world.tool(flaky)
    world.around(again)


def other_signal(world: World) -> None:
    """The wrapper stops the body by a signal of its own; the caller's still stands."""
    own = AbortController()

    async def body(args: Any, exec: ExecContext) -> str:
        own.abort("the wrapper's")
        assert exec.signal.aborted
        await anyio.sleep_forever()
        return "never"

    async def wrap(exec: ExecContext, next: NextExecute) -> ToolExecutionResult:
        before, exec.signal = exec.signal, own.signal
        result = await next()
        exec.signal = before
        return result

    world.tool(body)
    world.around(wrap)


async def endless(args: Any, exec: ExecContext) -> str:
    await anyio.sleep_forever()
    return "never"


async def talkative(args: Any, exec: ExecContext) -> ToolOutput:
    exec.add_context("deferred")
    return ToolOutput(content="said", context="the tool's")


def observer_raises(world: World) -> None:
    def raises(exec: ExecContext, result: ToolExecutionResult) -> None:
        raise RuntimeError("nobody hears this")

    world.tool()
    world.registry.on_result(raises)


def unregister(world: World) -> None:
    assert world.registration is not None
    world.registration.close()


def failed_row(build: Any, code: str, text: str, by: str = BODY, **fields: Any) -> Row:
    return Row(build=build, by=by, code=code, text=text, **fields)


POST_FAILED = "LISTENER_FAILED"

ENDS: dict[str, Row] = {
    # --- wrappers
    "a timeout": failed_row(
        with_body(endless, timeout_ms=5), "TOOL_TIMEOUT", "tool call timed out after 5ms", AROUND
    ),
    "a retry": Row(
        build=retry, by=AROUND, bodies=(ONE, ONE, ONE), value="at last",
        stages=(PRE, GUARD, AROUND, BODY, BODY, BODY, POST, RESULT),
    ),
    "a short circuit": Row(
        build=wrapped(cached), by=AROUND, stages=UNDISPATCHED, bodies=(), value="from the cache"
    ),
    "a wrapper raises": failed_row(
        wrapped(breaks), "LISTENER_FAILED", 'tools/execute listener "wrapper" failed: rate', AROUND
    ),
    "a wrapper dispatches twice without saying so": failed_row(
        wrapped(careless), "LISTENER_FAILED",
        'tools/execute listener "wrapper" called `next` twice: to dispatch again on purpose, use '
        "`next.again()`", AROUND,
    ),
    "a wrapper gives a value that breaks the schema": failed_row(
        stale_value, "LISTENER_FAILED",
        "a tools/execute listener returned a value that breaks the tool's output schema: "
        '"n" must be an integer, got a string', AROUND,
    ),
    "a wrapper has a signal of its own": failed_row(
        other_signal, "ABORTED", "tool call aborted", AROUND
    ),
    # --- post-execute
    "accept": Row(build=judged(lambda exec, result, next: Accept()), by=POST),  # pyright: ignore[reportUnknownLambdaType]
    "accept with other content": Row(
        build=judged(lambda exec, result, next: Accept(content="shorter")),  # pyright: ignore[reportUnknownLambdaType]
        by=POST, value="shorter",
    ),
    "accept with other content in place of a value": Row(
        build=judged(lambda exec, result, next: Accept(content="shorter"), giving(ONE), output=N),  # pyright: ignore[reportUnknownLambdaType]
        by=POST, value="shorter",
    ),
    "accept with no content": Row(
        build=judged(lambda exec, result, next: Accept(content=[])), by=POST, value=""  # pyright: ignore[reportUnknownLambdaType]
    ),
    "accept with another value": Row(
        build=judged(lambda exec, result, next: Accept(value={"n": 2}), giving(ONE), output=N),  # pyright: ignore[reportUnknownLambdaType]
        by=POST, value={"n": 2},
    ),
    "accept with a value that breaks the schema": failed_row(
        judged(
            lambda exec, result, next: Accept(value={}), giving(ONE), output=N, strict_output=True  # pyright: ignore[reportUnknownLambdaType]
        ),
        POST_FAILED,
        "the value of an Accept breaks the tool's output schema: missing required property "
        '"n"', POST,
    ),
    "accept with words on a failure": failed_row(
        judged(
            lambda exec, result, next: Accept(content="Error: it failed"),  # pyright: ignore[reportUnknownLambdaType]
            failing(ToolError("/secret/path", code="IO")),
        ),
        "IO", "it failed", POST,
    ),
    "context from everybody": Row(
        build=judged(lambda exec, result, next: Accept(additional_context="post's"), talkative),  # pyright: ignore[reportUnknownLambdaType]
        by=POST, value="said", context=("deferred", "the tool's", "post's"),
    ),
    "block": failed_row(
        judged(
            lambda exec, result, next: Block(feedback="run the tests", additional_context="why"),  # pyright: ignore[reportUnknownLambdaType]
            talkative,
        ),
        "BLOCKED", "run the tests", POST, context=("why",),
        decides=frozenset({"Allow", "Block"}),
    ),
    "post-execute raises": failed_row(
        judged(lambda exec, result, next: 1 // 0), POST_FAILED,  # pyright: ignore[reportUnknownLambdaType]
        'tools/post-execute listener "judge" failed: integer division or modulo by zero', POST,
        decides=JUDGED_NOTHING,
    ),
    "an observer raises": Row(build=observer_raises, by=RESULT),
    # --- failures
    "the tool raises": failed_row(with_body(failing(ValueError("bad id 7"))), "TOOL_FAILED", "bad id 7"),
    "the tool raises without a word": failed_row(
        with_body(failing(RuntimeError())), "TOOL_FAILED", "RuntimeError"
    ),
    "the tool tries to end the process": failed_row(
        with_body(failing(SystemExit(3))), "TOOL_FAILED", "3"
    ),
    "the tool raises with a code": failed_row(
        with_body(failing(ToolError("used up", code="QUOTA"))), "QUOTA", "used up"
    ),
    "the tool raises what run_code raises": failed_row(
        with_body(failing(CodeRunFailedError("inner run", kind="exception"))),
        "CODE_RUN_FAILED", "inner run",
    ),
    "the tool refuses a schema": failed_row(
        with_body(failing(OutputSchemaError(["$ref is not supported"]))),
        "UNSUPPORTED_SCHEMA", "unsupported output schema: $ref is not supported",
    ),
    "invalid arguments": failed_row(
        with_body(giving("never"), parameters=N), "INVALID_ARGS",
        'invalid arguments: "n" must be an integer, got a string',
        stages=UNDISPATCHED, bodies=(), arguments={"n": "one"},
    ),
    "unregistered meanwhile": failed_row(
        plain, "UNKNOWN_TOOL", f'unknown tool "{NAME}"', before=unregister,
        stages=UNDISPATCHED, bodies=(), is_gone=True,
    ),
    "a value that is not JSON": failed_row(
        with_body(giving({"n": float("nan")}), output=N), "INVALID_TOOL_OUTPUT",
        f"{NAME} gave a result that is not JSON: nan at value.n is not JSON",
    ),
    "a value that breaks a strict schema": failed_row(
        with_body(giving({}), output=N, strict_output=True), "INVALID_TOOL_OUTPUT",
        f'{NAME} gave a result that breaks its output schema: missing required property "n"',
    ),
    "a value that breaks a schema that is not strict": Row(
        build=with_body(giving({}), output=N), by=BODY, value={}
    ),
}  # fmt: skip
