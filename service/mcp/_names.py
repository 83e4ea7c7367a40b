"""Names of tools: ``<server>__<tool>``.

- The prefix is always there, so a name does not depend on how many servers there are or which of them
  are up. A prefix holds no ``__`` and ends in no ``_``: a full name splits in one way.
- ``exact`` (the default) keeps the tool's own spelling: programs reach any name by ``tools["odd name"]``,
  and nothing is merged. ``safe`` is for models that are given native definitions and want
  ``[a-zA-Z0-9_-]{1,64}``: what is not so is rewritten, with a digest of the exact name at its end.
- A name with invisible, control or unpaired characters is refused, in both: it can pass for another.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, TypeAlias

from ._describe import McpServer

NameStyle: TypeAlias = Literal["exact", "safe"]

LONGEST_EXACT: Final = 256  # the registry's limit
LONGEST_SAFE: Final = 64
_SAFE: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_UNSAFE: Final = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST_PREFIX: Final = 32
_SHORTEST_MARK: Final = 8


def _digest(text: str, length: int) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:length]


def _plain(name: str) -> str:
    made = re.sub(r"_{2,}", "_", _UNSAFE.sub("_", name)).rstrip("_")[:_LONGEST_PREFIX].rstrip("_")
    return made or "server"


def prefixes(servers: Sequence[McpServer]) -> dict[str, str]:
    """Each server's prefix by the server's name.

    A name that is a prefix as it stands is kept; one that had to be rewritten into the name of another
    configured server, or into the same as another, gets a digest of itself.
    """
    plain = {server.name: _plain(server.name) for server in servers}
    counts: dict[str, int] = {}
    for made in plain.values():
        counts[made] = counts.get(made, 0) + 1
    found: dict[str, str] = {}
    for server in servers:
        name, made = server.name, plain[server.name]
        if server.prefix is not None:
            found[name] = server.prefix
        elif made == name or counts[made] == 1:
            found[name] = f"{made}__"
        else:
            found[name] = f"{made}-{_digest(name, 6)}__"
    return found


def check_prefixes(made: Mapping[str, str], style: NameStyle) -> None:
    """Two servers under one prefix would take each other's names.

    Raises:
        ValueError: names both servers and the prefix.
    """
    known: dict[str, str] = {}
    for name, prefix in made.items():
        in_names = prefix
        if style == "safe":  # as it is written in a name that is rewritten
            in_names = _UNSAFE.sub("_", prefix)[: LONGEST_SAFE - 1 - _SHORTEST_MARK]
        other = known.setdefault(in_names, name)
        if other != name:
            raise ValueError(
                f'servers "{other}" and "{name}" have the same prefix "{prefix}": their tools\' names collide'
            )


def name_problem(name: object) -> str | None:
    """Why a tool of this name is refused; None for a good one."""
    if not isinstance(name, str):
        return "its name is not a text"
    if not name:
        return "its name is empty"
    try:
        name.encode()
    except UnicodeEncodeError:
        return "its name holds half of a character (an unpaired surrogate)"
    if not name.isprintable() or name != name.strip():
        return "its name holds control or invisible characters, or outer spaces"
    return None


def full_names(
    prefix: str, names: Iterable[str], style: NameStyle
) -> tuple[dict[str, str], dict[str, str]]:
    """The full name of each of a server's tools, and why others have none."""
    given = list(dict.fromkeys(names))
    found: dict[str, str] = {}
    refused: dict[str, str] = {}
    if style == "exact":
        for name in given:
            if len(prefix) + len(name) > LONGEST_EXACT:
                refused[name] = (
                    f"with its server's its name has more than {LONGEST_EXACT} characters"
                )
            else:
                found[name] = prefix + name
        return found, refused
    taken = set[str]()
    odd: list[str] = []
    for name in given:
        if _SAFE.fullmatch(prefix + name):
            found[name] = prefix + name
            taken.add(prefix + name)
        else:
            odd.append(name)
    for name in sorted(odd):  # not in the list's order: a server may change that
        for length in range(_SHORTEST_MARK, 65, 8):
            mark = f"_{_digest(name, length)}"
            made = _UNSAFE.sub("_", prefix + name)[: LONGEST_SAFE - len(mark)] + mark
            if made not in taken and len(made) <= LONGEST_SAFE:
                found[name] = made
                taken.add(made)
                break
        else:
            refused[name] = "no name is left for it"
    return found, refused
