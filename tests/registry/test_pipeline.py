"""One call through its stages: who is asked when, and what each answer does."""

from dataclasses import replace
from typing import Any

import pytest

from codemode.registry import (
    Accept,
    Allow,
    Ask,
    Block,
    Deny,
    ExecContext,
    Next,
    NextExecute,
    NextPost,
    PostToolDecision,
    PreToolDecision,
    TextBlock,
    ToolError,
    ToolExecution,
    ToolExecutionResult,
    ToolOutput,
    ToolRegistry,
)

from .kit import Counter, call, code, definition, text

pytestmark = pytest.mark.anyio


async def allow(exec: ExecContext, next: Next) -> PreToolDecision:
    return await next()


async def accept(
    exec: ExecContext, result: ToolExecutionResult, next: NextPost
) -> PostToolDecision:
    return await next()


async def test_the_result_of_a_tool_is_its_content() -> None:
    registry = ToolRegistry()
    registry.register(definition(execute=Counter("hello")))
    result = await call(registry)
    assert (text(result), result.is_error, result.call_id) == ("hello", False, "c1")


async def test_an_unknown_tool_is_an_error_that_names_the_nearest() -> None:
    registry = ToolRegistry()
    registry.register(definition("read_file"))
    result = await call(registry, "readfile")
    assert text(result) == "Error: unknown tool \"readfile\"; did you mean 'read_file'?"
    assert code(result) == "UNKNOWN_TOOL"
    assert result.error is not None
    assert result.error.name == "ToolNotFoundError"


async def test_a_tool_that_raises_is_an_error_with_its_text() -> None:
    async def fail(args: Any, exec: ExecContext) -> str:
        raise ValueError("disk full")

    registry = ToolRegistry()
    registry.register(definition(execute=fail))
    result = await call(registry)
    assert (text(result), result.is_error) == ("Error: disk full", True)
    assert result.error is not None
    assert (result.error.name, result.error.code) == ("ValueError", "TOOL_FAILED")


async def test_a_tool_error_brings_its_own_code() -> None:
    async def fail(args: Any, exec: ExecContext) -> str:
        raise ToolError("quota used up", code="QUOTA")

    registry = ToolRegistry()
    registry.register(definition(execute=fail))
    assert code(await call(registry)) == "QUOTA"


async def test_the_stages_come_in_order() -> None:
    order: list[str] = []

    async def pre(exec: ExecContext, next: Next) -> PreToolDecision:
        order.append("pre")
        return await next()

    async def around(exec: ExecContext, next: NextExecute) -> ToolExecutionResult:
        order.append("around begins")
        result = await next()
        order.append("around ends")
        return result

    async def post(
        exec: ExecContext, result: ToolExecutionResult, next: NextPost
    ) -> PostToolDecision:
        order.append("post")
        return await next()

    async def body(args: Any, exec: ExecContext) -> str:
        order.append("body")
        return ""

    registry = ToolRegistry()
    registry.register(definition(execute=body))
    registry.on_post_execute(post)
    registry.on_execute(around)
    registry.on_pre_execute(pre)
    registry.guard(lambda exec: order.append("guard"))
    registry.on_result(lambda exec, result: order.append("result"))
    await call(registry)
    assert order == ["pre", "guard", "around begins", "body", "around ends", "post", "result"]


async def test_listeners_are_asked_in_the_order_of_registration_and_a_prepended_one_first() -> None:
    order: list[str] = []

    def note(name: str) -> Any:
        async def listener(exec: ExecContext, next: Next) -> PreToolDecision:
            order.append(name)
            return await next()

        return listener

    registry = ToolRegistry()
    registry.register(definition())
    registry.on_pre_execute(note("first"))
    registry.on_pre_execute(note("second"))
    registry.on_pre_execute(note("prepended"), prepend=True)
    await call(registry)
    assert order == ["prepended", "first", "second"]


# --- the gate


async def test_a_denied_call_does_not_run_and_the_model_reads_the_reason() -> None:
    body, seen = Counter(), list[str]()

    async def around(exec: ExecContext, next: NextExecute) -> ToolExecutionResult:
        seen.append("around")
        return await next()

    registry = ToolRegistry()
    registry.register(definition(execute=body))
    registry.on_pre_execute(lambda exec, next: Deny("no writes"))
    registry.on_execute(around)
    result = await call(registry)
    assert (text(result), code(result)) == ("Error: no writes", "DENIED")
    assert (body.calls, seen) == ([], [])


async def test_a_denied_call_goes_through_post_execute_all_the_same() -> None:
    async def explain(
        exec: ExecContext, result: ToolExecutionResult, next: NextPost
    ) -> PostToolDecision:
        assert result.is_error
        return Accept(content="ask the owner")

    registry = ToolRegistry()
    registry.register(definition())
    registry.on_pre_execute(lambda exec, next: Deny("no"))
    registry.on_post_execute(explain)
    result = await call(registry)
    assert (text(result), result.is_error, code(result)) == ("ask the owner", True, "DENIED")


async def test_without_an_approver_ask_is_a_denial() -> None:
    body = Counter()
    registry = ToolRegistry()
    registry.register(definition(execute=body))
    registry.on_pre_execute(lambda exec, next: Ask("it costs money"))
    result = await call(registry)
    assert "requires approval" in text(result)
    assert "it costs money" in text(result)
    assert (code(result), body.calls) == ("DENIED", [])


async def test_a_later_listener_can_deny_what_an_earlier_one_delegates() -> None:
    body = Counter()
    registry = ToolRegistry()
    registry.register(definition(execute=body))
    registry.on_pre_execute(allow)
    registry.on_pre_execute(lambda exec, next: Deny("second thoughts"))
    assert text(await call(registry)) == "Error: second thoughts"
    assert body.calls == []


async def junk(exec: ExecContext, next: Next) -> Any:
    return "yes"


async def nothing(exec: ExecContext, next: Next) -> Any:
    await next()


async def broken(exec: ExecContext, next: Next) -> Any:
    raise RuntimeError("the policy server is down")


async def twice(exec: ExecContext, next: Next) -> Any:
    await next()
    return await next()


async def twice_and_caught(exec: ExecContext, next: Next) -> Any:
    await next()
    try:
        await next()
    except ToolError:
        return Allow()


@pytest.mark.parametrize(
    ("listener", "said"),
    [
        (junk, 'listener "junk" returned a value of type str'),
        (nothing, 'listener "nothing" returned nothing'),
        (broken, 'listener "broken" failed: the policy server is down'),
        (twice, 'listener "twice" called `next` twice'),
        (twice_and_caught, 'listener "twice_and_caught" called `next` twice'),
    ],
)
async def test_a_gate_that_breaks_is_a_no_and_is_named(listener: Any, said: str) -> None:
    body = Counter()
    registry = ToolRegistry()
    registry.register(definition(execute=body))
    registry.on_pre_execute(listener)
    result = await call(registry)
    assert said in text(result)
    assert (code(result), body.calls) == ("LISTENER_FAILED", [])


async def test_next_after_the_answer_asks_nobody() -> None:
    kept: list[Next] = []

    async def keeps(exec: ExecContext, next: Next) -> PreToolDecision:
        kept.append(next)
        return Allow()

    asked = list[str]()
    registry = ToolRegistry()
    registry.register(definition())
    registry.on_pre_execute(keeps)
    registry.on_pre_execute(lambda exec, next: asked.append("late") or Allow())
    assert not (await call(registry)).is_error
    with pytest.raises(ToolError, match="after it had answered"):
        await kept[0]()
    assert asked == []


# --- guards


async def test_a_guard_denies_what_every_listener_allowed() -> None:
    body = Counter()
    registry = ToolRegistry()
    registry.register(definition(execute=body))
    registry.on_pre_execute(lambda exec, next: Allow())
    registry.guard(lambda exec: "frozen" if exec.name == "write" else None)
    assert text(await call(registry)) == "Error: frozen"
    assert body.calls == []


async def test_a_guard_that_a_guard_adds_is_asked_too() -> None:
    registry = ToolRegistry()
    registry.register(definition())
    added: list[object] = []

    def adds(exec: ExecContext) -> None:
        if not added:
            added.append(registry.guard(lambda exec: "added meanwhile"))

    registry.guard(adds)
    assert text(await call(registry)) == "Error: added meanwhile"


async def test_a_guard_that_fails_or_gives_junk_is_a_no() -> None:
    def fails(exec: ExecContext) -> None:
        raise KeyError("x")

    for guard in (fails, lambda exec: True):  # type: ignore[misc]
        body = Counter()
        registry = ToolRegistry()
        registry.register(definition(execute=body))
        registry.guard(guard)  # type: ignore[arg-type]
        assert code(await call(registry)) == "LISTENER_FAILED"
        assert body.calls == []


# --- around


async def test_a_wrapper_sees_a_result_for_a_tool_that_raises_and_post_execute_sees_it_too() -> (
    None
):
    async def fail(args: Any, exec: ExecContext) -> str:
        raise ValueError("no")

    seen: list[bool] = []

    async def around(exec: ExecContext, next: NextExecute) -> ToolExecutionResult:
        result = await next()
        seen.append(result.is_error)
        return result

    async def post(
        exec: ExecContext, result: ToolExecutionResult, next: NextPost
    ) -> PostToolDecision:
        seen.append(result.is_error)
        return await next()

    registry = ToolRegistry()
    registry.register(definition(execute=fail))
    registry.on_execute(around)
    registry.on_post_execute(post)
    await call(registry)
    assert seen == [True, True]


async def test_a_wrapper_that_does_not_dispatch_answers_itself() -> None:
    body = Counter()

    async def cached(exec: ExecContext, next: NextExecute) -> ToolExecutionResult:
        return ToolExecutionResult(call_id="another", content=(TextBlock("from the cache"),))

    registry = ToolRegistry()
    registry.register(definition(execute=body))
    registry.on_execute(cached)
    result = await call(registry)
    assert (text(result), result.call_id, body.calls) == ("from the cache", "c1", [])


async def test_a_wrapper_retries_by_saying_so() -> None:
    attempts: list[dict[str, Any]] = []

    async def flaky(args: Any, exec: ExecContext) -> str:
        attempts.append(args)
        args["spoiled"] = True
        if len(attempts) < 3:
            raise OSError("try again")
        return "at last"

    async def retry(exec: ExecContext, next: NextExecute) -> ToolExecutionResult:
        result = await next()
        while result.is_error:
            result = await next.again()
        return result

    registry = ToolRegistry()
    registry.register(definition(execute=flaky))
    registry.on_execute(retry)
    assert text(await call(registry, arguments={"n": 1})) == "at last"
    assert [args["n"] for args in attempts] == [1, 1, 1]


async def test_a_second_dispatch_that_nobody_meant_is_refused() -> None:
    body = Counter()

    async def careless(exec: ExecContext, next: NextExecute) -> ToolExecutionResult:
        await next()
        return await next()

    registry = ToolRegistry()
    registry.register(definition(execute=body))
    registry.on_execute(careless)
    result = await call(registry)
    assert "next.again()" in text(result)
    assert (code(result), len(body.calls)) == ("LISTENER_FAILED", 1)


async def test_a_wrapper_that_fails_is_an_error_that_names_it() -> None:
    async def metrics(exec: ExecContext, next: NextExecute) -> ToolExecutionResult:
        await next()
        raise ZeroDivisionError("rate")

    registry = ToolRegistry()
    registry.register(definition())
    registry.on_execute(metrics)
    result = await call(registry)
    assert 'listener "' in text(result)
    assert "metrics" in text(result)
    assert code(result) == "LISTENER_FAILED"


async def test_a_value_that_a_wrapper_makes_is_checked_like_the_tools_own() -> None:
    output = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}

    async def stale(exec: ExecContext, next: NextExecute) -> ToolExecutionResult:
        return replace(await next(), value={"n": "seven"})

    registry = ToolRegistry()
    registry.register(definition("lax", Counter({"n": 7}), output=output))
    registry.register(definition("strict", Counter({"n": 7}), output=output, strict_output=True))
    registry.on_execute(stale)
    assert (await call(registry, "lax")).violations != ()
    assert code(await call(registry, "strict")) == "LISTENER_FAILED"


# --- after


async def test_accept_replaces_content_and_keeps_the_failure() -> None:
    async def fail(args: Any, exec: ExecContext) -> str:
        raise ToolError("secret path /x", code="IO")

    registry = ToolRegistry()
    registry.register(definition(execute=fail))
    registry.on_post_execute(lambda exec, result, next: Accept(content="it failed"))
    result = await call(registry)
    assert (text(result), result.is_error, code(result)) == ("it failed", True, "IO")


async def test_an_empty_list_of_content_replaces_too() -> None:
    registry = ToolRegistry()
    registry.register(definition(execute=Counter("long")))
    registry.on_post_execute(lambda exec, result, next: Accept(content=[]))
    result = await call(registry)
    assert (result.content, result.is_error) == ((), False)


async def test_accept_replaces_the_value_and_the_content_with_it() -> None:
    registry = ToolRegistry()
    registry.register(definition(execute=Counter({"n": 1}), output={"type": "object"}))
    registry.on_post_execute(lambda exec, result, next: Accept(value={"n": 2}))
    result = await call(registry)
    assert (result.value, text(result)) == ({"n": 2}, '{"n":2}')


async def test_block_gives_the_feedback_and_withholds_everything_else() -> None:
    async def body(args: Any, exec: ExecContext) -> ToolOutput:
        exec.add_context("leaked")
        return ToolOutput(value={"n": 1}, meta={"m": 1}, context="leaked too")

    registry = ToolRegistry()
    registry.register(definition(execute=body, output={"type": "object"}))
    registry.on_post_execute(
        lambda exec, result, next: Block(feedback="run the tests first", additional_context="why")
    )
    result = await call(registry)
    assert (text(result), result.is_error, code(result)) == ("run the tests first", True, "BLOCKED")
    assert (result.value, result.has_value, result.meta) == (None, False, None)
    assert result.additional_context == (TextBlock("why"),)


async def test_changing_the_shown_result_changes_nothing() -> None:
    async def meddle(
        exec: ExecContext, result: ToolExecutionResult, next: NextPost
    ) -> PostToolDecision:
        assert isinstance(result.value, dict)
        assert isinstance(result.meta, dict)
        result.value["n"] = 99
        result.meta["m"] = 99
        return await next()

    async def body(args: Any, exec: ExecContext) -> ToolOutput:
        return ToolOutput(value={"n": 1}, meta={"m": 1})

    registry = ToolRegistry()
    registry.register(definition(execute=body, output={"type": "object"}))
    registry.on_post_execute(meddle)
    result = await call(registry)
    assert (result.value, result.meta) == ({"n": 1}, {"m": 1})


@pytest.mark.parametrize(
    "decision",
    [
        None,
        "fine",
        Accept(content="a", value=1),
        Accept(content=7),  # type: ignore[arg-type]
        Accept(value={1, 2}.__class__),
        Accept(additional_context=7),  # type: ignore[arg-type]
    ],
)
async def test_a_post_execute_listener_that_gives_junk_fails_the_call(decision: Any) -> None:
    registry = ToolRegistry()
    registry.register(definition(execute=Counter({"n": 1}), output={"type": "object"}))
    registry.on_post_execute(lambda exec, result, next: decision)
    result = await call(registry)
    assert (result.is_error, code(result)) == (True, "LISTENER_FAILED")


async def test_additional_context_comes_from_the_tool_then_wrappers_then_post_execute() -> None:
    async def body(args: Any, exec: ExecContext) -> ToolOutput:
        exec.add_context("deferred")
        return ToolOutput(content="x", context="tool")

    async def around(exec: ExecContext, next: NextExecute) -> ToolExecutionResult:
        result = await next()
        extra = (*result.additional_context, TextBlock("wrapper"))
        return replace(result, additional_context=extra)

    registry = ToolRegistry()
    registry.register(definition(execute=body))
    registry.on_execute(around)
    registry.on_post_execute(lambda exec, result, next: Accept(additional_context="post"))
    result = await call(registry)
    assert [block.text for block in result.additional_context if isinstance(block, TextBlock)] == [
        "deferred", "tool", "wrapper", "post",
    ]  # fmt: skip


async def test_an_observer_that_fails_changes_nothing() -> None:
    def fails(exec: ExecContext, result: ToolExecutionResult) -> None:
        raise RuntimeError("observer")

    registry = ToolRegistry()
    registry.register(definition(execute=Counter("ok")))
    registry.on_result(fails)
    assert text(await call(registry)) == "ok"


# --- copies


async def test_nobody_can_change_the_arguments_of_a_call() -> None:
    seen: list[object] = []

    async def meddle(exec: ExecContext, next: Next) -> PreToolDecision:
        assert isinstance(exec.arguments, dict)
        exec.arguments["path"] = "/etc"
        return await next()

    async def look(exec: ExecContext, next: Next) -> PreToolDecision:
        seen.append(exec.arguments)
        return await next()

    body = Counter()
    registry = ToolRegistry()
    registry.register(definition(execute=body))
    registry.on_pre_execute(meddle)
    registry.on_pre_execute(look)
    mine = {"path": "a", "more": [1]}
    await call(registry, arguments=mine)
    body.calls[0]["more"].append(2)
    assert seen == [{"path": "a", "more": [1]}]
    assert body.calls[0]["path"] == "a"
    assert mine == {"path": "a", "more": [1]}


async def test_what_a_tool_keeps_of_its_result_is_not_the_result() -> None:
    kept = {"n": [1]}
    registry = ToolRegistry()
    registry.register(definition(execute=Counter(kept), output={"type": "object"}))
    result = await call(registry)
    kept["n"].append(2)
    assert result.value == {"n": [1]}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"a": float("nan")}, "nan at arguments.a"),
        ({"a": [{"b": object()}]}, "a value of type object at arguments.a[0].b"),
        ({"a": {1, 2}}, "a value of type set at arguments.a"),
        ({"1": 1, 1: 2}, 'two keys at arguments are both "1"'),
    ],
)
async def test_arguments_that_are_not_json_dispatch_nothing(arguments: Any, said: str) -> None:
    body = Counter()
    registry = ToolRegistry()
    registry.register(definition(execute=body))
    result = await call(registry, arguments=arguments)
    assert said in text(result)
    assert (code(result), body.calls) == ("INVALID_ARGS", [])


async def test_a_ring_in_the_arguments_dispatches_nothing() -> None:
    ring: dict[str, Any] = {}
    ring["me"] = {"again": ring}
    registry = ToolRegistry()
    registry.register(definition())
    assert "a circular reference at arguments.me.again" in text(
        await call(registry, arguments=ring)
    )


async def test_invalid_arguments_never_reach_the_body_and_every_fault_is_named() -> None:
    body = Counter()
    registry = ToolRegistry()
    registry.register(
        definition(
            execute=body,
            parameters={
                "type": "object",
                "properties": {"path": {"type": "string"}, "mode": {"enum": ["r", "w"]}},
                "required": ["path"],
            },
        )
    )
    result = await call(registry, arguments={"mode": "x"})
    assert (code(result), body.calls) == ("INVALID_ARGS", [])
    assert "path" in text(result)
    assert "mode" in text(result)


async def test_validation_can_be_left_to_the_tool() -> None:
    body = Counter()
    parameters = {"type": "object", "required": ["path"]}
    registry = ToolRegistry()
    registry.register(definition(execute=body, parameters=parameters, validate_arguments=False))
    assert not (await call(registry)).is_error
    assert body.calls == [{}]


async def test_execution_of_a_wrong_kind_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="call_id is a text"):
        ToolExecution(call_id=7, name="x")  # type: ignore[arg-type]
