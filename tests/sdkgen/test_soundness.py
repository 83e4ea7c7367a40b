"""What a schema admits fits the type, and no text breaks out of it: judged by the compiler."""

import re
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from codemode.sdkgen import Detail, json_schema_to_ts, render_tools_sdk
from codemode.sdkgen._globals import RESERVED_TYPE_NAMES

from .compiler import Compiler, literal
from .strategies import ATTACKS, Pair, documents, schemas

DETAILS: tuple[Detail, ...] = ("full", "compact")
GENERATE = settings(
    max_examples=300,
    phases=[Phase.generate],
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    deadline=None,
)


def samples(examples: int, strategy: Any) -> list[Any]:
    """Examples taken together, so that one run of the compiler judges them all."""
    taken: list[Any] = []

    @settings(GENERATE, max_examples=examples)
    @given(strategy)
    def take(example: Any) -> None:
        taken.append(example)

    take()
    return taken


def unfit(typescript: Compiler, pairs: list[Pair]) -> list[tuple[Pair, str]]:
    """The pairs whose value does not fit the type of its schema, with the type."""
    before: list[str] = []
    lines: list[str] = []
    texts: list[str] = []
    for number, (schema, value) in enumerate(pairs):
        named: dict[str, str] = {}
        text = json_schema_to_ts(schema, named=named)
        texts.append(text)
        declared = " ".join(f"type {name} = {body};" for name, body in named.items())
        before.append(
            f"namespace N{number} {{ {declared} export type T = {text}; }}".replace("\n", " ")
        )
        before.append(f"type T{number} = {json_schema_to_ts(schema)};".replace("\n", " "))
        lines.append(
            f"{{ const _: [N{number}.T, T{number}] = null! as [{literal(value)}, {literal(value)}]; }}"
        )
    refused = typescript.refused(lines, before="\n".join(before))
    assert len(refused) < len(lines) or not lines
    return [(pairs[at], texts[at]) for at in sorted(refused)]


def test_a_generated_value_fits_the_type_of_its_schema(typescript: Compiler) -> None:
    assert unfit(typescript, samples(300, documents)) == []


def test_a_generated_value_may_be_passed_to_a_tool(typescript: Compiler) -> None:
    """In a text where the tools share what types they can."""
    tools: list[dict[str, Any]] = []
    calls: list[str] = []
    for number, (schema, value) in enumerate(samples(200, documents)):
        inner = {key: part for key, part in schema.items() if key != "$defs"}
        parameters = {"type": "object", "properties": {"v": inner}, "$defs": schema["$defs"]}
        tools.append({"name": f"t{number}", "description": "", "parameters": parameters})
        calls.append(f"tools.t{number}(null! as {{ v: {literal(value)} }});")
    files: dict[str, str] = {}
    for detail in DETAILS:
        declared = render_tools_sdk(tools, detail=detail).split("```ts\n")[1].split("\n```")[0]
        assert "\ntype " in declared
        files[detail] = "\n".join([declared, *calls, "tools.t0(1);"])
    said = typescript.check(files, module=True)
    last_lines = {(detail, text.count("\n") + 1) for detail, text in files.items()}
    assert {(at.file, at.line) for at in said} == last_lines


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_many_generated_values_fit_the_types_of_their_schemas(typescript: Compiler) -> None:
    assert unfit(typescript, samples(4_000, documents)) == []


def test_any_schema_whatever_gives_a_type_that_compiles(typescript: Compiler) -> None:
    lines: list[str] = []
    for number, schema in enumerate(samples(500, schemas)):
        named: dict[str, str] = {}
        text = json_schema_to_ts(schema, named=named)
        declared = " ".join(f"type {name} = {body};" for name, body in named.items())
        lines.append(f"namespace N{number} {{ {declared} type T = {text}; }}")
        lines.append(f"type T{number} = {json_schema_to_ts(schema)};")
    assert typescript.check({"types": "\n".join(lines)}, module=True) == []


def test_hostile_text_stays_text_wherever_it_stands(typescript: Compiler) -> None:
    """In names, descriptions, members, enumerations, definitions and references."""
    files: dict[str, str] = {}
    for number, attack in enumerate(ATTACKS):
        schema = {
            "type": "object",
            "title": attack,
            "description": attack,
            "properties": {
                attack: {"type": "string", "description": attack},
                "e": {"enum": [attack, {attack: attack}, [attack]], "description": f"x {attack}"},
                "r": {"$ref": f"#/$defs/{attack}", "format": attack},
                "d": {"$ref": "#/$defs/x", "description": attack * 3},
            },
            "required": [attack, f"{attack}2"],
            "$defs": {
                attack: {"type": "array", "items": {"const": attack}},
                "x": {
                    "anyOf": [
                        {
                            "type": "object",
                            "properties": {attack: {"$ref": "#/$defs/x"}},
                            "description": attack,
                        },
                        {"type": attack, "description": attack},
                    ]
                },
            },
        }
        tools = [
            {
                "name": f"{attack}{n}",
                "description": f"{attack} is {n}.",
                "parameters": schema,
                "output": schema,
            }
            for n in range(3)
        ]
        for detail in ("full", "compact", "names"):
            section = render_tools_sdk(tools, detail=detail)
            assert section.count("```") == 2
            declared = section.split("```ts\n")[1].split("\n```")[0]
            files[f"f{number}-{detail}"] = declared
            files[f"f{number}-{detail}-stolen"] = f"{declared}\nconst probe = stolen;"
    said = typescript.check(files, module=True)
    stolen = {name for name in files if name.endswith("-stolen")}
    assert {at.file for at in said if at.code == "TS2304" and "'stolen'" in at.text} == stolen
    assert [at for at in said if at.code != "TS2304"] == []
    assert len(said) == len(stolen)


def test_the_reserved_names_are_the_compilers(typescript: Compiler) -> None:
    """Every type of one or two words that the libraries declare, DOM included."""
    found: set[str] = set()
    for file in typescript.library.glob("lib.*.d.ts"):
        text = file.read_text(encoding="utf-8")
        found.update(
            re.findall(
                r"^(?:declare )?(?:interface|type|class|enum) ([A-Z]\w*)", text, re.MULTILINE
            )
        )
    short = {name for name in found if re.fullmatch(r"[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)?", name)}
    assert short - RESERVED_TYPE_NAMES == set()
