"""``codemode mcp``, ``config check`` and ``doctor``, and servers behind the other commands, as a user runs them."""

import json
import re
import socket
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import anyio
import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from .commands import COMMAND, codemode, said

SERVER = """
from mcp.server.mcpserver import MCPServer
server = MCPServer("demo")
@server.tool()
def add(a: int, b: int) -> int:
    "Adds two numbers."
    return a + b
server.run()
"""
TOOLS = """
from codemode.registry import ToolRegistry, tool
@tool
async def double(n: int) -> int:
    '''Doubles.'''
    return 2 * n
LOOSE = [double]
native = ToolRegistry()
first, second = ToolRegistry(mode="code"), ToolRegistry(mode="code")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "server.py").write_text(SERVER)
    (tmp_path / "tools.py").write_text(TOOLS)
    (tmp_path / "codemode.yaml").write_text(
        f"""
servers:
  demo: {{command: {json.dumps(sys.executable)}, args: [{json.dumps(str(tmp_path / "server.py"))}]}}
tools: ["tools.py:LOOSE"]
approval: {{default: always}}
limits: {{wall: 30s}}
"""
    )
    return tmp_path


def test_a_program_uses_a_server_and_a_module_together(folder: Path) -> None:
    program = "return await tools.double({ n: await tools.demo__add({ a: 1, b: 2 }).then((r) => r.result ?? r) })"
    done = codemode("run", "-", "--config", str(folder / "codemode.yaml"), stdin=program)
    assert (done.returncode, done.stdout) == (0, "6\n"), done.stderr


def test_a_server_that_is_not_there_is_said_and_holds_up_nothing(folder: Path) -> None:
    config = folder / "two.yaml"
    config.write_text(
        (folder / "codemode.yaml")
        .read_text()
        .replace("servers:", "servers:\n  gone: {command: /no/such}")
    )
    done = codemode("tools", "--config", str(config))
    assert done.returncode == 0
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["demo__add", "double"]
    assert "gone" in done.stderr
    assert "does not exist" in done.stderr


def test_what_the_model_would_pay_is_told(folder: Path) -> None:
    done = codemode("sdk", "--config", str(folder / "codemode.yaml"), "--json")
    shown = json.loads(done.stdout)
    assert "demo__add" in shown["sdk"]
    assert shown["tokens"] > 0
    assert shown["native_tokens"] > 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tools: ['tools.py:native']", 'has mode "native"'),
        ("tools: ['tools.py:nothing']", "has no nothing"),
        ("tools: ['missing.py:x']", "there is no file"),
        ("tools: ['tools.py:TOOLS_TEXT']", "has no TOOLS_TEXT"),
        ("tools: ['tools.py:first', 'tools.py:second']", "a second registry"),
        ("tools: ['tools.py:first']\nmode: both", 'has mode "code" already'),
        ("tools: ['tools.py:first']\ncode_mode: {output: 1KiB}", "has its own"),
        ("tools: ['tools.py:LOOSE', 'tools.py:double']", "already registered"),
        ("code_mode: {output: 1B}", "output_bytes"),
        ("limits: {memory: 1KiB}", "memory_bytes"),
        ("servers: {a: {command: ''}}", "servers.a.command"),
        ("mode: native", "mode"),
    ],
)
def test_a_configuration_that_does_not_fit_starts_nothing(
    folder: Path, text: str, words: str
) -> None:
    config = folder / "wrong.yaml"
    config.write_text(text)
    done = codemode("tools", "--config", str(config))
    assert done.returncode == 2
    assert words in said(done)
    assert "Traceback" not in done.stderr


def test_options_that_exclude_each_other_are_refused(folder: Path) -> None:
    config = str(folder / "codemode.yaml")
    both = codemode("tools", "--config", config, "--tools", "a:b")
    neither = codemode("sdk")
    assert (both.returncode, neither.returncode) == (2, 2)
    assert "not both" in said(both)
    assert "say whose tools" in said(neither)


def test_config_check_reads_and_starts_nothing(folder: Path) -> None:
    good = codemode("config", "check", str(folder / "codemode.yaml"))
    assert good.returncode == 0
    assert "1 servers, 1 tool modules" in good.stdout
    wrong = folder / "wrong.yaml"
    wrong.write_text("servers:\n  a: {comand: x}\n")
    bad = codemode("config", "check", str(wrong))
    assert (bad.returncode, bad.stdout) == (2, "")
    assert "wrong.yaml:2: servers.a.comand: there is no such key" in bad.stderr
    as_json = codemode("config", "check", str(wrong), "--json")
    assert len(json.loads(as_json.stdout)["faults"]) == 1


def test_doctor_looks_at_everything_and_says_what_to_do(folder: Path) -> None:
    plain = codemode("doctor")
    assert plain.returncode == 0
    assert "ok   sandbox" in plain.stdout
    config = folder / "sick.yaml"
    config.write_text("servers: {gone: {command: /no/such}}\napproval: {tools: {gone__x: always}}")
    sick = codemode("doctor", "--config", str(config), "--json")
    assert sick.returncode == 1
    findings = {each["name"]: each for each in json.loads(sick.stdout)}
    assert not findings["server gone"]["is_well"]
    assert findings["server gone"]["advice"]
    assert "gone__x" in findings["approval"]["detail"]
    assert findings["sandbox"]["is_well"]


# --- codemode mcp

CALL = {"code": "console.log('hi'); return await tools.double({ n: 21 })"}


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
@pytest.mark.parametrize("era", ["legacy", "auto"])
async def test_the_official_client_runs_programs_over_stdio(folder: Path, era: str) -> None:
    parameters = StdioServerParameters(
        command=sys.executable,
        args=[*COMMAND[1:], "mcp", "--config", str(folder / "codemode.yaml")],
    )
    with anyio.fail_after(40):
        async with Client(stdio_client(parameters), mode=era) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == ["run_code"]
            assert client.instructions is not None
            assert "demo__add" in client.instructions
            result = await client.call_tool("run_code", CALL)
            assert result.structured_content == {"logs": ["hi"], "result": 42}


def _free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_the_official_client_runs_programs_over_http_and_a_web_page_does_not(
    folder: Path,
) -> None:
    port = _free_port()
    command = [*COMMAND, "mcp", "--config", str(folder / "codemode.yaml"), "--http", str(port)]
    async with await anyio.open_process(command, stdout=None, stderr=subprocess.PIPE) as process:
        try:
            assert process.stderr is not None
            with anyio.fail_after(40):
                told = b""
                while b"serving MCP at" not in told:
                    told += await process.stderr.receive()
                url = f"http://127.0.0.1:{port}/mcp"
                async with Client(url) as client:
                    result = await client.call_tool("run_code", CALL)
                    assert result.structured_content == {"logs": ["hi"], "result": 42}
                async with httpx2.AsyncClient() as web:
                    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
                    accept = {"Accept": "application/json, text/event-stream"}
                    for headers in ({"Origin": "https://evil.example"}, {"Host": "evil.example"}):
                        answer = await web.post(url, json=body, headers={**accept, **headers})
                        assert answer.status_code in (403, 421)
        finally:
            process.terminate()


def test_what_cannot_be_served_is_refused_before_anything_is_started(folder: Path) -> None:
    config = str(folder / "codemode.yaml")
    remote = codemode("mcp", "--config", config, "--http", "0", "--host", "0.0.0.0")
    assert remote.returncode == 2
    assert "not this machine alone" in said(remote)
    nested = codemode("mcp", "--config", config, CODEMODE_NESTED="1")
    assert nested.returncode == 2
    assert "nested code mode is refused" in said(nested)
    native = codemode("mcp", "--tools", f"{folder / 'tools.py'}:native")
    assert native.returncode == 2
    assert 'ToolRegistry(mode="code")' in said(native)


def test_a_port_that_is_taken_is_told_before_anything_is_started(folder: Path) -> None:
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = codemode("mcp", "--config", str(folder / "codemode.yaml"), "--http", port)
    assert done.returncode == 2
    assert f"cannot listen on 127.0.0.1:{port}" in said(done)


def test_without_standard_input_there_is_no_client(folder: Path) -> None:
    command = " ".join([*COMMAND, "mcp", "--config", str(folder / "codemode.yaml"), "<&-"])
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 2
    assert "standard input and output are needed" in said(done)


def test_what_a_tool_module_prints_is_no_part_of_the_protocol_and_json_is_json(
    tmp_path: Path,
) -> None:
    (tmp_path / "noisy.py").write_text(
        "from codemode.registry import ToolRegistry\nprint('imported!')\n"
        "registry = ToolRegistry(mode='code')\n"
        "registry.tool(name='t', description='del \x7f next \x85')(lambda: None)\n"
    )
    reference = f"{tmp_path / 'noisy.py'}:registry"
    request = {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {},
                   "clientInfo": {"name": "t", "version": "1"}},
    }  # fmt: skip
    done = codemode("mcp", "--tools", reference, stdin=json.dumps(request) + "\n")
    lines = done.stdout.removesuffix("\n").split("\n")  # splitlines splits at U+0085 too
    assert [json.loads(line)["id"] for line in lines] == [1]
    assert "imported!" in done.stderr


def test_a_default_of_the_approval_rules_is_not_about_run_code(folder: Path) -> None:
    config = folder / "listed.yaml"
    config.write_text(
        "tools: ['tools.py:LOOSE']\napproval: {default: deny, tools: {double: always}}"
    )
    done = codemode(
        "run", "-", "--config", str(config), stdin="return await tools.double({ n: 2 })"
    )
    assert (done.returncode, done.stdout) == (0, "4\n"), done.stderr


def test_a_server_that_hangs_holds_up_no_client(folder: Path) -> None:
    (folder / "hangs.py").write_text("import time\ntime.sleep(60)")
    config = folder / "hanging.yaml"
    hangs = f"hangs: {{command: {json.dumps(sys.executable)}, args: [{json.dumps(str(folder / 'hangs.py'))}]}}"
    config.write_text(
        (folder / "codemode.yaml").read_text().replace("servers:", f"servers:\n  {hangs}")
    )
    request = {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {},
                   "clientInfo": {"name": "t", "version": "1"}},
    }  # fmt: skip
    done = codemode("mcp", "--config", str(config), stdin=json.dumps(request) + "\n")
    (answer,) = [json.loads(line) for line in done.stdout.splitlines()]
    assert "demo__add" in answer["result"]["instructions"]


def test_code_mode_behind_code_mode_is_refused_and_said(folder: Path) -> None:
    outer = folder / "outer.yaml"
    arguments = [*COMMAND[1:], "mcp", "--config", str(folder / "codemode.yaml")]
    outer.write_text(
        f"servers: {{inner: {{command: {json.dumps(sys.executable)}, args: {json.dumps(arguments)}}}}}"
    )
    done = codemode("doctor", "--config", str(outer), "--json")
    findings = {each["name"]: each for each in json.loads(done.stdout)}
    assert not findings["server inner"]["is_well"]
    assert "nested code mode is refused" in findings["server inner"]["detail"].replace("\n", " ")


# --- the commands that the pages show

ROOT = Path(__file__).parents[2]
OF_A_SERVICE = ("serve", "approvals", "token")  # tests/test_http_pages.py runs them
SHOWN = sorted(
    {
        line.removeprefix("$ codemode ")
        for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"))
        for line in page.read_text().splitlines()
        if line.startswith("$ codemode ") and line.split()[2] not in OF_A_SERVICE
    }
)


def test_the_pages_show_commands() -> None:
    assert len(SHOWN) >= 3


@pytest.mark.parametrize("command", SHOWN)
def test_a_command_that_a_page_shows_runs(folder: Path, command: str) -> None:
    server = {"command": sys.executable, "args": [str(folder / "server.py")]}
    (folder / "servers.json").write_text(json.dumps({"mcpServers": {"demo": server}}))
    (folder / "servers.yaml").write_text(json.dumps({"servers": {"demo": server}}))
    (folder / "join.ts").write_text("return await tools.demo__add({ a: 1, b: 2 })")
    done = subprocess.run(
        [*COMMAND, *command.split()],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr


def test_the_configuration_that_the_page_shows_is_one(tmp_path: Path) -> None:
    page = (ROOT / "docs/mcp.md").read_text()
    (yaml,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    file = tmp_path / "codemode.yaml"
    file.write_text(yaml)
    done = codemode("config", "check", str(file), GIT_TOKEN="g", DOCS_TOKEN="d")
    assert done.returncode == 0, done.stderr
