r"""Declarative approval rules: a level for every tool call, from a table such as

.. code-block:: yaml

    approval:
      default: ask                       # for whatever nothing below decides; ask if absent
      tools:
        plan: always                     # a bare level
        search: {default: always}
        file_edit:                       # a level for each operation
          read: always
          delete: ask_with_confirm
          default: ask
        http_request:                    # rules, tried in order
          level: ask                     # the same as default
          rules:
            - {match: {method: GET}, level: always}
            - {match: {method: [PUT, DELETE]}, level: deny}
        shell:                           # classes of commands
          classify:
            argument: command
            classes: {safe: ["ls *", git status], dangerous: ["rm *"]}
            otherwise: moderate
          safe: always
          moderate: ask
          dangerous: deny

The shape is the one of DSH's ``dsh.config.yaml``. Levels, from permitting to strict: ``always``, ``ask``,
``ask_with_confirm``, ``deny``.

**Who decides.** The tool's rules in order, then its classes or operations, then its ``default``
(``level``), then the global default. The first rule that matches decides.

**Fail closed.** A rule that cannot be evaluated decides nothing and is not skipped: the verdict is the
strictest of it, of whatever decides after it, and of ``ask``. So such an ``always`` never permits and
such a ``deny`` denies, and the verdict says ``fails_closed``. The same holds for an operation that is
not named (strictest of all the tool's operations) and for commands (below).

**match.** Every condition must hold. An argument is a path (``request.method``, ``changes.0.type``, a dot
in a name is ``\.``). A value is compared as JSON (``1`` is ``1.0``, ``true`` is not ``1``), a list is any of
its members, a table holds operators, all of which must hold: ``equals``, ``any``, ``glob`` (``*``, ``?``),
``prefix``, ``under`` (a folder), ``not``, ``min``, ``max`` (inclusive), ``present`` and, beside others,
``default``, the value that an absent argument stands for. A condition is *not evaluable* when its argument
is absent, is of another JSON type than the condition is about (null too), is text that differs from an
expected one in case, width or outer space only, or is a path that may lead elsewhere (``..``, ``~``,
backslashes, an absolute one for a relative folder). A condition that is false settles its rule, whatever
else is not evaluable. Links in the file system and folders that ignore case are beyond ``under``;
``glob`` and ``prefix`` see the text as it is, so let them permit what is known, not deny what is feared.

**Operations.** Other keys of a tool's table are operations: values of the argument that ``operation``
names, by default of ``action``, ``operation`` or ``op`` (if a call has several, the strictest counts). A
value that is no key falls to the default. An operation named like a key of this language (``default``,
``rules`` …) goes into a table ``operations``.

**Classes.** With ``classify`` the other keys are classes. Only a plain command can be permitted by its
class, the strictest class that matches counts, and a complex one gets at least ``ask``:
see ``_rules_shell``. A command in no class gets the class without patterns (``otherwise``), else the
default. A table with no keys but ``safe``, ``moderate``, ``dangerous`` (and ``default``, ``rules``) has the
built-in patterns of ``_rules_shell`` and the argument ``command``.

Everything here is pure: no I/O, no state; ``decide`` never raises, whatever the arguments are.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ...runtime.types import JsonValue
from .._json import NotJsonError, copy_json
from ..errors import RegistrationError
from ._rules_levels import (
    LEVELS,
    ApprovalLevel,
    ApprovalVerdict,
    check_keys,
    check_text_keys,
    read_level,
    refuse,
    show,
)
from ._rules_table import ToolTable, read_tool

__all__ = ["LEVELS", "ApprovalLevel", "ApprovalRules", "ApprovalVerdict"]

_KEYS = ("default", "tools")


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRules:
    """The rules of one configuration; without any, every call is asked for."""

    default: ApprovalLevel = "ask"
    _tables: Mapping[str, ToolTable] = field(default_factory=dict[str, ToolTable], repr=False)

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, object]) -> "ApprovalRules":
        """The rules of a mapping: the whole configuration (with ``approval``; its other keys are not
        looked at) or what stands under ``approval``.

        Raises:
            RegistrationError: it is malformed; the message has the path and what to change.
        """
        try:
            value = copy_json(mapping, "approval")
        except NotJsonError as error:
            raise RegistrationError(f"approval rules: {error}") from None
        check_text_keys(mapping)
        return cls._from_json(value)

    @classmethod
    def from_yaml(cls, text: str) -> "ApprovalRules":
        """The rules of YAML text. Aliases, double keys and what YAML 1.1 reads as something else than it
        looks (``no``, ``on``, ``010``) are refused.

        Raises:
            RegistrationError: as ``from_mapping``; or it is not YAML; the message has the line.
        """
        from ..yaml_text import YamlError, read_yaml  # PyYAML is loaded by those who read YAML

        try:
            value = read_yaml(text)
        except YamlError as error:
            raise RegistrationError(f"approval rules: {error}") from None
        return cls._from_json(value)

    @classmethod
    def _from_json(cls, value: JsonValue) -> "ApprovalRules":
        table = value if value is not None else {}
        if not isinstance(table, dict):
            refuse("approval", f"the rules are a table with default and tools, not {show(value)}")
        if "approval" in table:
            for key in _KEYS:
                if key in table:
                    refuse(key, f"{key!r} stands beside approval; move it below")
            inner = table["approval"]
            if not isinstance(inner, dict):
                refuse("approval", f"a table with default and tools is needed, not {show(inner)}")
            table = inner
        check_keys(table, _KEYS, "approval")
        level = read_level(table.get("default", "ask"), "default")
        tools = table.get("tools", {})
        if not isinstance(tools, dict):
            refuse("tools", f"a table of tools is needed, not {show(tools)}")
        default = ApprovalVerdict(level=level, rule="default")
        tables = {name: read_tool(item, f"tools.{name}", default) for name, item in tools.items()}
        return cls(default=level, _tables=tables)

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools that the rules name, in order."""
        return tuple(self._tables)

    def unknown_tools(self, names: Iterable[str]) -> tuple[str, ...]:
        """The tools that the rules name and ``names`` does not, in order: spelling mistakes, often."""
        known = frozenset(names)
        return tuple(name for name in self._tables if name not in known)

    def decide(self, tool: str, arguments: JsonValue) -> ApprovalVerdict:
        """What the rules say of a call. Never raises."""
        table = self._tables.get(tool)
        if table is None:
            return ApprovalVerdict(level=self.default, rule="default")
        return table.decide(arguments)
