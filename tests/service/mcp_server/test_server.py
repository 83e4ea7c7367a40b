"""``codemode mcp`` as a client sees it, in both eras of the protocol."""

import json
from collections.abc import Callable
from typing import Any

import anyio
import jsonschema
import mcp_types as types
import pytest
from mcp.client.client import Client

from codemode.registry import Ask, Block, CodeMode, ExecContext, ToolOutput, ToolRegistry
from codemode.registry.content import ImageBlock
from codemode.runtime import Limits, QuickJSRuntime
from codemode.service.mcp_server import ServerOptions, make_server

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("anyio_backend", ["asyncio"])]
Connect = Callable[..., Client]


@pytest.fixture(params=["legacy", "auto"])
def era(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def registry(runtime: QuickJSRuntime) -> ToolRegistry:
    registry = ToolRegistry(mode="code", runtime=runtime)

    @registry.tool
    async def add(a: int, b: int) -> int:
        """Adds two numbers."""
        return a + b

    @registry.tool
    async def danger(n: int) -> str:
        return f"done {n}"

    registry.on_pre_execute(lambda exec, next: Ask("it bites") if exec.name == "danger" else next())
    return registry


@pytest.fixture
def connect(registry: ToolRegistry, era: str) -> Connect:
    def connect(options: ServerOptions | None = None, **callbacks: Any) -> Client:
        return Client(make_server(registry, options), mode=era, **callbacks)

    return connect


async def run(client: Client, code: str, **options: Any) -> types.CallToolResult:
    return await client.call_tool("run_code", {"code": code}, **options)


def text(result: types.CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if isinstance(block, types.TextContent))


def answering(*answers: types.ElicitResult) -> tuple[list[str], Any]:
    asked: list[str] = []

    async def callback(context: Any, params: Any) -> types.ElicitResult:
        asked.append(params.message)
        return answers[min(len(asked), len(answers)) - 1]

    return asked, callback


YES = types.ElicitResult(action="accept", content={"allow": True})
NO = types.ElicitResult(action="accept", content={"allow": False})


async def test_the_server_offers_run_code_alone_and_tells_of_the_tools(connect: Connect) -> None:
    async with connect() as client:
        (tool,) = (await client.list_tools()).tools
        assert tool.name == "run_code"
        assert client.instructions is not None
        assert "Adds two numbers." in client.instructions


async def test_a_result_has_text_and_a_value_that_fits_its_schema(connect: Connect) -> None:
    async with connect() as client:
        (tool,) = (await client.list_tools()).tools
        result = await run(
            client, "console.log('adding'); return [await tools.add({ a: 1, b: 2 })]"
        )
        assert (text(result), result.is_error) == ("adding\n[\n  3\n]", False)
        assert result.structured_content == {"logs": ["adding"], "result": [3]}
        assert tool.output_schema is not None
        jsonschema.validate(result.structured_content, tool.output_schema)


async def test_a_failed_program_is_an_error_result(connect: Connect) -> None:
    async with connect() as client:
        result = await run(client, "console.log('a'); throw new Error('no')")
        assert result.is_error
        assert "code run failed (exception): Error: no" in text(result)
        assert "Captured output:\na" in text(result)
        assert result.structured_content is None


async def test_wrong_arguments_are_an_error_that_says_what_to_change(connect: Connect) -> None:
    async with connect() as client:
        for arguments, said in (({}, 'missing required property "code"'), ({"code": 7}, '"code"')):
            result = await client.call_tool("run_code", arguments)
            assert result.is_error
            assert said in text(result)


async def test_other_tools_cannot_be_called_directly(connect: Connect) -> None:
    async with connect() as client:
        result = await client.call_tool("add", {"a": 1, "b": 2})
        assert result.is_error
        assert "run_code" in text(result)


async def test_a_program_of_two_megabytes_is_refused_and_the_next_one_runs(
    connect: Connect,
) -> None:
    async with connect() as client:
        result = await run(client, "//" + "x" * 2_000_000)
        assert result.is_error
        assert "more than the limit of 1048576" in text(result)
        assert text(await run(client, "return 1")) == "1"


async def test_what_a_program_prints_comes_as_progress_in_order(connect: Connect) -> None:
    lines: list[str | None] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        lines.append(message)

    async with connect() as client:
        program = "for (let i = 0; i < 50; i++) { console.log(i); await tools.add({ a: i, b: 1 }) }"
        await run(client, program, progress_callback=progress)
    assert lines == [str(number) for number in range(50)]


async def test_a_cancelled_call_ends_its_program(connect: Connect, registry: ToolRegistry) -> None:
    begun, ended = anyio.Event(), anyio.Event()

    @registry.tool
    async def wait() -> None:
        begun.set()
        try:
            await anyio.sleep_forever()
        finally:
            ended.set()

    async with connect() as client:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run, client, "await tools.wait()")
            await begun.wait()
            tasks.cancel_scope.cancel()
        with anyio.fail_after(10):
            await ended.wait()


async def test_a_question_is_asked_of_the_clients_user(connect: Connect) -> None:
    asked, callback = answering(YES)
    async with connect(elicitation_callback=callback) as client:
        assert text(await run(client, "return await tools.danger({ n: 7 })")) == "done 7"
    assert asked == ["A program wants to call danger with\n  n: 7\n(it bites)"]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (NO, "the user rejected"),
        (types.ElicitResult(action="decline"), "the user rejected"),
        (types.ElicitResult(action="cancel"), "was cancelled"),
        (types.ElicitResult(action="accept", content={"allow": "yes"}), "the user rejected"),
        (types.ElicitResult(action="accept"), "the user rejected"),
    ],
)
async def test_every_answer_but_yes_denies_and_the_program_goes_on(
    connect: Connect, answer: types.ElicitResult, said: str
) -> None:
    _, callback = answering(answer)
    program = "try { return await tools.danger({ n: 1 }) } catch (e) { return e.code + e.message }"
    async with connect(elicitation_callback=callback) as client:
        result = text(await run(client, program))
    assert said in result
    assert result.startswith("DENIED")


async def test_several_questions_of_one_program_are_asked_in_turn(connect: Connect) -> None:
    asked, callback = answering(YES, NO, YES)
    program = """
    const out = []
    for (const n of [1, 2, 3]) out.push(await tools.danger({ n }).catch((e) => e.code))
    return out.join()
    """
    async with connect(elicitation_callback=callback) as client:
        assert text(await run(client, program)) == "done 1,DENIED,done 3"
    assert len(asked) == 3


async def test_a_client_that_cannot_ask_denies(connect: Connect) -> None:
    program = "try { return await tools.danger({ n: 1 }) } catch (e) { return e.message }"
    async with connect() as client:
        assert "no approval channel" in text(await run(client, program))


async def test_two_clients_calls_are_apart(registry: ToolRegistry, era: str) -> None:
    server = make_server(registry)
    (asked_one, one), (asked_two, two) = answering(YES), answering(NO)
    program = "return await tools.danger({ n: %d }).catch((e) => e.code)"
    async with (
        Client(server, mode=era, elicitation_callback=one) as first,
        Client(server, mode=era, elicitation_callback=two) as second,
    ):
        outcomes: dict[int, str] = {}

        async def ask(client: Client, n: int) -> None:
            outcomes[n] = text(await run(client, program % n))

        async with anyio.create_task_group() as tasks:
            for n in range(8):
                tasks.start_soon(ask, first if n % 2 else second, n)
    assert outcomes == {n: f"done {n}" if n % 2 else "DENIED" for n in range(8)}
    assert (len(asked_one), len(asked_two)) == (4, 4)


async def test_a_policy_over_run_code_itself_is_kept(
    connect: Connect, registry: ToolRegistry
) -> None:
    registry.on_post_execute(
        lambda exec, result, next: Block("withheld") if exec.name == "run_code" else next()
    )
    async with connect() as client:
        result = await run(client, "return 'secret'")
    assert (text(result), result.is_error, result.structured_content) == ("withheld", True, None)


async def test_images_of_nested_calls_come_with_the_result(
    connect: Connect, registry: ToolRegistry
) -> None:
    @registry.tool
    async def draw(exec: ExecContext) -> ToolOutput:
        return ToolOutput(content=[ImageBlock("AA==", "image/png")])

    async with connect() as client:
        result = await run(client, "return await tools.draw()")
    assert any(isinstance(block, types.ImageContent) for block in result.content)


@pytest.mark.parametrize(
    "program",
    [
        "console.log('\\ud800'); return 'ok \\udfff'",
        "return { ['\\ud800']: ['\\udfff ok'] }",
        "let v = 'ok'; for (let i = 0; i < 600; i++) v = [v]; return v",
        "let v = 'ok'; for (let i = 0; i < 600; i++) v = { v }; console.log('ok'); return v",
    ],
)
async def test_no_value_breaks_a_message_or_the_server(connect: Connect, program: str) -> None:
    async def progress(done: float, total: float | None, message: str | None) -> None: ...

    async with connect() as client:
        result = await run(client, program, progress_callback=progress)
        assert not result.is_error
        assert "ok" in json.dumps(result.structured_content)
        assert text(await run(client, "return 1")) == "1"


async def test_no_argument_hides_another_from_the_person_who_is_asked(
    connect: Connect, registry: ToolRegistry
) -> None:
    @registry.tool
    async def copy(text: str, path: str) -> str:
        return path

    registry.on_pre_execute(lambda exec, next: Ask() if exec.name == "copy" else next())
    asked, callback = answering(NO)
    program = """
    return await tools.copy({ text: 'read README '.repeat(500) + '\\u202e', path: '/etc/shadow' })
        .catch((e) => e.code)
    """
    async with connect(elicitation_callback=callback) as client:
        assert text(await run(client, program)) == "DENIED"
    assert 'path: "/etc/shadow"' in asked[0]
    assert "\u202e" not in asked[0]
    assert len(asked[0]) < 1_000


async def test_search_and_description_are_offered_by_choice(connect: Connect) -> None:
    async with connect(ServerOptions(discovery=True)) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names == ["run_code", "search_tools", "describe_tool"]
        found = await client.call_tool("search_tools", {"query": "adding numbers"})
        assert text(found) == "add: Adds two numbers."
        described = await client.call_tool("describe_tool", {"name": "add"})
        assert "a:number" in text(described)
        wrong = await client.call_tool("describe_tool", {"name": "ad"})
        assert wrong.is_error
        assert "did you mean 'add'" in text(wrong)
    async with connect() as client:
        assert (await client.call_tool("search_tools", {"query": "x"})).is_error


async def test_the_instructions_stay_within_their_budget(registry: ToolRegistry, era: str) -> None:
    for number in range(300):
        registry.tool(name=f"tool_{number}", description=f"Does thing {number}. " * 5)(_noop)
    async with Client(
        make_server(registry, ServerOptions(instructions_tokens=2_000)), mode=era
    ) as client:
        assert client.instructions is not None
        assert len(client.instructions) < 4 * 2_600
        assert "$search" in client.instructions


async def _noop(a: int, b: str = "") -> str:
    return b * a


async def test_a_request_state_of_nobody_is_refused(registry: ToolRegistry) -> None:
    async with Client(make_server(registry), mode="auto") as client:
        result = await client.session.call_tool("run_code", {"code": "1"}, request_state="made up")
        assert result.is_error
        assert "there is no such run" in text(result)


async def test_limits_hold_for_every_client(runtime: QuickJSRuntime, era: str) -> None:
    options = CodeMode(limits=Limits(compute_ms=50, wall_ms=5_000))
    registry = ToolRegistry(mode="code", runtime=runtime, code_mode=options)
    async with Client(make_server(registry), mode=era) as client:
        result = await run(client, "while (true) {}")
        assert "code run failed (timeout)" in text(result)


async def test_a_state_goes_on_with_nothing_but_its_own_call(registry: ToolRegistry) -> None:
    capability = answering(YES)[1]
    code = {"code": "return await tools.danger({ n: 1 })"}
    async with Client(
        make_server(registry), mode="auto", elicitation_callback=capability
    ) as client:
        first = await client.session.call_tool("run_code", code, allow_input_required=True)
        assert isinstance(first, types.InputRequiredResult)
        state, (question,) = first.request_state, (first.input_requests or {}).keys()
        answers: types.InputResponses = {question: YES}
        other = await client.session.call_tool(
            "run_code", {"code": "return 2"}, input_responses=answers, request_state=state
        )
        assert "there is no such run" in text(other)
        own = await client.session.call_tool(
            "run_code", code, input_responses=answers, request_state=state
        )
        assert text(own) == "done 1"


async def test_questions_that_nobody_answers_leave_room_for_others(
    registry: ToolRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("codemode.service.mcp_server._held.MOST_HELD", 2)
    capability = answering(YES)[1]
    async with Client(
        make_server(registry), mode="auto", elicitation_callback=capability
    ) as client:
        answers = [
            await client.session.call_tool(
                "run_code",
                {"code": f"return await tools.danger({{ n: {n} }})"},
                allow_input_required=True,
            )
            for n in range(3)
        ]
        last = answers[-1]
        assert isinstance(last, types.CallToolResult)
        assert "2 runs wait for answers" in text(last)
