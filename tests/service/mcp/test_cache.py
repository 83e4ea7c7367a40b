"""Lists on disk: there at once, the same bytes, and never believed blindly."""

import json
import os
import stat
from pathlib import Path

import pytest

from codemode.registry import ToolRegistry
from codemode.service.mcp import HttpServer, StdioServer
from codemode.service.mcp._cache import ListCache, server_digest

from .kit import Watch, call, failure, fleet, scripted, tool, value

pytestmark = pytest.mark.anyio


async def filled(folder: Path, *names: str) -> str:
    """The SDK text of a server that has been listed once, and is in the cache now."""
    registry = ToolRegistry()
    server = scripted(folder, "s", {"tools": [tool(name) for name in names]})
    async with fleet(registry, server, cache_dir=folder / "cache") as servers:
        await servers.wait_settled()
        return registry.sdk_text()


def only_file(folder: Path) -> Path:
    (found,) = (folder / "cache").iterdir()
    return found


async def test_known_tools_are_there_before_their_server_and_calls_wait_for_it(
    tmp_path: Path,
) -> None:
    text = await filled(tmp_path, "a", "b")
    registry = ToolRegistry()
    server = scripted(tmp_path, "s", {"tools": [tool("a"), tool("b")]})
    async with fleet(registry, server, cache_dir=tmp_path / "cache") as servers:
        assert registry.sdk_text() == text
        assert [(s.state, s.tools, s.is_from_cache) for s in servers.status()] == [
            ("starting", 2, True)
        ]
        assert await value(registry, "s__a", {"n": 1}) == {"n": 1}
        assert not servers.status()[0].is_from_cache
        assert registry.sdk_text() == text


async def test_a_known_tool_of_a_server_that_does_not_start_says_why(tmp_path: Path) -> None:
    await filled(tmp_path, "a")
    registry = ToolRegistry()
    server = scripted(tmp_path, "s", {"exit": 1, "stderr": "no license"})
    async with fleet(registry, server, cache_dir=tmp_path / "cache"):
        code, told = failure(await call(registry, "s__a"))
        assert code == "MCP_SERVER_DOWN"
        assert "no license" in told


async def test_the_servers_own_list_replaces_the_known_one_and_tells_the_difference(
    tmp_path: Path,
) -> None:
    await filled(tmp_path, "a", "gone")
    registry, watch = ToolRegistry(), Watch()
    server = scripted(tmp_path, "s", {"tools": [tool("a", description="other"), tool("new")]})
    async with fleet(registry, server, watch=watch, cache_dir=tmp_path / "cache") as servers:
        await servers.wait_settled()
        assert registry.known_names() == {"s__a", "s__new"}
        kinds = {change.tool: change.kind for change in watch.changes}
        assert kinds == {"a": "changed", "gone": "removed", "new": "added"}
        assert servers.change_of("s__a") is not None


async def test_the_folder_and_its_files_are_private(tmp_path: Path) -> None:
    await filled(tmp_path, "a")
    assert stat.S_IMODE((tmp_path / "cache").stat().st_mode) == 0o700
    assert stat.S_IMODE(only_file(tmp_path).stat().st_mode) == 0o600


@pytest.mark.parametrize("spoil", ["cut", "digest", "server", "not json", "list", "deep", "folder"])
async def test_a_file_that_is_not_whole_is_as_good_as_none(tmp_path: Path, spoil: str) -> None:
    await filled(tmp_path, "a")
    path = only_file(tmp_path)
    kept = json.loads(path.read_text())
    if spoil == "digest":
        kept["tools"][0]["description"] = "planted"
    elif spoil == "server":
        kept["server"] = "0" * 64
    elif spoil == "folder":
        os.chmod(tmp_path / "cache", 0o755)
    text = {
        "cut": json.dumps(kept)[:-9],
        "not json": "\ud800",
        "list": "[1]",
        "deep": "[" * 100_000,
    }
    path.write_bytes(text.get(spoil, json.dumps(kept)).encode("utf-8", "surrogatepass"))
    registry = ToolRegistry()
    server = scripted(tmp_path, "s", {"tools": [tool("a")]})
    async with fleet(registry, server, cache_dir=tmp_path / "cache") as servers:
        assert registry.known_names() == frozenset()
        await servers.wait_settled()
        assert registry.known_names() == {"s__a"}


async def test_a_folder_that_cannot_be_made_costs_nothing(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    assert "a(" in await filled(tmp_path, "a")


async def test_bad_entries_in_the_cache_cost_only_themselves(tmp_path: Path) -> None:
    server = scripted(tmp_path, "s", {"silent": True}, start_timeout_ms=300)
    (tmp_path / "cache").mkdir(mode=0o700)
    ListCache(tmp_path / "cache").write(server, [5, {"name": ""}, tool("a")])
    registry = ToolRegistry()
    async with fleet(registry, server, cache_dir=tmp_path / "cache"):
        assert registry.known_names() == {"s__a"}


def test_a_key_stands_for_the_server_and_not_for_its_secrets() -> None:
    def of(**fields: object) -> str:
        return server_digest(StdioServer(name="s", command="x", **fields))  # pyright: ignore[reportArgumentType]

    assert of(env={"KEY": "a"}) == of(env={"KEY": "b"})
    assert len({of(), of(env={"KEY": "a"}), of(args=["a"]), of(cwd="/"), of(include=["a"])}) == 5

    def at(url: str, **headers: str) -> str:
        return server_digest(HttpServer(name="s", url=url, headers=headers))

    assert at("http://u:p@h/m?k=1", A="1") == at("http://h/m?k=2", A="2")
    assert at("http://h/m") != at("http://h/n")
