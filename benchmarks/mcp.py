"""What a call of an MCP tool costs through a program, bridge and pipeline; and how long many servers take.

python benchmarks/mcp.py [--quick] [--json]

The server is a process on stdio that gives arguments back. The bare call is the SDK's ``ClientSession`` in the
same run, in turn with ours. The start of 59 servers needs the recorded lists (../shared/mcp_tools), or
makes lists of the same size.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:] = [
    p for p in sys.path if Path(p or ".").resolve() != HERE
]  # this file has the SDK's name

import anyio
from mcp.client.session import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client

from codemode.registry import ToolExecution, ToolRegistry
from codemode.runtime import Limits, QuickJSRuntime
from codemode.service.mcp import McpServers, StdioServer

ROOT = HERE.parent
SCRIPT = ROOT / "tests" / "service" / "mcp" / "scripted_server.py"
RECORDED = ROOT.parent / "shared" / "mcp_tools"
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"n": {"type": "integer"}}}
ECHO = {"tools": [{"name": "echo", "inputSchema": SCHEMA, "outputSchema": SCHEMA}]}
LIMITS = Limits(compute_ms=60_000, wall_ms=120_000)
PROGRAM = "for (let n = 0; n < COUNT; n++) await tools.echo__echo({ n })"


def _server(folder: Path, name: str, scenario: object) -> StdioServer:
    path = folder / f"{name}.json"
    path.write_text(json.dumps(scenario))
    return StdioServer(name=name, command=sys.executable, args=["-I", "-S", str(SCRIPT), str(path)])


async def _bare_ms(session: ClientSession, count: int) -> float:
    began = time.perf_counter()
    for n in range(count):
        result = await session.call_tool("echo", {"n": n})
        assert not result.is_error
    return (time.perf_counter() - began) / count * 1e3


async def _direct_ms(registry: ToolRegistry, count: int) -> float:
    began = time.perf_counter()
    for n in range(count):
        call = ToolExecution(call_id="c", name="echo__echo", arguments={"n": n})
        assert not (await registry.execute(call)).is_error
    return (time.perf_counter() - began) / count * 1e3


async def _program_ms(registry: ToolRegistry, count: int) -> float:
    """Of one call, less what an empty program takes."""

    async def run(code: str) -> float:
        began = time.perf_counter()
        call = ToolExecution(call_id="c", name="run_code", arguments={"code": code})
        result = await registry.execute(call)
        assert not result.is_error, result
        return time.perf_counter() - began

    empty = await run("return 1")
    return (await run(PROGRAM.replace("COUNT", str(count))) - empty) / count * 1e3


async def calls(folder: Path, quick: bool) -> dict[str, float]:
    """Milliseconds a call: medians over rounds in which the three take turns."""
    count, rounds = (100, 5) if quick else (300, 15)
    server = _server(folder, "echo", ECHO)
    parameters = StdioServerParameters(command=server.command, args=list(server.args))
    found: dict[str, list[float]] = {"bare": [], "registry.execute": [], "program": []}
    async with QuickJSRuntime(limits=LIMITS) as runtime:
        registry = ToolRegistry(mode="both", runtime=runtime)
        async with (
            stdio_client(parameters) as streams,
            ClientSession(*streams) as session,
            McpServers(registry, [server]) as servers,
        ):
            await session.initialize()
            await session.list_tools()
            await servers.wait_settled()
            for _ in range(rounds):
                found["bare"].append(await _bare_ms(session, count))
                found["registry.execute"].append(await _direct_ms(registry, count))
                found["program"].append(await _program_ms(registry, count))
    made = {f"one call, {name}, ms": statistics.median(times) for name, times in found.items()}
    over = [ours - bare for ours, bare in zip(found["program"], found["bare"], strict=True)]
    made["overhead of a program's call, ms (at most 0.4)"] = statistics.median(over)
    return made


def _lists() -> dict[str, list[Any]]:
    lists: dict[str, list[Any]] = {}
    for path in sorted(RECORDED.glob("*.json")):
        kept = json.loads(path.read_text())
        lists[kept["server"]] = kept["tools"]
    if not lists:
        properties = {f"field_{i}": {"type": "string", "description": "x" * 80} for i in range(12)}
        schema = {"type": "object", "properties": properties}
        entry = {"description": "y" * 400, "inputSchema": schema}
        for i in range(59):
            lists[f"server_{i}"] = [{"name": f"tool_{n}", **entry} for n in range(47)]
    return lists


async def starts(folder: Path) -> dict[str, float]:
    """Seconds until every server is ready, without a cache and with one, and until all have ended."""
    servers = [_server(folder, name, {"tools": tools}) for name, tools in _lists().items()]
    made: dict[str, float] = {}
    for which in ("cold", "with a cache"):
        registry = ToolRegistry()
        began = time.perf_counter()
        async with McpServers(registry, servers, cache_dir=folder / "cache") as running:
            made[f"tools there, {which}, s"] = time.perf_counter() - began
            await running.wait_settled()
            made[f"start of {len(servers)} servers, {which}, s (at most 5)"] = (
                time.perf_counter() - began
            )
            assert all(status.state == "ready" for status in running.status())
            made["tools"] = len(running.tools())
            began = time.perf_counter()
        made[f"end, {which}, s"] = time.perf_counter() - began
    del made["tools there, cold, s"]
    return made


async def measure(quick: bool) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        return await calls(Path(folder), quick) | await starts(Path(folder))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--quick", action="store_true", help="fewer calls")
    arguments.add_argument("--json", action="store_true", help="figures as one JSON object")
    given = arguments.parse_args()
    figures = anyio.run(measure, given.quick)
    if given.json:
        print(json.dumps(figures))  # noqa: T201
        return
    for name, figure in figures.items():
        print(f"{figure:10.3f}  {name}")  # noqa: T201


if __name__ == "__main__":
    main()
