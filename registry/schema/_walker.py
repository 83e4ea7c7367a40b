"""What is used of a ``jsonschema`` validator, and the shape of a keyword's function."""

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from jsonschema import ValidationError


class Walker(Protocol):
    """What is used of a ``jsonschema`` validator."""

    def descend(
        self,
        instance: object,
        schema: object,
        path: str | int | None = None,
        schema_path: str | int | None = None,
    ) -> Iterable[ValidationError]:
        """The errors of ``instance`` under ``schema``."""
        ...


Errors = Iterator[ValidationError]
Apply = Callable[[Walker, object, object, dict[str, object]], Errors]


def holds(walker: Walker, instance: object, schema: object) -> bool:
    """Whether ``instance`` has no error under ``schema``."""
    return next(iter(walker.descend(instance, schema)), None) is None
