"""How a call looks in a user interface, asked of its tool. Display never breaks: the worst is no view."""

import logging
from typing import TYPE_CHECKING

from ._json import copy_json
from ._signals import contain
from .presentation import (
    DiffCall,
    DiffResult,
    GenericCall,
    GenericResult,
    TerminalCall,
    TerminalResult,
)
from .types import PresentedResult

if TYPE_CHECKING:
    from ..runtime import JsonValue
    from ._entry import Entry
    from .presentation import ToolCallView, ToolResultView
    from .scope import ToolScope

_log = logging.getLogger("codemode.registry")


def present_call(scope: "ToolScope", name: str, arguments: object) -> "ToolCallView | None":
    """The card of a pending call, or None for the generic one: the tool names none, is not seen from
    ``scope``, its presenter fails, or the arguments break its schema (an older log's may)."""
    entry = scope.entries().get(name)
    if entry is None or entry.definition.present_call is None:
        return None
    try:
        view = entry.definition.present_call(_soft(entry, arguments))
    except BaseException as error:  # display never breaks  # noqa: BLE001
        contain(error)
        _log.debug("no view of a call of %r", name, exc_info=True)
        return None
    return view if isinstance(view, GenericCall | TerminalCall | DiffCall) else None


def present_result(
    scope: "ToolScope", name: str, arguments: object, result: PresentedResult
) -> "ToolResultView | None":
    """The card of a call that has ended, or None for the generic one, as :func:`present_call`."""
    entry = scope.entries().get(name)
    if entry is None or entry.definition.present_result is None:
        return None
    try:
        shown = PresentedResult(
            content=result.content, is_error=result.is_error, meta=copy_json(result.meta)
        )
        view = entry.definition.present_result(_soft(entry, arguments), shown)
    except BaseException as error:  # display never breaks  # noqa: BLE001
        contain(error)
        _log.debug("no view of a result of %r", name, exc_info=True)
        return None
    return view if isinstance(view, GenericResult | TerminalResult | DiffResult) else None


def _soft(entry: "Entry", arguments: object) -> "JsonValue":
    """The presenter's own copy of the arguments.

    Raises:
        ValueError: they have no JSON form, or break the tool's schema.
    """
    copied = copy_json(arguments)
    violations = entry.argument_violations(copied)
    if violations:
        raise ValueError("; ".join(violations))
    return copied
