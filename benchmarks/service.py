"""The service under load, over loopback, as a process of its own with its store on disk.

python benchmarks/service.py [--quick] [--json] [--seconds 60] [--store postgresql://…]

The limits are those of docs/deployment.md. 64 clients with a typical program; then 16 honest clients, calm and beside 8 hostile ones. Lost runs are those that a
client has an id of and the store does not have as succeeded.
"""

import argparse
import asyncio
import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
from bridge import TYPICAL
from service_client import Connection
from service_hostile import hostile, misbehave

from codemode.service.store import open_store, open_tokens

CONFIG = """
tools: ["{tools}:registry"]
limits: {{compute: 5s, wall: 2m, memory: 64MiB, logs: 64KiB, value: 1MiB, calls: 2000}}
service: {{store: "{store}", port: 0, max_runs: 128, max_runs_per_token: 80}}
"""
RESULT = {"one": "3", "two": "6", "three": "10"}
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


@dataclass
class Load:
    """What a set of clients saw."""

    ids: list[str] = field(default_factory=list[str])
    seconds: list[float] = field(default_factory=list[float])
    failures: list[str] = field(default_factory=list[str])

    def percentile(self, part: float) -> float:
        ordered = sorted(self.seconds)
        return ordered[min(int(len(ordered) * part), len(ordered) - 1)] * 1000


async def honest(port: int, token: str, until: float, load: Load) -> None:
    """One client: a run, then the next."""
    async with Connection(port, token) as connection:
        while time.perf_counter() < until:
            began = time.perf_counter()
            try:
                status, run = await connection.ask("POST", "/v1/runs", {"program": TYPICAL})
            except (OSError, EOFError) as error:
                load.failures.append(repr(error))
                connection.drop()
                continue
            load.seconds.append(time.perf_counter() - began)
            if status != 200 or run.get("result") != RESULT:
                load.failures.append(f"{status} {run}"[:300])
            else:
                load.ids.append(run["id"])


async def clients(port: int, token: str, count: int, seconds: float) -> Load:
    load, until = Load(), time.perf_counter() + seconds
    await asyncio.gather(*(honest(port, token, until, load) for _ in range(count)))
    return load


async def beside_hostile(port: int, token: str, bad_token: str, count: int, seconds: float) -> Load:
    bad = [asyncio.create_task(misbehave(port, bad_token, act)) for _, act in hostile()]
    await asyncio.sleep(min(1.0, seconds / 4))
    load = await clients(port, token, count, seconds)
    for task in bad:
        task.cancel()
    await asyncio.gather(*bad, return_exceptions=True)
    return load


def resident_mib(process: int) -> float:
    with contextlib.suppress(OSError):
        pages = Path(f"/proc/{process}/statm").read_text().split()[1]
        return int(pages) * PAGE_BYTES / 2**20
    return 0.0


async def memory(process: int, every: float, seen: list[float]) -> None:
    while True:
        await asyncio.sleep(every)
        seen.append(resident_mib(process))


@contextlib.contextmanager
def served(folder: Path, store: str) -> Generator[tuple[int, int]]:
    """A service; gives its port and process id."""
    tools = Path(__file__).with_name("service_tools.py")
    config = folder / "service.yaml"
    config.write_text(CONFIG.format(tools=tools, store=store))
    said = folder / "log"
    with said.open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "codemode.service.cli", "serve", "--config", str(config)],
            stderr=log,
        )
    try:
        found = None
        while found is None:
            if process.poll() is not None:
                raise RuntimeError(said.read_text())
            found = re.search(r"http://127\.0\.0\.1:(\d+)", said.read_text())
            time.sleep(0.05)
        yield int(found[1]), process.pid
    finally:
        process.terminate()
        process.wait(60)


async def lost(store: str, ids: set[str]) -> int:
    """How many of these runs the store does not have as succeeded."""
    left = set(ids)
    async with open_store(store) as kept:
        before: str | None = None
        while True:
            page = await kept.runs(None, limit=1_000, before=before)
            left -= {run.id for run in page if run.state == "succeeded"}
            if len(page) < 1_000:
                return len(left)
            before = page[-1].id


async def measure(folder: Path, store: str, seconds: float) -> dict[str, Any]:
    with open_tokens(store) as tokens:
        _, token = tokens.new("honest", grants="{}")
        _, bad_token = tokens.new("hostile", grants="{}")
    figures: dict[str, Any] = {}
    seen: list[float] = []
    with served(folder, store) as (port, process):
        await clients(port, token, 16, min(2.0, seconds))  # what is lazy is loaded
        watching = asyncio.create_task(memory(process, max(seconds / 60, 0.1), seen))
        full = await clients(port, token, 64, seconds)
        watching.cancel()
        calm = await clients(port, token, 16, max(seconds / 4, 1.0))
        beside = await beside_hostile(port, token, bad_token, 16, max(seconds / 4, 1.0))
        figures["rss after all, MiB"] = resident_mib(process)
    third = max(len(seen) // 3, 1)
    figures |= {
        "64 clients, runs/s": len(full.ids) / seconds,
        "64 clients, p50 ms": full.percentile(0.5),
        "64 clients, p99 ms": full.percentile(0.99),
        "64 clients, failures": len(full.failures),
        "rss, first third, MiB": sum(seen[:third]) / third,
        "rss, last third, MiB": sum(seen[-third:]) / third,
        "16 calm, p50 ms": calm.percentile(0.5),
        "16 calm, p99 ms": calm.percentile(0.99),
        "16 beside 8 hostile, p50 ms": beside.percentile(0.5),
        "16 beside 8 hostile, p99 ms": beside.percentile(0.99),
        "p99, times calm": beside.percentile(0.99) / calm.percentile(0.99),
        "honest failures": len(calm.failures) + len(beside.failures),
        "lost runs": await lost(store, {*full.ids, *calm.ids, *beside.ids}),
        "runs checked": len(full.ids) + len(calm.ids) + len(beside.ids),
    }
    for failure in (full.failures + calm.failures + beside.failures)[:3]:
        print(failure, file=sys.stderr)  # noqa: T201
    return figures


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--quick", action="store_true", help="a few seconds: a smoke run")
    arguments.add_argument("--json", action="store_true", help="one JSON object")
    arguments.add_argument("--seconds", type=float, default=60.0, help="of the main load [60]")
    arguments.add_argument("--store", help="a store's URL; a SQLite file of its own without it")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = given.store or str(Path(folder) / "runs.sqlite")
        seconds = 3.0 if given.quick else given.seconds
        figures = anyio.run(measure, Path(folder), store, seconds)
    if given.json:
        print(json.dumps(figures))  # noqa: T201
        return
    for name, figure in figures.items():
        print(f"{name:32} {figure:10.1f}")  # noqa: T201


if __name__ == "__main__":
    main()
