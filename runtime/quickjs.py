"""The QuickJS-on-Wasmtime backend of the seam."""

import contextlib
import warnings
from collections.abc import Sequence
from typing import Final, Self

import anyio
import anyio.lowlevel

from . import _loop
from ._engine import Engine
from ._names import check_namespaces
from ._run import Run
from ._scheduler import Scheduler
from .abort import AbortSignal
from .errors import InvalidRequestError, RuntimeClosedError
from .limits import Limits
from .pause import WallPause
from .types import BindingNamespace, RunFailure, RunRequest, RunResult

DEFAULT_MAX_RUNS: Final = 500
LARGEST_DATE_MS: Final = 8.64e15


class QuickJSRuntime:
    """Runs TypeScript programs in QuickJS, each in a fresh WebAssembly instance.

    One runtime serves one event loop at a time (asyncio or trio, on any thread), and any number of
    runs on it; at most ``max_runs`` have a sandbox at one time, the others wait for one, in order and
    before their clock starts. Use it as an async context manager, or call :meth:`aclose`.

    Args:
        limits: of each run, unless its request has its own.
        max_runs: sandboxes at one time. Each needs 4 GiB of address space (not memory).
        workers: threads that long computations run on; by default one per core.
        worker_niceness: steps of Unix' nice by which those threads come after the rest of the process
            (and of the machine), so that they take no core from the loop. Linux only.

    Raises:
        InvalidRequestError: ``max_runs`` or ``workers`` is not a positive whole number, or
            ``worker_niceness`` is not in 0 to 19.
        RuntimeUnavailableError: the guest is missing, or Wasmtime cannot start here.
    """

    def __init__(
        self,
        *,
        limits: Limits | None = None,
        max_runs: int = DEFAULT_MAX_RUNS,
        workers: int | None = None,
        worker_niceness: int = 0,
    ) -> None:
        if limits is not None and not isinstance(limits, Limits):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidRequestError(f"limits must be a Limits, not {limits!r}")
        for name, value in (("max_runs", max_runs), ("workers", workers)):
            if value is None and name == "workers":
                continue
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InvalidRequestError(f"{name} must be a whole number from 1, not {value!r}")
        if isinstance(worker_niceness, bool) or worker_niceness not in range(20):
            raise InvalidRequestError(f"worker_niceness must be 0 to 19, not {worker_niceness!r}")
        self._niceness = worker_niceness
        self._limits = limits or Limits()
        self._workers = workers
        self._max_runs = max_runs
        self._engine: Engine | None = Engine(instances=max_runs)
        self._runs: set[Run] = set()
        self._waiting = 0
        self._loop: _loop.Loop | None = None
        self._loop_token: object = None
        self._scheduler: Scheduler | None = None
        self._slots: anyio.Semaphore | None = None
        self._closed = False
        self._is_idle: anyio.Event | None = None

    @property
    def language(self) -> str:
        return "typescript"

    @property
    def isolation(self) -> str:
        return "wasm"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def run(self, request: RunRequest) -> RunResult:
        """Runs one program to its end; see ``CodeRuntime.run``.

        Raises:
            InvalidRequestError: the request cannot be run as it is, or runs of another event loop are
                still in flight.
            RuntimeClosedError: the runtime was closed.
        """
        if self._closed or self._engine is None:
            raise RuntimeClosedError("the runtime is closed: make a new one")
        limits = _check(request) or self._limits
        signal = request.signal
        if signal is not None and signal.aborted:
            return _aborted(signal)
        loop, scheduler, slots = self._bind()
        self._waiting += 1
        try:
            if not await _acquire(slots, signal):
                return _aborted(signal)
            try:
                if self._closed:
                    return RunResult(error=RunFailure(kind="abort", message="runtime closed"))
                return await self._execute(
                    Run(self._engine, scheduler, loop, request, limits), signal
                )
            finally:
                slots.release()
        finally:
            self._waiting -= 1
            if self._waiting == 0 and self._is_idle is not None:
                self._is_idle.set()

    async def _execute(self, run: Run, signal: AbortSignal | None) -> RunResult:
        undo = None
        if signal is not None:
            undo = signal.add_listener(lambda: run.abort(signal.reason))
        self._runs.add(run)
        try:
            return await run.execute()
        finally:
            self._runs.discard(run)
            if undo is not None:
                undo()

    def _bind(self) -> tuple[_loop.Loop, Scheduler, anyio.Semaphore]:
        token = anyio.lowlevel.current_token()
        if self._loop is None or self._loop_token != token or self._scheduler is None:
            if self._waiting:
                raise InvalidRequestError(
                    "this runtime has runs on another event loop: make a runtime for each loop"
                )
            self._loop_token = token
            if self._scheduler is not None:
                self._scheduler.close()
            self._loop = _loop.current()
            self._scheduler = Scheduler(self._loop, self._workers, self._niceness)
            self._slots = anyio.Semaphore(self._max_runs, fast_acquire=True)
        assert self._slots is not None
        return self._loop, self._scheduler, self._slots

    def __del__(self) -> None:
        engine = getattr(self, "_engine", None)
        if engine is not None:
            engine.ticker.stop()
            warnings.warn(f"{self!r} was not closed", ResourceWarning, stacklevel=1)

    async def aclose(self) -> None:
        """Ends every run in flight as ``abort``, waits for them, and frees the engine.

        A second call does nothing. If the wait is cancelled the runs end all the same; call again.
        """
        self._closed = True
        for run in list(self._runs):
            run.abort("runtime closed")
        if self._waiting:
            if self._is_idle is None:
                self._is_idle = anyio.Event()
            await self._is_idle.wait()
        if self._scheduler is not None:
            self._scheduler.close()
        if self._engine is not None:
            engine, self._engine = self._engine, None
            engine.close()


def _aborted(signal: AbortSignal | None) -> RunResult:
    reason = signal.reason if signal is not None else ""
    return RunResult(error=RunFailure(kind="abort", message=reason or "aborted"))


async def _acquire(slots: anyio.Semaphore, signal: AbortSignal | None) -> bool:
    """Takes a sandbox's slot; False if the signal fires first."""
    with contextlib.suppress(anyio.WouldBlock):
        slots.acquire_nowait()
        return True
    with anyio.CancelScope() as scope:
        undo = signal.add_listener(scope.cancel) if signal is not None else None
        try:
            await slots.acquire()
        finally:
            if undo is not None:
                undo()
    return not scope.cancelled_caught


def _check(request: RunRequest) -> Limits | None:
    """Refuses what is not a request; gives its limits."""
    if not isinstance(request, RunRequest):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidRequestError(f"run takes a RunRequest, not {type(request).__name__}")
    _check_type("program", request.program, str)
    _check_type("signal", request.signal, AbortSignal | None)
    _check_type("limits", request.limits, Limits | None)
    _check_type("seed", request.seed, int | None)
    _check_type("clock_ms", request.clock_ms, int | float | None)
    _check_type("pause", request.pause, WallPause | None)
    if request.clock_ms is not None and not abs(request.clock_ms) <= LARGEST_DATE_MS:
        raise InvalidRequestError(
            f"clock_ms must be a time that Date knows, not {request.clock_ms!r}"
        )
    if request.on_log is not None and not callable(request.on_log):
        raise InvalidRequestError("on_log must be callable")
    _check_type("bindings", request.bindings, Sequence)
    for space in request.bindings:
        _check_type("a binding", space, BindingNamespace)
    check_namespaces(request.bindings)
    return request.limits


def _check_type(what: str, value: object, wanted: type | object) -> None:
    if not isinstance(value, wanted):  # type: ignore[arg-type]  # a class or a union of classes
        raise InvalidRequestError(f"{what} must be a {wanted}, not {value!r}")
