"""One run on the event loop, from request to result.

The states of a run: *starting* (waits for a sandbox), *computing* (a turn of the guest), *waiting* (for
an answer or a timer), *ending* (settled; bindings are cancelled and awaited), *over*. Abort, budgets,
completion and the caller's cancellation all lead to *ending* once; the cause is what the host saw first
and is never read from what the guest shows.
"""

import math
import os
import threading
import time
from typing import TYPE_CHECKING, Final

from . import _abi, _report
from ._abi import Op, State
from ._calls import Calls, without_room
from ._guest import Guest, GuestMemoryError, GuestTrapError, TrapCode
from ._scheduler import INLINE_SLICES, Place, turn_ns
from .jsonvalue import JsonProblemError, decode_value
from .types import (
    JsonValue,
    LogEntry,
    RunFailure,
    RunRequest,
    RunResult,
    RunStats,
)

if TYPE_CHECKING:
    from ._engine import Engine
    from ._loop import Loop
    from ._scheduler import Scheduler
    from .limits import Limits

NS_PER_MS: Final = 1_000_000
CALLS_A_CYCLE: Final = 200
MOST_NOTE: Final = 400  # characters
MOST_NOTES_BYTES: Final = 4096
SMALL_ANSWER_BYTES: Final = 4096  # refusing a smaller one would not help


class _EndedError(Exception):
    """The run has its failure; unwinds to where it ends."""

    def __init__(self, failure: RunFailure) -> None:
        self.failure = failure


class Run:
    """One run. :meth:`execute` is called once."""

    def __init__(
        self,
        engine: "Engine",
        scheduler: "Scheduler",
        loop: "Loop",
        request: RunRequest,
        limits: "Limits",
    ) -> None:
        self._engine = engine
        self._scheduler = scheduler
        self._loop = loop
        self._request = request
        self._limits = limits
        self._began_s = time.monotonic()  # threads have no loop's clock
        self._began = loop.time()
        self._wake = loop.wake()
        self._place = Place(self._deadline())
        self._to_start: list[_abi.Call] = []
        self._abort_reason: str | None = None
        self._is_ending = False
        self._in_worker = threading.Lock()
        self._virtual_ms = 0.0
        self._logs: list[LogEntry] = []
        self._output_bytes = self._log_bytes = self._notes_bytes = 0
        self._outcome: _abi.Outcome | _abi.Failure | None = None
        self._guest: Guest | None = None
        functions = [item for space in request.bindings for item in _abi.members(space)]
        self._calls = Calls(loop, self._wake, limits, functions)

    def abort(self, reason: str) -> None:
        """Ends the run as ``abort`` as soon as it next looks; on the loop's thread."""
        if self._abort_reason is None:
            self._abort_reason = reason
        self._wake.set()
        self._place.leave()

    async def execute(self) -> RunResult:
        """Runs the program; see ``CodeRuntime.run``."""
        value: JsonValue = None
        has_value, failure = False, None
        peak = compute_ns = 0
        pause = self._request.pause
        undo = pause.on_resume(self._wake.set) if pause is not None else None
        try:
            try:
                self._check_abort()
                program = _abi.encode_text(self._request.program)
                self._check_source(program)
                self._guest = Guest(self._engine, self._limits.memory_bytes)
                await self._drive(program)
                value, has_value = self._value()
            except _EndedError as ended:
                failure = ended.failure
            except GuestMemoryError:
                failure = _report.out_of_memory()
            except GuestTrapError as trap:
                failure = self._trap_failure(trap.code)
            except _abi.ProtocolError as error:
                failure = RunFailure(
                    kind="worker-exit", message=f"the sandbox broke its protocol: {error}"
                )
        finally:
            self._is_ending = True
            if undo is not None:
                undo()
            if self._guest is not None:
                # A cancelled task may leave its worker in the guest; that ends with the slice.
                with self._in_worker:
                    peak, compute_ns = self._guest.memory_size(), self._guest.compute_ns
                    self._guest.close()
            for name in await self._calls.stop():
                self._log_runtime(
                    f"{name} did not stop within {self._limits.drain_ms:g} ms of its cancellation "
                    "and was left running; its result is dropped"
                )
        return RunResult(
            value=value,
            has_value=has_value,
            logs=tuple(self._logs),
            error=failure,
            stats=RunStats(
                compute_ms=compute_ns / NS_PER_MS,
                wall_ms=self._wall_ms(),
                paused_ms=self._paused_ms(),
                peak_memory_bytes=peak,
                calls=self._calls.made,
                output_bytes=self._output_bytes,
            ),
        )

    # --- the guest's turns

    async def _drive(self, program: bytes) -> None:
        request = self._request
        seed = request.seed if request.seed is not None else int.from_bytes(os.urandom(8), "little")
        record = _abi.start_record(
            seed=seed, limits=self._limits, namespaces=request.bindings, program=program
        )
        state = await self._turn(Op.START, record)
        while state != State.DONE:
            answers = await self._wait()
            state = await (self._settle(answers) if answers else self._turn(Op.TIMERS, b""))
        if self._outcome is None:
            raise _abi.ProtocolError("the guest was done without a result")

    async def _settle(self, answers: list[bytes]) -> int:
        while True:
            try:
                return await self._turn(Op.SETTLE, b"".join(answers))
            except GuestMemoryError:
                largest = max(range(len(answers)), key=lambda at: len(answers[at]))
                if len(answers[largest]) < SMALL_ANSWER_BYTES:
                    raise
                answers[largest] = without_room(answers[largest])

    async def _turn(self, op: Op, payload: bytes) -> int:
        guest = self._require_guest()
        guest.begin(op, payload, *self._clock())
        if not await self._compute_inline(guest):
            while not await self._scheduler.work(self._work, self._place, guest.compute_ns):
                await self._take_messages(guest)
                self._check_abort()
                self._check_budgets(guest)
                self._place.deadline = self._deadline()
        await self._take_messages(guest)
        self._check_abort()
        return guest.state

    async def _compute_inline(self, guest: Guest) -> bool:
        for count in range(INLINE_SLICES):
            if count and self._scheduler.is_crowded:
                break
            await self._scheduler.enter_inline()
            began = time.perf_counter_ns()
            is_done = guest.poll()
            self._scheduler.spent_inline(began)
            if is_done:
                return True
            await self._take_messages(guest)
            await self._loop.checkpoint()
            self._check_abort()
            self._check_budgets(guest)
            guest.set_clock(*self._clock())
        return False

    def _work(self) -> bool:
        """A turn on a worker thread. True when the guest's turn is over."""
        guest = self._require_guest()
        end = time.perf_counter_ns() + turn_ns(guest.compute_ns)
        most_ns = self._limits.compute_ms * NS_PER_MS
        with self._in_worker:
            while not self._is_ending and self._abort_reason is None:
                guest.set_clock(*self._clock())
                if guest.poll():
                    return True
                if time.perf_counter_ns() >= end or guest.compute_ns > most_ns:
                    break
        return False

    def _require_guest(self) -> Guest:
        assert self._guest is not None
        return self._guest

    def _clock(self) -> tuple[float, float]:
        """The program's clocks: since 1970, and since the run began; in milliseconds."""
        if self._request.clock_ms is not None:
            return self._request.clock_ms + self._virtual_ms, self._virtual_ms
        return time.time() * 1000, self._elapsed_ms()

    def _elapsed_ms(self) -> float:
        return (time.monotonic() - self._began_s) * 1000

    # --- what ends a run

    def _check_abort(self) -> None:
        signal = self._request.signal
        if self._abort_reason is None and signal is not None and signal.aborted:
            self._abort_reason = signal.reason
        if self._abort_reason is not None:
            raise _EndedError(RunFailure(kind="abort", message=self._abort_reason or "aborted"))

    def _deadline(self) -> float:
        """When the wall budget ends, on the loop's clock, if nothing changes."""
        pause = self._request.pause
        held = 0.0 if pause is None else pause.longest_s
        return self._began + self._limits.wall_ms / 1000 + held

    def _wall_ms(self) -> float:
        """What the run has used of its wall budget; without a pause, finer than some loops' clocks."""
        paused_ms = self._paused_ms()
        if not paused_ms:
            return self._elapsed_ms()
        return (self._loop.time() - self._began) * 1000 - paused_ms

    def _paused_ms(self) -> float:
        pause = self._request.pause
        return 0.0 if pause is None else pause.spent_s * 1000

    def _check_budgets(self, guest: Guest) -> None:
        if guest.compute_ns > self._limits.compute_ms * NS_PER_MS:
            raise _EndedError(_report.timeout("compute", self._limits.compute_ms))
        if self._loop.time() >= self._deadline():
            raise _EndedError(_report.timeout("wall", self._limits.wall_ms))

    def _check_source(self, program: bytes) -> None:
        if len(program) > self._limits.source_bytes:
            raise _EndedError(
                RunFailure(
                    kind="exception",
                    message=f"the program has {len(program)} bytes, more than the limit of "
                    f"{self._limits.source_bytes}: pass data through calls, not in the text",
                )
            )

    def _trap_failure(self, code: TrapCode) -> RunFailure:
        if self._guest is not None and self._guest.is_out_of_memory:
            return _report.out_of_memory()
        if code in (TrapCode.STACK_OVERFLOW, TrapCode.MEMORY_OUT_OF_BOUNDS):
            return RunFailure(
                kind="exception",
                name="RangeError",
                message="RangeError: the program's recursion or nesting is too deep",
            )
        return RunFailure(
            kind="worker-exit", message=f"the sandbox died: {code.name.lower().replace('_', ' ')}"
        )

    # --- waiting

    async def _wait(self) -> list[bytes]:
        """Answers to settle, or nothing: then a timer is due."""
        guest = self._require_guest()
        is_virtual = self._request.clock_ms is not None
        while True:
            self._check_abort()
            for note in self._calls.take_notes():
                self._log_runtime(note)
            answers = self._calls.take_answers()
            if answers:
                return answers
            now, deadline = self._loop.time(), self._deadline()
            if now >= deadline:
                raise _EndedError(_report.timeout("wall", self._limits.wall_ms))
            due = math.inf
            if guest.timer_due_ms >= 0:
                elapsed_ms = self._virtual_ms if is_virtual else self._elapsed_ms()
                due = now + (guest.timer_due_ms - elapsed_ms) / 1000
                if due <= now:
                    self._virtual_ms = max(self._virtual_ms, guest.timer_due_ms)
                    return []
            elif not self._calls.running:
                raise _abi.ProtocolError("the guest waits for nothing")
            await self._wake.wait(min(due, deadline))
            if is_virtual and self._loop.time() >= due:
                self._virtual_ms = max(self._virtual_ms, guest.timer_due_ms)

    # --- what comes out

    async def _take_messages(self, guest: Guest) -> None:
        """Logs, starts calls, keeps the outcome. Many calls are started over several loop cycles."""
        self._read_messages(guest)
        calls, self._to_start = self._to_start, []
        for count, call in enumerate(calls, start=1):
            self._calls.start(call)
            if count % CALLS_A_CYCLE == 0:
                await self._loop.checkpoint()
                self._check_abort()

    def _read_messages(self, guest: Guest) -> None:
        for message in guest.messages():
            if self._outcome is not None:
                raise _abi.ProtocolError("a frame after the result")
            if isinstance(message, _abi.Call):
                self._to_start.append(message)
            elif isinstance(message, LogEntry):
                self._log(message)
            else:
                self._outcome = message

    def _log_runtime(self, text: str) -> None:
        """A note of the host's own: at most MOST_NOTES_BYTES in all, on top of the program's log."""
        if self._notes_bytes > MOST_NOTES_BYTES:
            return
        text = text[:MOST_NOTE]
        self._notes_bytes += len(_abi.encode_text(text))
        if self._notes_bytes > MOST_NOTES_BYTES:
            text = "more notes of the runtime are left out"
        self._keep_log(LogEntry(source="runtime", level="warn", text=text))

    def _log(self, entry: LogEntry) -> None:
        self._log_bytes += len(_abi.encode_text(entry.text))
        if self._log_bytes > self._limits.log_bytes + MOST_NOTES_BYTES:
            raise _abi.ProtocolError("more log than the limit allows")
        self._keep_log(entry)

    def _keep_log(self, entry: LogEntry) -> None:
        self._output_bytes += len(_abi.encode_text(entry.text))
        self._logs.append(entry)
        if self._request.on_log is not None:
            self._request.on_log(entry)

    def _value(self) -> tuple[JsonValue, bool]:
        outcome = self._outcome
        if isinstance(outcome, _abi.Failure):
            names = {
                space.name: [name for name, _ in _abi.members(space)]
                for space in self._request.bindings
            }
            raise _EndedError(_report.failure_of(outcome, self._request.program, names))
        assert outcome is not None
        if outcome.value is None:
            return None, False
        if len(outcome.value) > self._limits.value_bytes:
            raise _abi.ProtocolError("a completion value over its limit")
        self._output_bytes += len(outcome.value)
        try:
            return decode_value(outcome.value), True
        except JsonProblemError as error:
            raise _abi.ProtocolError(f"a completion value that is {error}") from None
