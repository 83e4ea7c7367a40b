"""``registry.tool``: decorating a function registers it."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, overload

from .function import FunctionTool, tool

if TYPE_CHECKING:
    from ..runtime import JsonValue
    from ._handle import Registration
    from .presentation import ToolCallView, ToolResultView
    from .types import DefinesTool, JsonSchema, PresentedResult, ToolDefinition

P = ParamSpec("P")
R = TypeVar("R")


class Decorating(ABC):
    """What a scope is to functions that become its tools."""

    @abstractmethod
    def register(self, tool: "ToolDefinition | DefinesTool") -> "Registration": ...

    @overload
    def tool(self, function: Callable[P, R], /) -> FunctionTool[P, R]: ...

    @overload
    def tool(
        self,
        /,
        *,
        name: str | None = None,
        description: str | None = None,
        output: "JsonSchema | None" = None,
        strict_output: bool = False,
        timeout_ms: float | None = None,
        concurrency_safe: "bool | Callable[[JsonValue], bool]" = False,
        in_thread: bool = True,
        present_call: "Callable[[Any], ToolCallView | None] | None" = None,
        present_result: "Callable[[Any, PresentedResult], ToolResultView | None] | None" = None,
    ) -> Callable[[Callable[P, R]], FunctionTool[P, R]]: ...

    def tool(self, function: Callable[P, R] | None = None, /, **options: Any) -> Any:
        """Decorates a function with ``codemode.registry.tool`` and registers it here.

        Raises:
            RegistrationError: no tool can be made of it, or its name is taken.
        """

        def make(function: Callable[P, R]) -> FunctionTool[P, R]:
            made: FunctionTool[P, R] = tool(**options)(function)
            self.register(made)
            return made

        return make if function is None else make(function)
