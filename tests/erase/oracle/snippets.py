"""The project's own texts: hazards with their exact output, and sample programs.

A file of ../hazards has cases that are separated by lines of four dashes. A case is a text, a line
`~~~>`, and what the eraser makes of it, or `! line:column: message`. A line of the output that ends in
a space is closed with ¶, because editors strip spaces there. The first lines of a file, up to an empty
one, say what its cases are about.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from .eraser import HERE, Erased, Eraser, Status

HAZARDS: Final = HERE.parent / "hazards"
SAMPLES: Final = HERE.parent / "samples"
BETWEEN: Final = "\n----\n"
ARROW: Final = "\n~~~>\n"
END: Final = "¶"


@dataclass(frozen=True, slots=True)
class Hazard:
    """A short text where an eraser can go wrong, and what comes out."""

    topic: str
    source: str
    expected: str


def _shown(text: str) -> str:
    return "\n".join(line + END if line.endswith(" ") else line for line in text.split("\n"))


def outcome(erased: Erased) -> str:
    """The output as hazards write it."""
    return erased.text if erased.status is Status.OK else f"! {erased.summary}"


def read_hazards(path: Path) -> tuple[str, list[Hazard]]:
    """The words at the head of a file, and its cases."""
    head, _, body = path.read_text(encoding="utf-8").partition("\n\n")
    cases: list[Hazard] = []
    for case in body.removesuffix("\n").split(BETWEEN):
        source, arrow, expected = case.partition(ARROW)
        if not arrow:
            source, arrow, expected = case.removesuffix("\n~~~>"), "", ""
        cases.append(
            Hazard(path.stem, source, expected.replace(f"{END}\n", "\n").removesuffix(END))
        )
    return head, cases


def hazards() -> list[Hazard]:
    return [case for path in sorted(HAZARDS.glob("*.txt")) for case in read_hazards(path)[1]]


def regenerate(eraser: Eraser) -> list[Path]:
    """Writes the present output into all hazards; returns the files that changed, to be reviewed."""
    changed: list[Path] = []
    for path in sorted(HAZARDS.glob("*.txt")):
        head, cases = read_hazards(path)
        text = format_hazards(
            head, [(case.source, outcome(eraser.erase(case.source))) for case in cases]
        )
        if text != path.read_text(encoding="utf-8"):
            path.write_text(text, encoding="utf-8")
            changed.append(path)
    return changed


def format_hazards(head: str, cases: Sequence[tuple[str, str]]) -> str:
    return f"{head}\n\n" + BETWEEN.join(f"{a}{ARROW}{_shown(b)}" for a, b in cases) + "\n"


def samples() -> Iterator[tuple[str, str]]:
    """Whole programs as a model would write them: name and text."""
    for path in sorted(SAMPLES.glob("*.ts")):
        yield path.stem, path.read_text(encoding="utf-8")
