"""One guest: an instance spoken to through ``wasm/abi.h``. Knows turns and frames, no event loop."""

import ctypes
import time
from collections.abc import Iterator

from . import _abi
from ._abi import Op, State
from ._engine import Engine
from ._wasm import GuestTrapError, TrapCode


class GuestMemoryError(Exception):
    """The guest has no room for what the host wants to give it."""


class Guest:
    """A fresh guest. ``close`` frees it. One thread at a time; any thread."""

    __slots__ = (
        "_engine",
        "_header",
        "_inbox_capacity",
        "_inbox_pointer",
        "_instance",
        "_outbox_length",
        "_outbox_pointer",
        "_read",
        "compute_ns",
        "is_out_of_memory",
        "pending_calls",
        "state",
        "timer_due_ms",
    )

    def __init__(self, engine: Engine, memory_bytes: int) -> None:
        self._engine = engine
        self._instance = engine.instantiate(memory_bytes)
        base = self._instance.base
        self._header = (ctypes.c_char * _abi.EXCHANGE.size).from_address(
            base + engine.exchange_offset
        )
        self._read = 0
        self.compute_ns = 0
        self._load_header()
        version = _abi.EXCHANGE.unpack_from(self._header)[0]
        if version != _abi.ABI_VERSION:
            self.close()
            raise RuntimeError(f"the guest speaks version {version}, not {_abi.ABI_VERSION}")

    def _load_header(self) -> None:
        (
            _,
            _,
            _,
            self._outbox_length,
            _,
            _,
            self.timer_due_ms,
            self.state,
            self._inbox_pointer,
            self._inbox_capacity,
            self._outbox_pointer,
            self.pending_calls,
            flags,
        ) = _abi.EXCHANGE.unpack_from(self._header)
        self.is_out_of_memory = bool(flags & _abi.OUT_OF_MEMORY_FLAG)

    def set_clock(self, wall_ms: float, elapsed_ms: float) -> None:
        """What Date and performance.now say from now on; also while a turn is suspended."""
        _abi.CLOCK.pack_into(self._header, _abi.CLOCK_OFFSET, wall_ms, elapsed_ms)

    def begin(self, op: Op, payload: bytes, wall_ms: float, elapsed_ms: float) -> None:
        """Starts a turn; :meth:`poll` runs it.

        Raises:
            GuestMemoryError: the payload does not fit; the guest is as it was.
            GuestTrapError: the guest died.
        """
        if len(payload) > self._inbox_capacity:
            self._reserve(len(payload))
        if payload:
            ctypes.memmove(self._instance.base + self._inbox_pointer, payload, len(payload))
        self._read = 0
        _abi.TO_GUEST.pack_into(
            self._header, 0, _abi.ABI_VERSION, op, len(payload), 0, wall_ms, elapsed_ms
        )
        self._instance.begin()

    def _reserve(self, length: int) -> None:
        if length >= 1 << 31:
            raise GuestMemoryError
        clock = _abi.CLOCK.unpack_from(self._header, _abi.CLOCK_OFFSET)
        _abi.TO_GUEST.pack_into(self._header, 0, _abi.ABI_VERSION, Op.RESERVE, length, 0, *clock)
        self._instance.begin()
        while not self.poll():  # an allocation: a few microseconds
            pass
        if self.state != State.RESERVED:
            raise GuestMemoryError
        end = self._inbox_pointer + self._inbox_capacity
        if self._inbox_capacity < length or end > self._instance.memory_size():
            raise _abi.ProtocolError("an inbox outside the guest's memory")

    def poll(self) -> bool:
        """Runs the turn for at most a slice; True when it has returned.

        Raises:
            GuestTrapError: the guest died; it must only be closed now.
        """
        ticker = self._engine.ticker
        ticker.enter()
        began = time.thread_time_ns()
        try:
            return self._instance.poll()
        finally:
            self.compute_ns += time.thread_time_ns() - began
            ticker.leave()
            self._load_header()

    def messages(self) -> Iterator[_abi.Message]:
        """The messages since the last call: of a turn that returned, or of one that is suspended.

        Raises:
            ProtocolError: the guest wrote something that is not in the contract.
        """
        length = self._outbox_length
        if length == self._read:
            return iter(())
        start, end = self._outbox_pointer + self._read, self._outbox_pointer + length
        if length < self._read or end > self._instance.memory_size():
            raise _abi.ProtocolError("an outbox outside the guest's memory")
        self._read = length
        data = ctypes.string_at(self._instance.base + start, end - start)
        return _abi.read_frames(data)

    def memory_size(self) -> int:
        return self._instance.memory_size()

    def close(self) -> None:
        self._instance.close()


__all__ = ["Guest", "GuestMemoryError", "GuestTrapError", "TrapCode"]
