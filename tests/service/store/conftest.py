"""The store on SQLite, and on a PostgreSQL server that CODEMODE_TEST_POSTGRES names (``.ci/run`` starts one)."""

import os
from collections.abc import Generator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

POSTGRES = os.environ.get("CODEMODE_TEST_POSTGRES")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(params=["sqlite", "postgres"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[str]:
    """A store that is not there yet."""
    if request.param == "sqlite":
        yield str(tmp_path / "deep" / "er" / "runs.sqlite")
        return
    if POSTGRES is None:
        pytest.skip("CODEMODE_TEST_POSTGRES names no server")
    engine = create_engine(
        POSTGRES.replace("postgresql://", "postgresql+psycopg://"), isolation_level="AUTOCOMMIT"
    )
    name = f"codemode_{os.getpid()}_{abs(hash(request.node.nodeid)) % 10**8}"
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    try:
        yield POSTGRES.rsplit("/", 1)[0] + f"/{name}"
    finally:
        with engine.connect() as connection:
            connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
        engine.dispose()
