"""Runs over the wire: begun, followed, found again, aborted."""

import json
from typing import Any

import anyio
import pytest

from .kit import Client, Served

pytestmark = pytest.mark.anyio
SUM = "console.log('adding'); return await tools.add({ a: 1, b: 2 })"


async def test_a_program_is_run_and_its_result_given(client: Client) -> None:
    answer = await client.post("/v1/runs", json={"program": SUM, "description": "a sum"})
    run = answer.json()
    assert (answer.status_code, answer.headers["location"]) == (200, f"/v1/runs/{run['id']}")
    assert (run["state"], run["result"], run["output"]) == ("succeeded", 3, "adding\n3")
    assert run["logs"] == [{"source": "console", "level": "log", "text": "adding"}]
    assert run["stats"]["calls"] == 1
    assert (run["program"], run["description"]) == (SUM, "a sum")
    assert (await client.get(answer.headers["location"])).json() == run


async def test_a_program_that_fails_is_a_result_and_no_error_of_http(client: Client) -> None:
    run = await client.run("const a = 1;\nnull.x")
    assert run["state"] == "failed"
    assert run["error"]["kind"] == "exception"
    assert (run["error"]["name"], run["error"]["line"]) == ("TypeError", 2)
    assert "result" not in run


async def test_null_and_no_value_are_told_apart(client: Client) -> None:
    assert (await client.run("return null"))["result"] is None
    assert "result" not in await client.run("console.log(1)")


async def test_one_tool_can_be_called_without_a_program(client: Client) -> None:
    answer = await client.post("/v1/runs", json={"tool": "add", "arguments": {"a": 2, "b": 2}})
    run = answer.json()
    assert (run["state"], run["result"], run["tool"]) == ("succeeded", 4, "add")
    wrong = (await client.post("/v1/runs", json={"tool": "add", "arguments": {"a": "x"}})).json()
    assert (wrong["state"], wrong["error"]["code"]) == ("failed", "INVALID_ARGS")


async def test_a_stream_tells_of_everything_in_order(client: Client) -> None:
    stream = client.events("/v1/runs", "POST", json={"program": SUM})
    events = [(kind, data) async for _, kind, data in stream]
    assert [kind for kind, _ in events] == ["start", "log", "sub-call", "sub-call", "result"]
    assert events[2][1]["arguments"] == {"a": 1, "b": 2}
    assert (events[3][1]["state"], events[3][1]["summary"]) == ("succeeded", "3")
    assert (events[4][1]["state"], events[4][1]["result"]) == ("succeeded", 3)


async def test_events_come_while_the_program_runs(service: Served, client: Client) -> None:
    program = "console.log('before'); await tools.hold(); console.log('after')"
    kinds: list[str] = []
    with anyio.fail_after(30):
        async for _, kind, data in client.events("/v1/runs", "POST", json={"program": program}):
            kinds.append(kind)
            if kind == "sub-call" and data["state"] == "started":
                assert service.gate.entered.is_set() or await service.gate.entered.wait() is None
                assert kinds == ["start", "log", "sub-call"]
                service.gate.leave.set()
    assert kinds[3:] == ["sub-call", "log", "result"]


@pytest.mark.parametrize("path", ["/v1/runs/{}", "/v1/runs/{}/events"])
async def test_a_stream_goes_on_behind_the_last_event_that_was_seen(
    client: Client, path: str
) -> None:
    stream = client.events("/v1/runs", "POST", json={"program": SUM})
    seen = [(number, kind) async for number, kind, _ in stream]
    run_id = seen[0][0].rpartition("-")[0]
    for index, (number, _) in enumerate(seen):
        rest = [(n, kind) async for n, kind, _ in client.events(path.format(run_id), last=number)]
        assert rest == seen[index + 1 :]


async def test_a_post_that_is_sent_again_with_its_last_event_goes_on_with_its_run(
    service: Served, client: Client
) -> None:
    """What clients do by themselves that lose the stream of a POST."""
    body = {"program": SUM}
    seen = [each async for each in client.events("/v1/runs", "POST", json=body)]
    rest = [each async for each in client.events("/v1/runs", "POST", seen[1][0], json=body)]
    assert rest == seen[2:]
    assert len((await client.get("/v1/runs")).json()["runs"]) == 1


async def test_a_client_need_not_wait_for_the_end(service: Served, client: Client) -> None:
    body = {"program": "return await tools.hold()"}
    for preference in ("respond-async", "wait=0", "foo, wait=0; x=1"):
        answer = await client.post("/v1/runs", json=body, headers={"Prefer": preference})
        assert (answer.status_code, answer.json()["state"]) == (202, "running")
    service.gate.leave.set()
    for run in (await client.get("/v1/runs")).json()["runs"]:
        assert (await client.settled(run["id"]))["result"] == "held"


async def test_a_run_goes_on_when_its_client_goes_away(service: Served, client: Client) -> None:
    with anyio.CancelScope() as scope:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.run, "return await tools.hold()")
            await service.gate.entered.wait()
            scope.cancel()
    async with service.client() as other:
        (run,) = (await other.get("/v1/runs")).json()["runs"]
        assert run["state"] == "running"
        service.gate.leave.set()
        assert (await other.settled(run["id"]))["result"] == "held"


# --- idempotency


async def test_a_key_gives_the_run_of_the_first_request(client: Client) -> None:
    key = {"Idempotency-Key": "k1"}
    first = await client.run("return Math.random()", key)
    again = await client.run("return Math.random()", key)
    assert again == first
    other = await client.run("return Math.random()", {"Idempotency-Key": "k2"})
    assert other["id"] != first["id"]


async def test_requests_with_one_key_at_one_time_are_one_run(
    service: Served, client: Client
) -> None:
    runs: list[Any] = []

    async def post() -> None:
        runs.append(await client.run("return await tools.hold()", {"Idempotency-Key": "same"}))

    async with anyio.create_task_group() as tasks:
        for _ in range(10):
            tasks.start_soon(post)
        await service.gate.entered.wait()
        service.gate.leave.set()
    assert len({run["id"] for run in runs}) == 1
    assert [run["result"] for run in runs] == ["held"] * 10
    assert len((await client.get("/v1/runs")).json()["runs"]) == 1


async def test_requests_at_one_time_with_the_key_of_a_run_that_has_ended_are_that_run(
    client: Client,
) -> None:
    first = await client.run("return Math.random()", {"Idempotency-Key": "same"})
    runs: list[Any] = []

    async def post() -> None:
        runs.append(await client.run("return Math.random()", {"Idempotency-Key": "same"}))

    async with anyio.create_task_group() as tasks:
        for _ in range(10):
            tasks.start_soon(post)
    assert runs == [first] * 10


async def test_a_key_that_belongs_to_another_request_is_refused(client: Client) -> None:
    key = {"Idempotency-Key": "k1"}
    await client.run("return 1", key)
    for body in ({"program": "return 2"}, {"program": "return 1", "seed": 1}, {"tool": "secret"}):
        answer = await client.post("/v1/runs", json=body, headers=key)
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "KEY_REUSED")


# --- what went before


async def test_runs_are_listed_by_page_and_state(client: Client) -> None:
    ids = [(await client.run(f"return {n}"))["id"] for n in range(5)]
    await client.run("throw 1")
    page = (await client.get("/v1/runs?limit=4&state=succeeded")).json()
    rest = (await client.get(f"/v1/runs?limit=4&state=succeeded&before={page['next']}")).json()
    assert sorted(run["id"] for run in page["runs"] + rest["runs"]) == sorted(ids)
    assert (len(page["runs"]), rest["next"]) == (4, None)
    (failed,) = (await client.get("/v1/runs?state=failed")).json()["runs"]
    assert (failed["errorKind"], failed["title"]) == ("exception", "throw 1")


async def test_events_are_read_by_page(client: Client) -> None:
    run = await client.run("for (let i = 0; i < 10; i++) console.log(i)")
    first = (await client.get(f"/v1/runs/{run['id']}/events?limit=7")).json()
    rest = (await client.get(f"/v1/runs/{run['id']}/events?after={first['next']}")).json()
    texts = [e["data"]["text"] for e in first["events"] + rest["events"] if e["kind"] == "log"]
    assert texts == [str(i) for i in range(10)]
    assert rest["next"] is None


async def test_a_list_can_be_followed(client: Client) -> None:
    async with anyio.create_task_group() as tasks:
        told = client.events("/v1/runs")

        async def later() -> None:
            await client.run("return 1")

        tasks.start_soon(later)
        with anyio.fail_after(30):
            _, kind, data = await anext(told)
        await told.aclose()
        assert kind == "run"
        assert (await client.get(f"/v1/runs/{data['id']}")).status_code == 200


async def test_an_abort_ends_the_run_and_what_it_was_doing(service: Served, client: Client) -> None:
    run_id = await client.begin("await tools.hold()")
    await service.gate.entered.wait()
    aborted = (await client.delete(f"/v1/runs/{run_id}")).json()
    assert (aborted["state"], aborted["error"]["kind"]) == ("aborted", "abort")
    again = await client.delete(f"/v1/runs/{run_id}")
    assert (again.status_code, again.json()) == (200, aborted)
    assert service.service.live == 0


async def test_a_program_that_computes_can_be_aborted(client: Client) -> None:
    run_id = await client.begin("for (;;) {}")
    assert (await client.delete(f"/v1/runs/{run_id}")).json()["state"] == "aborted"


async def test_a_tool_that_cancels_its_own_task_ends_its_run_alone(client: Client) -> None:
    answer = await client.post("/v1/runs", json={"tool": "cancels_itself"})
    run = answer.json()
    assert (answer.status_code, run["state"]) == (200, "failed")
    assert "cancelled" in run["error"]["message"]
    nested = await client.run("return await tools.cancels_itself().catch((e) => e.code)")
    assert nested["result"] == "ABORTED"
    assert (await client.run("return 1"))["result"] == 1


# --- odd input


@pytest.mark.parametrize(
    "program",
    [
        "return '\\u0000 \\ud800 \\u2028'",
        "console.log('\\u0000\\ud800'); return 1",
        "throw new Error('\\u0000\\ud800')",
        "await tools.send('\\u0000')",
        "await tools['\\u0000 no such tool']?.({}); return {['\\u0000']: 1}",
        "return '\ud800'",
        "// \u0000 \u2028 in the text\nreturn '\\n\\n: data: x\\r\\r'",
    ],
)
async def test_odd_texts_pass_through_the_store_and_the_streams(
    client: Client, program: str
) -> None:
    run = await client.run(program)
    assert run["program"] == program
    again = await client.get(f"/v1/runs/{run['id']}")
    assert again.json() == run
    path = f"/v1/runs/{run['id']}/events"
    listed = (await client.get(path)).json()["events"]
    streamed = [(number, kind, data) async for number, kind, data in client.events(path)]
    assert streamed == [(each["id"], each["kind"], each["data"]) for each in listed]


async def test_a_result_may_be_nested_deeper_than_parsers_go(client: Client) -> None:
    program = "return JSON.parse('['.repeat(1000) + ']'.repeat(1000))"
    answer = await client.post("/v1/runs", json={"program": program})
    assert '"result":' + "[" * 1000 + "]" * 1000 in answer.text
    again = await client.get(answer.headers["location"])
    assert again.text == answer.text


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"", "body: Field required"),
        (b"{", "JSON decode error"),
        (b"[]", "body"),
        (b'{"program":1}', "body.program: Input should be a valid string"),
        (b"{}", "either a program or a tool"),
        (b'{"program":"1","tool":"add"}', "either a program or a tool"),
        (b'{"program":"1","arguments":{}}', "arguments belong to a tool"),
        (b'{"tool":"add","seed":1}', "seed belongs to a program"),
        (b'{"program":"1","more":1}', "body.more: there is no such key"),
        (b'{"program":"1","limits":{"computeMs":0}}', "body.limits.computeMs"),
        (b"[" * 100_000, "body"),
        (b'{"program":"1","seed":' + b"9" * 5_000 + b"}", "body"),
        (b"\xff\xfe", "body"),
    ],
    ids=str,
)
async def test_what_is_no_run_is_told_what_to_change(
    client: Client, body: bytes, says: str
) -> None:
    headers = {"Content-Type": "application/json"}
    answer = await client.post("/v1/runs", content=body, headers=headers)
    assert answer.status_code in (400, 422)
    assert says in answer.json()["error"]["message"]
    assert (await client.run("return 1"))["result"] == 1


async def test_a_run_may_ask_for_less_than_the_service_gives_but_not_for_more(
    client: Client,
) -> None:
    body = {"program": "for (;;) {}", "limits": {"computeMs": 20}}
    run = (await client.post("/v1/runs", json=body)).json()
    assert (run["error"]["kind"], run["error"]["budget"]) == ("timeout", "compute")
    assert run["limits"] == {"computeMs": 20}
    answer = await client.post("/v1/runs", json={"program": "1", "limits": {"computeMs": 99_999}})
    assert answer.status_code == 403
    assert "limits.computeMs: 99999 is more than the 10000" in answer.json()["error"]["message"]


async def test_the_same_seed_gives_the_same_run(client: Client) -> None:
    runs = [await client.run("return Math.random()", seed=7) for _ in range(2)]
    assert runs[0]["result"] == runs[1]["result"]
    assert runs[0]["id"] != runs[1]["id"]


async def test_the_answer_is_json_as_it_is_written(client: Client) -> None:
    answer = await client.post("/v1/runs", json={"program": "return 'é\\u0007'"})
    assert answer.headers["content-type"] == "application/json"
    assert json.loads(answer.content.decode())["result"] == "é\u0007"
