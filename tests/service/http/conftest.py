"""The service runs on asyncio; its clock can be moved on."""

from typing import Any

import pytest

from leaping import LeapingLoop


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return "asyncio", {"loop_factory": LeapingLoop}
