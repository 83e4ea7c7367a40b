"""The ground-truth calls of BFCL's four multi-turn categories, natively and by programs: the same?

python benchmarks/bfcl.py [--quick] [--json]

Needs ``pip install --no-deps bfcl-eval==2026.3.23 mpmath==1.3.0``. The exit code is 1
unless every scenario gives the same results and the same end state both ways.

This shows that code mode loses nothing on the way, and what a turn costs here; no model takes part. The
programs are generated, one a turn: literal arguments, every result returned. A model would return less.
Bytes are of one conversation with the prompt counted once; a model reads it anew at each request.
"""

import argparse
import asyncio
import json
import statistics
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Final

from bfcl_data import CATEGORIES, load, missing
from bfcl_replay import Outcome, replay

from codemode.runtime import QuickJSRuntime

EVERY_QUICK: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """One category's sums, and means per scenario."""

    scenarios: int
    same: int
    calls: int
    native_requests: int
    code_requests: int
    native_ms: float
    code_ms: float
    native_prompt_bytes: float
    code_prompt_bytes: float
    native_result_bytes: float
    code_result_bytes: float
    native_call_bytes: float
    code_call_bytes: float
    over_default_output: int
    big_integers: int
    sent_kinds: int
    dispatched_kinds: int
    returned_kinds: int
    member_order: int
    violations: int
    unlike_package: int


LABELS: Final[Mapping[str, str]] = {
    "scenarios": "scenarios",
    "same": "  the same both ways",
    "calls": "calls, made both ways",
    "native_requests": "requests, native (one call each)",
    "code_requests": "requests, code (one program a turn)",
    "native_ms": "ms a scenario, native",
    "code_ms": "ms a scenario, code",
    "native_prompt_bytes": "prompt and tools, bytes, native",
    "code_prompt_bytes": "prompt and tools, bytes, code",
    "native_result_bytes": "results read, bytes, native",
    "code_result_bytes": "results read, bytes, code",
    "native_call_bytes": "calls written, bytes, native",
    "code_call_bytes": "calls written, bytes, code",
    "over_default_output": "programs over the default output limit",
    "big_integers": "results with integers beyond 2^53-1 (1)",
    "sent_kinds": "arguments with 36.0 that a program sent as 36 (2)",
    "dispatched_kinds": "  tools' results that differ by it",
    "returned_kinds": "results with 36.0 that a program gave as 36 (2)",
    "member_order": "results with members in another order (3)",
    "violations": "results that contradict their docs (4)",
    "unlike_package": "results that BFCL itself writes otherwise (5)",
}
NOTES: Final = """\
(1) They reach a program as decimal text, and the log says so: compared with that text, digit by digit.
(2) A number of JavaScript's is no int and no float; compared by value. No text differs by it,
    neither of a result nor in the end state.
(3) JavaScript lists integer-like keys first; members are compared in any order.
(4) Typed and passed on, not refused; the same ones both ways.
(5) Native results against those of the package's own executor, text by text. Only what is no JSON
    differs: mpf(2.0) of `logarithm` is 2.0 here, and `...` in a list is "Ellipsis"."""

_UNCHECKED: Final = "'s arguments contradict its docs: not validated"
_EARLY: Final = " is called before the turn at which it is to appear: there throughout"


def figures(outcomes: Sequence[Outcome]) -> Figures:
    """The figures of some outcomes."""

    def total(of: Callable[[Outcome], int]) -> int:
        return sum(map(of, outcomes))

    def mean(of: Callable[[Outcome], float]) -> float:
        return round(statistics.fmean(map(of, outcomes)), 3)

    return Figures(
        scenarios=len(outcomes),
        same=total(lambda o: not o.problems),
        calls=total(lambda o: o.calls),
        native_requests=total(lambda o: o.native.requests),
        code_requests=total(lambda o: o.code.requests),
        native_ms=mean(lambda o: o.native.seconds * 1000),
        code_ms=mean(lambda o: o.code.seconds * 1000),
        native_prompt_bytes=mean(lambda o: o.native.defined),
        code_prompt_bytes=mean(lambda o: o.code.defined),
        native_result_bytes=mean(lambda o: o.native.returned),
        code_result_bytes=mean(lambda o: o.code.returned),
        native_call_bytes=mean(lambda o: o.native.written),
        code_call_bytes=mean(lambda o: o.code.written),
        over_default_output=total(lambda o: o.code.over_default),
        big_integers=total(lambda o: o.big_integers),
        sent_kinds=total(lambda o: o.sent_kinds),
        dispatched_kinds=total(lambda o: o.dispatched_kinds),
        returned_kinds=total(lambda o: o.returned_kinds),
        member_order=total(lambda o: o.member_order),
        violations=total(lambda o: sum(o.code.violations)),
        unlike_package=total(lambda o: len(o.unlike_package)),
    )


async def measure(every: int = 1) -> dict[str, list[Outcome]]:
    """The outcomes of each category; of one scenario in ``every``."""
    outcomes: dict[str, list[Outcome]] = {}
    async with QuickJSRuntime() as runtime:
        for category in CATEGORIES:
            scenarios = load(category)[::every]
            outcomes[category] = [await replay(scenario, runtime) for scenario in scenarios]
    return outcomes


def faults(outcomes: Iterable[Outcome]) -> list[str]:
    """What is wrong with the data itself, and what was done about it."""
    found: list[str] = []
    for scenario in (outcome.scenario for outcome in outcomes):
        found += [f"{scenario.id}: {name}{_UNCHECKED}" for name in sorted(scenario.unchecked)]
        found += [f"{scenario.id}: {name}{_EARLY}" for name in sorted(scenario.early)]
    return found


def _show(by_category: Mapping[str, Figures], everything: Sequence[Outcome]) -> None:
    columns = {**by_category, "all": figures(everything)}
    rows = {name: asdict(each) for name, each in columns.items()}
    print(f"{'':48}{''.join(f'{name:>14}' for name in rows)}")  # noqa: T201
    for key, label in LABELS.items():
        cells = (row[key] for row in rows.values())
        texts = (f"{x:>14,.2f}" if key.endswith("_ms") else f"{round(x):>14,}" for x in cells)
        print(f"{label:48}{''.join(texts)}")  # noqa: T201
    print(NOTES)  # noqa: T201
    print("Faults of the data:", *faults(everything), sep="\n  ")  # noqa: T201


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--quick", action="store_true", help=f"every {EVERY_QUICK}th scenario")
    arguments.add_argument("--json", action="store_true", help="one JSON object")
    given = arguments.parse_args()
    problem = missing()
    if problem is not None:
        arguments.error(problem)
    outcomes = asyncio.run(measure(EVERY_QUICK if given.quick else 1))
    everything = [outcome for each in outcomes.values() for outcome in each]
    by_category = {category: figures(each) for category, each in outcomes.items()}
    apart = [outcome for outcome in everything if outcome.problems]
    if given.json:
        figured = {category: asdict(each) for category, each in by_category.items()}
        print(json.dumps({**figured, "faults": faults(everything)}))  # noqa: T201
    else:
        _show(by_category, everything)
        print(f"{len(everything) - len(apart)} of {len(everything)}")  # noqa: T201
    for outcome in apart:
        print(outcome.scenario.id, *outcome.problems, sep="\n  ", file=sys.stderr)  # noqa: T201
    return 1 if apart else 0


if __name__ == "__main__":
    sys.exit(main())
