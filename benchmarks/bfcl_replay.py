"""One BFCL scenario, made twice: natively, and by programs. What each gave, and where they differ.

Nothing is compared by its text where it has a value, and nothing loosely: ``same`` is equality of JSON
values. What JSON itself does not tell apart (``36.0`` and ``36``, the order of an object's members) is
counted beside it, not hidden in it.
"""

import json
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from bfcl_data import Call, Scenario
from bfcl_json import as_program_sees, member_names, same, sorted_text
from bfcl_witness import Witness
from bfcl_world import (
    Instances,
    make_instances,
    run_by_package,
    state_difference,
    text_by_package,
    tools,
)

from codemode.registry import (
    RUN_CODE_NAME,
    CodeMode,
    ToolExecution,
    ToolExecutionResult,
    ToolRegistry,
    content_text,
)
from codemode.runtime import CodeRuntime, JsonValue

WHOLE: Final = CodeMode(output_bytes=8 << 20)  # results are compared: none may be cut
DEFAULT_OUTPUT_BYTES: Final = CodeMode().output_bytes


@dataclass(slots=True)
class Side:
    """One way of making a scenario's calls. Bytes are UTF-8 of what the model would read or write:
    ``defined`` the prompt and tool definitions, once; ``returned`` all results; ``written`` the calls.

    ``results`` are what the caller has in hand: the model's in native mode, in code mode what the
    programs returned. ``sent`` and ``dispatched`` are arguments and values as the pipeline had them.
    """

    results: list[JsonValue] = field(default_factory=list[JsonValue])
    sent: list[JsonValue] = field(default_factory=list[JsonValue])
    dispatched: list[JsonValue] = field(default_factory=list[JsonValue])
    problems: list[str] = field(default_factory=list[str])
    notes: list[str] = field(default_factory=list[str])  # log lines beside a program's value
    seconds: float = 0.0
    requests: int = 0
    defined: int = 0
    returned: int = 0
    written: int = 0
    over_default: int = 0  # runs whose output the default limit would have cut
    violations: list[bool] = field(
        default_factory=list[bool]
    )  # which results contradict their docs


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A scenario's comparison. It is the same both ways when ``problems`` is empty.

    ``big_integers`` are results with integers that became decimal text on their way into a program.
    ``sent_kinds``, ``dispatched_kinds`` and ``returned_kinds`` are arguments, tools' results and
    programs' results that are equal JSON and differ in ``36.0`` and ``36``, ``member_order`` results
    that differ in the order of members. ``unlike_package`` are native results that the package's own
    executor writes otherwise.
    """

    scenario: Scenario
    native: Side
    code: Side
    problems: tuple[str, ...]
    calls: int
    big_integers: int
    sent_kinds: int
    dispatched_kinds: int
    returned_kinds: int
    member_order: int
    unlike_package: tuple[str, ...]


async def replay(scenario: Scenario, runtime: CodeRuntime) -> Outcome:
    """Makes the calls natively on one set of instances and by programs on another, and compares."""
    native, expected = await _play(scenario, ToolRegistry(mode="native"), _native_turn)
    registry = ToolRegistry(mode="code", runtime=runtime, code_mode=WHOLE)
    code, instances = await _play(scenario, registry, _code_turn)
    calls = [call for turn in scenario.turns for call in turn]
    problems = [f"native: {text}" for text in native.problems]
    problems += [f"code: {text}" for text in code.problems]
    counts = {len(native.results), len(code.results), len(native.dispatched), len(code.dispatched)}
    if counts != {len(calls)}:
        problems.append(f"{sorted(counts)} results of {len(calls)} calls")
    seen = [as_program_sees(value) for value in native.results]
    for what, left, right in (
        ("dispatch", native.results, native.dispatched),
        ("dispatch by programs", native.results, code.dispatched),
        ("programs", seen, code.results),
    ):
        for call, a, b in zip(calls, left, right, strict=False):
            if not same(a, b):
                problems.append(f"{what}, {call.name}: {a!r:.300} is not {b!r:.300}")
    big = sum(not same(a, b) for a, b in zip(native.results, seen, strict=True))
    if len(code.notes) != big:
        problems.append(f"{big} results with big integers, and the notes {code.notes}")
    if native.violations != code.violations:
        problems.append("other results contradict their docs")
    difference = state_difference(instances, expected)
    if difference is not None:
        problems.append(f"end state: {difference}")
    pairs = zip(seen, code.results, strict=False)
    return Outcome(
        scenario=scenario,
        native=native,
        code=code,
        problems=tuple(problems),
        calls=len(calls),
        big_integers=big,
        sent_kinds=_otherwise(native.sent, code.sent),
        dispatched_kinds=_otherwise(native.dispatched, code.dispatched),
        returned_kinds=_otherwise(seen, code.results),
        member_order=sum(same(a, b) and member_names(a) != member_names(b) for a, b in pairs),
        unlike_package=_unlike_package(scenario, native, expected),
    )


def _otherwise(left: Sequence[JsonValue], right: Sequence[JsonValue]) -> int:
    """How many are the same and are written otherwise, whatever the order of members."""
    pairs = zip(left, right, strict=False)
    return sum(same(a, b) and sorted_text(a) != sorted_text(b) for a, b in pairs)


def _unlike_package(scenario: Scenario, native: Side, ours: Instances) -> tuple[str, ...]:
    """Where the package's own executor, which copies nothing, gives something else."""
    texts, theirs = run_by_package(scenario)
    calls = [call for turn in scenario.turns for call in turn]
    apart = [
        f"{call.name}: {text:.100}"
        for call, text, value in zip(calls, texts, native.results, strict=True)
        if text != text_by_package(value)
    ]
    difference = state_difference(ours, theirs)
    return tuple(apart if difference is None else [*apart, f"end state: {difference}"])


_MakeTurn: TypeAlias = Callable[[ToolRegistry, str, Sequence[Call], Side], Awaitable[None]]


async def _play(
    scenario: Scenario, registry: ToolRegistry, make_turn: _MakeTurn
) -> tuple[Side, Instances]:
    instances, side, witness = make_instances(scenario), Side(), Witness(registry)
    late = {tool.name: tool for tool in tools(scenario, instances)}
    for name in [name for name in late if name not in scenario.late]:
        registry.register(late.pop(name))
    prompt = await _prompt(registry)
    for turn, calls in enumerate(scenario.turns):
        arriving = [name for name in late if scenario.late[name] == turn]
        for name in arriving:
            registry.register(late[name])
            before, prompt = prompt, await _prompt(registry)
            if before == prompt:
                side.problems.append(f"the prompt does not show {name}, which is new")
        if calls:
            await make_turn(registry, f"{scenario.id}:{turn}", calls, side)
    side.defined = len(prompt.encode())
    side.sent = [dict(call.arguments) for call in witness.dispatched]
    side.dispatched = [result.value for result in witness.results]
    side.violations = [bool(result.violations) for result in witness.results]
    problem = witness.missed([call for turn in scenario.turns for call in turn])
    if problem is not None:
        side.problems.append(problem)
    return side, instances


async def _native_turn(
    registry: ToolRegistry, call_id: str, calls: Sequence[Call], side: Side
) -> None:
    for number, call in enumerate(calls):
        text = _json(dict(call.arguments))  # as a model sends them
        began = time.perf_counter()
        result = await registry.execute(
            ToolExecution(call_id=f"{call_id}:{number}", name=call.name, arguments=json.loads(text))
        )
        side.seconds += time.perf_counter() - began
        _account(side, f'{{"name":"{call.name}","arguments":{text}}}', result)
        if result.is_error or not result.has_value or _reports_error(result.value):
            side.problems.append(f"{call.name} failed: {content_text(result.content)[:200]}")
        side.results.append(result.value)


async def _code_turn(
    registry: ToolRegistry, call_id: str, calls: Sequence[Call], side: Side
) -> None:
    written = _json({"code": program(calls)})
    began = time.perf_counter()
    result = await registry.execute(
        ToolExecution(call_id=call_id, name=RUN_CODE_NAME, arguments=json.loads(written))
    )
    side.seconds += time.perf_counter() - began
    _account(side, f'{{"name":"{RUN_CODE_NAME}","arguments":{written}}}', result)
    text = content_text(result.content)
    side.over_default += len(text.encode()) > DEFAULT_OUTPUT_BYTES
    if result.is_error:
        side.problems.append(f"run_code failed: {text[:300]}")
        return
    before, mark, value = f"\n{text}".partition("\n[\n")  # log lines, then a list, indented
    side.notes += before.split("\n")[1:]
    side.results.extend(json.loads(mark + value))  # from the text that the model reads, whole


def _reports_error(value: JsonValue) -> bool:
    """Whether it is the package's way to fail a call: then the replay is not of its ground truth."""
    return isinstance(value, dict) and "error" in value


def _account(side: Side, written: str, result: ToolExecutionResult) -> None:
    side.requests += 1
    side.written += len(written.encode())
    side.returned += len(content_text(result.content).encode())


def program(calls: Sequence[Call]) -> str:
    """One program that makes a turn's calls, in order, and returns all their results."""
    lines = [
        f"const r{number}: unknown = await tools.{call.name}({_json(dict(call.arguments))});"
        for number, call in enumerate(calls)
    ]
    return "\n".join([*lines, f"return [{', '.join(f'r{n}' for n in range(len(calls)))}];"])


async def _prompt(registry: ToolRegistry) -> str:
    """What the model reads before the conversation: the system text and the tool definitions."""
    assembly = await registry.prompt.assemble()
    tools = [
        {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
        for tool in assembly.tools
    ]
    return f"{assembly.text}{json.dumps(tools, ensure_ascii=False, separators=(',', ':'))}"


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)
