"""The prompt of a caller: sections, variables, and the tools in their order."""

from typing import Any

import pytest

from codemode.registry import (
    PromptAssembly,
    PromptContext,
    PromptError,
    PromptSection,
    RegistrationError,
    SystemPrompt,
    ToolContribution,
    ToolRegistry,
    ToolSchema,
)
from codemode.runtime import RunRequest, RunResult
from codemode.runtime.testing import ScriptedRuntime

from .kit import definition

pytestmark = pytest.mark.anyio


async def script(_: object) -> None: ...


def with_tools(*names: str, **options: Any) -> ToolRegistry:
    registry = ToolRegistry(**options)
    for name in names:
        registry.register(definition(name))
    return registry


async def tool_names(registry: ToolRegistry, scope: Any = None) -> list[str]:
    return [schema.name for schema in (await registry.prompt.assemble(scope)).tools]


# --- sections


async def test_sections_stand_in_their_order_with_a_blank_line_between() -> None:
    prompt = SystemPrompt()
    prompt.section("persona", "You are brief.", order=0)
    prompt.section("guidance", "Use tools.", order=100)
    prompt.section("identity", "You are an agent.", order=-100)
    assert (await prompt.assemble()).text == "You are an agent.\n\nYou are brief.\n\nUse tools."


async def test_sections_of_one_order_stand_as_they_were_registered() -> None:
    prompt = SystemPrompt()
    for name in ("b", "a", "c"):
        prompt.section(name, name, order=5)
    assert [section.name for section in (await prompt.assemble()).sections] == ["b", "a", "c"]


async def test_a_text_may_be_a_function_that_is_asked_at_each_assembly() -> None:
    prompt, asked = SystemPrompt(), list[object]()

    async def later(context: PromptContext) -> str:
        asked.append(context.scope)
        return f"asked {len(asked)} times"

    prompt.section("lazy", later)
    assert (await prompt.assemble()).text == "asked 1 times"
    assert (await prompt.assemble()).text == "asked 2 times"


async def test_an_empty_text_is_no_section() -> None:
    prompt = SystemPrompt()
    prompt.section("empty", lambda context: "  \n")
    prompt.section("full", "x")
    assert (await prompt.assemble()).sections == (PromptSection("full", 0, "x"),)


async def test_an_assembly_is_a_snapshot() -> None:
    prompt = SystemPrompt()
    section = prompt.section("a", "before")
    assembly = await prompt.assemble()
    section.close()
    section.close()
    assert assembly.text == "before"
    assert (await prompt.assemble()).text == ""


@pytest.mark.parametrize("order", [float("nan"), float("inf"), "1", True])
def test_an_order_is_a_finite_number(order: Any) -> None:
    with pytest.raises(RegistrationError, match="finite number"):
        SystemPrompt().section("a", "x", order=order)


async def test_a_scopes_section_shadows_the_global_one_there_and_ends_with_the_scope() -> None:
    registry = ToolRegistry()
    registry.prompt.section("persona", "for all")
    with registry.scope("agent") as scope:
        registry.prompt.section("persona", "for one", scope=scope)
        with pytest.raises(RegistrationError, match="already registered there"):
            registry.prompt.section("persona", "again", scope=scope)
        assert (await registry.prompt.assemble(scope)).text == "for one"
        assert (await registry.prompt.assemble(scope.scope("below"))).text == "for one"
        assert (await registry.prompt.assemble()).text == "for all"
    with pytest.raises(PromptError, match='"agent" is closed'):
        await registry.prompt.assemble(scope)
    with pytest.raises(RegistrationError, match='"agent" is closed'):
        registry.prompt.section("late", "x", scope=scope)


async def test_a_section_that_gives_no_text_is_named() -> None:
    prompt = SystemPrompt()
    prompt.section("broken", lambda context: None)  # type: ignore[arg-type,return-value]
    with pytest.raises(PromptError, match='section "broken" gave NoneType'):
        await prompt.assemble()


# --- variables


async def test_variables_are_filled_in_and_their_values_are_not_looked_into() -> None:
    prompt = SystemPrompt()
    prompt.variable("name", "{{other}}")
    prompt.variable("day", lambda context: "Monday")
    prompt.section("a", "I am {{name}}, {{ day }}.")
    assert (await prompt.assemble()).text == "I am {{other}}, Monday."


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("{{nme}}", 'unknown variable "nme"; known: name'),
        ("{{}}", "malformed"),
        ("{{name", "malformed"),
        ("{{1x}}", "malformed"),
        ("{{na me}}", "malformed"),
    ],
)
async def test_what_looks_like_a_variable_is_one(written: str, said: str) -> None:
    prompt = SystemPrompt()
    prompt.variable("name", "x")
    prompt.section("a", written)
    with pytest.raises(PromptError, match=said):
        await prompt.assemble()


async def test_a_literal_section_has_no_variables() -> None:
    prompt = SystemPrompt()
    prompt.section("sdk", "{{not a variable", is_literal=True)
    assert (await prompt.assemble()).text == "{{not a variable"


def test_a_variable_is_registered_once() -> None:
    prompt = SystemPrompt()
    prompt.variable("a", "1")
    with pytest.raises(RegistrationError, match='variable "a"'):
        prompt.variable("a", "2")


# --- listeners


async def test_what_an_assemble_listener_gives_counts() -> None:
    prompt = SystemPrompt()
    prompt.section("a", "x")

    async def listener(assembly: PromptAssembly, next: Any) -> PromptAssembly:
        made = await next()
        return PromptAssembly((*made.sections, PromptSection("b", 1, "y")), made.tools)

    registration = prompt.on_assemble(listener)
    assert (await prompt.assemble()).text == "x\n\ny"
    registration.close()
    assert (await prompt.assemble()).text == "x"


async def test_an_assemble_listener_that_breaks_rejects_the_assembly_by_name() -> None:
    prompt = SystemPrompt()
    prompt.on_assemble(lambda assembly, next: None, name="mine")  # type: ignore[arg-type,return-value]
    with pytest.raises(
        PromptError, match='system-prompt/assemble listener "mine" returned nothing'
    ):
        await prompt.assemble()


# --- the order of tools


async def test_tools_stand_in_the_order_of_their_names() -> None:
    assert await tool_names(with_tools("b", "Z", "a")) == ["Z", "a", "b"]


async def test_an_order_lists_some_and_a_marker_stands_for_the_rest() -> None:
    registry = with_tools("a", "b", "c", "d", tool_order=["d", "<unlisted-tools>", "a"])
    assert await tool_names(registry) == ["d", "b", "c", "a"]


@pytest.mark.parametrize(
    ("order", "said"),
    [
        (["a"], "exactly once"),
        (["<unlisted-tools>", "<unlisted-tools>"], "exactly once"),
        (["a", "a", "<unlisted-tools>"], "'a' twice"),
        ("a", "a list of tool names"),
        ([7, "<unlisted-tools>"], "a list of tool names"),
    ],
)
def test_a_wrong_order_is_refused_at_once(order: Any, said: str) -> None:
    with pytest.raises(RegistrationError, match=said):
        ToolRegistry(tool_order=order)


async def test_an_order_that_names_an_unknown_tool_rejects_every_assembly() -> None:
    registry = with_tools("a", tool_order=["x", "<unlisted-tools>"])
    for _ in range(2):
        with pytest.raises(
            PromptError, match='toolOrder lists unregistered tool "x"; known tools: a'
        ):
            await registry.prompt.assemble()


async def test_a_listed_tool_that_is_restricted_away_is_no_fault() -> None:
    registry = with_tools("a", "b", tool_order=["b", "<unlisted-tools>"])
    scope = registry.scope("agent")
    scope.restrict(deny=["b"])
    assert await tool_names(registry, scope) == ["a"]


async def test_two_providers_that_give_one_name_are_told_apart_by_nobody() -> None:
    registry = with_tools("a")

    def provider(context: PromptContext) -> ToolContribution:
        return ToolContribution([ToolSchema("a", "", {})], ["a"])

    registry.prompt.tools(provider)
    with pytest.raises(PromptError, match='both give "a"'):
        await registry.prompt.assemble()


# --- modes


class OtherLanguage:
    language, isolation = "python", "none"

    async def run(self, request: RunRequest) -> RunResult:
        raise AssertionError("never run")

    async def aclose(self) -> None: ...


async def test_native_is_the_default_and_needs_no_runtime() -> None:
    registry = with_tools("a")
    assembly = await registry.prompt.assemble()
    assert registry.mode == "native"
    assert [schema.name for schema in assembly.tools] == ["a"]
    assert "run_code" not in assembly.text
    assert registry.get("run_code") is None


async def test_code_shows_run_code_alone_with_the_sdk_and_the_rule() -> None:
    registry = with_tools("a", mode="code", runtime=ScriptedRuntime(script))
    assembly = await registry.prompt.assemble()
    assert [schema.name for schema in assembly.tools] == ["run_code"]
    assert [section.name for section in assembly.sections] == ["tools:code-only", "tools:sdk"]
    assert "a(args" in assembly.text


async def test_both_shows_everything() -> None:
    registry = with_tools("a", "z", mode="both", runtime=ScriptedRuntime(script))
    assembly = await registry.prompt.assemble()
    assert [schema.name for schema in assembly.tools] == ["a", "run_code", "z"]
    assert [section.name for section in assembly.sections] == ["tools:sdk"]


@pytest.mark.parametrize("mode", ["code", "both"])
async def test_a_missing_runtime_rejects_every_assembly_and_says_what_to_do(mode: Any) -> None:
    registry = with_tools("a", mode=mode)
    for _ in range(2):
        with pytest.raises(PromptError, match=f'mode "{mode}" requires a code runtime: give'):
            await registry.prompt.assemble()
    registry.runtime = ScriptedRuntime(script)
    assert "run_code" in await tool_names(registry)


@pytest.mark.parametrize("mode", ["code", "both"])
async def test_a_runtime_of_another_language_rejects_every_assembly(mode: Any) -> None:
    registry = with_tools("a", mode=mode, runtime=OtherLanguage())
    with pytest.raises(PromptError, match=r'"typescript".*"python"'):
        await registry.prompt.assemble()


async def test_in_code_mode_an_order_that_names_a_native_tool_is_dead_and_says_so() -> None:
    registry = with_tools(
        "a",
        mode="code",
        runtime=ScriptedRuntime(script),
        tool_order=["a", "<unlisted-tools>"],
    )
    with pytest.raises(PromptError, match='unregistered tool "a"; known tools: run_code'):
        await registry.prompt.assemble()


async def test_in_both_modes_an_order_may_name_run_code() -> None:
    order = ["run_code", "<unlisted-tools>"]
    registry = with_tools("a", mode="both", runtime=ScriptedRuntime(script), tool_order=order)
    assert await tool_names(registry) == ["run_code", "a"]


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(RegistrationError, match='"native", "code" or "both"'):
        ToolRegistry(mode="hybrid")  # type: ignore[arg-type]


async def test_the_sdk_is_the_same_bytes_for_the_same_tools() -> None:
    runtime = ScriptedRuntime(script)
    texts = {
        (await with_tools(*names, mode="code", runtime=runtime).prompt.assemble()).text
        for names in (("a", "b"), ("b", "a"))
    }
    assert len(texts) == 1


async def test_the_sdk_shows_each_caller_its_own_tools() -> None:
    registry = with_tools("a", "b", mode="code", runtime=ScriptedRuntime(script))
    scope = registry.scope("agent")
    scope.restrict(deny=["b"])
    scope.register(definition("own"))
    text = (await registry.prompt.assemble(scope)).text
    assert ("a(args" in text, "b(args" in text, "own(args" in text) == (True, False, True)
    registry.register(definition("later"))
    assert "later(args" in (await registry.prompt.assemble(scope)).text


async def test_a_tools_own_text_cannot_break_the_prompt() -> None:
    registry = ToolRegistry(mode="code", runtime=ScriptedRuntime(script))
    registry.register(definition("a", description="uses {{braces}} and ``` fences"))
    assert "{{braces}}" in (await registry.prompt.assemble()).text


async def test_a_scope_of_another_registry_gets_no_prompt() -> None:
    with pytest.raises(PromptError, match="belongs to another registry"):
        await with_tools("a").prompt.assemble(ToolRegistry().scope("stranger"))


async def test_closing_the_registry_takes_its_tools_and_sections_out_of_the_prompt() -> None:
    registry = with_tools("a", mode="code", runtime=ScriptedRuntime(script))
    registry.close()
    assembly = await registry.prompt.assemble()
    assert (assembly.tools, assembly.sections) == ((), ())
