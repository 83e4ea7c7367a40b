"""Asks TypeScript about many texts and sorts the answers."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from .differences import FINE, Difference, classify
from .eraser import Eraser
from .node import Facts, Pair, compare


@dataclass(slots=True)
class Report:
    """How many texts had which verdict, and the faults: pairs that no chosen difference explains."""

    verdicts: Counter[str] = field(default_factory=Counter[str])
    differences: Counter[Difference] = field(default_factory=Counter[Difference])
    faults: list[tuple[Pair, Facts]] = field(default_factory=list[tuple[Pair, Facts]])

    @property
    def count(self) -> int:
        return self.verdicts.total()

    def fault_text(self, most: int = 10) -> str:
        return "\n".join(
            f"{facts['verdict']}: {pair.source!r}\n  {facts['detail']}"
            f"\n  constructs {facts['constructs']}, codes {facts['codes']}"
            for pair, facts in self.faults[:most]
        )


def check(texts: Iterable[str], eraser: Eraser) -> Report:
    """Erases each text and compares it with what TypeScript emits.

    Raises:
        Unavailable: Node.js or npm is not here, or npm cannot install TypeScript.
    """
    report = Report()
    pairs = [Pair(text, eraser.erase(text)) for text in texts]
    for pair, facts in zip(pairs, compare(pairs), strict=True):
        report.verdicts[facts["verdict"]] += 1
        if facts["verdict"] in FINE:
            continue
        difference = classify(pair, facts)
        if difference is None:
            report.faults.append((pair, facts))
        else:
            report.differences[difference] += 1
    return report
