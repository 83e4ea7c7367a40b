"""``{{name}}`` in a text, strictly: what looks like a variable is one, or the text is refused."""

import re
from collections.abc import Awaitable, Callable

from .errors import PromptError

_OPENING = re.compile(r"\{\{")
_VARIABLE = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_.-]*)\s*\}\}")


async def interpolate(text: str, value: Callable[[str], Awaitable[str]], where: str) -> str:
    """The text with each variable's value, which is not looked into again.

    Raises:
        PromptError: a ``{{`` that opens no variable.
    """
    parts: list[str] = []
    at = 0
    while (opening := _OPENING.search(text, at)) is not None:
        variable = _VARIABLE.match(text, opening.start())
        if variable is None:
            shown = text[opening.start() : opening.start() + 40]
            raise PromptError(f"{where} has a malformed variable at {shown!r}: write {{{{name}}}}")
        parts += [text[at : opening.start()], await value(variable[1])]
        at = variable.end()
    return "".join([*parts, text[at:]])
