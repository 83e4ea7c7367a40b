"""The blocks of the README and of the pages run and print what they say."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PYTHON = [
    pytest.param(block, id=f"{page.stem}-{number}")
    for page in PAGES
    for number, block in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL))
]
SHELL = re.findall(r"```bash\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("block", PYTHON)
def test_a_python_block_prints_what_it_shows(block: str) -> None:
    expected = re.findall(r"^#> ?(.*)$", block, re.MULTILINE)
    assert expected
    done = subprocess.run(
        [sys.executable, "-c", block], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.rstrip("\n").split("\n") == expected


def test_the_first_command_runs_the_main_job() -> None:
    """Its last part; ``.ci/run`` runs the whole in a clean clone."""
    command = SHELL[0].strip().split(" && ")[-1].replace(".venv/bin/codemode ", "")
    assert SHELL[0].startswith("python3 -m venv .venv && .venv/bin/pip install -e '.[dev]' && ")
    done = subprocess.run(
        [sys.executable, "-m", "codemode.service.cli", *command.split()],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    (shown,) = re.findall(r"```json\n(.*?)```", README, re.DOTALL)
    assert json.loads(done.stdout) == json.loads(shown)
    assert done.stderr.splitlines() == ["read 2 orders", "read 2 orders"]


def test_the_second_command_runs_these_tests() -> None:
    assert SHELL[1].strip() == ".venv/bin/python -m pytest"
    assert len(SHELL) == 2
