"""Classes of shell commands, by patterns. A shell's language is not parsed here, only distrusted.

A *plain* command is one line of words, without anything that a shell gives a meaning: no ``;``, ``&``,
``|``, ``$``, backticks, redirects, parentheses, braces, backslashes, ``!``, ``#``, ``%``, no assignment
in front, no wildcard in the program's name, no program that runs others (``sudo``, ``xargs``, ``sh``),
and no ``env`` beside it in the call. Only a plain command has a class that can permit it: its words,
quotes removed, must fit one of the class's patterns. Any other command is *complex*.

Patterns are besides searched for loosely (in any part of a complex command, behind ``sudo``, with the
program's folder removed, in any case). What is found that way can only make a verdict stricter.
"""

import re
import shlex
from dataclasses import dataclass
from typing import Final

from ._rules_glob import compile_glob

LONGEST: Final = 20_000
"""Characters of a command that are looked at; a longer one is complex, and no pattern is found in it
beyond them."""

_PLAIN: Final = frozenset(" _-./,:=+@*?[]~'\"")
_SPLIT: Final = re.compile(r"[;&|\n\r()`{}<>!]|\$\(")
_ASSIGNMENT: Final = re.compile(r"\w+\+?=")
_FIRST: Final = re.compile(r"[\w./+@~:-]+")
_SPACE_IN_WORD: Final = "\x01"

RUNNERS: Final = frozenset(
    [
        "ash",
        "bash",
        "busybox",
        "chroot",
        "cmd",
        "command",
        "csh",
        "dash",
        "doas",
        "env",
        "eval",
        "exec",
        "find",
        "fish",
        "ionice",
        "ksh",
        "nice",
        "node",
        "nohup",
        "nsenter",
        "parallel",
        "perl",
        "powershell",
        "pwsh",
        "python",
        "python3",
        "ruby",
        "setsid",
        "sh",
        "source",
        "ssh",
        "stdbuf",
        "strace",
        "su",
        "sudo",
        "tcsh",
        "time",
        "timeout",
        "unshare",
        "watch",
        "xargs",
        "zsh",
    ]
)
"""Programs that run what their arguments say."""

BUILTIN: Final[dict[str, tuple[str, ...]]] = {
    "safe": ("ls", "ls *", "pwd", "whoami", "date", "echo", "echo *", "git status", "git status *"),
    "dangerous": (
        *("rm", "rm *", "rmdir *", "unlink *", "shred *", "truncate *", "dd *", "mkfs*", "fdisk *"),
        *("chmod *", "chown *", "sudo *", "su", "su *", "doas *", "shutdown*", "reboot*", "halt*"),
        *("poweroff*", "kill *", "killall *", "pkill *", "mount *", "umount *"),
        *("git push --force*", "git push * --force*", "git push -f*", "git push * -f*"),
        *("git clean *", "git reset --hard*", "curl *|*", "wget *|*", "*:(){*"),
    ),
}
"""What safe and dangerous mean where a table does not say; every other command is moderate."""


@dataclass(frozen=True, slots=True)
class Patterns:
    """The patterns of one class."""

    exact: tuple[re.Pattern[str], ...]
    loose: tuple[re.Pattern[str], ...]

    @classmethod
    def of(cls, globs: tuple[str, ...]) -> "Patterns":
        """Compiled."""
        loose = [form for glob in globs for form in (glob, f"* {glob}")]
        return cls(
            exact=tuple(compile_glob(glob) for glob in globs),
            loose=tuple(compile_glob(glob, ignore_case=True) for glob in loose),
        )


@dataclass(frozen=True, slots=True)
class Command:
    """A command as the patterns see it."""

    words: str | None
    """The words of a plain command, a space between them; None for a complex one."""

    loose: tuple[tuple[str, bool], ...]
    """Texts that may be commands; and whether a program in front may run what follows."""

    def has(self, patterns: Patterns) -> bool:
        """Whether it is plain and in the class."""
        words = self.words
        return words is not None and any(pattern.fullmatch(words) for pattern in patterns.exact)

    def may_have(self, patterns: Patterns) -> bool:
        """Whether any part of it looks like the class."""
        return any(
            pattern.fullmatch(text)
            for text, runs in self.loose
            for pattern in (patterns.loose if runs else patterns.loose[::2])
        )


def never_plain(pattern: str) -> str | None:
    """What keeps a pattern from ever fitting a plain command: a character, or a program."""
    first = _program(pattern.split(" ")[0])
    return next((mark for mark in pattern if not _plain(mark)), first if first in RUNNERS else None)


def read_command(text: str) -> Command:
    """The command that a text is."""
    words = _words(text) if len(text) <= LONGEST else None
    text = text[:LONGEST]
    loose = [(" ".join(text.split()), False)]
    for part in (text, *_SPLIT.split(text)):
        tokens = _tokens(part)
        while tokens and _ASSIGNMENT.match(tokens[0]):
            del tokens[0]
        if tokens:
            bare = [_program(token) for token in tokens]
            runs = not RUNNERS.isdisjoint(bare)
            loose.append((" ".join([bare[0], *tokens[1:]]), runs))
            if runs:
                loose.append((" ".join(bare), runs))
    return Command(words, tuple(dict.fromkeys(loose)))


def _plain(mark: str) -> bool:
    return mark in _PLAIN or mark.isalnum()


def _words(text: str) -> str | None:
    if not all(map(_plain, text)):
        return None
    try:
        words = shlex.split(text)
    except ValueError:  # a quote without its partner
        return None
    if not words or not _FIRST.fullmatch(words[0]) or _program(words[0]) in RUNNERS:
        return None
    return " ".join(word.replace(" ", _SPACE_IN_WORD) for word in words)


def _tokens(part: str) -> list[str]:
    try:
        tokens = shlex.split(part)
    except ValueError:
        tokens = re.sub(r"[\"'\\]", "", part).split()
    return " ".join(tokens).split()  # a quoted command is words as well


def _program(word: str) -> str:
    return re.split(r"[/\\]", word)[-1].casefold().removesuffix(".exe")
