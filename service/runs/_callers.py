"""From a bearer token to a caller, with the store's tokens kept for a moment."""

import asyncio
import logging
from typing import Final

from pydantic import ValidationError

from ..store import Store, TokenRecord, hash_token, now_ms
from .grants import PERMISSIONS, Caller, Grants

_log = logging.getLogger("codemode.service")

FRESH_S: Final = 1.0
"""How long the tokens are used without looking again: a revoked one opens nothing after that."""
FRESH_FOR_STRANGERS_S: Final = 0.1
"""The same for a token that is not known: who tries many makes the store read ten times a second."""

NOBODY_IN_PARTICULAR: Final = Caller(
    token="local", name="local", owner="local", grants=Grants(may=PERMISSIONS)
)
"""Who calls where there are no tokens: a person on this machine."""


class Callers:
    """The tokens of one service."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._by_hash: dict[str, tuple[TokenRecord, Caller]] = {}
        self._are_needed = (
            False  # once they are, they stay so: a store that was emptied opens no door
        )
        self._read_at = -FRESH_S
        self._reading = asyncio.Lock()

    async def refresh(self, fresh_s: float = FRESH_S) -> None:
        """Reads the tokens again, unless that was a moment ago.

        Raises:
            StoreUnavailableError: they cannot be read. Nobody is let in on what was known before.
        """
        loop = asyncio.get_running_loop()
        if loop.time() - self._read_at < fresh_s:
            return
        async with self._reading:
            if loop.time() - self._read_at < fresh_s:
                return
            began = loop.time()
            self._by_hash = {
                each.hash: (each, _caller(each)) for each in await self._store.tokens()
            }
            self._are_needed = self._are_needed or bool(self._by_hash)
            self._read_at = began

    async def are_needed(self) -> bool:
        """Whether there are tokens, also such as are not valid: then nothing answers without one."""
        await self.refresh()
        return self._are_needed

    async def of(self, secret: str | None) -> Caller | None:
        """Whose token this is; without any tokens, the person on this machine."""
        await self.refresh()
        if not self._are_needed:
            return NOBODY_IN_PARTICULAR
        if secret is None:
            return None
        number = hash_token(secret)
        if number not in self._by_hash:  # it may have been made in this moment
            await self.refresh(FRESH_FOR_STRANGERS_S)
        found = self._by_hash.get(number)
        return found[1] if found is not None and found[0].is_valid(now_ms()) else None

    def is_valid(self, caller: Caller) -> bool:
        """Whether the caller's token is valid still, as far as is known."""
        if caller is NOBODY_IN_PARTICULAR:
            return not self._are_needed
        return any(
            record.id == caller.token and record.is_valid(now_ms())
            for record, _ in self._by_hash.values()
        )


def _caller(record: TokenRecord) -> Caller:
    try:
        grants = Grants.model_validate_json(record.grants)
    except ValidationError:  # another codemode's: what is not understood grants nothing
        _log.warning("the token %s has grants that are not understood, and may nothing", record.id)
        grants = Grants(may=(), tools=())
    return Caller(
        token=record.id,
        name=record.name,
        owner=record.owner,
        grants=grants,
    )
