"""The Node side of the oracle: installs what compare.mjs needs, and runs it."""

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypedDict, cast

from .eraser import HERE, Erased, Shape, Status, Unavailable, cache_folder

SCRIPT: Final = HERE / "compare.mjs"
PACKAGE: Final = HERE / "package.json"
BATCH: Final = 2_000
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


def compare(pairs: Sequence[Pair]) -> Iterator[Facts]:
    """Asks TypeScript about each text; the answers come in order.

    Raises:
        Unavailable: as for `install_tools`.
    """
    node, _ = find_node()
    tools = install_tools()
    for start in range(0, len(pairs), BATCH):
        batch = pairs[start : start + BATCH]
        done = subprocess.run(
            [node, "--max-old-space-size=4096", str(SCRIPT), str(tools)],
            input="\n".join(map(_question, batch)),
            capture_output=True,
            text=True,
            encoding="utf-8",
            env={**os.environ, "NODE_NO_WARNINGS": "1"},
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"compare.mjs failed:\n{done.stderr[-2000:]}")
        answers = [cast("Facts", json.loads(line)) for line in done.stdout.splitlines()]
        assert len(answers) == len(batch)
        for facts in answers:
            facts.setdefault("codes", [])
            yield facts
