"""What listeners and tool bodies are given of the call that they are about: ``exec``."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

import anyio

from ..runtime import AbortController, AbortSignal, JsonValue, WallPause
from ._json import copy_known
from .content import ContentBlock, as_blocks

if TYPE_CHECKING:
    from ._entry import Entry
    from .log import SessionLog
    from .scope import ToolScope
    from .types import ToolDefinition, ToolExecution, ToolExecutionResult

Undo = Callable[[], None]
Clock = tuple[Callable[[], None], Callable[[], None]]  # pause, resume


class Lane(Protocol):
    """A call's place among the calls of one program: policy stages of two never overlap.

    ``is_abandoned``: whoever made the call has reported its end already, and wants to hear of no other.
    """

    is_abandoned: bool
    open_question: str | None
    """The id of a question to a person that waits for its answer."""

    def policy_ends(self) -> None:
        """The gates are passed; the body begins."""
        ...

    async def commit(self) -> None:
        """Returns when the calls before this one have ended."""
        ...


class Call:
    """The state of one execution, private to the pipeline. ``ExecContext`` is a view of it."""

    __slots__ = (
        "arguments",
        "bodies",
        "caller_signal",
        "children",
        "clocks",
        "deferred",
        "dispatched",
        "entry",
        "execution",
        "failure",
        "is_over",
        "lane",
        "log",
        "logged",
        "pause",
        "root_call_id",
        "scope",
        "settles_abort",
        "signal",
    )

    def __init__(self, execution: "ToolExecution", scope: "ToolScope") -> None:
        self.execution = execution
        self.scope = scope
        self.arguments: JsonValue = None  # never handed out: everybody gets a copy
        self.caller_signal = execution.signal
        self.signal = execution.signal
        parent = execution.parent
        self.root_call_id: str = execution.call_id if parent is None else parent.root_call_id
        self.deferred: list[ContentBlock] = []
        self.clocks: list[Clock] = []
        self.bodies = 0  # dispatches that reached the tool's body
        self.failure: ToolExecutionResult | None = None  # the tool's own, which a later abort keeps
        self.dispatched: ToolExecutionResult | None = None  # what dispatch itself last gave
        self.entry: Entry | None = None  # the tool that was last resolved for it
        self.children: dict[Call, Child] = {}  # calls that its body makes by itself
        self.logged: JsonValue = None  # the log's copy of the arguments
        self.log: SessionLog | None = None
        self.is_over = False
        self.pause: WallPause | None = None  # of the run that the call is
        self.lane: Lane | None = None
        self.settles_abort = False  # the running body ends by itself when its signal fires


class Child:
    """A call that a body makes by itself, and its ties: it stops with its own signal, with the body's, and
    at the latest when the body ends."""

    __slots__ = ("_controller", "_undo", "ended")

    def __init__(self, call: Call, signals: tuple[AbortSignal | None, ...]) -> None:
        self._controller = AbortController()
        self.ended = anyio.Event()
        call.signal = call.caller_signal = self._controller.signal
        self._undo = [
            signal.add_listener(lambda signal=signal: self.abort(signal.reason))
            for signal in signals
            if signal is not None
        ]

    def abort(self, reason: str) -> None:
        self._controller.abort(reason)

    def end(self) -> None:
        for undo in self._undo:
            undo()
        self.ended.set()


class ExecContext:
    """One call, as one listener or the tool's body sees it.

    Every holder has its own view: ``arguments`` is a copy that only this holder can change, and
    changing it changes nothing of the call.
    """

    __slots__ = ("_arguments", "_call", "_has_arguments")

    def __init__(self, call: Call) -> None:
        self._call = call
        self._has_arguments = False
        self._arguments: JsonValue = None

    @property
    def call_id(self) -> str:
        return self._call.execution.call_id

    @property
    def name(self) -> str:
        """The name of the called tool, as the caller wrote it."""
        return self._call.execution.name

    @property
    def arguments(self) -> JsonValue:
        if not self._has_arguments:
            self._arguments, self._has_arguments = copy_known(self._call.arguments), True
        return self._arguments

    @property
    def scope(self) -> "ToolScope":
        """Who calls; the registry itself for a caller without a scope."""
        return self._call.scope

    @property
    def tool(self) -> "ToolDefinition | None":
        """The tool that the name means for the caller now; None if it sees none."""
        return self._call.scope.get(self._call.execution.name)

    @property
    def parent(self) -> "ExecContext | None":
        """The call from whose body this one is made."""
        return self._call.execution.parent

    @property
    def root_call_id(self) -> str:
        """The id of the outermost call: this one's own when nothing is above it."""
        return self._call.root_call_id

    @property
    def is_over(self) -> bool:
        """Whether this call, or one around it, has its result or was given up: from then on nothing can be
        called on its behalf."""
        seen: ExecContext | None = self
        while seen is not None:
            call = seen._call
            if call.is_over or (call.lane is not None and call.lane.is_abandoned):
                return True
            seen = seen.parent
        return False

    @property
    def signal(self) -> AbortSignal:
        """Fires when the call is to stop. A ``tools/execute`` listener may set another for the dispatch
        below it; the caller's own still counts."""
        call = self._call
        if call.signal is None:
            call.signal = call.caller_signal = AbortSignal()
        return call.signal

    @signal.setter
    def signal(self, signal: AbortSignal) -> None:
        self._call.signal = signal

    def add_context(self, context: str | Sequence[ContentBlock]) -> None:
        """Gives the model more to read, after the results of the step: ``additional_context``.

        Raises:
            TypeError: neither a text nor content blocks.
        """
        blocks = as_blocks(context)
        if blocks is None:
            raise TypeError("additional context is a text or content blocks")
        self._call.deferred.extend(blocks)

    def settle_as(self, result: "ToolExecutionResult") -> None:
        """Names how the call has failed, should a cancellation keep a ``tools/execute`` listener from
        returning it: a failure that came before an abort outlives it."""
        if not hasattr(result, "is_error"):
            raise TypeError(f"a call settles as a ToolExecutionResult, not {type(result).__name__}")
        self._call.failure = result

    def begin_child(self, child: Call) -> None:
        """Ties a call that a body makes by itself to the body's end: it is aborted then, and awaited."""
        self._call.children[child] = Child(child, (child.execution.signal, self.signal))

    def end_child(self, child: Call) -> None:
        """The call has its result."""
        ended = self._call.children.pop(child, None)
        if ended is not None:
            ended.end()

    def add_clock(self, pause: Callable[[], None], resume: Callable[[], None]) -> Undo:
        """Names a time limit of this call that is to stand still while somebody waits for a person."""
        clock = (pause, resume)
        self._call.clocks.append(clock)
        return lambda: self._call.clocks.remove(clock)

    def hold_while_asking(self, pause: WallPause) -> Undo:
        """Names the wall budget of the run that this call is: it stands still while somebody waits for a
        person, for as long as the pause allows."""
        self._call.pause = pause
        return self.add_clock(pause.pause, pause.resume)

    @contextmanager
    def waiting_for_person(self) -> Generator[WallPause | None]:
        """Time in this block counts against no tool's timeout, and no run's wall budget: not of this call,
        nor of the calls around it. Gives the approval budget of the nearest run, None outside of runs."""
        clocks: list[Clock] = []
        budget: WallPause | None = None
        seen: ExecContext | None = self
        while seen is not None:
            clocks.extend(seen._call.clocks)
            budget = budget or seen._call.pause
            seen = seen.parent
        for pause, _ in clocks:
            pause()
        try:
            yield budget
        finally:
            for _, resume in clocks:
                resume()
