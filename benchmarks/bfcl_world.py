"""The API objects of BFCL's scenarios: made afresh, as tools, compared, and run by the package itself.

No two sets of instances share anything that can change: the package's modules have state of their own.
"""

import copy
import importlib
import json
import operator
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final, TypeAlias, cast

from bfcl_data import BACKEND, Scenario, class_of, docs, json_schema, module_of

from codemode.registry import ToolDefinition
from codemode.runtime import JsonValue

_CHECKER: Final = "bfcl_eval.eval_checker.multi_turn_eval.multi_turn_checker"
_EXECUTOR: Final = "bfcl_eval.eval_checker.multi_turn_eval.multi_turn_utils"
_RUN: Final = "codemode"

Instances: TypeAlias = Mapping[str, Any]
"""API objects by the name of their class."""


def make_instances(scenario: Scenario) -> Instances:
    """The scenario's API objects, made afresh."""
    return {name: _instance(name, scenario) for name in scenario.classes}


def tools(scenario: Scenario, instances: Instances) -> Iterator[ToolDefinition]:
    """One tool per documented method, but for those that the task hides."""
    for cls, instance in instances.items():
        for name, doc in docs(cls).items():
            if name not in scenario.hidden:
                is_checked = name not in scenario.unchecked
                yield _tool(doc, getattr(instance, name), is_checked)


def state_difference(ours: Instances, theirs: Instances) -> str | None:
    """The benchmark's own ``state_checker``, and what it does not look at."""
    verdict = importlib.import_module(_CHECKER).state_checker(ours, theirs)
    if not verdict["valid"]:
        return f"{verdict['error_message']} {str(verdict['details']['differences'])[:300]}"
    left, right = _private_state(ours), _private_state(theirs)
    apart = [name for name in left.keys() | right.keys() if left.get(name) != right.get(name)]
    return f"private state differs: {', '.join(sorted(apart))}" if apart else None


def _private_state(instances: Instances) -> dict[str, object]:
    """What later calls depend on and the benchmark does not compare: the current directory, the
    generators' states, the other private attributes."""
    found: dict[str, object] = {}
    for cls, instance in instances.items():
        for name, value in _attributes(instance).items():
            if name == "_random":
                found[f"{cls}.{name}"] = value.getstate()
            elif name == "_current_dir":
                found[f"{cls}.{name}"] = instance.pwd()
            elif name.startswith("_"):
                found[f"{cls}.{name}"] = value
    return found


def run_by_package(scenario: Scenario) -> tuple[list[str], Instances]:
    """The same calls made by the package's own executor: its texts of the results, and its instances."""
    for name in scenario.classes:
        _restore_constants(name)
    executor, texts = importlib.import_module(_EXECUTOR), list[str]()
    instances: Instances = {}
    for turn in scenario.turns:
        calls = [
            f"{call.name}({', '.join(f'{key}={value!r}' for key, value in call.arguments.items())})"
            for call in turn
        ]
        given, instances = executor.execute_multi_turn_func_call(
            calls, scenario.config, list(scenario.classes), _RUN, scenario.id,
            long_context=scenario.category == "long_context",
        )  # fmt: skip
        texts.extend(given)
    for name in [name for name in _attributes(executor) if name.startswith(_RUN)]:
        delattr(executor, name)  # where it keeps instances
    return texts, instances


def text_by_package(value: JsonValue) -> str:
    """A result as the package's executor writes it."""
    return json.dumps(value) if isinstance(value, dict) else str(value)


def _tool(doc: Any, method: Any, is_checked: bool) -> ToolDefinition:
    def execute(args: JsonValue, exec: object) -> object:
        return _json_form(method(**cast("dict[str, Any]", args)))

    return ToolDefinition(
        name=doc["name"],
        execute=execute,
        description=doc["description"],
        parameters=json_schema(doc["parameters"]),
        output=json_schema(doc["response"]),
        validate_arguments=is_checked,
    )


def _json_form(value: Any) -> Any:
    """A result without the two things in it that are no JSON: mpmath's ``mpf`` (of ``logarithm``)
    becomes the float that it is equal to, never a rounded one; a ``...`` that is in the data of
    long_context becomes the text that the package shows for it. Anything else is passed on as it is,
    live state included: that the registry copies it is part of what is measured."""
    if value is ...:
        return "Ellipsis"
    if isinstance(value, importlib.import_module("mpmath").mpf):
        made = float(value)
        assert made == value, value
        return made
    changed: Any = value
    if isinstance(value, dict):
        members = cast("dict[Any, Any]", value)
        changed = {key: _json_form(each) for key, each in members.items()}
        is_same = all(changed[key] is each for key, each in members.items())
    elif isinstance(value, list):
        items = cast("list[Any]", value)
        changed = [_json_form(each) for each in items]
        is_same = all(map(operator.is_, changed, items))
    else:
        is_same = True
    return cast("Any", value) if is_same else changed


def _instance(name: str, scenario: Scenario) -> Any:
    _restore_constants(name)
    instance = class_of(name)()
    if name not in importlib.import_module(BACKEND).STATELESS_CLASSES:
        config = copy.deepcopy(scenario.config.get(name, {}))
        instance._load_scenario(config, long_context=scenario.category == "long_context")
    return instance


def _restore_constants(name: str) -> None:
    """Gives a class's module the lists and objects that it came with, as copies. Instances hand them
    out, keep them in their state, and write to one of them (the weather of long_context): two sets of
    instances that share them could not be told apart by it."""
    module = module_of(name)
    for key, value in copy.deepcopy(_constants(name)).items():
        setattr(module, key, value)


@cache
def _constants(name: str) -> dict[str, Any]:
    values = {key: value for key, value in _attributes(module_of(name)).items() if key.isupper()}
    return copy.deepcopy({k: v for k, v in values.items() if isinstance(v, dict | list | set)})


def _attributes(of: object) -> dict[str, Any]:
    return vars(of)
