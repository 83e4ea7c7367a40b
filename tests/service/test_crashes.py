"""A service that is killed at any moment loses nothing that it had accepted, and does nothing twice."""

import random
import threading
from collections import Counter
from pathlib import Path

import httpx2
import pytest

from .serving import Process, begin, events, serve

KILLS = 20
CLIENTS = 6


class Client(threading.Thread):
    """Posts runs with keys of its own until its service is gone."""

    def __init__(self, process: Process, number: str) -> None:
        super().__init__()
        self.process = process
        self.number = number
        self.keys: list[str] = []
        self.ids: dict[str, str] = {}

    def run(self) -> None:
        with self.process.client() as client:
            while True:
                key = f"{self.number}-{len(self.keys)}"
                self.keys.append(key)
                try:
                    self.ids.update({key: post(client, key)["id"]})
                except httpx2.HTTPError:
                    return


def post(client: httpx2.Client, key: str) -> dict[str, str]:
    program = f"console.log('began'); await tools.mark({{ name: '{key}' }}); console.log('done'); return '{key}'"
    answer = client.post("/v1/runs", json={"program": program}, headers={"Idempotency-Key": key})
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_every_run_is_accounted_for_and_none_is_done_twice_over_twenty_kills(
    tmp_path: Path,
) -> None:
    chance = random.Random(20)
    known: dict[str, str] = {}  # id by key, of what a client was told
    asked: list[str] = []
    interrupted = 0
    for number in range(KILLS):
        with serve(tmp_path) as process:
            clients = [Client(process, f"{number}-{each}") for each in range(CLIENTS)]
            for client in clients:
                client.start()
            clients[0].join(chance.uniform(0.02, 0.4))  # goes on until the service is killed
            process.kill()
            for client in clients:
                client.join(30)
        for client in clients:
            asked += client.keys
            known |= client.ids
    with serve(tmp_path) as process, process.client() as client:
        for key in asked:  # sent again, as clients do that do not know
            run = post(client, key)
            assert run["state"] in ("succeeded", "interrupted"), run
            assert run["id"] == known.setdefault(key, run["id"])
            interrupted += run["state"] == "interrupted"
        marks = Counter((tmp_path / "marks").read_text().split())
        for key, run_id in known.items():
            run = client.get(f"/v1/runs/{run_id}").json()
            told = events(client, run_id)
            assert [int(each["id"].rpartition("-")[2]) for each in told] == list(range(len(told)))
            assert told[-1]["kind"] == "result"
            assert marks[key] <= 1, key
            if run["state"] == "succeeded":
                assert (run["result"], marks[key]) == (key, 1)
            if marks[key]:  # what was done was written down before
                assert any(each["kind"] == "sub-call" for each in told)
        process.end()
    assert len(known) == len(asked) > KILLS * CLIENTS
    assert interrupted > 0


def test_an_interrupted_run_has_everything_that_was_seen_of_it(tmp_path: Path) -> None:
    with serve(tmp_path) as process, process.client() as client:
        run_id = begin(
            client, "console.log('seen'); await tools.mark({name: 'm'}); await tools.hold()"
        )
        asks = begin(client, "await tools.send({ to: 'ada' })")
        seen = events(client, run_id)
        while len(seen) < 5 or not client.get("/v1/approvals?state=pending").json()["approvals"]:
            seen = events(client, run_id)
        process.kill()
    with serve(tmp_path) as process, process.client() as client:
        told = events(client, run_id)
        assert told[:-1] == seen
        assert told[-1]["data"]["state"] == "interrupted"
        run = client.get(f"/v1/runs/{run_id}").json()
        assert (run["state"], run["error"]["kind"]) == ("interrupted", "worker-exit")
        assert run["logs"] == [{"source": "console", "level": "log", "text": "seen"}]
        (question,) = client.get("/v1/approvals").json()["approvals"]
        assert (question["run"], question["state"]) == (asks, "cancelled")
        process.end()
