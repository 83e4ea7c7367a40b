"""Names: every tool reachable, none merged, the same whatever else is configured or up."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemode.registry import ToolRegistry
from codemode.service.mcp import McpServers, NameStyle, StdioServer
from codemode.service.mcp._names import full_names, name_problem, prefixes

from .kit import fleet, scripted, tool, value

SERVER_NAMES = st.lists(
    st.text("ab_-./ éÄ", min_size=1, max_size=6).map(str.strip).filter(bool), unique=True
)
TOOL_NAMES = st.lists(
    st.text(min_size=1, max_size=90).filter(lambda n: name_problem(n) is None), unique=True
)


def servers(*names: str) -> list[StdioServer]:
    return [StdioServer(name=name, command="none") for name in names]


@given(SERVER_NAMES)
def test_prefixes_are_different_and_split_in_one_way(names: list[str]) -> None:
    made = prefixes(servers(*names))
    assert len(set(made.values())) == len(names)
    for prefix in made.values():
        assert re.fullmatch(r"[a-zA-Z0-9_-]+__", prefix)
        assert prefix.index("__") == len(prefix) - 2


@given(SERVER_NAMES)
def test_a_prefix_does_not_depend_on_the_order_of_the_servers(names: list[str]) -> None:
    assert prefixes(servers(*names)) == prefixes(servers(*reversed(names)))


@given(SERVER_NAMES, TOOL_NAMES, st.sampled_from(["exact", "safe"]))
def test_full_names_are_different_over_all_servers(
    names: list[str], tools: list[str], style: NameStyle
) -> None:
    found: list[str] = []
    for prefix in prefixes(servers(*names)).values():
        made, refused = full_names(prefix, tools, style)
        assert set(made) | set(refused) == set(tools)
        assert not refused
        found.extend(made.values())
    assert len(set(found)) == len(found)


@given(TOOL_NAMES)
def test_exact_names_keep_the_servers_spelling(tools: list[str]) -> None:
    made, _ = full_names("s__", tools, "exact")
    assert made == {name: f"s__{name}" for name in tools}


@given(TOOL_NAMES, st.randoms())
def test_safe_names_are_what_models_take_in_any_order(tools: list[str], rng: object) -> None:
    made, _ = full_names("s__", tools, "safe")
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in made.values())
    again, _ = full_names("s__", tools[::-1], "safe")
    assert again == made


def test_a_safe_name_that_is_taken_by_a_plain_one_gets_a_longer_digest() -> None:
    odd, _ = full_names("s__", ["a.b"], "safe")
    twin = odd["a.b"].removeprefix("s__")
    made, _ = full_names("s__", ["a.b", twin], "safe")
    assert made[twin] == f"s__{twin}"
    assert made["a.b"] != made[twin]


def test_a_name_that_is_a_prefix_as_it_stands_is_kept_beside_one_that_is_rewritten() -> None:
    made = prefixes(servers("a_b", "a b", "a.b"))
    assert made["a_b"] == "a_b__"
    assert made["a b"].startswith("a_b-")
    assert len(set(made.values())) == 3


def test_a_prefix_can_be_given_or_left_out() -> None:
    given_one = StdioServer(name="a", command="none", prefix="mcp__a__")
    without = StdioServer(name="b", command="none", prefix="")
    assert prefixes([given_one, without]) == {"a": "mcp__a__", "b": ""}


@pytest.mark.parametrize(
    ("first", "second", "style"),
    [
        ("p_", "p_", "exact"),
        ("", "", "exact"),
        (None, "a__", "exact"),
        ("p.", "p/", "safe"),
        ("x" * 60 + "1_", "x" * 60 + "2_", "safe"),
    ],
)
def test_two_servers_with_one_prefix_are_refused_by_their_names(
    first: str | None, second: str, style: NameStyle
) -> None:
    both = [
        StdioServer(name="a", command="none", prefix=first),
        StdioServer(name="b", command="none", prefix=second),
    ]
    with pytest.raises(ValueError, match='servers "a" and "b" have the same prefix ') as caught:
        McpServers(ToolRegistry(), both, names=style)
    assert f'"{second}"' in str(caught.value)


def test_prefixes_that_only_look_alike_are_taken_where_names_are_exact() -> None:
    both = [StdioServer(name=each, command="none", prefix=f"p{each}") for each in "./"]
    assert len(McpServers(ToolRegistry(), both).status()) == 2


@pytest.mark.parametrize(
    "name", ["calendar.read", "ns/tool", "with space", "ümlaut", "Read", "x" * 200]
)
def test_names_that_can_be_seen_are_taken(name: str) -> None:
    assert name_problem(name) is None


@pytest.mark.parametrize(
    "name", ["", "\ud800", "tab\t", "a\u202eb", "zero\u200bwidth", " outer", 5, None], ids=ascii
)
def test_names_that_can_pass_for_another_are_refused(name: object) -> None:
    assert name_problem(name)


def test_a_name_too_long_for_the_registry_is_refused_with_a_reason() -> None:
    made, refused = full_names("s__", ["x" * 254, "y"], "exact")
    assert made == {"y": "s__y"}
    assert "256" in refused["x" * 254]


@pytest.mark.anyio
@pytest.mark.parametrize("style", ["exact", "safe"])
async def test_the_server_is_called_by_its_own_spelling(tmp_path: Path, style: NameStyle) -> None:
    names = [
        "calendar.read",
        "ns/tool",
        "with space",
        "ümlaut",
        "Read",
        "read",
        "x" * 200,
        "$received",
    ]
    registry = ToolRegistry()
    scenario = {"tools": [tool(name) for name in names]}
    async with fleet(registry, scripted(tmp_path, "s", scenario), names=style) as servers:
        await servers.wait_settled()
        assert servers.status()[0].warnings == ()
        full = {each.name: each.full_name for each in servers.tools()}
        for name in names[:-1]:
            assert await value(registry, full[name], {"of": name}) == {"of": name}
        received = await value(registry, full["$received"])
        called = [m["params"]["name"] for m in received if m["method"] == "tools/call"]
        assert called == names


@pytest.mark.anyio
async def test_a_program_reaches_odd_names(tmp_path: Path, runtime: object) -> None:
    registry = ToolRegistry(mode="code", runtime=runtime)  # pyright: ignore[reportArgumentType]
    scenario = {"tools": [tool("with space"), tool("constructor"), tool("then")]}
    program = """
        return [await tools["s__with space"]({ n: 1 }), await tools.s__constructor({ n: 2 }),
                await tools["p__proto"]({ n: 3 })]"""
    other = scripted(tmp_path, "o", {"tools": [tool("proto")]}, prefix="p__")
    async with fleet(registry, scripted(tmp_path, "s", scenario), other) as servers:
        await servers.wait_settled()
        made = await value(registry, "run_code", {"code": program})
        assert made["result"] == [{"n": 1}, {"n": 2}, {"n": 3}]
