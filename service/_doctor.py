"""``codemode doctor``: is everything there that runs need, and what to do where it is not."""

import os
import platform
import time
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from ..runtime import QuickJSRuntime, RunRequest
from ..runtime._engine import cache_folder
from ..runtime.errors import describe
from ._open import read_config
from .config import ConfigError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

PACKAGES = ("codemode-runtime", "wasmtime", "pydantic", "jsonschema", "anyio", "mcp")
PROGRAM = "const xs: number[] = [1, 2, 3]; return xs.reduce((a, b) => a + b, 0)"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. ``advice`` says what to do where it is not well."""

    name: str
    is_well: bool
    detail: str
    advice: str = ""


async def examine(config: str | None) -> list[Finding]:
    """Looks at each part, and at the configuration file if one is named; a part that fails keeps no other
    from being looked at."""
    checks: list[tuple[str, Callable[[], Awaitable[list[Finding]]]]] = [
        ("versions", _versions),
        ("sandbox", _sandbox),
        ("cache", _cache),
    ]
    if config is not None:
        checks.append(("configuration", lambda: _configuration(config)))
    found: list[Finding] = []
    for name, check in checks:
        try:
            found += await check()
        except Exception as error:  # noqa: BLE001  # told, and the next is looked at
            found.append(Finding(name, False, describe(error), "see the message"))
    return found


async def _versions() -> list[Finding]:
    parts = [f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"]
    for package in PACKAGES:
        try:
            parts.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            if package != "mcp":
                raise
            return [
                Finding("versions", True, ", ".join(parts)),
                Finding(
                    "mcp", True, "not installed", "pip install 'codemode-runtime[mcp]' for MCP"
                ),
            ]
    return [Finding("versions", True, ", ".join(parts))]


async def _sandbox() -> list[Finding]:
    began = time.perf_counter()
    try:
        async with QuickJSRuntime(max_runs=1) as runtime:
            opened = time.perf_counter()
            result = await runtime.run(RunRequest(program=PROGRAM))
            ran = time.perf_counter()
    except Exception as error:  # noqa: BLE001  # whatever keeps it from starting
        return [
            Finding(
                "sandbox",
                False,
                describe(error),
                "reinstall the package, so that its guest is built anew",
            )
        ]
    if result.error is not None or result.value != 6:
        told = "" if result.error is None else result.error.message
        return [
            Finding(
                "sandbox", False, f"a program of one line fails: {told}", "reinstall the package"
            )
        ]
    detail = (
        f"ready in {(opened - began) * 1000:.0f} ms, a program in {(ran - opened) * 1000:.1f} ms"
    )
    return [Finding("sandbox", True, detail)]


async def _cache() -> list[Finding]:
    folder = cache_folder()
    if not _is_private(folder):
        advice = (
            "set CODEMODE_CACHE_DIR to a folder of your own: the guest is compiled anew each time"
        )
        return [
            Finding("cache", False, "there is no private folder for the compiled guest", advice)
        ]
    return [Finding("cache", True, str(folder))]


def _is_private(folder: Path) -> bool:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.stat()
    except OSError:
        return False
    return os.name != "posix" or (found.st_uid == os.getuid() and not found.st_mode & 0o022)


async def _configuration(file: str) -> list[Finding]:
    try:
        loaded, folder = read_config(file)
    except ConfigError as error:
        return [
            Finding("configuration", False, fault, "change that line")
            for fault in str(error).splitlines()
        ]
    try:
        from ._app import open_app
    except ModuleNotFoundError as error:
        advice = "pip install 'codemode-runtime[mcp]'"
        return [Finding("mcp", False, f"{error.name} is not installed", advice)]
    found: list[Finding] = []
    async with open_app(loaded, folder=folder) as app:
        statuses = ()
        if app.servers is not None:
            await app.servers.wait_settled()
            statuses = app.servers.status()
        found += [
            Finding(
                f"server {status.name}",
                status.state == "ready",
                f"{status.tools} tools"
                if status.state == "ready"
                else f"{status.state}: {status.reason}",
                "" if status.state == "ready" else "try its command or URL by hand",
            )
            for status in statuses
        ]
        found += [
            Finding(f"server {status.name}", True, f"warning: {warning}")
            for status in statuses
            for warning in status.warnings
        ]
        tools = len(app.registry.visible()) - 1
        unknown = (
            loaded.rules.unknown_tools([t.name for t in app.registry.visible()])
            if loaded.rules
            else ()
        )
        advice = "give it servers or tools" if tools == 0 else ""
        found.append(Finding("tools", tools > 0, f"{tools} for programs", advice))
        if unknown:
            named = ", ".join(unknown)
            found.append(
                Finding(
                    "approval",
                    False,
                    f"rules for tools that are not there: {named}",
                    "check the names",
                )
            )
    return found
