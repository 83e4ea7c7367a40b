"""render_tools_sdk: every tool once, in order, the same bytes, and nothing that breaks out."""

import os
import random
import re
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codemode.sdkgen import INSTRUCTIONS, Detail, render_tools_sdk

from .compiler import Compiler
from .strategies import hostile, schemas

DETAILS: list[Detail] = ["full", "compact", "names"]
FIELD = {"type": "object", "properties": {"f": {"type": "string"}}, "required": ["f"]}
ODD = "API-get-page files.read a/b delete class await 2fa naïve 日本 $ok I i ı Z new".split()  # noqa: SIM905


def tool(
    name: str, description: Any = None, parameters: Any = FIELD, **more: Any
) -> dict[str, Any]:
    return {"name": name, "description": description, "parameters": parameters, **more}


def body(section: str) -> str:
    assert section.count("```") == 2
    return section.split("```ts\n")[1].split("\n```")[0]


def keys(section: str) -> list[str]:
    return re.findall(r'^("(?:[^"\\]|\\.)*"|[\w$]+)\(', body(section), re.MULTILINE)


def test_every_tool_but_run_code_stands_in_utf_16_order() -> None:
    given = [tool(name) for name in (*ODD, "run_code", "\uffff", "\U0001f600")]
    found = [key.strip('"') for key in keys(render_tools_sdk(given))]
    assert found == sorted((*ODD, "\U0001f600", "\uffff"), key=lambda n: n.encode("utf-16-be"))


@pytest.mark.parametrize("detail", DETAILS)
def test_the_bytes_depend_on_the_set_alone(detail: Detail) -> None:
    many = [tool(name, f"Does {name}. And more.", {**FIELD, "title": name}) for name in ODD]
    texts = {render_tools_sdk(many, detail=detail)}
    for seed in range(5):
        shuffled = random.Random(seed).sample(many, len(many))
        texts.add(render_tools_sdk(shuffled, detail=detail))
    assert len(texts) == 1


def test_the_bytes_are_the_same_in_every_process() -> None:
    program = (
        "from codemode.sdkgen import render_tools_sdk as r\n"
        "import sys\n"
        f"names = {ODD!r}\n"
        "p = {'type': 'object', 'properties': {c: {'enum': ['x', c, 1]} for c in 'abcde'}}\n"
        "t = [{'name': n, 'description': n * 9, 'parameters': p, 'output': p} for n in names]\n"
        "sys.stdout.buffer.write(r(t, max_tokens=400).encode() + r(t).encode())\n"
    )
    texts: set[bytes] = set()
    for seed, locale in (("0", "C"), ("1", "tr_TR.UTF-8"), ("random", "C.UTF-8")):
        env = {**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": locale}
        texts.add(
            subprocess.run(
                [sys.executable, "-c", program], env=env, capture_output=True, check=True
            ).stdout
        )
    assert len(texts) == 1
    assert len(texts.pop()) > 1_000


def test_a_tool_may_be_an_object() -> None:
    @dataclass
    class Tool:
        name: str
        description: str
        parameters: dict[str, Any]

    given = Tool("a", "Does it.", FIELD)
    assert render_tools_sdk([given]) == render_tools_sdk([tool("a", "Does it.")])


def test_odd_parameters_still_give_a_callable_tool(typescript: Compiler) -> None:
    odd: list[Any] = [None, True, {}, "x", [], {"type": "object"}, {"type": "null"}]
    given = [tool(f"t{at}", None, parameters) for at, parameters in enumerate(odd)]
    calls = [f"tools.t{at}({'null' if at == 6 else '{}'});" for at in range(len(odd))]
    calls.append("tools.t0();")
    assert typescript.refused(calls, before=body(render_tools_sdk(given))) == set()


def test_an_entry_without_a_name_is_left_out() -> None:
    assert keys(render_tools_sdk([{"description": "x"}, None, 5, tool("a")])) == ["a"]


def test_results_are_text_unless_declared(typescript: Compiler) -> None:
    declared = body(render_tools_sdk([tool("text"), tool("typed", output=FIELD)]))
    lines = [
        "async () => { const r: string = await tools.text({ f: '' }); return r }",
        "async () => { const r: string = (await tools.typed({ f: '' })).f; return r }",
        "async () => { const r: string = await tools.typed({ f: '' }); return r }",
    ]
    assert typescript.refused([f"({line});" for line in lines], before=declared) == {2}


def test_a_definition_that_tools_share_is_declared_once(typescript: Compiler) -> None:
    page = {
        "type": "object",
        "properties": {name: {"type": "string"} for name in ("after", "before", "sort")},
    }
    other = {
        "type": "object",
        "properties": {name: {"type": "number"} for name in ("after", "before", "sort")},
    }

    def using(definition: Any) -> dict[str, Any]:
        props = {"page": {"$ref": "#/$defs/Page"}, "q": {"type": "string"}}
        return {
            "type": "object",
            "properties": props,
            "required": ["page"],
            "$defs": {"Page": definition},
        }

    given = [tool(f"a{n}", None, {**using(page), "required": ["page", f"x{n}"]}) for n in range(3)]
    given += [
        tool(f"b{n}", None, {**using(other), "required": ["page", f"x{n}"]}) for n in range(3)
    ]
    declared = body(render_tools_sdk(given))
    assert re.findall(r"^type (\w+) = ", declared, re.MULTILINE) == ["Page", "Page2"]
    calls = [
        "tools.a1({ page: { sort: 'x' }, x1: 1 });",
        "tools.b1({ page: { sort: 'x' }, x1: 1 });",
    ]
    assert typescript.refused(calls, before=declared) == {1}


def test_shared_types_meet_no_global_type(typescript: Compiler) -> None:
    """As a script, beside the browser's types and the language's own."""
    hints = ["Node", "Event", "Record", "Promise", "file list", "ToolCallError", "Map", "1", "日本"]
    given: list[dict[str, Any]] = []
    for hint in hints:
        big = {
            "type": "object",
            "properties": {f"{hint} {n}": {"type": "string"} for n in range(6)},
        }
        for n in range(3):
            params = {
                "type": "object",
                "properties": {"x": {"$ref": f"#/$defs/{hint}"}},
                "$defs": {hint: big},
            }
            given.append(tool(f"{hint}{n}", None, {**params, "required": [f"r{n}"]}))
    declared = body(render_tools_sdk(given))
    assert declared.count("\ntype ") == len(hints)
    assert typescript.check({"script": declared}) == []


def test_prototype_names_are_ordinary_names(typescript: Compiler) -> None:
    names = ["__proto__", "constructor", "then", "toString", "valueOf", "hasOwnProperty"]
    given = [
        tool(
            name, None, {"type": "object", "properties": {n: {} for n in [*names, f"only {name}"]}}
        )
        for name in names
    ]
    section = render_tools_sdk(given)
    assert sorted(keys(section)) == sorted(names)
    assert all(section.count(f"{name}?:") == len(names) for name in names)
    calls = [f"tools['{name}']({{}});" for name in names]
    assert typescript.refused(calls, before=body(section)) == set()


def test_the_instructions_can_be_replaced() -> None:
    assert render_tools_sdk([]).startswith(INSTRUCTIONS)
    assert render_tools_sdk([], instructions="Use $search.").startswith("Use $search.\n\nThe avail")
    assert render_tools_sdk([], instructions="").startswith("The available tools:\n\n```ts\n")


def test_the_instructions_say_what_a_program_is() -> None:
    for word in ("async", "`await`", "`return`", "console.log", "ToolCallError", "toolName", "code",
                 "message", "No imports", "setTimeout", "Promise.all"):  # fmt: skip
        assert word in INSTRUCTIONS


@given(
    st.lists(st.tuples(hostile, hostile, schemas, st.none() | schemas), max_size=4),
    st.sampled_from(DETAILS),
)
@settings(max_examples=150)
def test_any_tools_give_one_text_in_one_fence(given: Any, detail: Detail) -> None:
    tools = [tool(name, text, schema, output=out) for name, text, schema, out in given]
    section = render_tools_sdk(tools, detail=detail)
    body(section)
    section.encode()
    unique = list({each["name"]: each for each in tools}.values())
    assert section == render_tools_sdk(unique[::-1], detail=detail)
