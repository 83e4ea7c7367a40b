"""A service in a process of its own, its page in a real browser, and a watch on what goes wrong there."""

import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import httpx2
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect, sync_playwright

from codemode.service.store import open_tokens

TOOLS: Final = Path(__file__).with_name("page_tools.py")
CHROMIUM: Final = shutil.which("chromium")
ARGUMENTS: Final = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
MOST_TABS: Final = 60

expect.set_options(timeout=10_000)


@dataclass(frozen=True)
class Site:
    """The service, as its API has it."""

    url: str
    token: str
    client: httpx2.Client

    @property
    def port(self) -> int:
        return urlsplit(self.url).port or 0

    def start(self, program: str, **more: Any) -> str:
        """Begins a program; gives its run's id."""
        return self.begin(program=program, **more)

    def begin(self, **new: Any) -> str:
        answer = self.client.post("/v1/runs", json=new, headers={"Prefer": "respond-async"})
        assert answer.is_success, answer.text
        return answer.json()["id"]

    def release(self) -> None:
        """Lets programs go on that wait in ``tools.hold``."""
        answer = self.client.post("/v1/runs", json={"tool": "release", "arguments": {}})
        assert answer.json()["state"] == "succeeded", answer.text

    def run(self, run_id: str) -> dict[str, Any]:
        return self.client.get(f"/v1/runs/{run_id}").json()

    def pending(self) -> list[dict[str, Any]]:
        return self.client.get("/v1/approvals?state=pending").json()["approvals"]

    def decide(self, approval_id: str, decision: str) -> None:
        path = f"/v1/approvals/{approval_id}"
        assert self.client.post(path, json={"decision": decision}).is_success

    def abort_all(self) -> None:
        for run in self.client.get("/v1/runs?state=running&limit=200").json()["runs"]:
            self.client.delete(f"/v1/runs/{run['id']}")


@contextmanager
def served(folder: Path) -> Generator[Site]:
    """``codemode serve`` with one token, until the block ends."""
    store = str(folder / "runs.sqlite")
    with open_tokens(store) as tokens:
        _, token = tokens.new("ada", grants="{}")
    command = [sys.executable, "-m", "codemode.service.cli", "serve", "--port", "0"]
    command += ["--tools", f"{TOOLS}:registry", "--store", store]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=folder) as process:
        assert process.stderr is not None
        try:
            url = _address(line for line in process.stderr)
            headers = {"Authorization": f"Bearer {token}"}
            with httpx2.Client(base_url=url, headers=headers, timeout=20) as client:
                yield Site(url, token, client)
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


def _address(lines: Generator[str]) -> str:
    told: list[str] = []
    for line in lines:
        told.append(line)
        found = re.search(r"at (http://127\.0\.0\.1:\d+)", line)
        if found:
            return found[1]
    raise AssertionError("".join(told))


@contextmanager
def browsing() -> Generator[Browser]:
    """Debian's Chromium, until the block ends."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@dataclass
class Watch:
    """What a page did that it must not: errors, refused contents, requests to elsewhere. ``allowed`` are
    patterns of console messages that a test brings about."""

    url: str
    allowed: list[str] = field(default_factory=list[str])
    faults: list[str] = field(default_factory=list[str])

    def follow(self, page: Page) -> None:
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.faults.append(f"raised: {error}"))
        page.on("request", self._request)
        page.on("dialog", lambda dialog: self.faults.append(f"dialog: {dialog.message}"))

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.faults.append(f"{message.type}: {message.text}")

    def _request(self, request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme != "about" and address.netloc != urlsplit(self.url).netloc:
            self.faults.append(f"requested: {request.url}")

    def check(self) -> None:
        allowed = re.compile("|".join(self.allowed) or r"(?!)")
        assert [each for each in self.faults if not allowed.search(each)] == []


def sign_in(page: Page, site: Site) -> None:
    """Gives the browser the cookie that the sign-in form would give it."""
    page.context.add_cookies(
        [
            {
                "name": "codemode_token",
                "value": site.token,
                "url": site.url,
                "httpOnly": True,
                "sameSite": "Strict",
            }
        ]
    )


def tab_to(page: Page, name: str) -> None:
    """Moves the focus by the Tab key until it is on what has this text."""
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent.trim()") == name:
            return
    raise AssertionError(f"the Tab key does not reach {name!r}")


def text_of(value: object) -> str:
    """A value as a literal of a program."""
    return json.dumps(value)
