"""What a request's headers say about the answer that its client wants."""

import math
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True)
class Preferences:
    """``Prefer`` (RFC 7240): how long a client waits for the end of its run, in seconds."""

    wait_s: float = math.inf

    @classmethod
    def parse(cls, header: str | None) -> Self:
        """What is not understood is ignored, as the RFC says."""
        wait_s, is_async = math.inf, False
        for preference in (header or "").split(","):
            whole = preference.partition(";")[0]  # parameters of a preference mean nothing here
            name, _, value = (part.strip().lower() for part in whole.partition("="))
            digits = value.strip('"')
            if name == "respond-async":
                is_async = True
            elif name == "wait" and digits.isascii() and digits.isdigit() and len(digits) < 7:
                wait_s = float(digits)
        return cls(0.0 if is_async and wait_s == math.inf else wait_s)


def wants_events(accept: str | None) -> bool:
    """Whether the client asks for server-sent events."""
    return any(
        part.partition(";")[0].strip().lower() == "text/event-stream"
        for part in (accept or "").split(",")
    )
