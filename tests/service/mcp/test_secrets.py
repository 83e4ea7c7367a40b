"""Secrets of a description are in no message, status, log or result."""

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemode.registry import ToolRegistry
from codemode.registry.log import MemoryLog
from codemode.service.mcp import HttpServer, McpServers, StdioServer
from codemode.service.mcp._secrets import Secrets
from codemode.service.mcp._tool import read_tool

from .kit import Watch, call, failure, fleet, scripted, tool, value

if TYPE_CHECKING:
    from codemode.runtime import JsonValue

TOKEN = "sk-live-0123456789abcdef"


@pytest.mark.anyio
async def test_a_server_that_tells_its_secret_everywhere_is_not_heard(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    log, watch = MemoryLog(), Watch()
    registry = ToolRegistry(log=log)
    fails = {"isError": True, "content": [{"type": "text", "text": f"bad key {TOKEN}"}]}
    scenario = {
        "tools": [
            tool(name, description=f"uses {TOKEN}")
            for name in ("fails", "error", "env", "odd", "die")
        ],
        "calls": {
            "fails": {"result": fails},
            "error": {"error": {"code": 1, "message": TOKEN, "data": {"key": TOKEN}}},
            "env": {"echo_env": True},
            "odd": {
                "lines": [
                    f"starting with {TOKEN}",
                    f'{{"jsonrpc":"2.0","id":$ID,"error":"{TOKEN}"}}',
                ]
            },
            "die": {"exit": 1},
        },
    }
    server = scripted(tmp_path, "s", scenario, env={"API_KEY": TOKEN, "REGION": "eu-central-1"})
    dead = StdioServer(
        name="dead", command="python3", args=["-c", "import os; raise SystemExit(os.environ['API_KEY'])"],
        env={"API_KEY": TOKEN},
    )  # fmt: skip
    async with fleet(registry, server, dead, watch=watch) as servers:
        await servers.wait_settled()
        told = [
            failure(await call(registry, f"s__{name}"))[1]
            for name in ("fails", "error", "odd", "die")
        ]
        assert all("[redacted]" in text for text in told[:3])
        env = await value(registry, "s__env")
        assert (env["API_KEY"], env["REGION"]) == ("[redacted]", "eu-central-1")
        said = [repr(servers.status()), repr(servers.tools()), registry.sdk_text(), *told]
    said += [repr(watch.statuses), repr(log.entries), repr(server), repr(dead), caplog.text]
    assert all(TOKEN not in text for text in said)


URL = f"http://user:hunter2hunter2@127.0.0.1:9/mcp?token={TOKEN}&verbose=1"


@pytest.mark.anyio
@pytest.mark.parametrize("transport", ["http", "sse"])
async def test_a_url_and_headers_are_told_without_their_secrets(
    caplog: pytest.LogCaptureFixture, transport: Any
) -> None:
    caplog.set_level(logging.DEBUG)
    watch = Watch()
    server = HttpServer(
        name="s", url=URL, headers={"Authorization": f"Bearer {TOKEN}"}, transport=transport
    )
    async with fleet(ToolRegistry(), server, watch=watch) as servers:
        await servers.wait_settled()
        reason = servers.status()[0].reason
        assert "http://127.0.0.1:9/mcp" in reason or "trio" in reason
    for text in (repr(watch.statuses), repr(server), caplog.text):
        assert "hunter2" not in text
        assert TOKEN not in text


@pytest.mark.parametrize(
    "argument",
    ["https://registry.org:8080/pkg@1.0", "https://registry.org/pkg@1.0", "@scope/pkg@1.0"],
)
def test_an_at_in_a_path_hides_no_host(argument: str) -> None:
    secrets = Secrets(StdioServer(name="s", command="x", args=[argument]))
    assert (
        secrets.hide("at registry.org:8080/pkg, @scope/pkg")
        == "at registry.org:8080/pkg, @scope/pkg"
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GIT_AUTHOR_NAME", "Ada Lovelace"),
        ("KEYBOARD", "querty-layout"),
        ("MONKEY", "banana-eater"),
        ("PWD", "/srv/project"),
        ("COMPASS_URL", "somewhere-else"),
        ("USE_AUTH", "true"),
        ("API_KEY", "null"),
        ("API_KEY", "12345678"),
        ("MAX_TOKENS", "1000000"),
        ("AUTH", "basic"),
    ],
)
def test_a_value_that_is_no_secret_by_its_name_or_itself_stays_in_data(
    name: str, value: str
) -> None:
    data: JsonValue = {"text": f"it is {value}", value: [value]}
    assert Secrets(StdioServer(name="s", command="x", env={name: value})).hide_in_data(data) is data


@pytest.mark.parametrize(
    "name",
    [
        "KEY",
        "API_KEY",
        "apiKey",
        "APIKEY",
        "token",
        "GITHUB_TOKEN2",
        "client-secret",
        "PGPASSWORD",
        "DB_PASSWD",
        "HTTP_AUTHORIZATION",
        "AWS_CREDENTIALS",
        "CREDENTIAL",
        "BASIC_AUTH",
        "SENTRY_DSN",
        "DB_PWD",
        "GITHUB_PAT",
    ],
)
def test_a_name_says_that_its_value_is_a_secret_by_a_whole_word(name: str) -> None:
    secrets = Secrets(StdioServer(name="s", command="x", env={name: TOKEN}))
    assert secrets.hide_in_data(TOKEN) == "[redacted]"


def test_a_header_that_is_no_secret_stays_in_data() -> None:
    headers = {"Accept": "application/json", "X-Key": TOKEN}
    secrets = Secrets(HttpServer(name="s", url="http://h", headers=headers))
    data: JsonValue = ["application/json", TOKEN]
    assert secrets.hide_in_data(data) == ["application/json", "[redacted]"]


def test_the_name_by_which_a_tool_is_called_stays_its_own() -> None:
    secrets = Secrets(StdioServer(name="s", command="x"), ["weather"])
    made = read_tool("s", tool("weather_now", description="the weather"), secrets)
    assert (made.entry["name"], made.description) == ("weather_now", "the [redacted]")


def test_more_secrets_are_texts_in_a_list() -> None:
    with pytest.raises(TypeError, match="list"):
        McpServers(ToolRegistry(), [], secrets=TOKEN)


NO_PLAIN_WORD = st.text(min_size=6).filter(
    lambda text: text.lower() not in ("undefined", "enabled", "disabled")
)


@given(NO_PLAIN_WORD, st.text(), st.text())
def test_a_value_is_hidden_wherever_it_stands(secret: str, before: str, after: str) -> None:
    server = StdioServer(name="s", command="x", env={"API_KEY": secret.replace("\0", "0")})
    hidden = Secrets(server).hide(before + secret.replace("\0", "0") + after)
    assert "[redacted]" in hidden


@pytest.mark.parametrize(
    "form",
    [
        TOKEN,
        f"Bearer {TOKEN}",
        "dXNlcjpodW50ZXIyaHVudGVyMg==",
        "hunter2hunter2",
        "user:hunter2hunter2",
    ],
)
def test_every_form_of_a_secret_is_hidden(form: str) -> None:
    server = HttpServer(name="s", url=URL, headers={"Authorization": f"Bearer {TOKEN}"})
    assert Secrets(server).hide(f"<{form}>") in ("<[redacted]>", "<Bearer [redacted]>")


@pytest.mark.parametrize(
    "args", [["--api-key", TOKEN], [f"--token={TOKEN}"], ["-v", "--auth", TOKEN]]
)
def test_arguments_that_say_that_they_are_secret_are_hidden(args: list[str]) -> None:
    server = StdioServer(name="s", command="x", args=args)
    assert Secrets(server).hide(f"bad {TOKEN}, -v") == "bad [redacted], -v"


def test_a_value_that_is_no_secret_stays_in_results_and_leaves_messages() -> None:
    secrets = Secrets(StdioServer(name="s", command="x", env={"ROOT": "/srv/data", "DEBUG": "1"}))
    data: JsonValue = {"path": "/srv/data/a"}
    assert secrets.hide_in_data(data) == data
    assert secrets.hide("no /srv/data/a, line 1") == "no [redacted]/a, line 1"


def test_data_without_secrets_is_the_same_object() -> None:
    data: JsonValue = {"a": ["b", 1, None]}
    assert (
        Secrets(StdioServer(name="s", command="x", env={"API_KEY": TOKEN})).hide_in_data(data)
        is data
    )
