"""Tokens as the command line makes and revokes them: beside a service that runs, or without one."""

import hashlib
import secrets
from collections.abc import Generator
from contextlib import contextmanager

from sqlalchemy import insert, update

from ._database import Database, open_database
from ._ids import new_id
from ._reads import read_tokens
from ._store import now_ms
from ._tables import tokens
from .errors import StoreError
from .records import TokenRecord, row_of

PREFIX = "cm_"


def hash_token(secret: str) -> str:
    """What the store keeps of a token. It has 256 random bits, so one round of SHA-256 is enough."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


class TokenBook:
    """The tokens of a store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def new(
        self, name: str, *, grants: str, owner: str | None = None, expires_ms: int | None = None
    ) -> tuple[TokenRecord, str]:
        """Makes a token; gives its record and its text, which is kept nowhere.

        Without an ``owner`` it has its own id as owner: nobody else sees its runs.
        """
        secret = PREFIX + secrets.token_urlsafe(32)
        token_id = new_id("tok")
        record = TokenRecord(
            id=token_id,
            name=name,
            owner=owner or token_id,
            hash=hash_token(secret),
            created_ms=now_ms(),
            expires_ms=expires_ms,
            revoked_ms=None,
            grants=grants,
        )
        with self._database.writer.begin() as connection:
            connection.execute(insert(tokens), [row_of(record)])
        return record, secret

    def all(self) -> list[TokenRecord]:
        """Every token, the oldest first."""
        with self._database.readers.connect() as connection:
            return read_tokens(connection)

    def revoke(self, named: str) -> list[TokenRecord]:
        """Revokes the token with this id, or all with this name; gives them.

        Raises:
            StoreError: there is none that is not revoked.
        """
        found = [t for t in self.all() if named in (t.id, t.name) and t.revoked_ms is None]
        if not found:
            raise StoreError(
                f"there is no token {named!r} that is not revoked: see codemode token list"
            )
        with self._database.writer.begin() as connection:
            connection.execute(
                update(tokens)
                .where(tokens.c.id.in_([token.id for token in found]))
                .values(revoked_ms=now_ms())
            )
        return found


@contextmanager
def open_tokens(where: str) -> Generator[TokenBook]:
    """The tokens of the store at ``where``; see ``open_store``.

    Raises:
        StoreUnavailableError, StoreVersionError: it cannot be opened.
    """
    database = open_database(where)
    try:
        yield TokenBook(database)
    finally:
        database.close()
