"""Pre-initialises the guest: runs its `init` once and makes the memory it leaves the module's own.

The result is the same module with another data section, so an instance of it starts where `init`
ended. Sound because the guest imports nothing: its state after `init` is its memory and its globals,
and no global but the stack pointer is mutable, which `init` leaves as it found it (checked).
"""

import ctypes
from collections.abc import Iterator

import wasmtime

PAGE_BYTES = 65536
MEMORY, GLOBAL, EXPORT, START, DATA_COUNT, DATA = 5, 6, 7, 8, 12, 11
BUILD_EXPORTS = frozenset({"_initialize", "init"})
# Shorter runs of zeros inside data cost less than the head of another segment.
ZERO_RUN_BYTES = 32


class SnapshotError(Exception):
    """The module cannot be snapshotted."""


def encode_u32(number: int) -> bytes:
    out = bytearray()
    while True:
        byte = number & 0x7F
        number >>= 7
        if not number:
            out.append(byte)
            return bytes(out)
        out.append(byte | 0x80)


def encode_s32(number: int) -> bytes:
    out = bytearray()
    while True:
        byte = number & 0x7F
        number >>= 7
        if (number == 0 and not byte & 0x40) or (number == -1 and byte & 0x40):
            out.append(byte)
            return bytes(out)
        out.append(byte | 0x80)


def decode_u32(data: bytes, at: int) -> tuple[int, int]:
    result = shift = 0
    while True:
        byte = data[at]
        at += 1
        result |= (byte & 0x7F) << shift
        if not byte & 0x80:
            return result, at
        shift += 7


def sections(module: bytes) -> Iterator[tuple[int, bytes]]:
    at = 8
    while at < len(module):
        number = module[at]
        size, at = decode_u32(module, at + 1)
        yield number, module[at : at + size]
        at += size


def segments(memory: bytes) -> Iterator[tuple[int, bytes]]:
    """The parts of `memory` that are not zero, as (offset, bytes)."""
    gap = bytes(ZERO_RUN_BYTES)
    at, end = 0, len(memory.rstrip(b"\0"))
    while at < end:
        while memory[at] == 0:
            at += 1
        stop = memory.find(gap, at, end)
        stop = end if stop < 0 else stop
        yield at, memory[at:stop]
        at = stop


def data_section(memory: bytes) -> bytes:
    parts = [
        b"\0\x41" + encode_s32(offset) + b"\x0b" + encode_u32(len(data)) + data
        for offset, data in segments(memory)
    ]
    return encode_u32(len(parts)) + b"".join(parts)


def memory_section(pages: int) -> bytes:
    return b"\x01\x00" + encode_u32(pages)


def export_section(body: bytes) -> bytes:
    count, at = decode_u32(body, 0)
    kept: list[bytes] = []
    for _ in range(count):
        start = at
        length, at = decode_u32(body, at)
        name = body[at : at + length].decode()
        _, at = decode_u32(body, at + length + 1)
        if name not in BUILD_EXPORTS:
            kept.append(body[start:at])
    return encode_u32(len(kept)) + b"".join(kept)


def check_globals(body: bytes) -> None:
    """Only the stack pointer (the first global, an i32) may be mutable."""
    count, at = decode_u32(body, 0)
    for index in range(count):
        kind, mutable = body[at], body[at + 1]
        if mutable and (index != 0 or kind != 0x7F):
            raise SnapshotError(f"global {index} is mutable: the snapshot would lose its value")
        at = body.index(b"\x0b", at + 2) + 1


def run_init(module: bytes) -> bytes:
    """The guest's memory after `init`."""
    engine = wasmtime.Engine()
    store = wasmtime.Store(engine)
    compiled = wasmtime.Module(engine, module)
    if compiled.imports:
        raise SnapshotError(f"the guest imports {compiled.imports[0].name}: it must import nothing")
    instance = wasmtime.Instance(store, compiled, [])
    exports = instance.exports(store)
    start, init, memory = exports["_initialize"], exports["init"], exports["memory"]
    assert isinstance(start, wasmtime.Func)
    assert isinstance(init, wasmtime.Func)
    assert isinstance(memory, wasmtime.Memory)
    start(store)
    if init(store) != 1:
        raise SnapshotError("the guest's init failed")
    address = ctypes.addressof(memory.data_ptr(store).contents)
    return ctypes.string_at(address, memory.data_len(store))


def snapshot(module: bytes) -> bytes:
    """`module` with the memory that its `init` leaves.

    Raises:
        SnapshotError: the module imports something, keeps state outside its memory, or its init failed.
    """
    memory = run_init(module)
    rewritten = {
        MEMORY: lambda _: memory_section(len(memory) // PAGE_BYTES),
        EXPORT: export_section,
        DATA: lambda _: data_section(memory),
    }
    out = bytearray(module[:8])
    for number, body in sections(module):
        if number == GLOBAL:
            check_globals(body)
        if number == START:
            raise SnapshotError("the guest has a start function, which would run again")
        if number in (0, DATA_COUNT):
            continue
        new = rewritten.get(number, lambda body: body)(body)
        out += bytes([number]) + encode_u32(len(new)) + new
    return bytes(out)
