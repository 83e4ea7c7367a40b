"""A tool's ``classify``: which class of commands a call is in, and what that says (see ``_rules_shell``)."""

from collections.abc import Mapping
from dataclasses import dataclass

from ...runtime.types import JsonValue
from ._rules_levels import ApprovalVerdict, check_keys, closed, read_table, refuse, show, strictest
from ._rules_shell import Patterns, never_plain, read_command
from ._rules_values import ABSENT, Path, look_up, read_argument

_KEYS = ("argument", "classes", "otherwise")
_ENVIRONMENT = ("env", "environment")


@dataclass(frozen=True, slots=True, kw_only=True)
class Classes:
    """The classes of one tool's commands, each with its patterns and its verdict."""

    argument: Path
    classes: tuple[tuple[Patterns, ApprovalVerdict], ...]
    otherwise: ApprovalVerdict | None

    def decide(self, arguments: JsonValue, default: ApprovalVerdict) -> ApprovalVerdict:
        """The verdict on a call; ``default`` is for a command in no class."""
        rest = self.otherwise or default
        text = look_up(arguments, self.argument)
        if not isinstance(text, str) or not text.strip():
            return closed([*(verdict for _, verdict in self.classes), rest])
        command = read_command(text)
        loose = [verdict for patterns, verdict in self.classes if command.may_have(patterns)]
        if command.words is None or _changes_environment(arguments):
            return closed([*loose, rest])
        exact = [verdict for patterns, verdict in self.classes if command.has(patterns)]
        return strictest([*(exact or [rest]), *loose])


def _changes_environment(arguments: JsonValue) -> bool:
    """A variable such as PATH or LD_PRELOAD makes another command of a plain one."""
    found = [look_up(arguments, (name,)) for name in _ENVIRONMENT]
    return any(value is not ABSENT and value not in (None, {}) for value in found)


def read_classes(value: JsonValue, path: str, levels: Mapping[str, ApprovalVerdict]) -> Classes:
    """The classes from their configuration; ``levels`` has the levels that the tool's table gives."""
    table = read_table(value, path, "classify is a table with argument and classes")
    check_keys(table, _KEYS, path)
    if "argument" not in table:
        refuse(path, "name the argument that has the command, such as argument: command")
    argument = read_argument(table["argument"], f"{path}.argument")
    what = "classes is a table of names with lists of patterns"
    named = read_table(table.get("classes"), f"{path}.classes", what)
    classes: list[tuple[Patterns, ApprovalVerdict]] = []
    for name, item in named.items():
        where = f"{path}.classes.{name}"
        if name not in levels:
            refuse(where, f"the class {name!r} has no level; add {name}: ask beside classify")
        globs = _globs(item, where)
        verdict = levels[name]
        if verdict.level == "always":
            for glob in globs:
                _check_permitting(glob, where)
        classes.append((Patterns.of(globs), verdict))
    return Classes(
        argument=argument,
        classes=tuple(classes),
        otherwise=_otherwise(table, path, {k: v for k, v in levels.items() if k not in named}),
    )


def _check_permitting(glob: str, path: str) -> None:
    odd = never_plain(glob)
    if odd is not None:
        problem = (
            f"the pattern {glob!r} can never permit a command because of {odd!r}: a shell may run "
            "something else there; remove it, or permit one exact command by a rule"
        )
        refuse(path, problem)


def _otherwise(
    table: Mapping[str, JsonValue], path: str, bare: Mapping[str, ApprovalVerdict]
) -> ApprovalVerdict | None:
    """The verdict on what fits no class: the one class that has no patterns."""
    name = table.get("otherwise")
    if "otherwise" in table:
        if not isinstance(name, str) or name not in bare:
            problem = f"otherwise names a class with a level and without patterns, not {show(name)}"
            refuse(f"{path}.otherwise", problem)
        bare = {key: bare[key] for key in sorted(bare, key=lambda key: key != name)}
        if len(bare) == 1:
            return bare[name]
    if len(bare) > 1:
        names = ", ".join(key for key in bare if key != name)
        refuse(path, f"no command is ever in {names}: give patterns, or remove all but one")
    return next(iter(bare.values()), None)


def _globs(value: JsonValue, path: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not value:
        refuse(path, f'a class is a list of patterns such as ["git status"], not {show(value)}')
    globs: list[str] = []
    for index, item in enumerate(value):
        if not isinstance(item, str) or not item.strip():
            refuse(f"{path}[{index}]", f"a pattern is text, not {show(item)}")
        globs.append(item)
    return tuple(globs)
