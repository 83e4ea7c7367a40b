"""``python -m tests.erase.oracle``; see the package's docstring."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from . import __doc__ as description
from .eraser import Eraser, Unavailable
from .mutants import mutants
from .report import check
from .snippets import hazards, regenerate, samples
from .sources import PACKAGES, package_folder, sources_of


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


def _run(title: str, texts: Sequence[str], eraser: Eraser) -> int:
    report = check(texts, eraser)
    _say(f"{title}: {report.count} texts, {len(report.faults)} faults")
    for name, count in report.verdicts.most_common():
        _say(f"  {count:7}  {name}")
    for difference, count in report.differences.most_common():
        _say(f"  {count:7}  chosen: {difference}")
    if report.faults:
        _say(report.fault_text())
    return len(report.faults)


def _texts(arguments: argparse.Namespace) -> list[tuple[str, list[str]]]:
    folders: list[Path] = arguments.folders
    if arguments.text is not None:
        return [("the text", [arguments.text])]
    if arguments.packages:
        folders = [*folders, *map(package_folder, PACKAGES)]
    if folders:
        return [(str(folder), [text for _, text in sources_of(folder)]) for folder in folders]
    own = [case.source for case in hazards()] + [text for _, text in samples()]
    seed = arguments.seed
    mutated = list(mutants(seed, arguments.mutants))
    return [("own snippets", own), (f"mutants of seed {seed}", mutated)]


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.erase.oracle",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folders", nargs="*", type=Path, help="folders of .ts files")
    parser.add_argument("--packages", action="store_true", help="sources of npm packages")
    parser.add_argument("--mutants", type=int, default=2_000, metavar="COUNT")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--text", help="one text")
    parser.add_argument("--regenerate", action="store_true", help="write the hazards' outputs anew")
    arguments = parser.parse_args()
    try:
        eraser = Eraser(counts=False)
        if arguments.regenerate:
            changed = regenerate(eraser)
            _say("\n".join(map(str, changed)) or "nothing changed")
            return 0
        if arguments.text is not None:
            _say(eraser.erase(arguments.text).summary)
        return min(1, sum(_run(title, texts, eraser) for title, texts in _texts(arguments)))
    except Unavailable as reason:
        sys.stderr.write(f"{reason}\n")
        return 2


if __name__ == "__main__":
    sys.exit(main())
