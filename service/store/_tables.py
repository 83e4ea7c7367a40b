"""The tables of the store, as the newest migration leaves them."""

from typing import Final

from sqlalchemy import (
    BigInteger,
    Column,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

metadata: Final = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# Whatever people, programs and tools wrote is JSON text (`title`, `request`, `outcome`, `data`): no database agrees
# with another on NUL, half surrogates or the length of a text, and all agree on ASCII.

runs: Final = Table(
    "runs",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("owner", String(64), nullable=False),
    Column("token", String(32), nullable=False),
    Column("state", String(16), nullable=False),
    Column("error_kind", String(16)),
    Column("title", Text, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("ended_ms", BigInteger),
    Column("request", Text, nullable=False),
    Column("outcome", Text),
    Column("idempotency_key", String(64)),
    Column("request_hash", String(64), nullable=False),
    Column("stored_bytes", BigInteger, nullable=False),
    UniqueConstraint("owner", "idempotency_key"),
    Index(None, "owner", "id"),
    Index(None, "state"),
    Index(None, "ended_ms"),
)

events: Final = Table(
    "events",
    metadata,
    Column("run_id", String(32), primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("at_ms", BigInteger, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("data", Text, nullable=False),
    sqlite_with_rowid=False,
)

approvals: Final = Table(
    "approvals",
    metadata,
    Column("id", String(96), primary_key=True),
    Column("run_id", String(32), nullable=False),
    Column("owner", String(64), nullable=False),
    Column("state", String(16), nullable=False),
    Column("asked_ms", BigInteger, nullable=False),
    Column("decided_ms", BigInteger),
    Column("decided_by", String(64)),
    Column("data", Text, nullable=False),
    Index(None, "owner", "state"),
    Index(None, "run_id"),
)

tokens: Final = Table(
    "tokens",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("name", String(64), nullable=False),
    Column("owner", String(64), nullable=False),
    Column("hash", String(64), nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("expires_ms", BigInteger),
    Column("revoked_ms", BigInteger),
    Column("grants", Text, nullable=False),
    UniqueConstraint("hash"),
)
