"""The real TypeScript compiler, as the judge of what the package emits."""

import json
import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from erase.oracle.node import find_node, install

TYPESCRIPT: Final = {"typescript": "5.9.3"}
_LINE: Final = re.compile(r"(?:.*/)?([^/]+)\.ts\((\d+),\d+\): error (TS\d+): (.*)")


@dataclass(frozen=True, slots=True)
class Diagnostic:
    file: str
    line: int
    code: str
    text: str


class Compiler:
    """`tsc --strict` over a few files at a time."""

    def __init__(self) -> None:
        self._node, _ = find_node()
        self.library = install(TYPESCRIPT) / "node_modules" / "typescript" / "lib"

    def check(self, files: Mapping[str, str], *, module: bool = False) -> list[Diagnostic]:
        """What the compiler says about the files, by the names given. As scripts they share one
        scope with the default libraries (DOM included), `module` gives each its own."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                head = "export {}; " if module else ""
                (Path(folder) / f"{name}.ts").write_text(f"{head}{text}\n", encoding="utf-8")
            paths = [str(Path(folder) / f"{name}.ts") for name in files]
            command = [self._node, "--max-old-space-size=3000", str(self.library / "tsc.js")]
            command += ["--strict", "--noEmit", "--pretty", "false", "--target", "es2022"]
            command += ["--skipLibCheck", *(["--lib", "es2022"] if module else [])]
            done = subprocess.run([*command, *paths], capture_output=True, text=True, check=False)
        found = [_LINE.fullmatch(line) for line in done.stdout.splitlines()]
        said = [Diagnostic(m[1], int(m[2]), m[3], m[4]) for m in found if m]
        if done.returncode and not said:
            raise RuntimeError(f"tsc failed: {done.stdout[:1000]}{done.stderr[:1000]}")
        return said

    def refused(self, lines: Sequence[str], *, before: str = "") -> set[int]:
        """The indices of the lines that do not compile, each by itself, after the text `before`."""
        head = before.count("\n") + 1
        return {
            at.line - 1 - head
            for at in self.check({"lines": "\n".join([before, *lines])}, module=True)
            if at.line > head
        }


def literal(value: object) -> str:
    """A JSON value as the type of exactly this value; unlike a value's own, it may have any members."""
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, list):
        return f"[{', '.join(map(literal, cast('list[object]', value)))}]"
    if isinstance(value, dict):
        members = cast("dict[str, object]", value).items()
        return f"{{ {'; '.join(f'{json.dumps(k)}: {literal(v)}' for k, v in members)} }}"
    return json.dumps(value).replace("e+", "e")
