"""The engine: the compiled guest, its cache, and the clock that ends slices.

One engine serves one runtime. Its module is compiled by Cranelift once per user and kept in a private
cache; its ticker thread advances the epoch while a guest runs, and sleeps while none does.
"""

import hashlib
import os
import platform
import stat
import tempfile
import threading
import time
from importlib.resources import files
from pathlib import Path
from typing import Final

import wasmtime

from . import _wasm
from .errors import RuntimeUnavailableError

TICK_S: Final = 0.002
"""The length of a slice: how long a guest runs before the host looks at it."""

IDLE_S: Final = 0.05
"""The ticker sleeps after this long without a running guest."""

STACK_BYTES: Final = 32 << 20
"""WebAssembly's own stack. The guest's engine stops recursion by its shadow stack (2 MiB) long before;
this is how much the widest known recursion needs there, many times over."""

KEEP_BYTES: Final = 4 << 20
"""Of a freed memory; covers what a small run touches: the shadow stack, the snapshot, some heap."""


def cache_folder() -> Path:
    """The user's cache of compiled guests: ``CODEMODE_CACHE_DIR``, or the platform's place."""
    root = os.environ.get("CODEMODE_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "codemode" / "compiled"


def guest_bytes() -> bytes:
    try:
        return files(__package__ or "codemode.runtime").joinpath("guest.wasm").read_bytes()
    except FileNotFoundError:
        raise RuntimeUnavailableError(
            "guest.wasm is missing from the installation. In a checkout, install the project "
            "(pip install -e .) or run: python wasm/guest_build.py"
        ) from None


def _cpu() -> str:
    """What decides which instructions Cranelift may use here."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line for line in lines if line.startswith(("flags", "Features"))), "")


def _config(instances: int) -> wasmtime.Config:
    config = wasmtime.Config()
    config.epoch_interruption = True
    config.cranelift_opt_level = "speed"
    config.memory_may_move = False
    for unused in ("wasm_threads", "shared_memory", "wasm_memory64", "wasm_relaxed_simd"):
        setattr(config, unused, False)
    _wasm.set_stack(config, STACK_BYTES)
    _wasm.pool_instances(config, instances=instances, keep_bytes=KEEP_BYTES)
    return config


def _is_private(path: Path) -> bool:
    """Only this user can have written it: a compiled module is trusted like our own code."""
    try:
        status = path.stat()
    except OSError:
        return False
    if os.name != "posix":
        return True
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _cache_file(guest: bytes) -> Path | None:
    """Where the compiled guest is or goes; None if there is no private place for it."""
    key = hashlib.sha256(guest)
    library = Path(_wasm.LIBRARY).stat()  # Wasmtime's version has no cheaper name than its library
    for part in (library.st_size, library.st_mtime_ns, platform.machine(), _cpu(), STACK_BYTES):
        key.update(f"\0{part}".encode())
    try:
        folder = cache_folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.name == "posix" and folder.stat().st_uid == os.getuid():
            folder.chmod(0o700)
    except (OSError, RuntimeError):  # RuntimeError: this user has no home
        return None
    return folder / f"{key.hexdigest()[:40]}.cwasm" if _is_private(folder) else None


def _store_compiled(path: Path, data: bytes) -> None:
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:  # mode 0600
            file.write(data)
        Path(file.name).replace(path)
    except OSError:
        pass  # a full or read-only disk costs the next start half a second, nothing else


def _load(engine: wasmtime.Engine) -> wasmtime.Module:
    guest = guest_bytes()
    path = _cache_file(guest)
    if path is not None and _is_private(path):
        try:
            return wasmtime.Module.deserialize_file(engine, str(path))
        except wasmtime.WasmtimeError:
            pass  # a damaged file, or another Wasmtime's: compile again
    module = wasmtime.Module(engine, guest)
    if path is not None:
        _store_compiled(path, bytes(module.serialize()))
    return module


class _Ticker:
    """The thread that advances the epoch.

    Guarantee: while a thread is between ``enter`` and ``leave``, the epoch advances each TICK_S or so.
    The race between falling asleep and a new ``enter`` is closed by order: ``enter`` writes its mark
    first and looks at ``_asleep`` then; the ticker sets ``_asleep`` first and looks at the marks then.
    """

    def __init__(self, engine: wasmtime.Engine) -> None:
        self._keep = engine  # the thread may outlive everybody else who holds it
        self._engine = _wasm.address_of(engine.ptr())
        self._running: dict[int, int] = {}  # threads in a guest
        self._last_s = 0.0
        self._asleep = True
        self._closed = False
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None

    def enter(self) -> None:
        self._running[threading.get_ident()] = 1
        if self._asleep:
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._tick, name="codemode-epoch", daemon=True
                )
                self._thread.start()
            self._wake.set()

    def leave(self) -> None:
        self._last_s = time.monotonic()
        self._running.pop(threading.get_ident(), None)

    def _tick(self) -> None:
        while not self._closed:
            self._asleep = False
            while self._running or time.monotonic() - self._last_s < IDLE_S:
                time.sleep(TICK_S)
                if self._closed:
                    return
                _wasm.increment_epoch(self._engine)
            self._asleep = True
            self._wake.clear()
            if self._running or self._closed:
                continue
            self._wake.wait()

    def stop(self) -> None:
        """Ends the thread soon; from any thread, also from a finaliser."""
        self._closed = True
        self._wake.set()

    def close(self) -> None:
        """Ends the thread and waits for it."""
        self.stop()
        if self._thread is not None:
            self._thread.join()


class Engine:
    """A compiled guest, ready to be instantiated. ``close`` frees it; no instance may outlive it."""

    def __init__(self, *, instances: int) -> None:
        """Compiles the guest, or loads it from the cache.

        Raises:
            RuntimeUnavailableError: there is no guest, or not enough address space.
        """
        try:
            self._engine = wasmtime.Engine(_config(instances))
            self._module = _load(self._engine)
        except wasmtime.WasmtimeError as error:
            raise RuntimeUnavailableError(
                f"Wasmtime cannot start: {error}. Each of {instances} sandboxes needs address space; "
                "a smaller max_runs needs less."
            ) from error
        names = [item.name for item in self._module.exports]
        self._memory_index, self._turn_index = names.index("memory"), names.index("turn")
        self._template = wasmtime.Linker(self._engine).instantiate_pre(self._module)
        self._address = _wasm.address_of(self._engine.ptr())
        self._template_address = _wasm.address_of(self._template.ptr())
        self.exchange_offset = self._find_exchange()
        self.ticker = _Ticker(self._engine)

    def _find_exchange(self) -> int:
        """The address of the guest's ``struct exchange``: the same in each instance of a snapshot."""
        store = wasmtime.Store(self._engine)
        store.set_epoch_deadline(1 << 32)
        function = self._template.instantiate(store).exports(store)["exchange"]
        assert isinstance(function, wasmtime.Func)
        offset = function(store)
        store.close()
        assert isinstance(offset, int)
        return offset

    def instantiate(self, memory_bytes: int) -> _wasm.Instance:
        """A fresh instance; its owner closes it.

        Raises:
            _wasm.NoSlotError: the pool is used up.
        """
        return _wasm.Instance(
            self._address,
            self._template_address,
            memory_bytes=memory_bytes,
            memory_index=self._memory_index,
            turn_index=self._turn_index,
        )

    def close(self) -> None:
        self.ticker.close()
        self._template.close()
        self._module.close()
        self._engine.close()
