"""Ids that sort by their time of birth and cannot be guessed."""

import secrets
import time
from typing import Final

_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's: nothing looks like another
_RANDOM_BITS: Final = 80
_CHARACTERS: Final = 26  # 128 bits, of which the first 48 are milliseconds since 1970


def new_id(prefix: str) -> str:
    """``run_01jdkw…``: a ULID in lower case behind the prefix."""
    number = time.time_ns() // 1_000_000 << _RANDOM_BITS | secrets.randbits(_RANDOM_BITS)
    characters = [_ALPHABET[number >> 5 * place & 31] for place in range(_CHARACTERS)]
    return f"{prefix}_{''.join(reversed(characters))}"
