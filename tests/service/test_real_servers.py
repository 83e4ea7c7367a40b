"""Nine servers that people have, side by side behind ``codemode mcp``; skipped where they cannot be had.

CI has them: npm and a package index are all that it takes.
"""

import json
import os
import shutil
import subprocess
import sys
import venv
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
NPM = [
    f"@modelcontextprotocol/server-{name}"
    for name in ("filesystem", "memory", "everything", "sequential-thinking")
]
NEWER = ["mcp-server-git", "mcp-server-time", "mcp-server-fetch"]
OLDER = ["mcp<2", "mcp-server-sqlite"]  # it needs the SDK of the line before
INSPECTOR = "@modelcontextprotocol/inspector"

JOIN = """
const history: string = JSON.stringify(await tools.git__git_log({ repo_path: $REPO, max_count: 10 }));
const authors = [...history.matchAll(/Author: ([^\\\\]+)/g)].map((found) => found[1].trim());
await tools.sqlite__create_table({ query: "CREATE TABLE commits (author TEXT)" });
for (const author of authors) await tools.sqlite__write_query({ query: `INSERT INTO commits VALUES ('${author}')` });
const rows = await tools.sqlite__read_query({
  query: "SELECT author, count(*) AS n FROM commits GROUP BY author ORDER BY author",
});
await tools.filesystem__write_file({ path: $REPORT, content: String(rows) });
const { temperature } = await tools["everything__get-structured-content"]({ location: "New York" });
return { rows: String(rows), temperature };
"""


@dataclass(frozen=True)
class World:
    config: Path
    folder: Path
    inspector: Path


def _run(*command: str, cwd: Path | None = None) -> None:
    done = subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, check=False, timeout=400
    )
    if done.returncode != 0:
        pytest.skip(f"the servers cannot be had: {' '.join(command[:4])} …: {done.stderr[-300:]}")


def _install_python(folder: Path, packages: list[str]) -> Path:
    venv.create(folder)
    pip = (sys.executable, "-m", "pip", "--python", str(folder / "bin/python"))
    _run(*pip, "install", "--quiet", "--disable-pip-version-check", *packages)
    return folder / "bin"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    if shutil.which("npm") is None or shutil.which("git") is None:
        pytest.skip("npm and git are needed")
    folder = tmp_path_factory.mktemp("servers")
    npm = ("npm", "install", "--no-audit", "--no-fund", "--silent", *NPM, INSPECTOR)
    with ThreadPoolExecutor(3) as pool:  # each waits for its index and its disk
        installed = pool.submit(_run, *npm, cwd=folder)
        newer, older = pool.map(
            _install_python, (folder / "newer", folder / "older"), (NEWER, OLDER)
        )
        installed.result()
    data, repo = folder / "data", folder / "data/repo"
    repo.mkdir(parents=True)
    for command in (
        ("git", "init", "-q"),
        *(
            ("git", "-c", f"user.name={name}", "-c", "user.email=a@example.org", "commit", "-q",
             "--allow-empty", "-m", "more")
            for name in ("Ada", "Grace", "Ada")
        ),
    ):  # fmt: skip
        _run(*command, cwd=repo)
    node = folder / "node_modules/.bin"
    servers: dict[str, dict[str, Any]] = {
        "filesystem": {"command": str(node / "mcp-server-filesystem"), "args": [str(data)], "approval": "always"},
        "memory": {"command": str(node / "mcp-server-memory"), "env": {"MEMORY_FILE_PATH": str(data / "m.json")}},
        "everything": {"command": str(node / "mcp-server-everything")},
        "thinking": {"command": str(node / "mcp-server-sequential-thinking")},
        "git": {"command": str(newer / "mcp-server-git"), "args": ["--repository", str(repo)]},
        "time": {"command": str(newer / "mcp-server-time"), "args": ["--local-timezone", "UTC"]},
        "fetch": {"command": str(newer / "mcp-server-fetch")},
        "sqlite": {"command": str(older / "mcp-server-sqlite"), "args": ["--db-path", str(data / "db")],
                   "approval": "always"},
        "files": {"command": str(node / "mcp-server-filesystem"), "args": [str(repo)]},
    }  # fmt: skip
    config = folder / "codemode.yaml"
    config.write_text(json.dumps({"servers": servers}, indent=1))
    return World(config, data, node / "mcp-inspector")


def codemode(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "codemode.service.cli", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
        env={**os.environ, "NO_COLOR": "1"},
    )


def test_every_server_comes_up_and_its_tools_are_there(world: World) -> None:
    done = codemode("doctor", "--config", str(world.config), "--json")
    findings = {each["name"]: each for each in json.loads(done.stdout)}
    servers = [name for name in findings if name.startswith("server ")]
    assert len(servers) == 9
    assert [name for name in servers if not findings[name]["is_well"]] == []
    listed = codemode("tools", "--config", str(world.config)).stdout.split()
    for name in (
        "git__git_log",
        "sqlite__read_query",
        "everything__get-sum",
        "files__read_text_file",
    ):
        assert name in listed


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_program_joins_data_over_four_of_them(world: World) -> None:
    report = world.folder / "report.txt"
    program = JOIN.replace("$REPORT", json.dumps(str(report)))
    program = program.replace("$REPO", json.dumps(str(world.folder / "repo")))
    command = ["-m", "codemode.service.cli", "mcp", "--config", str(world.config)]
    with anyio.fail_after(120):
        async with Client(
            stdio_client(StdioServerParameters(command=sys.executable, args=command))
        ) as client:
            result = await client.call_tool("run_code", {"code": program})
    assert not result.is_error, result.content
    value = result.structured_content["result"]
    assert "'Ada', 'n': 2" in value["rows"]
    assert "'Grace', 'n': 1" in value["rows"]
    assert isinstance(value["temperature"], int)
    assert "Ada" in await anyio.Path(report).read_text()


def test_the_inspector_lists_and_calls(world: World) -> None:
    servers = world.config.with_name("inspector.json")
    arguments = ["-m", "codemode.service.cli", "mcp", "--config", str(world.config)]
    servers.write_text(
        json.dumps({"mcpServers": {"codemode": {"command": sys.executable, "args": arguments}}})
    )
    ways = {
        "list": ("--method", "tools/list"),
        "call": (
            "--method", "tools/call", "--tool-name", "run_code",
            "--tool-arg", 'code=return await tools["everything__get-sum"]({ a: 20, b: 22 })',
        ),
    }  # fmt: skip
    shown: dict[str, Any] = {}
    for name, way in ways.items():
        done = subprocess.run(
            [world.inspector, "--cli", "--config", str(servers), "--server", "codemode", *way],
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        )
        shown[name] = json.loads(done.stdout)
    assert [tool["name"] for tool in shown["list"]["tools"]] == ["run_code"]
    assert "42" in shown["call"]["structuredContent"]["result"]
