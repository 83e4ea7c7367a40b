"""Programs in the styles that models write, run by ``run_code`` against a registry. They are other people's and
not part of the project: where their folder is absent, nothing is tested here."""

import importlib.util
import json
import os
from pathlib import Path
from typing import Any

import pytest

from codemode.registry import ExecContext, ToolDefinition, ToolError, ToolRegistry
from codemode.registry.log import CodeDispatchStartEntry, MemoryLog
from codemode.runtime import QuickJSRuntime

from .kit import call, code, text

pytestmark = pytest.mark.anyio
FOLDER = Path(os.environ.get("CODEMODE_SHARED", Path(__file__).parents[3] / "shared")) / "programs"
FILES = sorted(FOLDER.glob("*.json"))


def make_world() -> Any:
    spec = importlib.util.spec_from_file_location("shared_programs_tools", FOLDER / "tools.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.make_world()


def register(registry: ToolRegistry, world: Any, tool: dict[str, Any]) -> None:
    async def execute(args: Any, exec: ExecContext) -> Any:
        try:
            return world.call(tool["name"], args)
        except Exception as error:
            raise ToolError(str(error)) from error

    registry.register(
        ToolDefinition(
            name=tool["name"],
            description=tool["description"],
            parameters=tool["inputSchema"],
            output=tool.get("outputSchema"),
            execute=execute,
        )
    )


@pytest.mark.skipif(not FILES, reason=f"no programs to run: {FOLDER} is not here (CODEMODE_SHARED)")
@pytest.mark.parametrize(
    "given", [json.loads(file.read_text()) for file in FILES], ids=[file.stem for file in FILES]
)
async def test_a_program_gives_what_it_should(given: Any, runtime: QuickJSRuntime) -> None:
    world, log = make_world(), MemoryLog()
    registry = ToolRegistry(mode="code", runtime=runtime, log=log)
    for tool in given["tools"]:
        register(registry, world, tool)
    result = await call(registry, "run_code", {"code": given["program"]})
    if result.is_error and given["expected_error"] is None:  # refused, as design.md may decide
        words = [each["message_contains"] for each in given.get("alternatives_error", [])]
        assert any(word in text(result) for word in words), text(result)
        return
    made = [entry for entry in log.entries if isinstance(entry, CodeDispatchStartEntry)]
    assert [{"name": each.name, "args": each.arguments} for each in made] == given["expected_calls"]
    assert world.calls == given["expected_calls"]
    if given["expected_error"] is not None:
        assert code(result) == "CODE_RUN_FAILED"
        assert given["expected_error"]["message_contains"] in text(result)
        assert all(line in text(result) for line in given["expected_logs"])
        return
    assert isinstance(result.value, dict)
    assert result.value.get("result") == given["expected_result"]
    assert result.value["logs"] == given["expected_logs"]
