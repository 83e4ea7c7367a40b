"""Deep, wide and shared schemas: the text stays small, and what is next to them keeps its type."""

from typing import Any

from codemode.sdkgen import json_schema_to_ts, render_tools_sdk

from .compiler import Compiler


def tower(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(depth):
        schema = {"type": "array", "items": schema}
    return schema


def doubling(depth: int, keyword: str) -> dict[str, Any]:
    defs: dict[str, Any] = {"l0": {"type": "string"}}
    for at in range(depth):
        both = [{"$ref": f"#/$defs/l{at}"}, {"$ref": f"#/$defs/l{at}"}]
        pair = {"type": "object", "properties": {"a": both[0], "b": both[1]}}
        defs[f"l{at + 1}"] = pair if keyword == "properties" else {keyword: both}
    return {"type": "object", "properties": {"x": {"$ref": f"#/$defs/l{depth}"}}, "$defs": defs}


def tool(name: str, parameters: object) -> dict[str, object]:
    return {"name": name, "description": None, "parameters": parameters}


def test_a_very_deep_schema_is_cut() -> None:
    text = json_schema_to_ts(tower(5_000))
    assert text.startswith("unknown[][]")
    assert len(text) < 1_000


def test_chains_of_references_and_of_branches_are_cut() -> None:
    defs: dict[str, Any] = {f"c{n}": {"$ref": f"#/$defs/c{n + 1}"} for n in range(5_000)}
    defs["c5000"] = {"type": "string"}
    chain = {"allOf": [{"$ref": "#/$defs/c0"}], "$defs": defs}
    assert json_schema_to_ts(chain) == "unknown"
    nested: dict[str, Any] = {"type": "string"}
    for _ in range(5_000):
        nested = {"anyOf": [nested], "not": nested}
    assert json_schema_to_ts(nested) == "unknown"


def test_one_bad_tool_costs_the_others_nothing(typescript: Compiler) -> None:
    wide = {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(10_000)}}
    lists = {f"x{n}": {"$ref": f"#/$defs/l{n}"} for n in range(31)}
    fan = {"allOf": [{"anyOf": [{"required": [f"k{i}{j}"]} for j in range(3)]} for i in range(12)]}
    tools = [
        tool("deep", {"type": "object", "properties": {"x": tower(5_000)}}),
        tool("wide", wide),
        tool("laugh", doubling(30, "allOf")),
        tool("diamond", doubling(30, "properties")),
        tool("stairs", {**doubling(30, "properties"), "properties": lists}),
        tool("fan", fan),
        tool("ok", {"type": "object", "properties": {"s": {"type": "string"}}, "required": ["s"]}),
    ]
    for detail in ("full", "compact"):
        text = render_tools_sdk(tools, detail=detail)
        assert len(text) < 600_000
        declared = text.split("```ts\n")[1].split("\n```")[0]
        calls = ["tools.ok({ s: 'x' });", "tools.laugh({ x: 'x' });", "tools.ok({ s: 1 });"]
        assert typescript.refused(calls, before=declared) == {2}


def test_the_cost_grows_with_the_input_and_no_faster() -> None:
    """The text of a diamond grows by the same for every step."""
    sizes = [
        len(render_tools_sdk([tool("d", doubling(depth, "properties"))])) for depth in (40, 50, 60)
    ]
    assert sizes[2] - sizes[1] <= (sizes[1] - sizes[0]) * 1.1
