"""The bridge: a program's calls are calls of the registry, and nothing of a run outlives it.

Of the original's facts, those that concern the runtime alone are proven there, not again here
(``tests/runtime``): console methods, log budget and write callbacks (``test_console.py``), forged frames
and junk from the guest (``test_protocol.py``), giant, odd or hostile thrown values
(``test_failures.py``), timers beyond 2**31 (``test_time.py``), deep and non-JSON values and undefined
(``test_values.py``), poisoned intrinsics (``test_bindings.py``), compute, wall and memory limits and
isolation of runs (``test_containment.py``), late answers (``test_cancellation.py``). Modes, the wire
list, prompt and toolOrder: ``test_prompt.py``. Reservation of ``run_code``: ``test_scopes.py``. Order:
``test_code_mode_order.py``; text: ``test_code_mode_text.py``; hostile programs:
``test_code_mode_programs.py``.
"""

import json
from typing import Any

import pytest

from codemode.registry import (
    Accept,
    Allow,
    Deny,
    ExecContext,
    ImageBlock,
    TextBlock,
    ToolOutput,
)
from codemode.registry.log import MemoryLog
from codemode.runtime import (
    AbortController,
    QuickJSRuntime,
)

from .codekit import ended, kinds, registry_of, run, started, value_of
from .kit import Counter, call, code, definition, text

pytestmark = pytest.mark.anyio


async def test_only_what_the_program_gives_comes_back(runtime: QuickJSRuntime) -> None:
    log = MemoryLog()
    registry = registry_of(runtime, definition("read", Counter("a long secret")), log=log)
    result = await run(registry, "const s = await tools.read({}); return s.length")
    assert (text(result), result.additional_context) == ("13", ())
    assert kinds(log.entries) == [
        "tool/call", "tool/code-dispatch-start", "tool/code-dispatch", "tool/result",
    ]  # fmt: skip


async def test_a_text_tool_gives_its_text_and_a_structured_one_its_value(
    runtime: QuickJSRuntime,
) -> None:
    registry = registry_of(
        runtime,
        definition("words", Counter("7")),
        definition("value", Counter({"n": 7}), output={"type": "object"}),
        definition("nothing", Counter(None)),
        definition("blocks", Counter([TextBlock("a"), ImageBlock("aGk=", "image/png"), TextBlock("b")])),
    )  # fmt: skip
    program = "return [await tools.words(), await tools.value(), await tools.nothing(), await tools.blocks()]"
    assert await value_of(registry, program) == ["7", {"n": 7}, "", "a\n[image content]\nb"]


async def test_a_failure_that_is_not_caught_fails_the_run_with_its_text(
    runtime: QuickJSRuntime,
) -> None:
    async def fail(args: Any, exec: ExecContext) -> str:
        raise ValueError("inner trouble")

    log = MemoryLog()
    registry = registry_of(runtime, definition("fail", fail), log=log)
    result = await run(registry, "console.log('step 1')\nreturn await tools.fail({})")
    assert code(result) == "CODE_RUN_FAILED"
    assert "(exception)" in text(result)
    assert "inner trouble" in text(result)
    assert text(result).endswith("Captured output:\nstep 1")
    assert ended(log) == [("c1:code:1", "fail", "TOOL_FAILED")]


async def test_a_rejection_is_an_error_that_names_tool_and_code(runtime: QuickJSRuntime) -> None:
    registry = registry_of(runtime, definition("write"))
    registry.on_pre_execute(
        lambda exec, next: Deny("no writes") if exec.name == "write" else Allow()
    )
    program = """try { await tools.write({}) } catch (e) {
        return [e instanceof ToolCallError, e instanceof Error, e.name, e.toolName, e.code, e.message] }"""
    assert await value_of(registry, program) == [
        True, True, "ToolCallError", "write", "DENIED", "no writes",
    ]  # fmt: skip


async def test_a_program_has_neither_run_code_nor_what_its_caller_may_not_see(
    runtime: QuickJSRuntime,
) -> None:
    log = MemoryLog()
    registry = registry_of(runtime, definition("read"), definition("write"), log=log)
    scope = registry.scope("reader")
    scope.restrict(deny=["write"])
    scope.register(definition("own"))
    program = "return Object.keys(tools).sort()"
    assert await value_of(registry, program) == ["read", "write"]
    assert await value_of(registry, program, scope=scope) == ["own", "read"]
    for name in ("run_code", "write"):
        program = f"return await tools.{name}({{}}).catch((e) => 0)"
        result = await run(registry, program, scope=scope)
        assert code(result) == "CODE_RUN_FAILED"
    assert started(log) == []


async def test_a_model_may_call_nothing_else_in_code_mode_and_is_told_the_way(
    runtime: QuickJSRuntime,
) -> None:
    body, asked = Counter(), list[str]()
    registry = registry_of(runtime, definition("write", body))
    registry.on_pre_execute(lambda exec, next: asked.append(exec.name) or Allow())
    result = await call(registry, "write")
    assert code(result) == "UNKNOWN_TOOL"
    assert "run_code" in text(result)
    assert "tools['write']" in text(result)
    assert (body.calls, asked) == ([], [])
    controller = AbortController()
    controller.abort()
    assert (
        code(await call(registry, "write", signal=controller.signal)) == "ABORTED_BEFORE_DISPATCH"
    )


async def test_a_tool_that_is_gone_when_its_call_comes_is_unknown(runtime: QuickJSRuntime) -> None:
    body, log = Counter(), MemoryLog()
    registry = registry_of(runtime, log=log)
    gone = registry.register(definition("gone", body))

    async def remove(args: Any, exec: ExecContext) -> None:
        gone.close()

    registry.register(definition("remove", remove))
    program = """const [, end] = await Promise.allSettled([tools.remove(), tools.gone()])
        return [end.reason.code, end.reason.toolName]"""
    assert await value_of(registry, program) == ["UNKNOWN_TOOL", "gone"]
    assert ended(log)[1] == ("c1:code:2", "gone", "UNKNOWN_TOOL")
    assert body.calls == []


async def test_a_tool_that_is_replaced_during_the_run_is_the_one_that_is_called(
    runtime: QuickJSRuntime,
) -> None:
    registry = registry_of(runtime)
    old = registry.register(definition("tool", Counter("old")))

    async def swap(args: Any, exec: ExecContext) -> None:
        old.close()
        registry.register(definition("tool", Counter("new")))

    registry.register(definition("swap", swap))
    program = "const a = await tools.tool(); await tools.swap(); return [a, await tools.tool()]"
    assert await value_of(registry, program) == ["old", "new"]


async def test_what_a_tool_changes_of_its_arguments_nobody_else_sees(
    runtime: QuickJSRuntime,
) -> None:
    kept: list[Any] = []
    log = MemoryLog()

    async def mutate(args: Any, exec: ExecContext) -> Any:
        args["items"].append("T")
        kept.append(args)
        return args

    registry = registry_of(
        runtime, definition("mutate", mutate, output={"type": "object"}), log=log
    )
    program = """const mine = { items: [1] }; const call = tools.mutate(mine); mine.items.push(99)
        const got = await call; got.items.push(7); return [mine, got]"""
    assert await value_of(registry, program) == [{"items": [1, 99]}, {"items": [1, "T", 7]}]
    assert kept == [{"items": [1, "T"]}]
    logged = [entry.arguments for entry in log.entries if "code" in entry.type]  # type: ignore[union-attr]
    assert logged == [{"items": [1]}, {"items": [1]}]


# --- what the model gets beside the text


async def test_context_and_images_of_calls_come_after_the_run(runtime: QuickJSRuntime) -> None:
    image = ImageBlock("aGk=", "image/png")

    async def look(args: Any, exec: ExecContext) -> ToolOutput:
        exec.add_context("deferred")
        return ToolOutput(content=[TextBlock("seen"), image], context="more")

    registry = registry_of(runtime, definition("look", look))
    for program in ("return await tools.look()", "await tools.look(); throw new Error('late')"):
        result = await run(registry, program)
        assert result.additional_context == (TextBlock("deferred"), TextBlock("more"), image)
        assert not any(isinstance(block, ImageBlock) for block in result.content)


async def test_images_that_post_execute_took_away_stay_away(runtime: QuickJSRuntime) -> None:
    shot = Counter([ImageBlock("aGk=", "image/png")])
    registry = registry_of(runtime, definition("shot", shot))
    registry.on_post_execute(
        lambda exec, result, next: (
            Accept(content="no pictures") if exec.name == "shot" else Accept()
        )
    )
    result = await run(registry, "return await tools.shot()")
    assert (text(result), result.additional_context) == ("no pictures", ())


# --- ids and parents


async def test_a_call_knows_its_parent_and_the_outermost_call(runtime: QuickJSRuntime) -> None:
    log, seen = MemoryLog(), list[tuple[str, str | None, str]]()
    registry = registry_of(runtime, log=log)

    def look(exec: ExecContext) -> None:
        parent = None if exec.parent is None else exec.parent.call_id
        seen.append((exec.call_id, parent, exec.root_call_id))

    async def leaf(args: Any, exec: ExecContext) -> str:
        look(exec)
        return "leaf"

    async def outer(args: Any, exec: ExecContext) -> str:
        look(exec)
        inner = await call(registry, "leaf", call_id=f"{exec.call_id}/1", parent=exec)
        return text(inner)

    registry.register(definition("leaf", leaf))
    registry.register(definition("outer", outer))
    assert text(await run(registry, "return await tools.outer()", call_id="r")) == "leaf"
    assert seen == [("r:code:1", "r", "r"), ("r:code:1/1", "r:code:1", "r")]
    entries = [e for e in log.entries if e.type == "tool/code-dispatch"]
    assert [(e.root_call_id, e.parent_call_id, e.sub_call_id) for e in entries] == [  # type: ignore[union-attr]
        ("r", "r:code:1", "r:code:1/1"),
        ("r", "r", "r:code:1"),
    ]


async def test_a_call_that_is_kept_for_later_can_carry_no_other(runtime: QuickJSRuntime) -> None:
    kept: list[ExecContext] = []
    log, body = MemoryLog(), Counter()

    async def keep(args: Any, exec: ExecContext) -> None:
        kept.append(exec)

    registry = registry_of(runtime, definition("keep", keep), definition("write", body), log=log)
    await run(registry, "await tools.keep()")
    late = await call(registry, "write", parent=kept[0])
    assert (code(late), body.calls) == ("ABORTED_BEFORE_DISPATCH", [])


async def test_a_body_that_runs_a_program_has_no_part_in_the_outer_queue(
    runtime: QuickJSRuntime,
) -> None:
    log = MemoryLog()
    registry = registry_of(runtime, definition("leaf", Counter("leaf")), log=log)

    async def inner(args: Any, exec: ExecContext) -> str:
        result = await run(
            registry,
            "return await tools.leaf()",
            call_id=f"{exec.call_id}:run",
            parent=exec,
            signal=exec.signal,
        )
        return json.dumps([text(result), code(result)])

    registry.register(definition("inner", inner))
    assert await value_of(registry, "return await tools.inner()") == ["leaf", None]
    assert [call_id for call_id, _ in started(log)] == [
        "c1:code:1", "c1:code:1:run", "c1:code:1:run:code:1",
    ]  # fmt: skip
