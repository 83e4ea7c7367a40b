"""The eraser of wasm/erase in a small WebAssembly module of its own, compiled on demand.

The compiler flags are those of the guest. The product is kept in the user's cache, by a hash of all
its inputs, so it is built once.
"""

import hashlib
import importlib.util
import os
import runpy
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from pathlib import Path
from typing import Final, cast

import wasmtime

HERE: Final = Path(__file__).resolve().parent
WASM: Final = HERE.parents[2] / "wasm"
SOURCES: Final = WASM / "erase"
REACTOR: Final = HERE / "reactor.c"
EXPORTS: Final = ("alloc", "ration", "live", "run", "done")
FUEL: Final = 1 << 50
MAX_WASM_STACK: Final = 1_900_000  # a little less than the most that Wasmtime allows


class Unavailable(Exception):
    """Something that the oracle needs is not installed here; the message says what."""


class Status(IntEnum):
    OK = 0
    SYNTAX = 1
    REFUSED = 2
    NO_MEMORY = 3


class Shape(IntEnum):
    EMPTY = 0
    BODY = 1
    EXPRESSION = 2


class Last(IntEnum):
    NONE = 0
    EXPRESSION = 1
    FUNCTION = 2
    RETURN = 3
    OTHER = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """What `erase_program` gave; see wasm/erase/erase.h."""

    status: Status
    output: bytes  # the JavaScript, or the message
    shape: Shape
    calls_default: bool
    last: Last
    last_span: tuple[int, int]
    offset: int
    line: int
    column: int
    steps: int  # WebAssembly instructions, as Wasmtime's fuel counts them

    @property
    def text(self) -> str:
        """The JavaScript, or the message; bytes that are not UTF-8 come through as surrogates."""
        return self.output.decode("utf-8", "surrogatepass")

    @property
    def summary(self) -> str:
        """The JavaScript, or `line:column: message`."""
        return self.text if self.status is Status.OK else f"{self.line}:{self.column}: {self.text}"


@cache
def _guest_build() -> dict[str, object]:
    """The names of wasm/guest_build.py, the only place that has the guest's flags."""
    return runpy.run_path(str(WASM / "guest_build.py"))


def cache_folder() -> Path:
    """Where the guest's build, too, keeps what it has built."""
    folder = cast("Callable[[], Path]", _guest_build()["cache_folder"])
    return folder() / "erase"


def _flags() -> list[str]:
    build = _guest_build()
    flags = cast("tuple[str, ...]", build["FLAGS"])
    ours = cast("tuple[str, ...]", build["OUR_FLAGS"])
    filled = [flag.format(root=WASM.parent, sources=SOURCES, here=SOURCES) for flag in flags]
    stack = cast("int", build["STACK_BYTES"])
    renamed = [f"-D{name}=rationed_{name}" for name in ("malloc", "calloc", "realloc", "free")]
    return [*filled, *ours, *renamed, f"-Wl,-z,stack-size={stack}", "-Wl,--strip-all"]


def build_module(*, with_eraser: bool = True) -> bytes:
    """Compiles the module, or takes it from the cache; without the eraser, only what is around it.

    Raises:
        Unavailable: ziglang is not installed.
    """
    sources = sorted(SOURCES.glob("*.c")) if with_eraser else []
    inputs = [*sources, *sorted(SOURCES.glob("*.h")), REACTOR]
    digest = hashlib.sha256(repr(_flags()[1:]).encode())
    for path in inputs:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    product = cache_folder() / f"{digest.hexdigest()[:32]}.wasm"
    if product.exists():
        return product.read_bytes()
    if importlib.util.find_spec("ziglang") is None:
        raise Unavailable("ziglang is not installed (pip install ziglang==0.15.2)")
    product.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="codemode-erase-") as name:
        made = Path(name) / "eraser.wasm"
        define = ["-DWITH_ERASER"] if with_eraser else []
        command = [sys.executable, "-m", "ziglang", "cc", *_flags(), *define]
        command += [*map(str, sources), str(REACTOR), "-o", str(made)]
        environment = {
            **os.environ,
            "ZIG_GLOBAL_CACHE_DIR": str(cache_folder().parent / "zig"),
            "ZIG_LOCAL_CACHE_DIR": str(Path(name) / "zig"),
        }
        done = subprocess.run(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
        )
        if done.returncode:
            raise RuntimeError(f"the eraser does not compile:\n{done.stdout.decode()}")
        data = made.read_bytes()
        temporary = product.with_suffix(f".{os.getpid()}")
        temporary.write_bytes(data)
        temporary.replace(product)
    return data


class Eraser:
    """One instance of the eraser. Not thread-safe; `steps` are counted if `counts` is true.

    Raises:
        Unavailable: it has to be built and cannot be.
    """

    def __init__(self, *, counts: bool = True) -> None:
        config = wasmtime.Config()
        config.consume_fuel = counts
        config.max_wasm_stack = MAX_WASM_STACK
        self._counts = counts
        self._engine = wasmtime.Engine(config)
        self._module = wasmtime.Module(self._engine, build_module())
        self.restart()

    def restart(self) -> None:
        """Makes a new instance, as if nothing had been erased before."""
        linker = wasmtime.Linker(self._engine)
        linker.define_wasi()
        self._store = wasmtime.Store(self._engine)
        self._store.set_wasi(wasmtime.WasiConfig())
        if self._counts:
            self._store.set_fuel(FUEL)
        exports = linker.instantiate(self._store, self._module).exports(self._store)
        memory = exports["memory"]
        assert isinstance(memory, wasmtime.Memory)
        self._memory = memory
        functions: dict[str, wasmtime.Func] = {}
        for name in (*EXPORTS, "_initialize"):
            function = exports[name]
            assert isinstance(function, wasmtime.Func)
            functions[name] = function
        functions.pop("_initialize")(self._store)
        self._functions = functions

    def _call(self, name: str, *arguments: int) -> int:
        return cast("int", self._functions[name](self._store, *arguments))

    def ration(self, allocations: int) -> None:
        """Lets that many allocations less one succeed and no further one; -1 takes it back."""
        self._call("ration", allocations)

    def live_allocations(self) -> int:
        return self._call("live")

    def load(self, source: bytes) -> Callable[[], int]:
        """Puts a text into the instance; the result erases it when it is called, once."""
        address = self._call("alloc", len(source))
        self._memory.write(self._store, source, address)
        run, store, length = self._functions["run"], self._store, len(source)
        return lambda: cast("int", run(store, address, length))

    def unload(self) -> None:
        """Frees the text and the result of the last one that was erased."""
        self._call("done")

    def erase_bytes(self, source: bytes) -> Erased:
        start = self.load(source)
        before = self._store.get_fuel() if self._counts else 0
        report = start()
        steps = before - self._store.get_fuel() if self._counts else 0
        words = struct.unpack("<12I", self._memory.read(self._store, report, report + 48))
        status, address, length, shape, calls, last, first, end, offset, line, column, bad = words
        assert not bad, "the text does not end in NUL"
        output = bytes(self._memory.read(self._store, address, address + length))
        self.unload()
        return Erased(
            status=Status(status),
            output=output,
            shape=Shape(shape),
            calls_default=bool(calls),
            last=Last(last),
            last_span=(first, end),
            offset=offset,
            line=line,
            column=column,
            steps=steps,
        )

    def erase(self, source: str) -> Erased:
        return self.erase_bytes(source.encode("utf-8", "surrogatepass"))
