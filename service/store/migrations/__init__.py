"""Alembic's environment and the steps from one version of the store to the next."""
