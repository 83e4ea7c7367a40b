"""Declarative approval rules."""

import contextlib
import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemode.registry.errors import RegistrationError
from codemode.registry.policies._rules import LEVELS, ApprovalLevel, ApprovalRules
from codemode.runtime import JsonValue

from .approval_kit import SHELL, one

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["action", "op", "command", "env", "path", "n", "x"])
            | st.text(max_size=4),
            inner,
            max_size=4,
        )
    ),
    max_leaves=10,
)

HOUSE = """
approval:
  default: ask
  tools:
    notes:
      view: always
      change: ask
      burn: ask_with_confirm
    console:
      safe: always
      moderate: ask
      dangerous: deny
    lookup:
      default: always
    recipes:
      default: ask
plugins:
  - path: ./mine
"""


def rank(level: str) -> int:
    return [str(known) for known in LEVELS].index(level)


def match(condition: object, arguments: JsonValue) -> str:
    """Whether a condition on ``x`` holds, fails or is not evaluable."""
    table = {"default": "always", "rules": [{"match": {"x": condition}, "level": "deny"}]}
    level, _, fails_closed = one(table, arguments)
    return "unknown" if fails_closed else {"deny": "yes", "always": "no"}[level]


# --- the shape


@pytest.mark.parametrize(
    ("tool", "arguments", "level", "rule"),
    [
        ("notes", {"action": "view"}, "always", "tools.notes.view"),
        ("notes", {"action": "burn", "id": 1}, "ask_with_confirm", "tools.notes.burn"),
        ("notes", {"operation": "change"}, "ask", "tools.notes.change"),
        ("notes", {"op": "view"}, "always", "tools.notes.view"),
        ("notes", {"action": "fold"}, "ask", "default"),
        ("console", {"command": "ls -la src/"}, "always", "tools.console.safe"),
        ("console", {"command": "npm view left-pad"}, "ask", "tools.console.moderate"),
        ("console", {"command": "rm -rf build"}, "deny", "tools.console.dangerous"),
        ("lookup", {"pattern": "x"}, "always", "tools.lookup.default"),
        ("lookup", None, "always", "tools.lookup.default"),
        ("recipes", {}, "ask", "tools.recipes.default"),
        ("other", {}, "ask", "default"),
    ],
)
def test_a_configuration_file_decides(
    tool: str, arguments: JsonValue, level: str, rule: str
) -> None:
    verdict = ApprovalRules.from_yaml(HOUSE).decide(tool, arguments)
    assert (verdict.level, verdict.rule, verdict.fails_closed) == (level, rule, False)


@pytest.mark.parametrize("text", ["", "{}", "approval: {tools: {}}", "tools: {}", "default: ask"])
def test_without_rules_every_call_is_asked_for(text: str) -> None:
    assert ApprovalRules.from_yaml(text).decide("any", {}).level == "ask"
    assert ApprovalRules() == ApprovalRules.from_yaml(text)


def test_a_bare_level_is_enough() -> None:
    assert one("deny", {"action": "x"}) == ("deny", "", False)


def test_tools_that_do_not_exist_are_named() -> None:
    rules = ApprovalRules.from_yaml(HOUSE)
    assert rules.tools == ("notes", "console", "lookup", "recipes")
    assert rules.unknown_tools(["lookup", "console", "more"]) == ("notes", "recipes")


def test_an_operation_may_have_the_name_of_a_key() -> None:
    table = {"operations": {"default": "deny", "rules": "always"}, "read": "always", "level": "ask"}
    assert one(table, {"action": "default"}) == ("deny", "operations.default", False)
    assert one(table, {"action": "read"}) == ("always", "read", False)
    assert one(table, {"action": "x"}) == ("ask", "level", False)


# --- operations


TABLE = {"read": "always", "wipe": "deny", "default": "ask"}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, ("deny", "wipe", True)),
        (None, ("deny", "wipe", True)),
        ([{"action": "read"}], ("deny", "wipe", True)),
        ({"action": None}, ("deny", "wipe", True)),
        ({"action": ["read"]}, ("deny", "wipe", True)),
        ({"action": True}, ("deny", "wipe", True)),
        ({"action": "Wipe "}, ("deny", "wipe", True)),
        ({"action": "\uff52ead"}, ("ask", "default", True)),  # a full-width r
        ({"action": "READ"}, ("ask", "default", True)),
        ({"action": "other"}, ("ask", "default", False)),
        ({"action": "read", "op": "wipe"}, ("deny", "wipe", True)),
        ({"action": "read", "op": "read"}, ("always", "read", False)),
        ({"action": "read", "operation": None}, ("deny", "wipe", True)),
    ],
)
def test_an_operation_that_is_not_clear_fails_closed(
    arguments: JsonValue, expected: tuple[str, str, bool]
) -> None:
    assert one(TABLE, arguments) == expected


def test_the_argument_that_names_the_operation_can_be_said() -> None:
    table = {**TABLE, "operation": "request.verb"}
    assert one(table, {"request": {"verb": "read"}, "action": "wipe"}) == ("always", "read", False)
    assert one(table, {"action": "read"}) == ("deny", "wipe", True)


def test_an_operation_that_cannot_be_read_never_permits() -> None:
    assert one({"read": "always", "default": "always"}, {}) == ("ask", "read", True)


# --- rules


RULES = {
    "level": "ask",
    "rules": [
        {"match": {"method": "GET"}, "level": "always"},
        {"match": {"method": ["PUT", "POST"]}, "level": "ask_with_confirm"},
        {"match": {"method": "DELETE"}, "level": "deny"},
    ],
}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"method": "GET"}, ("always", "rules[0]", False)),
        ({"method": "POST"}, ("ask_with_confirm", "rules[1]", False)),
        ({"method": "DELETE"}, ("deny", "rules[2]", False)),
        ({"method": "HEAD"}, ("ask", "level", False)),
        ({"method": "delete"}, ("deny", "rules[2]", True)),
        ({"method": "get"}, ("ask", "level", True)),
        ({}, ("deny", "rules[2]", True)),
        ({"method": 1}, ("deny", "rules[2]", True)),
        ("GET", ("deny", "rules[2]", True)),
    ],
)
def test_the_first_rule_that_matches_decides(
    arguments: JsonValue, expected: tuple[str, str, bool]
) -> None:
    assert one(RULES, arguments) == expected


def test_a_later_rule_cannot_loosen_one_that_cannot_be_evaluated() -> None:
    table = {
        "rules": [
            {"match": {"force": True}, "level": "deny"},
            {"match": {"path": {"under": "tmp"}}, "level": "always"},
        ]
    }
    assert one(table, {"path": "tmp/a", "force": False}) == ("always", "rules[1]", False)
    assert one(table, {"path": "tmp/a"}) == ("deny", "rules[0]", True)


def test_an_earlier_rule_that_cannot_be_evaluated_does_not_hide_a_stricter_one() -> None:
    table = {
        "rules": [
            {"match": {"a": 1}, "level": "always"},
            {"match": {"b": 1}, "level": "deny"},
        ]
    }
    assert one(table, {"b": 1}) == ("deny", "rules[1]", True)
    assert one(table, {"b": 2}) == ("ask", "default", True)


def test_rules_come_before_operations() -> None:
    table = {**TABLE, "rules": [{"match": {"path": {"prefix": "secret"}}, "level": "deny"}]}
    assert one(table, {"action": "read", "path": "secret/x"}) == ("deny", "rules[0]", False)
    assert one(table, {"action": "read", "path": "x"}) == ("always", "read", False)
    assert one(table, {"action": "read"}) == ("deny", "rules[0]", True)


def test_every_condition_of_a_rule_must_hold_and_one_false_settles_it() -> None:
    table = {"rules": [{"match": {"a": 1, "b": 2}, "level": "deny"}], "default": "always"}
    assert one(table, {"a": 1, "b": 2})[0] == "deny"
    assert one(table, {"a": 1, "b": 3}) == ("always", "default", False)
    assert one(table, {"a": 3}) == ("always", "default", False)
    assert one(table, {"a": 1}) == ("deny", "rules[0]", True)


@pytest.mark.parametrize(
    ("condition", "value", "held"),
    [
        ("a", "a", "yes"),
        ("a", "b", "no"),
        ("a", " A", "unknown"),
        ("a", 1, "unknown"),
        ("a", None, "unknown"),
        ("a", ["a"], "unknown"),
        (1, 1.0, "yes"),
        (1, True, "unknown"),
        (True, 1, "unknown"),
        (True, False, "no"),
        (None, None, "yes"),
        (None, "x", "no"),
        (10**30, 10**30, "yes"),
        (["a", 1], 1, "yes"),
        (["a", 1], 2, "no"),
        (["a", 1], True, "unknown"),
        (["a", {"prefix": "b"}], "bc", "yes"),
        (["a", {"prefix": "b"}], "c", "no"),
        (["a", {"min": 5}], "c", "unknown"),
        (["a", ["b"]], "b", "yes"),
        ({"any": ["a", "b"]}, "b", "yes"),
        ({"equals": {"k": [1, {"z": None}]}}, {"k": [1.0, {"z": None}]}, "yes"),
        ({"equals": {"k": 1}}, {"k": True}, "no"),
        ({"equals": {"k": 1}}, {"j": 1}, "no"),
        ({"equals": [1]}, [1, 2], "no"),
        ({"equals": [1]}, {}, "unknown"),
        ({"glob": "a*z"}, "abc\nz", "yes"),
        ({"glob": "a*z"}, "abc", "no"),
        ({"glob": "a?c"}, "abc", "yes"),
        ({"glob": "a?c"}, "ac", "no"),
        ({"glob": "[a]"}, "a", "no"),
        ({"glob": "*"}, 5, "unknown"),
        ({"glob": "**x**"}, "axb", "yes"),
        ({"prefix": "ht"}, "http", "yes"),
        ({"prefix": "ht"}, "shttp", "no"),
        ({"prefix": "ht"}, {}, "unknown"),
        ({"not": "a"}, "b", "yes"),
        ({"not": "a"}, "a", "no"),
        ({"not": "a"}, 5, "unknown"),
        ({"not": ["a", "b"]}, "c", "yes"),
        ({"not": {"not": "a"}}, "a", "yes"),
        ({"min": 3, "max": 5}, 3, "yes"),
        ({"min": 3, "max": 5}, 5.0, "yes"),
        ({"min": 3, "max": 5}, 6, "no"),
        ({"min": 3}, 10**400, "yes"),
        ({"max": 3}, True, "unknown"),
        ({"max": 3}, "2", "unknown"),
        ({"max": 3}, float("nan"), "unknown"),
        ({"max": 3}, float("inf"), "no"),
        ({"present": True}, 0, "yes"),
        ({"present": False}, 0, "no"),
        ({"present": True}, None, "unknown"),
        ({"under": "src/"}, "src/a/b.py", "yes"),
        ({"under": "src"}, "./src//a", "yes"),
        ({"under": "src"}, "src", "yes"),
        ({"under": "src"}, "srcs/a", "no"),
        ({"under": "src"}, "lib/src/a", "no"),
        ({"under": "src"}, "src/../../etc/passwd", "unknown"),
        ({"under": "src"}, "/src/a", "unknown"),
        ({"under": "/src"}, "src/a", "unknown"),
        ({"under": "/src"}, "/src/a", "yes"),
        ({"under": "/"}, "/x", "yes"),
        ({"under": "."}, "x", "yes"),
        ({"under": "src"}, "~/a", "unknown"),
        ({"under": "src"}, "src\\..\\..\\x", "unknown"),
        ({"under": "src"}, "src/\0", "unknown"),
        ({"under": "src"}, "", "unknown"),
        ({"under": "src"}, 7, "unknown"),
    ],
)
def test_a_condition_holds_fails_or_is_unknown(
    condition: object, value: JsonValue, held: str
) -> None:
    assert match(condition, {"x": value}) == held


@pytest.mark.parametrize(
    ("condition", "held"),
    [
        ("a", "unknown"),
        ({"not": "a"}, "unknown"),
        ({"present": False}, "yes"),
        ({"present": True}, "no"),
        ({"not": {"present": True}}, "yes"),
        ({"equals": True, "default": False}, "no"),
        ({"equals": True, "default": True}, "yes"),
        ({"max": 5, "default": "x"}, "unknown"),
        ([{"present": False}, "a"], "yes"),
    ],
)
def test_an_absent_argument_is_unknown_unless_a_rule_speaks_of_it(
    condition: object, held: str
) -> None:
    assert match(condition, {"y": 1}) == held


@pytest.mark.parametrize(
    ("name", "arguments", "held"),
    [
        ("a.b", {"a": {"b": 1}}, True),
        ("a.b", {"a.b": 1}, None),
        (r"a\.b", {"a.b": 1}, True),
        (r"a\\", {"a\\": 1}, True),
        ("a.1", {"a": [0, 1]}, True),
        ("a.1", {"a": {"1": 1}}, True),
        ("a.2", {"a": [0, 1]}, None),
        ("a.99999999999", {"a": [1]}, None),
        ("a.b", {"a": "b"}, None),
    ],
)
def test_a_path_leads_into_the_arguments(
    name: str, arguments: JsonValue, held: bool | None
) -> None:
    table = {"default": "always", "rules": [{"match": {name: 1}, "level": "deny"}]}
    level, _, fails_closed = one(table, arguments)
    assert (level, fails_closed) == ("deny", held is None)


# --- properties


TABLES: list[Mapping[str, object]] = [
    TABLE,
    RULES,
    SHELL,
    {"safe": "always", "moderate": "ask", "dangerous": "deny"},
    {"level": "always", "rules": [{"match": {"x": {"not": {"under": "s"}}}, "level": "deny"}]},
    {"rules": [{"match": {"n.0": {"min": 1}, "x": {"glob": "a*"}}, "level": "always"}]},
    {"rules": [{"match": {"x": [{"equals": {"n": 1}}, None, {"max": 2}]}, "level": "always"}]},
]


@given(st.sampled_from(TABLES), JSON)
def test_any_arguments_get_a_verdict(table: Mapping[str, object], arguments: JsonValue) -> None:
    level, _, fails_closed = one(table, arguments)
    assert level in LEVELS
    assert not (fails_closed and level == "always")


@given(
    st.sampled_from(TABLES),
    st.dictionaries(st.sampled_from(["action", "method", "command", "x", "n"]), JSON, max_size=4),
    st.dictionaries(st.text("qrs", min_size=1), JSON, max_size=4),
)
def test_arguments_that_no_rule_speaks_of_change_nothing(
    table: Mapping[str, object], arguments: dict[str, JsonValue], garbage: dict[str, JsonValue]
) -> None:
    assert one(table, {**garbage, **arguments}) == one(table, arguments)


@given(st.sampled_from(sorted(TABLE)), JSON, st.sampled_from(["operation", "op"]))
def test_a_second_operation_never_loosens(name: str, value: JsonValue, argument: str) -> None:
    alone, _, _ = one(TABLE, {"action": name})
    both, _, _ = one(TABLE, {"action": name, argument: value})
    assert rank(both) >= rank(alone)


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(LEVELS)), min_size=1, max_size=4),
    st.sampled_from(LEVELS),
    st.dictionaries(st.sampled_from("abc"), st.booleans()),
)
def test_a_verdict_is_as_strict_as_with_any_value_of_what_is_absent(
    rules: list[tuple[str, ApprovalLevel]], default: ApprovalLevel, known: dict[str, bool]
) -> None:
    table = {
        "default": default,
        "rules": [{"match": {name: True}, "level": level} for name, level in rules],
    }
    arguments: dict[str, JsonValue] = dict(known.items())
    level, _, _ = one(table, arguments)
    for bits in range(8):
        full = {name: known.get(name, bool(bits >> at & 1)) for at, name in enumerate("abc")}
        with_all, _, fails_closed = one(table, dict(full.items()))
        assert not fails_closed
        assert rank(level) >= rank(with_all)


# --- faults in the configuration


def tool(table: object) -> dict[str, object]:
    return {"approval": {"tools": {"t": table}}}


def rule(condition: object) -> dict[str, object]:
    return tool({"rules": [{"match": {"x": condition}, "level": "ask"}]})


def classed(**changes: object) -> dict[str, object]:
    classify: dict[str, object] = {"argument": "command", "classes": {"safe": ["ls"]}}
    return tool({"classify": {**classify, **changes}, "safe": "always"})


DEEP: Any = json.loads('{"not":' * 40 + "1" + "}" * 40)
NOTHING: dict[str, object] = {}
RING: list[Any] = []
RING.append(RING)


@pytest.mark.parametrize(
    ("mapping", "says"),
    [
        ({"approval": None}, "approval: a table with default and tools is needed"),
        ({"approval": []}, "approval: a table with default and tools is needed, not an empty list"),
        ({"approval": {}, "tools": {}}, "tools: 'tools' stands beside approval; move it below"),
        ({"aproval": {}}, "approval: 'aproval' is no key"),
        ({"approval": {"tool": {}}}, "approval: 'tool' is no key .* did you mean 'tools'"),
        ({"approval": {"default": "allways"}}, "default: 'allways' .* did you mean 'always'"),
        ({"approval": {"default": "Ask"}}, "default: 'Ask' .* did you mean 'ask'"),
        ({"approval": {"default": True}}, "default: .* not the boolean true"),
        ({"approval": {"tools": []}}, "tools: a table of tools is needed"),
        (tool(None), r"tools\.t: a tool needs a level .* or a table of them, not nothing"),
        (tool({}), r"tools\.t: .* not an empty mapping"),
        (tool("never"), r"tools\.t: 'never' is no approval level; known are always, ask"),
        (tool({"read": "denny"}), r"tools\.t\.read: .* did you mean 'deny'"),
        (tool({"read": ["ask"]}), r"tools\.t\.read: an operation has a level, not a list"),
        (tool({"rule": []}), r"tools\.t\.rule: .* did you mean 'rules'"),
        (tool({"defualt": "ask"}), r"tools\.t\.defualt: did you mean 'default'"),
        (tool({"default": "ask", "level": "ask"}), "default and level mean the same"),
        (tool({"operation": "x"}), r"tools\.t\.operation: there is no operation with a level"),
        (tool({"operation": 5, "a": "ask"}), r"tools\.t\.operation: an argument is named by text"),
        (tool({"operation": "a..b", "a": "ask"}), "a dot without a name"),
        (tool({"operation": "a\\b", "a": "ask"}), "a backslash stands before"),
        (tool({"operations": {}, "a": "ask"}), "operations is a table of levels"),
        (tool({"operations": {"a": "ask"}, "a": "ask"}), "'a' already has a level"),
        (tool({"rules": {}}), r"tools\.t\.rules: rules is a list"),
        (tool({"rules": []}), r"tools\.t\.rules: rules is a list .* not an empty list"),
        (tool({"rules": ["ask"]}), r"rules\[0\]: a rule is a table"),
        (tool({"rules": [{"level": "ask"}]}), r"rules\[0\]: the rule has no match"),
        (tool({"rules": [{"match": {"a": 1}}]}), r"rules\[0\]: the rule has no level"),
        (
            tool({"rules": [{"match": NOTHING, "level": "ask"}]}),
            r"rules\[0\]\.match: a match must name",
        ),
        (tool({"rules": [{"match": {"a": 1}, "lvl": "ask"}]}), r"'lvl' is no key"),
        (tool({"rules": [{"match": {"": 1}, "level": "ask"}]}), "an argument is named by text"),
        (rule({}), r"match\.x: an object is read as operators"),
        (rule({"globb": "x"}), r"match\.x .*'globb' is no key .* did you mean 'glob'"),
        (rule({"glob": ""}), r"match\.x\.glob: glob needs text, not ''"),
        (rule({"prefix": 5}), r"match\.x\.prefix: prefix needs text, not 5"),
        (rule({"under": "../x"}), r"match\.x\.under: under needs a path without"),
        (rule({"min": "3"}), r"match\.x\.min: a bound is a number, not '3'"),
        (rule({"max": True}), r"match\.x\.max: a bound is a number, not the boolean"),
        (rule({"present": "yes"}), r"match\.x\.present: present is true or false"),
        (rule({"any": "a"}), r"match\.x\.any: any needs a list"),
        (rule([]), r"match\.x: an empty list matches nothing"),
        (rule({"default": 1}), r"match\.x: default says .* add an operator"),
        (rule({"default": 1, "present": True}), "present and default exclude each other"),
        (rule(DEEP), "nested deeper than 16 levels"),
        (rule(float("nan")), r"approval\.approval\.tools\.t.* is not JSON|nan at .* is not JSON"),
        (rule(RING), "a circular reference"),
        (
            {"approval": {"tools": {True: "ask"}}},
            "tools: the key True is a bool; make it text by quotes",
        ),
        (classed(argument=None), r"classify\.argument: an argument is named by text"),
        (tool({"classify": {"classes": {}}, "a": "ask"}), "name the argument that has the command"),
        (tool({"classify": None, "a": "ask"}), "classify is a table"),
        (classed(classes={}), r"classify\.classes: classes is a table .* not an empty mapping"),
        (classed(classes={"safe": []}), r"classes\.safe: a class is a list .* not an empty list"),
        (classed(classes={"safe": "ls"}), r"classes\.safe: a class is a list of patterns"),
        (classed(classes={"safe": [" "]}), r"classes\.safe\[0\]: a pattern is text"),
        (classed(classes={"sfe": ["ls"]}), r"classes\.sfe: the class 'sfe' has no level"),
        (classed(classes={"safe": ["ls | wc"]}), r"'ls \| wc' can never permit .* of '\|'"),
        (classed(classes={"safe": ["sudo ls"]}), "'sudo ls' can never permit .* of 'sudo'"),
        (classed(otherwise="safe"), r"classify\.otherwise: otherwise names a class .* without"),
        (classed(otherwise=3), r"classify\.otherwise: .* not 3"),
        (classed(extra=1), "'extra' is no key"),
        (
            tool(
                {
                    "classify": {"argument": "c", "classes": {"a": ["x"]}},
                    "a": "ask",
                    "b": "ask",
                    "c": "ask",
                }
            ),
            "no command is ever in b, c",
        ),
        (
            tool(
                {
                    "classify": {"argument": "c", "classes": {"a": ["x"]}, "otherwise": "b"},
                    "a": "ask",
                    "b": "ask",
                    "c": "ask",
                }
            ),
            "no command is ever in c:",
        ),
        (
            tool(
                {
                    "classify": {"argument": "c", "classes": {"a": ["x"]}},
                    "a": "ask",
                    "operation": "b",
                }
            ),
            "classify and operation exclude each other",
        ),
    ],
)
def test_a_fault_is_reported_with_its_place(mapping: Mapping[str, object], says: str) -> None:
    with pytest.raises(RegistrationError, match=says):
        ApprovalRules.from_mapping(mapping)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("approval: {default: ask, default: deny}", "line 1: the key 'default' stands twice"),
        (
            "tools:\n  switch:\n    on: always",
            'line 3: YAML reads the key `on` as bool; write "on"',
        ),
        ("tools:\n  t:\n    1: always", "line 3: YAML reads the key `1` as int"),
        ("tools: {t: no}", "line 1: YAML reads `no` as bool"),
        (
            "tools:\n  t: {rules: [{match: {a: 010}, level: ask}]}",
            "line 2: YAML reads `010` as int",
        ),
        ("tools: {t: 2024-01-01}", "reads `2024-01-01` as timestamp"),
        ("tools: {t: 1:30}", "reads `1:30` as int"),
        ("tools: {t: .inf}", "reads `.inf` as float"),
        ("tools: {t: 1_0}", "reads `1_0` as int"),
        ("a: &x ask\ntools: {t: *x}", r"line 2: the alias \*x is refused"),
        ("tools: {<<: {t: ask}}", "reads the key `<<` as merge"),
        ("tools: {t: !!python/name:os.system }", "the tag .* is refused"),
        ("tools: {t: !!binary aGk=}", "the tag .*binary is refused"),
        ("tools: {t: !!set {ask}}", "the tag .*set is refused"),
        ("tools: {[a]: ask}", "a key must be text"),
        ("tools: {t: ask", "line 1: not YAML"),
        ("tools: {t: ask}\n---\nx: y", "line 2: not YAML"),
        ("tools: \x00", "not YAML"),
        ("\ud800: ask", "not YAML"),
        ("[" * 100_000, "nesting deeper than 50"),
        ("x" * 1_000_001, "longer than 1000000 characters"),
        ("[1, 2]", "the rules are a table"),
        ("just text", "the rules are a table"),
    ],
)
def test_yaml_that_surprises_is_refused(text: str, says: str) -> None:
    with pytest.raises(RegistrationError, match=says):
        ApprovalRules.from_yaml(text)


def test_yaml_numbers_and_quoted_words_are_what_they_look_like() -> None:
    text = """
tools:
  t:
    default: always
    rules:
      - match: {n: [1, 2.5, -3], s: "on", b: True, z: ~}
        level: deny
"""
    rules = ApprovalRules.from_yaml(text)
    assert rules.decide("t", {"n": 2.5, "s": "on", "b": True, "z": None}).level == "deny"
    assert rules.decide("t", {"n": 2, "s": "on", "b": True, "z": None}).level == "always"


@given(st.text("approvl:tools{}[]&*!#-\n \t'\"ask?|>%@~", max_size=60))
def test_any_yaml_text_is_rules_or_a_clear_error(text: str) -> None:
    with contextlib.suppress(RegistrationError):
        ApprovalRules.from_yaml(text)


@given(JSON)
def test_any_mapping_is_rules_or_a_clear_error(value: JsonValue) -> None:
    tables = [value, {"rules": value}, {"classify": value, "a": "ask"}]
    tables += [{"rules": [{"match": value, "level": "ask"}]}]
    tables += [{"rules": [{"match": {"x": value}, "level": "ask"}]}]
    for table in tables:
        with contextlib.suppress(RegistrationError):
            ApprovalRules.from_mapping({"tools": {"t": table}}).decide("t", {"x": value})
