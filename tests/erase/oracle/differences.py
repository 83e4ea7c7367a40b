"""The differences from TypeScript that are chosen. The reasons are in docs/erase.md.

A verdict of compare.mjs is fine ("equal", "both reject"), or falls into one of these classes, or is a
fault of the eraser.
"""

import re
from enum import StrEnum
from typing import Final

from .node import Facts, Pair


class Difference(StrEnum):
    """What may differ; each is a heading in docs/erase.md."""

    NOT_JUDGED = "what is erased is not judged"
    ENGINE_JUDGES = "what is left is judged by the engine"
    CHECKER_ERRORS = "what TypeScript's checker rejects"
    NOT_ERASABLE = "what cannot be erased is refused"
    OVERLOOKED = "what TypeScript's parser overlooks is refused"
    HTML_COMMENTS = "HTML-like comments are comments"
    EMPTY_NAMESPACE = "a namespace that only declares leaves no variable"
    COMPARED_LITERALS = "a literal between < and > is a type"
    EMITTER_SLIPS = "where TypeScript's emitter slips"
    ASSERTION_STATEMENT = "an assertion at the start of a statement is an expression"


FINE: Final = frozenset({"equal", "both reject"})
REFUSED_CONSTRUCTS: Final = frozenset({"namespace", "decorator", "accessor", "module"})
# Rules of the grammar that TypeScript's checker enforces and not its parser: 1000 to 1999, and those
# about JSDoc types (8000 to 8999) and private names and the like (17000 to 18999).
GRAMMAR_CODES: Final = (range(1000, 2000), range(8000, 9000), range(17000, 19000))
# The same of other numbers: a parameter property elsewhere (2369), a function without a body (2390,
# 2391), what a class or an interface extends (2422, 2499, 2500), a number as an enum member's name (2452),
# `global` without `declare` (2669, 2670), `this` as a later parameter (2680) or an arrow's (2730).
OTHER_GRAMMAR_CODES: Final = frozenset(
    {2369, 2390, 2391, 2422, 2452, 2499, 2500, 2669, 2670, 2680, 2730}
)
HTML_COMMENT: Final = re.compile(r"<!--|^\s*(?:/\*.*?\*/\s*)*-->", re.MULTILINE | re.DOTALL)
# TypeScript's parser misses that no `;` stands behind a `declare` that declares nothing, takes `A.<T>`
# for `A<T>`, lets a line break stand in `await using`, and splits `0x1Fin` in two.
OVERLOOKED: Final = re.compile(
    r"\bdeclare\s+$|\.\s*$|\bawait\s+using\s+$|\b0[xXoObB][\da-fA-F_]*[g-zG-Z$]\w*\s*$"
)


def _is_grammar_error(code: int) -> bool:
    return code in OTHER_GRAMMAR_CODES or any(code in codes for codes in GRAMMAR_CODES)


def _refusal(pair: Pair, facts: Facts) -> Difference | None:
    before = pair.source.encode("utf-8", "surrogatepass")[: pair.erased.offset]
    if REFUSED_CONSTRUCTS & set(facts["constructs"]):
        return Difference.NOT_ERASABLE
    for construct in {"enum", "parameter property"} & set(facts["constructs"]):
        if construct.removesuffix("y") in pair.erased.text:
            return Difference.NOT_ERASABLE
    if "overlooked" in facts["constructs"] or OVERLOOKED.search(
        before.decode("utf-8", "surrogatepass")
    ):
        return Difference.OVERLOOKED
    return None


def classify(pair: Pair, facts: Facts) -> Difference | None:
    """The class of a verdict that is not fine; None if it is a fault.

    The exemptions are narrow: each names its construct, and none covers a text that TypeScript accepts
    without an error and whose output is different for no reason of ours.
    """
    match facts["verdict"]:
        case "invalid accepted":
            return Difference.NOT_JUDGED
        case "TypeScript emits no JavaScript":
            return Difference.ENGINE_JUDGES
        case "refused":
            found = _refusal(pair, facts)
            if found is not None:
                return found
        case "different":
            if HTML_COMMENT.search(pair.source):
                return Difference.HTML_COMMENTS
            if "namespace of types" in facts["constructs"]:
                return Difference.EMPTY_NAMESPACE
            if "comparison with a literal" in facts["constructs"]:
                return Difference.COMPARED_LITERALS
            if "emitter slip" in facts["constructs"]:
                return Difference.EMITTER_SLIPS
            if "assertion that starts a statement" in facts["constructs"]:
                return Difference.ASSERTION_STATEMENT
        case "unparsable":
            pass
        case _:
            return None
    if any(map(_is_grammar_error, facts["codes"])):
        return Difference.CHECKER_ERRORS
    return None
