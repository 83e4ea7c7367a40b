"""The package is pure: standard library only, and of that nothing that reads, waits or tells time."""

import ast
import sys
from pathlib import Path

import codemode.sdkgen as package

FOLDER = Path(package.__file__).parent
ALLOWED = {
    "bisect",
    "collections",
    "dataclasses",
    "itertools",
    "json",
    "math",
    "re",
    "typing",
    "urllib",
}


def test_no_module_imports_more_than_it_may() -> None:
    for file in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module or ""]
            for name in names:
                assert name.split(".")[0] in ALLOWED & sys.stdlib_module_names, file.name
                assert name != "urllib.request"


def test_no_module_is_longer_than_one_can_read() -> None:
    assert [f.name for f in FOLDER.glob("*.py") if len(f.read_text().splitlines()) > 400] == []


def test_what_is_exported_exists_and_is_said_what_it_is() -> None:
    assert sorted(package.__all__) == sorted(set(package.__all__))
    assert all(hasattr(package, name) for name in package.__all__)
    assert all(getattr(package, name).__doc__ for name in package.__all__ if name.islower())
