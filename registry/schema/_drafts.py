"""Older drafts of JSON Schema, rewritten into the words of 2020-12, so that one checker serves all."""

from typing import Final

from ._text import as_dict, as_list, entries, quoted

_LATEST: Final = 2020
_DRAFTS: Final = {
    "json-schema.org/draft-04/schema": 4,
    "json-schema.org/draft-06/schema": 6,
    "json-schema.org/draft-07/schema": 7,
    "json-schema.org/draft/2019-09/schema": 2019,
    "json-schema.org/draft/2020-12/schema": _LATEST,
}


def draft_of(schema: object) -> tuple[int, str | None]:
    """The draft that the root's ``$schema`` declares, 2020-12 without one; and a warning, or None."""
    declared = (entries(schema) or {}).get("$schema")
    if declared is None:
        return _LATEST, None
    if type(declared) is str:
        draft = _DRAFTS.get(declared.partition("://")[2].rstrip("#/"))
        if draft is not None:
            return draft, None
    return _LATEST, f"$schema: {quoted(declared)} is not known here; read as draft 2020-12"


def modernise(node: dict[str, object], draft: int) -> dict[str, object]:
    """``node``'s own keywords in the words of 2020-12; its subschemas are left as they are.

    A boolean ``exclusiveMinimum`` (draft 4) is read as that draft means it whatever the declared
    draft, for tool schemas often carry it undeclared.
    """
    if draft <= 7 and type(node.get("$ref")) is str:
        # Before 2019-09 nothing beside `$ref` counted.
        return {"$ref": node["$ref"]}
    new = dict(node)
    for bound, strict in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if new.get(strict) is False:
            del new[strict]
        elif new.get(strict) is True and bound in new:
            new[strict] = new.pop(bound)
    if draft == 4:
        for word in ("const", "contains", "propertyNames", "if", "then", "else"):
            new.pop(word, None)
    if draft == 6:
        for word in ("if", "then", "else"):
            new.pop(word, None)
    if draft < 2019:
        for word in (
            "dependentRequired",
            "dependentSchemas",
            "minContains",
            "maxContains",
            "unevaluatedItems",
            "unevaluatedProperties",
        ):
            new.pop(word, None)
    if draft < _LATEST:
        new.pop("prefixItems", None)
        rest = new.pop("additionalItems", None)
        if (items := as_list(new.get("items"))) is not None:
            del new["items"]
            if items:
                new["prefixItems"] = items
            if rest is not None:
                new["items"] = rest
    if draft < 2019 or ("dependentRequired" not in new and "dependentSchemas" not in new):
        _split_dependencies(new)
    return new


def _split_dependencies(new: dict[str, object]) -> None:
    both = as_dict(new.get("dependencies"))
    if both is None:
        return
    del new["dependencies"]
    new["dependentRequired"] = {k: v for k, v in both.items() if as_list(v) is not None}
    new["dependentSchemas"] = {k: v for k, v in both.items() if as_list(v) is None}
