"""Random programs, tools and ends of runs, from a seed; and what must be still when a run has returned."""

import asyncio
import math
from collections.abc import Awaitable, Callable
from random import Random
from typing import Any, Final

import anyio
import anyio.lowlevel
import trio

from codemode.registry import (
    Accept,
    Allow,
    CodeMode,
    Deny,
    ExecContext,
    Next,
    NextPost,
    PostToolDecision,
    PreToolDecision,
    ToolExecution,
    ToolExecutionResult,
    ToolRegistry,
    content_text,
)
from codemode.registry.log import CodeDispatchEntry, CodeDispatchStartEntry, MemoryLog
from codemode.runtime import AbortController, CodeRuntime, Limits

from .kit import Counter, call, definition

NAMES: Final = ("a", "b", "c", "d")
ENDS: Final = ("value", "throw", "compute", "wall", "output", "memory", "abort", "cancel")
LIMITS: Final = {
    "compute": Limits(compute_ms=2, wall_ms=20_000),
    "wall": Limits(wall_ms=4),
    "output": Limits(value_bytes=1_000, wall_ms=20_000),
    "memory": Limits(memory_bytes=8 << 20, wall_ms=20_000, compute_ms=20_000),
}
LAST: Final = {
    "value": "return 'end'",
    "throw": "throw new Error('end')",
    "compute": "for (;;) {}",
    "wall": "await new Promise((done) => setTimeout(done, 60000))",
    "output": "return 'x'.repeat(5000)",
    "memory": "const all = []; for (;;) all.push(new Array(100000).fill(all.length))",
    "abort": "return 'end'",
    "cancel": "return 'end'",
}


def random_program(rng: Random, end: str) -> str:
    def call() -> str:
        return f"tools.{rng.choice(NAMES)}({{ n: {rng.randrange(100)} }})"

    def calls() -> str:
        return ", ".join(call() for _ in range(rng.randrange(2, 5)))

    pieces: list[Callable[[], str]] = [
        lambda: f"await {call()}",
        lambda: f"try {{ await {call()} }} catch (e) {{ console.log(e.code) }}",
        lambda: f"{call()}.catch(() => 0)",
        call,
        lambda: f"await Promise.all([{calls()}])",
        lambda: f"await Promise.allSettled([{calls()}])",
        lambda: f"await Promise.race([{calls()}])",
        lambda: f"await Promise.any([{calls()}]).catch(() => 0)",
        lambda: f"await {call()}.then(() => {call()}).catch(() => {call()})",
        lambda: (
            f"{{ const down = async (d) => {{ if (d) await down(d - 1); await {call()} }}; "
            "await down(3).catch(() => 0) }"
        ),
        lambda: f"setTimeout(() => {{ {call()} }}, {rng.randrange(2)})",
        lambda: f"await new Promise((done) => setTimeout(done, {rng.randrange(2)}))",
        lambda: f"if (Math.random() < 0.1) throw new Error({rng.randrange(9)!r})",
        lambda: "console.log('here')",
    ]
    lines = [rng.choice(pieces)() for _ in range(rng.randrange(1, 6))]
    return "\n".join([*lines, LAST[end]])


class Household:
    """A registry with random tools and listeners, which knows what runs.

    ``strike`` is called at the ``at``-th step that any body or listener makes.
    """

    def __init__(self, rng: Random, runtime: CodeRuntime, end: str) -> None:
        self.rng = rng
        self.log = MemoryLog()
        self.most_parallel = rng.choice((1, 1, 2, 4))
        self.registry = ToolRegistry(
            mode="both",
            runtime=runtime,
            log=self.log,
            code_mode=CodeMode(
                limits=LIMITS.get(end, Limits(wall_ms=20_000)),
                max_parallel_sub_calls=self.most_parallel,
                drain_ms=20_000,
            ),
        )
        self.controller = AbortController()
        self.running = 0  # bodies and listeners
        self.steps = 0
        self.at = rng.randrange(1, 25)
        self.strike: Callable[[], None] = lambda: None
        for name in NAMES:
            safe = rng.random() < 0.7
            timeout = 1 if rng.random() < 0.1 else None
            self.registry.register(
                definition(name, self._body(), concurrency_safe=safe, timeout_ms=timeout)
            )
        self.registry.on_pre_execute(self._pre)
        self.registry.on_post_execute(self._post)

    async def step(self) -> None:
        self.steps += 1
        if self.steps == self.at:
            self.strike()
        await anyio.lowlevel.checkpoint()

    async def _wander(self, most: int) -> None:
        for _ in range(self.rng.randrange(most)):
            await self.step()

    def _body(self) -> Callable[[Any, ExecContext], Awaitable[str]]:
        async def body(args: Any, exec: ExecContext) -> str:
            self.running += 1
            on_cancel = self.rng.choice(("stop", "stop", "clean up", "fail"))
            try:
                await self._wander(6)
                if self.rng.random() < 0.2:
                    await anyio.sleep(0.0005)
                if self.rng.random() < 0.2:
                    raise ValueError("by itself")
            except anyio.get_cancelled_exc_class():
                if on_cancel == "clean up":
                    with anyio.CancelScope(shield=True):
                        await self._wander(4)
                if on_cancel == "fail":
                    raise ValueError("half done") from None
                raise
            finally:
                self.running -= 1
            return f"{exec.name}{args['n']}"

        return body

    async def _pre(self, exec: ExecContext, next: Next) -> PreToolDecision:
        if exec.name == "run_code":
            return await next()
        self.running += 1
        try:
            await self._wander(3)
            return Deny("not today") if self.rng.random() < 0.1 else Allow()
        finally:
            self.running -= 1

    async def _post(
        self, exec: ExecContext, result: ToolExecutionResult, next: NextPost
    ) -> PostToolDecision:
        if exec.name == "run_code":
            return await next()
        self.running += 1
        try:
            await self._wander(3)
            return Accept(additional_context="seen" if self.rng.random() < 0.1 else ())
        finally:
            self.running -= 1

    async def run(self, program: str) -> ToolExecutionResult:
        return await self.registry.execute(
            ToolExecution(
                call_id="run",
                name="run_code",
                arguments={"code": program},
                signal=self.controller.signal,
            )
        )

    async def must_be_still(self) -> None:
        """Right when a run has returned: nothing runs, and nothing comes of it afterwards."""
        assert self.running == 0, "a body or a listener runs"
        self._must_be_complete()
        entries = self.log.entries
        for _ in range(10):
            await anyio.lowlevel.checkpoint()
        assert self.log.entries == entries, "something was logged afterwards"
        assert self.running == 0, "a body or a listener began afterwards"

    async def must_run_again(self) -> None:
        """The runtime, with patient limits."""
        registry = ToolRegistry(mode="both", runtime=self.registry.runtime)
        registry.register(definition("a", Counter("again")))
        after = await call(registry, "run_code", {"code": "return await tools.a({})"})
        assert content_text(after.content) == "again"

    def _must_be_complete(self) -> None:
        """Calls are numbered as they begin, each ends once, and none overlaps unless it may."""
        begun: list[str] = []
        open_calls: list[str] = []
        for entry in self.log.entries:
            if isinstance(entry, CodeDispatchStartEntry):
                open_calls.append(entry.sub_call_id)
                begun.append(entry.sub_call_id)
                assert len(open_calls) <= self.most_parallel
            elif isinstance(entry, CodeDispatchEntry):
                open_calls.remove(entry.sub_call_id)
        assert begun == [f"run:code:{n + 1}" for n in range(len(begun))]
        assert open_calls == []


async def living() -> tuple[int, int]:
    """How many tasks and timers there are."""
    for _ in range(3):  # a task cancelled before its first step takes that step to be gone
        await anyio.lowlevel.checkpoint()
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        statistics = trio.lowlevel.current_statistics()
        return statistics.tasks_living, int(statistics.seconds_to_next_deadline < math.inf)
    timers: list[asyncio.TimerHandle] = vars(loop)["_scheduled"]
    waiting = [handle for handle in timers if not handle.cancelled()]
    return len(asyncio.all_tasks()), len(waiting)
