"""``define_tool``: a tool from a parameter spec or a pydantic model, checked when it is written."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

from pydantic import BaseModel

from ..runtime import JsonValue
from ._entry import check_definition
from ._models import ArgumentModel
from .errors import RegistrationError
from .schema import SchemaSpec, check_schema_spec, schema_spec_to_json_schema, validate_args
from .types import JsonSchema, PresentedResult, ToolDefinition

if TYPE_CHECKING:
    from .context import ExecContext
    from .presentation import ToolCallView, ToolResultView

M = TypeVar("M", bound=BaseModel)


@overload
def define_tool(
    *,
    name: str,
    parameters: SchemaSpec,
    execute: "Callable[[dict[str, Any], ExecContext], Awaitable[object] | object]",
    description: str = "",
    output: JsonSchema | None = None,
    strict_output: bool = False,
    timeout_ms: float | None = None,
    concurrency_safe: bool | Callable[[JsonValue], bool] = False,
    present_call: "Callable[[Any], ToolCallView | None] | None" = None,
    present_result: "Callable[[Any, PresentedResult], ToolResultView | None] | None" = None,
) -> ToolDefinition: ...


@overload
def define_tool(
    *,
    name: str,
    parameters: type[M],
    execute: "Callable[[M, ExecContext], Awaitable[object] | object]",
    description: str = "",
    output: JsonSchema | None = None,
    strict_output: bool = False,
    timeout_ms: float | None = None,
    concurrency_safe: bool | Callable[[JsonValue], bool] = False,
    present_call: "Callable[[Any], ToolCallView | None] | None" = None,
    present_result: "Callable[[Any, PresentedResult], ToolResultView | None] | None" = None,
) -> ToolDefinition: ...


def define_tool(
    *,
    name: str,
    parameters: SchemaSpec | type[BaseModel],
    execute: "Callable[[Any, ExecContext], Awaitable[object] | object]",
    description: str = "",
    output: JsonSchema | None = None,
    strict_output: bool = False,
    timeout_ms: float | None = None,
    concurrency_safe: bool | Callable[[JsonValue], bool] = False,
    present_call: "Callable[[Any], ToolCallView | None] | None" = None,
    present_result: "Callable[[Any, PresentedResult], ToolResultView | None] | None" = None,
) -> ToolDefinition:
    """A tool whose arguments are checked before ``execute`` sees them.

    ``parameters`` is a spec (``{"path": {"type": "string", "required": True}}``) or a pydantic model;
    ``execute(args, exec)`` gets the dict, or the model. Arguments that break it fail the call as
    ``INVALID_ARGS``, with every fault named. The other fields are those of ``ToolDefinition``.

    Raises:
        RegistrationError: the definition is wrong; the text has the tool's name and the reason.
    """
    common: dict[str, Any] = {
        "name": name,
        "description": description,
        "output": output,
        "strict_output": strict_output,
        "timeout_ms": timeout_ms,
        "concurrency_safe": concurrency_safe,
        "present_call": present_call,
        "present_result": present_result,
    }
    if isinstance(parameters, Mapping):
        definition = _from_spec(parameters, execute, common)
    elif isinstance(parameters, type) and issubclass(parameters, BaseModel):  # pyright: ignore[reportUnnecessaryIsInstance]
        definition = _from_model(parameters, execute, common)
    else:
        kind = type(parameters).__name__
        raise RegistrationError(
            f'tool "{name}": parameters is a spec or a pydantic model, not {kind}'
        )
    check_definition(definition)
    return definition


def _from_spec(
    spec: SchemaSpec, execute: Callable[..., Any], common: dict[str, Any]
) -> ToolDefinition:
    try:
        check_schema_spec(spec)
    except RegistrationError as error:
        raise RegistrationError(f'tool "{common["name"]}": {error}') from error
    return ToolDefinition(
        **common,
        execute=execute,
        parameters=cast("JsonSchema", schema_spec_to_json_schema(spec)),
        check_arguments=lambda arguments: validate_args(spec, arguments),
    )


def _from_model(
    model: type[BaseModel], execute: Callable[..., Any], common: dict[str, Any]
) -> ToolDefinition:
    arguments = ArgumentModel(common["name"], model)

    def run(args: JsonValue, exec: "ExecContext") -> Any:
        return execute(arguments.read(args), exec)

    return ToolDefinition(
        **common,
        execute=run,
        parameters=arguments.schema,
        validate_arguments=False,  # the body does it, once; the check is for those who ask before
        check_arguments=arguments.violations,
    )
