"""What a run may use."""

from dataclasses import dataclass, fields
from typing import Final

from .errors import InvalidRequestError

MEBIBYTE: Final = 1 << 20
LARGEST_MEMORY_BYTES: Final = 4096 * MEBIBYTE - 65536  # a 32-bit memory, less its last page
SMALLEST_MEMORY_BYTES: Final = 8 * MEBIBYTE  # the engine, its stack and some room
LARGEST_BYTES: Final = 1 << 30
LARGEST_MS: Final = 2**31 - 1
LARGEST_COUNT: Final = 2**31 - 1
LARGEST_PENDING: Final = 50_000  # call ids have 16 bits of slot


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of a run. Each is checked inside the guest, on the host, or both.

    Raises:
        InvalidRequestError: a value is not a number, not positive, or out of its range.
    """

    compute_ms: float = 60_000
    """CPU time inside the guest; waiting for a call costs nothing. Then: ``timeout``."""
    wall_ms: float = 600_000
    """Time from start to end, whatever the program does, less what ``RunRequest.pause`` held. Then:
    ``timeout``."""
    memory_bytes: int = 128 * MEBIBYTE
    """The guest's whole memory, engine and stack included. The program can catch the first error;
    uncaught: ``memory-limit``."""
    log_bytes: int = 64 * 1024
    """The program's log entries as JSON. Then one marker entry, and the rest is dropped; the run goes
    on. Notes of the runtime's own add at most 4 KiB."""
    value_bytes: int = 8 * MEBIBYTE
    """The completion value as JSON. Then: ``output-limit``."""
    source_bytes: int = 1 * MEBIBYTE
    """The program's text, UTF-8. Then: ``exception``, before anything runs."""
    calls: int = 100_000
    """Calls in the whole run; a further one rejects."""
    pending_calls: int = 10_000
    """Calls without an answer at one time; a further one rejects."""
    argument_bytes: int = 1 * MEBIBYTE
    """One call's argument as JSON; a larger one rejects the call. Four times as much may be in flight."""
    result_bytes: int = 64 * MEBIBYTE
    """One binding's result as JSON; a larger one rejects the call."""
    timers: int = 10_000
    """Timers pending at one time; a further one throws."""
    depth: int = 1_200
    """Nesting of any JSON that crosses; deeper rejects the call, or: ``invalid-output``."""
    drain_ms: float = 100
    """How long the end of a run waits for cancelled bindings; one that goes on is left behind."""

    def __post_init__(self) -> None:
        ranges: dict[str, tuple[float, float]] = {
            "memory_bytes": (SMALLEST_MEMORY_BYTES, LARGEST_MEMORY_BYTES),
            "log_bytes": (256, LARGEST_BYTES),
            "pending_calls": (1, LARGEST_PENDING),
            "depth": (1, 2_000),
            "drain_ms": (0, LARGEST_MS),
        }
        for item in fields(self):
            value: object = getattr(self, item.name)
            is_time = item.name.endswith("_ms")
            kinds = (int, float) if is_time else (int,)
            if isinstance(value, bool) or not isinstance(value, kinds):
                wanted = "a number" if is_time else "a whole number"
                raise InvalidRequestError(f"{item.name} must be {wanted}, not {value!r}")
            default = (1e-3, LARGEST_MS) if is_time else (1, LARGEST_BYTES)
            least, most = ranges.get(item.name, default)
            if not least <= value <= most:  # also false for NaN
                raise InvalidRequestError(
                    f"{item.name} must be between {least:g} and {most:g}, not {value!r}"
                )
