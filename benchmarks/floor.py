"""The floor: the same guest, driven by the smallest loop that works, without the runtime's Python."""

import json
import statistics
import time
from collections.abc import Callable
from typing import Any

from workloads import BIG_ROWS, COMPUTE, HOST_CALLS, LARGE_RESULT, ONE

from codemode.runtime import (
    BindingNamespace,
    Limits,
    _abi,  # pyright: ignore[reportPrivateUsage]
)
from codemode.runtime._abi import Op, Settle, State  # pyright: ignore[reportPrivateUsage]
from codemode.runtime._engine import Engine  # pyright: ignore[reportPrivateUsage]
from codemode.runtime._guest import Guest  # pyright: ignore[reportPrivateUsage]

LIMITS = Limits()


async def _never(_: Any) -> None:
    raise AssertionError("the floor answers by itself")


def drive(engine: Engine, program: str, answer: Callable[[bytes], bytes]) -> None:
    """Runs a program to its end; ``answer`` turns a call's argument into its result, both JSON."""
    space = BindingNamespace(name="tools", functions={"add": _never, "big": _never})
    record = _abi.start_record(seed=1, limits=LIMITS, namespaces=[space], program=program.encode())
    guest = Guest(engine, LIMITS.memory_bytes)
    op, payload = Op.START, record
    while True:
        guest.begin(op, payload, 0.0, 0.0)
        while not guest.poll():
            pass
        if guest.state == State.DONE:
            break
        calls = [message for message in guest.messages() if isinstance(message, _abi.Call)]
        payload = b"".join(
            _abi.settle_record(call.id, Settle.VALUE, answer(call.argument)) for call in calls
        )
        op = Op.SETTLE
    guest.close()


def measure(quick: bool) -> dict[str, float]:
    """Figures under the names of sandbox.py, where a floor means something."""
    engine = Engine(instances=8)
    rows = json.dumps(BIG_ROWS, separators=(",", ":")).encode()

    def times(
        program: str, count: int, answer: Callable[[bytes], bytes] = lambda _: b"1"
    ) -> list[float]:
        out: list[float] = []
        for _ in range(count):
            began = time.perf_counter()
            drive(engine, program, answer)
            out.append((time.perf_counter() - began) * 1000)
        return sorted(out)

    few = 3 if quick else 9
    fresh = times(ONE, 400 if quick else 4000)
    figures = {
        "fresh_p50_ms": fresh[len(fresh) // 2],
        "fresh_p99_ms": fresh[int(len(fresh) * 0.99)],
        "host_call_us": statistics.median(times(HOST_CALLS, few)),
        "large_result_ms": statistics.median(times(LARGE_RESULT, few, lambda _: rows)),
    }
    for name, program in COMPUTE.items():
        figures[f"{name}_ms"] = statistics.median(times(program, few))
    engine.close()
    return figures
