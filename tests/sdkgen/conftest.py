"""The compiler, and other people's schemas where they are at hand."""

import os
from pathlib import Path

import pytest

from erase.oracle.eraser import Unavailable

from .compiler import Compiler


@pytest.fixture(scope="session")
def typescript() -> Compiler:
    try:
        return Compiler()
    except Unavailable as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of schemas and cases that is not part of the project."""
    beside = Path(__file__).parents[3] / "shared"
    folder = Path(os.environ.get("CODEMODE_SHARED", beside))
    if not (folder / "json_schema").is_dir():
        pytest.skip(f"no schemas to test with: {folder} is not here (set CODEMODE_SHARED)")
    return folder
