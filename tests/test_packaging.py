"""What is installed is what is in the folders."""

import json
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PINS = json.loads((ROOT / "wasm" / "pins.json").read_text())
FOLDERS = ("runtime", "registry", "sdkgen", "service")


def test_every_package_folder_is_installed() -> None:
    found = {"codemode"}
    for top in FOLDERS:
        for init in (ROOT / top).rglob("__init__.py"):
            found.add("codemode." + ".".join(init.parent.relative_to(ROOT).parts))
    assert set(PROJECT["tool"]["setuptools"]["packages"]) == found


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_links_for_type_checkers_point_to_the_folders(folder: str) -> None:
    link = ROOT / "src" / "codemode" / folder
    assert link.is_symlink()
    assert link.resolve() == ROOT / folder


def test_the_pinned_wasmtime_is_the_one_that_is_installed_and_required() -> None:
    assert version("wasmtime") == PINS["wasmtime"]
    assert f"wasmtime=={PINS['wasmtime']}" in PROJECT["project"]["dependencies"]


def test_every_dependency_says_what_it_is_for() -> None:
    text = (ROOT / "pyproject.toml").read_text()
    block = text[text.index("dependencies = [") : text.index("[project.scripts]")]
    for line in block.splitlines()[1:]:
        assert not line.strip().startswith('"') or "#" in line, line


def test_files_stay_small_enough_to_read() -> None:
    for path in ROOT.rglob("*"):
        parts = path.relative_to(ROOT).parts
        if parts[0] in (*FOLDERS, "wasm", "benchmarks") and path.suffix in {
            ".py",
            ".c",
            ".h",
            ".js",
        }:
            assert len(path.read_text().splitlines()) <= 400, path
