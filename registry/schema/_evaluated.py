"""What ``unevaluatedProperties`` and ``unevaluatedItems`` leave out: 2020-12 core, section 11."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

from ._budget import current
from ._text import as_dict
from ._walker import Walker, holds

if TYPE_CHECKING:
    from ._patterns import Pattern


def evaluated_properties(
    walker: Walker, schema: dict[str, object], members: dict[object, object]
) -> set[object]:
    """The names in ``members`` that a keyword beside or under ``schema``'s own has looked at."""
    done: set[object] = set()
    for node in _applied(walker, schema, members):
        current().spend(1 + len(members) // 8)
        if "additionalProperties" in node or (
            "unevaluatedProperties" in node and node is not schema
        ):
            return set(members)
        done.update(members.keys() & cast("dict[str, object]", node.get("properties", {})).keys())
        for pattern, _ in cast(
            "tuple[tuple[Pattern, object], ...]", node.get("patternProperties", ())
        ):
            done.update(n for n in members if type(n) is str and current().search(pattern, n))
    return done


def evaluated_items(walker: Walker, schema: dict[str, object], items: list[object]) -> set[int]:
    """The indices in ``items`` that a keyword beside or under ``schema``'s own has looked at."""
    done: set[int] = set()
    for node in _applied(walker, schema, items):
        current().spend(1 + len(items) // 8)
        if "items" in node or ("unevaluatedItems" in node and node is not schema):
            return set(range(len(items)))
        done.update(range(len(cast("tuple[object, ...]", node.get("prefixItems", ())))))
        if "contains" in node:
            sub = node["contains"]
            done.update(i for i, item in enumerate(items) if holds(walker, item, sub))
    return done


def _applied(
    walker: Walker, schema: dict[str, object], instance: object
) -> Iterable[dict[str, object]]:
    """``schema`` and every schema that applies to the same value and that the value satisfies."""
    work = [schema]
    while work:
        node = work.pop()
        yield node
        subs: list[object] = []
        for word in ("allOf", "anyOf", "oneOf"):
            subs.extend(cast("tuple[object, ...]", node.get(word, ())))
        if "$ref" in node:
            subs.append(node["$ref"])
        if "if" in node:
            if holds(walker, instance, node["if"]):
                subs.append(node["if"])
                subs.append(node.get("then"))
            else:
                subs.append(node.get("else"))
        depends = cast("dict[str, object]", node.get("dependentSchemas", {}))
        members = as_dict(instance) or {}
        subs.extend(sub for name, sub in depends.items() if name in members)
        nodes = [cast("dict[str, object]", sub) for sub in subs if isinstance(sub, dict)]
        work.extend(sub for sub in nodes if holds(walker, instance, sub))
