"""Shortened descriptions, seen through the text of a tool list."""

import re

import pytest

from codemode.sdkgen import render_tools_sdk

FIELD = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}


def shown(description: str, detail: str = "compact") -> str:
    tools = [{"name": "t", "description": description, "parameters": FIELD}]
    section = render_tools_sdk(tools, detail="compact" if detail == "compact" else "full")
    found = re.search(r"/\*\* (.*?) \*/", section)
    return found[1] if found else ""


@pytest.mark.parametrize(
    ("description", "first"),
    [
        ("Reads a file. It must be there.", "Reads a file."),
        ("Reads a file, e.g. a.txt or b.txt. Then stops.", "Reads a file, e.g. a.txt or b.txt."),
        ("Uses v1.2 of it! Twice.", "Uses v1.2 of it!"),
        ("No full stop", "No full stop"),
        ("Takes options: - one - two", "Takes options"),
        ("Liest 3. Zeilen. Ende.", "Liest 3. Zeilen."),
        ("読む。それから書く。", "読む。"),
        ("   ", ""),
    ],
)
def test_compact_says_the_first_sentence(description: str, first: str) -> None:
    assert shown(description) == first


def test_a_sentence_without_end_is_cut_at_a_word() -> None:
    text = shown("word " * 200)
    assert len(text) <= 140
    assert text.endswith("word…")
    assert len(shown("x" * 500)) <= 140


def test_full_keeps_every_word() -> None:
    assert shown("One. Two.\n\n Three.", "full") == "One. Two. Three."


def test_a_beginning_is_shared_by_three_or_more_only() -> None:
    start = "This tool belongs to the long name of a suite of many tools. "
    tools = [
        {"name": f"t{n}", "description": f"{start}Number {n}.", "parameters": FIELD}
        for n in range(3)
    ]
    assert f"/* [1] = {start.strip()} */" in render_tools_sdk(tools)
    assert render_tools_sdk(tools[:2]).count(start) == 2


def test_a_result_is_not_told_what_its_name_says() -> None:
    output = {
        "type": "object",
        "properties": {
            "userNames": {"type": "string", "description": "The names of the user."},
            "size": {"type": "number", "description": "In bytes. Rounded."},
        },
    }
    tools = [{"name": "t", "description": "", "parameters": FIELD, "output": output}]
    section = render_tools_sdk(tools)
    assert "Promise<{ userNames?:string; /** In bytes. */ size?:number }>" in section
    assert "/**" not in render_tools_sdk(tools, detail="compact")
