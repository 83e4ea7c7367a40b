"""The ground truth of BFCL's multi-turn categories: native calls and programs give the same.

``benchmarks/bfcl.py`` does the work and shows the figures. The package is a development extra that
most environments lack; the comparison itself is tested everywhere.
"""

import importlib
import sys
from pathlib import Path

import pytest

from codemode.runtime import QuickJSRuntime

BENCHMARKS = str(Path(__file__).parents[2] / "benchmarks")
sys.path.append(BENCHMARKS)
data = importlib.import_module("bfcl_data")
replay = importlib.import_module("bfcl_replay")
values = importlib.import_module("bfcl_json")
sys.path.remove(BENCHMARKS)  # its files have names of packages, such as the tests' own `erase`

# What the package gives that is none: an mpf, and a list with `...` in it.
NOT_JSON = ("logarithm: {'result': mpf(", "get_watchlist: ['")
ABSENT = data.missing()
needs_package = pytest.mark.skipif(ABSENT is not None, reason=str(ABSENT))
on_asyncio = pytest.mark.parametrize("anyio_backend", ["asyncio"])


@pytest.mark.anyio
@pytest.mark.slow
@pytest.mark.timeout(240)
@needs_package
@on_asyncio
@pytest.mark.parametrize(
    ("category", "calls"),
    [("base", 1142), ("long_context", 1203), ("miss_func", 1140), ("miss_param", 1140)],
)
async def test_programs_do_what_native_calls_do(
    category: str, calls: int, runtime: QuickJSRuntime
) -> None:
    outcomes = [await replay.replay(scenario, runtime) for scenario in data.load(category)]
    assert {each.scenario.id: each.problems for each in outcomes if each.problems} == {}
    assert len(outcomes) == 200
    assert sum(each.calls for each in outcomes) == calls
    assert [len(each.code.notes) for each in outcomes if each.big_integers] == [1, 1]
    told_apart = [text for each in outcomes for text in each.unlike_package]
    assert [text for text in told_apart if not text.startswith(NOT_JSON)] == []


@pytest.mark.anyio
@needs_package
@on_asyncio
async def test_a_call_that_differs_is_found(
    runtime: QuickJSRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A comparison that cannot fail would prove nothing."""
    made = replay.program

    def tampered(calls: object) -> str:
        return made(calls).replace('"dir_name": "temp"', '"dir_name": "tmp"')

    monkeypatch.setattr(replay, "program", tampered)
    outcome = await replay.replay(data.load("base")[0], runtime)
    text = "\n".join(outcome.problems)
    for part in ("code: pre-execute saw", "programs, mv:", "end state: Model instance for Gorilla"):
        assert part in text


@pytest.mark.anyio
@needs_package
@on_asyncio
@pytest.mark.parametrize("attribute", ["username", "_unseen"])
async def test_a_state_that_differs_is_found(
    attribute: str, runtime: QuickJSRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, count = replay.make_instances, iter(range(2))

    def tampered(scenario: object) -> object:
        instances = made(scenario)
        setattr(instances["TwitterAPI"], attribute, f"world {next(count)}")
        return instances

    monkeypatch.setattr(replay, "make_instances", tampered)
    outcome = await replay.replay(data.load("base")[0], runtime)
    assert len(outcome.problems) == 1
    assert outcome.problems[0].startswith("end state: ")
    assert attribute in outcome.problems[0]


@pytest.mark.parametrize(
    ("left", "right"),
    [(1, True), (0, False), (None, {}), ({"a": None}, {}), ([1, 2], [2, 1]), ("1", 1), (2**53, 2**53 + 1)],
)  # fmt: skip
def test_what_the_comparison_tells_apart(left: object, right: object) -> None:
    assert not values.same(left, right)
    assert not values.same([left], [right])
    assert not values.same({"x": left}, {"x": right})


def test_what_the_comparison_takes_as_equal() -> None:
    assert values.same({"a": 36.0, "b": [None, True]}, {"b": [None, True], "a": 36})


def test_only_integers_beyond_what_a_program_can_tell_apart_are_text() -> None:
    largest = 2**53 - 1
    given = {"a": [largest, -largest, largest + 1], "b": -(2**53), "c": 1e300, "d": True}
    assert values.as_program_sees(given) == {
        "a": [largest, -largest, str(largest + 1)], "b": str(-(2**53)), "c": 1e300, "d": True,
    }  # fmt: skip
