"""BFCL's multi-turn categories, as the installed package ``bfcl-eval`` has them.

The package is untyped: this module and ``bfcl_world`` are all that touches it, and what leaves them is
typed. Its calls are Python text (``sort('a.txt')``); they are read, never evaluated: names and literals,
with positional arguments bound by the method's signature.
"""

import ast
import importlib
import importlib.util
import inspect
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from codemode.registry.schema import SchemaChecker, compile_schema
from codemode.runtime import JsonValue

CATEGORIES: Final = ("base", "long_context", "miss_func", "miss_param")
INSTALL: Final = "pip install --no-deps bfcl-eval==2026.3.23 mpmath==1.3.0"

BACKEND: Final = "bfcl_eval.constants.executable_backend_config"
_JSON_SCHEMA_TYPES: Final = {"dict": "object", "float": "number"}  # the two that differ


@dataclass(frozen=True, slots=True)
class Call:
    """One call of the ground truth."""

    name: str
    arguments: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One task. ``hidden`` tools never exist for the model; ``late`` ones appear at a turn (miss_func).

    Two faults of the data are named here, and nothing else is mended: ``unchecked`` tools are called
    with arguments that contradict their own docs, ``early`` ones before the turn at which they appear.
    """

    id: str
    category: str
    classes: tuple[str, ...]
    config: Mapping[str, JsonValue]
    hidden: frozenset[str]
    late: Mapping[str, int]
    turns: tuple[tuple[Call, ...], ...]
    unchecked: frozenset[str]
    early: frozenset[str]


def missing() -> str | None:
    """What is not installed, and the command that installs it; None if all is there."""
    absent = [name for name in ("bfcl_eval", "mpmath") if importlib.util.find_spec(name) is None]
    return f"{' and '.join(absent)} not installed: {INSTALL}" if absent else None


def load(category: str) -> list[Scenario]:
    """All tasks of a category, in the package's order."""
    name = f"BFCL_v4_multi_turn_{category}.json"
    answers = {row["id"]: row["ground_truth"] for row in _rows(f"possible_answer/{name}")}
    return [_scenario(category, row, answers[row["id"]]) for row in _rows(name)]


def _scenario(category: str, row: Any, answer: list[list[str]]) -> Scenario:
    classes = tuple(row["involved_classes"])
    owners = {name: cls for cls in classes for name in docs(cls)}
    turns = tuple(tuple(_call(text, owners) for text in turn) for turn in answer)
    assert len(turns) == len(row["question"]), row["id"]
    first: dict[str, int] = {}
    for number, turn in enumerate(turns):
        for call in turn:
            first.setdefault(call.name, number)
    withheld = {
        name: int(turn) for turn, names in row.get("missed_function", {}).items() for name in names
    }
    early = frozenset(name for name, turn in withheld.items() if first.get(name, turn) < turn)
    return Scenario(
        id=row["id"],
        category=category,
        classes=classes,
        config=row["initial_config"],
        hidden=frozenset(row.get("excluded_function", ())),
        late={name: turn for name, turn in withheld.items() if name not in early},
        turns=turns,
        unchecked=frozenset(
            call.name
            for turn in turns
            for call in turn
            if _checker(owners[call.name], call.name).check(dict(call.arguments))
        ),
        early=early,
    )


def _call(text: str, owners: Mapping[str, str]) -> Call:
    call = ast.parse(text.strip(), mode="eval").body
    assert isinstance(call, ast.Call), text
    assert isinstance(call.func, ast.Name), text
    name = call.func.id
    positional = [ast.literal_eval(each) for each in call.args]
    named = {str(each.arg): ast.literal_eval(each.value) for each in call.keywords}
    signature = inspect.signature(getattr(class_of(owners[name]), name))
    bound = signature.bind(None, *positional, **named).arguments
    return Call(name, {key: value for key, value in bound.items() if key != "self"})


def json_schema(given: Any) -> dict[str, JsonValue]:
    """A JSON Schema from the package's dialect."""
    made: dict[str, JsonValue] = {
        **given,
        "type": _JSON_SCHEMA_TYPES.get(given["type"], given["type"]),
    }
    if "properties" in given:
        made["properties"] = {name: json_schema(each) for name, each in given["properties"].items()}
    if "items" in given:
        made["items"] = json_schema(given["items"])
    return made


def module_of(name: str) -> Any:
    return importlib.import_module(importlib.import_module(BACKEND).CLASS_FILE_PATH_MAPPING[name])


def class_of(name: str) -> type:
    return getattr(module_of(name), name)


@cache
def docs(name: str) -> dict[str, Any]:
    file = importlib.import_module(BACKEND).MULTI_TURN_FUNC_DOC_FILE_MAPPING[name]
    return {doc["name"]: doc for doc in _rows(f"multi_turn_func_doc/{file}")}


@cache
def _checker(cls: str, name: str) -> SchemaChecker:
    return compile_schema(json_schema(docs(cls)[name]["parameters"]))


def _rows(name: str) -> Iterator[Any]:
    spec = importlib.util.find_spec("bfcl_eval")
    assert spec is not None, missing()
    assert spec.origin is not None
    text = (Path(spec.origin).parent / "data" / name).read_text("utf-8")
    return map(json.loads, text.rstrip("\n").split("\n"))
