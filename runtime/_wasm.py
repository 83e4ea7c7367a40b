"""The part of Wasmtime's C API that a run needs, with a typed surface.

The only module that touches ``wasmtime``'s raw bindings. It exists because wasmtime-py has no fibers
(calls that yield on an epoch and go on later), and because one of its checked calls costs more than a
whole host call may. Each object says who frees it, and a closed one raises.

Calls that can run guest code or free much release the GIL; the short ones keep it (PyDLL), since a
hand-over costs more than they do. No callback is ever given to the library, so nothing of ours runs
under a WebAssembly frame.
"""

import ctypes
from ctypes import POINTER, byref, c_bool, c_int64, c_size_t, c_uint8, c_uint64, c_void_p
from enum import IntEnum
from typing import Any, Final, cast

import wasmtime
from wasmtime import _ffi as ffi  # pyright: ignore[reportPrivateUsage]  # no public door to fibers

LIBRARY: Final = str(ffi.filename)
"""Where Wasmtime's shared library is."""

_shared: Final[ctypes.CDLL] = cast("Any", ffi).dll
_quick: Final = ctypes.PyDLL(None, handle=_shared._handle)  # pyright: ignore[reportPrivateUsage]


def _function(
    library: ctypes.CDLL, name: str, result: Any, *arguments: Any
) -> Any:  # ctypes' own function objects have no static type
    function = library[name]  # a fresh object: wasmtime-py's own prototypes stay as they are
    function.restype = result
    function.argtypes = arguments
    return function


_store_new = _function(_quick, "wasmtime_store_new", c_void_p, c_void_p, c_void_p, c_void_p)
_store_context = _function(_quick, "wasmtime_store_context", c_void_p, c_void_p)
_store_limiter = _function(
    _quick, "wasmtime_store_limiter", None, c_void_p, c_int64, c_int64, c_int64, c_int64, c_int64
)
_store_delete = _function(_shared, "wasmtime_store_delete", None, c_void_p)
# The header says that this returns an error; the library's function returns nothing (50.0.1).
_yield_on_epoch = _function(
    _quick,
    "wasmtime_context_epoch_deadline_async_yield_and_update",
    None,
    c_void_p,
    c_uint64,
)
_set_deadline = _function(_quick, "wasmtime_context_set_epoch_deadline", None, c_void_p, c_uint64)
_instantiate = _function(
    _shared, "wasmtime_instance_pre_instantiate", c_void_p, c_void_p, c_void_p, c_void_p, c_void_p
)
_export_nth = _function(
    _quick,
    "wasmtime_instance_export_nth",
    c_bool,
    c_void_p,
    c_void_p,
    c_size_t,
    c_void_p,
    c_void_p,
    c_void_p,
)
_memory_data = _function(_quick, "wasmtime_memory_data", c_void_p, c_void_p, c_void_p)
_memory_size = _function(_quick, "wasmtime_memory_data_size", c_size_t, c_void_p, c_void_p)
_call_async = _function(
    _quick,
    "wasmtime_func_call_async",
    c_void_p,
    c_void_p,
    c_void_p,
    c_void_p,
    c_size_t,
    c_void_p,
    c_size_t,
    c_void_p,
    c_void_p,
)
_future_poll = _function(_shared, "wasmtime_call_future_poll", c_bool, c_void_p)
_future_delete = _function(_shared, "wasmtime_call_future_delete", None, c_void_p)
_increment_epoch = _function(_quick, "wasmtime_engine_increment_epoch", None, c_void_p)
_trap_code = _function(_quick, "wasmtime_trap_code", c_bool, c_void_p, POINTER(c_uint8))
_trap_delete = _function(_quick, "wasm_trap_delete", None, c_void_p)
_error_delete = _function(_quick, "wasmtime_error_delete", None, c_void_p)


class TrapCode(IntEnum):
    """Why the guest died, as Wasmtime numbers it (``wasmtime_trap_code_enum``)."""

    STACK_OVERFLOW = 0
    MEMORY_OUT_OF_BOUNDS = 1
    HEAP_MISALIGNED = 2
    TABLE_OUT_OF_BOUNDS = 3
    INDIRECT_CALL_TO_NULL = 4
    BAD_SIGNATURE = 5
    INTEGER_OVERFLOW = 6
    INTEGER_DIVISION_BY_ZERO = 7
    BAD_CONVERSION_TO_INTEGER = 8
    UNREACHABLE = 9
    INTERRUPT = 10
    UNKNOWN = 255


class GuestTrapError(Exception):
    """The guest died. Its instance must not be entered again."""

    def __init__(self, code: TrapCode) -> None:
        super().__init__(code.name)
        self.code = code


class NoSlotError(Exception):
    """The pool has no room for another instance."""


def pool_instances(config: wasmtime.Config, *, instances: int, keep_bytes: int) -> None:
    """Makes ``config`` take memories, tables and stacks from pools of ``instances`` each.

    ``keep_bytes`` of a freed memory stay resident and are reset by copying, so that the next instance
    meets no page fault.
    """
    pool = cast("Any", ffi).wasmtime_pooling_allocation_config_new()
    for setter in (
        ffi.wasmtime_pooling_allocation_config_total_memories_set,
        ffi.wasmtime_pooling_allocation_config_total_core_instances_set,
        ffi.wasmtime_pooling_allocation_config_total_tables_set,
        ffi.wasmtime_pooling_allocation_config_total_stacks_set,
    ):
        setter(pool, instances)
    ffi.wasmtime_pooling_allocation_config_max_memory_size_set(pool, 1 << 32)
    ffi.wasmtime_pooling_allocation_config_linear_memory_keep_resident_set(pool, keep_bytes)
    ffi.wasmtime_pooling_allocation_config_table_keep_resident_set(pool, 1 << 16)
    ffi.wasmtime_pooling_allocation_config_async_stack_keep_resident_set(pool, 1 << 16)
    ffi.wasmtime_pooling_allocation_strategy_set(config.ptr(), pool)
    ffi.wasmtime_pooling_allocation_config_delete(pool)


def set_stack(config: wasmtime.Config, stack_bytes: int) -> None:
    """Gives guest code ``stack_bytes`` of WebAssembly stack, on fibers with some room above it."""
    config.max_wasm_stack = stack_bytes
    ffi.wasmtime_config_async_stack_size_set(config.ptr(), stack_bytes + (1 << 20))


def address_of(pointer: Any) -> int:
    """The address in one of wasmtime-py's pointers."""
    return ctypes.cast(pointer, c_void_p).value or 0


def increment_epoch(engine: int) -> None:
    _increment_epoch(engine)


def _message(error: int) -> str:
    owned = ctypes.cast(error, POINTER(ffi.wasmtime_error_t))
    return str(wasmtime.WasmtimeError._from_ptr(owned))  # pyright: ignore[reportPrivateUsage]


class Instance:
    """One instance of a module in a store of its own, entered through one export without arguments.

    The instance owns the store; ``close`` frees both, also while a call is suspended. It may be used
    from any thread, by one at a time.
    """

    __slots__ = ("_call", "_context", "_error", "_memory", "_store", "_trap", "_turn", "base")

    def __init__(
        self, engine: int, template: int, *, memory_bytes: int, memory_index: int, turn_index: int
    ) -> None:
        """Instantiates.

        Args:
            engine: the engine's address.
            template: the address of a pre-linked instance.
            memory_bytes: the limit of its memory.
            memory_index: the position of the memory among the module's exports.
            turn_index: the position of the function that :meth:`begin` calls.

        Raises:
            NoSlotError: the pool is used up, or the limit is below the module's own memory.
        """
        self._call: int | None = None
        self._store: int | None = _store_new(engine, None, None)
        self._context: int = _store_context(self._store)
        _store_limiter(self._store, memory_bytes, -1, 1, 1, 1)
        handle = ffi.wasmtime_instance_t()
        self._trap = c_void_p()
        self._error = c_void_p()
        error = _instantiate(template, self._context, byref(handle), byref(self._trap))
        if error:
            self.close()
            raise NoSlotError(_message(error))
        _yield_on_epoch(self._context, 1)
        self._memory = ffi.wasmtime_memory_t.from_buffer_copy(
            self._export(handle, memory_index).of.memory
        )
        self._turn = ffi.wasmtime_func_t.from_buffer_copy(self._export(handle, turn_index).of.func)
        self.base: int = _memory_data(self._context, byref(self._memory))

    def _export(self, handle: Any, index: int) -> Any:
        name, length, item = c_void_p(), c_size_t(), ffi.wasmtime_extern_t()
        found = _export_nth(
            self._context, byref(handle), index, byref(name), byref(length), byref(item)
        )
        if not found:
            raise IndexError(f"the module has no export {index}")
        return item

    def memory_size(self) -> int:
        """Bytes of linear memory; it never shrinks. The memory itself is at ``base`` and never moves."""
        return _memory_size(self._context, byref(self._memory))

    def begin(self) -> None:
        """Starts a call of the export; :meth:`poll` runs it."""
        if self._store is None:
            raise ValueError("the instance is closed")
        _set_deadline(self._context, 1)
        self._call = _call_async(
            self._context,
            byref(self._turn),
            None,
            0,
            None,
            0,
            byref(self._trap),
            byref(self._error),
        )

    def poll(self) -> bool:
        """Runs the call until it returns (True) or the epoch ends its slice (False).

        Raises:
            GuestTrapError: the guest died.
        """
        if self._call is None:
            raise ValueError("no call is running")
        if not _future_poll(self._call):
            return False
        _future_delete(self._call)
        self._call = None
        if self._trap.value or self._error.value:
            raise GuestTrapError(self._take_trap())
        return True

    def _take_trap(self) -> TrapCode:
        code = c_uint8(TrapCode.UNKNOWN)
        if self._trap.value:
            if not _trap_code(self._trap, byref(code)):
                code = c_uint8(TrapCode.UNKNOWN)
            _trap_delete(self._trap)
        if self._error.value:
            _error_delete(self._error)
        self._trap, self._error = c_void_p(), c_void_p()
        try:
            return TrapCode(code.value)
        except ValueError:
            return TrapCode.UNKNOWN

    def close(self) -> None:
        """Frees the instance; a suspended call ends without a trap. A second call does nothing."""
        if self._call is not None:
            _future_delete(self._call)
            self._call = None
        if self._store is not None:
            _store_delete(self._store)
            self._store = None
