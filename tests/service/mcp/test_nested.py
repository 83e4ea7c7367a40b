"""Code Mode is no server of Code Mode."""

from pathlib import Path
from typing import Any

import pytest

from codemode.registry import ToolRegistry

from .kit import Watch, call, failure, fleet, scripted, tool

pytestmark = pytest.mark.anyio


NESTED = {"name": "codemode", "version": "1"}
NESTING: dict[str, dict[str, Any]] = {
    "2025": {
        "initialize": {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": NESTED},
    },
    "2026": {
        "initialize": {"error": {"code": -32601, "message": "no"}},
        "discover": {
            "supportedVersions": ["2026-07-28"],
            "capabilities": {"tools": {}},
            "resultType": "complete",
            "ttlMs": 0,
            "cacheScope": "private",
            "_meta": {"io.modelcontextprotocol/serverInfo": NESTED},
        },
    },
}


@pytest.mark.parametrize("era", NESTING)
async def test_code_mode_within_code_mode_is_refused_once_and_for_all(
    tmp_path: Path, era: str
) -> None:
    registry, watch = ToolRegistry(), Watch()
    nested = scripted(tmp_path, "s", {**NESTING[era], "tools": [tool("run_code")]})
    other = scripted(tmp_path, "o", {"tools": [tool("die")], "calls": {"die": {"exit": 1}}})
    async with fleet(registry, nested, other, watch=watch) as servers:
        await servers.wait_settled()
        assert servers.status()[0].state == "failed"
        assert "nested code mode is refused" in servers.status()[0].reason
        failure(await call(registry, "o__die"))
        await watch.until_state("o", "ready", "reconnecting", "ready")
        assert watch.states("s") == ["failed"]
        assert registry.known_names() == {"o__die"}
    assert watch.states("s") == ["failed", "closed"]
