"""A configuration file as a value, with the line of each key."""

import json
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from ...registry.yaml_text import Path as KeyPath
from ...registry.yaml_text import YamlError, read_yaml
from ...runtime import JsonValue

MOST_BYTES = 1_000_000


class ConfigError(Exception):
    """A configuration that cannot be used; one line for each fault, with its place and what to change."""


@dataclass(frozen=True, slots=True)
class Document:
    """What a file says. ``lines`` is empty for JSON, whose keys are named by their path alone."""

    file: str
    value: JsonValue
    lines: dict[KeyPath, int] = field(default_factory=dict[KeyPath, int])

    def fault(self, path: KeyPath, problem: str) -> str:
        """``file:line: a.b: problem``, with the line of the nearest key that is there."""
        line = next(
            (
                self.lines[path[:size]]
                for size in range(len(path), -1, -1)
                if path[:size] in self.lines
            ),
            None,
        )
        where = self.file if line is None else f"{self.file}:{line}"
        shown = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
        return f"{where}: {shown.lstrip('.')}: {problem}" if shown else f"{where}: {problem}"


def read_document(file: Path) -> Document:
    """Reads YAML, or JSON where the file is called so.

    Raises:
        ConfigError: it cannot be read.
    """
    name = str(file)
    try:
        data = file.read_bytes()
    except OSError as error:
        raise ConfigError(f"{name}: {error.strerror or error}") from None
    if len(data) > MOST_BYTES:
        raise ConfigError(f"{name}: more than {MOST_BYTES} bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{name}: not UTF-8 (byte {error.start})") from None
    return parse_document(name, text, is_json=file.suffix.lower() == ".json")


def _members(name: str, pairs: list[tuple[str, JsonValue]]) -> JsonValue:
    members = dict(pairs)
    if len(members) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ConfigError(f"{name}: the key {twice!r} stands twice in one object; keep one of them")
    return members


def parse_document(name: str, text: str, *, is_json: bool) -> Document:
    """Reads a text; ``name`` is for messages.

    Raises:
        ConfigError: it is neither.
    """
    if is_json:
        try:
            return Document(name, json.loads(text, object_pairs_hook=partial(_members, name)))
        except json.JSONDecodeError as error:
            raise ConfigError(f"{name}:{error.lineno}: not JSON: {error.msg}") from None
        except ValueError as error:
            raise ConfigError(f"{name}: not JSON that can be read: {error}") from None
        except RecursionError:
            raise ConfigError(f"{name}: nested too deeply") from None
    lines: dict[KeyPath, int] = {}
    try:
        value = read_yaml(text, lines)
    except YamlError as error:
        where = name if error.line is None else f"{name}:{error.line}"
        raise ConfigError(f"{where}: {error.problem}") from None
    return Document(name, value, lines)
