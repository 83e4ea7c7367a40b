"""Who gets in: tokens, what they see and may; hosts, origins and bodies."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from sqlalchemy import create_engine, text

from codemode.service.http import HttpOptions
from codemode.service.store import open_tokens
from leaping import leap

from .kit import Served, served

pytestmark = pytest.mark.anyio


@pytest.fixture
async def service(tmp_path: Path) -> AsyncGenerator[Served]:
    with open_tokens(str(tmp_path / "runs.sqlite")) as tokens:
        tokens.new("first", grants="{}")
    async with served(tmp_path) as service:
        yield service


async def endpoints(client: httpx2.AsyncClient) -> list[tuple[str, str]]:
    paths = (await client.get("/openapi.json")).json()["paths"]
    return [(method.upper(), path) for path, each in paths.items() for method in each]


async def test_no_endpoint_but_health_answers_without_a_token(service: Served) -> None:
    async with service.client(service.token("ada")) as client:
        known = await endpoints(client)
        assert ("POST", "/v1/runs") in known
    others = [
        ("GET", path) for path in ("/", "/page/app.js", "/page/style.css", "/openapi.json", "/x")
    ]
    async with service.client() as nobody, service.client("cm_wrong") as wrong:
        for client in (nobody, wrong):
            for method, path in [*known, *others]:
                url = path.format(run_id="run_x", approval_id="x")
                answer = await client.request(method, url, json={"program": "return 1"})
                expected = 200 if path in ("/healthz", "/readyz") else 401
                assert answer.status_code == expected, (method, path)
                assert "WWW-Authenticate" in answer.headers or path in ("/", "/healthz", "/readyz")
        assert (await nobody.post("/sign-in")).status_code == 401
        assert (await nobody.post("/sign-out")).headers["location"] == "/"  # which is a 401


async def test_enumeration_with_one_token_finds_nothing_of_anothers(service: Served) -> None:
    ada, bob = service.token("ada"), service.token("bob")
    async with service.client(ada) as a, service.client(bob) as b:
        run = await a.run("console.log('mine'); return 1", {"Idempotency-Key": "k"})
        waiting = await a.begin("return await tools.send({ to: 'me' })")
        question = await a.question()
        assert (await b.get("/v1/runs")).json() == {"runs": [], "next": None}
        assert (await b.get("/v1/approvals")).json()["approvals"] == []
        for run_id in (run["id"], waiting):
            for method, path in (
                ("GET", f"/v1/runs/{run_id}"),
                ("GET", f"/v1/runs/{run_id}/events"),
                ("DELETE", f"/v1/runs/{run_id}"),
            ):
                found = await b.request(method, path)
                made_up = await b.request(method, path.replace(run_id, "run_" + "0" * 26))
                assert (found.status_code, found.text) == (404, made_up.text)
        answer = await b.post(
            "/v1/runs", json={"program": "1"}, headers={"Last-Event-ID": f"{run['id']}-0"}
        )
        assert answer.status_code == 404
        for method in ("GET", "POST"):
            found = await b.request(
                method, f"/v1/approvals/{question['id']}", json={"decision": "allow"}
            )
            assert found.status_code == 404
        assert (await a.question())["id"] == question["id"]
        other = await b.run("console.log('mine'); return 1", {"Idempotency-Key": "k"})
        assert other["id"] != run["id"]  # keys are each owner's own
        assert (await a.delete(f"/v1/runs/{waiting}")).json()["state"] == "aborted"


async def test_tokens_of_one_owner_see_the_same_runs(service: Served) -> None:
    agent = service.token("agent", owner="team", may=["run"])
    person = service.token("person", owner="team", may=["read", "approve"])
    async with service.client(agent) as a, service.client(person) as p:
        run_id = await a.begin("return await tools.send({ to: 'me' })")
        question = await p.question()
        for client, method, path, body in (
            (a, "GET", f"/v1/runs/{run_id}", None),
            (a, "GET", "/v1/runs", None),
            (a, "GET", "/v1/approvals", None),
            (a, "POST", f"/v1/approvals/{question['id']}", {"decision": "allow"}),
            (p, "POST", "/v1/runs", {"program": "return 1"}),
            (p, "DELETE", f"/v1/runs/{run_id}", None),
            (p, "GET", "/metrics", None),
        ):
            answer = await client.request(method, path, json=body)
            assert (answer.status_code, answer.json()["error"]["code"]) == (403, "FORBIDDEN")
        await p.post(f"/v1/approvals/{question['id']}", json={"decision": "allow"})
        assert (await p.settled(run_id))["result"] == "sent to me"


async def test_a_token_sees_and_calls_its_own_tools_alone(service: Served) -> None:
    token = service.token("narrow", tools=["a*", "secret"], exclude=["sec*"], mode="code")
    async with service.client(token) as client:
        listed = (await client.get("/v1/tools")).json()
        assert ([tool["name"] for tool in listed["tools"]], listed["modes"]) == (["add"], ["code"])
        sdk = (await client.get("/v1/sdk")).text
        assert "add(" in sdk
        assert "secret" not in sdk
        program = "return [Object.keys(tools), await tools.$search('knows'), typeof tools.secret]"
        assert (await client.run(program))["result"] == [["add"], [], "undefined"]
        native = await client.post("/v1/runs", json={"tool": "add", "arguments": {"a": 1, "b": 1}})
        assert native.status_code == 403
        assert "native" in native.json()["error"]["message"]


async def test_a_tool_that_comes_later_is_seen_by_those_who_may(service: Served) -> None:
    wide, narrow = service.token("wide"), service.token("narrow", tools=["add"])
    async with service.client(wide) as w, service.client(narrow) as n:
        for client in (w, n):
            assert (await client.run("return 'late' in tools"))["result"] is False

        @service.registry.tool
        async def late() -> str:  # pyright: ignore[reportUnusedFunction]
            return "here"

        assert (await w.run("return await tools.late()"))["result"] == "here"
        assert (await n.run("return 'late' in tools"))["result"] is False


async def test_a_revoked_token_opens_nothing_and_its_runs_end(service: Served) -> None:
    token = service.token("ada")
    async with service.client(token) as client:
        run_id = await client.begin("await tools.hold()")
        await service.gate.entered.wait()
        with open_tokens(str(service.store)) as tokens:
            tokens.revoke("ada")
        with anyio.fail_after(20):
            while (await client.get("/v1/runs")).status_code == 200:
                leap(1)
            leap(1)
            live = service.service.find(run_id)
            if live is not None:
                await live.ended.wait()
    record = await service.service.store.run(run_id)
    assert record is not None
    assert (record.state, "not valid any more" in (record.outcome or "")) == ("aborted", True)


async def test_grants_that_are_not_understood_grant_nothing_and_hurt_nobody_else(
    service: Served,
) -> None:
    with open_tokens(str(service.store)) as tokens:
        _, odd = tokens.new("odd", grants='{"may": ["fly"]}')
    good = service.token("good")
    async with service.client(odd) as o, service.client(good) as g:
        assert (await o.get("/v1/runs")).status_code == 403
        assert (await g.run("return 1"))["result"] == 1


async def test_an_expired_token_opens_nothing(service: Served) -> None:
    with open_tokens(str(service.store)) as tokens:
        _, token = tokens.new("old", grants="{}", expires_ms=1)
    async with service.client(token) as client:
        assert (await client.get("/v1/runs")).status_code == 401


async def test_a_store_that_is_emptied_under_the_service_opens_no_door(service: Served) -> None:
    async with service.client() as client:
        assert (await client.get("/v1/runs")).status_code == 401
        engine = create_engine(f"sqlite:///{service.store}")
        with engine.begin() as connection:
            connection.execute(text("DELETE FROM tokens"))
        engine.dispose()
        leap(2)
        assert (await client.get("/v1/runs")).status_code == 401


async def test_the_store_has_no_token_in_it(service: Served) -> None:
    token = service.token("ada")
    async with service.client(token) as client:
        await client.run("return 1")
    for file in service.store.parent.iterdir():
        assert token.encode() not in file.read_bytes()
        assert file.stat().st_mode & 0o077 == 0


# --- a browser


async def test_a_browser_signs_in_with_a_form_and_a_cookie_that_no_script_reads(
    service: Served,
) -> None:
    token = service.token("ada")
    async with service.client() as browser:
        page = await browser.get("/")
        assert (page.status_code, "<form" in page.text) == (401, True)
        wrong = await browser.post("/sign-in", data={"token": "cm_<b>"})
        assert (wrong.status_code, "not valid" in wrong.text) == (401, True)
        right = await browser.post("/sign-in", data={"token": token})
        assert (right.status_code, right.headers["location"]) == (303, "/")
        cookie = right.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        page = await browser.get("/")
        assert page.status_code == 200
        assert "default-src 'none'" in page.headers["content-security-policy"]
        assert (await browser.get("/v1/runs")).status_code == 200
        await browser.post("/sign-out")
        assert (await browser.get("/v1/runs")).status_code == 401


@pytest.mark.parametrize("path", ["/v1/runs", "/", "/sign-in"])
async def test_another_sites_page_can_call_nothing(service: Served, path: str) -> None:
    token = service.token("ada")
    own = f"http://127.0.0.1:{service.port}"
    async with service.client(token) as client:
        for headers in (
            {"Origin": "https://evil.example"},
            {"Origin": "null"},
            {"Origin": f"{own}.evil.example"},
            {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"},
            {"Sec-Fetch-Site": "same-site"},
        ):
            answer = await client.post(path, json={"program": "return 1"}, headers=headers)
            assert (answer.status_code, answer.json()["error"]["code"]) == (403, "WRONG_ORIGIN")
        answer = await client.get("/v1/runs", headers={"Origin": own})
        assert answer.status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "127.0.0.1@evil"])
async def test_a_host_name_that_is_not_served_is_refused(service: Served, host: str) -> None:
    async with service.client(service.token("ada")) as client:
        answer = await client.get("/v1/runs", headers={"Host": host})
        assert answer.status_code in (400, 421)


async def test_hosts_and_origins_can_be_allowed(tmp_path: Path) -> None:
    http = HttpOptions(hosts=["codemode.example"], origins=["https://ui.example"])
    async with served(tmp_path, http=http) as service, service.client() as client:
        assert (await client.get("/v1/runs")).status_code == 421
        headers = {"Host": "CodeMode.example:443", "Origin": "https://ui.example"}
        assert (await client.get("/v1/runs", headers=headers)).status_code == 200


# --- bodies


async def test_a_body_that_is_too_large_is_refused_before_it_is_read(tmp_path: Path) -> None:
    http = HttpOptions(most_body_bytes=1_000)
    async with served(tmp_path, http=http) as service, service.client() as client:
        answer = await client.post("/v1/runs", json={"program": "x" * 1_000})
        assert (answer.status_code, answer.json()["error"]["code"]) == (413, "BODY_TOO_LARGE")

        async def chunks() -> AsyncGenerator[bytes]:
            for _ in range(20):
                yield b"x" * 100

        headers = {"Content-Type": "application/json"}
        answer = await client.post("/v1/runs", content=chunks(), headers=headers)
        assert answer.status_code == 413
        assert (await client.run("return 1"))["result"] == 1


async def test_headers_keep_browsers_from_guessing_and_framing(service: Served) -> None:
    async with service.client() as client:
        for path in ("/healthz", "/v1/runs", "/"):
            headers = (await client.get(path)).headers
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["x-frame-options"] == "DENY"
            assert headers["cache-control"] == "no-store"


async def test_every_method_that_a_path_has_is_named_when_another_is_tried(
    tmp_path: Path,
) -> None:
    async with served(tmp_path) as service, service.client() as client:
        answer = await client.put("/v1/runs/run_x")
        assert (answer.status_code, answer.headers["allow"]) == (405, "DELETE, GET")
        missing: dict[str, Any] = (await client.get("/nowhere")).json()
        assert missing["error"]["code"] == "NOT_FOUND"
