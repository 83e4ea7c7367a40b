"""References inside one schema document. Nothing is ever fetched: what is not in it is not found."""

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote, urldefrag, urljoin

from ._keywords import BadKeyword
from ._text import as_dict, as_list, elements, entries, kind, quoted

if TYPE_CHECKING:
    from ._graph import Node


@dataclass(slots=True)
class Pending:
    """A reference that was met: where, which keyword, its text, and the base URI there."""

    node: "Node"
    word: str
    text: str
    base: str


@dataclass(slots=True)
class Target:
    """What a reference leads to: the part of the source document, and the base URI there."""

    source: object
    base: str


class References:
    """The document's resources and anchors, and the references to resolve against them."""

    def __init__(self, root: object, draft: int) -> None:
        self._id = "id" if draft == 4 else "$id"
        self._draft = draft
        self._resources: dict[str, object] = {"": root}
        self._anchors: dict[tuple[str, str], object] = {}
        self._dynamic: dict[str, int] = {}
        self._recursive = 0
        self._pending: list[Pending] = []

    def enter(self, source: object, words: dict[str, object], base: str) -> str:
        """Notes the names this schema object declares; gives the base URI inside it."""
        declared = words.get(self._id)
        if type(declared) is str and not (self._draft <= 7 and "$ref" in words):
            uri, fragment = _join(base, declared)
            if uri != base or not fragment:
                base = uri
                self._resources.setdefault(uri, source)
            if fragment and self._draft <= 7:
                self._anchors.setdefault((base, fragment), source)
        for word in ("$anchor", "$dynamicAnchor"):
            name = words.get(word)
            if type(name) is str and self._draft >= 2019:
                self._anchors.setdefault((base, name), source)
                if word == "$dynamicAnchor":
                    self._dynamic[name] = self._dynamic.get(name, 0) + 1
        self._recursive += words.get("$recursiveAnchor") is True
        return base

    def add(self, node: "Node", word: str, value: object, base: str) -> None:
        """Notes a reference; raises :class:`BadKeyword` if it is no text."""
        newer = {"$ref": 0, "$recursiveRef": 2019, "$dynamicRef": 2020}[word]
        if self._draft < newer or (word == "$recursiveRef" and self._draft > 2019):
            return
        if type(value) is not str:
            raise BadKeyword(f"must be a string, not {kind(value)}")
        self._pending.append(Pending(node, word, value, base))

    def take(self) -> list[Pending]:
        """The references noted since the last call."""
        taken, self._pending = self._pending, []
        return taken

    def resolve(self, pending: Pending) -> Target | str:
        """The target in this document, or the reason why there is none."""
        uri, fragment = _join(pending.base, pending.text)
        if pending.word == "$dynamicRef" and self._dynamic.get(fragment, 0) > 1:
            return f"{quoted(pending.text)} depends on the way that leads to it"
        if pending.word == "$recursiveRef" and self._recursive > 1:
            return "depends on the way that leads to it"
        if uri not in self._resources:
            return f"{quoted(pending.text)} is outside this schema"
        found = self._resources[uri]
        if fragment.startswith("/"):
            try:
                return Target(_walk(found, fragment), uri)
            except LookupError:
                return f"{quoted(pending.text)} does not exist"
        if fragment:
            if (uri, fragment) not in self._anchors:
                return f"{quoted(pending.text)} does not exist"
            found = self._anchors[uri, fragment]
        return Target(found, uri)


def _join(base: str, text: str) -> tuple[str, str]:
    """``text`` against ``base``, as the URI and the decoded fragment."""
    if text.startswith("#"):
        return base, unquote(text[1:])
    try:
        uri, fragment = urldefrag(urljoin(base, text) if base else text)
    except ValueError:  # no URI: found nowhere
        return f"?{text}", ""
    return uri, unquote(fragment)


def _walk(found: object, pointer: str) -> object:
    """The part of ``found`` at the JSON pointer (RFC 6901); raises LookupError."""
    for step in pointer.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        if (members := as_dict(found) or entries(found)) is not None:
            found = members[key]
        elif (
            (items := as_list(found) or elements(found)) is not None
            and key.isdecimal()
            and len(key) < 8
        ):
            found = items[int(key)]
        else:
            raise LookupError
    return found
