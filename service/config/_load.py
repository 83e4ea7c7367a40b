"""From a file to a checked configuration: every fault at once, each with its line."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

from pydantic import ValidationError

from ...registry import RegistrationError
from ...registry.policies import ApprovalRules
from ...registry.yaml_text import Path as KeyPath
from ...runtime import JsonValue
from ._build import code_mode_of, limits_of
from ._document import ConfigError, Document, read_document
from ._model import Config, ServerConfig
from ._variables import fill_variables

MOST_FAULTS: Final = 20
_DESKTOP_TRANSPORTS: Final = {
    "stdio": "stdio", "http": "http", "streamable-http": "http", "streamableHttp": "http", "sse": "sse",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Loaded:
    """A configuration, what it left unread, and the texts that must be shown nowhere."""

    config: Config
    rules: ApprovalRules | None = None
    warnings: tuple[str, ...] = ()
    secrets: frozenset[str] = field(default=frozenset(), repr=False)


def load_config(file: Path, environment: Mapping[str, str] | None = None) -> Loaded:
    """Reads YAML in our own form, or the JSON with ``mcpServers`` that desktop clients use.

    ``${NAME}`` is taken from ``environment``, by default the process's.

    Raises:
        ConfigError: one line for each fault.
    """
    return check_document(read_document(file), os.environ if environment is None else environment)


def check_document(document: Document, environment: Mapping[str, str]) -> Loaded:
    """The same for a document that is read already.

    Raises:
        ConfigError: one line for each fault.
    """
    faults: list[str] = []
    warnings: list[str] = []
    secrets: set[str] = set()
    value = document.value
    if value is None:
        value = {}
    if not isinstance(value, dict):
        raise ConfigError(document.fault((), "a configuration is a table of keys"))
    prefix: KeyPath = ()
    if "mcpServers" in value:
        value = _from_desktop(document, value, faults, warnings)
        prefix = ("mcpServers",)

    def fault(path: KeyPath, problem: str) -> None:
        faults.append(document.fault(_in_file(path, prefix), problem))

    filled = fill_variables(value, environment, fault, secrets)
    try:
        config = Config.model_validate(filled)
    except ValidationError as error:
        for each in error.errors(include_url=False, include_input=False, include_context=False):
            fault(each["loc"], _message(each["type"], each["msg"]))
        config = None
    if config is not None:
        for name, build in (
            ("limits", lambda: limits_of(config.limits)),
            ("code_mode", lambda: code_mode_of(config.code_mode)),
        ):
            try:
                build()
            except ValueError as error:
                fault((name,), str(error))
    rules = None
    if config is not None and config.approval is not None:
        try:
            rules = ApprovalRules.from_mapping(cast("Mapping[str, JsonValue]", config.approval))
        except RegistrationError as error:
            fault(("approval",), str(error).removeprefix("approval rules: "))
    if faults or config is None:
        more = [f"and {len(faults) - MOST_FAULTS} more"] if len(faults) > MOST_FAULTS else []
        raise ConfigError("\n".join([*faults[:MOST_FAULTS], *more]))
    return Loaded(config, rules, tuple(warnings), frozenset(secrets))


def _in_file(path: KeyPath, prefix: KeyPath) -> KeyPath:
    return (*prefix, *path[1:]) if prefix and path[:1] == ("servers",) else path


def _message(kind: str, message: str) -> str:
    if kind == "extra_forbidden":
        return "there is no such key"
    if kind == "missing":
        return "this key is needed"
    message = message.removeprefix("Value error, ")
    return message.replace("Input should be", "must be", 1)


def _from_desktop(
    document: Document, value: dict[str, JsonValue], faults: list[str], warnings: list[str]
) -> dict[str, JsonValue]:
    """Our own form of a desktop client's file. What such files have besides is not ours to refuse."""
    servers = value["mcpServers"]
    if not isinstance(servers, dict):
        faults.append(document.fault(("mcpServers",), "a table of servers is needed"))
        return {}
    known = set(ServerConfig.model_fields)
    made: dict[str, JsonValue] = {}
    for name, given in servers.items():
        path: KeyPath = ("mcpServers", name)
        if not isinstance(given, dict):
            faults.append(document.fault(path, "a table with command or url is needed"))
            continue
        if given.get("disabled") is True:
            warnings.append(document.fault(path, "left out: it is disabled"))
            continue
        server: dict[str, Any] = {key: item for key, item in given.items() if key in known}
        kind = given.get("type", given.get("transport"))
        if isinstance(kind, str) and kind in _DESKTOP_TRANSPORTS:
            server["transport"] = _DESKTOP_TRANSPORTS[kind]
        if "url" not in server and isinstance(given.get("serverUrl"), str):
            server["url"] = given["serverUrl"]
        unread = sorted(given.keys() - known - {"type", "disabled", "serverUrl"})
        if unread:
            warnings.append(document.fault(path, f"not read: {', '.join(unread)}"))
        made[name] = server
    unread = sorted(value.keys() - {"mcpServers"})
    if unread:
        warnings.append(document.fault((), f"not read: {', '.join(unread)}"))
    return {"servers": made}
