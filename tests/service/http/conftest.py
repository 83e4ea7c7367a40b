"""The service runs on asyncio; its clock can be moved on."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from leaping import LeapingLoop

from .kit import Client, Served, served


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return "asyncio", {"loop_factory": LeapingLoop}


@pytest.fixture
async def service(tmp_path: Path) -> AsyncGenerator[Served]:
    """A service without tokens."""
    async with served(tmp_path) as service:
        yield service


@pytest.fixture
async def client(service: Served) -> AsyncGenerator[Client]:
    """The person on this machine."""
    async with service.client() as client:
        yield client
