"""The `tools:sdk` section of a prompt: usage instructions and the declaration of every tool."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from ._budget import DETAILS, Levels, richest_within
from ._declarations import Declarations
from ._instructions import INSTRUCTIONS
from ._listing import list_names
from ._names import property_key
from ._prose import first_sentence, share_prefixes
from ._tools import Detail, Tool, argument_type, read_tools, result_type
from ._types import ANY_OBJECT, Named, Object, Type, Types, undescribed
from ._unify import unify

_ERROR_CLASS: Final = "declare class ToolCallError extends Error { toolName:string; code:string }"
_ANY_TOOL: Final = "[name:string]:(args?:any)=>Promise<any>;"


def estimate_tokens(text: str) -> int:
    """A cheap guess at the tokens of a text: a quarter of its UTF-8 bytes."""
    return (len(text.encode("utf-8", "replace")) + 3) // 4


def render_tools_sdk(
    tools: Iterable[Any],
    *,
    detail: Detail = "full",
    max_tokens: int | None = None,
    estimate: Callable[[str], int] = estimate_tokens,
    instructions: str = INSTRUCTIONS,
) -> str:
    """The section's text, the same bytes for the same tools in whatever order they come.

    A tool is a mapping or an object with `name`, `description`, `parameters` and perhaps `output` (JSON
    Schemas). With `max_tokens` each tool gets the richest level up to `detail` for which the whole text
    stays within it by `estimate`; only a list of bare names may still be longer.
    """
    read = read_tools(tools)

    def section(levels: Levels) -> str:
        return _section(read, levels, instructions)

    if max_tokens is None:
        return section(dict.fromkeys((tool.name for tool in read), detail))
    costs = {
        tool.name: tuple(
            estimate("\n".join(_declarations([tool], {tool.name: level})[1:-1]))
            for level in DETAILS
        )
        for tool in read
    }
    return richest_within(max_tokens, costs, detail, section, estimate)


def _section(tools: Sequence[Tool], levels: Levels, instructions: str) -> str:
    body = "\n".join(_declarations(tools, levels))
    head = f"{instructions.rstrip()}\n\n" if instructions.strip() else ""
    return f"{head}The available tools:\n\n```ts\n{body}\n```\n"


def _declarations(tools: Sequence[Tool], levels: Levels) -> list[str]:
    if not tools:
        return [_ERROR_CLASS, "declare const tools: {}"]
    shown = [tool for tool in tools if levels[tool.name] != "names"]
    listed = [tool.name for tool in tools if levels[tool.name] == "names"]
    types = Types()
    made = [argument_type(tool, types, levels[tool.name]) for tool in shown]
    made += [result_type(tool, types, levels[tool.name]) for tool in shown]
    made = unify(types, made)
    arguments, results = made[: len(shown)], made[len(shown) :]
    known = Declarations(types, [*(each for each in arguments if each is not ANY_OBJECT), *results])
    beginnings, texts = share_prefixes([tool.description for tool in shown])
    whole = {
        number for tool, (number, _) in zip(shown, texts, strict=True) if _is_full(tool, levels)
    }
    lines = [_ERROR_CLASS]
    for number, text in enumerate(beginnings, 1):
        lines.append(f"/* [{number}] = {text if number in whole else first_sentence(text)} */")
    lines += [known.declared[name] for name in sorted(known.declared)]
    lines.append("declare const tools: {")
    for tool, (number, text), argument, result in zip(
        shown, texts, arguments, results, strict=True
    ):
        detailed = _is_full(tool, levels)
        said = text if detailed else first_sentence(text)
        doc = f"[{number}] {said}".rstrip() if number else said
        given = _argument(argument, known, detailed)
        lines += _tool(tool.name, doc, given, known.spell(result), detailed)
    if listed:
        lines += [*list_names(listed), _ANY_TOOL]
    return [*lines, "}"]


def _is_full(tool: Tool, levels: Levels) -> bool:
    return levels[tool.name] == "full"


def _tool(name: str, doc: str, argument: str, returned: str, detailed: bool) -> list[str]:
    key = '"new"' if name == "new" else property_key(name)  # bare it would declare a constructor
    signature = f"{key}({argument}):Promise<{returned}>;"
    if not doc:
        return [signature]
    return [f"/** {doc} */", signature] if detailed else [f"/** {doc} */ {signature}"]


def _argument(type: Type, known: Declarations, detailed: bool) -> str:
    """The parameter of a tool. A call without it passes an empty object."""
    shape = undescribed(type.body if isinstance(type, Named) else type)
    if shape is ANY_OBJECT:
        return "args?:{}"
    if not isinstance(shape, Object):
        return f"args:{known.spell(type)}"
    key = "args" if any(not field.optional for field in shape.fields) else "args?"
    if known.is_named(type) or known.is_named(shape) or not detailed or not shape.fields:
        return f"{key}:{known.spell(type)}"
    members = ";\n".join(known.members(shape))
    return f"{key}:{{\n{members}\n}}"
