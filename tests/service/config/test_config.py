"""The configuration file: what it may say, and what is said of what it may not."""

import json
from pathlib import Path
from typing import Any

import pytest

from codemode.service.config import ConfigError, Loaded, check_document, load_config, parse_document


def load(text: str, environment: dict[str, str] | None = None, *, is_json: bool = False) -> Loaded:
    document = parse_document("codemode.yaml", text, is_json=is_json)
    return check_document(document, environment or {})


def faults(
    text: str, environment: dict[str, str] | None = None, *, is_json: bool = False
) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load(text, environment, is_json=is_json)
    return str(caught.value).splitlines()


WHOLE = """
mode: both
limits: {compute: 5s, wall: 1m, memory: 64MiB, logs: 8KiB, value: 1MiB, calls: 100}
code_mode: {output: 16KiB, max_parallel_sub_calls: 4, drain: 500ms, sdk_detail: compact, sdk_max_tokens: 4000}
approval:
  default: ask
  tools: {git__git_log: always}
servers:
  git: {command: uvx, args: [mcp-server-git], env: {TOKEN: "${GIT_TOKEN}"}, cwd: /tmp, tool_timeout: 10s}
  web: {url: "https://example.org/mcp", headers: {Authorization: "Bearer ${WEB}"}, transport: sse,
        include: [a*], exclude: [b], trust_annotations: true, start_timeout: 5s}
tools: ["shop.py:registry"]
cache: /tmp/cache
"""


def test_a_whole_configuration_is_read() -> None:
    loaded = load(WHOLE, {"GIT_TOKEN": "g-secret", "WEB": "w-secret"})
    config = loaded.config
    assert (config.limits.compute, config.limits.wall, config.limits.memory) == (
        5_000,
        60_000,
        2**26,
    )
    assert (config.code_mode.output, config.code_mode.drain) == (16_384, 500)
    assert config.servers["git"].env == {"TOKEN": "g-secret"}
    assert config.servers["web"].headers == {"Authorization": "Bearer w-secret"}
    assert loaded.rules is not None
    assert loaded.rules.decide("git__git_log", {}).level == "always"
    assert loaded.secrets == {"g-secret", "w-secret"}
    assert "secret" not in repr(loaded.secrets.__class__)


@pytest.mark.parametrize("text", ["", "# nothing\n", "{}"])
def test_an_empty_configuration_is_one(text: str) -> None:
    assert load(text).config.mode == "code"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("mdoe: code", "codemode.yaml:1: mdoe: there is no such key"),
        ("\nmode: native", "codemode.yaml:2: mode: must be 'code' or 'both'"),
        (
            "limits:\n  compute: 5",
            "codemode.yaml:2: limits.compute: 5 has no unit: write it like 500ms or 2s",
        ),
        ("limits:\n  memory: big", "codemode.yaml:2: limits.memory: 'big' is not a size"),
        ("limits:\n  calls: yes", "codemode.yaml:2: YAML reads `yes` as bool"),
        ("tools: shop.py", "codemode.yaml:1: tools: must be a valid list"),
        ("servers:\n  a: {}", "codemode.yaml:2: servers.a: a server has either a command or a url"),
        ("servers:\n  a: {command: x, url: 'http://y'}", "either a command or a url"),
        (
            "servers:\n  a: {url: 'ftp://y'}",
            "codemode.yaml:2: servers.a.url: a url begins with http://",
        ),
        ("servers:\n  a: {url: 'http://y', args: [b]}", "belong to a command"),
        ("servers:\n  a: {command: x, headers: {b: c}}", "headers belong to a url"),
        ("servers:\n  a: {command: x, transport: sse}", "the transport sse does not fit"),
        (
            "servers:\n  a: {command: x}\n  a: {command: y}",
            "codemode.yaml:3: the key 'a' stands twice",
        ),
        ("approval:\n  default: sometimes", "codemode.yaml:1: approval: default"),
        ("servers:\n  ' a': {command: x}", "printable text without outer spaces"),
        ("servers:\n  a: {url: 'http://h:99999'}", "servers.a.url: not a url"),
        ("servers:\n  a: {command: x, start_timeout: 0s}", "a time of more than nothing"),
        ("servers:\n  a: {command: x, env: {'A=B': c}}", "holds no ="),
        ('servers:\n  a: {command: "x\\0"}', "hold no NUL"),
        ("limits: {memory: 1B}", "codemode.yaml:1: limits: memory_bytes"),
        ("code_mode: {output: 1B}", "codemode.yaml:1: code_mode: output_bytes"),
        ("- a", "codemode.yaml:1: a configuration is a table of keys"),
        ("a: [", "codemode.yaml:1: not YAML"),
    ],
)
def test_what_cannot_be_used_is_named_with_its_line(text: str, said: str) -> None:
    assert said in "\n".join(faults(text))


def test_every_fault_is_told_at_once() -> None:
    assert len(faults("mdoe: 1\nlimts: {}\nservers: {a: {}}\ncode_mode: {output: 3}")) == 4


def test_a_flood_of_faults_is_counted() -> None:
    told = faults("\n".join(f"key{number}: 1" for number in range(50)))
    assert (len(told), told[-1]) == (21, "and 30 more")


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("${NOPE}", "the environment has no NOPE"),
        ("${}", "names no variable"),
        ("${A B}", "names no variable"),
        ("${A", "names no variable"),
    ],
)
def test_a_variable_that_is_not_there_is_named(written: str, said: str) -> None:
    (told,) = faults(f"servers:\n  a: {{command: x, env: {{T: '{written}'}}}}", {"A": "1"})
    assert told.startswith("codemode.yaml:2: servers.a.env.T: ")
    assert said in told


def test_only_what_is_asked_for_comes_from_the_environment() -> None:
    text = "servers: {a: {command: 'run $HOME $${A} ${A}-${A}', env: {}}}"
    server = load(text, {"A": "1", "HOME": "/root"}).config.servers["a"]
    assert server.command == "run $HOME ${A} 1-1"


# --- the files of desktop clients

DESKTOP: dict[str, Any] = {
    "mcpServers": {
        "files": {"command": "npx", "args": ["-y", "server", "/tmp"], "alwaysAllow": ["read"]},
        "web": {"type": "streamable-http", "url": "https://example.org/mcp"},
        "old": {"type": "sse", "url": "https://example.org/sse"},
        "other": {"serverUrl": "https://example.org/x", "headers": {"K": "${K}"}},
        "off": {"command": "x", "disabled": True},
    },
    "theme": "dark",
}


def test_a_desktop_clients_file_is_read_unchanged() -> None:
    loaded = load(json.dumps(DESKTOP), {"K": "v"}, is_json=True)
    servers = loaded.config.servers
    assert list(servers) == ["files", "web", "old", "other"]
    assert (servers["web"].transport, servers["old"].transport) == ("http", "sse")
    assert (servers["other"].url, servers["other"].headers) == ("https://example.org/x", {"K": "v"})
    assert sorted(loaded.warnings) == [
        "codemode.yaml: mcpServers.files: not read: alwaysAllow",
        "codemode.yaml: mcpServers.off: left out: it is disabled",
        "codemode.yaml: not read: theme",
    ]


def test_two_servers_of_one_name_are_refused_in_json_too() -> None:
    text = '{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}'
    assert "the key 'a' stands twice" in faults(text, is_json=True)[0]
    assert (
        "not JSON that can be read"
        in faults('{"mcpServers": {"a": 1' + "0" * 6000 + "}}", is_json=True)[0]
    )


def test_the_same_table_in_yaml_has_lines() -> None:
    assert faults("mcpServers:\n  a: {command: 7}")[0].startswith(
        "codemode.yaml:2: mcpServers.a.command"
    )
    assert "a table with command or url" in faults("mcpServers: {a: 7}")[0]
    assert "a table of servers" in faults("mcpServers: []")[0]


# --- files


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    cases: list[tuple[str, bytes | None, str]] = [
        ("missing.yaml", None, "No such file"),
        ("latin.yaml", b"mode: \xff", "not UTF-8 (byte 6)"),
        ("large.yaml", b"#" * 1_000_001, "more than 1000000 bytes"),
        ("broken.json", b'{"mcpServers": {,}}', ":1: not JSON"),
        ("deep.json", b"[" * 100_000, "nested too deeply"),
    ]
    for name, data, said in cases:
        file = tmp_path / name
        if data is not None:
            file.write_bytes(data)
        with pytest.raises(ConfigError) as caught:
            load_config(file)
        assert str(file) in str(caught.value)
        assert said in str(caught.value)


def test_the_environment_of_the_process_is_the_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_CODEMODE_TEST", "x")
    file = tmp_path / "c.yaml"
    file.write_text("cache: '${SOME_CODEMODE_TEST}'")
    assert load_config(file).config.cache == "x"
