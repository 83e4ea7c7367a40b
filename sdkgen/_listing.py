"""Names without signatures: the shortest thing that can be said of a tool."""

import re
from collections.abc import Iterable
from typing import Final

from ._names import string_literal

_LISTABLE: Final = re.compile(r"[A-Za-z0-9_$][A-Za-z0-9_$.:/-]*", re.ASCII)
_FIRST_WORD: Final = re.compile(r"[A-Za-z0-9$]+?(?:__|[_.:/-]|(?<=[a-z])(?=[A-Z]))", re.ASCII)
_SERVER: Final = re.compile(r"(.+)__|([^_.:/-]+)[.:/]|([^_.:/-]+)[_-]", re.DOTALL)
_WORDS: Final = """
add approve build cancel check clear close compute convert copy count create delete describe
disable download edit enable execute export fetch find generate get import insert invoke list load
lookup make merge move open post publish put query read remove rename replace reset restore
resolve run save search send set show start stop submit sync test update upload validate verify
view write
"""
_VERBS: Final = frozenset(_WORDS.split())
"""First words that are no server's name."""


def server_of(name: str) -> str:
    """What a name says of where the tool comes from: `git` in `mcp__git__add`, `git.add`, `git_add`, but
    nothing in `get_user`."""
    found = _SERVER.match(name)
    if found is None:
        return ""
    if found[3] is None:
        return found[1] or found[2]
    return "" if found[3].lower() in _VERBS else found[3]


def _first_word(name: str) -> str:
    """The name's first word with what parts it from the next; the whole name where there is no other."""
    server, parting, _ = name.rpartition("__")
    if parting and server:
        return f"{server}__"
    first = _FIRST_WORD.match(name)
    return first[0] if first and first.end() < len(name) else name


def list_names(names: Iterable[str]) -> list[str]:
    """Lines of names in their order, `get_{user, repo}` for `get_user` and `get_repo`."""
    groups: dict[str, list[str]] = {}
    for name in names:
        listable = _LISTABLE.fullmatch(name)
        groups.setdefault(_first_word(name) if listable else "", []).append(name)
    odd = [string_literal(name) for name in groups.pop("", [])]
    parts = [
        f"{prefix}{{{', '.join(name[len(prefix) :] for name in group)}}}"
        if len(group) > 1
        else group[0]
        for prefix, group in groups.items()
    ]
    return [f"// {', '.join([*parts, *odd])}"] if parts or odd else []
