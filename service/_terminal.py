"""What the command line prints. Text of a program never acts on the terminal."""

import json
import sys
from typing import Final, TextIO

from ..runtime import LogEntry, RunFailure, RunResult
from ..runtime.jsonvalue import DEEPEST, encode_result

_CONTROLS: Final = {
    code: f"\\x{code:02x}"
    for code in (*range(0x20), 0x7F, *range(0x80, 0xA0))
    if code not in (9, 10)
}
_DIRECTIONS: Final = {
    code: f"\\u{code:04x}"
    for code in (*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x206A), 0xFEFF)
}
_INERT: Final = {**_CONTROLS, **_DIRECTIONS}


def inert(text: str) -> str:
    """``text`` with control characters and direction marks shown instead of obeyed."""
    return text.translate(_INERT)


def write_line(stream: TextIO, text: str) -> None:
    line = text.encode(stream.encoding or "utf-8", "backslashreplace") + b"\n"
    stream.flush()
    stream.buffer.write(line)
    stream.buffer.flush()


def write_json(value: object) -> None:
    """One JSON value on standard output, in ASCII: nothing in it acts on a terminal."""
    write_line(sys.stdout, json.dumps(value, ensure_ascii=True))


def write_log(stream: TextIO, entry: LogEntry) -> None:
    prefix = "" if entry.source == "console" else "[codemode] "
    text = entry.text.removeprefix("[codemode] ")
    write_line(stream, inert(prefix + text))


def value_text(result: RunResult, *, pretty: bool) -> str:
    """The completion value as JSON: with an indent for people, on one line for programs."""
    try:
        if pretty:
            return inert(json.dumps(result.value, ensure_ascii=False, indent=2))
        return json.dumps(result.value, ensure_ascii=True, separators=(",", ":"))
    except RecursionError:  # deep but legal: on one line, without recursion
        return inert(encode_result(result.value, depth=DEEPEST).data.decode())


def write_failure(failure: RunFailure) -> None:
    head = f"codemode: {failure.kind}: "
    write_line(sys.stderr, head + inert(failure.message))
