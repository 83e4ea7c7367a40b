"""The guest's build: the same bytes again, and helpful when it cannot."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BUILD = [sys.executable, str(ROOT / "wasm" / "guest_build.py")]
needs_zig = pytest.mark.skipif(
    importlib.util.find_spec("ziglang") is None, reason="ziglang is not installed"
)


def build(folder: Path, *options: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "CODEMODE_CACHE_DIR": str(folder), **variables}
    return subprocess.run(
        [*BUILD, *options], capture_output=True, text=True, check=False, env=environment
    )


@needs_zig
@pytest.mark.slow
@pytest.mark.timeout(400)
def test_a_build_from_nothing_gives_the_bytes_that_are_installed(tmp_path: Path) -> None:
    installed = (ROOT / "runtime" / "guest.wasm").read_bytes()
    done = build(tmp_path)
    assert done.returncode == 0, done.stderr
    (built,) = (tmp_path / "codemode" / "guest").iterdir()
    assert built.read_bytes() == installed


@needs_zig
def test_a_source_archive_with_another_hash_is_refused(tmp_path: Path) -> None:
    archive = tmp_path / "quickjs.tar.gz"
    archive.write_bytes(b"not the release")
    done = build(tmp_path, CODEMODE_QUICKJS_SDIST=str(archive))
    assert done.returncode == 1
    assert "not the pinned" in done.stderr


@needs_zig
def test_a_source_archive_that_is_missing_is_named(tmp_path: Path) -> None:
    done = build(tmp_path, CODEMODE_QUICKJS_SDIST=str(tmp_path / "gone.tar.gz"))
    assert done.returncode == 1
    assert "gone.tar.gz" in done.stderr


@needs_zig
def test_a_failing_download_says_what_to_do(tmp_path: Path) -> None:
    index = (tmp_path / "empty").as_uri()
    done = build(
        tmp_path,
        PIP_INDEX_URL=index,
        PIP_EXTRA_INDEX_URL="",
        PIP_CONFIG_FILE=os.devnull,
        PIP_NO_INDEX="1",
    )
    assert done.returncode == 1
    assert "CODEMODE_QUICKJS_SDIST" in done.stderr
