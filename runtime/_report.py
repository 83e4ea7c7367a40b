"""How a failure is told: in the words and positions of the program's own text.

The guest's stack names our frames and the engine's too; what the model gets is the message, the place,
its source line with a caret, and the program's own frames, a few kB at most.
"""

import difflib
import re
from collections.abc import Mapping, Sequence
from typing import Final, Literal

from ._abi import Failure, Fault
from .types import FailureKind, RunFailure

PROGRAM: Final = "program.ts"
MOST_MESSAGE: Final = 4000
MOST_LINE: Final = 160
MOST_FRAMES: Final = 8

_PLACE: Final = re.compile(re.escape(PROGRAM) + r":(\d{1,9}):(\d{1,9})")
_FRAME: Final = re.compile(r"\s*at (?:(.*) \()?" + re.escape(PROGRAM) + r":(\d{1,9}):(\d{1,9})\)?")
_FENCE: Final = re.compile(r"^[ \t]*```[\w ]*$", re.MULTILINE)
_WINDOW: Final = 200  # characters of a line that are looked at, before and behind a place

_KINDS: Final[Mapping[Fault, FailureKind]] = {
    Fault.EXCEPTION: "exception",
    Fault.INVALID_OUTPUT: "invalid-output",
    Fault.OUTPUT_LIMIT: "output-limit",
    Fault.MEMORY: "memory-limit",
    Fault.STALLED: "exception",
    Fault.REFUSED: "exception",
}


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most] + f"… ({len(text) - most} more characters)"


def _source_line(program: str, line: int) -> str | None:
    for other in ("\r\n", "\r", "\u2028", "\u2029"):
        program = program.replace(other, "\n")
    lines = program.split("\n", line)
    return lines[line - 1] if 1 <= line <= len(lines) else None


def _utf16_prefix(line: str, units: int) -> str:
    """The part of ``line`` before the UTF-16 unit ``units``."""
    at = 0
    for index, char in enumerate(line):
        if at >= units:
            return line[:index]
        at += 2 if ord(char) > 0xFFFF else 1
    return line


def source_excerpt(program: str, line: int, column: int) -> str:
    """The source line with a caret under the column; empty if there is no such line."""
    text = _source_line(program, line)
    if text is None:
        return ""
    before = _utf16_prefix(text, column - 1)
    start = max(0, len(before) - MOST_LINE // 2)
    shown = text[start : start + MOST_LINE]
    lead = re.sub(r"[^\t]", " ", before[start:])
    number = str(line)
    head = "…" if start else ""
    tail = "…" if start + MOST_LINE < len(text) else ""
    return f"{number} | {head}{shown}{tail}\n{' ' * len(number)} | {' ' * len(head)}{lead}^"


def _frames(stack: str) -> list[tuple[str, int, int]]:
    found: list[tuple[str, int, int]] = []
    for line in stack.split("\n"):
        match = _FRAME.fullmatch(line.rstrip())
        if match and int(match[2]) > 0 and int(match[3]) > 0:
            found.append((match[1] or "", int(match[2]), int(match[3])))
    return found


def _frame_name(name: str) -> str:
    """The program itself is the function without a name that is called from nowhere."""
    return _cut(name, 80) or "<anonymous>"


def _hint(
    failure: Failure,
    program: str,
    line: int | None,
    column: int,
    namespaces: Mapping[str, Sequence[str]],
) -> str:
    """What a model should write instead, where the engine's words do not say it."""
    fences = len(_FENCE.findall(program)) if failure.name in ("SyntaxError", "TypeError") else 0
    is_whole = fences == 2 and program.strip()[:3] == program.strip()[-3:] == "```"
    if fences and not is_whole:
        return (
            "A Markdown fence (```) is taken off only when one encloses the whole text: send the "
            "program alone, or in exactly one fence"
        )
    if line is None or failure.name not in ("TypeError", "ReferenceError"):
        return ""
    source = _source_line(program, line) or ""
    source = source[max(0, column - _WINDOW) : column + _WINDOW]
    if failure.name == "ReferenceError" and failure.message.startswith("require "):
        return "There are no modules here: the functions of the host are members of " + (
            ", ".join(sorted(namespaces)) or "no namespace in this run"
        )
    for space, names in namespaces.items():
        known = set(names)
        pattern = rf"(?<![\w$.]){re.escape(space)}\s*(?:\?\.|\.)\s*([A-Za-z_$][\w$]*)"
        quoted = rf"(?<![\w$.]){re.escape(space)}\s*\[\s*(['\"])(.+?)\1\s*\]"
        used = [match[1] for match in re.finditer(pattern, source)]
        used += [match[2] for match in re.finditer(quoted, source)]
        for name in used:
            if name in known:
                continue
            near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
            advice = f"did you mean {', '.join(near)}?" if near else _listing(space, names)
            return f"{space}.{name} does not exist: {advice}"
    return ""


def _listing(space: str, names: Sequence[str]) -> str:
    if not names:
        return f"{space} has no members in this run"
    shown = ", ".join(sorted(names)[:12])
    return f"{space} has {shown}" + (f" and {len(names) - 12} more" if len(names) > 12 else "")


def failure_of(
    failure: Failure, program: str, namespaces: Mapping[str, Sequence[str]]
) -> RunFailure:
    """The failure that a guest reported."""
    kind = _KINDS[failure.fault]
    if failure.fault is Fault.MEMORY:
        return out_of_memory()
    frames = _frames(failure.stack)
    line = column = None
    if frames:
        _, line, column = frames[0]
    elif place := _PLACE.search(failure.stack):
        line, column = int(place[1]), int(place[2])
    head = ": ".join(part for part in (failure.name, failure.message.strip()) if part)
    parts = [_cut(head, MOST_MESSAGE // 2)]
    if line is not None and column is not None:
        parts[0] += f" (line {line}, column {column})"
        excerpt = source_excerpt(program, line, column)
        if excerpt:
            parts.append(excerpt)
    hint = _hint(failure, program, line, column or 1, namespaces)
    if hint:
        parts.append(hint)
    parts += (
        [f"    at {_frame_name(name)} ({at}:{where})" for name, at, where in frames[:MOST_FRAMES]]
        if len(frames) > 1
        else []
    )
    return RunFailure(
        kind=kind,
        name=failure.name,
        message=_cut("\n".join(parts), MOST_MESSAGE),
        line=line,
        column=column,
    )


def timeout(budget: Literal["compute", "wall"], limit_ms: float) -> RunFailure:
    """A budget ran out."""
    what = {
        "compute": f"compute budget exhausted: the program computed for more than {limit_ms:g} ms",
        "wall": f"wall-clock budget exhausted: the run took longer than {limit_ms:g} ms",
    }[budget]
    return RunFailure(kind="timeout", message=what, budget=budget)


def out_of_memory() -> RunFailure:
    """The program's memory ran out."""
    return RunFailure(
        kind="memory-limit",
        message="the program ran out of memory: keep less at once, for example by handling items "
        "in batches",
    )
