"""What the rules say of one tool: its rules in order, then its classes or operations, then its default."""

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from ...runtime.types import JsonValue
from ._rules_classes import Classes, read_classes
from ._rules_levels import (
    LEVELS,
    ApprovalLevel,
    ApprovalVerdict,
    check_keys,
    closed,
    nearest,
    read_level,
    read_table,
    refuse,
    show,
    strictest,
)
from ._rules_match import Match, read_match
from ._rules_shell import BUILTIN
from ._rules_values import ABSENT, Path, fold, look_up, read_argument

RESERVED: Final = ("default", "level", "operation", "operations", "rules", "classify")
OPERATION_ARGUMENTS: Final = (("action",), ("operation",), ("op",))
"""The arguments that name an operation where a table does not say."""

_SHELL_CLASSES: Final = frozenset(("safe", "moderate", "dangerous"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A level for the calls that match."""

    match: Match
    verdict: ApprovalVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolTable:
    """The table of one tool; ``default`` is also there if only the global one is written."""

    default: ApprovalVerdict
    rules: tuple[Rule, ...] = ()
    classes: Classes | None = None
    operations: Mapping[str, ApprovalVerdict]
    arguments: tuple[Path, ...] = OPERATION_ARGUMENTS

    def decide(self, arguments: JsonValue) -> ApprovalVerdict:
        """The verdict on a call."""
        unknown: list[ApprovalVerdict] = []
        for rule in self.rules:
            held = rule.match(arguments)
            if held:
                return closed([*unknown, rule.verdict]) if unknown else rule.verdict
            if held is None:  # it may or may not hold: the stricter of it and of what follows
                unknown.append(rule.verdict)
        rest = self._rest(arguments)
        return closed([*unknown, rest]) if unknown else rest

    def _rest(self, arguments: JsonValue) -> ApprovalVerdict:
        if self.classes is not None:
            return self.classes.decide(arguments, self.default)
        return self._operation(arguments) if self.operations else self.default

    def _operation(self, arguments: JsonValue) -> ApprovalVerdict:
        named = [look_up(arguments, path) for path in self.arguments]
        found = [self._named(value) for value in named if value is not ABSENT]
        if not found:
            return closed([*self.operations.values(), self.default])
        if len({verdict.level for verdict in found}) > 1:  # which of them does the tool read?
            return closed(found)
        return strictest(sorted(found, key=lambda verdict: not verdict.fails_closed))

    def _named(self, value: object) -> ApprovalVerdict:
        if not isinstance(value, str):
            return closed([*self.operations.values(), self.default])
        if value in self.operations:
            return self.operations[value]
        alike = [item for name, item in self.operations.items() if fold(name) == fold(value)]
        return closed([*alike, self.default]) if alike else self.default


def read_tool(value: JsonValue, path: str, default: ApprovalVerdict) -> ToolTable:
    """The table of a tool, from its configuration; ``default`` is the global one."""
    if isinstance(value, str):
        verdict = ApprovalVerdict(level=read_level(value, path), rule=path)
        return ToolTable(default=verdict, operations={})
    what = f"a tool needs a level ({', '.join(LEVELS)}) or a table of them"
    table = read_table(value, path, what)
    if "default" in table and "level" in table:
        refuse(path, "default and level mean the same; keep one of them")
    for key in ("default", "level"):
        if key in table:
            where = f"{path}.{key}"
            default = ApprovalVerdict(level=read_level(table[key], where), rule=where)
    levels = _levels(table, path)
    rules = tuple(_rules(table["rules"], f"{path}.rules")) if "rules" in table else ()
    classify: JsonValue = table.get("classify")
    if "classify" not in table and not {"operation", "operations"} & table.keys():
        if levels.keys() <= _SHELL_CLASSES and levels.keys() & BUILTIN.keys():
            classify = {"argument": "command", "classes": _builtin(levels)}
    elif "classify" in table and {"operation", "operations"} & table.keys():
        refuse(path, "classify and operation exclude each other; use rules for one of them")
    if classify is not None or "classify" in table:
        classes = read_classes(classify, f"{path}.classify", levels)
        return ToolTable(default=default, rules=rules, classes=classes, operations={})
    arguments = OPERATION_ARGUMENTS
    if "operation" in table:
        if not levels:
            refuse(
                f"{path}.operation", "there is no operation with a level; add some, or remove it"
            )
        arguments = (read_argument(table["operation"], f"{path}.operation"),)
    return ToolTable(default=default, rules=rules, operations=levels, arguments=arguments)


def _builtin(levels: Mapping[str, ApprovalVerdict]) -> dict[str, JsonValue]:
    return {name: list(globs) for name, globs in BUILTIN.items() if name in levels}


def _levels(table: dict[str, JsonValue], path: str) -> dict[str, ApprovalVerdict]:
    """The levels of operations or classes."""
    levels: dict[str, ApprovalVerdict] = {}
    for name, item in table.items():
        where = f"{path}.{name}"
        if name in RESERVED:
            continue
        if not isinstance(item, str):
            problem = f"an operation has a level, not {show(item)}; {nearest(name, RESERVED)}"
            refuse(where, problem)
        if close := get_close_matches(name.lower(), RESERVED, n=1, cutoff=0.8):
            refuse(
                where, f"did you mean {close[0]!r}? An operation of this name goes into operations"
            )
        levels[name] = ApprovalVerdict(level=read_level(item, where), rule=where)
    if "operations" in table:
        where = f"{path}.operations"
        own = read_table(table["operations"], where, "operations is a table of levels")
        for name, item in own.items():
            if name in levels:
                refuse(f"{where}.{name}", f"{name!r} already has a level; keep one of them")
            place = f"{where}.{name}"
            levels[name] = ApprovalVerdict(level=read_level(item, place), rule=place)
    return levels


def _rules(value: JsonValue, path: str) -> list[Rule]:
    if not isinstance(value, list) or not value:
        refuse(path, f"rules is a list of {{match, level}}, not {show(value)}")
    rules: list[Rule] = []
    for index, item in enumerate(value):
        where = f"{path}[{index}]"
        table = read_table(item, where, "a rule is a table with match and level")
        check_keys(table, ("match", "level"), where)
        for key in ("match", "level"):
            if key not in table:
                refuse(where, f"the rule has no {key}; add it")
        level: ApprovalLevel = read_level(table["level"], f"{where}.level")
        match = read_match(table["match"], f"{where}.match")
        rules.append(Rule(match=match, verdict=ApprovalVerdict(level=level, rule=where)))
    return rules
