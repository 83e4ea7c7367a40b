"""Arguments read by a pydantic model: its schema for the model, its validation for the call."""

import difflib
import json
from typing import Any, Final

from pydantic import BaseModel, ValidationError
from pydantic.errors import PydanticUserError
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import ErrorDetails

from ..runtime import JsonValue
from ._json import copy_json
from .errors import RegistrationError, ToolArgsError

MOST_VIOLATIONS: Final = 20
LONGEST_MESSAGE: Final = 300
_LONGEST_WHOLE: Final = 1e21  # from here on JavaScript writes an exponent


class PlainJsonSchema(GenerateJsonSchema):
    """Without titles: they repeat the names, and every token counts."""

    ignored_warning_kinds: Final = {"skipped-choice", "non-serializable-default"}  # pyright: ignore[reportIncompatibleVariableOverride]

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def generate(self, schema: Any, mode: Any = "validation") -> JsonSchemaValue:
        made = super().generate(schema, mode)
        for each in (made, *made.get("$defs", {}).values()):
            each.pop("title", None)
        return made


class ArgumentModel:
    """A pydantic model as a tool's parameters."""

    __slots__ = ("_model", "_names", "schema")

    def __init__(self, tool: str, model: type[BaseModel]) -> None:
        self._model = model
        try:
            made = copy_json(model.model_json_schema(schema_generator=PlainJsonSchema))
        except (PydanticUserError, ValueError) as error:
            raise RegistrationError(
                f'tool "{tool}": no JSON Schema of its parameters: {error}'
            ) from error
        assert isinstance(made, dict)
        made.pop("description", None)
        self.schema: Final = made
        properties = made.get("properties")
        self._names = list(properties) if isinstance(properties, dict) else []

    def read(self, arguments: JsonValue) -> BaseModel:
        """The arguments as the model, by the rules of JSON: nothing is read from a text but what JSON
        has no form for (dates, bytes, paths).

        Raises:
            ToolArgsError: they break it.
        """
        if not isinstance(arguments, dict):
            raise ToolArgsError(['"arguments" must be an object'])
        try:
            text = json.dumps(_whole_numbers(arguments))
        except ValueError as error:  # an integer of thousands of digits
            raise ToolArgsError([f'"arguments" cannot be read: {error}']) from None
        except RecursionError:
            raise ToolArgsError(['"arguments" is nested too deeply']) from None
        try:
            return self._model.__pydantic_validator__.validate_json(text, strict=True)
        except ValidationError as error:
            faults = error.errors(include_url=False, include_context=False)
            violations = [self._violation(fault) for fault in faults[:MOST_VIOLATIONS]]
            if len(faults) > MOST_VIOLATIONS:
                violations.append(f"and {len(faults) - MOST_VIOLATIONS} more")
            raise ToolArgsError(violations) from None

    def violations(self, arguments: JsonValue) -> list[str]:
        """Every fault of the arguments."""
        try:
            self.read(arguments)
        except ToolArgsError as error:
            return list(error.violations)
        return []

    def _violation(self, fault: ErrorDetails) -> str:
        path = _path(fault["loc"])
        kind, given = fault["type"], fault.get("input")
        if kind == "missing":
            return f'missing required property "{path}"'
        if kind == "extra_forbidden":
            near = difflib.get_close_matches(path, self._names, n=1)
            return f'"{path}" is not a parameter{f"; did you mean {near[0]!r}?" if near else ""}'
        message = fault["msg"][:LONGEST_MESSAGE].replace("Input should be", "must be", 1)
        message = message[:1].lower() + message[1:]
        hint = ""
        if isinstance(given, str) and kind.endswith("_type") and given.lstrip()[:1] in ("[", "{"):
            hint = "; pass the value itself, not its JSON text"
        elif kind.endswith("_type"):
            hint = f", got {_kind(given)}"
        return f'"{path or "arguments"}" {message}{hint}'


def _whole_numbers(value: JsonValue) -> JsonValue:
    """Whole floats as integers: JSON does not tell ``5.0`` from ``5``, and a program's numbers beyond
    ±(2^53-1) arrive as floats."""
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < _LONGEST_WHOLE else value
    if isinstance(value, dict):
        return {name: _whole_numbers(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_whole_numbers(item) for item in value]
    return value


def _path(steps: tuple[int | str, ...]) -> str:
    path = ""
    for step in steps:
        if isinstance(step, int):
            path += f"[{step}]"
        else:
            path += f".{step}" if path else step
    return path[:LONGEST_MESSAGE]


def _kind(value: object) -> str:
    names: dict[type[object], str] = {
        bool: "a boolean", int: "a number", float: "a number", str: "a string",
        list: "an array", dict: "an object", type(None): "null",
    }  # fmt: skip
    return names.get(type(value), type(value).__name__)
