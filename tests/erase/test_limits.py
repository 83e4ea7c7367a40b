"""Depth, time and memory: each ends in a refusal by name, and none in a trap."""

import pytest

from codemode.runtime import Limits, QuickJSRuntime, RunRequest

from .conftest import RunAll
from .oracle.eraser import SOURCES, Eraser, Status, build_module
from .oracle.snippets import hazards, samples
from .towers import TOWERS

TOO_DEEP = "nested too deeply; split it into functions and variables"
NESTS = [
    ("return {}1{}", "(", ")"),
    ("return {}1{}", "[", "]"),
    ("return {}1{}", "{a:", "}"),
    ("return {}1{}", "`${", "}`"),
    ("let x: {}B{}", "A<", ">"),
    ("let x: {}B{}", "(", ")"),
    ("let x: {}1{}", "{a:", "}"),
    ("return {}1{}", "(a => ", ")"),
    ("{}{}", "{", "}"),
    ("{}{}", "function f(){", "}"),
    ("return {}b as T{}", "(a + ", ") as T"),
]


@pytest.mark.parametrize(("form", "open_", "close"), NESTS)
def test_nesting_of_600_is_accepted(form: str, open_: str, close: str, eraser: Eraser) -> None:
    source = form.replace("{}", open_ * 600, 1).replace("{}", close * 600, 1)
    assert eraser.erase(source).status is Status.OK


@pytest.mark.parametrize(("form", "open_", "close"), [nest for nest in NESTS if nest[1] != "{a:"])
def test_nesting_of_100_000_is_refused_by_name(
    form: str, open_: str, close: str, eraser: Eraser
) -> None:
    source = form.replace("{}", open_ * 100_000, 1).replace("{}", close * 100_000, 1)
    erased = eraser.erase(source)
    assert (erased.status, TOO_DEEP in erased.text) == (Status.REFUSED, True)


def test_types_in_braces_have_no_depth(eraser: Eraser) -> None:
    """They are skipped by their brackets, without recursion."""
    source = "let x: " + "{a: " * 100_000 + "1" + "}" * 100_000
    assert eraser.erase(source).status is Status.OK


def test_deep_programs_run_or_are_refused_in_the_shipped_guest(run_all: RunAll) -> None:
    """The guest's own stacks hold what the eraser accepts."""
    deep, *too_deep = run_all(
        [
            f"return {'(' * 600}1{')' * 600} as number",
            *(
                f"return {open_ * 100_000}"
                for open_ in ("(", "[", "f(", "x=>", "!", "`${", "async(", "a?")
            ),
            f"let x: {'A<' * 100_000}B{'>' * 100_000}",
            f"type X = {'A extends B ? C : ' * 50_000}D",
        ]
    )
    assert (deep.error, deep.value) == (None, 1)
    for result in too_deep:
        assert result.error is not None
        assert result.error.kind == "exception"
        assert TOO_DEEP in result.error.message


@pytest.mark.parametrize("name", list(TOWERS))
def test_twice_the_text_takes_no_more_than_twice_the_steps(name: str, eraser: Eraser) -> None:
    """Steps are WebAssembly instructions, so the figures are the same on every machine."""
    small, large = (eraser.erase(TOWERS[name](size)) for size in (8_000, 16_000))
    assert large.steps < 2.4 * small.steps + 1_000_000


@pytest.mark.parametrize("name", list(TOWERS))
def test_no_text_of_100_kb_takes_long(name: str, eraser: Eraser) -> None:
    """About one second at the worst; real programs need 300 steps for a byte."""
    text = TOWERS[name](16_000)[:100_000]
    assert eraser.erase(text).steps < 2_000_000_000


def test_a_program_that_is_read_again_and_again_is_refused_by_name(eraser: Eraser) -> None:
    erased = eraser.erase(TOWERS["conditional arrows wide"](20_000))
    assert erased.status is Status.REFUSED
    assert "can be read in too many ways; write parentheses" in erased.text


@pytest.mark.parametrize(
    "source",
    [
        *(text for _, text in samples()),
        "enum E { " + ", ".join(f"m{i} = 1" for i in range(300)) + " }",
        "class A { constructor(" + ", ".join(f"public p{i}" for i in range(200)) + ") {} }",
        "f(" + "a<b,c," * 200 + "d)",
        "x = " + "(a + b as T) * " * 200 + "c",
        "x = a + (b + c as T) * d as U * e",
        "type X = " + "{ a: " * 100 + "1" + " }" * 100,
        "x = ]",
    ],
)
def test_each_allocation_that_fails_is_a_refusal(source: str, eraser: Eraser) -> None:
    """Whichever allocation is the first to fail, nothing is lost and nothing is half done."""
    expected = eraser.erase(source)
    failures = 0
    try:
        while failures < 1_000:
            eraser.ration(failures + 1)
            erased = eraser.erase(source)
            assert eraser.live_allocations() == 0
            if erased.status is not Status.NO_MEMORY:
                assert (erased.status, erased.output) == (expected.status, expected.output)
                break
            assert erased.text == "out of memory"
            failures += 1
    finally:
        eraser.ration(-1)
    assert 2 <= failures < 1_000


def test_nothing_stays_allocated(eraser: Eraser) -> None:
    for case in hazards():
        eraser.erase(case.source)
    assert eraser.live_allocations() == 0


def test_a_text_leaves_nothing_behind_that_the_next_one_could_see(eraser: Eraser) -> None:
    fresh = Eraser(counts=False)
    for case in hazards():
        eraser.erase(case.source)
    for _, text in samples():
        assert eraser.erase(text).output == fresh.erase(text).output


def test_the_eraser_adds_no_more_than_80_kb() -> None:
    added = len(build_module()) - len(build_module(with_eraser=False))
    assert added <= 80_000


def test_no_file_of_the_eraser_has_more_than_400_lines() -> None:
    for path in SOURCES.iterdir():
        assert len(path.read_text().splitlines()) <= 400, path.name


@pytest.mark.anyio
async def test_a_hostile_text_ends_in_a_small_compute_budget(anyio_backend: str) -> None:
    """The same towers in the shipped guest, under a budget that a quadratic step would exceed."""
    limits = Limits(compute_ms=5_000)
    async with QuickJSRuntime(limits=limits, workers=1) as runtime:
        for name in ("less in a list", "less", "casts", "type imports", "conditional arrows wide"):
            result = await runtime.run(RunRequest(program=TOWERS[name](16_000)))
            assert result.error is None or result.error.kind == "exception", (name, result.error)
