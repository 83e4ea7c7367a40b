"""A registered tool: its definition, checked, with its schemas compiled."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, cast

from ..runtime import JsonValue
from ..runtime.errors import describe
from ._json import NotJsonError, copy_json, copy_known
from ._signals import contain
from .errors import RegistrationError
from .schema import compile_schema
from .types import RUN_CODE_NAME, DefinesTool, ToolDefinition

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .schema import SchemaChecker

LONGEST_NAME: Final = 256


class Entry:
    """One registered tool."""

    __slots__ = (
        "_arguments",
        "_output",
        "definition",
        "is_run_code",
        "output",
        "parameters",
        "warnings",
    )

    def __init__(self, definition: ToolDefinition, *, is_run_code: bool = False) -> None:
        """``is_run_code``: the body watches its signal and ends by itself, with a result worth more than that
        of a cancelled task; and its value is JSON that nobody else holds."""
        self.definition = definition
        self.is_run_code = is_run_code
        # as they were at registration: what the prompt shows is what is validated
        self.parameters = cast("dict[str, JsonValue]", copy_json(definition.parameters))
        self.output = None if definition.output is None else copy_json(definition.output)
        self._arguments: SchemaChecker | None = None
        self._output: SchemaChecker | None = None
        warnings: list[str] = []
        if definition.validate_arguments and definition.check_arguments is None:
            self._arguments = compile_schema(self.parameters)
            warnings += [f"parameters: {text}" for text in self._arguments.warnings]
        if definition.output is not None:
            self._output = compile_schema(self.output)
            warnings += [f"output: {text}" for text in self._output.warnings]
        self.warnings = tuple(warnings)

    def argument_violations(self, arguments: JsonValue) -> "Sequence[str]":
        """Every fault of the arguments, also for a tool whose body finds them by itself."""
        check = self.definition.check_arguments
        if check is not None:
            return check(copy_known(arguments))
        return () if self._arguments is None else self._arguments.check(arguments)

    def output_violations(self, value: JsonValue) -> "Sequence[str]":
        return () if self._output is None else self._output.check(value, root="value")

    def is_concurrency_safe(self, arguments: JsonValue) -> bool:
        """Whether the body may overlap with others. Anything but a plain yes is a no."""
        safe = self.definition.concurrency_safe
        if callable(safe):
            try:
                return (
                    not self.argument_violations(arguments) and safe(copy_known(arguments)) is True
                )
            except BaseException as error:  # whatever the tool's own code does is a no  # noqa: BLE001
                contain(error)
                return False
        return safe is True


def make_entry(tool: ToolDefinition | DefinesTool) -> Entry:
    """The tool, ready to be called.

    Raises:
        RegistrationError: the definition is wrong; the text has the tool's name and the reason.
    """
    definition = tool if isinstance(tool, ToolDefinition) else getattr(tool, "definition", None)
    if not isinstance(definition, ToolDefinition):
        kind = type(tool).__name__
        raise RegistrationError(
            f"a {kind} is not a tool: register a ToolDefinition, or a function decorated with @tool"
        )
    check_definition(definition)
    return Entry(definition)


def check_definition(definition: ToolDefinition) -> None:
    """Looks at every field.

    Raises:
        RegistrationError: the definition is wrong; the text has the tool's name and the reason.
    """
    _check_name(definition.name)
    problem = _problem(definition)
    if problem is not None:
        raise RegistrationError(f'tool "{definition.name}": {problem}')


def _check_name(name: object) -> None:
    if not isinstance(name, str) or not name:
        raise RegistrationError(f"a tool's name is a text that is not empty, not {name!r:.80}")
    if len(name) > LONGEST_NAME:
        raise RegistrationError(
            f'tool "{name[:80]}…": the name has more than {LONGEST_NAME} characters'
        )
    if not name.isprintable() or name != name.strip():
        raise RegistrationError(f"tool {name!r}: the name has control characters or outer spaces")
    if name == RUN_CODE_NAME:
        raise RegistrationError(
            f'tool name "{RUN_CODE_NAME}" is reserved for the Code Mode presentation transport '
            "and cannot be registered or shadowed"
        )


def _problem(definition: ToolDefinition) -> str | None:
    given: Mapping[str, object] = {
        field: getattr(definition, field) for field in definition.__dataclass_fields__
    }
    if not isinstance(given["description"], str):
        return "the description is not a text"
    if not callable(given["execute"]):
        return "execute is not a function"
    for field in ("check_arguments", "present_call", "present_result"):
        if given[field] is not None and not callable(given[field]):
            return f"{field} is not a function"
    for field in ("validate_arguments", "strict_output"):
        if not isinstance(given[field], bool):
            return f"{field} is not a bool"
    if not isinstance(given["concurrency_safe"], bool) and not callable(given["concurrency_safe"]):
        return "concurrency_safe is neither a bool nor a function"
    timeout = given["timeout_ms"]
    if timeout is not None and not _is_positive(timeout):
        return f"timeout_ms must be a positive finite number, not {_short(timeout)}"
    return _schema_problem("parameters", given["parameters"], root="object") or (
        _schema_problem("output", given["output"]) if given["output"] is not None else None
    )


def _is_positive(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value) and value > 0
    except OverflowError:
        return False


def _short(value: object) -> str:
    if isinstance(value, int) and value.bit_length() > 64:
        return "one of that size"  # Python refuses to write very long ones
    return repr(value)[:40]


def _schema_problem(which: str, schema: object, root: str | None = None) -> str | None:
    if not isinstance(schema, Mapping):
        return f"{which} is not a JSON Schema object, but {type(schema).__name__}"
    try:
        copy_json(cast("object", schema), which)
    except NotJsonError as error:
        return f"{which} is not JSON: {error}"
    except Exception as error:  # noqa: BLE001  # a mapping of somebody's own making
        return f"{which} cannot be read: {describe(error)}"
    kind = cast("Mapping[str, object]", schema).get("type")
    if root is not None and kind is not None and kind != root:
        return f'{which}.type must be "{root}", not {kind!r:.40}: arguments are passed by name'
    return None
