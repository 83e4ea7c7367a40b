"""``tool``: a typed Python function becomes a tool, and stays a function."""

import inspect
from collections.abc import Callable, Mapping
from functools import partial, update_wrapper
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Final,
    Generic,
    ParamSpec,
    TypeVar,
    get_args,
    overload,
)

import anyio.to_thread
import docstring_parser
from anyio import CapacityLimiter
from anyio.lowlevel import RunVar
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, create_model
from pydantic.errors import PydanticUserError
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined, to_jsonable_python

from ..runtime import JsonValue
from ._entry import check_definition
from ._json import copy_json
from ._models import ArgumentModel, PlainJsonSchema
from .content import ImageBlock, OtherBlock, TextBlock
from .context import ExecContext
from .errors import RegistrationError, ToolOutputError
from .types import JsonSchema, PresentedResult, ToolDefinition, ToolOutput

if TYPE_CHECKING:
    from .presentation import ToolCallView, ToolResultView

P = ParamSpec("P")
R = TypeVar("R")
_UNTYPED: Final = (inspect.Signature.empty, Any, object, str, ToolOutput)
MOST_THREADS: Final = 64
_BLOCKS: Final = (TextBlock, ImageBlock, OtherBlock, ToolOutput)


class FunctionTool(Generic[P, R]):
    """A function that is also a tool: call it as before, register it as it is."""

    def __init__(self, function: Callable[P, R], definition: ToolDefinition) -> None:
        self._function = function
        self._definition = definition
        update_wrapper(self, function)

    @property
    def definition(self) -> ToolDefinition:
        return self._definition

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self._function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<tool {self._definition.name}>"


@overload
def tool(function: Callable[P, R], /) -> FunctionTool[P, R]: ...


@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    output: JsonSchema | None = None,
    strict_output: bool = False,
    timeout_ms: float | None = None,
    concurrency_safe: bool | Callable[[JsonValue], bool] = False,
    in_thread: bool = True,
    present_call: "Callable[[Any], ToolCallView | None] | None" = None,
    present_result: "Callable[[Any, PresentedResult], ToolResultView | None] | None" = None,
) -> Callable[[Callable[P, R]], FunctionTool[P, R]]: ...


def tool(
    function: Callable[P, R] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    output: JsonSchema | None = None,
    strict_output: bool = False,
    timeout_ms: float | None = None,
    concurrency_safe: bool | Callable[[JsonValue], bool] = False,
    in_thread: bool = True,
    present_call: "Callable[[Any], ToolCallView | None] | None" = None,
    present_result: "Callable[[Any, PresentedResult], ToolResultView | None] | None" = None,
) -> FunctionTool[P, R] | Callable[[Callable[P, R]], FunctionTool[P, R]]:
    """Makes a tool of an async or plain function.

    Name, description and parameters come from its name, docstring (the ``Args`` section describes
    parameters) and annotations; arguments are validated by pydantic, by the rules of JSON. A parameter
    annotated ``ExecContext`` gets the call's. The return annotation is the output schema, except for
    ``str``, content blocks, ``ToolOutput``, ``Any`` and none at all: those give text or content.

    A plain function runs on a worker thread, so that it may block; ``in_thread=False`` runs it on the
    event loop instead. The other parameters are the fields of ``ToolDefinition``.

    Raises:
        RegistrationError: no tool can be made of it; the text has the name and the reason.
    """

    def make(function: Callable[P, R]) -> FunctionTool[P, R]:
        reading = _Function(_name_of(function) if name is None else name, function, in_thread)
        parsed = docstring_parser.parse(inspect.getdoc(_written(function)) or "")
        text = "\n\n".join(
            part for part in (parsed.short_description, parsed.long_description) if part
        )
        given, adapter = reading.output()
        reading.adapter = adapter
        definition = ToolDefinition(
            name=reading.name,
            execute=reading.execute,
            description=text if description is None else description,
            parameters=reading.arguments.schema,
            output=given if output is None else output,
            strict_output=strict_output,
            validate_arguments=False,  # the body does it, once; the check is for those who ask before
            check_arguments=reading.arguments.violations,
            timeout_ms=timeout_ms,
            concurrency_safe=concurrency_safe,
            present_call=present_call,
            present_result=present_result,
        )
        check_definition(definition)
        return FunctionTool(function, definition)

    return make if function is None else make(function)


class _Function:
    """A function read as a tool."""

    def __init__(self, name: str, function: Callable[..., Any], in_thread: bool) -> None:
        self.name = name
        self._function = function
        self.adapter: TypeAdapter[Any] | None = None
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise self._wrong("it yields: return a list instead")
        self._in_thread = in_thread and not _is_async(function)
        try:
            self._signature = inspect.signature(function, eval_str=True)
        except (NameError, TypeError, ValueError, SyntaxError, AttributeError) as error:
            raise self._wrong(f"its annotations cannot be read: {error}") from error
        self._context: str | None = None
        self._positional: list[inspect.Parameter] = []
        self._fields: dict[str, str] = {}  # the model's field to the parameter
        self._always: set[str] = set()  # fields whose default is the model's, not the function's
        self.arguments = ArgumentModel(name, self._model())

    def _wrong(self, reason: str) -> RegistrationError:
        return RegistrationError(f'tool "{self.name}": {reason}')

    def _model(self) -> type[BaseModel]:
        described = _described(self._function)
        fields: dict[str, Any] = {}
        for parameter in self._signature.parameters.values():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                raise self._wrong(f"it takes *{parameter.name}: name every parameter")
            if parameter.annotation is parameter.empty:
                raise self._wrong(f'parameter "{parameter.name}" has no type: annotate it')
            if parameter.annotation is ExecContext:
                self._context = parameter.name
            else:
                field = f"p{len(fields)}"  # a name of pydantic's own would clash
                self._fields[field] = parameter.name
                fields[field] = _field(parameter, described.get(parameter.name))
                if parameter.default is parameter.empty or isinstance(parameter.default, FieldInfo):
                    self._always.add(field)
            if parameter.kind is parameter.POSITIONAL_ONLY:
                self._positional.append(parameter)
        try:
            return create_model(
                self.name if self.name.isidentifier() else "Arguments",
                __config__=ConfigDict(extra="forbid", arbitrary_types_allowed=False),
                **fields,
            )
        except (PydanticUserError, TypeError, NameError, ValueError) as error:
            raise self._wrong(f"no schema can be made of its parameters: {error}") from error

    def output(self) -> tuple[JsonSchema | None, TypeAdapter[Any] | None]:
        annotation = self._signature.return_annotation
        if annotation in _UNTYPED or _has_blocks(annotation):
            return None, None
        try:
            adapter = TypeAdapter[Any](annotation)
            schema = copy_json(
                adapter.json_schema(mode="serialization", schema_generator=PlainJsonSchema)
            )
        except (PydanticUserError, TypeError, NameError, ValueError) as error:
            raise self._wrong(f"no schema can be made of what it returns: {error}") from error
        assert isinstance(schema, dict)
        return schema, adapter

    async def execute(self, args: JsonValue, exec: ExecContext) -> object:
        model = self.arguments.read(args)
        keyword = {
            self._fields[field]: value
            for field, value in model.__dict__.items()
            if field in model.model_fields_set or field in self._always
        }
        if self._context is not None:
            keyword[self._context] = exec
        positional = self._take_positional(keyword)
        if self._in_thread:
            result = await _in_thread(partial(self._function, *positional, **keyword))
        else:
            result = self._function(*positional, **keyword)
        if hasattr(result, "__await__"):
            result = await result
        if self.adapter is None or isinstance(result, ToolOutput):
            return result
        try:
            return self.adapter.dump_python(result, mode="json", by_alias=True, warnings=False)
        except (ValueError, TypeError) as error:
            raise ToolOutputError(f"{self.name} gave a result that is not JSON: {error}") from error

    def _take_positional(self, keyword: dict[str, Any]) -> list[Any]:
        return [keyword.pop(each.name, each.default) for each in self._positional]


def _is_async(function: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004  # an object with an async __call__
    )


def _written(function: Callable[..., Any]) -> Callable[..., Any]:
    """What somebody has written a docstring for: behind a partial, or as the call of an object."""
    while isinstance(function, partial):
        function = function.func
    if inspect.isroutine(function) or inspect.isclass(function):
        return function
    return getattr(type(function), "__call__", function)  # noqa: B004  # its docstring, not the call


def _name_of(function: Callable[..., Any]) -> str:
    name = getattr(function, "__name__", None)
    if not isinstance(name, str):
        raise RegistrationError(f"a {type(function).__name__} has no name: say @tool(name=…)")
    return name


def _described(function: Callable[..., Any]) -> Mapping[str, str]:
    parsed = docstring_parser.parse(inspect.getdoc(_written(function)) or "")
    return {each.arg_name: each.description for each in parsed.params if each.description}


def _field(parameter: inspect.Parameter, description: str | None) -> tuple[Any, FieldInfo]:
    """The model's field of one parameter. A plain default is the function's business, and the schema shows
    it where it has a JSON form; of ``= Field(...)`` everything counts."""
    default = parameter.default
    if isinstance(default, FieldInfo):
        named: dict[str, Any] = {"alias": default.alias or parameter.name}
        if description is not None and default.description is None:
            named["description"] = description
        if default.default_factory is not None:
            named["default_factory"] = default.default_factory
        elif default.default is not PydanticUndefined:
            named["default"] = default.default
        return (Annotated[parameter.annotation, default], Field(**named))
    given: dict[str, Any] = {"alias": parameter.name}
    if description is not None and not _has_description(parameter.annotation):
        given["description"] = description
    if default is not parameter.empty:
        try:
            shown = copy_json(to_jsonable_python(default))
        except ValueError:
            given["default_factory"] = lambda: None
        else:
            given["default"] = shown
    return (parameter.annotation, Field(**given))


def _has_description(annotation: Any) -> bool:
    if getattr(annotation, "__metadata__", None) is None:
        return False
    return any(isinstance(m, FieldInfo) and m.description for m in annotation.__metadata__)


def _has_blocks(annotation: Any) -> bool:
    return annotation in _BLOCKS or any(_has_blocks(each) for each in get_args(annotation))


_LIMITER = RunVar[CapacityLimiter]("codemode_tool_threads")


def _limiter() -> CapacityLimiter:
    """Threads of tools, apart from those of the application: a tool that hangs must not starve it."""
    try:
        return _LIMITER.get()
    except LookupError:
        limiter = CapacityLimiter(MOST_THREADS)
        _LIMITER.set(limiter)
        return limiter


async def _in_thread(function: Callable[[], Any]) -> Any:
    """Runs it on a worker thread, to its end. What it raises crosses as a value: some exceptions
    (``StopIteration``) cannot be set on a future, others would end the thread."""

    def contained() -> tuple[Any, BaseException | None]:
        try:
            return function(), None
        except BaseException as error:  # noqa: BLE001  # raised again on the loop
            return None, error

    result, error = await anyio.to_thread.run_sync(contained, limiter=_limiter())
    if isinstance(error, StopIteration | StopAsyncIteration):
        problem = RuntimeError(f"the function raised {type(error).__name__}")
        problem.__cause__, error = error, problem
    if error is not None:
        raise error
    return result
