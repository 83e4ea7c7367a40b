"""The catalog of tools."""

import random
from dataclasses import dataclass, field
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from codemode.registry.catalog import tool_catalog

MARKDOWN = MarkdownIt("commonmark").enable("table")


def empty() -> dict[str, object]:
    return {"type": "object", "properties": {}}


@dataclass(frozen=True, kw_only=True)
class Tool:
    name: str
    description: str = ""
    parameters: dict[str, object] = field(default_factory=empty)
    output: dict[str, object] | None = None
    timeout_ms: float | None = None
    concurrency_safe: bool = False


def one(schema: object, required: tuple[str, ...] = ()) -> Tool:
    parameters: dict[str, object] = {
        "type": "object",
        "properties": {"p": schema},
        "required": list(required),
    }
    return Tool(name="t", parameters=parameters)


def text_of(token: Token) -> str:
    """What a reader sees of one block."""
    shown: list[str] = []
    for child in token.children or []:
        assert child.type in ("text", "code_inline", "softbreak", "text_special"), child.type
        shown.append("\n" if child.type == "softbreak" else child.content)
    return "".join(shown)


def cells(document: str) -> list[list[str]]:
    rows: list[list[str]] = []
    tokens = MARKDOWN.parse(document)
    for at, token in enumerate(tokens):
        if token.type == "tr_open":
            rows.append([])
        if token.type in ("td_open", "th_open"):
            rows[-1].append(text_of(tokens[at + 1]))
    return rows


def test_a_catalog_says_what_a_caller_needs() -> None:
    tool = Tool(
        name="weather",
        description="Gives the weather.\n\nFor one city.",
        parameters={
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "Which | one"},
                "unit": {"enum": ["C", "F"], "default": "C"},
                "at": {"$ref": "#/$defs/When"},
            },
            "required": ["city"],
            "$defs": {"When": {"type": "integer"}},
        },
        output={"type": "number"},
        timeout_ms=1_500,
        concurrency_safe=True,
    )
    document = tool_catalog([tool])
    top = document[: document.index("Schema of the parameters:")]
    assert top == (
        "# Tools\n\n1 tool.\n\n## `weather`\n\nGives the weather.\n\nFor one city.\n\n"
        "| Name | Type | Required | Description | Default, choices |\n"
        "| --- | --- | --- | --- | --- |\n"
        "| `city` | `string` | yes | Which &#124; one |  |\n"
        '| `unit` | `"C" \\| "F"` | no |  | default `"C"`; one of `"C"`, `"F"` |\n'
        "| `at` | `number` | no |  |  |\n\n"
        "- Output: `number`\n- Timeout: 1500 ms\n- Safe to run at the same time as others: yes\n\n"
    )
    assert document.endswith('Schema of the output:\n\n```json\n{\n  "type": "number"\n}\n```\n')


def test_without_tools_there_is_a_title() -> None:
    assert tool_catalog([]) == "# Tools\n\n0 tools.\n"


def test_a_tool_without_parameters_or_limits_says_so() -> None:
    document = tool_catalog([Tool(name="now")])
    assert "No named parameters." in document
    assert "- Output: text\n- Timeout: none of its own\n" in document
    assert "others: no" in document
    assert "- Timeout: 0.5 ms\n" in tool_catalog([Tool(name="now", timeout_ms=0.5)])


def test_tools_stand_in_the_order_of_their_utf16_units_whatever_the_order_given() -> None:
    names = ["b", "a", "\U0001f600", "\uff5e", "B", "ab", ""]
    tools = [Tool(name=name) for name in names] + [Tool(name="a", description="other")]
    document = tool_catalog(tools)
    heads = [line[3:].strip("`") for line in document.splitlines() if line.startswith("## ")]
    assert heads == ["(no name)", "B", "a", "a", "ab", "b", "\U0001f600", "\uff5e"]
    for seed in range(5):
        shuffled = random.Random(seed).sample(tools, len(tools))
        assert tool_catalog(shuffled) == document


def test_a_default_and_a_constant_are_json() -> None:
    assert cells(tool_catalog([one({"default": None})]))[1][4] == "default null"
    assert cells(tool_catalog([one({"const": {"a": "|"}})]))[1][4] == 'always {"a": "|"}'
    assert cells(tool_catalog([one({"enum": []}, ("p",))]))[1][2:] == ["yes", "", ""]


def test_what_is_no_schema_is_shown_as_it_is() -> None:
    odd_ones: list[object] = [
        True,
        None,
        5,
        "x",
        [],
        {"type": 7},
        {"enum": "a"},
        {"description": 5},
    ]
    for schema in odd_ones:
        assert len(cells(tool_catalog([one(schema)]))[1]) == 5
    ring: dict[str, Any] = {"type": "object"}
    ring["properties"] = {"again": ring}
    assert "not shown: Circular reference" in tool_catalog([Tool(name="t", parameters=ring)])
    odd: dict[str, object] = {"properties": [], "required": 5, "x": {1, 2}}
    assert "No named parameters." in tool_catalog([Tool(name="t", parameters=odd)])
    assert "<class 'set'>" in tool_catalog([Tool(name="t", parameters=odd)])
    huge: dict[str, object] = {"properties": {"n": {"default": 10**5000}}}
    assert "not shown" in tool_catalog([Tool(name="t", parameters=huge)])


def test_a_bar_behind_a_backslash_stays_in_its_cell() -> None:
    row = cells(tool_catalog([one({"enum": ["a\\|b"]})]))[1]
    assert row[1:] == ['"a\\\\|b"', "no", "", 'one of "a\\\\|b"']


NASTY = st.text(
    st.sampled_from(list("`|\\<>&*_~#-=+:.)(![]$1a \t\n\r\u2028\x85\x00\u202e\ud800\"'{}"))
    | st.sampled_from(
        [
            "```",
            "\n\n",
            "\n# H",
            "\n---",
            "\n| a |",
            "<b>",
            "<!--",
            "\n    x",
            "\n1. x",
            "\\|",
            "](x)",
        ]
    ).flatmap(lambda text: st.sampled_from(list(text))),
    max_size=25,
) | st.sampled_from(
    [
        "# heading",
        "text\n===",
        "text\n---\nmore",
        "```\nfence\n```",
        "~~~\nfence",
        "<script>alert(1)</script>",
        "<!-- open",
        "| a | b |\n| - | - |\n| c | d |",
        "[a]: http://x\n\n[a]",
        "![i](javascript:x)",
        "- item\n\n      code",
        "1) item",
        "> quote",
        "&lt;b&gt; &amp; &#35;",
        "line  \nbreak\\\nagain",
        "a\\",
        "***bold***",
        "<http://x.y>",
        "- - -",
        "+\n*",
        "\\| x",
        "$$x$$",
    ]
)
BLOCKS = {"inline", "fence", "text", "heading_open", "heading_close", "paragraph_open"} | {
    f"{name}_{end}"
    for name in (
        "paragraph",
        "bullet_list",
        "list_item",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
    )
    for end in ("open", "close")
}


@given(st.lists(st.tuples(NASTY, NASTY, NASTY, NASTY), min_size=1, max_size=3))
def test_foreign_text_cannot_change_the_structure(texts: list[tuple[str, ...]]) -> None:
    tools = [
        Tool(
            name=name,
            description=description,
            parameters={
                "type": "object",
                "properties": {
                    key: {"type": "string", "description": inner, "enum": [inner], "default": name},
                },
                "required": [key],
            },
            output={"enum": [inner, key]},
        )
        for name, description, inner, key in texts
    ]
    document = tool_catalog(tools)
    document.encode()  # no half surrogates
    tokens = MARKDOWN.parse(document)
    kinds = [token.type for token in tokens]
    assert set(kinds) <= BLOCKS
    assert kinds.count("heading_open") == 1 + len(tools)
    assert kinds.count("fence") == 2 * len(tools)
    assert kinds.count("table_open") == len(tools)
    assert kinds.count("bullet_list_open") == len(tools)
    assert kinds.count("list_item_open") == 3 * len(tools)
    assert kinds.count("td_open") == 5 * len(tools)
    for token in tokens:
        if token.type == "inline":
            text_of(token)  # nothing but text and code


@given(NASTY)
def test_a_description_is_shown_as_it_is_written(description: str) -> None:
    document = tool_catalog([one({"description": description})])
    shown = cells(document)[1][3]
    plain = "".join(mark for mark in shown if mark != "\ufffd")
    assert set(plain) <= set(description) | {" "}
    for mark in "`|\\<>&*_~#-=+$[]":
        assert shown.count(mark) == description.count(mark)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["properties", "type", "enum", "required", "$ref", "default", "x"]),
                inner,
                max_size=4,
            )
        ),
        max_leaves=10,
    )
)
def test_any_schema_has_a_section(schema: object) -> None:
    assert "## `t`" in tool_catalog([one(schema)])
    members: dict[str, object] = {"properties": schema, "required": schema}
    assert "## `t`" in tool_catalog([Tool(name="t", parameters=members, output=members)])
