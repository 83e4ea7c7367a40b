"""Secrets that are cut, folded over lines, or within an argument."""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from codemode.registry import ToolRegistry
from codemode.registry.log import MemoryLog

from .kit import Watch, call, failure, fleet, scripted, tool, value

TOKEN = "sk-live-0123456789abcdef"


async def told_by(
    folder: Path,
    caplog: pytest.LogCaptureFixture,
    text: str,
    *,
    secrets: Sequence[str] = (),
    args: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
) -> tuple[str, str]:
    """The messages and the data about a server that says the text at every chance, and one that dies of it."""
    caplog.set_level(logging.DEBUG)
    log, watch = MemoryLog(), Watch()
    registry = ToolRegistry(log=log)
    scenario = {
        "tools": [tool("a", description=text), {"name": f" {text}"}],
        "calls": {
            "fails": {"result": {"isError": True, "content": [{"type": "text", "text": text}]}},
            "error": {"error": {"code": 1, "message": text, "data": {"key": [text]}}},
            "odd": {"lines": [f'{{"jsonrpc":"2.0","id":$ID,"error":{json.dumps(text)}}}']},
        },
    }
    servers = [
        replace(each, args=[*each.args, *args], env=env or {})
        for each in (
            scripted(folder, "s", scenario),
            scripted(folder, "dead", {"exit": 1, "stderr": text + "\n"}),
        )
    ]
    async with fleet(registry, *servers, watch=watch, secrets=secrets) as running:
        await running.wait_settled()
        said = [failure(await call(registry, "s__a", {"k": k}))[1] for k in scenario["calls"]]
        said += [repr(running.status()), repr(watch.statuses), caplog.text]
        made = await value(registry, "s__a", {"text": text})
        data = [json.dumps(made), repr(running.tools()), registry.sdk_text(), repr(log.entries[-1])]
    return "\n".join(said), "\n".join(data)


@pytest.mark.anyio
@pytest.mark.parametrize("before", [0, 75, 190, 295, 365, 385, 1_990, 7_990])
async def test_a_secret_that_stands_where_a_text_is_cut_is_hidden_whole(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, before: int
) -> None:
    text = "." * before + TOKEN + "." * 300
    for name in ("API_KEY", "REGION"):
        messages, data = await told_by(tmp_path, caplog, text, env={name: TOKEN})
        assert "sk-" not in messages
        assert ("sk-" in data) == (name == "REGION")


@pytest.mark.anyio
async def test_texts_that_a_configuration_holds_secret_are_shown_nowhere(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    given = [TOKEN, "true", "1234567", "", "tiny5"]
    text = f"{TOKEN}, true, 1234567 and tiny5"
    messages, data = await told_by(tmp_path, caplog, text, secrets=given)
    assert TOKEN not in messages + data
    assert "[redacted], true, [redacted] and [redacted]" in messages
    assert "[redacted], true, 1234567 and tiny5" in data


@pytest.mark.anyio
async def test_the_end_of_stderr_is_told_without_half_a_secret(tmp_path: Path) -> None:
    line = TOKEN + "x" * 10
    dead = scripted(tmp_path, "dead", {"exit": 1, "stderr": f"{line}\n" * 5_000}, env={"A": TOKEN})
    async with fleet(ToolRegistry(), dead) as servers:
        await servers.wait_settled()
        reason = servers.status()[0].reason
    assert reason.endswith("its last lines: " + " | ".join(["[redacted]xxxxxxxxxx"] * 5))


@pytest.mark.anyio
@pytest.mark.parametrize("size", [65_530, 65_536, 65_550, 200_000])
async def test_one_endless_line_of_stderr_shows_no_half_of_a_secret(
    tmp_path: Path, size: int
) -> None:
    dead = scripted(
        tmp_path, "dead", {"exit": 1, "stderr": TOKEN + "x" * size}, env={"API_KEY": TOKEN}
    )
    async with fleet(ToolRegistry(), dead) as servers:
        await servers.wait_settled()
        reason = servers.status()[0].reason
    assert "its last lines: " in reason
    assert TOKEN[-5:] not in reason


BODY = [f"MIIEvQIBADANBgkqhkiG9w0BAQEFAASC{number}" for number in range(20)]
PEM = "\n".join(["-----BEGIN PRIVATE KEY-----", *BODY, "-----END PRIVATE KEY-----", ""])


@pytest.mark.anyio
@pytest.mark.parametrize("given", [PEM, PEM.replace("\n", "\\n"), PEM.replace("\n", "\r\n")])
async def test_every_line_of_a_secret_of_many_lines_is_hidden(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, given: str
) -> None:
    for text in (PEM, "\n".join(BODY[3:]), " ".join(BODY)):
        messages, data = await told_by(tmp_path, caplog, text, env={"TLS_KEY": given})
        assert not any(line in messages + data for line in BODY)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("argument", "hidden"),
    [
        ("postgresql://app:hunter2secret@db/prod", "hunter2secret"),
        ("postgresql://app:hunter2secret@db/prod", "app:hunter2secret@"),
        ("--dsn=postgresql://app:hunter2%2Fsecret@db/prod", "hunter2/secret"),
        ("--db=postgresql://app:hunter2/secret@db/prod", "hunter2/secret"),
        ("--db=postgresql://app:hunter?2secret@db/prod", "hunter?2secret"),
        ("postgresql://app:hunter2@db/prod?mail=a@b.org", "hunter2"),
        ("https://example.org/sse?k=hunter2secret", "hunter2secret"),
        ("https://hunter2secret@example.org/sse", "hunter2secret"),
        ('{"url": "redis://:hunter2secret@cache"}', "hunter2secret"),
        ("API_KEY=hunter2secret", "hunter2secret"),
        ("Authorization: Bearer hunter2secret", "hunter2secret"),
    ],
)
async def test_what_lets_in_within_an_argument_is_in_no_message(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, argument: str, hidden: str
) -> None:
    messages, _ = await told_by(tmp_path, caplog, f"cannot log in as {hidden}", args=[argument])
    assert hidden not in messages
    assert "cannot log in as [redacted]" in messages
