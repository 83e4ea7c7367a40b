"""One call, made three ways and watched alike: directly, from a program, and beside other calls.

A :class:`Row` says what is built around the call and what must then be seen of it. It is the same for
every way, whatever the row is about.
"""

import inspect
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import anyio

from codemode.registry import (
    Approver,
    CodeMode,
    ExecContext,
    ImageBlock,
    Next,
    NextExecute,
    NextPost,
    PostToolDecision,
    PreToolDecision,
    Registration,
    ToolExecution,
    ToolExecutionResult,
    ToolRegistry,
    ToolScope,
    content_text,
)
from codemode.registry.log import (
    ApprovalAskedEntry,
    ApprovalDecidedEntry,
    CodeDispatchEntry,
    CodeDispatchStartEntry,
    LogEntry,
    MemoryLog,
    ToolCallEntry,
    ToolResultEntry,
)
from codemode.registry.scope import Approvals
from codemode.runtime import AbortController, CodeRuntime, JsonValue

from .kit import definition

Mode = Literal["direct", "nested", "overlapping"]
MODES: tuple[Mode, ...] = ("direct", "nested", "overlapping")
NAME = "write"
PRE, GUARD, AROUND, BODY, POST, RESULT = (
    "tools/pre-execute",
    "guard",
    "tools/execute",
    "body",
    "tools/post-execute",
    "tools/result",
)
WHOLE = (PRE, GUARD, AROUND, BODY, POST, RESULT)
UNDISPATCHED = (PRE, GUARD, AROUND, POST, RESULT)
DENIED_IN_GATE = (PRE, POST, RESULT)
ARGS: dict[str, JsonValue] = {"n": 1}

Body: TypeAlias = Callable[[Any, ExecContext], Awaitable[object]]
Around: TypeAlias = Callable[[ExecContext, NextExecute], Awaitable[ToolExecutionResult]]


def nothing(world: "World") -> None:
    """What most rows do right before the call."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """``build`` sets the world up; ``before`` happens when a program has its tools already. The rest is
    what must be seen: the stages asked, the arguments of each execution of the body, and the end, which
    is ``value`` or, with a ``code``, the failure's ``text``. ``decides`` are the types of the decisions
    that listeners gave; ``by`` is the stage that the row is about."""

    build: Callable[["World"], None]
    by: str
    before: Callable[["World"], None] = nothing
    arguments: Mapping[str, JsonValue] = field(default_factory=lambda: ARGS)
    approver: Approver | None = None
    approvals: Approvals | None = None
    aborts: bool = False
    is_gone: bool = False  # the tool: a call of it is never one that may overlap
    stages: tuple[str, ...] = WHOLE
    bodies: tuple[JsonValue, ...] = ({"n": 1},)
    value: JsonValue = "done"
    code: str | None = None
    text: str = ""
    context: tuple[str, ...] = ()
    audit: tuple[tuple[bool, str], ...] = ()
    decides: frozenset[str] = frozenset({"Allow", "Accept"})


class WatchedLog:
    """A log in memory that calls ``on_begin`` once a call of the tool has been logged as begun."""

    def __init__(self) -> None:
        self.memory = MemoryLog()
        self.on_begin: Callable[[], None] = lambda: None

    def append(self, entry: LogEntry) -> None:
        self.memory.append(entry)
        if isinstance(entry, ToolCallEntry | CodeDispatchStartEntry) and entry.name == NAME:
            self.on_begin()


class World:
    """A registry with a caller, in which every stage of every call of the tool is noted."""

    def __init__(self, row: Row, mode: Mode, runtime: CodeRuntime) -> None:
        self.row, self.mode = row, mode
        self.log = WatchedLog()
        self.registry = ToolRegistry(
            mode="both",
            runtime=runtime,
            log=self.log,
            approver=row.approver,
            approvals=row.approvals,
            code_mode=CodeMode(max_parallel_sub_calls=4 if mode == "overlapping" else 1),
        )
        self.scope: ToolScope = self.registry.scope("caller")
        self.controller = AbortController()
        self.stages: list[str] = []
        self.bodies: list[JsonValue] = []
        self.decides: set[str] = set()
        self.settled: list[ToolExecutionResult] = []
        self.beside = 0  # bodies of others that run
        self.beside_when_begun = 0
        self.right_began = anyio.Event()
        self.registration: Registration | None = None  # the tool's
        self._watch()
        row.build(self)

    def _watch(self) -> None:
        async def pre(exec: ExecContext, next: Next) -> PreToolDecision:
            self._note(PRE, exec)
            answer = await next()
            if exec.name == NAME:
                self.decides.add(type(answer).__name__)
            return answer

        async def around(exec: ExecContext, next: NextExecute) -> ToolExecutionResult:
            self._note(AROUND, exec)
            return await next()

        async def post(
            exec: ExecContext, result: ToolExecutionResult, next: NextPost
        ) -> PostToolDecision:
            self._note(POST, exec)
            answer = await next()
            if exec.name == NAME:
                self.decides.add(type(answer).__name__)
            return answer

        def settled(exec: ExecContext, result: ToolExecutionResult) -> None:
            self._note(RESULT, exec)
            if exec.name == NAME:
                self.settled.append(result)

        self.registry.on_pre_execute(pre)
        self.registry.guard(lambda exec: self._note(GUARD, exec))
        self.registry.on_execute(around)
        self.registry.on_post_execute(post)
        self.registry.on_result(settled)

    def _note(self, stage: str, exec: ExecContext) -> None:
        if exec.name == NAME:
            if not self.stages:
                self.beside_when_begun = self.beside
            self.stages.append(stage)

    # --- what rows build with

    def tool(self, body: Body | None = None, scope: ToolScope | None = None, **fields: Any) -> None:
        async def noted(args: Any, exec: ExecContext) -> object:
            self._note(BODY, exec)
            self.bodies.append(json.loads(json.dumps(args)))
            return "done" if body is None else await body(args, exec)

        fields.setdefault("concurrency_safe", True)
        self.registration = (scope or self.registry).register(definition(NAME, noted, **fields))

    def pre(
        self, decide: Callable[[ExecContext, Next], Any], scope: ToolScope | None = None
    ) -> None:
        async def gate(exec: ExecContext, next: Next) -> PreToolDecision:
            return await (_one(decide(exec, next)) if exec.name == NAME else next())

        (scope or self.registry).on_pre_execute(gate, name="gate")

    def guard(self, decide: Callable[[ExecContext], Any], scope: ToolScope | None = None) -> None:
        async def guard(exec: ExecContext) -> str | None:
            return await _one(decide(exec)) if exec.name == NAME else None

        (scope or self.registry).guard(guard, name="watchman")

    def around(self, wrap: Around) -> None:
        async def wrapper(exec: ExecContext, next: NextExecute) -> ToolExecutionResult:
            return await (wrap(exec, next) if exec.name == NAME else next())

        self.registry.on_execute(wrapper, name="wrapper")

    def post(
        self,
        decide: Callable[[ExecContext, ToolExecutionResult, NextPost], Any],
        scope: ToolScope | None = None,
    ) -> None:
        async def judge(
            exec: ExecContext, result: ToolExecutionResult, next: NextPost
        ) -> PostToolDecision:
            return await (_one(decide(exec, result, next)) if exec.name == NAME else next())

        (scope or self.registry).on_post_execute(judge, name="judge")

    # --- the call

    async def run(self) -> "Seen":
        with anyio.fail_after(20):
            if self.mode == "direct":
                self.row.before(self)
                result = await self._execute(NAME, self.row.arguments)
                end = end_of(result)
            else:
                self._around_the_call()
                result = await self._execute("run_code", {"code": self._program()})
                end = self._end_of_run(result)
        return self._seen(result, end)

    async def _execute(self, name: str, arguments: Mapping[str, JsonValue]) -> ToolExecutionResult:
        return await self.registry.execute(
            ToolExecution(
                call_id="c1",
                name=name,
                arguments=arguments,
                scope=self.scope,
                signal=self.controller.signal,
            )
        )

    def _around_the_call(self) -> None:
        async def before(args: Any, exec: ExecContext) -> None:
            self.row.before(self)

        async def left(args: Any, exec: ExecContext) -> str:
            return await self._beside(wait=not self.row.is_gone)

        async def right(args: Any, exec: ExecContext) -> str:
            self.right_began.set()
            return await self._beside(wait=False)

        self.registry.register(definition("before", before))
        self.registry.register(definition("first", left, concurrency_safe=True))
        self.registry.register(definition("third", right, concurrency_safe=True))

    async def _beside(self, *, wait: bool) -> str:
        self.beside += 1
        try:
            if wait:
                await self.right_began.wait()
        finally:
            self.beside -= 1
        return "beside"

    def _program(self) -> str:
        call = f"""tools.{NAME}({json.dumps(self.row.arguments)}).then(
            (value) => ["value", value],
            (e) => ["error", e.code, e.message, e instanceof ToolCallError, e.toolName])"""
        if self.mode == "nested":
            return f"await tools.before(); return await {call}"
        return f"""await tools.before()
            const ends = await Promise.all([tools.first(), {call}, tools.third()])
            return ends[1]"""

    def _end_of_run(self, result: ToolExecutionResult) -> "End":
        text = content_text(result.content)
        if self.row.aborts:  # the program is gone; the end is what the observers saw
            assert text.startswith("Error: code run failed (abort)"), text
            return end_of(self.settled[0])
        assert not result.is_error, text
        kind, first, *rest = json.loads(text)
        if kind == "value":
            return End(code=None, value=first, text="")
        assert rest[1:] == [True, NAME]
        return End(code=first, value=None, text=rest[0])

    def _seen(self, result: ToolExecutionResult, end: "End") -> "Seen":
        (settled,) = self.settled  # every call ends once
        assert end_of(settled) == end
        entries = self.log.memory.entries
        begun = [
            entry
            for entry in entries
            if isinstance(entry, ToolCallEntry | CodeDispatchStartEntry) and entry.name == NAME
        ]
        call_id = settled.call_id
        ended = [
            entry
            for entry in entries
            if (isinstance(entry, ToolResultEntry) and entry.call_id == call_id)
            or (isinstance(entry, CodeDispatchEntry) and entry.sub_call_id == call_id)
        ]
        return Seen(
            stages=tuple(self.stages),
            bodies=tuple(self.bodies),
            end=end,
            begun=tuple(entry.arguments for entry in begun),
            ended=tuple(
                (entry.is_error, None if entry.error is None else entry.error.code)
                for entry in ended
            ),
            context=tuple(content_text([block]) for block in result.additional_context),
            audit=_audit(entries, call_id),
            decides=frozenset(self.decides),
        )


@dataclass(frozen=True)
class End:
    """How a call ended: for a program, what it got or caught."""

    code: str | None
    value: JsonValue
    text: str


@dataclass(frozen=True)
class Seen:
    """All that there is to see of one call."""

    stages: tuple[str, ...]
    bodies: tuple[JsonValue, ...]
    end: End
    begun: tuple[JsonValue, ...]
    ended: tuple[tuple[bool, str | None], ...]
    context: tuple[str, ...]
    audit: tuple[tuple[bool, str], ...]
    decides: frozenset[str]


def expected(row: Row) -> Seen:
    """What every way must show."""
    failed = row.code is not None
    return Seen(
        stages=row.stages,
        bodies=row.bodies,
        end=End(row.code, None if failed else row.value, row.text),
        begun=(dict(row.arguments),),
        ended=((failed, row.code),),
        context=row.context,
        audit=row.audit,
        decides=row.decides,
    )


def end_of(result: ToolExecutionResult) -> End:
    """A result as a program would see it."""
    text = content_text(b for b in result.content if not isinstance(b, ImageBlock))
    if result.is_error:
        return End(result.error and result.error.code, None, text.removeprefix("Error: "))
    return End(None, result.value if result.has_value else text, "")


def _audit(entries: tuple[LogEntry, ...], call_id: str) -> tuple[tuple[bool, str], ...]:
    """Whether each question confirmed another, and its outcome; each is asked, then decided."""
    pairs: list[tuple[bool, str]] = []
    asked: list[ApprovalAskedEntry] = []
    for entry in entries:
        if isinstance(entry, ApprovalAskedEntry) and entry.call_id == call_id:
            asked.append(entry)
        elif isinstance(entry, ApprovalDecidedEntry) and entry.call_id == call_id:
            question = asked.pop()
            assert question.question_id == entry.question_id
            pairs.append((question.confirm, entry.outcome))
    assert not asked
    return tuple(pairs)


async def _one(answer: Any) -> Any:
    return await answer if inspect.isawaitable(answer) else answer
