"""``codemode run``, ``sdk`` and ``tools`` on a registry, as a user runs them; and the example programs."""

import json
from pathlib import Path

import pytest

from .commands import codemode

ROOT = Path(__file__).parents[2]
SHOP = f"{ROOT / 'examples/shop.py'}:registry"

TOOLS = """
from codemode.registry import Block, Deny, ToolRegistry, tool
registry = ToolRegistry(mode="code")
@registry.tool
async def add(a: int, b: int) -> int:
    '''Adds.'''
    return a + b
@registry.tool
async def forbidden() -> str:
    return "never"
registry.on_pre_execute(lambda exec, next: Deny("not for programs") if exec.name == "forbidden" else next())
native = ToolRegistry()
blocked = ToolRegistry(mode="code")
blocked.on_post_execute(lambda exec, result, next: Block("not for your eyes"))
MAPPING = {}
"""


@pytest.fixture
def tools(tmp_path: Path) -> str:
    file = tmp_path / "some_registry.py"
    file.write_text(TOOLS)
    return str(file)


def test_a_program_runs_through_the_registrys_pipeline(tools: str) -> None:
    program = """
    console.log('adding')
    const sum = await tools.add({ a: 1, b: 2 })
    try { await tools.forbidden() } catch (e) { return [sum, e.code, e.message] }
    """
    done = codemode("run", "-", "--tools", f"{tools}:registry", stdin=program)
    assert (done.returncode, done.stderr) == (0, "adding\n")
    assert json.loads(done.stdout) == [3, "DENIED", "not for programs"]


def test_a_failed_program_has_its_kinds_exit_code(tools: str) -> None:
    for program, options, code, said in (
        ("throw new Error('no')", (), 1, "codemode: exception: Error: no"),
        (
            "await new Promise((r) => setTimeout(r, 1e6))",
            ("--wall", "20ms"),
            3,
            "codemode: timeout",
        ),
        ("return await tools.add({ a: 'x' })", (), 1, 'missing required property "b"'),
    ):
        done = codemode("run", "-", "--tools", f"{tools}:registry", *options, stdin=program)
        assert (done.returncode, done.stdout) == (code, "")
        assert said in done.stderr


def test_what_a_policy_withholds_is_not_printed(tools: str) -> None:
    done = codemode("run", "-", "--tools", f"{tools}:blocked", stdin="return 'secret'")
    assert (done.returncode, done.stdout) == (1, "")
    assert "not for your eyes" in done.stderr
    assert "secret" not in done.stderr


def test_a_native_registry_cannot_run_programs_and_says_what_to_change(tools: str) -> None:
    done = codemode("run", "-", "--tools", f"{tools}:native", stdin="1")
    assert done.returncode == 2
    assert 'ToolRegistry(mode="code")' in done.stderr


def test_sdk_prints_the_prompts_section(tools: str) -> None:
    done = codemode("sdk", "--tools", f"{tools}:registry")
    assert done.returncode == 0
    assert "add(args:{" in done.stdout
    assert "$search" not in done.stdout
    short = codemode("sdk", "--tools", f"{tools}:registry", "--detail", "names")
    assert "$search" in short.stdout
    assert codemode("sdk", "--tools", f"{tools}:registry", "--max-tokens", "0").returncode == 2


def test_tools_lists_and_documents(tools: str) -> None:
    listed = codemode("tools", "--tools", f"{tools}:registry")
    assert listed.stdout == "add        Adds.\nforbidden\n"
    described = json.loads(codemode("tools", "--tools", f"{tools}:registry", "--json").stdout)
    assert [each["name"] for each in described] == ["add", "forbidden"]
    assert "## `add`" in codemode("tools", "--tools", f"{tools}:registry", "--markdown").stdout


@pytest.mark.parametrize("command", ["sdk", "tools"])
def test_a_reference_to_no_registry_says_what_is_needed(command: str, tools: str) -> None:
    done = codemode(command, "--tools", f"{tools}:MAPPING")
    assert done.returncode == 2
    assert "needs a ToolRegistry" in done.stderr


EXAMPLES = {
    "revenue": ("refused", "refund_order: order o2 is open, not paid"),
    "restock": (0, {"sku": "cup-6", "title": "Six porcelain cups", "stock": 0, "sold": 3, "missing": 3}),
    "tickets": ("closed", 2),
    "prices": ("Cast-iron teapot", ["671.33 DKK", "75.59 GBP", "154782.80 NGN"]),
    "discover": ("takes", "refund_order(args:{ /** the order */ id:string; /** how much of it */ cents:number }"),
}  # fmt: skip


def test_every_example_program_has_an_expectation() -> None:
    assert {path.stem for path in (ROOT / "examples").glob("*.ts")} == set(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_program_gives_what_it_is_there_for(name: str) -> None:
    done = codemode("run", str(ROOT / f"examples/{name}.ts"), "--tools", SHOP)
    assert done.returncode == 0, done.stderr
    key, expected = EXAMPLES[name]
    assert json.loads(done.stdout)[key] == expected
