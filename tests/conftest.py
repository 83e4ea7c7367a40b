"""What every test of a running program uses, a fresh runtime and ``run``; and the files' order."""

from collections.abc import AsyncIterator

import pytest

from codemode.runtime import (
    Binding,
    BindingNamespace,
    JsonValue,
    Limits,
    QuickJSRuntime,
    RunRequest,
    RunResult,
)
from support import Run, ValueOf


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The files with slow tests first, so that short ones are left for the end of each worker."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
async def runtime(anyio_backend: str) -> AsyncIterator[QuickJSRuntime]:
    """A runtime with patient limits; it is closed, and with it every run, when the test ends."""
    limits = Limits(compute_ms=20_000, wall_ms=30_000)
    async with QuickJSRuntime(limits=limits, max_runs=100) as runtime:
        yield runtime


@pytest.fixture
def run(runtime: QuickJSRuntime) -> Run:
    async def run(program: str, *, limits: Limits | None = None, **functions: Binding) -> RunResult:
        space = BindingNamespace(name="tools", functions=functions)
        return await runtime.run(RunRequest(program=program, bindings=[space], limits=limits))

    return run


@pytest.fixture
def value_of(run: Run) -> ValueOf:
    async def value_of(program: str, **functions: Binding) -> JsonValue:
        result = await run(program, limits=None, **functions)
        assert result.error is None, result.error.message
        return result.value

    return value_of
