"""A schema from elsewhere, made safe: a graph of nodes that hold understood, well-formed keywords only.

Everything that is not understood is left out with a warning. The walk is iterative; an object that
occurs twice becomes one node, so rings and diamonds of Python objects cost nothing.
"""

from typing import TYPE_CHECKING, Final, cast

from ._drafts import draft_of, modernise
from ._graph import Node, Plain, Schema, drop_taint, limit_inplace, plain
from ._keywords import ASSERTIONS, MANY, NAMED, ONE, BadKeyword
from ._references import References
from ._text import elements, entries, is_dict, kind, path_text, quoted

if TYPE_CHECKING:
    from ._graph import Path
    from ._patterns import Pattern

MAX_NODES: Final = 100_000
_MAX_WARNINGS = 50
# What a lost keyword takes with it, because without the lost one it would refuse good values.
_LEANS_ON: Final = {
    "properties": ("additionalProperties", "unevaluatedProperties"),
    "patternProperties": ("additionalProperties", "unevaluatedProperties"),
    "prefixItems": ("items", "unevaluatedItems"),
    "if": ("then", "else"),
}
_DEFINITIONS = ("$defs", "definitions")


def clean(schema: object) -> tuple[Plain, tuple[str, ...]]:
    """The safe form of ``schema`` and one warning for each part left out. Never raises."""
    try:
        return _Cleaner(schema).run()
    except Exception as error:  # noqa: BLE001  # keys whose own comparison raises, and the like
        return True, (f"the schema cannot be read ({type(error).__name__}); not checked here",)


class _Cleaner:
    def __init__(self, schema: object) -> None:
        self._root = schema
        self._draft, warning = draft_of(schema)
        self._warnings: list[str] = [] if warning is None else [warning]
        self._more = 0
        self._nodes: dict[int, Node] = {}
        self._work: list[tuple[object, Node, str]] = []
        self._references = References(schema, self._draft)

    def run(self) -> tuple[Plain, tuple[str, ...]]:
        root = self._schema(self._root, None, "")
        if root is None:
            self._warn(None, f"the schema is {kind(self._root)}, not an object; not checked here")
            return True, tuple(self._warnings)
        while self._work:
            self._drain()
            self._link()
        nodes = list(self._nodes.values())
        limit_inplace(nodes, self._drop)
        drop_taint(nodes, self._drop)
        if self._more:
            self._warnings.append(f"and {self._more} more warnings")
        return plain(root, nodes), tuple(self._warnings)

    def _warn(self, path: "Path", text: str) -> None:
        if len(self._warnings) >= _MAX_WARNINGS:
            self._more += 1
            return
        self._warnings.append(f"{_render(path)}: {text}" if path is not None else text)

    def _drop(self, node: Node, keyword: str, reason: str) -> None:
        """Leaves ``keyword`` out of ``node``, with a warning, and what leans on it."""
        node.keywords.pop(keyword, None)
        for other in _LEANS_ON.get(keyword, ()):
            node.lost.add(other)
            node.keywords.pop(other, None)
        node.tainted = True
        self._warn((node.path, keyword), f"{reason}; not checked here")

    def _schema(self, source: object, path: "Path", base: str) -> Schema | None:
        """The node of this schema, to be filled by the walk; None if it is no schema."""
        if type(source) is bool:
            return source
        if not is_dict(source):
            return None
        known = self._nodes.get(id(source))
        if known is not None:
            return known
        if len(self._nodes) >= MAX_NODES:
            self._warn(path, f"the schema has over {MAX_NODES} parts; not checked here")
            return True
        node = Node(path)
        self._nodes[id(source)] = node
        self._work.append((source, node, base))
        return node

    def _drain(self) -> None:
        while self._work:
            source, node, base = self._work.pop()
            words = entries(source) or {}
            base = self._references.enter(source, words, base)
            for word in _DEFINITIONS:
                for name, sub in (entries(words.get(word)) or {}).items():
                    self._schema(sub, ((node.path, word), name), base)
            for word, value in modernise(words, self._draft).items():
                self._keyword(node, word, value, base)
            for word in node.lost:
                node.keywords.pop(word, None)

    def _keyword(self, node: Node, word: str, value: object, base: str) -> None:
        try:
            if word in ASSERTIONS:
                node.keywords[word] = ASSERTIONS[word](value)
            elif word in ONE:
                node.keywords[word] = self._one(value, (node.path, word), base)
            elif word in MANY:
                self._many(node, word, value, base)
            elif word in NAMED:
                self._named(node, word, value, base)
            elif word in ("$ref", "$dynamicRef", "$recursiveRef"):
                self._references.add(node, word, value, base)
        except BadKeyword as bad:
            self._drop(node, word, str(bad))

    def _one(self, value: object, path: "Path", base: str) -> Schema:
        sub = self._schema(value, path, base)
        if sub is None:
            raise BadKeyword(f"must be a schema, not {kind(value)}")
        return sub

    def _many(self, node: Node, word: str, value: object, base: str) -> None:
        members = elements(value)
        if not members:
            raise BadKeyword("must be a list of schemas that is not empty")
        found: list[Schema] = []
        for index, member in enumerate(members):
            path = ((node.path, word), index)
            sub = self._schema(member, path, base)
            if sub is None:
                node.tainted = True
                self._warn(path, f"must be a schema, not {kind(member)}; not checked here")
                if word == "oneOf":
                    raise BadKeyword("has a member that is no schema")
            found.append(True if sub is None else sub)
        node.keywords[word] = tuple(found)

    def _named(self, node: Node, word: str, value: object, base: str) -> None:
        members = entries(value)
        if members is None:
            raise BadKeyword(f"must be an object, not {kind(value)}")
        found: dict[str, Schema] = {}
        patterns: list[tuple[Pattern, Schema]] = []
        for name, member in members.items():
            path = ((node.path, word), name)
            sub = self._schema(member, path, base)
            if sub is None:
                node.tainted = True
                self._warn(path, f"must be a schema, not {kind(member)}; not checked here")
                sub = True
            found[name] = sub
            if word == "patternProperties":
                pattern = cast("Pattern", ASSERTIONS["pattern"](name))
                patterns.append((pattern, sub))
        node.keywords[word] = tuple(patterns) if word == "patternProperties" else found

    def _link(self) -> None:
        """Resolves the references met so far; a target outside the walk is walked next."""
        for pending in self._references.take():
            target = self._references.resolve(pending)
            node, word = pending.node, pending.word
            if isinstance(target, str):
                self._drop(node, word, target)
                continue
            sub = self._schema(target.source, (node.path, word), target.base)
            if sub is None:
                self._drop(node, word, f"{quoted(pending.text)} is not a schema")
            elif "$ref" not in node.keywords:
                node.keywords["$ref"] = sub
            else:
                beside = cast("tuple[Schema, ...]", node.keywords.get("allOf", ()))
                node.keywords["allOf"] = (*beside, sub)


def _render(path: "Path") -> str:
    keys: list[object] = []
    while path is not None and len(keys) < 40:
        path, key = path
        keys.append(key)
    text = path_text(reversed(keys), "the schema")
    return text if path is None else f"…{text}"
