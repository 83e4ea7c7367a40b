"""The eraser by itself, the oracle, and whole programs in the shipped guest."""

from collections.abc import Callable, Sequence

import anyio
import pytest

from codemode.runtime import Limits, QuickJSRuntime, RunRequest, RunResult

from .oracle.eraser import Eraser, Unavailable
from .oracle.node import install_tools

RunAll = Callable[[Sequence[str]], list[RunResult]]


@pytest.fixture(scope="session")
def eraser() -> Eraser:
    try:
        return Eraser()
    except Unavailable as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="session")
def typescript() -> None:
    """TypeScript and acorn for the oracle; the test skips where they cannot be installed."""
    try:
        install_tools()
    except Unavailable as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="session")
def run_all() -> RunAll:
    """Runs programs one after another in the shipped guest."""

    def run_all(programs: Sequence[str]) -> list[RunResult]:
        async def main() -> list[RunResult]:
            limits = Limits(compute_ms=20_000, wall_ms=30_000)
            async with QuickJSRuntime(limits=limits, workers=1) as runtime:
                return [await runtime.run(RunRequest(program=text)) for text in programs]

        return anyio.run(main)

    return run_all
