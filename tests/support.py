"""Names that the tests share."""

from collections.abc import Coroutine
from typing import Any, Protocol

from codemode.runtime import Binding, JsonValue, Limits, RunResult


class Run(Protocol):
    """Runs a program whose ``tools`` are the keyword arguments."""

    def __call__(
        self, program: str, *, limits: Limits | None = None, **functions: Binding
    ) -> Coroutine[Any, Any, RunResult]: ...


class ValueOf(Protocol):
    """Runs a program that must succeed and gives its value."""

    def __call__(self, program: str, **functions: Binding) -> Coroutine[Any, Any, JsonValue]: ...


async def echo(argument: JsonValue) -> JsonValue:
    return argument


async def add(argument: JsonValue) -> JsonValue:
    assert isinstance(argument, dict)
    left, right = argument["a"], argument["b"]
    assert isinstance(left, int | float)
    assert isinstance(right, int | float)
    return left + right


def texts(result: RunResult) -> list[str]:
    return [entry.text for entry in result.logs]


def kind(result: RunResult) -> str | None:
    return None if result.error is None else result.error.kind


def message(result: RunResult) -> str:
    assert result.error is not None, f"succeeded with {result.value!r}"
    return result.error.message
