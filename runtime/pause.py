"""A run's wall clock, held while a person is asked."""

from collections.abc import Callable

import anyio

__all__ = ["WallPause"]


class WallPause:
    """Holds the wall budget of one run, for at most ``most_ms`` in all; then the clock goes on.

    Give it to one :class:`RunRequest`. ``pause`` and ``resume`` may be nested, as when two calls of a
    program ask at once. Not thread-safe: use it on the event loop's thread.
    """

    __slots__ = ("_changed", "_count", "_since", "_spent", "most_ms")

    def __init__(self, most_ms: float) -> None:
        self.most_ms = most_ms
        self._count = 0
        self._since = self._spent = 0.0  # seconds
        self._changed: dict[object, Callable[[], None]] = {}

    def pause(self) -> None:
        """Stops the clock."""
        if self._count == 0:
            self._since = anyio.current_time()
        self._count += 1

    def resume(self) -> None:
        """Lets it go on, when each ``pause`` has had its ``resume``."""
        self._count -= 1
        if self._count == 0:
            self._spent += anyio.current_time() - self._since
        for listener in list(self._changed.values()):
            listener()

    @property
    def is_paused(self) -> bool:
        return self._count > 0

    @property
    def spent_s(self) -> float:
        """How long it was held until now."""
        now = anyio.current_time() - self._since if self._count else 0.0
        return min(self._spent + now, self.most_ms / 1000)

    @property
    def left_s(self) -> float:
        """How long it can still be held."""
        return self.most_ms / 1000 - self.spent_s

    @property
    def longest_s(self) -> float:
        """How long it will have been held if nothing changes."""
        return self.most_ms / 1000 if self._count else self.spent_s

    def on_resume(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Calls ``listener`` at each ``resume``; returns the way to undo it."""
        key = object()
        self._changed[key] = listener
        return lambda: self._changed.pop(key, None) and None
