"""A signal ends a command in order, also while its servers start."""

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from .commands import COMMAND

STUBBORN = """
import os, signal, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
with open(sys.argv[1], "w") as told:
    told.write(str(os.getpid()))
while True:
    signal.pause()
"""


SIGNALLED: list[tuple[tuple[str, ...], signal.Signals]] = [
    (("tools",), signal.SIGTERM),
    (("doctor",), signal.SIGTERM),
    (("mcp",), signal.SIGTERM),
    (("mcp", "--http", "0"), signal.SIGTERM),
    (("run", "-"), signal.SIGTERM),
    (("run", "-"), signal.SIGINT),
]


def _signal(folder: Path, arguments: tuple[str, ...], number: signal.Signals) -> tuple[int, bool]:
    """Starts it, signals it while a server starts; its exit status, and whether the server is gone."""
    (folder / "stubborn.py").write_text(STUBBORN)
    told = folder / "pid"
    os.mkfifo(told)
    server = {"command": sys.executable, "args": [str(folder / "stubborn.py"), str(told)]}
    config = folder / "c.yaml"
    config.write_text(json.dumps({"servers": {"stubborn": server}}))
    with subprocess.Popen(
        [*COMMAND, *arguments, "--config", str(config)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdin is not None
        if arguments[0] == "run":
            process.stdin.write(b"return 1")
            process.stdin.close()
        child = int(told.read_text())  # waits until the server has written it
        process.send_signal(number)
        status = process.wait(timeout=30)
    try:
        os.kill(child, 0)
    except ProcessLookupError:
        return status, True
    return status, False


@pytest.fixture(scope="module")
def signalled(tmp_path_factory: pytest.TempPathFactory) -> list[Future[tuple[int, bool]]]:
    """All at once: each waits some seconds for its server to stop of itself."""
    with ThreadPoolExecutor(len(SIGNALLED)) as pool:
        return [pool.submit(_signal, tmp_path_factory.mktemp("s"), *each) for each in SIGNALLED]


@pytest.mark.slow
@pytest.mark.parametrize(("arguments", "number"), SIGNALLED, ids=str)
def test_a_signal_while_servers_start_leaves_nothing_running(
    signalled: list[Future[tuple[int, bool]]], arguments: tuple[str, ...], number: signal.Signals
) -> None:
    status, is_gone = signalled[SIGNALLED.index((arguments, number))].result()
    assert status in (128 + number, 130)
    assert is_gone
