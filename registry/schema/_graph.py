"""The nodes of a cleaned schema, and the cuts that keep every check of one value finite and small."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final, TypeAlias, cast

from ._keywords import MANY, NAMED, ONE

Path: TypeAlias = "tuple[Path, object] | None"
"""A place in the schema, last key outermost; None is the root."""
Plain: TypeAlias = bool | dict[str, object]
"""A finished schema: a node's keywords, with such dicts for the nodes in them. May have rings."""

MAX_WEIGHT: Final = 2_000
"""The most schemas that may have to be read for one value, references followed."""
MAX_HEIGHT: Final = 24
"""The longest chain of schemas that apply to the same value."""

NEVER: Final[dict[str, object]] = {"never": True}
"""The finished form of the schema ``false``, but under the keywords of ``CLOSING``."""
CLOSING: Final = ("additionalProperties", "unevaluatedProperties")
SUBSCHEMAS: Final = frozenset(("$ref", *ONE, *MANY, *NAMED))

_ONE = ("$ref", "not", "if", "then", "else")
_MANY = ("allOf", "anyOf", "oneOf")


@dataclass(slots=True, eq=False)
class Node:
    """One schema object: ``keywords`` in the checker's form; ``$ref`` is the node referred to."""

    path: Path
    keywords: dict[str, object] = field(default_factory=dict[str, object])
    lost: set[str] = field(default_factory=set[str])
    tainted: bool = False  # something was left out, so it accepts more than its author meant


Schema: TypeAlias = bool | Node
Drop: TypeAlias = Callable[[Node, str, str], None]
"""Leaves a keyword out of a node, for a reason."""


def inplace(node: Node) -> list[tuple[str, Node]]:
    """The schemas that apply to the same value as ``node``, with the keyword they stand under."""
    words = node.keywords
    found: list[tuple[str, object]] = [(word, words[word]) for word in _ONE if word in words]
    for word in _MANY:
        found.extend((word, sub) for sub in cast("tuple[object, ...]", words.get(word, ())))
    depends = cast("dict[str, object]", words.get("dependentSchemas", {}))
    found.extend(("dependentSchemas", sub) for sub in depends.values())
    return [(word, sub) for word, sub in found if isinstance(sub, Node)]


def subschemas(node: Node) -> Iterable[tuple[str, Node]]:
    """All schemas directly under ``node``, with their keyword; references included."""
    for word, value in node.keywords.items():
        if isinstance(value, Node):
            yield word, value
        elif isinstance(value, dict):
            for sub in cast("dict[str, object]", value).values():
                if isinstance(sub, Node):
                    yield word, sub
        elif isinstance(value, tuple):
            for sub in cast("tuple[object, ...]", value):
                if isinstance(sub, tuple):  # patternProperties
                    sub = cast("tuple[object, ...]", sub)[-1]
                if isinstance(sub, Node):
                    yield word, sub


def limit_inplace(nodes: Iterable[Node], drop: Drop) -> None:
    """Cuts rings of schemas that apply to the same value, and what grows without measure.

    2020-12 core, section 9.4.1, forbids such rings; a doubling chain is legal, and as deadly.
    """
    size: dict[Node, tuple[int, int]] = {}  # weight and height; (0, 0) while the node is open
    for start in nodes:
        if start in size:
            continue
        size[start] = (0, 0)
        stack = [(start, iter(inplace(start)))]
        while stack:
            node, rest = stack[-1]
            for word, sub in rest:
                known = size.get(sub)
                if known is None:
                    size[sub] = (0, 0)
                    stack.append((sub, iter(inplace(sub))))
                    break
                if known == (0, 0) and word in node.keywords:
                    drop(node, word, "leads back to itself without end")
            else:
                stack.pop()
                size[node] = _measure(node, size, drop)


def _measure(node: Node, size: dict[Node, tuple[int, int]], drop: Drop) -> tuple[int, int]:
    weight, height = 1, 1
    under: dict[str, list[Node]] = {}
    for word, sub in inplace(node):
        under.setdefault(word, []).append(sub)
    for word, subs in under.items():
        more = sum(size[sub][0] for sub in subs)
        higher = max(size[sub][1] for sub in subs) + 1
        if weight + more > MAX_WEIGHT or higher > MAX_HEIGHT:
            drop(node, word, "too many schemas apply to the same value")
        else:
            weight, height = weight + more, max(height, higher)
    return weight, height


def drop_taint(nodes: list[Node], drop: Drop) -> None:
    """Leaves out what would refuse good values because a schema under it lost a part.

    ``not``, ``oneOf``, ``if``, ``maxContains`` and ``unevaluated…`` refuse more when a schema under
    them accepts more.
    """
    parents: dict[Node, list[Node]] = {}
    for node in nodes:
        for _, sub in subschemas(node):
            parents.setdefault(sub, []).append(node)
    work = [node for node in nodes if node.tainted]
    while work:
        for parent in parents.get(work.pop(), ()):
            if not parent.tainted:
                parent.tainted = True
                work.append(parent)
    for node in nodes:
        if not node.tainted:
            continue
        fragile = {"not", "oneOf", "if"}
        if "maxContains" in node.keywords:
            fragile.add("contains")
        hit = {word for word, sub in subschemas(node) if word in fragile and sub.tainted}
        hit |= {"unevaluatedItems", "unevaluatedProperties"} & node.keywords.keys()
        for word in sorted(hit):
            drop(node, word, "leans on a part that was left out")


def plain(root: Schema, nodes: Iterable[Node]) -> Plain:
    """The finished form of ``root``; the nodes' keyword dicts are changed in place."""

    for node in nodes:
        for word, value in node.keywords.items():
            if word in SUBSCHEMAS:
                node.keywords[word] = _finished(word, value)
    return root if isinstance(root, bool) else root.keywords


def _finished(word: str, value: object) -> object:
    if isinstance(value, Node):
        return value.keywords
    if isinstance(value, dict):
        return {name: _finished("", sub) for name, sub in cast("dict[str, object]", value).items()}
    if word == "patternProperties":
        pairs = cast("tuple[tuple[object, object], ...]", value)
        return tuple((pattern, _finished("", sub)) for pattern, sub in pairs)
    if isinstance(value, tuple):
        return tuple(_finished("", sub) for sub in cast("tuple[object, ...]", value))
    return NEVER if value is False and word not in CLOSING else value
