"""``codemode`` as a user runs it, without waiting each time for what it imports."""

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

COMMAND: Final = [sys.executable, "-m", "codemode.service.cli"]
ENVIRONMENT: Final = {**os.environ, "NO_COLOR": "1", "TERMINAL_WIDTH": "300"}
WARM: Final = Path(__file__).with_name("warm_command.py")


class _Warm:
    """A process of warm_command.py, which ends with this one."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair()
        self._socket.settimeout(50)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", str(WARM), str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env=ENVIRONMENT,
                start_new_session=True,
            )
        atexit.register(self.close)

    def close(self) -> None:
        with self._socket, self._process, suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def run(self, arguments: tuple[str, ...], stdin: str) -> subprocess.CompletedProcess[str]:
        request = json.dumps([os.getcwd(), *arguments]).encode()
        read, write = os.pipe()
        with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
            try:
                streams = [read, stdout.fileno(), stderr.fileno()]
                socket.send_fds(self._socket, [request], streams)
                os.close(read)
                with open(write, "wb") as given:
                    given.write(stdin.encode())
                status = int(self._socket.recv(16))
            except BaseException:
                self.close()
                _warm.cache_clear()
                raise
            stdout.seek(0)
            stderr.seek(0)
            return subprocess.CompletedProcess(
                [*COMMAND, *arguments], status, stdout.read().decode(), stderr.read().decode()
            )


@cache
def _warm() -> _Warm:
    return _Warm()


def codemode(
    *arguments: str, stdin: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Runs the command to its end: in a fork, or, if it needs an environment, in a new process."""
    if not environment:
        return _warm().run(arguments, stdin)
    return subprocess.run(
        [*COMMAND, *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={**ENVIRONMENT, **environment},
    )


def said(done: subprocess.CompletedProcess[str]) -> str:
    """What it wrote to standard error, without the frame and the lines' ends."""
    return " ".join(done.stderr.replace("│", " ").split())
