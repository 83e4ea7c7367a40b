"""``codemode serve``, ``runs``, ``approvals`` and ``token``, as a user runs them."""

import gzip
import json
import os
import signal
import socket
import stat
import subprocess
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from .commands import COMMAND, ENVIRONMENT, said
from .commands import codemode as command
from .serving import Process, begin, events, serve

Done = subprocess.CompletedProcess[str]


def at(process: Process, token: str = "") -> Callable[..., Done]:
    """The command line as this service's client."""

    def codemode(*arguments: str) -> Done:
        if not token:
            return command(*arguments, "--server", process.url)
        return command(*arguments, CODEMODE_SERVER=process.url, CODEMODE_TOKEN=token)

    return codemode


def test_runs_are_listed_shown_followed_and_aborted(tmp_path: Path) -> None:
    with serve(tmp_path) as process, process.client() as client:
        codemode = at(process)
        assert codemode("runs", "list").stdout == "no runs\n"
        good = begin(
            client, "console.log('\\u001b[31mred'); return await tools.mark({name: 'abc'})"
        )
        bad = begin(client, "throw new TypeError('no')")
        followed = codemode("runs", "follow", good)
        assert followed.returncode == 0
        assert "\\x1b[31mred" in followed.stdout
        assert followed.stdout.endswith("succeeded:\n3\n")
        failed = codemode("runs", "follow", bad)
        assert (failed.returncode, "exception: TypeError: no" in failed.stdout) == (1, True)
        streamed = codemode("runs", "follow", good, "--json").stdout.splitlines()
        assert [json.loads(line)["kind"] for line in streamed] == [
            "start", "log", "sub-call", "sub-call", "result",
        ]  # fmt: skip
        listed = codemode("runs", "list", "--state", "failed").stdout
        assert bad in listed
        assert good not in listed
        shown = codemode("runs", "show", good).stdout
        assert "return await tools.mark" in shown
        assert "← mark succeeded" in shown
        held = begin(client, "await tools.hold()")
        assert codemode("runs", "abort", held).stdout == f"{held} aborted\n"
        missing = codemode("runs", "show", "run_x")
        assert (missing.returncode, said(missing)) == (1, "codemode: there is no such run")
        process.end()


def test_approvals_are_listed_shown_allowed_and_denied(tmp_path: Path) -> None:
    with serve(tmp_path) as process, process.client() as client:
        codemode = at(process)
        assert codemode("approvals", "list").stdout == "nothing waits for an answer\n"
        run_id = begin(
            client,
            "return [await tools.send({ to: 'ada' }), await tools.edit({path: 'a', old_string: 'x\\ny', new_string: 'x\\nz'}).catch((e) => e.code)]",
        )

        def question() -> str:
            while True:
                (found,) = json.loads(codemode("approvals", "list", "--json").stdout) or [None]
                if found is not None:
                    return found["id"]

        first = question()
        assert '"to": "ada"' in codemode("approvals", "show", first).stdout
        assert codemode("approvals", "allow", first).stdout == "send: allowed\n"
        again = codemode("approvals", "deny", first)
        assert (again.returncode, said(again)) == (1, "codemode: the question is allowed already")
        second = question()
        shown = codemode("approvals", "show", second).stdout.splitlines()
        assert [
            line for line in shown if line.startswith(("-", "+")) and line[1:] in ("y", "z")
        ] == ["-y", "+z"]
        assert codemode("approvals", "deny", second).stdout == "edit: denied\n"
        assert codemode("runs", "follow", run_id).returncode == 0
        assert client.get(f"/v1/runs/{run_id}").json()["result"] == ["sent to ada", "DENIED"]
        assert len(codemode("approvals", "list", "--all").stdout.splitlines()) == 2
        process.end()


def test_tokens_are_made_listed_and_revoked_beside_a_service(tmp_path: Path) -> None:
    store = ("--store", str(tmp_path / "runs.sqlite"))
    command("token", "new", "first", *store)
    with serve(tmp_path) as process:
        options = ("--may", "run", "--may", "read", "--tools", "m*", "--max-runs", "2")
        made = command(
            "token", "new", "ada", *store, *options, "--compute", "2s", "--expires", "9d"
        )
        token = made.stdout.strip()
        codemode = at(process, token)
        with process.client(token) as client:
            assert [t["name"] for t in client.get("/v1/tools").json()["tools"]] == ["mark"]
        assert codemode("runs", "list").returncode == 0
        nobody = at(process)("runs", "list")
        assert (nobody.returncode, "CODEMODE_TOKEN" in nobody.stderr) == (1, True)
        _, listed = json.loads(command("token", "list", "--json", *store).stdout)
        assert (listed["name"], listed["state"]) == ("ada", "valid")
        assert json.loads(listed["grants"])["limits"] == {"computeMs": 2000}
        assert token not in command("token", "list", *store).stdout
        assert "(ada)" in command("token", "revoke", "ada", *store).stdout
        twice = command("token", "revoke", "ada", *store)
        assert (twice.returncode, "no token 'ada'" in said(twice)) == (2, True)
        while codemode("runs", "list").returncode == 0:
            pass
        process.end()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--may", "fly"], "may"),
        (["--mode", "fast"], "mode"),
        (["--compute", "5"], "write a number with a unit"),
        (["--max-runs", "0"], "max_runs"),
    ],
)
def test_a_token_that_cannot_be_is_not_made(tmp_path: Path, options: list[str], says: str) -> None:
    store = ("--store", str(tmp_path / "runs.sqlite"))
    done = command("token", "new", "ada", *store, *options)
    assert (done.returncode, says.lower() in said(done).lower()) == (2, True), done.stderr
    assert json.loads(command("token", "list", "--json", *store).stdout) == []


def test_a_signal_lets_runs_end_and_takes_no_more(tmp_path: Path) -> None:
    config = 'tools: ["tools.py:registry"]\nservice: {drain: 300ms}\n'
    with serve(tmp_path, config=config) as process, process.client() as client:
        short = begin(client, "await new Promise((done) => setTimeout(done, 50)); return 'through'")
        long = begin(client, "await tools.hold()")
        said = process.end()
        assert "2 runs in progress" in said
    with serve(tmp_path) as process, process.client() as client:
        assert client.get(f"/v1/runs/{short}").json()["result"] == "through"
        run = client.get(f"/v1/runs/{long}").json()
        assert (run["state"], run["error"]["message"]) == ("aborted", "the service ends")
        process.end()


@pytest.mark.parametrize("body", [{"program": "await tools.stubborn()"}, {"tool": "stubborn"}])
def test_a_tool_that_does_not_stop_does_not_keep_the_service(
    tmp_path: Path, body: dict[str, str]
) -> None:
    config = 'tools: ["tools.py:registry"]\nservice: {drain: 1ms}\n'
    with serve(tmp_path, config=config) as process, process.client() as client:
        run = client.post("/v1/runs", json=body, headers={"Prefer": "respond-async"}).json()
        process.popen.send_signal(signal.SIGTERM)
        said = process.popen.communicate(timeout=50)[1]
        assert "do not stop" in said
    with serve(tmp_path) as process, process.client() as client:
        found = client.get(f"/v1/runs/{run['id']}").json()
        assert found["state"] == ("aborted" if "program" in body else "interrupted")
        process.end()


def test_a_second_signal_ends_it_at_once(tmp_path: Path) -> None:
    with serve(tmp_path) as process, process.client() as client:
        begin(client, "await tools.hold()")
        process.popen.send_signal(signal.SIGINT)
        assert process.popen.stderr is not None
        while "waiting up to" not in process.popen.stderr.readline():
            pass
        process.popen.send_signal(signal.SIGINT)
        assert process.popen.wait(30) == 130


def test_two_services_do_not_share_a_store(tmp_path: Path) -> None:
    with serve(tmp_path) as process:
        second = command(
            "serve", "--tools", f"{tmp_path}/tools.py:registry", "--port", "0", "--store", str(tmp_path / "runs.sqlite")
        )  # fmt: skip
        assert second.returncode == 2
        assert "is used by another codemode serve" in said(second)
        process.end()


def test_the_store_is_for_its_user_alone(tmp_path: Path) -> None:
    with serve(tmp_path) as process:
        for file in tmp_path.glob("runs.sqlite*"):
            assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
        process.end()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ([], "say whose tools"),
        (["--tools", "tools.py:nothing"], "has no nothing"),
        (["--tools", "tools.py:registry", "--store", "mysql://x/y"], "a store is a file"),
        (["--tools", "tools.py:registry", "--log", "xml"], "--log"),
        (["--tools", "tools.py:registry", "--port", "70000"], "--port"),
        (["--tools", "tools.py:registry", "--host", "0.0.0.0"], "has no tokens"),
        (["--tools", "tools.py:registry", "--host", "192.0.2.1"], "cannot listen on"),
        (["--config", "wrong.yaml"], "wrong.yaml:1: service.prot: there is no such key"),
    ],
)  # fmt: skip
def test_a_service_that_cannot_begin_says_what_to_change(
    tmp_path: Path, options: list[str], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from .serving import TOOLS

    monkeypatch.chdir(tmp_path)
    (tmp_path / "tools.py").write_text(TOOLS)
    (tmp_path / "wrong.yaml").write_text("service: {prot: 1}")
    where = [] if "--store" in options else ["--store", "runs.sqlite"]
    port = [] if "--port" in options else ["--port", "0"]
    done = command("serve", *options, *where, *port)
    assert (done.returncode, says in said(done)) == (2, True), done.stderr


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    with socket.socket() as taken, serve(tmp_path) as process:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = command("serve", "--tools", f"{tmp_path}/tools.py:registry", "--port", port)
        assert "cannot listen on 127.0.0.1" in said(done)
        process.end()


def test_nobody_waits_for_the_reader_of_the_log(tmp_path: Path) -> None:
    """Nobody reads its standard error here: the pipe is full after some 500 runs."""
    with serve(tmp_path) as process, process.client() as client:
        for number in range(1_000):
            answer = client.post("/v1/runs", json={"program": f"return {number}"})
            assert answer.json()["result"] == number


def test_the_log_can_be_json_with_the_runs_id(tmp_path: Path) -> None:
    with serve(tmp_path) as process, process.client() as client:
        run_id = begin(client, "await tools.hold()")
        process.kill()
    with serve(tmp_path, "--log", "json") as process, process.client() as client:
        ended = client.post("/v1/runs", json={"program": "null.x"}).json()
        lines = [*process.seen, *process.end().splitlines()]
    entries: list[dict[str, Any]] = [json.loads(line) for line in lines if line.startswith("{")]
    assert [(each["run"], each["level"]) for each in entries] == [
        (run_id, "warning"), (ended["id"], "info"),
    ]  # fmt: skip
    told = entries[1]
    assert (told["message"], told["state"], told["error"]) == ("run ended", "failed", "exception")
    assert (told["token"], told["ms"] >= 0) == ("local", True)


def test_nobody_is_there_is_told_with_what_to_do() -> None:
    done = command("runs", "list", "--server", "http://127.0.0.1:1")
    assert done.returncode == 1
    assert "is codemode serve running there?" in said(done)
    for server in ("nonsense", "http://[", "file:///etc/passwd"):
        assert command("runs", "list", "--server", server).returncode == 1


def test_a_configuration_says_where_the_store_is_and_what_is_redacted(tmp_path: Path) -> None:
    config = (
        'tools: ["tools.py:registry"]\nservice: {store: sub/kept.sqlite, redact: {mark: [name]}}\n'
    )
    (tmp_path / "service.yaml").write_text(config)
    made = command("token", "new", "ada", "--config", str(tmp_path / "service.yaml"))
    assert made.returncode == 0
    assert (tmp_path / "sub" / "kept.sqlite").exists()
    (tmp_path / "sub" / "kept.sqlite").unlink()
    with serve(tmp_path, config=config) as process, process.client() as client:
        run_id = begin(client, "await tools.mark({ name: 'x' })")
        while len(told := events(client, run_id)) < 4:
            pass
        assert told[1]["data"]["arguments"] == {"name": "[redacted]"}
        process.end()


def test_spans_are_sent_to_where_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    received: list[tuple[str, bytes]] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers["Content-Length"]))
            is_packed = self.headers.get("Content-Encoding") == "gzip"
            received.append((self.path, gzip.decompress(data) if is_packed else data))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    collector = ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=collector.serve_forever, daemon=True).start()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{collector.server_port}")
    config = 'tools: ["tools.py:registry"]\nservice: {tracing: true}\n'
    with serve(tmp_path, config=config) as process, process.client() as client:
        answer = client.post("/v1/runs", json={"program": "return await tools.mark({name: 'x'})"})
        assert answer.json()["result"] == 1
        process.end()
    collector.shutdown()
    collector.server_close()
    assert {path for path, _ in received} == {"/v1/traces"}
    sent = b"".join(data for _, data in received)
    for word in (
        b"codemode.run",
        b"codemode.call mark",
        b"pre-execute",
        answer.json()["id"].encode(),
    ):
        assert word in sent


def test_help_names_every_command() -> None:
    for words in (["serve"], ["runs"], ["approvals"], ["token"]):
        done = subprocess.run(
            [*COMMAND, *words, "--help"],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, **ENVIRONMENT},
        )
        assert "Usage: codemode" in done.stdout
