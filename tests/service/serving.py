"""``codemode serve`` as a process of its own."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2

TOOLS = """
import asyncio, os
from pathlib import Path
from codemode.registry import Ask, ToolRegistry

registry = ToolRegistry(mode="both")
MARKS = Path(__file__).with_name("marks")

@registry.tool
async def mark(name: str) -> int:
    '''Leaves a mark that outlives the process.'''
    number = os.open(MARKS, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(number, f"{name}\\n".encode())
    os.close(number)
    return len(name)

@registry.tool
async def hold() -> None:
    '''Waits for ever.'''
    await asyncio.Event().wait()

@registry.tool
async def stubborn() -> None:
    '''Does not stop.'''
    while True:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            pass

@registry.tool
async def send(to: str) -> str:
    '''Sends.'''
    return f"sent to {to}"

@registry.tool
async def edit(path: str, old_string: str, new_string: str) -> str:
    '''Edits.'''
    return "edited"

registry.on_pre_execute(
    lambda exec, next: Ask("it reaches people") if exec.name in ("send", "edit") else next()
)
"""


class Process:
    """A service that runs."""

    def __init__(self, popen: subprocess.Popen[str], port: int, seen: list[str]) -> None:
        self.popen = popen
        self.seen = seen  # what it said until it was there
        self.port = port
        self.url = f"http://127.0.0.1:{port}"

    def client(self, token: str | None = None) -> httpx2.Client:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        return httpx2.Client(base_url=self.url, headers=headers, timeout=30)

    def kill(self) -> None:
        """As the kernel does it: nothing of the process goes on."""
        self.popen.kill()
        self.popen.wait(30)

    def end(self) -> str:
        """Asks it to end, and gives what it said meanwhile."""
        self.popen.send_signal(signal.SIGTERM)
        said = self.popen.communicate(timeout=50)[1]
        assert self.popen.returncode == 0, said
        return said


@contextmanager
def serve(folder: Path, *options: str, config: str | None = None) -> Generator[Process]:
    """Starts a service with ``TOOLS`` and its store in ``folder``, on a free port."""
    (folder / "tools.py").write_text(TOOLS)
    what = ["--tools", str(folder / "tools.py") + ":registry"]
    if config is not None:
        (folder / "service.yaml").write_text(config)
        what = ["--config", str(folder / "service.yaml")]
    popen = subprocess.Popen(
        [
            sys.executable, "-m", "codemode.service.cli", "serve", *what, "--port", "0",
            "--store", str(folder / "runs.sqlite"), *options,
        ],
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
    )  # fmt: skip
    try:
        assert popen.stderr is not None
        seen: list[str] = []
        for line in popen.stderr:
            seen.append(line)
            found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
            if found:
                yield Process(popen, int(found[1]), seen)
                break
        else:
            raise AssertionError("".join(seen))
    finally:
        popen.kill()
        popen.wait(30)
        if popen.stderr is not None:
            popen.stderr.close()


def begin(client: httpx2.Client, program: str) -> str:
    """Begins a run; gives its id."""
    headers = {"Prefer": "respond-async"}
    answer = client.post("/v1/runs", json={"program": program}, headers=headers)
    assert answer.status_code in (200, 202), answer.text  # it may have ended already
    run: dict[str, Any] = answer.json()
    return run["id"]


def events(client: httpx2.Client, run_id: str) -> list[dict[str, Any]]:
    """A run's events until now."""
    answer = client.get(f"/v1/runs/{run_id}/events", params={"limit": 200})
    found: dict[str, Any] = json.loads(answer.text)
    return found["events"]
