"""What users must know is written where they look."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from codemode.registry import CodeMode, ToolError
from codemode.runtime import FAILURE_KINDS, Limits
from codemode.service._run_command import EXIT_CODES  # pyright: ignore[reportPrivateUsage]

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
TOOLS = (ROOT / "docs/tools.md").read_text()
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *ROOT.glob("docs/*.md"),
    ROOT / "wasm/README.md",
]


@pytest.mark.parametrize("kind", FAILURE_KINDS)
def test_every_failure_kind_and_its_exit_code_are_in_the_readme(kind: str) -> None:
    assert f"| `{kind}` | {EXIT_CODES[kind]} |" in README  # type: ignore[index]


@pytest.mark.parametrize("field", [item.name for item in fields(Limits)])
def test_every_limit_is_in_the_readme(field: str) -> None:
    assert f"`{field}`" in README


def _codes(kind: type[ToolError]) -> set[str]:
    return {kind.code}.union(*(_codes(below) for below in kind.__subclasses__()))


@pytest.mark.parametrize("code", sorted({*_codes(ToolError), "ABORTED_BEFORE_DISPATCH"}))
def test_every_code_of_a_failed_call_is_in_the_page_on_tools(code: str) -> None:
    assert f"`{code}`" in TOOLS


@pytest.mark.parametrize("field", [item.name for item in fields(CodeMode)])
def test_every_option_of_code_mode_is_in_the_page_on_tools(field: str) -> None:
    assert f"`{field}`" in TOOLS


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text()):
        assert (page.parent / target).exists(), target


def test_the_tests_that_the_security_page_names_exist() -> None:
    names = set(re.findall(r"`(test_\w+\.py)`", (ROOT / "docs/security.md").read_text()))
    assert names
    for name in names:
        assert list((ROOT / "tests").rglob(name)), name


def test_every_c_file_of_the_guest_is_in_its_readme() -> None:
    text = (ROOT / "wasm/README.md").read_text()
    for path in (ROOT / "wasm").glob("*.[chj]*"):
        assert f"`{path.name}`" in text or path.suffix == ".h", path.name
