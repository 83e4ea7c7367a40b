"""The host's side of ``wasm/abi.h``: records to the guest, frames from it.

Everything from the guest is rebuilt field by field: a frame of an unknown kind, a length that does not
fit, text that is not UTF-8 is a :class:`ProtocolError`, which fails the run and nothing else. A test
compares the numbers here with the header.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from struct import Struct
from struct import error as StructError
from typing import TYPE_CHECKING, Final, TypeAlias

from .types import BindingNamespace, LogEntry, LogLevel, LogSource

if TYPE_CHECKING:
    from .limits import Limits
    from .types import Binding

ABI_VERSION: Final = 2


class Op(IntEnum):
    START = 1
    SETTLE = 2
    TIMERS = 3
    RESERVE = 4


class State(IntEnum):
    WAITING = 1
    DONE = 2
    RESERVED = 3
    REFUSED = 4


class Frame(IntEnum):
    CALL = 1
    LOG = 2
    RESULT = 3
    ERROR = 4


class Fault(IntEnum):
    EXCEPTION = 0
    INVALID_OUTPUT = 1
    OUTPUT_LIMIT = 2
    MEMORY = 3
    STALLED = 4
    REFUSED = 5


class Settle(IntEnum):
    VALUE = 0
    UNDEFINED = 1
    ERROR = 2


OUT_OF_MEMORY_FLAG: Final = 1
SOURCES: Final[tuple[LogSource, ...]] = ("console", "runtime")
LEVELS: Final[tuple[LogLevel, ...]] = ("log", "info", "warn", "error", "debug")

# struct exchange. The host writes the first part of it before a turn and reads the whole after it.
EXCHANGE: Final = Struct("<4I3d6I")
TO_GUEST: Final = Struct("<4I2d")  # version, op, inbox_length, outbox_length, wall_ms, elapsed_ms
CLOCK: Final = Struct("<2d")
CLOCK_OFFSET: Final = 16

_FRAME_HEAD: Final = Struct("<II")
_CALL_HEAD: Final = Struct("<II")
_SETTLE_HEAD: Final = Struct("<III")
_LENGTH: Final = Struct("<I")


class ProtocolError(Exception):
    """The guest wrote something that is not in the contract."""


@dataclass(frozen=True, slots=True)
class Call:
    """A CALL frame: the guest's id, the function's index in the start record, the argument's JSON."""

    id: int
    function: int
    argument: bytes


@dataclass(frozen=True, slots=True)
class Outcome:
    """A RESULT frame; None: undefined."""

    value: bytes | None


@dataclass(frozen=True, slots=True)
class Failure:
    """An ERROR frame."""

    fault: Fault
    name: str
    message: str
    stack: str


Message: TypeAlias = Call | LogEntry | Outcome | Failure


def encode_text(text: str) -> bytes:
    """UTF-8; half a surrogate pair keeps its three bytes."""
    return text.encode("utf-8", "surrogatepass")


def decode_text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        try:
            return data.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            raise ProtocolError(f"text that is not UTF-8 at byte {error.start}") from None


def _text(text: str) -> bytes:
    data = encode_text(text)
    return _LENGTH.pack(len(data)) + data


def members(space: BindingNamespace) -> list[tuple[str, "Binding"]]:
    """The functions and helpers of a namespace, in the order of the start record."""
    return [*space.functions.items(), *space.helpers.items()]


def start_record(
    *, seed: int, limits: "Limits", namespaces: Sequence[BindingNamespace], program: bytes
) -> bytes:
    parts = [
        Struct("<Q7I").pack(
            seed & 0xFFFF_FFFF_FFFF_FFFF,
            limits.log_bytes,
            limits.value_bytes,
            limits.argument_bytes,
            limits.calls,
            limits.pending_calls,
            limits.timers,
            limits.depth,
        ),
        _FRAME_HEAD.pack(len(namespaces), sum(len(members(space)) for space in namespaces)),
    ]
    for space in namespaces:
        parts += [_text(space.name), _text(space.error_class.name), _text(space.error_class.member)]
        for group in (space.functions, space.helpers):
            parts.append(_LENGTH.pack(len(group)))
            parts += [_text(name) for name in group]
    parts += [_LENGTH.pack(len(program)), program]
    return b"".join(parts)


def settle_record(call_id: int, status: Settle, payload: bytes) -> bytes:
    return _SETTLE_HEAD.pack(call_id, status, len(payload)) + payload


def settled_call(record: bytes) -> int:
    """The id of the call that a settle record answers."""
    call_id, _, _ = _SETTLE_HEAD.unpack_from(record)
    return call_id


def read_frames(data: bytes) -> Iterator[Message]:
    """The messages of an outbox, in order.

    Raises:
        ProtocolError: at the first byte that is not in the contract.
    """
    at, end = 0, len(data)
    while at < end:
        if end - at < _FRAME_HEAD.size:
            raise ProtocolError("a frame without a head")
        kind, length = _FRAME_HEAD.unpack_from(data, at)
        at += _FRAME_HEAD.size
        if length > end - at:
            raise ProtocolError("a frame longer than the outbox")
        yield _message(kind, data[at : at + length])
        at += length


def _message(kind: int, body: bytes) -> Message:
    if kind == Frame.CALL:
        if len(body) < _CALL_HEAD.size:
            raise ProtocolError("a short CALL frame")
        call_id, function = _CALL_HEAD.unpack_from(body)
        return Call(call_id, function, body[_CALL_HEAD.size :])
    if kind == Frame.LOG:
        if len(body) < 2 or body[0] >= len(SOURCES) or body[1] >= len(LEVELS):
            raise ProtocolError("a LOG frame of an unknown source or level")
        return LogEntry(source=SOURCES[body[0]], level=LEVELS[body[1]], text=decode_text(body[2:]))
    if kind == Frame.RESULT:
        return Outcome(body or None)
    if kind == Frame.ERROR:
        return _failure(body)
    raise ProtocolError(f"a frame of kind {kind}")


def _failure(body: bytes) -> Failure:
    try:
        fault = Fault(body[0])
        texts: list[str] = []
        at = 1
        for _ in range(3):
            (length,) = _LENGTH.unpack_from(body, at)
            at += _LENGTH.size
            if length > len(body) - at:
                raise ProtocolError("an ERROR frame with a text that is longer than itself")
            texts.append(decode_text(body[at : at + length]))
            at += length
    except (ValueError, IndexError, StructError):
        raise ProtocolError("an ERROR frame that is none") from None
    return Failure(fault, *texts)
