"""Runs the steps on the connection that it is given. Alembic loads this file by itself."""

from alembic import context

from codemode.service.store._tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transaction_per_migration=False,
)
context.run_migrations()
