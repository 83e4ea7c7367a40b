"""A reference of tools for people: one Markdown document, the same bytes for the same tools.

Names, descriptions and schemas are foreign text. Whatever is in them, they stay text: they open no heading,
table, list, link, HTML or fence, and close none (CommonMark with GitHub's tables).
"""

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from typing import Final, Protocol, cast

from ..runtime import JsonValue
from ..sdkgen import json_schema_to_ts
from ._tool_order import utf16


class CatalogTool(Protocol):
    """What the catalog says of a tool. ``output`` is the schema of its value, None if it has text only;
    ``timeout_ms`` is None without a limit of its own."""

    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def parameters(self) -> Mapping[str, object]: ...
    @property
    def output(self) -> Mapping[str, object] | None: ...
    @property
    def timeout_ms(self) -> float | None: ...
    @property
    def concurrency_safe(self) -> bool | Callable[[JsonValue], bool]: ...


def tool_catalog(tools: Iterable[CatalogTool]) -> str:
    """The document, its tools in the order of their names' UTF-16 units. Never raises for what a
    description or a schema contains."""
    sections = sorted((utf16(tool.name), _section(tool)) for tool in tools)
    count = f"{len(sections)} tool{'' if len(sections) == 1 else 's'}."
    return "\n\n".join(["# Tools", count, *(section for _, section in sections)]) + "\n"


def _safe(tool: CatalogTool) -> str:
    if callable(tool.concurrency_safe):
        return "decided for each call"
    return "yes" if tool.concurrency_safe else "no"


def _section(tool: CatalogTool) -> str:
    output = tool.output
    kind = "text" if output is None else _code(json_schema_to_ts(output))
    timeout = "none of its own" if tool.timeout_ms is None else f"{_number(tool.timeout_ms)} ms"
    facts = (
        f"- Output: {kind}",
        f"- Timeout: {timeout}",
        f"- Safe to run at the same time as others: {_safe(tool)}",
    )
    parts = [
        f"## {_code(tool.name) or '(no name)'}",
        _paragraphs(tool.description),
        _parameters(tool.parameters),
        "\n".join(facts),
        "Schema of the parameters:",
        _fenced(_json(tool.parameters, indent=2), "json"),
    ]
    if output is not None:
        parts += ["Schema of the output:", _fenced(_json(output, indent=2), "json")]
    return "\n\n".join(part for part in parts if part)


def _number(value: float) -> str:
    return str(int(value)) if value == value // 1 else str(value)


def _parameters(schema: Mapping[str, object]) -> str:
    properties = schema.get("properties")
    if not isinstance(properties, Mapping) or not properties:
        return "No named parameters."
    required = schema.get("required")
    names = cast("list[object]", required) if isinstance(required, list | tuple) else []
    shared = {key: schema[key] for key in ("$defs", "definitions") if key in schema}
    rows = ["| Name | Type | Required | Description | Default, choices |", f"|{' --- |' * 5}"]
    for name, item in cast("Mapping[object, object]", properties).items():
        inner = cast("Mapping[str, object]", item) if isinstance(item, Mapping) else None
        whole = cast("object", item) if inner is None else {**shared, **inner}
        description = (inner or {}).get("description")
        cells = (
            _code(str(name), in_table=True),
            _code(json_schema_to_ts(whole), in_table=True),
            "yes" if name in names else "no",
            _inline(_one_line(description)) if isinstance(description, str) else "",
            _choices(inner or {}),
        )
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def _choices(schema: Mapping[str, object]) -> str:
    said: list[str] = []
    if "default" in schema:
        said.append(f"default {_code(_json(schema['default']), in_table=True)}")
    values = schema.get("enum")
    if isinstance(values, list | tuple) and values:
        items = (_code(_json(item), in_table=True) for item in cast("list[object]", values))
        said.append(f"one of {', '.join(items)}")
    if "const" in schema:
        said.append(f"always {_code(_json(schema['const']), in_table=True)}")
    return "; ".join(said)


# --- text that stays text

_LINES: Final = re.compile("\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_MARKS: Final = re.compile(r"[\\`*_\[\]<>|~$&]")
_ENTITIES: Final = {"<": "&lt;", ">": "&gt;", "&": "&amp;", "|": "&#124;"}
_BLOCK_START: Final = re.compile(r"[-+=#:]|\d+(?=[.)])")
_BACKTICKS: Final = re.compile("`+")
_JOINERS: Final = "\u200c\u200d"  # emoji and some scripts need them
_UNSEEN: Final = ("Cc", "Cs", "Cf", "Zl", "Zp")
"""Controls, half surrogates, and marks that hide or turn the direction of text."""


def _seen(mark: str) -> bool:
    return mark in _JOINERS or unicodedata.category(mark) not in _UNSEEN


def _printable(line: str) -> str:
    kept = "".join(mark if mark == "\t" or _seen(mark) else "\ufffd" for mark in line)
    return " ".join(kept.split())


def _one_line(text: str) -> str:
    return " ".join(line for line in map(_printable, _LINES.split(text)) if line)


def _inline(line: str) -> str:
    """One line that shows the text, where a block may begin or in a table's cell."""
    escaped = _MARKS.sub(lambda mark: _ENTITIES.get(mark[0], f"\\{mark[0]}"), line)
    start = _BLOCK_START.match(escaped)
    if start is None:
        return escaped
    number = start[0] if start[0].isdigit() else ""  # "1." is a list, "1\." is not
    return f"{number}\\{escaped[len(number) :]}"


def _paragraphs(text: str) -> str:
    shown = "\n".join(_inline(_printable(line)) for line in _LINES.split(text))
    return re.sub("\n{3,}", "\n\n", shown).strip("\n")


def _code(text: str, *, in_table: bool = False) -> str:
    line = _one_line(text)
    if in_table and "\\|" in line:  # implementations differ in how they read it in a code span
        return _inline(line)
    if not line:
        return ""
    fence = "`" * (_longest_run(line) + 1)
    edge = " " if line.startswith("`") or line.endswith("`") else ""
    span = f"{fence}{edge}{line}{edge}{fence}"
    return span.replace("|", "\\|") if in_table else span


def _fenced(text: str, language: str) -> str:
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in _BACKTICKS.findall(text)), default=0)


def _json(value: object, *, indent: int | None = None) -> str:
    """JSON text with what cannot be seen as escapes; a value that is no JSON is named by its type."""

    def name(item: object) -> object:
        return (
            dict(cast("Mapping[str, object]", item))
            if isinstance(item, Mapping)
            else str(type(item))
        )

    try:
        text = json.dumps(value, ensure_ascii=False, indent=indent, default=name)
    except (RecursionError, TypeError, ValueError) as error:
        return json.dumps(f"not shown: {error}")
    return "".join(mark if mark == "\n" or _seen(mark) else json.dumps(mark)[1:-1] for mark in text)
