"""The eraser against TypeScript's own emit, and the oracle against planted faults."""

from pathlib import Path

import pytest

from .oracle.differences import FINE, Difference, classify
from .oracle.eraser import HERE, Erased, Eraser, Last, Shape, Status, Unavailable
from .oracle.mutants import mutants
from .oracle.node import Pair, compare
from .oracle.report import Report, check
from .oracle.snippets import hazards, samples
from .oracle.sources import PACKAGES, package_folder, sources_of

DOCUMENT = HERE.parents[2] / "docs" / "erase.md"

pytestmark = pytest.mark.usefixtures("typescript")


def assert_no_fault(report: Report) -> None:
    assert not report.faults, report.fault_text()


def test_hazards_and_samples_mean_what_typescript_makes_of_them(eraser: Eraser) -> None:
    report = check([case.source for case in hazards()] + [text for _, text in samples()], eraser)
    assert_no_fault(report)
    assert report.verdicts["equal"] > 550


def test_2_000_mutants_differ_only_where_it_was_chosen(eraser: Eraser) -> None:
    report = check(mutants(1, 2_000), eraser)
    assert_no_fault(report)
    assert report.verdicts["equal"] > 900


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("seed", [1, 2])
def test_20_000_mutants_differ_only_where_it_was_chosen(seed: int, eraser: Eraser) -> None:
    report = check(mutants(seed, 20_000), eraser)
    assert_no_fault(report)
    assert report.verdicts["equal"] > 9_000


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", list(PACKAGES))
def test_the_sources_of_a_package_have_no_difference_and_no_refusal(
    name: str, eraser: Eraser
) -> None:
    try:
        texts = [text for _, text in sources_of(package_folder(name))]
    except Unavailable as reason:
        pytest.skip(str(reason))
    report = check(texts, eraser)
    assert_no_fault(report)
    assert report.verdicts == {"equal": len(texts)}
    assert len(texts) > 10


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_mutants_of_a_packages_statements_differ_only_where_it_was_chosen(eraser: Eraser) -> None:
    try:
        files = [text for _, text in sources_of(package_folder("rxjs"))]
    except Unavailable as reason:
        pytest.skip(str(reason))
    statements = [part for text in files for part in text.split("\n\n") if ";" in part]
    assert_no_fault(check(mutants(3, 5_000, statements), eraser))


def erased_as(output: str, *, shape: Shape = Shape.BODY, is_default: bool = False) -> Erased:
    return Erased(
        status=Status.OK,
        output=output.encode(),
        shape=shape,
        calls_default=is_default,
        last=Last.OTHER,
        last_span=(0, 0),
        offset=0,
        line=0,
        column=0,
        steps=0,
    )


@pytest.mark.parametrize(
    ("source", "output", "verdict"),
    [
        ("let x = y as T\n(z)", "let x = y     \n(z)", "different"),
        ("a + b as T * c", "a + b      * c", "different"),
        ("let x: 1 = '1'", "let x    =  1 ", "different"),
        ("class A { x: T; y = 1 }", "class A {       y = 1 }", "different"),
        ("enum E { A }", "var F;(function($enum){})(F||(F={}));", "different"),
        ("f(x: T)", "f(x   ", "both reject"),
        ("let x: T", "let x  T", "unparsable"),
        ("let x: T\nlet y", "let x   let y", "unparsable"),
        ("let x: T; let y", "let x;\n   let y", "moved"),
        ("let x: T = 1, y", "let x = 1   , y", "moved"),
        ("export default { a: 1 }", "               { a: 2 }", "moved"),
        ("export default f(a, b as T)", "               f(a)", "different"),
    ],
)
def test_the_oracle_notices_a_planted_fault(source: str, output: str, verdict: str) -> None:
    """A wrong output is never "equal", and no chosen difference excuses it."""
    is_default = source.startswith("export default")
    shape = Shape.EXPRESSION if is_default else Shape.BODY
    pair = Pair(source, erased_as(output, shape=shape, is_default=is_default))
    (facts,) = compare([pair])
    assert facts["verdict"] == verdict
    if verdict not in FINE:
        assert classify(pair, facts) is None


CHOSEN = [
    (Difference.NOT_JUDGED, "let x: { a: number b: string }"),
    (Difference.ENGINE_JUDGES, "const a: T"),
    (Difference.CHECKER_ERRORS, "const f = ()\n=> 1"),
    (Difference.NOT_ERASABLE, "namespace A { export const b = 1 }"),
    (Difference.NOT_ERASABLE, "enum E { A = 'a', B }"),
    (Difference.OVERLOOKED, "declare x"),
    (Difference.OVERLOOKED, "let x: A.<T>"),
    (Difference.OVERLOOKED, "let x: case"),
    (Difference.OVERLOOKED, "x = 0x1Fin a"),
    (Difference.OVERLOOKED, "await\nusing x = y"),
    (Difference.HTML_COMMENTS, "a <!-- b"),
    (Difference.EMPTY_NAMESPACE, "namespace A { declare const b: T }"),
    (Difference.COMPARED_LITERALS, "a<{ b: -c }>(d)"),
    (Difference.EMITTER_SLIPS, "+ <T>+a"),
    (Difference.ASSERTION_STATEMENT, "<T>class A {}"),
]


@pytest.mark.parametrize(("difference", "source"), CHOSEN)
def test_a_chosen_difference_is_the_one_that_is_documented(
    difference: Difference, source: str, eraser: Eraser
) -> None:
    pair = Pair(source, eraser.erase(source))
    (facts,) = compare([pair])
    assert facts["verdict"] not in FINE
    assert classify(pair, facts) is difference


def test_the_document_lists_every_chosen_difference_with_an_example() -> None:
    text = " ".join(DOCUMENT.read_text(encoding="utf-8").split())
    assert {difference for difference, _ in CHOSEN} == set(Difference)
    for difference in Difference:
        assert f"**{difference[0].upper()}{difference[1:]}.**" in text


def test_mutants_of_one_seed_are_always_the_same() -> None:
    assert list(mutants(9, 50)) == list(mutants(9, 50))


def test_the_files_of_a_folder_can_be_checked(tmp_path: Path, eraser: Eraser) -> None:
    (tmp_path / "a.ts").write_text("import b from 'b'\nexport const c: number = b as number\n")
    (tmp_path / "d.ts").write_text("not a program (\n")
    texts = dict(sources_of(tmp_path))
    assert texts == {
        str(tmp_path / "a.ts"): ";                \nexport const c: number = b as number\n"
    }
    assert_no_fault(check(texts.values(), eraser))
