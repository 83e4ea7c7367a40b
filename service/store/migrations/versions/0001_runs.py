"""Runs with their events and approvals, and tokens."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "runs",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("token", sa.String(32), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("error_kind", sa.String(16)),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
        sa.Column("ended_ms", sa.BigInteger),
        sa.Column("request", sa.Text, nullable=False),
        sa.Column("outcome", sa.Text),
        sa.Column("idempotency_key", sa.String(64)),
        sa.Column("request_hash", sa.String(64), nullable=False),
        sa.Column("stored_bytes", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_runs"),
        sa.UniqueConstraint("owner", "idempotency_key", name="uq_runs_owner_idempotency_key"),
    )
    op.create_index("ix_runs_owner_id", "runs", ["owner", "id"])
    op.create_index("ix_runs_state", "runs", ["state"])
    op.create_index("ix_runs_ended_ms", "runs", ["ended_ms"])
    op.create_table(
        "events",
        sa.Column("run_id", sa.String(32), nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("data", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("run_id", "seq", name="pk_events"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "approvals",
        sa.Column("id", sa.String(96), nullable=False),
        sa.Column("run_id", sa.String(32), nullable=False),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("asked_ms", sa.BigInteger, nullable=False),
        sa.Column("decided_ms", sa.BigInteger),
        sa.Column("decided_by", sa.String(64)),
        sa.Column("data", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_approvals"),
    )
    op.create_index("ix_approvals_owner_state", "approvals", ["owner", "state"])
    op.create_index("ix_approvals_run_id", "approvals", ["run_id"])
    op.create_table(
        "tokens",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
        sa.Column("expires_ms", sa.BigInteger),
        sa.Column("revoked_ms", sa.BigInteger),
        sa.Column("grants", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_tokens"),
        sa.UniqueConstraint("hash", name="uq_tokens_hash"),
    )
