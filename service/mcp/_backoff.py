"""How long to wait before the next attempt to reach a server."""

from dataclasses import dataclass
from random import Random


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """Exponential, with jitter: the n-th wait is ``initial_ms * factor**n``, at most ``max_ms``, less up
    to ``jitter`` of it (a share, 0 to 1). After ``attempts`` failures in a row a server is left alone until
    a call needs it. A connection that held for ``reset_after_ms`` starts the count anew.
    """

    initial_ms: float = 250
    factor: float = 2
    max_ms: float = 30_000
    jitter: float = 0.25
    attempts: int = 8
    reset_after_ms: float = 10_000

    def delay_ms(self, failures: int, rng: Random) -> float | None:
        """The wait after so many failures in a row (1 or more), None if there is to be no attempt."""
        if failures > self.attempts:
            return None
        whole = min(self.max_ms, self.initial_ms * self.factor ** min(failures - 1, 64))
        return whole * (1 - self.jitter * rng.random())
