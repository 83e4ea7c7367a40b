"""TypeScript as people write it: the sources that npm packages ship, or any folder of them."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final, cast

from .eraser import HERE
from .node import find_node, install, install_tools

STRIP: Final = HERE / "strip.mjs"
# Packages that ship their sources, in exact versions, and the folder that has them.
PACKAGES: Final = {
    "rxjs": ("7.8.2", "src"),
    "mobx": ("7.1.3", "src"),
    "immer": ("11.2.13", "src"),
    "@reduxjs/toolkit": ("2.15.0", "src"),
}


def _files(folder: Path) -> list[Path]:
    return sorted(
        path
        for path in folder.rglob("*.ts")
        if not path.name.endswith(".d.ts") and "node_modules" not in path.relative_to(folder).parts
    )


def package_folder(name: str) -> Path:
    """The folder of a package's sources, installed by npm if it is not yet.

    Raises:
        Unavailable: Node.js or npm is not here, or npm cannot install it.
    """
    version, folder = PACKAGES[name]
    return install({name: version}) / "node_modules" / name / folder


def sources_of(folder: Path) -> Iterator[tuple[str, str]]:
    """Path and text of each file under `folder` that TypeScript accepts, without module statements.

    Raises:
        Unavailable: as for `install_tools`.
    """
    node, _ = find_node()
    done = subprocess.run(
        [node, str(STRIP), str(install_tools())],
        input="\n".join(map(str, _files(folder))),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    for line in done.stdout.split("\n"):
        if line:
            answer = cast("dict[str, str]", json.loads(line))
            yield answer["path"], answer["source"]
