"""The order in which a model is shown its tools."""

from collections.abc import Iterable, Sequence

from .errors import PromptError, RegistrationError
from .types import ToolSchema

REST = "<unlisted-tools>"


def utf16(text: str) -> bytes:
    """Sorts texts as JavaScript does, by UTF-16 code units."""
    return text.encode("utf-16-be", "surrogatepass")


class ToolOrder:
    """A configured order, or the order of names."""

    def __init__(self, names: Sequence[str] | None) -> None:
        """
        Raises:
            RegistrationError: no rest marker, more than one, or a name twice.
        """
        if names is not None:
            if isinstance(names, str) or not all(isinstance(name, str) for name in names):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise RegistrationError("tool_order is a list of tool names")
            if list(names).count(REST) != 1:
                raise RegistrationError(
                    f'tool_order must have "{REST}" exactly once: it stands for all other tools'
                )
            twice = sorted({name for name in names if list(names).count(name) > 1})
            if twice:
                raise RegistrationError(f"tool_order has {', '.join(map(repr, twice))} twice")
        self._names = None if names is None else list(names)

    def sort(self, schemas: Iterable[ToolSchema], known: Iterable[str]) -> list[ToolSchema]:
        """The schemas in order. A listed tool that is known and not there (restricted away) is no fault.

        Raises:
            PromptError: the order lists a tool that nobody knows, or two schemas have one name.
        """
        by_name: dict[str, ToolSchema] = {}
        for schema in sorted(schemas, key=lambda schema: utf16(schema.name)):
            if schema.name in by_name:
                raise PromptError(f'two providers of tools both give "{schema.name}"')
            by_name[schema.name] = schema
        if self._names is None:
            return list(by_name.values())
        universe = {*known, *by_name}
        for name in self._names:
            if name != REST and name not in universe:
                names = ", ".join(sorted(universe, key=utf16)) or "(none)"
                raise PromptError(
                    f'toolOrder lists unregistered tool "{name}"; known tools: {names}'
                )
        listed = set(self._names)
        rest = [schema for name, schema in by_name.items() if name not in listed]
        ordered: list[ToolSchema] = []
        for name in self._names:
            ordered += rest if name == REST else [by_name[name]] if name in by_name else []
        return ordered
