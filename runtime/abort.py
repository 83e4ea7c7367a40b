"""A signal that ends a run from outside, after the web's AbortController."""

from collections.abc import Callable

__all__ = ["AbortController", "AbortSignal"]


class AbortSignal:
    """The reading end: whether and why the run is to stop. Not thread-safe: use it on the loop's thread."""

    __slots__ = ("_aborted", "_listeners", "_reason")

    def __init__(self) -> None:
        self._aborted = False
        self._reason = ""
        self._listeners: dict[object, Callable[[], None]] = {}

    @property
    def aborted(self) -> bool:
        return self._aborted

    @property
    def reason(self) -> str:
        """Why; empty while not aborted."""
        return self._reason

    def add_listener(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Calls ``listener`` once when the signal fires (at once, if it has); returns the way to undo it."""
        if self._aborted:
            listener()
            return lambda: None
        key = object()
        self._listeners[key] = listener
        return lambda: self._listeners.pop(key, None) and None

    def _fire(self, reason: str) -> None:
        if self._aborted:
            return
        self._aborted, self._reason = True, reason
        listeners = list(self._listeners.values())
        self._listeners.clear()
        for listener in listeners:
            listener()


class AbortController:
    """The writing end."""

    __slots__ = ("signal",)

    def __init__(self) -> None:
        self.signal = AbortSignal()

    def abort(self, reason: str = "aborted") -> None:
        """Fires the signal. A second call changes nothing. Call it on the event loop's thread."""
        self.signal._fire(reason)  # pyright: ignore[reportPrivateUsage]  # the pair is one thing
