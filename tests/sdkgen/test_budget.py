"""A token budget: held, fair over groups, and stable when another group grows."""

import re
from typing import Any

import pytest

from codemode.sdkgen import estimate_tokens, render_tools_sdk

TEXT = "Looks up what the given words stand for in the wiki. It is slow, so ask once."


def tools(server: str, count: int, members: int = 4) -> list[dict[str, Any]]:
    props = {
        f"{server}_{n}": {"type": "string", "description": f"Member {n}. {TEXT}"}
        for n in range(members)
    }
    return [
        {
            "name": f"{server}__act{at:03}",
            "description": f"{server} {at}. {TEXT}",
            "parameters": {
                "type": "object",
                "properties": props,
                "required": [f"{server}_{at % members}", f"k{at}"],
            },
        }
        for at in range(count)
    ]


def levels(section: str) -> dict[str, str]:
    """How each tool is shown: with described members, on one line, or by name alone."""
    found: dict[str, str] = {}
    for line in section.splitlines():
        if signature := re.match(r"(?:/\*\*.*?\*/ )?(\w+__act\d+)\(args\??:(.*)", line):
            found[signature[1]] = "full" if signature[2] == "{" else "compact"
    return found


@pytest.mark.parametrize("budget", [400, 1_000, 3_000, 10_000, 100_000])
def test_the_budget_is_held(budget: int) -> None:
    given = [*tools("wiki", 30), *tools("mail", 10), *tools("git", 2)]
    section = render_tools_sdk(given, max_tokens=budget)
    assert estimate_tokens(section) <= budget


def test_a_budget_for_all_changes_nothing() -> None:
    given = tools("wiki", 10)
    assert render_tools_sdk(given, max_tokens=10**6) == render_tools_sdk(given)
    compact = render_tools_sdk(given, max_tokens=10**6, detail="compact")
    assert compact == render_tools_sdk(given, detail="compact")


def test_names_remain_where_nothing_else_fits() -> None:
    given = tools("wiki", 10)
    assert render_tools_sdk(given, max_tokens=1) == render_tools_sdk(given, detail="names")


def test_a_large_group_does_not_crowd_out_a_small_one() -> None:
    shown = levels(render_tools_sdk([*tools("big", 200), *tools("small", 3)], max_tokens=4_000))
    assert [shown.get(f"small__act00{n}") for n in range(3)] == ["full"] * 3
    assert "full" not in {shown.get(f"big__act{n:03}") for n in range(200)}


def test_a_tool_added_elsewhere_changes_no_level() -> None:
    given = [*tools("wiki", 20), *tools("mail", 20)]
    before = levels(render_tools_sdk(given, max_tokens=3_000))
    after = levels(render_tools_sdk([*given, *tools("git", 1)], max_tokens=3_000))
    assert before
    assert {name: after.get(name) for name in before} == before


def test_the_estimate_is_the_callers() -> None:
    asked: list[str] = []

    def estimate(text: str) -> int:
        asked.append(text)
        return len(text)

    section = render_tools_sdk(tools("wiki", 5), max_tokens=1_500, estimate=estimate)
    assert len(section) <= 1_500
    assert section in asked


def test_all_tools_of_a_server_get_a_line_before_any_gets_more() -> None:
    verbs = ["get", "list", "create", "find"]
    given = [{**one, "name": f"{verbs[at % 4]}_{at}"} for at, one in enumerate(tools("wiki", 40))]
    lines = [0, 0]
    for budget in range(500, 6_000, 500):
        text = render_tools_sdk(given, max_tokens=budget)
        full = text.count("(args:{\n")
        shown = text.count(":Promise<string>;")
        assert not full or shown == 40
        assert (shown, full) >= tuple(lines)
        lines = [shown, full]
    assert lines == [40, 40]


def test_servers_are_told_by_any_of_the_usual_separators() -> None:
    """A large server leaves a small one its full text, however the names are made."""
    for made in (
        "{0}__{1}",
        "mcp__{0}__{1}",
        "{0}.{1}",
        "{0}/{1}",
        "{0}:{1}",
        "{0}_{1}",
        "{0}-{1}",
    ):
        given = [*tools("big", 100), *tools("small", 2)]
        for one in given:
            one["name"] = made.format(*one["name"].split("__"))
        text = render_tools_sdk(given, max_tokens=3_000)
        assert text.count("(args:{\n") == 2
