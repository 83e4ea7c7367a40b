"""``tools.$search`` and ``tools.$describe``: a program finds the tools that its prompt only names.

They tell of exactly the tools that the program can call: those that it was given, as long as they are there.
"""

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Final, cast

from ..runtime import BindingError, JsonValue
from ..sdkgen import render_tools_sdk
from ._index import ToolIndex
from ._nearest import nearest
from .types import RUN_CODE_NAME

if TYPE_CHECKING:
    from ._entry import Entry
    from .scope import ToolScope

DISCOVERY_TEXT: Final = """\
More about a tool, from inside a program:
- `await tools.$search("words", { limit: 10 })` gives the best matches as `{ name, description }[]`.
- `await tools.$describe("name")` gives a tool's full declaration as text: `return` it, then call the tool.
"""
MOST_RESULTS: Final = 50


def sdk_tools(scope: "ToolScope") -> list[dict[str, Any]]:
    """The tools that a program of this caller has, as sdkgen reads them."""
    return [_as_sdk(entry) for name, entry in scope.entries().items() if name != RUN_CODE_NAME]


def _as_sdk(entry: "Entry") -> dict[str, Any]:
    shown: dict[str, Any] = {
        "name": entry.definition.name,
        "description": entry.definition.description,
        "parameters": entry.parameters,
    }
    if entry.output is not None:
        shown["output"] = entry.output
    return shown


class Discovery:
    """Search and description over one scope. ``names`` are those that the program was given; without them,
    all that are there."""

    def __init__(self, scope: "ToolScope", names: Collection[str] | None = None) -> None:
        self._scope = scope
        self._names = names

    def _entry(self, name: str) -> "Entry | None":
        if name == RUN_CODE_NAME or (self._names is not None and name not in self._names):
            return None
        return self._scope.entries().get(name)

    async def _index(self) -> ToolIndex:
        view = self._scope.entries()
        index = self._scope.keep("index")
        if not isinstance(index, ToolIndex):
            index = await ToolIndex.of((n, e) for n, e in view.items() if n != RUN_CODE_NAME)
            if self._scope.entries() is view:
                self._scope.keep("index", index)
        return index

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
        most = min(int(min(limit, MOST_RESULTS)), MOST_RESULTS)
        found: list[JsonValue] = []
        for name in (await self._index()).search(query):
            entry = self._entry(name)
            if entry is not None:
                found.append({"name": name, "description": _first_line(entry)})
            if len(found) == most:
                break
        return found

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
        entry = self._entry(name)
        if entry is None:
            known = [each for each in self._scope.entries() if self._entry(each) is not None]
            near = (
                nearest(name, known)
                or [each for each in (await self._index()).search(name) if each in known][:3]
            )
            hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
            raise BindingError(f'unknown tool "{name[:200]}"{hint}', code="UNKNOWN_TOOL")
        text = render_tools_sdk([_as_sdk(entry)], instructions="")
        return text[text.index("```ts\n") + 6 : text.rindex("\n```")]


def _first_line(entry: "Entry") -> str:
    lines = entry.definition.description.strip().splitlines()
    return lines[0][:300] if lines else ""
