"""``tools.$search`` and ``tools.$describe``: they know exactly the tools that a program may call."""

from typing import Any

import pytest

from codemode.registry import RUN_CODE_NAME, ToolRegistry, ToolScope
from codemode.registry.log import MemoryLog
from codemode.runtime import QuickJSRuntime

from .codekit import registry_of, run, started, value_of
from .kit import Counter, definition, text

pytestmark = pytest.mark.anyio
PATH: Any = {
    "type": "object",
    "properties": {"path": {"type": "string", "description": "where the invoice lies"}},
    "required": ["path"],
}


def shop(runtime: QuickJSRuntime, log: MemoryLog | None = None) -> ToolRegistry:
    return registry_of(
        runtime,
        definition("list_orders", description="Lists orders.\nNewest first."),
        definition("cancel_order", description="Cancels one order."),
        definition("readInvoice", description="Reads a file.", parameters=PATH),
        definition("send_mail", description="Sends a message to a customer about orders."),
        log=log,
    )


async def names(registry: ToolRegistry, query: str, scope: ToolScope | None = None) -> list[str]:
    found = await value_of(registry, f"return await tools.$search({query})", scope=scope)
    return [each["name"] for each in found]


async def test_search_gives_names_and_first_lines_best_first(runtime: QuickJSRuntime) -> None:
    found = await value_of(shop(runtime), "return await tools.$search('list orders')")
    assert found[0] == {"name": "list_orders", "description": "Lists orders."}
    assert {each["name"] for each in found} == {"list_orders", "cancel_order", "send_mail"}


@pytest.mark.parametrize("query", ["read invoice", "readInvoice", "INVOICES", "invoice lies"])
async def test_search_knows_humps_plurals_and_the_words_of_parameters(
    runtime: QuickJSRuntime, query: str
) -> None:
    assert (await names(shop(runtime), repr(query)))[0] == "readInvoice"


async def test_search_keeps_to_its_limit(runtime: QuickJSRuntime) -> None:
    registry = registry_of(runtime, *(definition(f"order_{i}") for i in range(80)))
    assert len(await names(registry, "'order'")) == 10
    assert len(await names(registry, "'order', { limit: 3 }")) == 3
    assert len(await names(registry, "'order', { limit: 1000 }")) == 50


async def test_search_without_a_match_or_a_word_finds_nothing(runtime: QuickJSRuntime) -> None:
    for query in ("'weather'", "''", "'!?'"):
        assert await names(shop(runtime), query) == []


@pytest.mark.parametrize(
    "call",
    [
        "$search()", "$search(7)", "$search({ query: 'x' })", "$search('x', { limit: 0 })",
        "$search('x', { limit: true })", "$search('x', { limit: 'all' })", "$search('x', 5)",
        "$describe()", "$describe(null)", "$describe({ name: 'x' })",
    ],
)  # fmt: skip
async def test_a_wrong_use_is_told_with_a_code(runtime: QuickJSRuntime, call: str) -> None:
    program = f"return await tools.{call}.catch((e) => [e.code, e.message.length > 10])"
    assert await value_of(shop(runtime), program) == ["INVALID_ARGS", True]


async def test_describe_gives_the_declaration_that_the_prompt_would_have(
    runtime: QuickJSRuntime,
) -> None:
    registry = shop(runtime)
    said = text(await run(registry, "return await tools.$describe('readInvoice')"))
    assert "Reads a file." in said
    assert "path:string" in said
    assert "where the invoice lies" in said
    assert "list_orders" not in said
    assert "```" not in said
    declared = said[said.index("readInvoice(") : said.rindex("\n}")]
    assert declared in registry.sdk_text()


@pytest.mark.parametrize(
    ("name", "near"), [("cancel_orders", "'cancel_order'"), ("read_invoice", "'readInvoice'")]
)
async def test_a_name_that_is_wrong_is_answered_with_the_nearest(
    runtime: QuickJSRuntime, name: str, near: str
) -> None:
    program = f"return await tools.$describe('{name}').catch((e) => [e.code, e.message])"
    code, message = await value_of(shop(runtime), program)
    assert code == "UNKNOWN_TOOL"
    assert message.startswith(f'unknown tool "{name}"; did you mean {near}')


async def test_a_name_with_a_letter_wrong_is_answered_with_the_nearest(
    runtime: QuickJSRuntime,
) -> None:
    program = "return await tools.$describe('lst_order').catch((e) => e.message)"
    assert "'list_orders'" in text(await run(shop(runtime), program))
    program = "return await tools.$describe('snd_mial').catch((e) => e.message)"
    assert "'send_mail'" in text(await run(shop(runtime), program))


async def test_a_restricted_tool_is_not_found_nor_described_nor_named(
    runtime: QuickJSRuntime,
) -> None:
    registry = shop(runtime)
    scope = registry.scope("guest")
    scope.restrict(deny=["cancel_order"])
    assert "cancel_order" not in await names(registry, "'cancel order'", scope)
    for name in ("cancel_order", "cancel_orders"):
        program = f"return await tools.$describe('{name}').catch((e) => [e.code, e.message])"
        code, message = await value_of(registry, program, scope=scope)
        assert code == "UNKNOWN_TOOL"
        assert "'cancel_order'" not in message
    assert "cancel_order" in await names(registry, "'cancel order'")


async def test_a_restriction_during_the_run_counts_at_once(runtime: QuickJSRuntime) -> None:
    registry = shop(runtime)
    scope = registry.scope("guest")

    async def restrict(args: Any, exec: Any) -> None:
        scope.restrict(deny=["cancel_order"])

    registry.register(definition("lock", restrict))
    program = """const before = await tools.$search('cancel'); await tools.lock()
        return [before.length, (await tools.$search('cancel')).length]"""
    assert await value_of(registry, program, scope=scope) == [1, 0]


async def test_run_code_itself_is_not_to_be_found(runtime: QuickJSRuntime) -> None:
    registry = shop(runtime)
    assert RUN_CODE_NAME not in await names(registry, "'run code program typescript'")
    program = "return await tools.$describe('run_code').catch((e) => e.code)"
    assert text(await run(registry, program)) == "UNKNOWN_TOOL"


async def test_a_scopes_own_tool_is_found_by_its_programs_alone(runtime: QuickJSRuntime) -> None:
    registry = shop(runtime)
    scope = registry.scope("mine")
    scope.register(definition("secret_orders", Counter()))
    assert "secret_orders" in await names(registry, "'secret'", scope)
    assert await names(registry, "'secret'") == []


async def test_the_helpers_are_no_calls_of_tools_and_not_among_the_members(
    runtime: QuickJSRuntime,
) -> None:
    log = MemoryLog()
    registry = shop(runtime, log)
    program = """await tools.$search('orders'); await tools.$describe('send_mail')
        return Object.keys(tools).sort()"""
    assert await value_of(registry, program) == [
        "cancel_order", "list_orders", "readInvoice", "send_mail",
    ]  # fmt: skip
    assert started(log) == []


async def test_a_tool_may_be_called_like_a_helper(runtime: QuickJSRuntime) -> None:
    registry = registry_of(runtime, definition("$search", Counter("the tool's own")))
    assert "the tool's own" in text(await run(registry, "return await tools.$search({})"))
