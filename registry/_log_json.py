"""Log entries as JSON objects (camelCase) and as lines of JSON text, and back."""

import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, cast

from ..runtime.jsonvalue import JsonProblemError, decode_value
from ..runtime.types import JsonValue
from ._log_entries import (
    ApprovalAskedEntry,
    ApprovalDecidedEntry,
    CodeDispatchEntry,
    CodeDispatchStartEntry,
    LogEntry,
    ToolCallEntry,
    ToolResultEntry,
    UnknownEntry,
)
from .content import ContentBlock, block_from_json, block_to_json
from .json_text import compact_text
from .types import ToolErrorInfo


class LogFormatError(ValueError):
    """JSON that is no log entry; the message says what is wrong, and in which line of which file."""


_KNOWN: Final[dict[str, type[Any]]] = {
    "tool/call": ToolCallEntry,
    "tool/result": ToolResultEntry,
    "approval/asked": ApprovalAskedEntry,
    "approval/decided": ApprovalDecidedEntry,
    "tool/code-dispatch-start": CodeDispatchStartEntry,
    "tool/code-dispatch": CodeDispatchEntry,
}
_SEAM: Final = re.compile("_([a-z])")


def entry_to_json(entry: LogEntry) -> dict[str, JsonValue]:
    """The entry as a JSON object, ``type`` and ``atMs`` first. It shares the entry's JSON values."""
    if isinstance(entry, UnknownEntry):
        return {**entry.value, "type": entry.type, "atMs": entry.at_ms}
    members: dict[str, JsonValue] = {"type": entry.type, "atMs": entry.at_ms}
    for name in entry.__slots__:
        if name not in ("type", "at_ms"):
            members[_wire(name)] = _member(getattr(entry, name))
    return members


def entry_from_json(value: object) -> LogEntry:
    """The entry that a JSON object is. Members that are not known are ignored; an entry of a type that
    is not known is an :class:`UnknownEntry`.

    Raises:
        LogFormatError: it is no object with a text ``type``, or a member is missing or wrong.
    """
    if not isinstance(value, Mapping):
        raise LogFormatError("an entry must be a JSON object")
    members = cast("Mapping[str, JsonValue]", value)
    kind = members.get("type")
    if not isinstance(kind, str):
        raise LogFormatError("an entry must have a text as its type")
    make = _KNOWN.get(kind)
    if make is None:
        at_ms = _number(members.get("atMs"))
        at_ms = at_ms if isinstance(at_ms, float) else 0.0
        return UnknownEntry(type=kind, value=dict(members), at_ms=at_ms)
    fields: dict[str, object] = {}
    for name in make.__slots__:
        wire = _wire(name)
        if name == "type":
            continue
        read = _READ[name]
        if wire not in members and name in _OPTIONAL:
            continue
        if wire not in members:
            raise LogFormatError(f"{kind}: {wire} is missing")
        found = read(members[wire])
        if found is _WRONG:
            raise LogFormatError(f"{kind}: {wire} has a wrong value")
        fields[name] = found
    return cast("LogEntry", make(**fields))


def entry_to_line(entry: LogEntry) -> bytes:
    """The entry as a line of UTF-8 with its newline.

    Raises:
        ValueError: its arguments, meta or blocks are not JSON.
    """
    try:
        text = compact_text(entry_to_json(entry))
    except (TypeError, ValueError) as error:
        raise ValueError(f"the log entry {entry.type} is not JSON: {error}") from None
    return text.encode() + b"\n"


def entry_from_line(line: bytes) -> LogEntry:
    """The entry of a line.

    Raises:
        LogFormatError: the line is no JSON or no entry.
    """
    try:
        value = _decoder.decode(line.decode())
    except RecursionError:
        try:
            value = decode_value(line)
        except JsonProblemError as error:
            raise LogFormatError(f"not JSON: {error}") from None
    except ValueError as error:
        raise LogFormatError(f"not JSON: {error}") from None
    return entry_from_json(value)


def _constant(text: str) -> JsonValue:
    raise ValueError(f"{text} is not JSON")


def _whole(text: str) -> int:
    """``int(text)`` without Python's cap of 4300 digits."""
    if len(text) <= 4000:
        return int(text)
    half = len(text) // 2
    head, tail = text[:-half], text[-half:]
    low = _whole(tail)
    return _whole(head) * 10**half + (-low if text.startswith("-") else low)


_decoder: Final = json.JSONDecoder(parse_int=_whole, parse_constant=_constant)


def _wire(name: str) -> str:
    return _SEAM.sub(lambda found: found[1].upper(), name)


def _member(value: Any) -> JsonValue:
    if isinstance(value, ToolErrorInfo):
        return {"name": value.name, "code": value.code}
    if isinstance(value, tuple):
        items = cast("tuple[Any, ...]", value)
        return [item if isinstance(item, str) else block_to_json(item) for item in items]
    return value


_WRONG: Final = object()


def _typed(kind: type, value: JsonValue) -> object:
    return value if isinstance(value, kind) else _WRONG


def _optional_text(value: JsonValue) -> object:
    return value if value is None or isinstance(value, str) else _WRONG


def _number(value: JsonValue) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return _WRONG
    try:
        return float(value)
    except OverflowError:
        return _WRONG


def _content(value: JsonValue) -> object:
    if not isinstance(value, list):
        return _WRONG
    blocks: list[ContentBlock | None] = [block_from_json(item) for item in value]
    return _WRONG if None in blocks else tuple(blocks)


def _texts(value: JsonValue) -> object:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    return _WRONG


def _error(value: JsonValue) -> object:
    if value is None:
        return None
    if not isinstance(value, dict):
        return _WRONG
    name, code = value.get("name"), value.get("code")
    if isinstance(name, str) and (code is None or isinstance(code, str)):
        return ToolErrorInfo(name, code if isinstance(code, str) else "TOOL_FAILED")
    return _WRONG


def _same(value: JsonValue) -> object:
    return value


_text: Final = partial(_typed, str)
_flag: Final = partial(_typed, bool)
_READ: Final[dict[str, Callable[[JsonValue], object]]] = {
    "call_id": _text,
    "root_call_id": _text,
    "parent_call_id": _text,
    "sub_call_id": _text,
    "question_id": _text,
    "name": _text,
    "reason": _text,
    "outcome": _text,
    "level": _text,
    "result_summary": _text,
    "scope": _optional_text,
    "arguments": _same,
    "meta": _same,
    "content": _content,
    "is_error": _flag,
    "confirm": _flag,
    "error": _error,
    "violations": _texts,
    "duration_ms": _number,
    "at_ms": _number,
}
_OPTIONAL: Final = frozenset(("scope", "meta", "error", "violations", "confirm", "level"))
