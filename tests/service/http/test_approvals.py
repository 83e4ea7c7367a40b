"""Questions of runs to people: shown, answered once, expired, kept out of the run's budgets."""

from pathlib import Path

import anyio
import pytest

from codemode.service.runs import ServiceOptions
from leaping import leap

from .kit import Client, Served, served, shop

pytestmark = pytest.mark.anyio
SEND = "return await tools.send({ to: 'ada', text: 'hello' }).catch((e) => [e.code, e.message])"


async def decide(client: Client, question: str, decision: str) -> int:
    answer = await client.post(f"/v1/approvals/{question}", json={"decision": decision})
    return answer.status_code


async def test_an_allowed_call_goes_on(client: Client) -> None:
    run_id = await client.begin(SEND)
    question = await client.question()
    assert question["run"] == run_id
    assert (question["tool"], question["reason"]) == ("send", "it reaches people")
    assert question["arguments"] == {"to": "ada", "text": "hello"}
    assert await decide(client, question["id"], "allow") == 200
    assert (await client.settled(run_id))["result"] == "sent to ada"
    again = (await client.get(f"/v1/approvals/{question['id']}")).json()
    assert (again["state"], again["decidedBy"]) == ("allowed", "local")


async def test_a_denied_call_rejects_and_can_be_caught(client: Client) -> None:
    run_id = await client.begin(SEND)
    assert await decide(client, (await client.question())["id"], "deny") == 200
    code, message = (await client.settled(run_id))["result"]
    assert (code, message) == ("DENIED", 'the user rejected tool "send": it reaches people')


async def test_a_question_is_answered_once(client: Client) -> None:
    run_id = await client.begin(SEND)
    question = (await client.question())["id"]
    statuses: list[int] = []

    async def answer(decision: str) -> None:
        statuses.append(await decide(client, question, decision))

    async with anyio.create_task_group() as tasks:
        for decision in ("allow", "deny") * 5:
            tasks.start_soon(answer, decision)
    assert sorted(statuses) == [200] + [409] * 9
    state = (await client.get(f"/v1/approvals/{question}")).json()["state"]
    result = (await client.settled(run_id))["result"]
    assert (result == "sent to ada") == (state == "allowed")


async def test_ten_minutes_of_thinking_use_neither_compute_nor_wall(client: Client) -> None:
    run_id = await client.begin(SEND)
    question = (await client.question())["id"]
    leap(600)
    for _ in range(5):
        await anyio.lowlevel.checkpoint()
    assert await decide(client, question, "allow") == 200
    run = await client.settled(run_id)
    assert run["result"] == "sent to ada"
    assert run["stats"]["pausedMs"] >= 600_000
    assert run["stats"]["wallMs"] < 20_000
    assert run["stats"]["computeMs"] < 10_000


@pytest.mark.parametrize("body", [{"program": SEND}, {"tool": "send", "arguments": {"to": "ada"}}])
async def test_a_question_that_nobody_answers_expires_and_says_so(
    tmp_path: Path, body: dict[str, object]
) -> None:
    made = shop(approval_ms=60_000.0)
    async with served(tmp_path, made=made) as service, service.client() as client:
        body = {**body, "limits": {"approvalMs": 50_000}}
        begun = await client.post("/v1/runs", json=body, headers={"Prefer": "respond-async"})
        question = await client.question()
        assert question["expiresMs"] - question["askedMs"] <= 50_000
        leap(51)
        run = await client.settled(begun.json()["id"])
        if "program" in body:
            code, message = run["result"]
            assert "approval budget exhausted" in message
            assert "50000 ms" in message
        else:
            code = run["error"]["code"]
        assert code == "APPROVAL_EXPIRED"
        assert (await client.get(f"/v1/approvals/{question['id']}")).json()["state"] == "expired"
        assert await decide(client, question["id"], "allow") == 409


async def test_an_abort_ends_the_question_too(service: Served, client: Client) -> None:
    run_id = await client.begin(SEND)
    question = (await client.question())["id"]
    assert (await client.delete(f"/v1/runs/{run_id}")).json()["state"] == "aborted"
    await service.service.store.ping()
    assert (await client.get(f"/v1/approvals/{question}")).json()["state"] == "cancelled"
    assert await decide(client, question, "allow") == 409
    assert service.service.approvals.pending == 0


async def test_an_edit_is_shown_as_a_difference(client: Client) -> None:
    run_id = await client.begin(
        "await tools.edit({path:'a.md', old_string:'one', new_string:'two'})"
    )
    question = await client.question()
    assert question["card"] == {
        "card": "diff",
        "title": "edit",
        "diffs": [{"path": "a.md", "oldText": "one", "newText": "two"}],
    }
    await client.delete(f"/v1/runs/{run_id}")


async def test_the_stream_tells_of_the_question_and_its_answer(client: Client) -> None:
    told: list[tuple[str, str]] = []
    with anyio.fail_after(30):
        async for _, kind, data in client.events("/v1/runs", "POST", json={"program": SEND}):
            if kind == "approval":
                told.append((kind, data["state"]))
                if data["state"] == "pending":
                    assert data["arguments"] == {"to": "ada", "text": "hello"}
                    assert await decide(client, data["id"], "allow") == 200
    assert told == [("approval", "pending"), ("approval", "allowed")]


async def test_arguments_that_are_to_be_shown_nowhere_are_not(tmp_path: Path) -> None:
    options = ServiceOptions(redact={"*": ["**.password"], "send": ["text"]})
    async with served(tmp_path, options) as service, service.client() as client:
        program = "const password = 'hun' + 'ter2'; return await tools.send({to:'ada', text:password+'!', password})"
        run_id = await client.begin(program)
        question = await client.question()
        hidden = "[redacted]"
        assert question["arguments"] == {"to": "ada", "text": hidden, "password": hidden}
        await decide(client, question["id"], "allow")
        assert (await client.settled(run_id))["result"] == "sent to ada"
        body = {"tool": "send", "arguments": {"to": "x", "password": "hunter2"}}
        begun = await client.post("/v1/runs", json=body, headers={"Prefer": "respond-async"})
        await client.delete(f"/v1/runs/{begun.json()['id']}")
    assert not [file for file in tmp_path.iterdir() if b"hunter2" in file.read_bytes()]  # noqa: ASYNC240


async def test_a_question_that_is_too_large_to_be_shown_is_a_no(client: Client) -> None:
    run = await client.run(
        "return await tools.send({ to: 'x'.repeat(300_000) }).catch((e) => e.code)"
    )
    assert run["result"] == "DENIED"
