"""Schemas that other people wrote: real tool lists, SchemaStore, the JSON-Schema-Test-Suite.

They are not part of the project; where they are not at hand these tests are skipped.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from codemode.sdkgen import json_schema_to_ts, render_tools_sdk
from codemode.sdkgen._expression import MAX_CHARS

from .compiler import Compiler, literal

pytestmark = pytest.mark.slow

Tools = list[dict[str, Any]]
DECLARED = re.compile(r"^(?:/\*\*.*?\*/ )?type (\w+) = ", re.MULTILINE)


def tool(given: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": given["name"],
        "description": given.get("description"),
        "parameters": given["inputSchema"],
        "output": given.get("outputSchema"),
    }


def tool_lists(shared: Path) -> Iterator[tuple[str, Tools]]:
    files = [*sorted((shared / "mcp_tools").glob("*.json"))]
    files.append(shared / "json_schema" / "openapi" / "github_rest_tools.json")
    for file in files:
        data = json.loads(file.read_text())
        given = cast("list[dict[str, Any]]", data if isinstance(data, list) else data["tools"])
        yield file.stem, [tool(one) for one in given]


def suite(shared: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every group of the test suite: a schema with instances that fit it and that do not."""
    folder = shared / "json_schema" / "json-schema-test-suite" / "tests"
    for file in sorted(folder.rglob("*.json")):
        for group in json.loads(file.read_text()):
            yield f"{file.relative_to(folder)}: {group['description']}", group


def schemas(shared: Path) -> Iterator[tuple[str, object]]:
    folder = shared / "json_schema"
    for file in [*sorted(folder.glob("schemastore/*.json")), *folder.glob("openapi/*-meta-*.json")]:
        yield file.name, json.loads(file.read_text())
    for case in json.loads((folder / "adversarial.json").read_text())["schemas"]:
        yield case["name"], case["schema"]
    for name, group in suite(shared):
        yield name, group["schema"]
    for name, tools in tool_lists(shared):
        for one in tools:
            yield f"{name}/{one['name']}", one["parameters"]
            if one["output"] is not None:
                yield f"{name}/{one['name']} output", one["output"]


def body(section: str) -> str:
    """The declarations of an SDK text."""
    return section.split("```ts\n")[1].split("\n```")[0]


@pytest.mark.timeout(240)
def test_every_schema_becomes_a_bounded_type_that_compiles(
    shared: Path, typescript: Compiler
) -> None:
    aliases: list[str] = []
    for name, schema in schemas(shared):
        named: dict[str, str] = {}
        text = json_schema_to_ts(schema)
        assert len(text) < MAX_CHARS * 1.5, name
        assert text == json_schema_to_ts(schema), name
        root = json_schema_to_ts(schema, named=named)
        number = len(aliases)
        declared = "".join(f"type {key} = {value};\n" for key, value in named.items())
        aliases.append(f"type T{number} = {text};")
        aliases.append(f"namespace N{number} {{ {declared}type T = {root}; }}")
    assert len(aliases) > 8_000
    assert typescript.check({"types": "\n".join(aliases)}, module=True) == []


@pytest.mark.timeout(240)
def test_every_tool_list_becomes_declarations_that_compile(
    shared: Path, typescript: Compiler
) -> None:
    spaces: list[str] = []
    for number, (_, tools) in enumerate(tool_lists(shared)):
        for detail in ("full", "compact", "names"):
            section = render_tools_sdk(tools, detail=detail)
            assert section == render_tools_sdk(tools[::-1], detail=detail)
            text = body(section).replace("\ndeclare const", "\nexport declare const")
            spaces.append(f"namespace {detail}{number} {{\nexport {text}\n}}")
    assert typescript.check({"lists": "\n".join(spaces)}, module=True) == []


@pytest.mark.timeout(240)
@pytest.mark.parametrize("detail", ["full", "compact"])
def test_a_tool_list_compiles_as_a_script_beside_the_global_types(
    shared: Path, typescript: Compiler, detail: Any
) -> None:
    """Names of shared types must not meet those of the browser's and the language's libraries."""
    names: set[str] = set()
    for _, tools in tool_lists(shared):
        names.update(DECLARED.findall(body(render_tools_sdk(tools, detail=detail))))
    lines = [f"type {name} = 1;" for name in sorted(names)]
    assert len(lines) > 100
    assert typescript.check({"names": "\n".join(lines)}) == []


@pytest.mark.timeout(240)
def test_every_valid_instance_of_the_test_suite_fits_its_type(
    shared: Path, typescript: Compiler, record_property: Any
) -> None:
    types: list[str] = []
    lines: list[str] = []
    cases: list[tuple[bool, str]] = []
    for number, (name, group) in enumerate(suite(shared)):
        text = json_schema_to_ts(group["schema"]).replace("\n", " ")
        types.append(f"type T{number} = {text};")
        for case in group["tests"]:
            lines.append(f"{{ const _: T{number} = null! as {literal(case['data'])}; }}")
            cases.append((case["valid"], f"{name}: {case['description']}"))
    refused = typescript.refused(lines, before="\n".join(types))
    assert [cases[at][1] for at in refused if cases[at][0]] == []
    invalid = sum(not valid for valid, _ in cases)
    record_property("invalid instances refused", f"{len(refused)} of {invalid}")
    assert len(refused) >= 1_400


@pytest.mark.timeout(240)
def test_the_open_codegen_cases_hold(shared: Path, typescript: Compiler) -> None:
    lines = (shared / "cases" / "open.jsonl").read_text().splitlines()
    cases = [case for case in map(json.loads, lines) if case["kind"] == "codegen"]
    files: dict[str, str] = {}
    wanted: set[str] = set()
    for case in cases:
        if "tools" not in case["input"]:
            continue  # made by a generator: test_limits.py and test_sdk.py have them
        declared = body(render_tools_sdk([tool(one) for one in case["input"]["tools"]]))
        expect = case["expect"]
        refused = expect.get("type_rejects", []) + expect.get("type_rejects_if_supported", [])
        for kind, snippets in (("ok", expect.get("type_accepts", [])), ("no", refused)):
            for number, snippet in enumerate(snippets):
                name = f"{case['id']}-{kind}-{number}"
                text = f"({snippet});" if snippet.startswith("async") else f"{snippet};"
                files[name] = f"{declared}\n{text}"
                if kind == "no":
                    wanted.add(name)
    assert {said.file for said in typescript.check(files, module=True)} == wanted
