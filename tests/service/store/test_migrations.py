"""The steps from one version of the store to the next lead to the tables that the code uses."""

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine

from codemode.service.store import open_tokens
from codemode.service.store._tables import metadata  # pyright: ignore[reportPrivateUsage]


def test_an_empty_store_is_brought_to_the_tables_of_the_code(where: str) -> None:
    with open_tokens(where):
        pass
    url = (
        where.replace("postgresql://", "postgresql+psycopg://")
        if "://" in where
        else f"sqlite:///{where}"
    )
    engine = create_engine(url)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    engine.dispose()
