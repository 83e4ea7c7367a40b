"""The host's end of the ABI: nothing that a guest writes hurts more than its own run."""

import random
import re
from pathlib import Path
from struct import pack

import pytest

from codemode.runtime import (
    BindingNamespace,
    LogEntry,
    QuickJSRuntime,
    RunRequest,
    _abi,  # pyright: ignore[reportPrivateUsage]  # the module under test
)
from codemode.runtime._guest import Guest  # pyright: ignore[reportPrivateUsage]
from support import kind

HEADER = Path(__file__).parents[2] / "wasm" / "abi.h"


def frame(kind: int, body: bytes) -> bytes:
    return pack("<II", kind, len(body)) + body


def error_frame(*parts: bytes, fault: int = 0) -> bytes:
    return frame(4, bytes([fault]) + b"".join(pack("<I", len(part)) + part for part in parts))


GOOD = [
    frame(1, pack("<II", 65536, 0) + b'{"a":1}'),
    frame(2, b"\0\0hello \xc3\xa9"),
    frame(3, b"[1,2]"),
    frame(3, b""),
    error_frame(b"TypeError", b"no", b"    at program.ts:1:1\n"),
]


def test_good_frames_are_read_as_they_were_written() -> None:
    messages = list(_abi.read_frames(b"".join(GOOD)))
    assert messages == [
        _abi.Call(65536, 0, b'{"a":1}'),
        LogEntry(source="console", level="log", text="hello é"),
        _abi.Outcome(b"[1,2]"),
        _abi.Outcome(None),
        _abi.Failure(_abi.Fault.EXCEPTION, "TypeError", "no", "    at program.ts:1:1\n"),
    ]


@pytest.mark.parametrize(
    "data",
    [
        b"\1",
        pack("<II", 1, 100) + b"short",
        frame(1, b"\0" * 7),
        frame(2, b"\0"),
        frame(2, b"\x07\0text"),
        frame(2, b"\0\x07text"),
        frame(2, b"\0\0\xff\xfe"),
        frame(0, b""),
        frame(99, b""),
        frame(4, b""),
        frame(4, b"\x63" + b"\0" * 12),
        frame(4, b"\0" + pack("<I", 2**31) + b"x"),
    ],
)
def test_a_frame_that_is_not_in_the_contract_is_a_protocol_error(data: bytes) -> None:
    with pytest.raises(_abi.ProtocolError):
        list(_abi.read_frames(data))


def mutate(chance: random.Random, data: bytes) -> bytes:
    out = bytearray(data)
    for _ in range(chance.randint(1, 8)):
        at = chance.randrange(len(out) + 1)
        match chance.randrange(4):
            case 0:
                out[at : at + 1] = bytes([chance.randrange(256)])
            case 1:
                del out[at : at + chance.randint(1, 9)]
            case 2:
                out[at:at] = chance.randbytes(chance.randint(1, 9))
            case _:
                out[at : at + 4] = pack("<I", chance.choice([0, 1, 2**31, 2**32 - 1, len(out)]))
        if not out:
            out = bytearray(b"\0")
    return bytes(out)


def test_fifty_thousand_mutated_outboxes_raise_nothing_but_protocol_errors() -> None:
    chance = random.Random(20261130)
    refused = 0
    for _ in range(50_000):
        data = b"".join(chance.sample(GOOD, chance.randint(1, len(GOOD))))
        try:
            list(_abi.read_frames(mutate(chance, data)))
        except _abi.ProtocolError:
            refused += 1
    assert 10_000 < refused < 50_000


@pytest.mark.anyio
@pytest.mark.parametrize("seed", range(60))
async def test_a_guest_whose_outbox_is_forged_fails_alone(
    runtime: QuickJSRuntime, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """The reader gets forged bytes in place of a guest's; the run ends as a result, whatever they say."""
    chance = random.Random(seed)
    real = _abi.read_frames

    def forged(data: bytes) -> object:
        return real(mutate(chance, data))

    async def add(_: object) -> int:
        return 3

    space = BindingNamespace(name="tools", functions={"add": add})
    program = "console.log('x'); return await tools.add({ a: 1 })"
    with monkeypatch.context() as patch:
        patch.setattr(_abi, "read_frames", forged)
        result = await runtime.run(RunRequest(program=program, bindings=[space]))
    assert kind(result) in (
        None,
        "worker-exit",
        "exception",
        "invalid-output",
        "output-limit",
        "memory-limit",
        "timeout",
    )
    assert (await runtime.run(RunRequest(program="return 1"))).value == 1


@pytest.mark.anyio
@pytest.mark.parametrize("field", range(13))
@pytest.mark.parametrize("value", [0, 1, 2**31, 2**32 - 1])
async def test_a_guest_whose_exchange_is_corrupted_fails_alone(
    runtime: QuickJSRuntime, monkeypatch: pytest.MonkeyPatch, field: int, value: int
) -> None:

    class Corrupted:
        @staticmethod
        def unpack_from(buffer: object) -> tuple[float, ...]:
            fields = list(_abi_exchange.unpack_from(buffer))  # type: ignore[arg-type]
            if fields[0] == 1 and Corrupted.armed:
                fields[field] = value
            return tuple(fields)

        size = _abi.EXCHANGE.size
        armed = False

    _abi_exchange = _abi.EXCHANGE
    from codemode.runtime import Limits

    with monkeypatch.context() as patch:
        patch.setattr(_abi, "EXCHANGE", Corrupted)
        polled = Guest.poll

        def poll(self: Guest) -> bool:
            Corrupted.armed = True
            try:
                return polled(self)
            finally:
                Corrupted.armed = False

        patch.setattr(Guest, "poll", poll)
        limits = Limits(wall_ms=300)
        result = await runtime.run(
            RunRequest(program="console.log('x'); return [1]", limits=limits)
        )
    assert kind(result) in (None, "worker-exit", "timeout", "memory-limit", "exception")
    assert (await runtime.run(RunRequest(program="return 1"))).value == 1


def test_the_numbers_are_those_of_the_header() -> None:
    header = HEADER.read_text()
    enums = {
        "op": _abi.Op,
        "state": _abi.State,
        "frame": _abi.Frame,
        "fault": _abi.Fault,
        "settle": _abi.Settle,
    }
    for name, members in enums.items():
        body = re.search(rf"enum {name} \{{(.*?)\}};", header, re.DOTALL)
        assert body is not None
        found = {
            key: int(number) for key, number in re.findall(r"[A-Z]+?_([A-Z_]+) = (\d+)", body[1])
        }
        assert found == {member.name: int(member) for member in members}
    version = re.search(r"#define ABI_VERSION (\d+)", header)
    assert version is not None
    assert int(version[1]) == _abi.ABI_VERSION
    fields = re.search(r"struct exchange \{(.*?)\};", header, re.DOTALL)
    assert fields is not None
    kinds = "".join(
        {"uint32_t": "I", "double": "d"}[word]
        for word in re.findall(r"(uint32_t|double) \w+;", fields[1])
    )
    assert kinds == "IIIIdddIIIIII"
    assert _abi.EXCHANGE.size == 4 * 4 + 3 * 8 + 6 * 4
