"""Which texts of a server's description are secrets, and in which forms they may come back."""

import base64
import json
import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from ._describe import HttpServer, McpServer, StdioServer

SHORTEST: Final = 6  # of a value that may be a mode or a number, and of whatever goes from results
SHORTEST_SECRET: Final = 4
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SECRET_WORDS: Final = frozenset((
    "ACCESSKEY", "APIKEYS", "AUTH", "AUTHKEY", "AUTHORIZATION", "BEARER", "COOKIE", "COOKIES", "CREDS", "DSN", "JWT",
    "KEY", "KEYS", "PASS", "PASSWORDS", "PAT", "PRIVATEKEY", "PWD", "SECRETKEY", "SECRETS", "TOKENS",
))  # fmt: skip
_SECRET_ENDS: Final = (  # PGPASSWORD
    "PASSWORD", "PASSWD", "PASSPHRASE", "SECRET", "TOKEN", "APIKEY", "CREDENTIAL", "CREDENTIALS"
)  # fmt: skip
_FOLDERS: Final = ("PWD", "OLDPWD")
_PLAIN_WORDS: Final = frozenset(
    ["true", "false", "none", "null", "undefined", "on", "off", "yes", "no", "enabled", "disabled"]
)
_SMALL_NUMBER: Final = re.compile(r"[+-]?[0-9]{1,8}(\.[0-9]{1,8})?")
_SCHEMES: Final = ("bearer", "basic", "digest", "token")
_OPEN_HEADERS: Final = frozenset(
    ["accept", "accept-encoding", "accept-language", "cache-control", "content-type", "user-agent"]
)
_BREAKS: Final = re.compile(r"\\r|\\n")  # of a text that was written into one line
_FRAME: Final = re.compile(r"-{3,}\s*(BEGIN|END)\b.*")
_NAMED: Final = re.compile(r"-{0,2}([A-Za-z][\w.-]*)\s*[=:]\s*(?!//)(\S.*)", re.DOTALL)
_PORT: Final = re.compile(r"[0-9]{1,5}[/?#]")
_PLACE_END: Final = re.compile(r"[/?#]")
_QUERY: Final = re.compile(r"^[^?#]*[?#]?")
_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,30}://([^\s\"<>]*)")


class Given(NamedTuple):
    """``plain`` goes from messages alone, ``strong`` from results, too."""

    plain: list[str]
    strong: list[str]


def says_so(name: str) -> bool:
    """Whether a variable or an option of this name holds a secret, by its words."""
    words = [word.upper() for word in _WORD.findall(name)]
    if name.upper() in _FOLDERS:
        return False
    return any(word in _SECRET_WORDS or word.endswith(_SECRET_ENDS) for word in words)


def is_hideable(text: str, shortest: int) -> bool:
    """Whether hiding the text hides a secret, and not every other word."""
    return len(text) >= shortest and text.lower() not in _PLAIN_WORDS


def is_telling(text: str) -> bool:
    """Whether the text may be taken out of data, where a wrong guess spoils a value."""
    return is_hideable(text, SHORTEST) and _SMALL_NUMBER.fullmatch(text) is None


def forms(values: Iterable[str]) -> set[str]:
    """The values, the lines of those that have many, and what encodings make of them."""
    found = set[str]()
    for value in values:
        for text in (value, *_lines(value)):
            found.update((text, unquote(text)))
            found.update((quote(text, safe="", errors="replace"), quote(text, errors="replace")))
            found.update((json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]))
            found.update((repr(text)[1:-1], ascii(text)[1:-1]))
            found.add(base64.b64encode(text.encode("utf-8", "replace")).decode())
    return found


def given_by(server: McpServer) -> Given:
    """What the description itself holds."""
    return _of_process(server) if isinstance(server, StdioServer) else _of_url(server)


def _lines(value: str) -> Iterator[str]:
    parts = [part.strip() for line in value.splitlines() for part in _BREAKS.split(line)]
    if len(parts) > 1:
        for part in parts:
            if is_telling(part) and _FRAME.fullmatch(part) is None:
                yield part


def _spoken(value: str) -> list[str]:
    """``Bearer abc``: also ``abc`` alone."""
    words = value.split()
    return [value, *(words[1:] if words and words[0].lower() in _SCHEMES else ())]


def _of_process(server: StdioServer) -> Given:
    plain = [value for value in server.env.values() if len(value) >= SHORTEST]
    strong: list[str] = []
    for key, value in server.env.items():
        if says_so(key):
            strong.extend(_spoken(value))
    before = ""
    for (
        argument
    ) in server.args:  # --api-key=abc, -e API_KEY=abc, "Authorization: abc", --api-key abc
        named = _NAMED.fullmatch(argument)
        if named is not None and says_so(named[1]):
            strong.extend(_spoken(named[2].strip()))
        elif _is_option(before) and not argument.startswith("--"):
            strong.extend(_spoken(argument))
        before = argument
    for text in (*server.args, *server.env.values()):
        for found in _URL.finditer(text):
            rest: str = found[1]
            place = _PLACE_END.split(rest)[0]
            user = (place if "@" in place else rest).rpartition("@")[0]  # "/" in a password
            plain.extend((*_of_user(user), *_of_query(_QUERY.split(rest, 1)[-1])))
    return Given(plain, strong)


def _is_option(argument: str) -> bool:
    return argument.startswith("-") and "=" not in argument and says_so(argument)


def _of_url(server: HttpServer) -> Given:
    plain: list[str] = []
    strong: list[str] = []
    for key, value in server.headers.items():
        (plain if key.lower() in _OPEN_HEADERS else strong).extend(_spoken(value))
    parts = urlsplit(server.url)
    strong.extend(_of_user(parts.netloc.rpartition("@")[0]))
    strong.extend(value for _, value in parse_qsl(parts.query))
    strong.append(parts.query)
    return Given(plain, strong)


def _of_user(text: str) -> list[str]:
    """The user and password of a URL. A user alone is what lets in; a path's ``@`` has no user before it."""
    user, has_password, password = text.partition(":")
    if "/" in user or _PORT.match(password):
        return []
    both = f"{unquote(user)}:{unquote(password)}"
    if not has_password:
        return [user]
    return [text, both, password or user]


def _of_query(text: str) -> list[str]:
    values = (value for _, value in parse_qsl(text))
    return [value for value in (text, *values) if len(value) >= SHORTEST]
