"""Approval rules that read a shell command: which kind it is, and what hides in it."""

import random
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemode.registry.policies._rules_shell import BUILTIN, LONGEST, RUNNERS, read_command
from codemode.runtime import JsonValue

from .approval_kit import SHELL, one


def command(text: JsonValue, table: object = SHELL, **others: JsonValue) -> tuple[str, bool]:
    level, _, fails_closed = one(table, {"command": text, **others})
    return level, fails_closed


@pytest.mark.parametrize(
    "text",
    [
        "ls",
        "ls -la src",
        "  git status  ",
        "ls 'a b' \"c\"",
        "cat a.txt b?.md",
        "ls --color=auto ~/x",
    ],
)
def test_a_plain_command_of_a_permitted_class_is_permitted(text: str) -> None:
    assert command(text) == ("always", False)


@pytest.mark.parametrize("text", ["make", "git status -s", "lsof", "LS", "ls-la"])
def test_a_plain_command_of_no_class_is_in_the_class_without_patterns(text: str) -> None:
    assert command(text) == ("ask", False)


@pytest.mark.parametrize(
    "text",
    [
        "ls ; make",
        "ls && make",
        "ls || make",
        "ls & make",
        "ls | tee x",
        "ls `make`",
        "ls $(make)",
        "ls $HOME",
        "ls > x",
        "ls < x",
        "ls\nmake",
        "ls\rmake",
        "ls\tmake",
        "ls\x0bmake",
        "ls\0",
        "ls \\\nmake",
        "ls (x)",
        "{ls,x}",
        "ls {a,b}",
        "! ls",
        "ls # x",
        "ls %PATH%",
        "ls ^& make",
        "X=1 ls",
        "PATH=. ls -la",
        "l? -la",
        "=ls",
        "ls 'a",
        "env ls",
        "time ls",
        "/usr/bin/env ls",
        "bash -c ls",
        "ls " + "a" * LONGEST,
        "ls\u2028make",
        "''",
        "'ls -la'",
        "'git status'",
    ],
)
def test_a_complex_command_is_never_permitted(text: str) -> None:
    assert command(text) == ("ask", True)
    permissive = {**SHELL, "moderate": "always", "default": "always"}
    assert command(text, permissive) == ("ask", True)


@pytest.mark.parametrize(
    "text",
    [
        "rm -rf x",
        "/bin/rm x",
        "RM x",
        "r\\m x",
        "'rm' x",
        '"rm" x',
        "ls; rm x",
        "ls;rm x",
        "ls && rm x",
        "ls | rm x",
        "ls $(rm x)",
        "ls `rm x`",
        "ls\nrm x",
        "ls > y & rm x",
        "(rm x)",
        "X=1 rm x",
        "sudo rm x",
        "sudo -u root /bin/rm x",
        "bash -c 'rm x'",
        'sh -c "cd /; rm x"',
        "find . -exec rm {} +",
        "xargs rm -f x",
        "echo 'a ; rm x",
        "rm\tx",
    ],
)
def test_a_denied_class_is_found_wherever_it_hides(text: str) -> None:
    assert command(text)[0] == "deny"


def test_the_strictest_class_that_matches_counts() -> None:
    table = {
        **SHELL,
        "classify": {"argument": "command", "classes": {"safe": ["a *"], "dangerous": ["a b*"]}},
    }
    assert command("a c", table) == ("always", False)
    assert command("a bc", table) == ("deny", False)


def test_what_only_looks_like_a_class_never_loosens() -> None:
    table = {
        "classify": {"argument": "command", "classes": {"checked": ["git *"]}},
        "checked": "ask",
        "default": "deny",
    }
    assert command("git push", table) == ("ask", False)
    assert command("/tmp/git push", table) == ("deny", False)
    assert command("GIT push", table) == ("deny", False)
    assert command("git push; git pull", table) == ("deny", True)


@pytest.mark.parametrize("text", [None, 5, True, ["ls"], {"c": "ls"}, "", "  \n"])
def test_what_is_no_command_gets_the_strictest_class(text: JsonValue) -> None:
    assert command(text) == ("deny", True)
    assert one(SHELL, {})[0] == "deny"


@pytest.mark.parametrize("name", ["env", "environment"])
def test_a_changed_environment_makes_a_command_complex(name: str) -> None:
    values: list[JsonValue] = [{"LD_PRELOAD": "x"}, {}, None]
    found = [command("ls", **{name: value}) for value in values]
    assert found == [("ask", True), ("always", False), ("always", False)]


def test_without_a_class_for_the_rest_the_default_decides() -> None:
    table = {name: item for name, item in SHELL.items() if name != "moderate"}
    assert command("make", table) == ("ask_with_confirm", False)
    assert command("ls; x", table) == ("ask_with_confirm", True)


def test_the_class_for_the_rest_can_be_named() -> None:
    classify = {"argument": "run.line", "classes": {"good": ["ls"]}, "otherwise": "rest"}
    table = {"classify": classify, "good": "always", "rest": "deny"}
    assert one(table, {"run": {"line": "ls"}}) == ("always", "good", False)
    assert one(table, {"run": {"line": "cd"}}) == ("deny", "rest", False)


def test_rules_come_before_classes() -> None:
    rules = [{"match": {"command": "python --version"}, "level": "always"}]
    table = {**SHELL, "rules": rules}
    assert one(table, {"command": "python --version"}) == ("always", "rules[0]", False)
    assert one(table, {"command": "rm x"}) == ("deny", "dangerous", False)


def test_built_in_safe_patterns_could_each_permit_a_plain_command() -> None:
    table = {"safe": "always", "moderate": "ask", "dangerous": "deny"}
    for pattern in BUILTIN["safe"]:
        assert command(pattern.replace("*", "x"), table) == ("always", False)
    for pattern in BUILTIN["dangerous"]:
        assert command(pattern.replace("*", "x"), table)[0] == "deny"
    assert command("git push origin my-feature", table) == ("ask", False)
    assert command("echo $TOKEN", table) == ("ask", True)
    assert one({"safe": "always"}, {"command": "make"}) == ("ask", "default", False)
    assert one({"moderate": "deny"}, {"op": "moderate"}) == ("deny", "moderate", False)


@given(
    st.text("ab *?;|&$`(){}<>\\'\"\n\t!#=", max_size=20),
    st.sampled_from(["ls ", "git status", "cat "]),
    st.sampled_from(list(";|&$`(){}<>\\\n\r\t!#%^\0")),
    st.text("ab *", max_size=6),
)
def test_a_command_with_a_mark_of_the_shell_is_never_permitted(
    before: str, safe: str, mark: str, after: str
) -> None:
    for text in (safe + before + mark + after, before + mark + safe + after):
        if mark in text.strip():
            level, fails_closed = command(text, {**SHELL, "moderate": "always"})
            assert level != "always"
            assert fails_closed


@given(st.sampled_from(sorted(RUNNERS)), st.text("ab -/", max_size=8))
def test_a_program_that_runs_others_is_never_permitted_by_a_class(name: str, rest: str) -> None:
    table = {"classify": {"argument": "command", "classes": {"all": ["*"]}}, "all": "always"}
    assert command(f"{name} {rest}", table) == ("ask", True)


@pytest.mark.skipif(shutil.which("sh") is None, reason="needs a POSIX shell")
def test_a_plain_command_is_one_command_with_the_same_words_to_a_real_shell() -> None:
    chance = random.Random(5)
    marks = list("ab *?[]'\"-=+:,./@_;|&$`(){}<>\\!#%^\n\t\r\u2028é")  # no ~: a shell replaces it
    texts: list[str] = []
    while len(texts) < 300:
        text = "ls " + "".join(chance.choices(marks, k=chance.randint(0, 9)))
        if read_command(text).words is not None:
            texts.append(text)
    script = (
        'set -f\nls() { printf "%s:" "$#"; for w in "$@"; do printf "<%s>" "$w"; done; echo; }\n'
    )
    shell = str(shutil.which("sh"))
    done = subprocess.run(
        [shell, "-c", script + "\n".join(texts)],
        capture_output=True,
        encoding="utf-8",
        timeout=20,
        env={"PATH": "/nonexistent", "LC_ALL": "C.UTF-8"},
        check=True,
    )
    expected: list[str] = []
    for text in texts:
        words = (read_command(text).words or "").split(" ")[1:]
        expected.append(f"{len(words)}:" + "".join(f"<{word}>" for word in words))
    assert done.stdout.splitlines() == [line.replace("\x01", " ") for line in expected]
    assert done.stderr == ""
