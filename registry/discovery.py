"""``tools.$search`` and ``tools.$describe``: a program finds the tools that its prompt only names.

They see exactly the tools that the program may call.
"""

import difflib
import math
import re
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, cast

from ..runtime import BindingError, JsonValue
from ..sdkgen import render_tools_sdk
from .types import RUN_CODE_NAME, ToolDefinition

if TYPE_CHECKING:
    from .scope import ToolScope

DISCOVERY_TEXT: Final = """\
More about a tool, from inside a program:
- `await tools.$search("words", { limit: 10 })` gives the best matches as `{ name, description }[]`.
- `await tools.$describe("name")` gives a tool's full declaration as text: `return` it, then call the tool.
"""
MOST_RESULTS: Final = 50
_WORD: Final = re.compile(r"[^\W_]+")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def sdk_tools(scope: "ToolScope") -> list[dict[str, Any]]:
    """The tools that a program of this caller has, as sdkgen reads them."""
    return [_as_sdk(tool) for tool in scope.visible() if tool.name != RUN_CODE_NAME]


def _as_sdk(tool: ToolDefinition) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "name": tool.name, "description": tool.description, "parameters": tool.parameters,
    }  # fmt: skip
    if tool.output is not None:
        shown["output"] = tool.output
    return shown


def _words(text: str) -> list[str]:
    found = [word.lower() for word in _WORD.findall(_HUMP.sub(" ", text))]
    return [word[:-1] if len(word) > 3 and word.endswith("s") else word for word in found]


class Discovery:
    """Search and description over one scope, asked anew at each call."""

    def __init__(self, scope: "ToolScope") -> None:
        self._scope = scope

    async def search(self, arguments: JsonValue) -> JsonValue:
        """``$search(query, { limit })``.

        Raises:
            BindingError: the arguments are wrong.
        """
        given = cast("list[JsonValue]", arguments)
        query = given[0] if given else None
        options = given[1] if len(given) > 1 and given[1] is not None else {}
        if not isinstance(query, str):
            raise BindingError(
                'tools.$search takes a text: await tools.$search("words", { limit: 10 })',
                code="INVALID_ARGS",
            )
        limit = options.get("limit", 10) if isinstance(options, dict) else None
        if not isinstance(limit, int | float) or isinstance(limit, bool) or limit < 1:
            raise BindingError("the limit of tools.$search is a number from 1", code="INVALID_ARGS")
        tools = [tool for tool in self._scope.visible() if tool.name != RUN_CODE_NAME]
        ranked = _rank(query, tools)[: min(int(limit), MOST_RESULTS)]
        return [{"name": tool.name, "description": _first_line(tool)} for tool in ranked]

    async def describe(self, arguments: JsonValue) -> JsonValue:
        """``$describe(name)``.

        Raises:
            BindingError: there is no such tool; the text has the nearest.
        """
        given = cast("list[JsonValue]", arguments)
        name = given[0] if given else None
        if not isinstance(name, str):
            raise BindingError(
                'tools.$describe takes a name: await tools.$describe("name")', code="INVALID_ARGS"
            )
        tool = None if name == RUN_CODE_NAME else self._scope.get(name)
        if tool is None:
            others = self._others()
            near = difflib.get_close_matches(name[:80], [t.name for t in others], n=3)
            near = near or [t.name for t in _rank(name, others)[:3]]
            hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
            raise BindingError(f'unknown tool "{name[:200]}"{hint}', code="UNKNOWN_TOOL")
        text = render_tools_sdk([_as_sdk(tool)], instructions="")
        return text[text.index("```ts\n") + 6 : text.rindex("\n```")]

    def _others(self) -> list[ToolDefinition]:
        return [tool for tool in self._scope.visible() if tool.name != RUN_CODE_NAME]


def _first_line(tool: ToolDefinition) -> str:
    lines = tool.description.strip().splitlines()
    return lines[0][:300] if lines else ""


def _rank(query: str, tools: list[ToolDefinition]) -> list[ToolDefinition]:
    """The tools that have words of the query, best first: rare words and words of the name count more."""
    wanted = _words(query[:1000])
    if not wanted:
        return []
    texts: list[tuple[ToolDefinition, Counter[str], Counter[str]]] = []
    spread: Counter[str] = Counter()
    for tool in tools:
        name, rest = Counter(_words(tool.name)), Counter(_words(_text(tool)))
        texts.append((tool, name, rest))
        spread.update(name.keys() | rest.keys())
    scored: list[tuple[float, str, ToolDefinition]] = []
    for tool, name, rest in texts:
        score = 0.0
        for word in wanted:
            weight = math.log(1 + len(tools) / (1 + spread[word]))
            score += weight * (4 * _hits(word, name) + min(_hits(word, rest), 3))
        if tool.name.lower() == query.strip().lower():
            score += 1000
        if score > 0:
            scored.append((-score, tool.name, tool))
    return [tool for _, _, tool in sorted(scored, key=lambda item: item[:2])]


def _hits(word: str, words: Counter[str]) -> float:
    if word in words:
        return words[word]
    if len(word) < 3:
        return 0
    return 0.5 * any(
        other.startswith(word) or word.startswith(other) for other in words if len(other) > 2
    )


def _text(tool: ToolDefinition) -> str:
    properties = tool.parameters.get("properties")
    parts = [tool.description]
    if isinstance(properties, Mapping):
        for name, schema in cast("Mapping[str, object]", properties).items():
            parts.append(name)
            if isinstance(schema, Mapping):
                text = cast("Mapping[str, object]", schema).get("description")
                parts.append(text if isinstance(text, str) else "")
    return " ".join(parts)
