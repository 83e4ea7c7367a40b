"""Approval levels, verdicts, and how a fault in the rules is reported."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final, Literal, NoReturn, cast, get_args

from ...runtime.types import JsonValue
from ..errors import RegistrationError

ApprovalLevel = Literal["always", "ask", "ask_with_confirm", "deny"]
LEVELS: Final[tuple[ApprovalLevel, ...]] = get_args(ApprovalLevel)
"""From the most permitting to the strictest."""

_RANK: Final = {level: rank for rank, level in enumerate(LEVELS)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalVerdict:
    """What the rules say of one call.

    ``rule`` is the path of the rule that decided, such as ``tools.file_edit.delete``.
    ``fails_closed`` says that something could not be evaluated, so that the level is the strictest of
    what may hold.
    """

    level: ApprovalLevel
    rule: str
    fails_closed: bool = False


def strictest(verdicts: Iterable[ApprovalVerdict]) -> ApprovalVerdict:
    """The verdict with the strictest level, the first of equals."""
    return max(verdicts, key=lambda verdict: _RANK[verdict.level])


def closed(verdicts: Iterable[ApprovalVerdict]) -> ApprovalVerdict:
    """The strictest verdict, ``ask`` at least, marked as failing closed."""
    found = strictest(verdicts)
    level: ApprovalLevel = "ask" if found.level == "always" else found.level
    return ApprovalVerdict(level=level, rule=found.rule, fails_closed=True)


def refuse(path: str, problem: str) -> NoReturn:
    """Raises RegistrationError for what stands at ``path``."""
    raise RegistrationError(f"approval rules: {path}: {problem}")


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint at the known word that was meant, or the list of them."""
    known = tuple(known)
    close = get_close_matches(word.lower(), known, n=1)
    return f"did you mean {close[0]!r}?" if close else f"known are {', '.join(known)}"


def read_level(value: JsonValue, path: str) -> ApprovalLevel:
    """The level that a configuration names."""
    for level in LEVELS:
        if value == level:
            return level
    if isinstance(value, str):
        refuse(path, f"{value!r} is no approval level; {nearest(value, LEVELS)}")
    refuse(path, f"an approval level must be one of {', '.join(LEVELS)}, not {show(value)}")


def read_table(value: JsonValue, path: str, what: str) -> dict[str, JsonValue]:
    """A mapping that is not empty."""
    if not isinstance(value, dict) or not value:
        refuse(path, f"{what}, not {show(value)}")
    return value


def check_keys(table: Mapping[str, JsonValue], known: Iterable[str], path: str) -> None:
    """Refuses a key that has no meaning."""
    known = tuple(known)
    for key in table:
        if key not in known:
            refuse(path, f"{key!r} is no key of this table; {nearest(key, known)}")


def check_text_keys(value: object) -> None:
    """Refuses a key that is no text, wherever it is: a YAML loader makes such keys of ``on`` and ``1``."""
    todo: list[tuple[object, str]] = [(value, "")]
    while todo:
        here, path = todo.pop()
        if isinstance(here, Mapping):
            for key, item in cast("Mapping[object, object]", here).items():
                if not isinstance(key, str):
                    kind = type(key).__name__
                    refuse(
                        path or "the table", f"the key {key!r} is a {kind}; make it text by quotes"
                    )
                todo.append((item, f"{path}.{key}".lstrip(".")))
        elif isinstance(here, list | tuple):
            items = enumerate(cast("list[object]", here))
            todo.extend((item, f"{path}[{index}]") for index, item in items)


def show(value: JsonValue) -> str:
    """A value of the configuration in a message."""
    match value:
        case None:
            return "nothing"
        case bool():
            return f"the boolean {'true' if value else 'false'} (text needs quotes)"
        case dict():
            return "an empty mapping" if not value else "a mapping"
        case list():
            return "an empty list" if not value else "a list"
        case _:
            return repr(value)[:80]
