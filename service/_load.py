"""Tools from a Python module or file: ``module:name`` or ``file.py:name``."""

import importlib
import importlib.util
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from ..registry import ToolRegistry
from ..runtime import Binding


class LoadError(Exception):
    """The tools cannot be had; the message says what to change."""


def _import_file(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"codemode_tools_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise LoadError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _import(place: str) -> ModuleType:
    try:
        if place.endswith(".py") or "/" in place:
            path = Path(place)
            if not path.is_file():
                raise LoadError(f"there is no file {place}")
            return _import_file(path)
        if "" not in sys.path:
            sys.path.insert(0, "")
        return importlib.import_module(place)
    except LoadError:
        raise
    except ModuleNotFoundError as error:
        raise LoadError(f"cannot import {place}: {error}") from error
    except (Exception, SystemExit) as error:
        raise LoadError(f"{place} fails when it is imported: {error!r}") from error


def load_object(reference: str, folder: Path | None = None) -> object:
    """Whatever stands at ``reference``; a file's path is relative to ``folder``.

    Raises:
        LoadError: there is nothing; the message says what to change.
    """
    place, colon, name = reference.rpartition(":")
    if not colon or not place or not name:
        raise LoadError(f"{reference!r} names no tools: write module:name or file.py:name")
    if folder is not None and (place.endswith(".py") or "/" in place):
        place = str(folder / place)
    found: Any = getattr(_import(place), name, None)
    if found is None:
        raise LoadError(f"{place} has no {name}")
    return found


def load_tools(reference: str) -> ToolRegistry | Mapping[str, Binding]:
    """The registry, or the mapping of names to async functions, at ``reference``.

    Raises:
        LoadError: there is none; the message says what to change.
    """
    found = load_object(reference)
    if isinstance(found, ToolRegistry):
        return found
    if not isinstance(found, Mapping):
        kind = type(found).__name__
        raise LoadError(
            f"{reference} must be a ToolRegistry or a mapping of names to async functions, not {kind}"
        )
    functions = cast("Mapping[Any, Any]", found)
    for key, function in functions.items():
        if not isinstance(key, str) or not callable(function):
            raise LoadError(f"{reference}[{key!r}] is not a function under a text name")
    return cast("Mapping[str, Binding]", functions)


def load_registry(reference: str) -> ToolRegistry:
    """The registry at ``reference``.

    Raises:
        LoadError: there is none; the message says what to change.
    """
    tools = load_tools(reference)
    if not isinstance(tools, ToolRegistry):
        raise LoadError(f"{reference} is a mapping of functions: this needs a ToolRegistry")
    return tools
