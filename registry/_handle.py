"""What a registration gives back: the way to undo it."""

from collections.abc import Callable

from ._closing import Closing


class Registration(Closing):
    """A tool, listener or restriction in its place, until it is closed or its scope is.

    Closing twice is harmless. As a context manager it closes itself at the end of the block.
    ``warnings`` says what of a tool's schema is not understood, and so not checked.
    """

    __slots__ = ("_undo", "warnings")

    def __init__(self, undo: Callable[[], object], warnings: tuple[str, ...] = ()) -> None:
        self._undo: Callable[[], object] | None = undo
        self.warnings = warnings

    @property
    def is_closed(self) -> bool:
        return self._undo is None

    def close(self) -> None:
        """Takes back what was registered. Calls that have begun go on."""
        undo, self._undo = self._undo, None
        if undo is not None:
            undo()
