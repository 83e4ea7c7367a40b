"""The pieces of an ACP update: content blocks, paths, fences, text that is valid UTF-8."""

import re
from collections.abc import Iterable
from pathlib import PurePath, PurePosixPath, PureWindowsPath
from typing import Final, cast

from ...runtime.types import JsonValue
from ..content import ContentBlock, OtherBlock, block_to_json, content_text
from ._views import TerminalResult

_HALF: Final = re.compile("[\ud800-\udfff]")
_BACKTICKS: Final = re.compile("`+")
_WINDOWS: Final = re.compile(r"[A-Za-z]:[\\/]|\\\\")
_REQUIRED: Final = {"audio": ("data", "mimeType"), "resource_link": ("name", "uri")}


def blocks(content: Iterable[ContentBlock]) -> list[JsonValue]:
    """The blocks as ACP content; one that ACP would refuse is named in text instead."""
    return [{"type": "content", "content": _block(block)} for block in content]


def _block(block: ContentBlock) -> JsonValue:
    if isinstance(block, OtherBlock) and not _is_acp(block):
        return {"type": "text", "text": content_text([block])}
    return block_to_json(block)


def _is_acp(block: OtherBlock) -> bool:
    if block.kind == "resource":
        resource = block.value.get("resource")
        return (
            isinstance(resource, dict)
            and isinstance(resource.get("uri"), str)
            and isinstance(resource.get("text", resource.get("blob")), str)
        )
    required = _REQUIRED.get(block.kind)
    return required is not None and all(isinstance(block.value.get(key), str) for key in required)


def console_fence(view: TerminalResult) -> str:
    """The output in a ``console`` fence that nothing in it can close, and how the command ended."""
    output = view.output or ""
    longest = max((len(run) for run in _BACKTICKS.findall(output)), default=0)
    fence = "`" * max(3, longest + 1)
    end = "" if output.endswith("\n") or not output else "\n"
    text = f"{fence}console\n{output}{end}{fence}"
    if view.signal is not None:
        return f"{text}\n\nended by {_one_line(view.signal)}"
    return text if not view.exit_code else f"{text}\n\nexit code {view.exit_code}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _path(path: str, cwd: str) -> PurePath:
    windows = _WINDOWS.match(cwd) or _WINDOWS.match(path)
    return PureWindowsPath(path) if windows else PurePosixPath(path)


def absolute(path: str, cwd: str | None) -> str:
    """The path, put below ``cwd`` if it is relative. Text that names no path stays as it is."""
    if not cwd or not path or _path(path, cwd).is_absolute():
        return path
    return str(_path(cwd, cwd) / path)


def relative_title(title: str, paths: Iterable[str], cwd: str | None) -> str:
    """The title with each of the paths that lies below ``cwd`` given from there."""
    if not cwd:
        return title
    folder = _path(cwd, cwd)
    if folder == folder.parent:  # below the root is everything: nothing would be clearer
        return title
    short: dict[str, str] = {}
    for path in paths:
        here = _path(path, cwd)
        if here.is_absolute() and folder in here.parents and ".." not in here.parts:
            short[path] = str(here.relative_to(folder))
    if not short:
        return title
    # One pass, the longest first: a path that begins with another, or a result, is not replaced again.
    either = "|".join(re.escape(path) for path in sorted(short, key=len, reverse=True))
    found = re.compile(rf"(?<![\w./\\-])(?:{either})(?![\w/\\-]|\.\w)")
    return found.sub(lambda match: short[match[0]], title)


def scrub(update: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """A copy without half surrogate pairs, without recursion: arguments may be deep."""
    made: dict[str, JsonValue] = {}
    todo: list[tuple[JsonValue, JsonValue]] = [(update, made)]
    while todo:
        source, target = todo.pop()
        if isinstance(source, dict):
            pairs = [(_HALF.sub("\ufffd", key), item) for key, item in source.items()]
        else:
            pairs = list(enumerate(cast("list[JsonValue]", source)))
            cast("list[JsonValue]", target).extend([None] * len(pairs))
        for key, item in pairs:
            copied: JsonValue = item
            if isinstance(item, str):
                copied = _HALF.sub("\ufffd", item)
            elif isinstance(item, dict):
                copied = {}
                todo.append((item, copied))
            elif isinstance(item, list):
                copied = []
                todo.append((item, copied))
            cast("dict[object, JsonValue]", target)[key] = copied
    return made
