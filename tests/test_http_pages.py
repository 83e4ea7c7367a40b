"""The commands of docs/http.md run, one after another, and the files of docs/deployment.md fit."""

import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from codemode.service.config import check_document, parse_document
from codemode.service.http import _errors  # pyright: ignore[reportPrivateUsage]
from codemode.service.runs import RequestError

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
READY = "curl -s --retry 30 --retry-delay 1 --retry-connrefused http://127.0.0.1:8321/readyz"
HTTP = (ROOT / "docs/http.md").read_text()
DEPLOYMENT = (ROOT / "docs/deployment.md").read_text()


def block(page: str, language: str) -> str:
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)[0]


def run(folder: Path, script: str) -> str:
    """What a page's commands print, with ``codemode`` on the path and a port of their own."""
    shutil.copytree(ROOT / "examples", folder / "examples")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    script = script.replace("8321", port).replace("codemode serve", f"codemode serve --port {port}")
    commands = folder / "bin"
    commands.mkdir()
    (commands / "codemode").write_text(
        f'#!/bin/sh\nexec {sys.executable} -m codemode.service.cli "$@"\n'
    )
    (commands / "codemode").chmod(0o755)
    done = subprocess.run(
        ["bash", "-euc", f"trap 'kill $(jobs -p); wait' EXIT\n{script}"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=50,
        env={
            **os.environ,
            "PATH": f"{commands}:{os.environ['PATH']}",
            "CODEMODE_SERVER": f"http://127.0.0.1:{port}",
            "XDG_STATE_HOME": str(folder / "state"),
        },
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_readmes_session_is_one(tmp_path: Path) -> None:
    (session,) = [
        b for b in re.findall(r"```console\n(.*?)```", README, re.DOTALL) if "codemode serve" in b
    ]
    commands = [line.removeprefix("$ ") for line in session.splitlines() if line.startswith("$ ")]
    commands.insert(1, READY)
    said = run(tmp_path, "\n".join(commands))
    assert '"state":"succeeded"' in said
    assert '"result":42' in said
    assert said.endswith("nothing waits for an answer\n")
    assert (tmp_path / "state/codemode/runs.sqlite").exists()


def test_the_quick_start_runs_as_it_is_written(tmp_path: Path) -> None:
    blocks = re.findall(r"```bash\n(.*?)```", HTTP, re.DOTALL)
    assert len(blocks) == 7
    assert READY in blocks[0]
    script = "\n".join(f"echo '== {number}'\n{each}" for number, each in enumerate(blocks))
    said = re.split(r"== \d\n", run(tmp_path, script))[1:]
    for text, expected in zip(
        said,
        (
            '"status":"ok"',
            '"result":6450',
            "event: result",
            '"state":"running"',
            "refund_order: allowed",
            '"state":"succeeded"',
            "revoked tok_",
        ),
        strict=True,
    ):
        assert expected in text, (expected, text)


def test_the_commands_of_the_deployment_page_run(tmp_path: Path) -> None:
    session = re.findall(r"```console\n(.*?)```", DEPLOYMENT, re.DOTALL)[0]
    commands = [line.removeprefix("$ ") for line in session.splitlines()]
    assert commands[-1] == "codemode serve --config codemode.yaml"
    config = block(DEPLOYMENT, "yaml").replace("shop.py", "examples/shop.py")
    config, replaced = re.subn(r"store: postgresql\S+", "store: runs.sqlite", config)
    assert replaced == 1
    (tmp_path / "codemode.yaml").write_text(config)
    said = run(tmp_path, "\n".join([*commands[:-1], f"{commands[-1]} &", READY]))
    assert "cm_" in said
    assert '"status":"ok"' in said
    assert (tmp_path / "runs.sqlite").exists()


def test_the_configuration_is_one(tmp_path: Path) -> None:
    loaded = check_document(parse_document("page", block(DEPLOYMENT, "yaml"), is_json=False), {})
    settings = loaded.config.service
    assert settings.max_runs == 128
    assert set(type(settings).model_fields) <= set(
        re.findall(r"^  (\w+):", DEPLOYMENT, re.MULTILINE)
    )


def test_the_unit_is_one_that_systemd_takes(tmp_path: Path) -> None:
    unit = block(DEPLOYMENT, "ini")
    assert "ExecStart=/srv/codemode/.venv/bin/codemode serve --config codemode.yaml" in unit
    if shutil.which("systemd-analyze") is None:
        pytest.skip("there is no systemd-analyze here")
    file = tmp_path / "codemode.service"
    file.write_text(unit.replace("/srv/codemode/.venv/bin/codemode", "/bin/true"))
    done = subprocess.run(
        ["systemd-analyze", "verify", str(file)], capture_output=True, text=True, check=False
    )
    assert "codemode.service" not in done.stderr, done.stderr


def test_every_code_of_an_error_is_in_the_page() -> None:
    kinds = {kind.code for kind in RequestError.__subclasses__()}
    for code in kinds | set(_errors._CODES.values()):  # pyright: ignore[reportPrivateUsage]
        assert f"`{code}`" in HTTP, code
