"""The binding calls of one run: started as tasks, answered once, ended with the run.

What holds:

- an answer is one settle record; after :meth:`Calls.stop` none is made any more, so a late reply is
  dropped here and can wake nothing;
- whatever a binding raises becomes a rejection, also what is not an ``Exception``: a tool cannot end
  the process (``KeyboardInterrupt``, ``SystemExit``), nor pass for the run's own end (a cancellation of
  its own);
- cancelling is cooperative: each call's task is cancelled once and awaited for a bounded time. A task
  that goes on is left behind; its answer is dropped.
"""

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import anyio

from . import _abi
from ._abi import Settle
from .errors import MOST_MESSAGE_CHARACTERS, BindingError, describe
from .jsonvalue import JsonProblemError, decode_argument, encode_result
from .types import Binding, JsonValue

if TYPE_CHECKING:
    from ._loop import Loop, Task, Wake
    from .limits import Limits

MOST_PATHS_NAMED: Final = 5
HELD_ARGUMENTS: Final = 4
"""Arguments of calls in flight, together, in times of ``argument_bytes``: Python objects are many times
as large as their JSON."""


def _error_payload(message: str, code: str | None = None) -> bytes:
    members = {"message": message} if code is None else {"message": message, "code": code}
    return encode_result(members, depth=4).data


def _rejection(error: BaseException) -> bytes:
    if isinstance(error, (asyncio.CancelledError, anyio.get_cancelled_exc_class())):
        return _error_payload("the call was cancelled")
    message, code = describe(error), None
    if isinstance(error, BindingError):
        with contextlib.suppress(BaseException):  # a subclass may have made anything of them
            message = str.__str__(error.message)
        with contextlib.suppress(BaseException):
            code = str.__str__(error.code) if error.code is not None else None
    return _error_payload(message[: MOST_MESSAGE_CHARACTERS + 1], code)


@dataclass(slots=True)
class _Running:
    name: str
    argument_bytes: int
    task: "Task | None" = None
    has_started: bool = False


class Calls:
    """The calls of one run."""

    __slots__ = (
        "_answers",
        "_functions",
        "_held_bytes",
        "_limits",
        "_loop",
        "_notes",
        "_running",
        "_stopped",
        "_wake",
        "made",
    )

    def __init__(
        self,
        loop: "Loop",
        wake: "Wake",
        limits: "Limits",
        functions: Sequence[tuple[str, Binding]],
    ) -> None:
        """``functions`` are (name, function) in the order of the start record."""
        self._loop = loop
        self._wake = wake
        self._limits = limits
        self._functions = functions
        self._running: dict[int, _Running] = {}
        self._stopped = False
        self._held_bytes = 0
        self._notes: list[str] = []
        self._answers: list[bytes] = []
        self.made = 0

    def start(self, call: _abi.Call) -> None:
        """Starts a call that the guest made.

        Raises:
            ProtocolError: the id is in use, or there is no such function.
        """
        if call.id in self._running or call.function >= len(self._functions):
            raise _abi.ProtocolError("a CALL frame for no function, or with an id in use")
        name, function = self._functions[call.function]
        most = self._limits.argument_bytes * HELD_ARGUMENTS
        if self._running and self._held_bytes + len(call.argument) > most:
            problem = (
                f"{name} was not called: the arguments of the pending calls have more than {most} "
                "bytes of JSON together; await some calls first"
            )
            self._answers.append(_abi.settle_record(call.id, Settle.ERROR, _error_payload(problem)))
            self._wake.set()
            return
        try:
            argument = decode_argument(call.argument)
        except JsonProblemError as error:
            raise _abi.ProtocolError(f"an argument that is {error}") from None
        self.made += 1
        running = self._running[call.id] = _Running(name, len(call.argument))
        self._held_bytes += len(call.argument)
        running.task = self._loop.spawn(self._call(running, call.id, function, argument))

    async def _call(
        self, running: _Running, call_id: int, function: Binding, argument: JsonValue
    ) -> None:
        if self._stopped:  # the run ended before this task's first step
            self._answer(call_id, Settle.UNDEFINED, b"")
            return
        running.has_started = True
        try:
            value: object = function(argument)
            if hasattr(value, "__await__"):  # a plain function has given its result already
                value = await value
        except GeneratorExit as error:  # the tool's, or the loop itself is going down
            with contextlib.suppress(RuntimeError):
                self._answer(call_id, Settle.ERROR, _rejection(error))
        except BaseException as error:  # noqa: BLE001  # see the module's promises
            self._answer(call_id, Settle.ERROR, _rejection(error))
        else:
            self._answer_value(call_id, running.name, value)

    def _answer_value(self, call_id: int, name: str, value: object) -> None:
        if self._stopped:
            self._answer(call_id, Settle.UNDEFINED, b"")
            return
        try:
            encoded = encode_result(value, depth=self._limits.depth)
        except JsonProblemError as error:
            problem = f"{name} gave a result that a program cannot have: {error}"
            self._answer(call_id, Settle.ERROR, _error_payload(problem))
            return
        except BaseException as error:  # noqa: BLE001  # a mapping of the tool's own making
            problem = f"{name} gave a result that cannot be read: {describe(error)}"
            self._answer(call_id, Settle.ERROR, _error_payload(problem))
            return
        if encoded.big_integers:
            self._note_big_integers(name, encoded.big_integers)
        if len(encoded.data) > self._limits.result_bytes:
            problem = (
                f"the result of {name} has {len(encoded.data)} bytes of JSON, more than the limit "
                f"of {self._limits.result_bytes}: ask for less"
            )
            self._answer(call_id, Settle.ERROR, _error_payload(problem))
        else:
            self._answer(call_id, Settle.VALUE, encoded.data)

    def _note_big_integers(self, name: str, paths: list[str]) -> None:
        named = ", ".join(paths[:MOST_PATHS_NAMED])
        more = f" and {len(paths) - MOST_PATHS_NAMED} more" if len(paths) > MOST_PATHS_NAMED else ""
        self._notes.append(
            f"{name}: integers beyond ±(2^53-1) are given as decimal strings: {named}{more}"
        )

    def _answer(self, call_id: int, status: Settle, payload: bytes) -> None:
        running = self._running.pop(call_id, None)
        if running is None:
            return
        self._held_bytes -= running.argument_bytes
        if not self._stopped:
            self._answers.append(_abi.settle_record(call_id, status, payload))
        self._wake.set()

    def take_answers(self) -> list[bytes]:
        """The settle records since the last call, in the order in which the calls ended."""
        answers, self._answers = self._answers, []
        return answers

    def take_notes(self) -> list[str]:
        """What the log should say about the answers."""
        notes, self._notes = self._notes, []
        return notes

    @property
    def running(self) -> int:
        return len(self._running)

    async def stop(self) -> list[str]:
        """Drops every later answer, cancels what runs, and waits for it, at most ``drain_ms``.

        Shielded: a cancellation of the caller does not cut the wait short. Returns the names of the
        functions that are still running and are left behind.
        """
        self._stopped = True
        self._answers.clear()
        for call_id, running in list(self._running.items()):
            if running.task is not None:
                running.task.cancel()
            if not running.has_started:  # nothing of it has run, and nothing will
                del self._running[call_id]
        if self._running:
            deadline = self._loop.time() + self._limits.drain_ms / 1000
            interrupted: asyncio.CancelledError | None = None
            with anyio.CancelScope(shield=True):
                while self._running and self._loop.time() < deadline:
                    try:
                        await self._wake.wait(deadline)
                    except asyncio.CancelledError as error:  # asyncio's own knows no shield
                        interrupted = error
            if interrupted is not None:
                raise interrupted
        return [running.name for running in self._running.values()]


def without_room(answer: bytes) -> bytes:
    """The answer to give instead of one that the guest's memory has no room for."""
    call_id, length = _abi.settled_call(answer), len(answer)
    problem = f"the result has {length} bytes of JSON, more than the program's memory has room for"
    return _abi.settle_record(call_id, Settle.ERROR, _error_payload(problem))
