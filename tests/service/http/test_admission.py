"""How much at one time: what does not fit is refused at once, and what runs is not hurt."""

from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from codemode.service.runs import ServiceOptions

from .kit import served

pytestmark = pytest.mark.anyio
HOLD = "return await tools.hold()"


async def test_a_run_that_does_not_fit_is_refused_at_once_and_told_when_to_come(
    tmp_path: Path,
) -> None:
    options = ServiceOptions(max_runs=3)
    async with served(tmp_path, options) as service, service.client() as client:
        ids = [await client.begin(HOLD) for _ in range(3)]
        answer = await client.post("/v1/runs", json={"program": "return 1"})
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "1")
        assert answer.json()["error"]["code"] == "TOO_MANY_RUNS"
        assert len((await client.get("/v1/runs")).json()["runs"]) == 3  # it left nothing
        service.gate.leave.set()
        for run_id in ids:
            assert (await client.settled(run_id))["result"] == "held"
        assert (await client.run("return 1"))["result"] == 1


async def test_one_token_cannot_take_the_room_of_another(tmp_path: Path) -> None:
    async with served(tmp_path, ServiceOptions(max_runs=4, max_runs_per_token=3)) as service:
        greedy, small = service.token("greedy"), service.token("small", maxRuns=1)
        await anyio.lowlevel.checkpoint()
        service.service.callers._read_at = -10.0  # pyright: ignore[reportPrivateUsage]
        async with service.client(greedy) as g, service.client(small) as s:
            for _ in range(3):
                await g.begin(HOLD)
            assert (await g.post("/v1/runs", json={"program": "1"})).status_code == 429
            await s.begin(HOLD)
            answer = await s.post("/v1/runs", json={"program": "1"})
            assert answer.status_code == 429
            assert "1 that it may have" in answer.json()["error"]["message"]


async def test_a_service_that_ends_takes_no_more_runs_and_finishes_those_it_has(
    tmp_path: Path,
) -> None:
    async with served(tmp_path) as service, service.client() as client:
        run_id = await client.begin(HOLD)
        await service.gate.entered.wait()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(service.service.drain, 30)
            while (await client.get("/readyz")).status_code == 200:
                await anyio.lowlevel.checkpoint()
            answer = await client.post("/v1/runs", json={"program": "return 1"})
            assert (answer.status_code, answer.json()["error"]["code"]) == (503, "SHUTTING_DOWN")
            assert (await client.get("/healthz")).status_code == 200
            service.gate.leave.set()
        assert (await client.get(f"/v1/runs/{run_id}")).json()["result"] == "held"


async def test_what_does_not_end_by_itself_is_aborted_when_the_patience_is_over(
    tmp_path: Path,
) -> None:
    async with served(tmp_path) as service, service.client() as client:
        run_id = await client.begin("for (;;) {}")
        await service.service.drain(0.01)
        run = (await client.get(f"/v1/runs/{run_id}")).json()
        assert (run["state"], run["error"]["message"]) == ("aborted", "the service ends")


async def test_a_token_has_a_bound_of_streams(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("codemode.service.http._streams.MOST_STREAMS", 2)
    async with served(tmp_path) as service, service.client() as client:
        open_streams = [client.events("/v1/runs"), client.events("/v1/runs")]
        run_id = await client.begin(HOLD)
        for stream in open_streams:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(client.begin, "return 1")
                await anext(stream)
        answer = await client.get("/v1/runs", headers={"Accept": "text/event-stream"})
        assert answer.status_code == 429
        await open_streams[0].aclose()
        await client.delete(f"/v1/runs/{run_id}")
        with anyio.fail_after(20):
            while True:
                async with client.stream(
                    "GET", f"/v1/runs/{run_id}/events", headers={"Accept": "text/event-stream"}
                ) as again:
                    if again.status_code == 200:
                        break
                await anyio.lowlevel.checkpoint()
        await open_streams[1].aclose()


async def test_requests_that_wait_for_one_run_are_bounded_and_end_with_their_client(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("codemode.service.http._streams.MOST_WAITING", 3)
    async with served(tmp_path) as service, service.client() as client:
        key = {"Idempotency-Key": "one"}

        async def status() -> int:
            headers = {**key, "Prefer": "wait=1"}
            return (
                await client.post("/v1/runs", json={"program": HOLD}, headers=headers)
            ).status_code

        async with anyio.create_task_group() as tasks:
            for _ in range(3):
                tasks.start_soon(client.run, HOLD, key)
            await service.gate.entered.wait()
            with anyio.fail_after(20):
                while await status() != 429:
                    await anyio.lowlevel.checkpoint()
            tasks.cancel_scope.cancel()
        with anyio.fail_after(
            20
        ):  # the clients are gone, and so are their requests; the run is not
            while await status() != 202:
                await anyio.lowlevel.checkpoint()
        service.gate.leave.set()
        assert (await client.run(HOLD, key))["result"] == "held"


async def test_hostile_programs_end_by_their_limits_and_others_go_on(tmp_path: Path) -> None:
    programs = {
        "for (;;) {}": "timeout",
        "const a = []; for (;;) a.push(new Array(1e5).fill(1))": "memory-limit",
        "(function f() { f() })()": "exception",
        "for (let i = 0; i < 1e4; i++) console.log('x'.repeat(1000))": None,
        "for (let i = 0; i < 9000; i++) tools.add({a:1,b:i}); throw 1": "exception",
        "return 'x'.repeat(9e6)": "output-limit",
    }
    ends: dict[str, str | None] = {}
    async with served(tmp_path) as service, service.client() as client:

        async def run(program: str) -> None:
            limits = {"computeMs": 500, "memoryBytes": 32 << 20}
            ends[program] = (await client.run(program, limits=limits)).get("error", {}).get("kind")

        async with anyio.create_task_group() as tasks:
            for program in programs:
                tasks.start_soon(run, program)
            for _ in range(5):
                assert (await client.run("return await tools.add({ a: 1, b: 1 })"))["result"] == 2
    assert ends == programs


async def test_numbers_are_told_to_prometheus_without_names(tmp_path: Path) -> None:
    async with served(tmp_path) as service, service.client() as client:
        await client.run("await tools.add({ a: 1, b: 2 })")
        await client.run("throw 1")
        text = (await client.get("/metrics")).text
    assert 'codemode_runs_total{kind="",state="succeeded"} 1.0' in text
    assert 'codemode_runs_total{kind="exception",state="failed"} 1.0' in text
    assert 'codemode_sub_calls_total{outcome="ok"} 1.0' in text
    assert "codemode_live_runs 0.0" in text
    assert "local" not in text
