"""``codemode run``, as a user runs it."""

import json
import os
import pty
import signal
import subprocess
from pathlib import Path

import pytest

from .commands import COMMAND, codemode, said

RUN = [*COMMAND, "run"]

TOOLS = """
import asyncio
async def add(args): return args["a"] + args["b"]
async def hang(args):
    try:
        await asyncio.Event().wait()
    finally:
        print("hang was cancelled", flush=True)
TOOLS = {"add": add, "hang": hang}
WRONG = [add]
"""


@pytest.fixture
def tools(tmp_path: Path) -> str:
    file = tmp_path / "some_tools.py"
    file.write_text(TOOLS)
    return f"{file}:TOOLS"


def run(program: str, *options: str) -> subprocess.CompletedProcess[str]:
    return codemode("run", "-", *options, stdin=program)


def test_piped_output_is_the_values_json_alone(tools: str) -> None:
    done = run(
        "console.log('hi'); return { n: await tools.add({ a: 1, b: 2 }), s: 'é' }", "--tools", tools
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, '{"n":3,"s":"\\u00e9"}\n', "hi\n")


def test_a_program_without_a_value_prints_nothing() -> None:
    done = run("console.log('hi')")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "hi\n")


def test_a_file_is_run_and_found_missing_by_name(tmp_path: Path) -> None:
    file = tmp_path / "p.ts"
    file.write_text("return 1 as number")
    done = subprocess.run([*RUN, str(file)], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"
    missing = subprocess.run([*RUN, "no.ts"], capture_output=True, text=True, check=False)
    assert missing.returncode == 2
    assert "no.ts" in missing.stderr


@pytest.mark.parametrize(
    ("program", "options", "code", "words"),
    [
        (
            "throw new Error('boo')",
            [],
            1,
            ["exception: Error: boo", "1 | throw new Error('boo')", "^"],
        ),
        ("return 1 }", [], 1, ["SyntaxError"]),
        ("for (;;) {}", ["--compute", "100ms"], 3, ["timeout: compute budget"]),
        ("await new Promise((r) => setTimeout(r, 1e6))", ["--wall", "0.05s"], 3, ["wall-clock"]),
        ("return 'x'.repeat(2 ** 28).length", ["--memory", "16MiB"], 4, ["memory-limit"]),
        ("return 'x'.repeat(5000)", ["--value", "1kb"], 5, ["output-limit"]),
        ("return [NaN]", [], 6, ["invalid-output: NaN at value[0]"]),
    ],
)
def test_the_exit_code_and_the_text_say_how_a_program_failed(
    program: str, options: list[str], code: int, words: list[str]
) -> None:
    done = run(program, *options)
    assert done.returncode == code
    assert done.stdout == ""
    for word in words:
        assert word in done.stderr


def test_what_was_printed_before_a_failure_is_shown(tools: str) -> None:
    done = run("console.log('before'); await tools.add()", "--tools", tools)
    assert done.stderr.startswith("before\ncodemode: exception: ToolCallError")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--compute", "300"], "not a duration"),
        (["--memory", "lots"], "not a size"),
        (["--memory", "1KiB"], "memory_bytes must be between"),
        (["--tools", "nothing"], "module:name"),
        (["--tools", "no_such_module:X"], "cannot import"),
        (["--tools", "no_such.py:X"], "there is no file"),
        (["--calls", "0"], "calls must be between"),
    ],
)
def test_a_wrong_option_says_what_to_write(options: list[str], words: str) -> None:
    done = run("return 1", *options)
    assert done.returncode == 2
    assert words in said(done)


def test_tools_that_are_no_mapping_of_functions_are_refused(tools: str) -> None:
    for name, words in (("WRONG", "or a mapping of names"), ("MISSING", "has no MISSING")):
        done = run("return 1", "--tools", tools.replace("TOOLS", name))
        assert done.returncode == 2
        assert words in said(done)


def test_text_that_is_not_utf8_is_refused() -> None:
    done = subprocess.run([*RUN, "-"], input=b"return '\xff'", capture_output=True, check=False)
    assert done.returncode == 2
    assert b"not UTF-8" in done.stderr


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    file = tmp_path / "p.ts"
    file.write_text("return 'x'.repeat(1_000_000)")
    process = subprocess.Popen(
        [*RUN, str(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.wait(timeout=30) == 141
    assert process.stderr is not None
    assert process.stderr.read() == ""
    process.stderr.close()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs Linux's /dev/full")
def test_an_output_that_cannot_be_written_is_told_apart_from_the_program(tmp_path: Path) -> None:
    file = tmp_path / "p.ts"
    file.write_text("console.log('log'); return 'value'")
    with Path("/dev/full").open("w") as full:
        value = subprocess.run([*RUN, str(file)], stdout=full, stderr=subprocess.PIPE, check=False)
        log = subprocess.run([*RUN, str(file)], stdout=subprocess.PIPE, stderr=full, check=False)
    assert value.returncode == 74
    assert b"cannot be written" in value.stderr
    assert (log.returncode, log.stdout) == (0, b'"value"\n')


def test_the_same_seed_gives_the_same_run() -> None:
    first, again = (
        run("return [Math.random(), crypto.randomUUID()]", "--seed", "5") for _ in range(2)
    )
    assert first.stdout == again.stdout


def test_an_interrupt_aborts_and_drains(tools: str) -> None:
    process = subprocess.Popen(
        [*RUN, "-", "--tools", tools],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stderr is not None
    process.stdin.write("tools.hang({}); console.log('going'); for (;;) await null")
    process.stdin.close()
    assert process.stderr.readline() == "going\n"
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 130
    assert process.stdout is not None
    assert process.stdout.read() == "hang was cancelled\n"
    assert "abort: interrupted by SIGINT" in process.stderr.read()
    process.stdout.close()
    process.stderr.close()


def test_a_terminal_gets_logs_then_the_value_and_no_control_character() -> None:
    controller, terminal = pty.openpty()
    program = "console.log('\\x1b[2Jred\\x07'); return { text: '\\u202Eevil', n: [1] }"
    process = subprocess.Popen([*RUN, "-"], stdin=subprocess.PIPE, stdout=terminal, stderr=terminal)
    assert process.stdin is not None
    process.stdin.write(program.encode())
    process.stdin.close()
    assert process.wait(timeout=30) == 0
    os.close(terminal)
    shown = os.read(controller, 65536).decode()
    os.close(controller)
    assert shown.splitlines()[0] == "\\x1b[2Jred\\x07"
    assert json.loads("\n".join(shown.splitlines()[1:]).replace("\\u202e", "")) == {
        "text": "evil",
        "n": [1],
    }
    assert "\x1b" not in shown
    assert "\u202e" not in shown
