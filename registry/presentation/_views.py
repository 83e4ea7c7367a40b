"""The cards as values. Their fields are those of DSH's ``ToolCallView`` and ``ToolResultView``.

Every class checks what it is given: ``TypeError`` for a wrong type, ``ValueError`` for a wrong value.
Lists given for tuples become tuples.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, TypeVar, cast, get_args

from ...runtime.types import JsonValue
from ..content import ContentBlock, ImageBlock, OtherBlock, TextBlock

ToolKind = Literal[
    "read",
    "edit",
    "delete",
    "move",
    "search",
    "execute",
    "think",
    "fetch",
    "switch_mode",
    "other",
]
TOOL_KINDS: Final[tuple[ToolKind, ...]] = get_args(ToolKind)
"""The kinds of tool that ACP knows."""

_T = TypeVar("_T")


def _set(view: object, name: str, value: object) -> None:
    object.__setattr__(view, name, value)


def _text(where: str, value: object) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{where} must be text, not {type(value).__name__}")


def _optional_text(where: str, value: object) -> None:
    if value is not None:
        _text(where, value)


def _whole_number(where: str, value: object) -> None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
        raise TypeError(f"{where} must be a whole number, not {type(value).__name__}")


def _items(where: str, value: object, kinds: tuple[type[_T], ...]) -> tuple[_T, ...]:
    names = " or ".join(kind.__name__ for kind in kinds)
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        kind = type(value).__name__
        raise TypeError(f"{where} must be a tuple of {names}, not {kind}")
    items = tuple(cast("Sequence[object]", value))
    for index, item in enumerate(items):
        if not isinstance(item, kinds):
            kind = type(item).__name__
            raise TypeError(f"{where}[{index}] must be a {names}, not {kind}")
    return cast("tuple[_T, ...]", items)


_BLOCKS: Final = (TextBlock, ImageBlock, OtherBlock)


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """A place that a call reads or changes; ``line`` counts from 1, and 0 stands for the file's start."""

    path: str
    line: int | None = None

    def __post_init__(self) -> None:
        _text("Location.path", self.path)
        _whole_number("Location.line", self.line)
        if self.line is not None and not 0 <= self.line < 2**32:
            raise ValueError(f"Location.line must be in 0..4294967295, not {self.line}")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileDiff:
    """A file, or a part of it, before and after; ``old_text`` is None for a new file."""

    path: str
    old_text: str | None
    new_text: str

    def __post_init__(self) -> None:
        _text("FileDiff.path", self.path)
        _optional_text("FileDiff.old_text", self.old_text)
        _text("FileDiff.new_text", self.new_text)


@dataclass(frozen=True, slots=True, kw_only=True)
class GenericCall:
    """A pending call on the default card; ``raw_input`` is what matters of its input."""

    title: str
    kind: ToolKind = "other"
    raw_input: JsonValue = None
    content: tuple[ContentBlock, ...] = ()
    locations: tuple[Location, ...] = ()
    card: Literal["generic"] = field(default="generic", init=False)

    def __post_init__(self) -> None:
        _text("GenericCall.title", self.title)
        if self.kind not in TOOL_KINDS:
            kinds = ", ".join(TOOL_KINDS)
            raise ValueError(f"GenericCall.kind must be one of {kinds}, not {self.kind!r}")
        _set(self, "content", _items("GenericCall.content", self.content, _BLOCKS))
        _set(self, "locations", _items("GenericCall.locations", self.locations, (Location,)))


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminalCall:
    """A pending shell command: ``title`` is the command, ``description`` stands above it."""

    title: str
    description: str | None = None
    cwd: str | None = None
    card: Literal["terminal"] = field(default="terminal", init=False)

    def __post_init__(self) -> None:
        _text("TerminalCall.title", self.title)
        _optional_text("TerminalCall.description", self.description)
        _optional_text("TerminalCall.cwd", self.cwd)


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffCall:
    """A pending change of files."""

    title: str
    diffs: tuple[FileDiff, ...]
    locations: tuple[Location, ...] = ()
    card: Literal["diff"] = field(default="diff", init=False)

    def __post_init__(self) -> None:
        _text("DiffCall.title", self.title)
        _set(self, "diffs", _items("DiffCall.diffs", self.diffs, (FileDiff,)))
        _set(self, "locations", _items("DiffCall.locations", self.locations, (Location,)))


@dataclass(frozen=True, slots=True, kw_only=True)
class GenericResult:
    """An ended call on the default card: a new title, content that replaces the result's own."""

    title: str | None = None
    content: tuple[ContentBlock, ...] | None = None
    card: Literal["generic"] = field(default="generic", init=False)

    def __post_init__(self) -> None:
        _optional_text("GenericResult.title", self.title)
        if self.content is not None:
            _set(self, "content", _items("GenericResult.content", self.content, _BLOCKS))


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminalResult:
    """An ended command: what it printed, without fences, and how it ended (a code or a signal's name)."""

    title: str | None = None
    output: str | None = None
    exit_code: int | None = None
    signal: str | None = None
    card: Literal["terminal"] = field(default="terminal", init=False)

    def __post_init__(self) -> None:
        _optional_text("TerminalResult.title", self.title)
        _optional_text("TerminalResult.output", self.output)
        _optional_text("TerminalResult.signal", self.signal)
        _whole_number("TerminalResult.exit_code", self.exit_code)


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffResult:
    """An ended change of files: the hunks applied, or whole files."""

    title: str | None = None
    diffs: tuple[FileDiff, ...]
    card: Literal["diff"] = field(default="diff", init=False)

    def __post_init__(self) -> None:
        _optional_text("DiffResult.title", self.title)
        _set(self, "diffs", _items("DiffResult.diffs", self.diffs, (FileDiff,)))


ToolCallView: TypeAlias = GenericCall | TerminalCall | DiffCall
ToolResultView: TypeAlias = GenericResult | TerminalResult | DiffResult
