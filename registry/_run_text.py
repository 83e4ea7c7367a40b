"""What a run gives the model to read: the log's lines, then the value, within a number of bytes.

A value that does not fit is cut by structure: whole items are kept, and what was left out is counted.
"""

from typing import TYPE_CHECKING, Final

from ._cut import cut_lines, cut_text, cut_value, measure
from ._json import pretty

if TYPE_CHECKING:
    from ..runtime import RunResult

NO_OUTPUT: Final = "(run_code completed with no output)"
LEAST_FOR_VALUE: Final = 0.75  # of the bytes, when logs and value do not both fit


def result_text(result: "RunResult", most_bytes: int) -> str:
    """The text of a run that succeeded."""
    logs = "\n".join(entry.text for entry in result.logs)
    value = _value_text(result, most_bytes)
    whole = "\n".join(part for part in (logs, value) if part) or NO_OUTPUT
    if _size(whole) <= most_bytes:
        return whole
    room = most_bytes - _HINT_ROOM
    value_room = room if not logs else max(int(room * LEAST_FOR_VALUE), room - _size(logs) - 1)
    shown, note = value, ""
    if _size(value) > value_room:
        if isinstance(result.value, str):
            shown, note = cut_text(result.value, value_room)
        else:
            shown, note = cut_value(result.value, value_room)
    log_text, log_note = logs, ""
    log_room = room - _size(shown) - 1
    if _size(logs) > log_room:
        log_text, log_note = cut_lines(logs, log_room)
    hint = f"[{'; '.join(n for n in (log_note, note) if n)}. {_HINT}]"
    return "\n".join(part for part in (log_text, shown, hint) if part)


_HINT: Final = (
    "The run succeeded; to see the rest, return less of it at a time: filter, map or slice"
)
_HINT_ROOM: Final = 600
_AROUND_LOGS: Final = 120  # the heading, and the note on what was left out


def failure_text(result: "RunResult", most_bytes: int) -> str:
    """The text of a run that failed."""
    assert result.error is not None
    text = f"code run failed ({result.error.kind}): {result.error.message}"
    logs = "\n".join(entry.text for entry in result.logs)
    most_bytes -= len("Error: ")  # which the pipeline puts before it
    most_text = most_bytes - (min(_size(logs), most_bytes // 4) + _AROUND_LOGS if logs else 0)
    if _size(text) > most_text:
        text = cut_text(text, most_text - 3)[0] + "…"
    if not logs:
        return text
    room = most_bytes - _size(text) - _AROUND_LOGS
    if _size(logs) > room:
        logs, note = cut_lines(logs, room)
        logs = f"{logs}\n[{note}]"
    return f"{text}\nCaptured output:\n{logs}"


def _value_text(result: "RunResult", most_bytes: int) -> str:
    """The whole value where it fits; else something that does not fit either, and costs nothing."""
    if not result.has_value:
        return ""
    if isinstance(result.value, str):
        return result.value
    if measure(result.value, 0, most_bytes) > most_bytes:
        return " " * (most_bytes + 1)
    return pretty(result.value)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
