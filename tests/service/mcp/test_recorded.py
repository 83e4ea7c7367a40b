"""The recorded tool lists of 59 public servers, each played back by a process of its own."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from codemode.registry import ToolRegistry

from .kit import fleet, scripted, value

RECORDED = sorted((Path(__file__).parents[4] / "shared" / "mcp_tools").glob("*.json"))

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(not RECORDED, reason="the recorded lists are not here (../shared)"),
]


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_every_tool_of_every_recorded_server_is_reachable_by_name(tmp_path: Path) -> None:
    lists: dict[str, list[Any]] = {}
    for path in RECORDED:
        kept = json.loads(path.read_text())
        lists[kept["server"]] = kept["tools"]
    registry = ToolRegistry(mode="both")
    servers = [scripted(tmp_path, name, {"tools": tools}) for name, tools in lists.items()]
    async with fleet(registry, *servers, cache_dir=tmp_path / "cache") as running:
        await running.wait_settled()
        assert {status.state for status in running.status()} == {"ready"}
        found = {(each.server, each.name): each.full_name for each in running.tools()}
        listed = {(name, each["name"]) for name, tools in lists.items() for each in tools}
        assert found.keys() == listed
        assert len(set(found.values())) == len(listed)
        for name, tools in lists.items():  # the scripted servers give the arguments back
            full = found[name, tools[0]["name"]]
            schema = tools[0]["inputSchema"]
            if not schema.get("required"):
                assert await value(registry, full, {}) == {}
        text = registry.sdk_text()
        declared = set(re.findall(r'^"?([^"(\n]+)"?\(args', text, re.MULTILINE))
        assert declared >= set(found.values())
    again = ToolRegistry(mode="both")
    async with fleet(again, *servers, cache_dir=tmp_path / "cache"):
        assert again.sdk_text() == text  # from the cache, before any server has answered
