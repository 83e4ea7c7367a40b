"""How failures are told: in the program's own words and places."""

import pytest

from support import Run, kind, message

pytestmark = pytest.mark.anyio


async def test_an_exception_has_its_place_its_line_and_a_caret(run: Run) -> None:
    result = await run("const rows = []\nconst first: string = rows[0].name\nreturn first")
    assert result.error is not None
    assert (result.error.line, result.error.column, result.error.name) == (2, 23, "TypeError")
    assert result.error.message.splitlines() == [
        "TypeError: cannot read property 'name' of undefined (line 2, column 23)",
        "2 | const first: string = rows[0].name",
        "  |                       ^",
    ]


async def test_the_stack_names_the_programs_functions_and_none_of_ours(run: Run) -> None:
    result = await run(
        "function inner() { throw new Error('deep') }\n"
        "const outer = () => [1].map(() => inner())\nouter()"
    )
    lines = message(result).splitlines()
    assert lines[3:] == [
        "    at inner (1:30)",
        "    at <anonymous> (2:35)",
        "    at outer (2:25)",
        "    at <anonymous> (3:1)",
    ]
    assert "prelude" not in message(result)


async def test_every_line_of_a_long_program_reports_its_own_place(run: Run) -> None:
    lines = [f"const v{i}: Array<number> = [{i}]; // {'é漢🎉'}" for i in range(300)]
    for at in (0, 149, 299):
        program = lines.copy()
        program[at] = "    throw new Error('here')"
        result = await run("\n".join(program))
        assert result.error is not None
        assert (result.error.line, result.error.column) == (at + 1, 15)


async def test_columns_count_utf16_units_and_the_caret_stands_right(run: Run) -> None:
    result = await run("const s: 'Ünï' = '🎉漢' as any; throw new Error('x')")
    assert result.error is not None
    assert result.error.column == 42
    source, caret = message(result).splitlines()[1:3]
    assert source[caret.index("^") :].startswith("Error('x')")


@pytest.mark.parametrize(
    ("program", "line", "column"),
    [
        ("return 1 +", 1, 11),
        ("const a = 1\nconst a = 2", 2, 7),
        ("return /(/", 1, 8),
        ("let x = 'open", 1, 9),
        ("if (x {", 1, 7),
    ],
)
async def test_syntax_errors_have_positions_in_the_text_as_sent(
    run: Run, program: str, line: int, column: int
) -> None:
    result = await run(program)
    assert result.error is not None
    assert result.error.name == "SyntaxError"
    assert result.error.line == line
    assert result.error.column is not None
    assert abs(result.error.column - column) <= 2


@pytest.mark.parametrize(
    ("thrown", "text"),
    [
        ("'plain words'", "plain words"),
        ("null", "null"),
        ("undefined", "undefined"),
        ("{ code: 7, why: 'x' }", "{ code: 7, why: 'x' }"),
        ("Object.create(null)", "{}"),
        ("Symbol('s')", "Symbol(s)"),
        ("10n", "10n"),
        ("{ get message() { throw 1 }, toString() { for (;;) {} } }", "[Getter]"),
        ("new Proxy({}, { get() { for (;;) {} }, getPrototypeOf() { for (;;) {} } })", "[Proxy]"),
        ("new (class Odd extends Error { get message() { for (;;) {} } })()", "Error"),
        (
            "new Error('outer', { cause: new TypeError('inner') })",
            "Error: outer (cause: TypeError: inner)",
        ),
        (
            "new AggregateError([new Error('one'), 'two'], 'both')",
            "AggregateError: both [Error: one; two]",
        ),
        ("Object.assign(new Error('m'), { name: 'Custom' })", "Custom: m"),
        ("class Mine extends Error {}; new Mine('m')", "Error: m"),
    ],
)
async def test_whatever_is_thrown_has_a_text_and_runs_no_code(
    run: Run, thrown: str, text: str
) -> None:
    program = (
        f"throw {thrown}"
        if "class Mine" not in thrown
        else f"{thrown.split(';')[0]}\nthrow new Mine('m')"
    )
    result = await run(program)
    assert kind(result) == "exception"
    assert text in message(result)


async def test_a_huge_message_is_cut(run: Run) -> None:
    result = await run("throw new Error('y'.repeat(3_000_000))")
    assert "more characters" in message(result)
    assert len(message(result)) < 5000


async def test_rings_of_causes_end(run: Run) -> None:
    result = await run("const a = new Error('a'); a.cause = new Error('b', { cause: a }); throw a")
    assert message(result).startswith("Error: a (cause: Error: b")


@pytest.mark.parametrize(
    "specifier", ["std", "os", "fs", "/etc/hostname", "data:text/javascript,1", "./x.js"]
)
async def test_no_module_can_be_loaded(run: Run, specifier: str) -> None:
    result = await run(f"return await import('{specifier}')")
    assert "could not load module" in message(result)
    caught = await run(f"return await import('{specifier}').catch((e) => 'caught')")
    assert caught.value == "caught"


@pytest.mark.parametrize(
    "program",
    [
        "Here is the program:\n```ts\nreturn 1\n```",
        "```ts\nreturn 1\n```\nand\n```ts\nreturn 2\n```",
        "```ts\nreturn 1",
    ],
)
async def test_text_around_a_fence_is_answered_with_what_to_send(run: Run, program: str) -> None:
    assert "send the program alone" in message(await run(program))


@pytest.mark.parametrize(
    ("program", "line"),
    [
        ("const rows = null\nconsole.log('a')\n\n\nconst { a } = rows", 5),
        ("console.log(1)\n\nconst y = ({}).a.b", 3),
        ("console.log(1)\n\n\nfor (const k of 5) {}", 4),
        ("// c\nnull.x", 2),
        ("```ts\n\nnull.x\n```", 3),
    ],
)
async def test_a_fault_without_a_call_has_the_line_of_its_statement(
    run: Run, program: str, line: int
) -> None:
    result = await run(program + "\nreturn 1" if "```" not in program else program)
    assert result.error is not None
    assert result.error.line == line


async def test_a_program_cannot_make_its_own_stack(run: Run) -> None:
    result = await run(
        "Error.prepareStackTrace = () => '    at evil (program.ts:77:7)'; Error.stackTraceLimit = 0\n"
        "throw new Error('here')"
    )
    assert result.error is not None
    assert result.error.line == 2


async def test_a_long_line_costs_the_loop_nothing(run: Run) -> None:
    result = await run("/*" + "tools['" * 100_000 + "*/ null.x", limits=None)
    assert kind(result) == "exception"
