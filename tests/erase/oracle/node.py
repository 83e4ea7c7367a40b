"""The Node side of the oracle: installs what compare.mjs needs, and runs it."""

import atexit
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, TypedDict, cast

from .eraser import HERE, Erased, Shape, Status, Unavailable, cache_folder

SCRIPT: Final = HERE / "compare.mjs"
PACKAGE: Final = HERE / "package.json"
OLDEST_NODE: Final = 18


class Facts(TypedDict):
    verdict: str
    detail: str
    constructs: list[str]
    codes: list[int]


@dataclass(frozen=True, slots=True)
class Pair:
    """A text and what the eraser made of it."""

    source: str
    erased: Erased


def find_node() -> tuple[str, str]:
    """The paths of node and npm.

    Raises:
        Unavailable: one of them is not here, or too old.
    """
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        raise Unavailable("Node.js with npm is not installed")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
    major = version.stdout.strip().removeprefix("v").split(".")[0]
    if not major.isdigit() or int(major) < OLDEST_NODE:
        raise Unavailable(f"Node.js {OLDEST_NODE} or newer is needed, not {version.stdout.strip()}")
    return node, npm


def install(dependencies: dict[str, str]) -> Path:
    """A folder whose node_modules has these packages in these exact versions, from the cache.

    Raises:
        Unavailable: npm cannot install them here.
    """
    _, npm = find_node()
    manifest = json.dumps({"private": True, "dependencies": dependencies}, sort_keys=True)
    folder = cache_folder() / "npm" / hashlib.sha256(manifest.encode()).hexdigest()[:32]
    if folder.exists():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, ignore_cleanup_errors=True) as name:
        work = Path(name) / "work"
        work.mkdir()
        (work / "package.json").write_text(manifest)
        command = [npm, "install", "--ignore-scripts", "--no-audit", "--no-fund"]
        command += ["--no-package-lock", "--legacy-peer-deps", "--omit=peer"]
        done = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
        if done.returncode:
            last = done.stderr.strip().splitlines()[:3]
            raise Unavailable(f"npm cannot install {', '.join(dependencies)}: {' '.join(last)}")
        try:
            work.rename(folder)
        except OSError:  # another process was faster
            if not folder.exists():
                raise
    return folder


def install_tools() -> Path:
    """The folder with TypeScript and acorn.

    Raises:
        Unavailable: Node.js or npm is not here, or npm cannot install them.
    """
    manifest = cast("dict[str, dict[str, str]]", json.loads(PACKAGE.read_text()))
    return install(manifest["dependencies"])


def _question(pair: Pair) -> str:
    erased = pair.erased
    is_ok = erased.status is Status.OK
    question = {
        "source": pair.source,
        "ok": is_ok,
        "output": erased.text if is_ok else erased.summary,
        "isExpression": erased.shape is Shape.EXPRESSION and erased.calls_default,
        "isDefault": erased.calls_default,
    }
    return json.dumps(question)


class _Judge:
    """One compare.mjs that answers until the process ends: its code is read and compiled once."""

    def __init__(self, node: str, tools: Path) -> None:
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._process = subprocess.Popen(
            [node, "--max-old-space-size=4096", str(SCRIPT), str(tools)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            env={**os.environ, "NODE_NO_WARNINGS": "1"},
        )
        atexit.register(self.close)

    def close(self) -> None:
        with self._said, self._process:
            self._process.kill()

    def ask(self, questions: Sequence[str]) -> list[Facts]:
        asked, answered = self._process.stdin, self._process.stdout
        assert asked is not None
        assert answered is not None
        text = "".join(f"{question}\n" for question in questions).encode()

        def send() -> None:
            with suppress(BrokenPipeError):  # why is in what it said
                asked.write(text)
                asked.flush()

        with ThreadPoolExecutor(1) as sender:  # neither pipe holds everything
            try:
                sender.submit(send)
                lines = [answered.readline() for _ in questions]
                if not all(lines):
                    self._said.seek(0)
                    said = self._said.read().decode()
                    raise RuntimeError(f"compare.mjs failed:\n{said[-2000:]}")
            except BaseException:  # an answer that nobody took would be the next one's
                self._process.kill()
                _judge.cache_clear()
                raise
        return [cast("Facts", json.loads(line)) for line in lines]


@cache
def _judge() -> _Judge:
    node, _ = find_node()
    return _Judge(node, install_tools())


def compare(pairs: Sequence[Pair]) -> list[Facts]:
    """Asks TypeScript about each text; the answers come in order.

    Raises:
        Unavailable: as for `install_tools`.
    """
    found = _judge().ask([_question(pair) for pair in pairs])
    for facts in found:
        facts.setdefault("codes", [])
    return found
