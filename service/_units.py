"""Quantities on the command line: ``500ms``, ``2.5s``, ``64KiB``, ``10k``."""

import re
from collections.abc import Mapping
from typing import Final

DURATIONS_MS: Final[Mapping[str, float]] = {
    "ms": 1,
    "s": 1000,
    "m": 60_000,
    "min": 60_000,
    "h": 3_600_000,
    "d": 86_400_000,
}
SIZES_BYTES: Final[Mapping[str, float]] = {
    "b": 1,
    "kb": 1000,
    "mb": 1000**2,
    "gb": 1000**3,
    "kib": 1024,
    "mib": 1024**2,
    "gib": 1024**3,
}
_QUANTITY: Final = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*")


def _parse(text: str, units: Mapping[str, float], what: str, example: str) -> float:
    match = _QUANTITY.fullmatch(text)
    factor = units.get(match[2].lower()) if match else None
    if match is None or factor is None:
        raise ValueError(
            f"{text!r} is not {what}: write a number with a unit ({', '.join(units)}), like {example}"
        )
    return float(match[1]) * factor


def parse_duration_ms(text: str) -> float:
    """Milliseconds. Raises ValueError with what to write."""
    return _parse(text, DURATIONS_MS, "a duration", "500ms or 2s")


def parse_size_bytes(text: str) -> int:
    """Bytes. Raises ValueError with what to write."""
    size = _parse(text, SIZES_BYTES, "a size", "64KiB or 128MiB")
    if size != int(size):
        raise ValueError(f"{text!r} is not a whole number of bytes")
    return int(size)
