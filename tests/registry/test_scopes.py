"""Layers of tools: who sees what, and what a registration's end takes with it."""

from typing import Any

import pytest

from codemode.registry import (
    Deny,
    ExecContext,
    Next,
    PreToolDecision,
    RegistrationError,
    ToolRegistry,
    ToolScope,
)
from codemode.runtime.testing import ScriptedRuntime

from .kit import Counter, call, code, definition, text

pytestmark = pytest.mark.anyio


async def script(_: object) -> None: ...


def names(scope: ToolScope) -> list[str]:
    return [tool.name for tool in scope.visible()]


# --- registration


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (definition(""), "name is a text"),
        (definition(7), "name is a text"),  # type: ignore[arg-type]
        (definition("a\nb"), "control characters"),
        (definition(" a"), "outer spaces"),
        (definition("x" * 300), "more than 256"),
        (definition("run_code"), 'tool name "run_code" is reserved'),
        (definition("t", description=7), 'tool "t": the description'),
        (definition("t", parameters=["type"]), 'tool "t": parameters is not a JSON Schema object'),
        (
            definition("t", parameters={"type": "array"}),
            'tool "t": parameters.type must be "object"',
        ),
        (definition("t", parameters={"default": {1, 2}}), 'tool "t": parameters is not JSON'),
        (definition("t", output=7), 'tool "t": output is not a JSON Schema object'),
        (definition("t", execute="x"), 'tool "t": execute is not a function'),
        (definition("t", timeout_ms=0), 'tool "t": timeout_ms must be a positive finite number'),
        (definition("t", timeout_ms=-1), "timeout_ms must be a positive finite number"),
        (definition("t", timeout_ms=float("nan")), "timeout_ms must be a positive finite number"),
        (definition("t", timeout_ms=float("inf")), "timeout_ms must be a positive finite number"),
        (definition("t", timeout_ms="5"), "timeout_ms must be a positive finite number"),
        (definition("t", timeout_ms=True), "timeout_ms must be a positive finite number"),
        (definition("t", present_call="x"), 'tool "t": present_call is not a function'),
        (definition("t", concurrency_safe=1), 'tool "t": concurrency_safe'),
        (definition("t", strict_output="no"), 'tool "t": strict_output'),
        (len, "is not a tool"),
    ],
)
def test_a_wrong_definition_is_refused_at_registration(wrong: Any, said: str) -> None:
    registry = ToolRegistry()
    with pytest.raises(RegistrationError, match="(?s)" + said.replace("(", r"\(")):
        registry.register(wrong)
    assert names(registry) == []


def test_a_name_is_registered_once_in_a_layer() -> None:
    registry = ToolRegistry()
    registry.register(definition("a"))
    with pytest.raises(RegistrationError, match='"a" is already registered \\(for a variant'):
        registry.register(definition("a"))
    scope = registry.scope("agent")
    scope.register(definition("a"))
    with pytest.raises(RegistrationError, match='"a" is already registered in this scope'):
        scope.register(definition("a"))


def test_a_broken_keyword_in_a_schema_is_a_warning_at_registration(
    caplog: pytest.LogCaptureFixture,
) -> None:
    parameters = {"type": "object", "properties": {"a": {"type": "any"}}}
    registration = ToolRegistry().register(definition("t", parameters=parameters))
    assert len(registration.warnings) == 1
    assert "properties.a" in registration.warnings[0]
    assert "'t'" in caplog.text


async def test_closing_a_registration_twice_takes_the_tool_away_once() -> None:
    registry = ToolRegistry()
    registration = registry.register(definition("a"))
    registration.close()
    registry.register(definition("a", Counter("the second")))
    registration.close()
    assert registration.is_closed
    assert text(await call(registry, "a")) == "the second"


async def test_a_registration_is_a_context_manager() -> None:
    registry = ToolRegistry()
    with registry.register(definition("a")):
        assert names(registry) == ["a"]
    assert names(registry) == []


async def test_a_call_that_has_begun_ends_when_its_tool_is_taken_away() -> None:
    registry = ToolRegistry()

    async def body(args: Any, exec: ExecContext) -> str:
        registration.close()
        return "done all the same"

    registration = registry.register(definition("a", body))
    assert text(await call(registry, "a")) == "done all the same"
    assert code(await call(registry, "a")) == "UNKNOWN_TOOL"


# --- shadows


@pytest.mark.parametrize("scope_first", [False, True])
async def test_the_nearest_tool_of_a_name_counts_in_either_order(scope_first: bool) -> None:
    registry = ToolRegistry()
    scope = registry.scope("agent")
    steps = [
        lambda: registry.register(definition("a", Counter("everybody's"))),
        lambda: scope.register(definition("a", Counter("its own"))),
    ]
    for step in reversed(steps) if scope_first else steps:
        step()
    assert text(await call(registry, "a", scope=scope)) == "its own"
    assert text(await call(registry, "a")) == "everybody's"
    assert text(await call(registry, "a", scope=registry.scope("other"))) == "everybody's"


async def test_a_scope_below_another_sees_its_tools() -> None:
    registry = ToolRegistry()
    parent = registry.scope("parent")
    parent.register(definition("a", Counter("the parent's")))
    child = parent.scope("child")
    assert text(await call(registry, "a", scope=child)) == "the parent's"
    assert code(await call(registry, "a")) == "UNKNOWN_TOOL"


def test_closing_a_scope_leaves_nothing_of_it() -> None:
    registry = ToolRegistry()
    changes: list[str] = []
    registry.on_change(lambda scope: changes.append(scope.name))
    with registry.scope("agent") as scope:
        child = scope.scope("child")
        scope.register(definition("a"))
        child.register(definition("b"))
        scope.on_pre_execute(lambda exec, next: Deny("x"))
    assert changes == ["agent", "child", "child", "agent"]
    assert scope.is_closed
    assert child.is_closed
    assert names(scope) == []


async def test_a_closed_scope_calls_and_registers_nothing() -> None:
    registry = ToolRegistry()
    registry.register(definition("a"))
    scope = registry.scope("agent")
    scope.close()
    scope.close()
    assert 'the scope "agent" is closed' in text(await call(registry, "a", scope=scope))
    with pytest.raises(RegistrationError, match='"agent" is closed'):
        scope.register(definition("b"))


async def test_a_scope_of_another_registry_calls_nothing() -> None:
    registry, body = ToolRegistry(), Counter()
    registry.register(definition("a", body))
    stranger = ToolRegistry().scope("stranger")
    assert code(await call(registry, "a", scope=stranger)) == "DENIED"
    assert body.calls == []


# --- restrictions


def restricted() -> tuple[ToolRegistry, ToolScope]:
    registry = ToolRegistry()
    for name in ("read", "write", "delete"):
        registry.register(definition(name))
    return registry, registry.scope("agent")


async def test_what_is_restricted_away_is_not_there_for_anybody_who_asks() -> None:
    registry, scope = restricted()
    scope.restrict(deny=["delete"])
    assert names(scope) == ["read", "write"]
    assert scope.get("delete") is None
    assert [schema.name for schema in scope.schemas()] == ["read", "write"]
    assert text(await call(registry, "delete", scope=scope)).startswith(
        'Error: unknown tool "delete"'
    )
    assert [s.name for s in (await registry.prompt.assemble(scope)).tools] == ["read", "write"]
    assert names(registry) == ["read", "write", "delete"]


def test_restrictions_intersect_and_each_is_lifted_by_itself() -> None:
    _, scope = restricted()
    first = scope.restrict(allow=["read", "write"])
    second = scope.restrict(deny=["read"])
    assert names(scope) == ["write"]
    first.close()
    assert names(scope) == ["write", "delete"]
    second.close()
    assert names(scope) == ["read", "write", "delete"]


def test_deny_counts_after_allow() -> None:
    _, scope = restricted()
    scope.restrict(allow=["read", "write"], deny=["write"])
    assert names(scope) == ["read"]


def test_an_empty_allow_list_leaves_nothing() -> None:
    _, scope = restricted()
    scope.restrict(allow=[])
    assert names(scope) == []


def test_its_own_tools_are_grants_that_its_restriction_leaves() -> None:
    _, scope = restricted()
    scope.register(definition("own"))
    scope.restrict(allow=["read"])
    assert names(scope) == ["read", "own"]


def test_a_restriction_masks_tools_of_scopes_above_too() -> None:
    registry, parent = restricted()
    parent.register(definition("deploy"))
    child = parent.scope("child")
    child.restrict(deny=["deploy", "delete"])
    assert names(child) == ["read", "write"]
    assert names(parent) == ["read", "write", "delete", "deploy"]
    assert names(registry) == ["read", "write", "delete"]


def test_a_tool_registered_later_is_masked_by_an_allow_list() -> None:
    registry, scope = restricted()
    scope.restrict(allow=["read"])
    registry.register(definition("later"))
    assert names(scope) == ["read"]


def test_changing_the_list_later_changes_no_restriction() -> None:
    _, scope = restricted()
    mine = ["delete"]
    scope.restrict(deny=mine)
    mine.append("read")
    assert names(scope) == ["read", "write"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "needs allow or deny"),
        ({"deny": ["dlete"]}, "unknown tool 'dlete'; known tools: delete, read, write"),
        ({"allow": ["a", "b"]}, "unknown tools 'a', 'b'"),
        ({"deny": ["run_code"]}, "reserved"),
        ({"deny": "delete"}, "a list of names, not the text"),
    ],
)
def test_a_restriction_that_means_nothing_is_refused(given: Any, said: str) -> None:
    _, scope = restricted()
    with pytest.raises(RegistrationError, match=said):
        scope.restrict(**given)
    assert names(scope) == ["read", "write", "delete"]


def test_a_restricted_tool_is_still_a_known_name() -> None:
    _, scope = restricted()
    scope.restrict(deny=["delete"])
    scope.restrict(deny=["delete"])
    assert scope.known_names() == {"read", "write", "delete"}


def test_the_registry_itself_cannot_be_restricted() -> None:
    registry, _ = restricted()
    with pytest.raises(RegistrationError, match="needs a scope"):
        registry.restrict(deny=["read"])


def test_with_no_tools_the_known_ones_are_none() -> None:
    with pytest.raises(RegistrationError, match=r"known tools: \(none\)"):
        ToolRegistry().scope("agent").restrict(deny=["x"])


# --- the reserved tool


@pytest.mark.parametrize("mode", ["native", "code", "both"])
def test_run_code_can_be_neither_registered_nor_named(mode: Any) -> None:
    registry = ToolRegistry(mode=mode, runtime=ScriptedRuntime(script))
    scope = registry.scope("agent")
    for layer in (registry, scope):
        with pytest.raises(RegistrationError, match="reserved for the Code Mode"):
            layer.register(definition("run_code"))
    with pytest.raises(RegistrationError, match="reserved"):
        scope.restrict(allow=["run_code"])


def test_run_code_survives_every_restriction_and_stands_last() -> None:
    registry = ToolRegistry(mode="both", runtime=ScriptedRuntime(script))
    registry.register(definition("a"))
    registry.register(definition("z"))
    scope = registry.scope("agent")
    scope.register(definition("own"))
    scope.restrict(allow=["a"])
    assert names(scope) == ["a", "own", "run_code"]
    assert "run_code" not in scope.known_names()


# --- listeners of scopes


async def test_a_scopes_listener_gates_its_callers_and_those_below_alone() -> None:
    registry = ToolRegistry()
    registry.register(definition("a"))
    scope = registry.scope("agent")
    scope.on_pre_execute(lambda exec, next: Deny("not you"))
    assert text(await call(registry, "a", scope=scope)) == "Error: not you"
    assert text(await call(registry, "a", scope=scope.scope("child"))) == "Error: not you"
    assert not (await call(registry, "a", scope=registry.scope("other"))).is_error
    assert not (await call(registry, "a")).is_error


async def test_a_closed_listener_is_asked_no_more() -> None:
    async def deny(exec: ExecContext, next: Next) -> PreToolDecision:
        return Deny("no")

    registry = ToolRegistry()
    registry.register(definition("a"))
    with registry.on_pre_execute(deny):
        assert (await call(registry, "a")).is_error
    assert not (await call(registry, "a")).is_error


def test_a_listener_that_is_no_function_is_refused() -> None:
    with pytest.raises(RegistrationError, match="a tools/execute listener is a function, not str"):
        ToolRegistry().on_execute("metrics")  # type: ignore[arg-type]


# --- changes


def test_each_real_change_is_told_once() -> None:
    registry = ToolRegistry()
    changes: list[str] = []
    listening = registry.on_change(lambda scope: changes.append(scope.name))
    scope = registry.scope("agent")
    registration = registry.register(definition("a"))
    restriction = scope.restrict(deny=["a"])
    restriction.close()
    restriction.close()
    registration.close()
    registration.close()
    listening.close()
    registry.register(definition("a"))
    assert changes == ["registry", "agent", "agent", "registry"]


def test_a_change_that_a_listener_refuses_is_rolled_back() -> None:
    registry = ToolRegistry()

    def refuse(scope: ToolScope) -> None:
        if "a" in names(scope):
            raise RuntimeError("not now")

    listening = registry.on_change(refuse)
    with pytest.raises(RuntimeError, match="not now"):
        registry.register(definition("a"))
    assert names(registry) == []
    listening.close()
    registry.register(definition("a"))
    assert names(registry) == ["a"]


def test_schemas_are_copies_with_nothing_but_what_a_model_needs() -> None:
    registry = ToolRegistry()
    registry.register(
        definition(
            "a", description="A.", timeout_ms=5, parameters={"type": "object", "x": {"y": 1}}
        )
    )
    schema = registry.schemas()[0]
    assert {field: getattr(schema, field) for field in schema.__slots__} == {  # type: ignore[attr-defined]
        "name": "a",
        "description": "A.",
        "parameters": {"type": "object", "x": {"y": 1}},
    }
    schema.parameters["x"] = 2
    assert registry.schemas()[0].parameters["x"] == {"y": 1}
